#include "bus_rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bus/bus_events.h"
#include "bus/families/servo_link.h"
#include "sinew/fault.h"

static const char *const family_names[] = {"dynamixel", "feetech_sts", "feetech_scs", "herkulex"};

bus_rig *bus_rig_prepare(sim_kind kind, size_t count, int64_t baud, int64_t period_ns) {
  bus_rig *rig = calloc(1, sizeof *rig);
  SN_ASSERT(rig != NULL);
  rig->chunk = 1;
  sn_arena_init_growing(&rig->arena, "bus", 65536);
  servo_sim_init(&rig->sim, kind, baud, 1);
  const sn_servo_family *family = sn__servo_family_find(family_names[kind]);
  for (size_t i = 0; i < count; i++) {
    servo_sim_add(&rig->sim, (uint8_t)(1 + i), 1030);
    rig->mounts[i] = (sn__servo_mount){.id = (uint8_t)(1 + i),
                                       .direction = 1,
                                       .zero = family->counts_centre,
                                       .gear = 1.0,
                                       .goal_min = -2.0,
                                       .goal_max = 2.0,
                                       .velocity_max = 4.0,
                                       .torque_limit = 1.0};
  }
  rig->config = (sn__servo_bus_config){.family = family,
                                       .baud = baud,
                                       .answer_ns = 500000,
                                       .period_ns = period_ns,
                                       .servos = rig->mounts,
                                       .count = count};
  return rig;
}

void bus_rig_build(bus_rig *rig) {
  sn_error err;
  const sn_status status = sn__servo_bus_create(&rig->arena, &rig->config, &rig->bus, &err);
  SN_ASSERT(status == SN_OK);
  sn__servo_bus_arm(rig->bus, true);
}

bus_rig *bus_rig_create(sim_kind kind, size_t count, int64_t baud, int64_t period_ns) {
  bus_rig *rig = bus_rig_prepare(kind, count, baud, period_ns);
  bus_rig_build(rig);
  return rig;
}

void bus_rig_free(bus_rig *rig) {
  sn_arena_release(&rig->arena);
  free(rig);
}

static void check_positions(bus_rig *rig) {
  for (size_t i = 0; i < rig->bus->count; i++) {
    const sn__servo *s = &rig->bus->servos[i];
    if (s->filter.has_position && s->state.read_ns == rig->now_ns) {
      rig->positions++;
      const double error = fabs((double)s->filter.counts - rig->sim.servos[i].answered_counts);
      rig->inexact += error > 0.0;
      rig->wrong += error > s->filter.noise;
      rig->wrong_max = fmax(rig->wrong_max, error);
    }
  }
}

/* Advance to the next event on the wire or in the engine. */
static void step(bus_rig *rig, int64_t end_ns) {
  sn_bus_engine *engine = &rig->bus->engine;
  size_t count = 0;
  const uint8_t *out = sn__bus_engine_output(engine, &count);
  if (count > 0) {
    if (!rig->is_unplugged) {
      servo_sim_receive(&rig->sim, out, count, rig->now_ns);
    }
    sn__bus_engine_wrote(engine, count, rig->now_ns);
  }
  const int64_t in_ns = servo_sim_next_ns(&rig->sim, rig->chunk);
  const int64_t wake_ns = sn__bus_engine_wake_ns(engine);
  int64_t next_ns = in_ns < wake_ns ? in_ns : wake_ns;
  next_ns = next_ns < end_ns ? next_ns : end_ns;
  rig->now_ns = next_ns > rig->now_ns ? next_ns : rig->now_ns;
  if (rig->stall_ns > 0 && rig->stall_after-- == 0) {
    rig->now_ns += rig->stall_ns;
    rig->stall_ns = 0;
  }
  uint8_t bytes[512];
  const size_t got = servo_sim_transmit(&rig->sim, rig->now_ns, bytes, sizeof bytes);
  if (got > 0 && !rig->is_unplugged) {
    sn__bus_engine_input(engine, bytes, got, rig->now_ns);
  }
  sn__servo_bus_step(rig->bus, rig->now_ns);
  if (rig->check_positions && got > 0) {
    check_positions(rig);
  }
}

static const char *const names[SIM_SERVOS_MAX] = {
    "s1",  "s2",  "s3",  "s4",  "s5",  "s6",  "s7",  "s8",  "s9",  "s10", "s11",
    "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22",
    "s23", "s24", "s25", "s26", "s27", "s28", "s29", "s30", "s31", "s32"};

static void take_events(bus_rig *rig) {
  sn__servo_event event;
  while (sn__servo_bus_next_event(rig->bus, &event)) {
    rig->events[event.kind]++;
    rig->event_value[event.kind] = event.value;
    (void)sn__servo_event_text(rig->bus, names, &event, rig->said[event.kind], sizeof rig->said[0]);
  }
}

static void watch_goals(bus_rig *rig) {
  for (size_t i = 0; i < rig->bus->count; i++) {
    const sim_servo *s = &rig->sim.servos[i];
    if (rig->bus->servos[i].state.link == SN__LINK_HOLD && s->torque) {
      const int64_t since_ns = s->goal_ns > s->torque_on_ns ? s->goal_ns : s->torque_on_ns;
      const int64_t gap_ns = rig->now_ns - since_ns;
      rig->goal_gap_max_ns = gap_ns > rig->goal_gap_max_ns ? gap_ns : rig->goal_gap_max_ns;
    }
  }
}

void bus_rig_cycle(bus_rig *rig) {
  const int64_t start_ns = rig->now_ns, end_ns = start_ns + rig->config.period_ns;
  sn__servo_bus_cycle(rig->bus, rig->now_ns);
  sn__servo_bus_step(rig->bus, rig->now_ns);
  while (!sn__servo_bus_is_over(rig->bus) && rig->now_ns < end_ns) {
    step(rig, end_ns);
  }
  rig->late_cycles += !sn__servo_bus_is_over(rig->bus);
  rig->busy_ns += rig->now_ns - start_ns;
  while (!sn__servo_bus_is_over(rig->bus)) {
    step(rig, INT64_MAX);
  }
  rig->now_ns = rig->now_ns > end_ns ? rig->now_ns : end_ns;
  servo_sim_advance(&rig->sim, rig->now_ns);
  uint8_t late[64]; /* bytes that arrive while the port is not read */
  while (servo_sim_transmit(&rig->sim, rig->now_ns, late, sizeof late) > 0) {
  }
  take_events(rig);
  watch_goals(rig);
}

void bus_rig_cycles(bus_rig *rig, size_t count) {
  for (size_t i = 0; i < count; i++) {
    bus_rig_cycle(rig);
  }
}

void bus_rig_goals(bus_rig *rig, double goal, bool limp) {
  for (size_t i = 0; i < rig->bus->count; i++) {
    sn__servo_bus_goal(rig->bus, i, goal, limp);
  }
}

size_t bus_rig_count(const bus_rig *rig, sn__servo_link link) {
  size_t count = 0;
  for (size_t i = 0; i < rig->bus->count; i++) {
    count += rig->bus->servos[i].state.link == link;
  }
  return count;
}

double bus_rig_doubted(const bus_rig *rig) {
  uint64_t doubted = 0;
  for (size_t i = 0; i < rig->bus->count; i++) {
    doubted += rig->bus->servos[i].state.doubted;
  }
  return (double)doubted / (double)(rig->positions + doubted + 1);
}

bus_rig *bus_rig_moving(sim_kind kind) {
  bus_rig *rig = bus_rig_create(kind, 3, 1000000, 10000000);
  bus_rig_goals(rig, 0.0, false);
  bus_rig_cycles(rig, 100);
  SN_ASSERT(bus_rig_count(rig, SN__LINK_HOLD) == 3);
  bus_rig_goals(rig, 1.5, false);
  bus_rig_cycles(rig, 20);
  return rig;
}

double bus_rig_counts_per_rad(const bus_rig *rig) {
  return rig->config.family->counts_per_rad;
}
