#include "sim/servo_sim.h"

#include <math.h>
#include <string.h>

#include "servo/servo_step.h"

static const size_t position_at[] = {132, 56, 56, 58};
static const wire_family families[] = {WIRE_DYNAMIXEL, WIRE_FEETECH, WIRE_FEETECH, WIRE_HERKULEX};

void servo_sim_init(servo_sim *sim, sim_kind kind, int64_t baud, uint64_t seed) {
  memset(sim, 0, sizeof *sim);
  sim->kind = kind;
  sim->family = families[kind];
  sim->byte_ns = INT64_C(10000000000) / baud;
  sim->is_strict = true;
  sim->firmware = 38;
  sim->supply = sim->voltage = kind == SIM_HERKULEX ? 7.4 : 12.0;
  sim->physics_ns = 1000000;
  sn_servo_params_init(&sim->params);
  sim->params.kp = 12.0;
  sim->params.alpha[0] = 1.8;
  sim->params.alpha[1] = 0.4;
  sim->params.alpha[2] = 0.2;
  sim->params.alpha[3] = 6.0;
  sim->params.qs = 0.1;
  sim->params.delta = 1.0;
  sn_random_init(&sim->random, seed);
}

sim_servo *servo_sim_add(servo_sim *sim, uint8_t id, uint16_t model) {
  sim_servo *servo = &sim->servos[sim->count++];
  *servo = (sim_servo){
      .id = id, .model = model, .temperature = 35.0, .delay_ns = 60000, .torque_limit = 1.0};
  sim_deliver(sim, servo);
  sim_refresh(sim, servo);
  return servo;
}

static sn_servo_load load_of(const servo_sim *sim, const sim_servo *s) {
  if (sim->load.mass_kg == 0.0) {
    return (sn_servo_load){.inertia_kgm2 = 0.01};
  }
  return (sn_servo_load){.inertia_kgm2 = sn__pendulum_inertia(&sim->load),
                         .tau = -sn__pendulum_torque_at(&sim->load, s->q)};
}

static void move(servo_sim *sim, sim_servo *s, double dt_s) {
  sn_servo_params params = sim->params;
  params.kp *= sim_gain(sim, s);
  const double most = params.ext.drive_max > 0.0 ? params.ext.drive_max : 1.0;
  params.ext.drive_max = fmax(most * s->torque_limit, 1e-9); /* 0 would be none */
  const sn__servo_input input = {
      .goal = s->goal, .voltage = sim->voltage, .is_limp = !s->torque, .load = load_of(sim, s)};
  const double drive = params.kp * (s->goal - s->q);
  s->pwm = s->torque ? fmax(-1.0, fmin(1.0, drive)) : 0.0;
  sn__servo_step(&params, &input, dt_s, &s->q, &s->qd);
  s->speed_max = fmax(s->speed_max, fabs(s->qd));
}

void servo_sim_advance(servo_sim *sim, int64_t now_ns) {
  while (sim->now_ns + sim->physics_ns <= now_ns) {
    double load = 0.0;
    for (size_t i = 0; i < sim->count; i++) {
      sim_watch(sim, &sim->servos[i], sim->now_ns);
      move(sim, &sim->servos[i], 1e-9 * (double)sim->physics_ns);
      load += fabs(sim->servos[i].pwm);
    }
    sim->voltage = sim->sag > 0.0 ? sim->supply - sim->sag * load : sim->voltage;
    sim->now_ns += sim->physics_ns;
  }
}

/* Transmit one byte: lost, changed or unchanged. @return whether it arrives */
static bool travel(servo_sim *sim, uint8_t *byte) {
  if (sim->lose > 0.0 && sn_random_unit(&sim->random) < sim->lose) {
    sim->lost++;
    return false;
  }
  if (sim->corrupt > 0.0 && sn_random_unit(&sim->random) < sim->corrupt) {
    *byte ^= (uint8_t)(1 + sn_random_below(&sim->random, 255));
    sim->corrupted++;
  }
  return true;
}

/* Queue one byte by its time of arrival. Two senders at the same time corrupt each other: the line
 * carries the AND of their bits. */
static void put_byte(servo_sim *sim, uint8_t byte, int64_t at_ns) {
  size_t k = sim->out_count;
  while (k > 0 && sim->out_ns[k - 1] > at_ns - sim->byte_ns / 2) {
    k--;
  }
  if (k < sim->out_count && sim->out_ns[k] < at_ns + sim->byte_ns / 2) {
    sim->out[k] &= byte;
    return;
  }
  if (sim->out_count < sizeof sim->out) {
    memmove(sim->out + k + 1, sim->out + k, sim->out_count - k);
    memmove(sim->out_ns + k + 1, sim->out_ns + k, (sim->out_count - k) * sizeof *sim->out_ns);
    sim->out[k] = byte;
    sim->out_ns[k] = at_ns;
    sim->out_count++;
  }
}

static void put_line(servo_sim *sim, const uint8_t *bytes, size_t count, int64_t start_ns) {
  for (size_t i = 0; i < count; i++) {
    uint8_t byte = bytes[i];
    if (travel(sim, &byte)) {
      put_byte(sim, byte, start_ns + (int64_t)(i + 1) * sim->byte_ns);
    }
  }
  const int64_t end_ns = start_ns + (int64_t)count * sim->byte_ns;
  sim->line_ns = end_ns > sim->line_ns ? end_ns : sim->line_ns;
}

/* Truncate an answer or corrupt its length. @return bytes to send */
static size_t maim(servo_sim *sim, uint8_t *out, size_t size) {
  static const size_t length_at[] = {5, 3, 2};
  if (sim->cut > 0.0 && sn_random_unit(&sim->random) < sim->cut) {
    sim->maimed++;
    return 1 + (size_t)sn_random_below(&sim->random, (uint32_t)size - 1);
  }
  if (sim->lie > 0.0 && sn_random_unit(&sim->random) < sim->lie) {
    sim->maimed++;
    out[length_at[sim->family]] =
        (uint8_t)(out[length_at[sim->family]] + 1 + sn_random_below(&sim->random, 200));
  }
  return size;
}

/* @return time of the end of the answer */
static int64_t answer(servo_sim *sim, sim_servo *s, uint8_t instruction, const uint8_t *params,
                      size_t count, uint8_t refused, int64_t start_ns) {
  uint8_t out[600];
  const bool is_dynamixel = sim->kind == SIM_DYNAMIXEL;
  const uint8_t error = is_dynamixel ? (uint8_t)(refused | (s->faults != 0 ? 0x80 : 0))
                                     : (uint8_t)(s->faults | refused);
  const size_t size = wire_write(sim->family, s->answers_as != 0 ? s->answers_as : s->id,
                                 instruction, error, s->torque ? 0x40 : 0, params, count, out);
  const size_t sent = maim(sim, out, size);
  put_line(sim, out, sent, start_ns + s->delay_ns);
  return start_ns + s->delay_ns + (int64_t)size * sim->byte_ns;
}

/* @param at  offset of the position register in the data */
static void count_read(sim_servo *s, size_t at, size_t address, size_t size) {
  if (address <= at && at < address + size) {
    memmove(s->answered + 1, s->answered, sizeof s->answered - sizeof *s->answered);
    s->answered[0] = s->counts;
    s->answered_counts = s->counts;
  }
  s->reads++;
}

static int64_t answer_read(servo_sim *sim, sim_servo *s, uint8_t instruction, bool is_eep,
                           size_t address, size_t size, int64_t start_ns) {
  uint8_t params[300] = {0};
  const size_t before = sim->kind == SIM_HERKULEX ? 2 : 0;
  if (address + size > 256 || size + before > sizeof params) {
    return answer(sim, s, instruction, params, 0, sim->kind == SIM_DYNAMIXEL ? 7 : 8, start_ns);
  }
  sim_refresh(sim, s);
  params[0] = (uint8_t)address;
  params[1] = (uint8_t)size;
  memcpy(params + before, (is_eep ? s->eep : s->ram) + address, size);
  count_read(s, position_at[sim->kind], address, is_eep ? 0 : size);
  return answer(sim, s, instruction, params, before + size, 0, start_ns);
}

/* @return false if it is rejected */
static bool write_registers(servo_sim *sim, sim_servo *s, bool is_eep, size_t address,
                            const uint8_t *data, size_t size, int64_t now_ns) {
  if (sim_refuses(sim, s, address, size)) {
    return false;
  }
  if (address + size <= 256) {
    sim_refresh(sim, s);
    memcpy((is_eep ? s->eep : s->ram) + address, data, size);
    sim_apply(sim, s, is_eep, address, size, now_ns);
  }
  return true;
}

static sim_servo *servo_by_id(servo_sim *sim, uint8_t id) {
  for (size_t i = 0; i < sim->count; i++) {
    if (sim->servos[i].id == id && !sim->servos[i].is_unplugged) {
      return &sim->servos[i];
    }
  }
  return NULL;
}

static void sync_read(servo_sim *sim, const wire_request *r, int64_t start_ns) {
  const bool is_wide = sim->kind == SIM_DYNAMIXEL;
  const size_t head = is_wide ? 4 : 2;
  const size_t address = is_wide ? r->params[0] + 256u * r->params[1] : r->params[0];
  const size_t size = is_wide ? r->params[2] + 256u * r->params[3] : r->params[1];
  for (size_t i = head; i < r->count; i++) {
    sim_servo *s = servo_by_id(sim, r->params[i]);
    if (s == NULL && sim->is_strict) {
      return;
    }
    if (s != NULL) {
      start_ns = answer_read(sim, s, r->instruction, false, address, size, start_ns);
    }
  }
}

/* Each servo appends its part to the packet that the first one begins; after a silent servo the
 * rest is missing. */
static void fast_sync_read(servo_sim *sim, const wire_request *r, int64_t start_ns) {
  uint8_t packet[1200];
  if (r->count < 5) {
    return;
  }
  const size_t address = r->params[0] + 256u * r->params[1];
  const size_t size = r->params[2] + 256u * r->params[3], count = r->count - 4;
  size_t used = wire_write_parts(count, size, packet);
  if (used + count * (size + 4) > sizeof packet || address + size > 256) {
    return;
  }
  for (size_t i = 0; i < count; i++) {
    sim_servo *s = servo_by_id(sim, r->params[4 + i]);
    if (s == NULL) {
      break;
    }
    sim_refresh(sim, s);
    count_read(s, position_at[sim->kind], address, size);
    used += wire_write_part(s->id, s->faults != 0 ? 0x80 : 0, s->ram + address, size, packet, used);
  }
  if (used > 8) {
    put_line(sim, packet, used, start_ns + sim->servos[0].delay_ns);
  }
}

static void sync_write(servo_sim *sim, const wire_request *r, int64_t now_ns) {
  const bool is_wide = sim->kind == SIM_DYNAMIXEL;
  const size_t address = is_wide ? r->params[0] + 256u * r->params[1] : r->params[0];
  const size_t size = is_wide ? r->params[2] + 256u * r->params[3] : r->params[1];
  for (size_t i = is_wide ? 4 : 2; i + size < r->count; i += size + 1) {
    for (size_t k = 0; k < sim->count; k++) {
      sim_servo *s = &sim->servos[k];
      if (s->id == r->params[i] && !s->is_unplugged) {
        (void)write_registers(sim, s, false, address, r->params + i + 1, size, now_ns);
      }
    }
  }
}

static void jog(servo_sim *sim, const wire_request *r, int64_t now_ns) {
  sim->play_time = r->params[0];
  for (size_t i = 1; i + 4 <= r->count; i += 4) {
    sim_servo *s = servo_by_id(sim, r->params[i + 3]);
    if (s != NULL && s->torque) {
      sim_set_goal(sim, s, r->params[i] | (r->params[i + 1] & 0x7F) << 8, now_ns);
    }
  }
}

/* One servo executes a request and answers, unless it was a broadcast. */
static void obey(servo_sim *sim, sim_servo *s, const wire_request *r, int64_t now_ns) {
  const bool is_herkulex = sim->kind == SIM_HERKULEX;
  const bool is_wide = sim->kind == SIM_DYNAMIXEL;
  const size_t address = is_wide        ? r->params[0] + 256u * r->params[1]
                         : r->count > 0 ? r->params[0]
                                        : 0;
  const uint8_t command = r->instruction;
  const bool is_read = is_herkulex ? command == 2 || command == 4 : command == 2;
  const bool is_write = is_herkulex ? command == 1 || command == 3 : command == 3;
  const bool is_ping = command == (is_herkulex ? 7 : 1);
  const bool is_silent = r->id == 0xFE && !is_ping;
  const bool is_eep = is_herkulex && command <= 2;
  if (is_ping) {
    uint8_t params[3] = {(uint8_t)(s->model & 0xFF), (uint8_t)(s->model >> 8), sim->firmware};
    (void)answer(sim, s, command, params, is_wide ? 3 : 0, 0, now_ns);
  } else if (is_read && !is_silent && r->count >= 2) {
    const size_t size = is_wide ? r->params[2] + 256u * r->params[3] : r->params[1];
    (void)answer_read(sim, s, command, is_eep, address, size, now_ns);
  } else if (is_write) {
    const size_t head = is_wide || is_herkulex ? 2 : 1;
    sim_servo before = *s;
    if (r->count < head || (is_herkulex && r->params[1] != r->count - head)) {
      return; /* the length does not match the data */
    }
    const bool is_taken =
        write_registers(sim, s, is_eep, address, r->params + head, r->count - head, now_ns);
    if (!is_silent && !is_herkulex) {
      before.delay_ns = s->delay_ns;
      (void)answer(sim, &before, command, NULL, 0, is_taken ? 0 : 4, now_ns);
    }
  } else if (!is_silent && is_wide) {
    (void)answer(sim, s, command, NULL, 0, command == 8 ? 0 : 2, now_ns);
    if (command == 8) { /* reboot */
      s->faults = 0;
      s->torque = false;
    }
  }
}

static void handle(servo_sim *sim, const wire_request *r, int64_t now_ns) {
  sim->requests++;
  const bool is_herkulex = sim->kind == SIM_HERKULEX;
  if (sim->kind == SIM_DYNAMIXEL && r->instruction == 0x8A) {
    sim->fast_reads++;
    if (!sim->lacks_fast && sim->firmware >= 46) {
      fast_sync_read(sim, r, now_ns);
    }
  } else if (!is_herkulex && r->instruction == 0x82) {
    sync_read(sim, r, now_ns);
  } else if (!is_herkulex && r->instruction == 0x83) {
    sync_write(sim, r, now_ns);
  } else if (is_herkulex && r->instruction == 6) {
    jog(sim, r, now_ns);
  } else {
    for (size_t i = 0; i < sim->count; i++) {
      sim_servo *s = &sim->servos[i];
      if (!s->is_unplugged && (s->id == r->id || r->id == 0xFE)) {
        /* servos answer a broadcast in turn */
        obey(sim, s, r, r->id == 0xFE && sim->line_ns > now_ns ? sim->line_ns : now_ns);
      }
    }
  }
}

void servo_sim_receive(servo_sim *sim, const uint8_t *bytes, size_t count, int64_t now_ns) {
  if (sim->echoes) {
    put_line(sim, bytes, count, now_ns);
  }
  for (size_t i = 0; i < count && sim->in_count < sizeof sim->in; i++) {
    uint8_t byte = bytes[i];
    if (travel(sim, &byte)) {
      sim->in[sim->in_count++] = byte;
    }
  }
  const int64_t end_ns = now_ns + (int64_t)count * sim->byte_ns;
  int64_t heard_ns = end_ns;
  servo_sim_advance(sim, end_ns);
  size_t used = 0;
  bool found = true;
  while (found) {
    found = wire_read(sim->family, sim->in, sim->in_count, &used, &sim->request);
    memmove(sim->in, sim->in + used, sim->in_count - used);
    sim->in_count -= used;
    if (found) { /* of several requests at once, the next one arrived when the line was free */
      sim->heard_ns = heard_ns;
      handle(sim, &sim->request, heard_ns);
      heard_ns = sim->line_ns > heard_ns ? sim->line_ns : heard_ns;
    }
  }
  if (count > 0 && sim->in_count > 0) { /* a servo drops an incomplete packet before the next one */
    sim->in_count = 0;
  }
}

size_t servo_sim_transmit(servo_sim *sim, int64_t now_ns, uint8_t *out, size_t size) {
  size_t count = 0;
  while (count < size && count < sim->out_count && sim->out_ns[count] <= now_ns) {
    out[count] = sim->out[count];
    count++;
  }
  sim->out_count -= count;
  memmove(sim->out, sim->out + count, sim->out_count);
  memmove(sim->out_ns, sim->out_ns + count, sim->out_count * sizeof *sim->out_ns);
  return count;
}

int64_t servo_sim_next_ns(const servo_sim *sim, size_t chunk) {
  const size_t count = chunk < sim->out_count ? chunk : sim->out_count;
  return count == 0 ? INT64_MAX : sim->out_ns[count - 1];
}
