#define _GNU_SOURCE

#include "death_rig.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"
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

/* The bounds are long, so that a busy machine does not stop the servos before the event does: the
   guard sees deaths and signals at once, and only the endless loop waits for `goal_timeout`. */
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
                 "      ports: [%s]\n      baud: 1000000\n      period: 0.01\n"
                 "      answer_time: 0.004\n      stop: hold\n      safe_state: %s\n"
                 "      goal_timeout: 2\n      guard_timeout: 10\n%s"
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
  char command[512];
  snprintf(command, sizeof command,
           "cd '%s' && XDG_RUNTIME_DIR=. exec '%s' run die.yaml --headless --record death.mcap %s "
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

/* Words that come a moment later. */
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

/* Every servo has torque, and its goals go on and on. */
void death_wait_moving(void) {
  for (int n = 0; n < 6000; n++) {
    bool all = true;
    for (int k = 0; k < DEATH_FAMILIES; k++) {
      const sim_servo s = death_servo(k);
      all = all && s.torque && s.goal_count > 30 && death_now_ns() - s.goal_changed_ns < 100 * MS &&
            fabs(s.qd) > 0.3;
    }
    if (all) {
      return;
    }
    int status = 0;
    if (waitpid(death.pid, &status, WNOHANG) != 0) {
      break;
    }
    death_pause_ms(5);
  }
  fail_msg("the servos do not move\n%s", death_errors());
}

void death_wait_saved(void) {
  char path[128];
  snprintf(path, sizeof path, "%s/death.mcap", death.folder);
  off_t size = -1;
  for (int n = 0, changes = 0; n < 10000 && changes < 4; n++) {
    struct stat now;
    if (stat(path, &now) == 0 && now.st_size != size) {
      size = now.st_size;
      changes++;
    }
    death_pause_ms(2);
  }
}

/* What a test that failed has left. */
static void end_last(void) {
  if (death.pid > 0) {
    kill(death.pid, SIGKILL);
    (void)waitpid(death.pid, NULL, 0);
    death.pid = 0;
  }
}

void death_open(bool limp, const char *more) {
  end_last();
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

void death_close(void) {
  for (int k = 0; k < DEATH_FAMILIES; k++) {
    sim_pty_stop(death.ptys[k]);
  }
  sn_test_folder_remove(death.folder);
}

/* ---- what must be true afterwards ---- */

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

/* @param tolerance  of the goal that holds, from the position that was measured, in counts */
void death_check_safe(const char *event, int64_t event_ns, int64_t max_ns, double tolerance,
                      death_figures *out) {
  wait_until_safe();
  for (int k = 0; k < DEATH_FAMILIES; k++) {
    const sim_servo s = death_servo(k);
    const int64_t safe_ns = (death.limp ? s.torque_off_ns : s.goal_changed_ns) - event_ns;
    const double count = 1.0 / sim_counts_per_rad((sim_kind)k);
    print_message("%-8s %-12s %s after %6.1f ms\n", event, death_families[k],
                  death.limp ? "limp" : "holds", 1e-6 * (double)safe_ns);
    if (s.torque == death.limp || safe_ns > max_ns ||
        (!death.limp && s.goal_off > tolerance * count)) {
      fputs(death_errors(), stderr); /* too long for a message */
      fail_msg("%s: torque %d, goal %.4f rad off the position measured, after %.1f ms",
               death_families[k], s.torque, s.goal_off, 1e-6 * (double)safe_ns);
    }
    out->ms[k][out->count] = 1e-6 * (double)safe_ns;
  }
  out->count++;
  assert_true(out->count < DEATH_SAMPLES_MAX);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double death_print(const death_figures *figures) {
  double worst = 0.0;
  for (int k = 0; figures->count > 0 && k < DEATH_FAMILIES; k++) {
    double sorted[DEATH_SAMPLES_MAX];
    memcpy(sorted, figures->ms[k], figures->count * sizeof *sorted);
    qsort(sorted, figures->count, sizeof *sorted, compare);
    const double median = sorted[figures->count / 2];
    print_message("%-12s safe after %.1f ms (median of %zu), %.1f ms at most\n", death_families[k],
                  median, figures->count, sorted[figures->count - 1]);
    worst = fmax(worst, median);
  }
  return worst;
}

int death_wait_end(void) {
  int status = 0;
  assert_int_equal(waitpid(death.pid, &status, 0), death.pid);
  death.pid = 0;
  return status;
}

/* The recording holds what was sent until shortly before the event. */
void death_check_recording(int64_t event_ns) {
  static sn_test_run result;
  sn_test_program_expect(&result, death.folder, "info death.mcap", 0);
  sn_test_program_expect(&result, death.folder, "export death.mcap --csv --topic /villain/goals",
                         0);
  long long last_ns = 0;
  for (const char *row = result.output; row != NULL && *row != '\0'; row = strchr(row, '\n')) {
    row += *row == '\n';
    const double time = strtod(row, NULL);
    last_ns = time > 0.0 ? (long long)(1e9 * time) : last_ns;
  }
  if (last_ns < event_ns - 300 * (long long)MS) {
    fail_msg("the recording ends %.1f ms before the event", 1e-6 * (double)(event_ns - last_ns));
  }
}

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
    const char *time = strchr(text, ' ');
    if (time != NULL) {
      return strtoll(time, NULL, 10);
    }
    death_pause_ms(2);
  }
  fail_msg("the order '%s' was not taken\n%s", order, death_errors());
  return 0;
}
