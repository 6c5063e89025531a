#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program_rig.h"
#include "servo_rig.h"
#include "sn_test.h"

/* `sinew ident`, run as a program. */

static sn_servo_rig rigs[3];

static void write_log(const char *name, size_t servos, size_t count, const char *header) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", program_folder, name);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fprintf(out, "%s\n", header);
  sn_random r;
  sn_random_init(&r, 3);
  sn_ident_sample *samples = calloc(servos * count, sizeof *samples);
  for (size_t k = 0; k < servos; k++) {
    sn_servo_rig_log(&rigs[k], &r, samples + k * count, count);
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < servos; k++) {
      const sn_ident_sample *s = &samples[k * count + i];
      fprintf(out, "%.4f,joint%zu,%.9g,%.9g,%.9g,%.9g,%.5g\n", s->time_s, k + 1, s->goal,
              s->position, s->velocity, s->effort, s->voltage);
    }
  }
  free(samples);
  fclose(out);
}

static const char header[] = "time,joint,goal,position,velocity,effort,voltage";

/* The numbers after "key": in a text. */
static const char *numbers_behind(const char *text, const char *key, size_t count, double *out) {
  const char *at = strstr(text, key);
  assert_non_null(at);
  at += strlen(key);
  for (size_t i = 0; i < count; i++) {
    at += strspn(at, ":[, \"");
    char *end;
    out[i] = strtod(at, &end);
    assert_true(end != at);
    at = end;
  }
  return at;
}

SN_TEST(json_has_its_fixed_form_and_the_truth_in_it) {
  program_expect("ident log.csv --models models.yaml --json", 0);
  assert_string_equal(program_run.errors, "");
  const char *at = program_run.output;
  assert_memory_equal(at, "{\"servos\":[{\"name\":\"joint1\",\"ok\":true,\"alpha\":[", 46);
  static const double close[4] = {0.01, 0.03, 0.15, 0.01};
  for (size_t k = 0; k < 3; k++) {
    double alpha[4];
    double std[4];
    double rest[4];
    at = numbers_behind(at, "\"alpha\"", 4, alpha);
    at = numbers_behind(at, "\"alpha_std\"", 4, std);
    at = numbers_behind(at, "\"qs\"", 1, &rest[0]);
    at = numbers_behind(at, "\"delta\"", 1, &rest[1]);
    at = numbers_behind(at, "\"error_rad\"", 1, &rest[2]);
    at = numbers_behind(at, "\"samples\"", 1, &rest[3]);
    assert_memory_equal(at, ",\"excited\":true", 15);
    for (size_t i = 0; i < 4; i++) {
      const double truth = rigs[k].params.alpha[i];
      sn_assert_near(alpha[i], truth, close[i] * truth);
      sn_assert_near(alpha[i], truth, 5.0 * std[i]);
    }
    sn_assert_near(rest[0], rigs[k].params.qs, 0.0);
    assert_true(rest[2] > 0.0 && rest[2] < 0.001 && rest[3] > 5000.0);
  }
  program_expect("ident log.csv --models models.yaml", 0);
  sn_assert_contains(program_run.output, "joint1: good\n  alpha[0] ");
}

SN_TEST(saving_keeps_a_backup_and_unidentified_models) {
  char path[128];
  size_t size;
  snprintf(path, sizeof path, "%s/models.yaml", program_folder);
  char *before = sn_test_read_file(path, &size);
  program_expect("ident log.csv --models models.yaml --save", 0);
  char *after = sn_test_read_file(path, &size);
  sn_assert_contains(after, "alpha: [");
  snprintf(path, sizeof path, "%s/models.yaml.previous", program_folder);
  char *kept = sn_test_read_file(path, &size);
  assert_string_equal(kept, before);
  free(kept);
  sn_test_write(program_folder, "still.csv", "time,joint,goal,position\n0,joint1,0,0\n");
  program_expect("ident still.csv --models models.yaml --voltage 12 --save", 1);
  snprintf(path, sizeof path, "%s/models.yaml", program_folder);
  kept = sn_test_read_file(path, &size);
  assert_string_equal(kept, after); /* no good result, so no change */
  free(kept);
  free(after);
  snprintf(path, sizeof path, "%s/models.yaml.new", program_folder);
  assert_int_equal(mkdir(path, 0700), 0);
  program_expect("ident log.csv --models models.yaml --save", 3);
  sn_assert_contains(program_run.errors, "File exists; the old file is intact\n");
  assert_int_equal(rmdir(path), 0);
  sn_test_write(program_folder, "models.yaml", before);
  free(before);
}

/* Servos without a good model do not touch the files. */
SN_TEST(logs_that_show_no_servo_are_explained_and_change_nothing) {
  static const char *const cases[][2] = {
      {"$4 += 6.283185307", "goals and positions are a turn apart"},
      {"$3 -= 6.283185307", "goals and positions are a turn apart"},
      {"if (NR > 3000) $4 += 6.283185307",
       "the position jumps: the servo counts from another turn"},
      {"$3 = 0.1", "the goals never change though the servo moves"},
      {"$3 = \"\"", "the log has no goals of this servo"},
      {"$4 = 0.1; $5 = 0", "the servo does not move"},
  };
  program_expect_script("cp models.yaml before.yaml; rm -f models.yaml.previous");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char script[300];
    snprintf(script, sizeof script, "awk -F, -v OFS=, 'NR > 1 { %s } { print }' log.csv > odd.csv",
             cases[i][0]);
    program_expect_script(script);
    program_expect("ident odd.csv --models models.yaml --save", 1);
    sn_assert_contains(program_run.output, cases[i][1]);
    program_expect_script("cmp models.yaml before.yaml; ! test -e models.yaml.previous");
  }
}

SN_TEST(damaged_logs_are_reported_with_their_line) {
  static const char *const cases[][2] = {
      {"", "bad.csv:1: error: the file is empty"},
      {"a,b\n1,2\n", "bad.csv:1: error: the header has no column 'time'"},
      {"time,joint,goal,position\n0,joint1,0,0\n0.1,joint1,x,0\n",
       "bad.csv:3: error: goal is 'x', expected a finite number\n    3 | 0.1,joint1,x,0\n"},
      {"time,joint,goal,position\n0,joint1,0,0\n0.1,joint1,0", "bad.csv:3: error: fewer cells"},
      {"time,joint,goal,position\n0,joint1,0,0\n\n0.1,joint1,0,0\n0.05,joint1,0,0\n",
       "bad.csv:5: error: time of 'joint1' does not grow: 0.05 s follows 0.1 s"},
      {"time,joint,goal,position\n0,joint1,0,0\n0,joint1,0,0\n", "bad.csv:3: error: time of"},
      {"time,joint,goal,position\n0,joint1,nan,0\n", "bad.csv:2: error: goal is 'nan'"},
      {"time,joint,goal,position,voltage\n0,joint1,0,0,0\n", "bad.csv:2: error: voltage is 0"},
      {"time,joint,goal,position\n0,joint1,0,0\n", "voltage of the battery is not known"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_test_write(program_folder, "bad.csv", cases[i][0]);
    program_expect("ident bad.csv --models models.yaml --json", 1);
    sn_assert_contains(program_run.errors, cases[i][1]);
    assert_string_equal(program_run.output, "");
  }
  program_expect("ident nowhere.csv --models models.yaml", 1);
  sn_assert_contains(program_run.errors, "nowhere.csv: error: cannot read the file: No such file");
  program_expect("ident . --models models.yaml", 1);
  sn_assert_contains(program_run.errors, "Is a directory");
  program_expect("ident log.csv --models nowhere.yaml", 1);
  sn_assert_contains(program_run.errors, "nowhere.yaml:0:0: error: cannot read the file");
  sn_test_write(program_folder, "bad.yaml", "servo_models:\n  - {name: a, kp: 0}\n");
  program_expect("ident log.csv --models bad.yaml", 1);
  sn_assert_contains(program_run.errors, "bad.yaml:2:5: error: servo 'a': kp is 0");
}

/* Large enough for several threads; line numbers count over all of them. */
SN_TEST(long_logs_are_read_by_all_threads_alike) {
  char path[128];
  snprintf(path, sizeof path, "%s/long.csv", program_folder);
  FILE *out = fopen(path, "w");
  fprintf(out, "%s\n", header);
  const size_t count = 300000;
  for (size_t i = 0; i < count; i++) {
    fprintf(out, "%.4f,joint%zu,0.100000,0.100000,0.000000,0.000000,12\n", 0.001 * (double)(i / 3),
            i % 3 + 1);
  }
  fclose(out);
  program_expect("ident long.csv --models models.yaml --json", 1);
  for (const char *at = program_run.output; (at = strstr(at, "\"lines\"")) != NULL; at++) {
    double lines;
    numbers_behind(at, "\"lines\"", 1, &lines);
    sn_assert_near(lines, (double)(count / 3), 0.0);
  }
  out = fopen(path, "a");
  fprintf(out, "99999,joint1,1\n");
  fclose(out);
  program_expect("ident long.csv --models models.yaml --json", 1);
  sn_assert_contains(program_run.errors, "long.csv:300002: error: fewer cells");
}

SN_TEST(columns_and_cells_may_be_missing) {
  char command[256];
  snprintf(command, sizeof command,
           "cd '%s' && cut -d, -f1-4,6 log.csv >narrow.csv && "
           "awk -F, 'NR%%2{print}!(NR%%2){print $1\",\"$2\",\"$3\",\"$4\",,\"$6\",\"}' OFS=, "
           "log.csv >holes.csv",
           program_folder);
  assert_int_equal(system(command), 0);
  program_expect("ident holes.csv --models models.yaml", 0);
  /* Without voltages, results are off by the error of the default: 12 V instead of 11.5 V. */
  program_expect("ident narrow.csv --models models.yaml --voltage 11.75", 0);
}

SN_TEST(suggestion_is_inside_the_limits_of_the_robot) {
  sn_test_write(program_folder, "still.csv",
                "time,joint,goal,position,effort,voltage\n0,joint1,0,0.2,0,12\n"
                "0.1,joint1,0,0.9,0,12\n0,moon,1,1,0,12\n");
  program_expect("ident still.csv --models models.yaml --suggest --json", 1);
  double motion[4];
  numbers_behind(program_run.output, "\"middle_rad\"", 1, motion);
  sn_assert_near(motion[0], 0.55, 1e-12); /* the range of the log */
  sn_assert_contains(program_run.errors,
                     "1 lines are about joints without a model, the first is 'moon'");
  sn_test_write(program_folder, "r.urdf",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='joint1' "
                "type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/><limit "
                "lower='1' upper='2' effort='1' velocity='3'/></joint></robot>");
  program_expect("ident still.csv --models models.yaml --suggest --urdf r.urdf --json", 1);
  numbers_behind(program_run.output, "\"middle_rad\"", 1, motion);
  numbers_behind(program_run.output, "\"amplitude_rad\"", 3, motion + 1);
  sn_assert_near(motion[0], 1.5, 1e-12);
  assert_true(motion[1] + motion[2] + motion[3] < 0.5);
  program_expect("ident still.csv --models models.yaml --suggest", 1);
  sn_assert_contains(program_run.output, "try for ");
}

SN_TEST(the_report_is_self_contained) {
  program_expect("ident log.csv --models models.yaml --report page.html", 0);
  char path[128];
  size_t size;
  snprintf(path, sizeof path, "%s/page.html", program_folder);
  char *page = sn_test_read_file(path, &size);
  sn_assert_contains(page, "<!DOCTYPE html>");
  sn_assert_contains(page, "joint3");
  sn_assert_contains(page, "<svg");
  sn_assert_contains(page, "prefers-color-scheme: dark");
  sn_assert_contains(page, "</html>");
  assert_null(strstr(page, "http://"));
  assert_null(strstr(page, "https://"));
  assert_null(strstr(page, "nan"));
  free(page);
  program_expect("ident log.csv --models models.yaml --report /nowhere/page.html", 3);
  sn_assert_contains(program_run.errors, "cannot write the report");
}

SN_TEST(wrong_usage_is_refused) {
  static const char *const cases[][2] = {
      {"ident", "argument LOG is missing"},
      {"ident log.csv", "option '--models' is missing"},
      {"ident log.csv --models", "option '--models' needs a value: FILE"},
      {"ident log.csv --models m --model best", "expected one of: basic, load, full"},
      {"ident log.csv --models m --voltage 0",
       "option '--voltage': '0' is not valid, expected a number above 0"},
      {"ident log.csv --models m --voltage -12", "'-12' is not valid"},
      {"ident log.csv --models m --delay 101",
       "'101' is not valid, expected a whole number from 0 to 100"},
      {"ident log.csv --models m --delay x", "'x' is not valid"},
      {"ident log.csv --models m --threshold nan", "'nan' is not valid"},
      {"ident log.csv --models m --what", "unknown option '--what'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    program_expect(cases[i][0], 2);
    sn_assert_contains(program_run.errors, cases[i][1]);
    assert_string_equal(program_run.output, "");
  }
}

static int create_files(void **state) {
  (void)state;
  sn_test_folder_create(program_folder);
  sn_random r;
  sn_random_init(&r, 1);
  char models[1024] = "servo_models:\n";
  for (size_t k = 0; k < 3; k++) {
    sn_servo_rig_init(&rigs[k], &r);
    sn_servo_rig_make_noisy(&rigs[k]);
    rigs[k].params.kgear = k == 1 ? -2.0 : 1.0;
    rigs[k].delay = k;
    const size_t used = strlen(models);
    snprintf(models + used, sizeof models - used,
             "  - {name: joint%zu, kp: %.17g, kgear: %.17g, qs: %.17g, delta: %.17g}\n", k + 1,
             rigs[k].params.kp, rigs[k].params.kgear, rigs[k].params.qs, rigs[k].params.delta);
  }
  sn_test_write(program_folder, "models.yaml", models);
  write_log("log.csv", 3, 6000, header);
  return 0;
}

SN_TEST_GROUP(create_files, program_tear_down)
