#define _GNU_SOURCE

#include "death_rig.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"
#include "record/mcap.h"
#include "sn_test.h"

enum { MS = 1000000 };

const char *const death_families[DEATH_FAMILIES] = {"dynamixel", "feetech_sts", "feetech_scs",
                                                    "herkulex"};
static const char *const drivers[DEATH_FAMILIES] = {"dynamixel", "feetech", "feetech", "herkulex"};

death_rig death; /* large */

int64_t death_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void death_pause_ms(long ms) {
  const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * MS};
  nanosleep(&t, NULL);
}

/* The timeouts are long, so that a busy machine does not stop the servos before the event: the
   guard sees deaths and signals at once; only the endless loop sets its own `goal_timeout`.
   Likewise the simulated servos, which are threads of the test, may answer late. */
static void write_deployment(bool limp) {
  char text[4096];
  int used =
      snprintf(text, sizeof text,
               "robot: %s/arm6.urdf\nplugins: [%s]\n"
               "activities: {control: {period: 0.004}}\ncomponents:\n"
               "  villain: {type: Villain, activity: control, properties: {order: %s/order}}\n",
               SINEW_ROBOTS, SINEW_VILLAIN, death.folder);
  for (int k = 0; k < DEATH_FAMILIES; k++) {
    used +=
        snprintf(text + used, sizeof text - (size_t)used,
                 "  %s:\n    type: driver_%s\n    activity: control\n    properties:\n"
                 "      ports: [%s]\n      baud: 1000000\n      period: 0.02\n"
                 "      answer_time: 0.01\n      stop: hold\n      safe_state: %s\n"
                 "      goal_timeout: 3600\n      guard_timeout: 10\n%s"
                 "      servos: [{joint: joint%d, id: 1}]\n",
                 death_families[k], drivers[k], sim_pty_path(death.ptys[k]), limp ? "limp" : "hold",
                 k == SIM_FEETECH_SCS ? "      series: scs\n" : "", k + 1);
  }
  used += snprintf(text + used, sizeof text - (size_t)used, "connections:\n");
  for (int k = 0; k < DEATH_FAMILIES; k++) {
    used += snprintf(text + used, sizeof text - (size_t)used, "  - villain.goals -> %s.goals\n",
                     death_families[k]);
  }
  sn_test_write(death.folder, "die.yaml", text);
}

static void launch(const char *more) {
  char command[1024];
  snprintf(command, sizeof command,
           "cd '%s' && XDG_RUNTIME_DIR=\"$PWD\" exec '%s' run die.yaml --headless --record "
           "death.mcap %s "
           "</dev/null >out 2>err",
           death.folder, SINEW_PROGRAM, more);
  death.pid = fork();
  assert_true(death.pid >= 0);
  if (death.pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a failed test leaves no process running */
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
}

const char *death_errors(void) {
  char path[128];
  snprintf(path, sizeof path, "%s/err", death.folder);
  FILE *file = fopen(path, "rb");
  death.text[file == NULL ? 0 : fread(death.text, 1, sizeof death.text - 1, file)] = '\0';
  if (file != NULL) {
    fclose(file);
  }
  return death.text;
}

/* Waits for a text. */
void death_expect_soon(const char *words) {
  for (int n = 0; n < 1000 && strstr(death_errors(), words) == NULL; n++) {
    death_pause_ms(5);
  }
  sn_assert_contains(death_errors(), words);
}

sim_servo death_servo(int family) {
  const servo_sim *sim = sim_pty_lock(death.ptys[family]);
  const sim_servo servo = sim->servos[0];
  sim_pty_unlock(death.ptys[family]);
  return servo;
}

bool death_is_lost(int family) {
  char words[96];
  snprintf(words, sizeof words, "servo 'joint%d' (id 1) no longer answers", family + 1);
  return strstr(death_errors(), words) != NULL;
}

/* Every servo has torque and keeps getting goals. */
void death_wait_moving(void) {
  for (int n = 0; n < 6000; n++) {
    bool all = true;
    for (int k = 0; k < DEATH_FAMILIES; k++) {
      const sim_servo s = death_servo(k);
      all = all && s.torque && s.goal_count > 30 && death_now_ns() - s.goal_changed_ns < 500 * MS &&
            fabs(s.qd) > 0.3;
    }
    if (all) {
      death.waits = thread_waits_read(getpid(), "sim_pty");
      return;
    }
    int status = 0;
    if (waitpid(death.pid, &status, WNOHANG) != 0) {
      break;
    }
    death_pause_ms(5);
  }
  fputs(death_errors(), stderr); /* too long for a message */
  fail_msg("the servos do not move");
}

void death_close(void) {
  if (death.pid > 0) {
    kill(death.pid, SIGKILL);
    (void)waitpid(death.pid, NULL, 0);
    death.pid = 0;
  }
  for (int k = 0; k < DEATH_FAMILIES; k++) {
    if (death.ptys[k] != NULL) {
      sim_pty_stop(death.ptys[k]);
      death.ptys[k] = NULL;
    }
  }
  if (death.folder[0] != '\0') {
    sn_test_folder_remove(death.folder);
    death.folder[0] = '\0';
  }
}

void death_open(bool limp, const char *more) {
  death_close(); /* left by a failed test */
  sn_test_folder_create(death.folder);
  death.limp = limp;
  for (int k = 0; k < DEATH_FAMILIES; k++) {
    servo_sim sim;
    servo_sim_init(&sim, (sim_kind)k, 1000000, 7);
    servo_sim_add(&sim, 1, 1030);
    death.ptys[k] = sim_pty_start(&sim, NULL);
  }
  write_deployment(limp);
  launch(more);
}

/* ---- checks after the event ---- */

/* Waits until the goals are at rest, or torque is gone. */
static void wait_until_safe(void) {
  for (int n = 0; n < 2000; n++) {
    bool all = true;
    for (int k = 0; k < DEATH_FAMILIES; k++) {
      const sim_servo s = death_servo(k);
      all = all && (death.limp ? !s.torque : death_now_ns() - s.goal_changed_ns > 500 * MS);
    }
    if (all) {
      return;
    }
    death_pause_ms(5);
  }
}

double death_check_servos(const char *event, int64_t event_ns) {
  static const double TOLERANCE = 1.01; /* of the goal that holds, in counts */
  double last_ms = 0.0;
  wait_until_safe();
  for (int k = 0; k < DEATH_FAMILIES; k++) {
    const sim_servo s = death_servo(k);
    const int64_t safe_ns = (death.limp ? s.torque_off_ns : s.goal_changed_ns) - event_ns;
    if (s.torque == death.limp || (!death.limp && !death_is_lost(k) &&
                                   s.goal_off > TOLERANCE / sim_counts_per_rad((sim_kind)k))) {
      fputs(death_errors(), stderr); /* too long for a message */
      fail_msg("%s: %s: torque %d, goal %.4f rad off the position measured", event,
               death_families[k], s.torque, s.goal_off);
    }
    last_ms = fmax(last_ms, 1e-6 * (double)safe_ns);
  }
  return last_ms;
}

/* The last line printed by the guard. */
typedef struct guard_line {
  double written_ms, after_ms, waited_ms;
  bool was_called; /* by the process that was about to end */
} guard_line;

static guard_line read_guard_line(void) {
  static const char head[] = "sinew-guard: process ";
  guard_line line = {.was_called = false};
  const char *last = NULL;
  death_expect_soon(head);
  for (const char *at = death_errors(); (at = strstr(at, head)) != NULL; at++) {
    last = at;
  }
  const char *times = last == NULL ? NULL : strstr(last, ": stopped at ");
  assert_non_null(times);
  assert_int_equal(sscanf(times,
                          ": stopped at %lf ms of the monotonic clock, after %lf ms, without a "
                          "processor for %lf ms",
                          &line.written_ms, &line.after_ms, &line.waited_ms),
                   3);
  const char *call = strstr(last, "is about to end");
  line.was_called = call != NULL && call < times;
  return line;
}

void death_check_guard(const char *event, int64_t event_ns, death_figures *out) {
  static const double GUARD_MAX_MS = 20.0;
  const guard_line line = read_guard_line(); /* printed after the bytes were written */
  const double servo_ms = death_check_servos(event, event_ns);
  const double whole_ms = line.was_called
                              ? line.after_ms
                              : fmax(line.after_ms, line.written_ms - 1e-6 * (double)death.seen_ns);
  const double guard_ms = whole_ms - line.waited_ms;
  const thread_waits waits = thread_waits_read(getpid(), "sim_pty");
  print_message(
      "%-8s %-5s: the guard after %6.1f ms, %.1f of them without a processor; the servos %.1f ms "
      "after the event, %.1f ms without a processor\n",
      event, death.limp ? "limp" : "hold", whole_ms, line.waited_ms, servo_ms,
      thread_waits_between(&death.waits, &waits, 1));
  if (guard_ms > GUARD_MAX_MS) {
    fail_msg("%s: the guard acted after %.1f ms, expected %.0f at most", event, guard_ms,
             GUARD_MAX_MS);
  }
  assert_true(out->count < DEATH_SAMPLES_MAX);
  out->guard_ms[out->count] = guard_ms;
  out->servo_ms[out->count++] = servo_ms;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print_values(const double *values, size_t count) {
  double sorted[DEATH_SAMPLES_MAX];
  memcpy(sorted, values, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare);
  print_message(" %.1f ms (median), %.1f ms (most)", sorted[count / 2], sorted[count - 1]);
}

void death_print(const char *event, const death_figures *figures) {
  print_message("%s, %zu times: guard", event, figures->count);
  print_values(figures->guard_ms, figures->count);
  print_message("; event to servos");
  print_values(figures->servo_ms, figures->count);
  print_message("\n");
}

int death_wait_end(void) {
  int status = 0;
  assert_int_equal(waitpid(death.pid, &status, 0), death.pid);
  death.seen_ns = death_now_ns();
  death.pid = 0;
  return status;
}

int64_t death_stop(void) {
  const int64_t event_ns = death_now_ns();
  int status = 0;
  kill(death.pid, SIGSTOP);
  assert_int_equal(waitpid(death.pid, &status, WUNTRACED), death.pid);
  assert_true(WIFSTOPPED(status));
  death.seen_ns = death_now_ns();
  return event_ns;
}

/* ---- the recording ---- */

/* Reads a file that may be written at the same time. @return 0: incomplete */
static int64_t last_goals_ns(void) {
  const sn_mcap_reader_config config = {.topic = "/villain/goals"};
  sn_arena arena;
  sn_mcap_reader *reader = NULL;
  char path[128];
  int64_t last_ns = 0;
  snprintf(path, sizeof path, "%s/death.mcap", death.folder);
  sn_arena_init_growing(&arena, "read", 0);
  if (sn__mcap_reader_load(&arena, path, &config, &reader, NULL) == SN_OK) {
    sn_mcap_message message;
    sn_status status = SN_OK;
    while ((status = sn__mcap_reader_next(reader, &message, NULL)) == SN_OK) {
      last_ns = message.publish_ns;
    }
    last_ns = status == SN_ENOENT ? last_ns : 0;
    sn__mcap_reader_close(reader);
  }
  sn_arena_release(&arena);
  return last_ns;
}

int64_t death_wait_saved(void) {
  int64_t last_ns = 0;
  int growths = 0;
  for (int n = 0; n < 6000 && growths < 2; n++) {
    const int64_t now_ns = last_goals_ns();
    growths += now_ns > last_ns;
    last_ns = now_ns > last_ns ? now_ns : last_ns;
    death_pause_ms(5);
  }
  assert_int_equal(growths, 2);
  return last_ns;
}

int64_t death_recorded_ns(void) {
  static sn_test_run result;
  sn_test_program_expect(&result, death.folder, "info death.mcap", 0);
  return last_goals_ns();
}

/* ---- orders ---- */

int64_t death_order(const char *order) {
  sn_test_write(death.folder, "order", order);
  char path[128];
  snprintf(path, sizeof path, "%s/order", death.folder);
  for (int n = 0; n < 4000; n++) {
    char text[64] = "";
    FILE *file = fopen(path, "rb");
    text[file == NULL ? 0 : fread(text, 1, sizeof text - 1, file)] = '\0';
    if (file != NULL) {
      fclose(file);
    }
    char *time = strchr(text, ' ');
    if (time != NULL && strchr(text, '\n') != NULL) {
      const int64_t event_ns = strtoll(time, &time, 10);
      death.sent_ns = strtoll(time, NULL, 10);
      return event_ns;
    }
    death_pause_ms(2);
  }
  fail_msg("the order '%s' was not taken\n%s", order, death_errors());
  return 0;
}
