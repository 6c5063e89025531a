/* Register maps, after the makers' control tables: XM430-W210 e-Manual; Feetech "STS Series Servo
   Memory Table"; HerkuleX manual, chapter 4-2. */
#include <math.h>

#include "sim/servo_sim.h"

static const double PI = 3.14159265358979323846;

double sim_counts_per_rad(sim_kind kind) {
  return kind == SIM_HERKULEX      ? 180.0 / PI / 0.325
         : kind == SIM_FEETECH_SCS ? 1023.0 / (300.0 * PI / 180.0)
                                   : 4096.0 / (2.0 * PI);
}

double sim_centre(sim_kind kind) {
  return kind == SIM_HERKULEX || kind == SIM_FEETECH_SCS ? 512.0 : 2048.0;
}

static void store(uint8_t *at, long value, size_t size, bool is_big) {
  for (size_t i = 0; i < size; i++) {
    at[is_big ? size - 1 - i : i] = (uint8_t)((unsigned long)value >> 8 * i & 0xFF);
  }
}

static long signed_at(const uint8_t *at, size_t size) {
  unsigned long value = 0;
  for (size_t i = 0; i < size; i++) {
    value |= (unsigned long)at[i] << 8 * i;
  }
  return size == 4 ? (long)(int32_t)(uint32_t)value : (long)(int16_t)(uint16_t)value;
}

static long sign_bit(double value, int bit) {
  const long magnitude = lround(fabs(value));
  return value < 0 ? magnitude | 1L << bit : magnitude;
}

/* Position P gain, as delivered. */
static const struct {
  size_t address, size;
  long delivered;
} gains[] = {[SIM_DYNAMIXEL] = {84, 2, 400},
             [SIM_FEETECH_STS] = {21, 1, 32},
             [SIM_FEETECH_SCS] = {21, 1, 15},
             [SIM_HERKULEX] = {24, 2, 440}};

void sim_deliver(const servo_sim *sim, sim_servo *s) {
  store(s->ram + gains[sim->kind].address, gains[sim->kind].delivered, gains[sim->kind].size,
        sim->kind == SIM_FEETECH_SCS);
}

double sim_gain(const servo_sim *sim, const sim_servo *s) {
  const uint8_t *at = s->ram + gains[sim->kind].address;
  const long now = gains[sim->kind].size == 1 ? at[0] : signed_at(at, 2);
  return fmax(1e-6, (double)now / (double)gains[sim->kind].delivered);
}

/* HerkuleX: a divider of 10 kΩ and a thermistor that has 10 kΩ at 25 °C. */
static uint8_t thermistor(double celsius) {
  const double ohm = 10e3 * exp(3435.0 * (1.0 / (celsius + 273.15) - 1.0 / 298.15));
  return (uint8_t)lround(256.0 * 10e3 / (10e3 + ohm));
}

void sim_refresh(servo_sim *sim, sim_servo *s) {
  const double scale = sim_counts_per_rad(sim->kind);
  const bool is_big = sim->kind == SIM_FEETECH_SCS;
  s->counts = (int32_t)lround(s->q * scale + sim_centre(sim->kind));
  switch (sim->kind) {
    case SIM_DYNAMIXEL:
      store(s->ram + 0, s->model, 2, false);
      s->ram[6] = sim->firmware;
      s->ram[7] = s->id;
      s->ram[64] = s->torque;
      s->ram[70] = s->faults;
      store(s->ram + 126, lround(s->pwm * 1000.0), 2, false);
      store(s->ram + 128, lround(s->qd * 60.0 / (2.0 * PI) / 0.229), 4, false);
      store(s->ram + 132, s->counts, 4, false);
      store(s->ram + 144, lround(sim->voltage * 10.0), 2, false);
      s->ram[146] = (uint8_t)lround(s->temperature);
      break;
    case SIM_FEETECH_STS:
    case SIM_FEETECH_SCS:
      store(s->ram + 3, s->model, 2, is_big);
      s->ram[5] = s->id;
      s->ram[40] = s->torque;
      store(s->ram + 56, sign_bit(s->counts, 15), 2, is_big);
      store(s->ram + 58, sign_bit(s->qd * scale, 15), 2, is_big);
      store(s->ram + 60, sign_bit(s->pwm * 1000.0, 10), 2, is_big);
      s->ram[62] = (uint8_t)lround(sim->voltage * 10.0);
      s->ram[63] = (uint8_t)lround(s->temperature);
      s->ram[65] = s->faults;
      break;
    default:
      store(s->eep + 0, s->model, 2, false);
      s->eep[6] = s->ram[0] = s->id;
      s->ram[48] = s->faults;
      s->ram[49] = s->torque ? 0x40 : 0;
      s->ram[52] = s->torque ? 0x60 : 0;
      s->ram[54] = (uint8_t)lround(sim->voltage / 0.074);
      s->ram[55] = thermistor(s->temperature);
      store(s->ram + 58, s->counts, 2, false);
      store(s->ram + 60, s->counts + 3, 2, false);
      store(s->ram + 62, lround(s->qd * scale * 0.0112), 2, false);
      store(s->ram + 64, lround(s->pwm * 1023.0), 2, false);
      break;
  }
}

enum { WATCHDOG = 98, TRIPPED = 0xFF };

void sim_watch(servo_sim *sim, sim_servo *s, int64_t now_ns) {
  const uint8_t ticks = s->ram[WATCHDOG];
  if (sim->kind == SIM_DYNAMIXEL && s->torque && ticks > 0 && ticks < 128 &&
      now_ns - sim->heard_ns > INT64_C(20000000) * ticks) {
    s->ram[WATCHDOG] = TRIPPED;
    s->goal = s->q;
    s->watchdog_trips++;
  }
}

bool sim_refuses(const servo_sim *sim, const sim_servo *s, size_t address, size_t size) {
  enum { GOALS = 100, GOALS_END = 120 };
  return sim->kind == SIM_DYNAMIXEL && s->ram[WATCHDOG] == TRIPPED && address < GOALS_END &&
         address + size > GOALS;
}

void sim_set_goal(servo_sim *sim, sim_servo *s, int counts, int64_t now_ns) {
  const double goal = (counts - sim_centre(sim->kind)) / sim_counts_per_rad(sim->kind);
  if (s->torque) {
    s->goal_jump = fmax(s->goal_jump, fmin(fabs(goal - s->goal), fabs(goal - s->q)));
  }
  if (goal != s->goal) {
    s->goal_changed_ns = now_ns;
    s->goal_off = INFINITY;
  }
  for (size_t i = 0; i < sizeof s->answered / sizeof *s->answered; i++) {
    const double off = fabs((double)counts - s->answered[i]) / sim_counts_per_rad(sim->kind);
    if (off < s->goal_off) { /* fmin() here crashes GCC 12 for ARM at -O3 */
      s->goal_off = off;
    }
  }
  s->goal = goal;
  s->goal_ns = now_ns;
  s->goal_count++;
}

static void set_torque(sim_servo *s, bool on, int64_t now_ns) {
  if (on && !s->torque) {
    s->torque_on_ns = now_ns;
    s->torque_on_jump = fmax(s->torque_on_jump, fabs(s->goal - s->q));
  }
  s->torque_off_ns = !on && s->torque ? now_ns : s->torque_off_ns;
  s->torque = on;
}

static void set_id(servo_sim *sim, sim_servo *s, uint8_t id) {
  if (sim->guards_ids) {
    sim->id_writes++;
  } else {
    s->id = id;
  }
}

/* Clamp to 0 .. 100 % of the torque. */
static double share_of(long value, double full) {
  return fmax(0.0, fmin(1.0, (double)value / full));
}

static bool covers(size_t address, size_t size, size_t reg) {
  return reg >= address && reg < address + size;
}

void sim_apply(servo_sim *sim, sim_servo *s, bool is_eep, size_t address, size_t size,
               int64_t now_ns) {
  const bool is_big = sim->kind == SIM_FEETECH_SCS;
  if (sim->kind == SIM_DYNAMIXEL) {
    if (covers(address, size, 116)) {
      sim_set_goal(sim, s, (int)signed_at(s->ram + 116, 4), now_ns);
    }
    if (covers(address, size, 100)) {
      s->torque_limit = share_of(signed_at(s->ram + 100, 2), 885.0);
    }
    if (covers(address, size, 64)) {
      set_torque(s, s->ram[64] == 1, now_ns);
    }
    if (covers(address, size, 7)) {
      set_id(sim, s, s->ram[7]);
    }
  } else if (sim->kind == SIM_HERKULEX) {
    if (!is_eep && covers(address, size, 52)) {
      if (s->ram[52] == 0x60 && !s->torque) {
        s->goal = s->q; /* it holds its position */
      }
      set_torque(s, s->ram[52] == 0x60, now_ns);
    }
    if (!is_eep && covers(address, size, 16)) {
      s->torque_limit = share_of(signed_at(s->ram + 16, 2), 1023.0);
    }
    if (!is_eep && covers(address, size, 48)) {
      s->faults = s->ram[48];
    }
    if (is_eep ? covers(address, size, 6) : covers(address, size, 0)) {
      set_id(sim, s, is_eep ? s->eep[6] : s->ram[0]);
    }
  } else {
    const uint8_t *goal = s->ram + 42;
    if (covers(address, size, 42)) {
      const int raw = is_big ? goal[0] << 8 | goal[1] : goal[1] << 8 | goal[0];
      sim_set_goal(sim, s, (raw & 0x8000) != 0 ? -(raw & 0x7FFF) : raw, now_ns);
    }
    if (!is_big && covers(address, size, 48)) { /* the lock of SCS */
      s->torque_limit = share_of(signed_at(s->ram + 48, 2), 1000.0);
    }
    if (covers(address, size, 40)) {
      set_torque(s, s->ram[40] == 1, now_ns);
    }
    if (covers(address, size, 5)) {
      set_id(sim, s, s->ram[5]);
    }
  }
}
