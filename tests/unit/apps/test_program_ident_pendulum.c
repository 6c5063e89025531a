#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <unistd.h>

#include "pendulum_rig.h"
#include "program_rig.h"
#include "sn_test.h"

/* `sinew ident` with logs of a servo that moves a pendulum. */

enum { LOGS = 4, COUNT = 700 };

static void write_text(const char *name, const char *text) {
  char path[160];
  snprintf(path, sizeof path, "%s/%s", program_folder, name);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

static void write_log(const pendulum_rig *rig, const char *motor, const char *name) {
  static sn__log_sample samples[COUNT];
  char path[160];
  snprintf(path, sizeof path, "%s/%s", program_folder, name);
  sn_random r;
  sn_random_init(&r, 5);
  pendulum_rig_log(rig, &r, samples, COUNT);
  pendulum_rig_write(rig, motor, samples, COUNT, path);
}

static int set_up(void **state) {
  program_set_up(state);
  for (int k = 0; k < LOGS; k++) {
    pendulum_rig rig = pendulum_rig_make();
    rig.motion = k;
    char name[32];
    snprintf(name, sizeof name, "log%d.json", k);
    write_log(&rig, "servo", name);
    rig.gain = 200;
    snprintf(name, sizeof name, "other%d.json", k);
    write_log(&rig, "servo", name);
  }
  write_text("models.yaml", "servo_models:\n  - {name: servo, kp: 0.003}\n");
  return 0;
}
SN_TEST_EACH(set_up, program_tear_down)

/* Each motion once, with one of two gains, and then with the other. */
#define LOGS4 "log0.json other1.json log2.json other3.json"
#define OTHERS "other0.json log1.json other2.json log3.json"

static double number_behind(const char *text, const char *key) {
  const char *at = strstr(text, key);
  if (at == NULL) {
    fail_msg("no %s in %s", key, text);
  }
  return strtod(at + strlen(key), NULL);
}

SN_TEST(model_is_identified_validated_and_saved) {
  program_expect("ident " LOGS4 " --models models.yaml --validate " OTHERS " --json --save", 0);
  assert_string_equal(program_run.errors, "");
  const char *at = strstr(program_run.output, "\"validation\":[{\"log\":\"other0.json\"");
  assert_non_null(at);
  for (int k = 0; k < LOGS; k++) {
    sn_assert_near(number_behind(at, "\"mae_rad\":"), 0.0, 0.005);
    at = strstr(at, "\"mae_rad\":") + 1;
  }
  const pendulum_rig rig = pendulum_rig_make();
  const sn_servo_params *p = &rig.servo.params;
  sn_assert_near(number_behind(program_run.output, "\"load_friction[1]\":"), p->ext.load[1], 1.0);
  sn_assert_near(number_behind(program_run.output, "\"delay_s\":"), p->ext.delay_s, 0.002);
  program_expect_script("grep -q 'load_friction: \\[' models.yaml");
  /* What was saved is used: the model simulates the logs without a fit of its own. */
  program_expect("ident log0.json --models models.yaml --model load --json", 0);
}

/* Per log: measured and simulated, residuals over speed and load; which extension pays. */
SN_TEST(report_shows_every_log_and_which_extension_pays) {
  program_expect("ident " LOGS4 " --models models.yaml --validate other0.json --report r.html", 0);
  program_expect_script("test $(grep -c '<h2>Fitted:' r.html) = 4");
  program_expect_script("test $(grep -c '<h2>Validated:' r.html) = 1");
  program_expect_script("test $(grep -o '>Residual over load<' r.html | wc -l) = 5");
  program_expect_script("test $(grep -o '>Residual over speed<' r.html | wc -l) = 5");
  program_expect_script("test $(grep -o '>Position: measured and simulated<' r.html | wc -l) = 5");
  char path[160];
  snprintf(path, sizeof path, "%s/r.html", program_folder);
  size_t size;
  char *page = sn_test_read_file(path, &size);
  const double basic = number_behind(page, "<th>basic</th><td>");
  const double full = number_behind(page, "<th>full</th><td>");
  assert_true(full < 0.5 * basic); /* the servo has load friction */
  free(page);
}

/* The file that is written is one that models can name: the same servo, with all of its gain. */
SN_TEST(servo_is_saved_for_the_library) {
  program_expect("ident " LOGS4 " --models models.yaml --save-servo mine", 0);
  program_expect_script("grep -q 'gain: 400' mine.yaml && grep -q 'validity: One servo' mine.yaml");
  char path[160];
  snprintf(path, sizeof path, "%s/mine.yaml", program_folder);
  size_t size;
  char *text = sn_test_read_file(path, &size);
  sn_assert_near(number_behind(text, "kp: "), 0.003 * 400, 1e-9);
  free(text);
  program_expect("ident " LOGS4 " --models models.yaml --save-servo 'My Servo'", 2);
  sn_assert_contains(program_run.errors, "--save-servo");
}

SN_TEST(basic_model_misses_what_load_friction_does) {
  program_expect("ident " LOGS4 " --models models.yaml --validate " OTHERS " --json", 0);
  const double full = number_behind(strstr(program_run.output, "\"validation\""), "\"mae_rad\":");
  program_expect("ident " LOGS4
                 " --models models.yaml --model basic --threshold 1 --validate " OTHERS " --json",
                 0);
  const double basic = number_behind(strstr(program_run.output, "\"validation\""), "\"mae_rad\":");
  assert_true(basic > 4.0 * full);
}

SN_TEST(result_is_refused_above_the_threshold_and_not_saved) {
  program_expect("ident " LOGS4 " --models models.yaml --model basic --threshold 0.001 --save", 1);
  sn_assert_contains(program_run.output, "further from the logs than the threshold");
  program_expect_script("! grep -q alpha models.yaml");
}

SN_TEST(load_of_the_command_line_must_not_contradict_the_log) {
  program_expect("ident log0.json --models models.yaml --load pendulum:mass=5,length=0.1", 1);
  sn_assert_contains(program_run.errors,
                     "log0.json was recorded with 0.5 kg at 0.1 m, --load says");
  program_expect("ident log0.json --models models.yaml --load pendulum:mass=five,length=0.1", 2);
  sn_assert_contains(program_run.errors, "option '--load': 'pendulum:mass=five,length=0.1'");
  program_expect("ident log0.json --models models.yaml --load brick", 2);
  program_expect("ident log0.json --models models.yaml --model best", 2);
  sn_assert_contains(program_run.errors, "expected one of: basic, load, full");
}

SN_TEST(bad_logs_have_messages_and_save_nothing) {
  pendulum_rig rig = pendulum_rig_make();
  write_log(&rig, "another", "another.json");
  program_expect("ident log0.json another.json --models models.yaml --save", 1);
  sn_assert_contains(program_run.errors, "identify one kind of servo at a time");
  write_text("broken.json", "{\"mass\": 1, \"entries\": [");
  program_expect("ident broken.json --models models.yaml --save", 1);
  sn_assert_contains(program_run.errors, "broken.json:1:");
  write_text("empty.json", "{}");
  program_expect("ident empty.json --models models.yaml --save", 1);
  sn_assert_contains(program_run.errors, "no list 'entries'");
  write_text("short.json", "{\"entries\": []}");
  program_expect("ident short.json --models models.yaml --save", 1);
  sn_assert_contains(program_run.errors, "too short");
  program_expect("ident missing.json --models models.yaml --save", 1);
  sn_assert_contains(program_run.errors, "missing.json: cannot read the file");
  program_expect_script("sed 's/\"kp\": 400, //' log0.json > nogain.json");
  program_expect("ident nogain.json --models models.yaml --save", 1);
  sn_assert_contains(program_run.errors, "the gain of the servo is not stated");
  write_text("limited.yaml", "servo_models:\n  - {name: servo, kp: 0.003, drive_max: 0.0001}\n");
  program_expect("ident log0.json --models limited.yaml --save", 1);
  sn_assert_contains(program_run.errors, "saturated throughout");
  program_expect_script("! grep -q alpha models.yaml limited.yaml");
}
