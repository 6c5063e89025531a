/* `sinew bus` against simulated servos behind a pseudo-terminal. */
#define _GNU_SOURCE

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "program.h"
#include "sim/sim_pty.h"
#include "sn_test.h"

static const char *const families[] = {"dynamixel", "feetech_sts", "feetech_scs", "herkulex"};

static sim_pty *pty_of(sim_kind kind, size_t count) {
  servo_sim sim;
  servo_sim_init(&sim, kind, 1000000, 9);
  for (size_t i = 0; i < count; i++) {
    servo_sim_add(&sim, (uint8_t)(1 + i), 1030)->q = 0.25;
  }
  return sim_pty_start(&sim, NULL);
}

static sn_test_run result; /* large */

/* Long for servos that answer, since the machine may be busy; short where none answers. */
#define PATIENCE_S 1.5
#define SILENCE_S 0.1
#define THIRD_S 0.4 /* per try; there are three */

/* Runs `sinew bus …` with port, family and baud rate. */
static void run_within(double timeout_s, const sim_pty *pty, sim_kind kind, const char *words,
                       int code) {
  char line[512];
  snprintf(line, sizeof line, "bus %s --port %s --family %s --baud 1000000 --timeout %g", words,
           sim_pty_path(pty), families[kind], timeout_s);
  sn_test_program(&result, "/tmp", line, NULL);
  if (result.code != code) {
    fail_msg("sinew %s: exit code %d, expected %d\n%s%s", line, result.code, code, result.output,
             result.errors);
  }
}

static void run(const sim_pty *pty, sim_kind kind, const char *words, int code) {
  run_within(PATIENCE_S, pty, kind, words, code);
}

SN_TEST(every_family_is_pinged_and_read) {
  for (int kind = 0; kind < 4; kind++) {
    sim_pty *pty = pty_of((sim_kind)kind, 2);
    run(pty, (sim_kind)kind, "ping 1 2", 0);
    sn_assert_contains(result.output, "1: answers\n2: answers\n");
    run_within(SILENCE_S, pty, (sim_kind)kind, "ping 9", 1);
    sn_assert_contains(result.output, "9: no answer");
    run(pty, (sim_kind)kind, "read 2", 0);
    sn_assert_contains(result.output, "model: 1030");
    sn_assert_contains(result.output, "angle_rad: 0.2");
    sn_assert_contains(result.output, "torque: false");
    sim_pty_stop(pty);
  }
}

SN_TEST(a_scan_finds_all_servos) {
  sim_pty *pty = pty_of(SIM_DYNAMIXEL, 3);
  run(pty, SIM_DYNAMIXEL, "scan --json", 0);
  sn_assert_contains(result.output, "\"id\":1");
  sn_assert_contains(result.output, "\"id\":3");
  servo_sim *sim = sim_pty_lock(pty); /* now two servos share an id */
  sim->servos[2].id = 2;
  sim->servos[2].delay_ns = 2000000;
  sim_pty_unlock(pty);
  run(pty, SIM_DYNAMIXEL, "scan", 1);
  sn_assert_contains(result.output, "more than one servo has this id");
  sim_pty_stop(pty);
}

SN_TEST(registers_are_written_and_a_dry_run_writes_none) {
  sim_pty *pty = pty_of(SIM_FEETECH_STS, 1);
  run(pty, SIM_FEETECH_STS, "write 1 48 500 --size 2 --dry-run", 0);
  sn_assert_contains(result.output, "0 -> 500 (dry run: nothing was written)");
  run(pty, SIM_FEETECH_STS, "read 1 48 --size 2", 0);
  sn_assert_contains(result.output, "0 (0x0)");
  run(pty, SIM_FEETECH_STS, "write 1 48 500 --size 2", 0);
  sn_assert_contains(result.output, "0 -> 500");
  run(pty, SIM_FEETECH_STS, "write 1 56 7 --size 2", 1); /* a measured value: read-only */
  sn_assert_contains(result.errors, "read-only?");
  sim_pty_stop(pty);
}

SN_TEST(an_id_is_changed_only_if_it_is_free) {
  for (int kind = 0; kind < 4; kind++) {
    sim_pty *pty = pty_of((sim_kind)kind, 2);
    run_within(THIRD_S, pty, (sim_kind)kind, "set-id 1 2", 1);
    sn_assert_contains(result.errors, "servo 2 already exists");
    run_within(THIRD_S, pty, (sim_kind)kind, "set-id 1 7 --dry-run", 0);
    servo_sim *sim = sim_pty_lock(pty);
    assert_int_equal(sim->servos[0].id, 1);
    sim_pty_unlock(pty);
    run_within(THIRD_S, pty, (sim_kind)kind, "set-id 1 7", 0);
    sim = sim_pty_lock(pty);
    assert_int_equal(sim->servos[0].id, 7);
    sim_pty_unlock(pty);
    run_within(SILENCE_S, pty, (sim_kind)kind, "set-id 5 6", 1);
    sn_assert_contains(result.errors, "servo 5 does not answer");
    sim_pty_stop(pty);
  }
}

SN_TEST(a_monitor_shows_one_table) {
  sim_pty *pty = pty_of(SIM_HERKULEX, 2);
  run(pty, SIM_HERKULEX, "monitor 1 2 5 --once", 0);
  sn_assert_contains(result.output, "7.4 V  35 C");
  sn_assert_contains(
      result.output,
      "ID  POSITION  ANGLE  LOAD  VOLTAGE  TEMP  RETRIED  MISSED  DAMAGED  FAULTS\n");
  sn_assert_contains(result.output, "2       1        0  no answer\n"); /* two more tries */
  sn_assert_contains(result.output, " rounds/s, load ");
  sn_assert_contains(result.output, "jitter ");
  sn_assert_contains(result.output, " retried, ");
  run(pty, SIM_HERKULEX, "monitor 1 --once --json", 0);
  sn_assert_contains(result.output, "\"retried\":0,\"missed\":0,\"damaged\":0");
  sn_assert_contains(result.output, "\"jitter_p99_s\":");
  sim_pty_stop(pty);
}

SN_TEST(invalid_arguments_are_explained) {
  static const char *const cases[][2] = {
      {"bus", "a word is missing, expected one of: scan"},
      {"bus dance", "unknown command 'dance', expected one of: scan"},
      {"bus ping 1", "which port?"},
      {"bus ping 1 --port /dev/ttyNoSuch7", "which servos?"},
      {"bus ping 1 --port /dev/ttyNoSuch7 --family futaba",
       "option '--family': 'futaba' is not valid, expected one of: "},
      {"bus ping 1 --port /dev/ttyNoSuch7 --family herkulex", "no port '/dev/ttyNoSuch7'"},
      {"bus ping x --port /dev/null --family herkulex", "'/dev/null' is not a serial port"},
      {"bus ping 300 --port /dev/null --family herkulex --baud 5", "5 baud, must be 1200"},
      {"bus read 254 --family herkulex",
       "'254' is not valid as an id, expected a number from 0 to 253"},
      {"bus write 1 5 256", "'256' is not valid as a value of that size"},
      {"bus calibrate /nowhere.yaml", "cannot read '/nowhere.yaml'"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_test_program(&result, "/tmp", cases[i][0], NULL);
    assert_int_not_equal(result.code, 0);
    sn_assert_contains(result.errors, cases[i][1]);
  }
}

static const char *const deployment =
    "# mine\ncomponents:\n  driver:\n    type: driver_feetech\n    properties:\n"
    "      ports: [%s]\n      servos:\n        - {joint: joint1, id: 1, min: 7}  # the base\n"
    "        - {joint: joint2, id: 2, gear: 2}\n# the end\n";

typedef struct calibration {
  sim_pty *pty;
  char folder[64], text[512], path[128];
} calibration;

static void calibration_begin(calibration *c) {
  c->pty = pty_of(SIM_FEETECH_STS, 2);
  sn_test_folder_create(c->folder);
  snprintf(c->text, sizeof c->text, deployment, sim_pty_path(c->pty));
  sn_test_write(c->folder, "arm.yaml", c->text);
  snprintf(c->path, sizeof c->path, "%s/arm.yaml", c->folder);
}

static void calibration_end(calibration *c) {
  sn_test_folder_remove(c->folder);
  sim_pty_stop(c->pty);
}

static void check_file(const calibration *c, const char *expected) {
  char *now = sn_test_read_file(c->path, &(size_t){0});
  assert_string_equal(now, expected);
  free(now);
}

SN_TEST(calibration_needs_motion_and_leaves_the_file_alone) {
  calibration c;
  calibration_begin(&c);
  sn_test_program(&result, c.folder, "bus calibrate arm.yaml --timeout 1.5",
                  "\n\n\n\n\n\n\n\n\ns\n");
  assert_int_equal(result.code, 0);
  sn_assert_contains(result.output,
                     "'joint1': its servo turned by 0.0 degrees, at least 5.7 expected");
  sn_assert_contains(result.output, "0 of 2 servos are calibrated");
  sn_test_program(&result, c.folder, "bus calibrate arm.yaml --timeout 1.5",
                  ""); /* the input ends at once */
  assert_int_equal(result.code, 1);
  sn_assert_contains(result.errors, "the file is as it was");
  check_file(&c, c.text);
  calibration_end(&c);
}

SN_TEST(calibration_that_would_be_hidden_by_a_file_is_refused) {
  calibration c;
  calibration_begin(&c);
  sn_test_write(c.folder, "kept.yaml", "{}\n");
  sn_test_write(c.folder, "arm.yaml",
                "components:\n  driver:\n    type: driver_feetech\n    properties:\n"
                "      ports: [/dev/none]\n      calibration_file: kept.yaml\n      servos:\n"
                "        - {joint: joint1, id: 1}\n");
  sn_test_program(&result, c.folder, "bus calibrate arm.yaml", "");
  assert_int_equal(result.code, 1);
  sn_assert_contains(result.errors, "'kept.yaml' has the calibration of 'driver'");
  calibration_end(&c);
}

static void *run_calibrate(void *argument) {
  const calibration *c = argument;
  sn_test_program(&result, c->folder, "bus calibrate arm.yaml --timeout 1.5 <person", NULL);
  return NULL;
}

/* Move the limp servo, then press Enter; the position is read when the servo is asked. */
static void enter_at(calibration *c, int person, size_t servo, double q) {
  servo_sim *sim = sim_pty_lock(c->pty);
  sim->servos[servo].q = q;
  sim->servos[servo].qd = 0.0;
  sim->servos[servo].torque = false;
  const uint64_t before = sim->servos[servo].reads;
  sim_pty_unlock(c->pty);
  assert_int_equal(write(person, "\n", 1), 1);
  bool is_read = false;
  for (size_t n = 0; n < 10000 && !is_read; n++) { /* or the program has given up */
    const struct timespec pause = {.tv_nsec = 2000000};
    nanosleep(&pause, NULL);
    is_read = sim_pty_lock(c->pty)->servos[servo].reads > before;
    sim_pty_unlock(c->pty);
  }
  assert_true(is_read);
}

SN_TEST(calibration_writes_zero_direction_and_range) {
  calibration c;
  calibration_begin(&c);
  char fifo[128];
  snprintf(fifo, sizeof fifo, "%s/person", c.folder);
  assert_int_equal(mkfifo(fifo, 0600), 0);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, run_calibrate, &c), 0);
  const int person = open(fifo, O_WRONLY);
  assert_true(person >= 0);
  enter_at(&c, person, 0, -1.0);
  enter_at(&c, person, 0, 1.5);
  enter_at(&c, person, 0, 0.1);
  enter_at(&c, person, 1, 0.8); /* mounted reversed, with a gear */
  enter_at(&c, person, 1, -0.8);
  enter_at(&c, person, 1, 0.0);
  close(person);
  pthread_join(thread, NULL);
  assert_int_equal(result.code, 0);
  char expected[1024];
  const double scale = 4096.0 / (2.0 * 3.14159265358979323846);
  const int zero = (int)lround(2048 + 0.1 * scale), low = (int)lround(2048 - 1.0 * scale),
            high = (int)lround(2048 + 1.5 * scale), side = (int)lround(0.8 * scale);
  snprintf(expected, sizeof expected,
           "# mine\ncomponents:\n  driver:\n    type: driver_feetech\n    properties:\n"
           "      ports: [%s]\n      servos:\n"
           "        - {joint: joint1, id: 1, zero: %d, direction: 1, min: %.4f, max: %.4f}  # the "
           "base\n"
           "        - {joint: joint2, id: 2, gear: 2, zero: 2048, direction: -1, min: %.4f, "
           "max: %.4f}\n# the end\n",
           sim_pty_path(c.pty), zero, (low - zero) / scale, (high - zero) / scale,
           -side / scale / 2.0, side / scale / 2.0);
  check_file(&c, expected);
  calibration_end(&c);
}
