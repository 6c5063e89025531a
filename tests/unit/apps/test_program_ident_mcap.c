#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pendulum_rig.h"
#include "program_rig.h"
#include "record/mcap.h"
#include "servo_rig.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

/* `sinew ident` from a recording: the same result as from the same samples as CSV. */

enum { SERVOS = 2, COUNT = 6000 };

static sn_servo_rig rigs[SERVOS];
static sn_ident_sample samples[SERVOS][COUNT];
static const char *const names[] = {"joint1", "joint2"};

static sn_status write_bytes(void *context, const void *bytes, size_t size, sn_error *err) {
  (void)err;
  return fwrite(bytes, 1, size, context) == size ? SN_OK : SN_EIO;
}

/* Variations of a recording. */
typedef struct variant {
  const char *name;
  bool no_goals, no_measured, no_efforts, no_battery, two_plants, goes_back, no_stamps;
} variant;

typedef struct tape {
  sn_arena arena;
  FILE *out;
  sn_mcap_writer *writer;
  size_t measured, goals, efforts, battery, other;
  sn_joint_state *joints;
  sn_servo_goal *goal;
  sn_battery_state *state;
} tape;

static void add(tape *t, bool is_there, const char *topic, const sn_msg_type *type,
                size_t *channel) {
  if (is_there) {
    assert_int_equal(sn__mcap_writer_add(t->writer, topic, type, channel, NULL), SN_OK);
  }
}

static void open_tape(tape *t, const variant *v) {
  char path[160];
  snprintf(path, sizeof path, "%s/%s", program_folder, v->name);
  t->out = fopen(path, "w");
  assert_non_null(t->out);
  sn_arena_init_growing(&t->arena, "tape", 0);
  const sn_mcap_writer_config config = {.sink = {.write = write_bytes, .context = t->out}};
  assert_int_equal(sn__mcap_writer_create(&t->arena, &config, &t->writer, NULL), SN_OK);
  add(t, !v->no_measured, "/plant/joints_measured", &sn_joint_state_type, &t->measured);
  add(t, !v->no_goals, "/inv/out_goals", &sn_servo_goal_type, &t->goals);
  add(t, !v->no_efforts, "/dyn/joints_effort", &sn_joint_state_type, &t->efforts);
  add(t, !v->no_battery, "/plant/battery_state", &sn_battery_state_type, &t->battery);
  add(t, true, "/aggregator/joints_sorted", &sn_joint_state_type, &t->other);
  if (v->two_plants) {
    size_t second;
    add(t, true, "/other/joints_measured", &sn_joint_state_type, &second);
  }
  t->joints = sn_msg_create(&t->arena, &sn_joint_state_type, NULL);
  t->goal = sn_msg_create(&t->arena, &sn_servo_goal_type, NULL);
  t->state = sn_msg_create(&t->arena, &sn_battery_state_type, NULL);
}

static void put(tape *t, bool is_there, size_t channel, int64_t log_ns, const void *msg) {
  if (is_there) {
    assert_int_equal(sn__mcap_writer_write(t->writer, channel, log_ns, log_ns, msg, NULL), SN_OK);
  }
}

static void name_all(sn_msg_names *list) {
  sn_msg_names_clear(list);
  for (size_t k = 0; k < SERVOS; k++) {
    assert_int_equal(sn_msg_names_add(list, names[k], strlen(names[k])), SN_OK);
  }
}

/* One cycle; measurements come first in the file, one message per servo, as from two buses. */
static void put_cycle(tape *t, const variant *v, size_t i) {
  const int64_t log_ns = INT64_C(1000000000) + (int64_t)i * 10000000;
  const int64_t stamp_ns = v->no_stamps ? 0 : v->goes_back && i > 3000 ? log_ns - 9000000 : log_ns;
  for (size_t k = SERVOS; k-- > 0;) {
    const sn_ident_sample *s = &samples[k][i];
    sn_msg_names_clear(&t->joints->name);
    assert_int_equal(sn_msg_names_add(&t->joints->name, names[k], strlen(names[k])), SN_OK);
    assert_int_equal(sn_msg_names_add(&t->joints->name, "tail", 4), SN_OK);
    t->joints->header.stamp_ns = v->goes_back && i == 3000 ? stamp_ns - 50000000 : stamp_ns;
    t->joints->position.count = t->joints->velocity.count = t->joints->effort.count = 2;
    t->joints->position.data[0] = s->position;
    t->joints->velocity.data[0] = s->velocity;
    t->joints->effort.data[0] = s->effort;
    put(t, !v->no_measured, t->measured, log_ns, t->joints);
  }
  t->goal->header.stamp_ns = t->joints->header.stamp_ns = t->state->header.stamp_ns = stamp_ns;
  name_all(&t->goal->name);
  name_all(&t->joints->name);
  t->goal->goal.count = SERVOS;
  for (size_t k = 0; k < SERVOS; k++) {
    t->goal->goal.data[k] = samples[k][i].goal;
    t->joints->effort.data[k] = samples[k][i].effort;
  }
  t->state->voltage = (float)samples[0][i].voltage;
  put(t, !v->no_goals, t->goals, log_ns, t->goal);
  put(t, !v->no_efforts, t->efforts, log_ns, t->joints);
  put(t, !v->no_battery, t->battery, log_ns, t->state);
  t->joints->effort.count = 0; /* a pose before inverse dynamics has no efforts */
  put(t, true, t->other, log_ns, t->joints);
}

static void write_recording(const variant *v) {
  tape t;
  open_tape(&t, v);
  for (size_t i = 0; i < COUNT; i++) {
    put_cycle(&t, v, i);
  }
  assert_int_equal(sn__mcap_writer_finish(t.writer, NULL), SN_OK);
  fclose(t.out);
  sn_arena_release(&t.arena);
}

static void write_text(void) {
  char path[160];
  snprintf(path, sizeof path, "%s/log.csv", program_folder);
  FILE *out = fopen(path, "w");
  fputs("time,joint,goal,position,velocity,effort,voltage\n", out);
  for (size_t i = 0; i < COUNT; i++) {
    for (size_t k = 0; k < SERVOS; k++) {
      const sn_ident_sample *s = &samples[k][i];
      fprintf(out, "%.2f,%s,%.17g,%.17g,%.17g,%.17g,%.17g\n", s->time_s, names[k], s->goal,
              s->position, s->velocity, s->effort, (double)(float)s->voltage);
    }
  }
  fclose(out);
}

/* All numbers of two texts are close, and the text between them is equal. */
static void assert_same_numbers(const char *a, const char *b) {
  while (*a != '\0' && *b != '\0') {
    char *a_end;
    char *b_end;
    const double x = strtod(a, &a_end);
    const double y = strtod(b, &b_end);
    if (a_end != a && b_end != b) {
      sn_assert_near(x, y, 1e-6 * fabs(y) + 1e-12);
      a = a_end;
      b = b_end;
    } else {
      assert_int_equal(*a++, *b++);
    }
  }
  assert_int_equal(*a, *b);
}

SN_TEST(a_recording_gives_the_result_of_the_csv) {
  static char text[sizeof program_run.output];
  program_expect("ident log.csv --models models.yaml --json", 0);
  snprintf(text, sizeof text, "%s", program_run.output);
  program_expect("ident log.mcap --models models.yaml --json", 0);
  assert_same_numbers(program_run.output, text);
  sn_assert_contains(program_run.errors,
                     "measured /plant/joints_measured, goals /inv/out_goals, efforts "
                     "/dyn/joints_effort, battery /plant/battery_state");
  sn_assert_contains(program_run.errors, "joints without a model, the first is 'tail'");
  /* Messages without stamps take the time of the recording. */
  program_expect("ident no_stamps.mcap --models models.yaml --json", 0);
  assert_same_numbers(program_run.output, text);
  /* Without inverse dynamics, the efforts that the servos measure. */
  program_expect("ident no_efforts.mcap --models models.yaml --json", 0);
  assert_same_numbers(program_run.output, text);
  sn_assert_contains(program_run.errors, "no topic of commanded efforts");
  program_expect(
      "ident no_efforts.mcap --efforts /plant/joints_measured --models models.yaml --json", 0);
  assert_same_numbers(program_run.output, text);
}

static double alpha3_printed(void) {
  const char *at = strstr(program_run.output, "\"alpha[3]\":");
  assert_non_null(at);
  return strtod(at + strlen("\"alpha[3]\":"), NULL);
}

/* The first servo moves a pendulum; the recorded efforts are not used. */
SN_TEST(a_recording_of_a_servo_with_a_weight_gives_the_result_of_the_csv) {
  static sn__log_sample log[COUNT];
  pendulum_rig rig = pendulum_rig_make();
  rig.period_s = 0.01;
  sn_random r;
  sn_random_init(&r, 6);
  pendulum_rig_log(&rig, &r, log, COUNT);
  for (size_t i = 0; i < COUNT; i++) {
    samples[0][i] = (sn_ident_sample){.time_s = log[i].time_s,
                                      .goal = log[i].goal,
                                      .position = log[i].position,
                                      .voltage = (double)(float)log[i].voltage};
  }
  write_recording(&(variant){.name = "weight.mcap"});
  write_text();
  program_expect_script(
      "echo 'servo_models: [{name: joint1, kp: 1.2}]' > one.yaml\nmv log.csv weight.csv");
#define WITH " --models one.yaml --model load --load pendulum:mass=0.5,length=0.1 --json"
  program_expect("ident weight.csv" WITH, 0);
  const double of_csv = alpha3_printed();
  program_expect("ident weight.mcap" WITH, 0);
  const double of_mcap = alpha3_printed(), truth = rig.servo.params.alpha[3];
  sn_assert_near(of_mcap, of_csv, 1e-3 * of_csv); /* their times are rounded differently */
  sn_assert_near(of_mcap, truth, 0.2 * truth);
}

SN_TEST(missing_topics_are_reported) {
  program_expect("ident no_goals.mcap --models models.yaml", 1);
  sn_assert_contains(program_run.errors,
                     "goals: the recording has no such topic; expected one of type "
                     "sinew_msgs/msg/ServoGoal, as /…/out_goals or /…/goals");
  program_expect("ident no_measured.mcap --models models.yaml", 1);
  sn_assert_contains(program_run.errors, "measured: the recording has no such topic");
  program_expect("ident no_battery.mcap --models models.yaml", 1);
  sn_assert_contains(program_run.errors, "voltage");
  program_expect("ident no_battery.mcap --models models.yaml --voltage 12", 0);
  program_expect("ident two_plants.mcap --models models.yaml", 1);
  sn_assert_contains(program_run.errors,
                     "several topics match: /plant/joints_measured /other/joints_measured");
  program_expect("ident two_plants.mcap --models models.yaml --measured /plant/joints_measured", 0);
  program_expect("ident log.mcap --models models.yaml --goals /nowhere", 1);
  sn_assert_contains(program_run.errors, "unknown topic '/nowhere'");
  program_expect("ident log.mcap --models models.yaml --goals /plant/joints_measured", 1);
  sn_assert_contains(program_run.errors, "of another type");
}

SN_TEST(damaged_recordings_are_reported_and_change_nothing) {
  program_expect("ident goes_back.mcap --models models.yaml --save", 1);
  sn_assert_contains(program_run.errors, "time of /plant/joints_measured goes back");
  char path[160];
  size_t size;
  snprintf(path, sizeof path, "%s/log.mcap", program_folder);
  char *bytes = sn_test_read_file(path, &size);
  snprintf(path, sizeof path, "%s/bad.mcap", program_folder);
  char models[160];
  size_t models_size;
  snprintf(models, sizeof models, "%s/models.yaml", program_folder);
  char *before = sn_test_read_file(models, &models_size);
  sn_random r;
  sn_random_init(&r, 5);
  for (int i = 0; i < 6; i++) {
    /* The checksum detects a changed byte in a chunk. */
    const size_t at = size / 4 + (size_t)sn_random_below(&r, (uint32_t)(size / 4));
    bytes[at] = (char)~bytes[at];
    FILE *out = fopen(path, "w");
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
    bytes[at] = (char)~bytes[at];
    program_expect("ident bad.mcap --models models.yaml --save", 1);
    sn_assert_contains(program_run.errors, "bad.mcap: error: ");
  }
  char *after = sn_test_read_file(models, &models_size);
  assert_string_equal(after, before);
  free(before);
  free(after);
  /* A truncated recording, as after a power failure, is read up to its end. */
  FILE *out = fopen(path, "w");
  assert_int_equal(fwrite(bytes, 1, size * 3 / 4, out), size * 3 / 4);
  fclose(out);
  free(bytes);
  program_expect("ident bad.mcap --models models.yaml", 0);
  sn_assert_contains(program_run.errors, "warning: the file was not closed");
  out = fopen(path, "w");
  fputs("\x89MCAP0\r\n", out);
  fclose(out);
  program_expect("ident bad.mcap --models models.yaml", 1);
}

/* A reader sees the old page or the new one. */
SN_TEST(the_report_is_replaced_atomically) {
  char path[160];
  char fresh[160];
  snprintf(path, sizeof path, "%s/page.html", program_folder);
  snprintf(fresh, sizeof fresh, "%s/page.html.new", program_folder);
  FILE *out = fopen(path, "w");
  fputs("old", out);
  fclose(out);
  assert_int_equal(mkdir(fresh, 0700), 0); /* the new file cannot be created */
  program_expect("ident log.mcap --models models.yaml --report page.html", 3);
  size_t size;
  char *page = sn_test_read_file(path, &size);
  assert_string_equal(page, "old");
  free(page);
  assert_int_equal(rmdir(fresh), 0);
  program_expect("ident log.mcap --models models.yaml --report page.html", 0);
  page = sn_test_read_file(path, &size);
  sn_assert_contains(page, "</html>");
  free(page);
  /* A link stays a link; its target is written. */
  char other[160];
  snprintf(fresh, sizeof fresh, "%s/link.html", program_folder);
  snprintf(other, sizeof other, "%s/other.html", program_folder);
  assert_int_equal(symlink("other.html", fresh), 0);
  program_expect("ident log.mcap --models models.yaml --report link.html", 0);
  char target[32];
  assert_int_equal(readlink(fresh, target, sizeof target), strlen("other.html"));
  page = sn_test_read_file(other, &size);
  sn_assert_contains(page, "</html>");
  free(page);
}

static int prepare(void **state) {
  (void)state;
  sn_test_folder_create(program_folder);
  char path[160];
  snprintf(path, sizeof path, "%s/models.yaml", program_folder);
  FILE *models = fopen(path, "w");
  fputs("servo_models:\n", models);
  sn_random r;
  sn_random_init(&r, 12);
  for (size_t k = 0; k < SERVOS; k++) {
    sn_servo_rig_init(&rigs[k], &r);
    sn_servo_rig_make_noisy(&rigs[k]);
    sn_servo_rig_log(&rigs[k], &r, samples[k], COUNT);
    const sn_servo_params *p = &rigs[k].params;
    fprintf(models, "  - {name: %s, kp: %.9g, qs: %.9g, delta: %.9g}\n", names[k], p->kp, p->qs,
            p->delta);
  }
  fclose(models);
  write_text();
  const variant variants[] = {{.name = "log.mcap"},
                              {.name = "no_goals.mcap", .no_goals = true},
                              {.name = "no_measured.mcap", .no_measured = true},
                              {.name = "no_efforts.mcap", .no_efforts = true},
                              {.name = "no_battery.mcap", .no_battery = true},
                              {.name = "two_plants.mcap", .two_plants = true},
                              {.name = "goes_back.mcap", .goes_back = true},
                              {.name = "no_stamps.mcap", .no_stamps = true}};
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
    write_recording(&variants[i]);
  }
  return 0;
}

SN_TEST_GROUP(prepare, program_tear_down)
