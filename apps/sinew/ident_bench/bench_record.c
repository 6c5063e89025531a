#define _POSIX_C_SOURCE 200809L /* nanosleep(), sigaction() */

#include "ident_bench/bench_record.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

const char *const bench_motions[BENCH_MOTIONS] = {"sin_sin", "up_and_down", "lift_and_drop",
                                                  "sin_time_square"};

#define PERIOD_S 0.005
#define PREPARE_S 1.0
#define STILL_S 0.5    /* without motion: the weight hangs still */
#define STILL_MAX_S 20 /* a pendulum with little friction swings for a while */
#define LIMP_PART 0.4  /* of lift and drop: lifted until then */
enum { SUPPLY_EVERY = 20, MISSES_MAX = 5 };
enum { JOG_TICKS = 1 }; /* HerkuleX: as soon as it can */

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number) {
  (void)number;
  is_interrupted = 1;
}

void bench_catch_signals(void) {
  const struct sigaction action = {.sa_handler = interrupt};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

bool bench_is_interrupted(void) {
  return is_interrupted != 0;
}

/* The motions of Rhoban/bam's bench, scaled to the length of a motion and to BENCH_REACH_RAD. */
bool bench_goal(int motion, double motion_s, double time_s, double *goal) {
  const double part = time_s / motion_s, pi = 3.14159265358979323846;
  switch (motion) {
    case 0:
      *goal = 0.85 * sin(2.0 * pi * 2.0 * part) + 0.45 * sin(2.0 * pi * 5.0 * part);
      return false;
    case 1: /* slowly up, down and up, without a jump at the ends */
      *goal = 0.5 * BENCH_REACH_RAD * (1.0 - cos(2.0 * pi * 2.0 * part));
      return false;
    case 2: /* up to the side, then let go: it swings */
      *goal = -BENCH_REACH_RAD * fmin(1.0, part / (0.75 * LIMP_PART));
      return part > LIMP_PART;
    default:
      *goal = 0.8 * sin(2.0 * pi * 6.0 * part * part);
      return false;
  }
}

static double now_s(const bench_servo *b) {
  return 1e-9 * (double)sn_clock_now_ns(&b->line.clock);
}

static void sleep_until(const bench_servo *b, double time_s) {
  const double left_s = time_s - now_s(b);
  if (left_s > 0.0) {
    const struct timespec pause = {(time_t)left_s, (long)(1e9 * (left_s - floor(left_s)))};
    nanosleep(&pause, NULL);
  }
}

static bool set_torque(bench_servo *b, bool on) {
  bus_answer answer;
  const uint8_t value = on ? b->line.family->torque_on : 0;
  return bus_line_write(&b->line, b->id, b->line.family->torque_address, &value, 1, &answer);
}

void bench_let_go(bench_servo *b) {
  (void)set_torque(b, false);
}

static bool read_state(bench_servo *b, sn_servo_reading *out) {
  bus_answer answer;
  if (!bus_line_read(&b->line, b->id, b->line.family->state, &answer)) {
    return false;
  }
  *out = (sn_servo_reading){.counts = 0};
  b->line.family->read_state(answer.data, out);
  return true;
}

static double position_of(const bench_servo *b, int32_t counts) {
  return (double)(counts - b->zero_counts) / b->line.family->counts_per_rad;
}

/* Whole counts: what the servo gets is what the log has. */
static bool write_goal(bench_servo *b, double *goal) {
  const sn_servo_family *family = b->line.family;
  const int32_t counts = b->zero_counts + (int32_t)lround(*goal * family->counts_per_rad);
  uint8_t data[8];
  bus_answer answer;
  *goal = position_of(b, counts);
  const size_t size = family->write_goal(counts, data);
  if (family->goal.size == 0) {
    return bus_line_jog(&b->line, b->id, data, JOG_TICKS);
  }
  return bus_line_write(&b->line, b->id, family->goal.address, data, size, &answer);
}

static bool report_silence(const bench_servo *b) {
  fprintf(stderr, "sinew ident bench: servo %d no longer answers: check power and wires\n", b->id);
  return false;
}

bool bench_find_zero(bench_servo *b) {
  const sn_servo_family *family = b->line.family;
  const int32_t near = (int32_t)lround(0.01 * family->counts_per_rad) + 1;
  sn_servo_reading reading;
  if (!set_torque(b, false) || !read_state(b, &reading)) {
    return report_silence(b);
  }
  int32_t at = reading.counts;
  double since_s = now_s(b);
  const double begin_s = since_s;
  while (now_s(b) - since_s < STILL_S && !is_interrupted) {
    sleep_until(b, now_s(b) + 0.02);
    if (!read_state(b, &reading)) {
      return report_silence(b);
    }
    if (abs((int)(reading.counts - at)) > near) {
      at = reading.counts;
      since_s = now_s(b);
    }
    if (now_s(b) - begin_s > STILL_MAX_S) {
      fputs("sinew ident bench: the weight still swings after 20 s: hold it still\n", stderr);
      return false;
    }
  }
  b->zero_counts = reading.counts;
  const int32_t reach = (int32_t)lround((BENCH_REACH_RAD + 0.2) * family->counts_per_rad);
  if (b->zero_counts - reach < 0 || b->zero_counts + reach > family->counts_max) {
    fprintf(stderr,
            "sinew ident bench: the weight hangs at %d of 0 .. %d, the motions need %d on both "
            "sides: turn the horn so that it hangs near the middle\n",
            (int)b->zero_counts, (int)family->counts_max, (int)reach);
    return false;
  }
  return !is_interrupted;
}

bool bench_prepare(bench_servo *b) {
  sn_servo_reading reading;
  if (!read_state(b, &reading)) {
    return report_silence(b);
  }
  const double from = position_of(b, reading.counts);
  double goal = from;
  if (!write_goal(b, &goal) || !set_torque(b, true)) {
    return report_silence(b);
  }
  const double begin_s = now_s(b);
  for (double part = 0.0; part < 1.5 && !is_interrupted; part = (now_s(b) - begin_s) / PREPARE_S) {
    const double s = fmin(1.0, part);
    goal = from * (1.0 - s * s * (3.0 - 2.0 * s));
    if (!write_goal(b, &goal)) {
      return report_silence(b);
    }
    sleep_until(b, now_s(b) + PERIOD_S);
  }
  return !is_interrupted;
}

static void read_volts(bench_servo *b, sn_servo_reading *reading) {
  bus_answer answer;
  if (b->line.family->supply.size > 0 &&
      bus_line_read(&b->line, b->id, b->line.family->supply, &answer)) {
    b->line.family->read_supply(answer.data, reading);
  }
}

/* A goal, or torque off for good. */
static bool command(bench_servo *b, bool is_limp, bool *was_limp, double *goal) {
  if (!is_limp) {
    return write_goal(b, goal);
  }
  const bool is_new = !*was_limp;
  *was_limp = true;
  return !is_new || set_torque(b, false);
}

size_t bench_drive(bench_servo *b, int motion, sn__log_sample *samples, double *volts) {
  const double begin_s = now_s(b);
  double volts_sum = 0.0, volts_count = 0.0;
  bool was_limp = false;
  size_t count = 0;
  int misses = 0;
  for (double t = 0.0; t < b->motion_s && count < BENCH_SAMPLES_MAX; t = now_s(b) - begin_s) {
    double goal;
    const bool is_limp = bench_goal(motion, b->motion_s, t, &goal);
    sn_servo_reading reading;
    /* First the position: the goal acts after it, as in a simulation of the log. */
    const bool is_good = read_state(b, &reading) && command(b, is_limp, &was_limp, &goal);
    misses = is_good ? 0 : misses + 1;
    if (is_interrupted || misses > MISSES_MAX) {
      (void)(is_interrupted || report_silence(b));
      return 0;
    }
    if (is_good) {
      samples[count++] =
          (sn__log_sample){.time_s = t,
                           .position = position_of(b, reading.counts),
                           .goal = is_limp ? (double)NAN : goal,
                           .velocity = reading.velocity / b->line.family->counts_per_rad,
                           .is_limp = is_limp};
    }
    if (is_good && count % SUPPLY_EVERY == 1) {
      read_volts(b, &reading);
    }
    if (is_good && reading.has_supply) {
      volts_sum += reading.voltage;
      volts_count += 1.0;
    }
    sleep_until(b, begin_s + t + PERIOD_S);
  }
  *volts = volts_count > 0.0 ? volts_sum / volts_count : 0.0;
  return count;
}
