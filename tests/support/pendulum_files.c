#include "pendulum_files.h"

#include <stdlib.h>

#include "program_rig.h"
#include "sn_test.h"

double pendulum_number_behind(const char *text, const char *key) {
  const char *at = strstr(text, key);
  if (at == NULL) {
    fail_msg("no %s in %s", key, text);
    return 0.0;
  }
  return strtod(at + strlen(key), NULL);
}

static void path_of(const char *name, char path[160]) {
  snprintf(path, 160, "%s/%s", program_folder, name);
}

void pendulum_write_text(const char *name, const char *text) {
  char path[160];
  path_of(name, path);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

static sn__log_sample *record(const pendulum_rig *rig, double position_by, double goal_by) {
  static sn__log_sample samples[PENDULUM_FILE_SAMPLES];
  sn_random r;
  sn_random_init(&r, 5);
  pendulum_rig_log(rig, &r, samples, PENDULUM_FILE_SAMPLES);
  for (size_t i = 0; i < PENDULUM_FILE_SAMPLES; i++) {
    samples[i].position += position_by;
    samples[i].goal += goal_by;
  }
  return samples;
}

void pendulum_write_log(const pendulum_rig *rig, const char *motor, const char *name) {
  char path[160];
  path_of(name, path);
  pendulum_rig_write(rig, motor, record(rig, 0.0, 0.0), PENDULUM_FILE_SAMPLES, path);
}

void pendulum_write_moved_log(const pendulum_rig *rig, double position_by, double goal_by,
                              const char *name) {
  char path[160];
  path_of(name, path);
  pendulum_rig_write(rig, "servo", record(rig, position_by, goal_by), PENDULUM_FILE_SAMPLES, path);
}

void pendulum_write_stopped_log(const pendulum_rig *rig, double stop_rad, const char *name) {
  char path[160];
  path_of(name, path);
  sn__log_sample *samples = record(rig, 0.0, 0.0);
  for (size_t i = 0; i < PENDULUM_FILE_SAMPLES; i++) {
    samples[i].position = fmin(samples[i].position, stop_rad);
  }
  pendulum_rig_write(rig, "servo", samples, PENDULUM_FILE_SAMPLES, path);
}

void pendulum_write_csv(const pendulum_rig *rig, const char *joint, double position_by,
                        const char *name) {
  char path[160];
  path_of(name, path);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs("time,joint,goal,position,voltage\n", out);
  const sn__log_sample *samples = record(rig, position_by, 0.0);
  for (size_t i = 0; i < PENDULUM_FILE_SAMPLES; i++) {
    const sn__log_sample *s = &samples[i];
    fprintf(out, "%.9g,%s,%.9g,%.9g,%.9g\n", s->time_s, joint, s->goal, s->position, s->voltage);
  }
  fclose(out);
}

int pendulum_files_set_up(void **state) {
  program_set_up(state);
  for (int k = 0; k < PENDULUM_FILES; k++) {
    pendulum_rig rig = pendulum_rig_make();
    rig.motion = k;
    char name[32];
    snprintf(name, sizeof name, "log%d.json", k);
    pendulum_write_log(&rig, "servo", name);
    rig.gain = 200;
    snprintf(name, sizeof name, "other%d.json", k);
    pendulum_write_log(&rig, "servo", name);
  }
  pendulum_write_text("models.yaml", "servo_models:\n  - {name: servo, kp: 0.003}\n");
  return 0;
}
