/* The property file of a robot, read and replaced by operations of its model. */
#include <string.h>
#include <unistd.h>

#include "deployed.h"
#include "files/file.h"
#include "program.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

#define ROBOT "# an arm on a table\nrobot: " SINEW_ROBOTS "/arm6.urdf\n"
#define CHAIN(name, tip) \
  "kinematics_chains:\n  " name ": {first_link: base_link, last_link: " tip "}\n"
#define BEFORE ROBOT CHAIN("arm", "tool0")

typedef struct bench {
  sn_deployed d;
  char folder[64];
} bench;

static void open_robot(bench *b, const char *robot) {
  char text[512];
  char path[160];
  snprintf(text, sizeof text, "include: [standard.yaml]\nrobot: %s\n", robot);
  sn_test_write(b->folder, "d.yaml", text);
  snprintf(path, sizeof path, "%s/d.yaml", b->folder);
  sn_deployed_open(&b->d, path);
}

static void bench_open(bench *b) {
  *b = (bench){.folder = ""};
  sn_test_folder_create(b->folder);
  sn_test_write(b->folder, "arm.yaml", BEFORE);
  open_robot(b, "arm.yaml");
}

static void bench_close(bench *b) {
  sn_deployed_free(&b->d);
  sn_test_folder_remove(b->folder);
}

/* Call an operation whose argument, if it has one, is a text. @return its answer */
static void *call(bench *b, const char *operation, const char *text, sn_status *status) {
  const sn_msg_capacity room = {.item_count = 1, .text_size = 4096};
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->d.system, operation, &caller, &b->d.err), SN_OK);
  void *answer = sn_msg_create(&b->d.arena, caller.operation->response, &room);
  sn_call_text *request = sn_msg_create(&b->d.arena, &sn_call_text_type, &room);
  assert_int_equal(sn_msg_text_set(&request->text, text == NULL ? "" : text), SN_OK);
  *status = sn_call(&caller, text == NULL ? NULL : request, answer, &b->d.err);
  sn_caller_close(&caller);
  return answer;
}

static const sn_call_outcome *save(bench *b, const char *text) {
  sn_status status = SN_OK;
  const sn_call_outcome *outcome = call(b, "robot_model.saveProperties", text, &status);
  assert_int_equal(status, SN_OK);
  return outcome;
}

static void file_is(const bench *b, const char *expected) {
  char path[160];
  sn__file file;
  snprintf(path, sizeof path, "%s/arm.yaml", b->folder);
  assert_int_equal(sn__file_read(path, 65536, NULL, &file, NULL), SN_OK);
  assert_string_equal(file.text, expected);
  sn__file_free(&file);
  snprintf(path, sizeof path, "%s/arm.yaml.new", b->folder);
  assert_int_not_equal(access(path, F_OK), 0);
}

SN_TEST(the_file_is_read_and_replaced_word_for_word_and_counts_from_the_next_start) {
  static const char after[] = ROBOT CHAIN("right", "link4") "poses:\n  home: {joint1: 0.5}\n";
  bench b;
  bench_open(&b);
  sn_status status = SN_OK;
  const sn_call_text *now = call(&b, "robot_model.getProperties", NULL, &status);
  assert_int_equal(status, SN_OK);
  assert_string_equal(now->text.data, BEFORE);
  const sn_call_outcome *outcome = save(&b, after);
  assert_string_equal(outcome->message.data, "");
  assert_true(outcome->success);
  file_is(&b, after);
  sn_deployed_free(&b.d);
  open_robot(&b, "arm.yaml");
  const sn_call_names *chains = call(&b, "robot_model.listChains", NULL, &status);
  assert_string_equal(sn_msg_names_at(&chains->names, 0), "right");
  bench_close(&b);
}

SN_TEST(what_does_not_fit_the_robot_is_refused_with_its_place_and_the_file_stays) {
  static const struct {
    const char *text, *why;
  } cases[] = {
      {ROBOT "kinematics_chains: {arm: [", "arm.yaml:4"},
      {ROBOT CHAIN("arm", "nowhere"), "nowhere"},
      {ROBOT "limbs: {}\n", "unknown property 'limbs'"},
      {ROBOT CHAIN("arm", "tool0") "poses: {home: {joint1: 99}}\n", "its limits are"},
      {ROBOT CHAIN("arm", "tool0") "poses: {home: {knee: 0}}\n", "no movable joint 'knee'"},
      {ROBOT CHAIN("arm", "tool0") "poses: {home: {joint1: .nan}}\n", "joint1"},
      {"robot: other.urdf\n", "'robot' must stay"},
      {"", "arm.yaml"},
  };
  bench b;
  bench_open(&b);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const sn_call_outcome *outcome = save(&b, cases[i].text);
    assert_false(outcome->success);
    sn_assert_contains(outcome->message.data, cases[i].why);
    file_is(&b, BEFORE);
  }
  bench_close(&b);
}

/* Open a robot whose property file does not exist yet, as `sinew run arm's.urdf` does. */
static void open_bare(bench *b) {
  sn__file urdf;
  *b = (bench){.folder = ""};
  sn_test_folder_create(b->folder);
  assert_int_equal(sn__file_read(SINEW_ROBOTS "/arm6.urdf", 1 << 20, NULL, &urdf, NULL), SN_OK);
  sn_test_write(b->folder, "arm's.urdf", urdf.text);
  sn__file_free(&urdf);
  char robot[256];
  snprintf(robot, sizeof robot,
           "arm's.urdf\ncomponents: {robot_model: {type: RobotModelURDF, properties: "
           "{robot_property_file: %s/arm.yaml}}}",
           b->folder);
  open_robot(b, robot);
}

SN_TEST(the_first_property_file_of_a_robot_begins_with_its_name_and_is_created_by_saving) {
  bench b;
  open_bare(&b);
  sn_status status = SN_OK;
  const sn_call_text *now = call(&b, "robot_model.getProperties", NULL, &status);
  assert_int_equal(status, SN_OK);
  assert_string_equal(now->text.data, "robot: 'arm''s.urdf'\n");
  const sn_call_outcome *outcome = save(&b, BEFORE);
  assert_false(outcome->success);
  sn_assert_contains(outcome->message.data, "'robot' must stay 'arm's.urdf'");
  outcome = save(&b, CHAIN("arm", "tool0"));
  assert_false(outcome->success);
  static const char first[] = "robot: 'arm''s.urdf'\n" CHAIN("arm", "tool0");
  outcome = save(&b, first);
  assert_string_equal(outcome->message.data, "");
  file_is(&b, first);
  sn_deployed_free(&b.d);
  open_robot(&b, "arm.yaml");
  const sn_call_names *chains = call(&b, "robot_model.listChains", NULL, &status);
  assert_string_equal(sn_msg_names_at(&chains->names, 0), "arm");
  bench_close(&b);
}

SN_TEST(a_file_that_names_no_robot_may_go_on_to_name_none) {
  bench b;
  open_bare(&b);
  sn_test_write(b.folder, "arm.yaml", CHAIN("arm", "tool0"));
  const sn_call_outcome *outcome = save(&b, CHAIN("right", "tool0"));
  assert_string_equal(outcome->message.data, "");
  file_is(&b, CHAIN("right", "tool0"));
  bench_close(&b);
}

SN_TEST(a_robot_without_a_property_file_says_what_to_do) {
  bench b = {.folder = ""};
  sn_test_folder_create(b.folder);
  open_robot(&b, SINEW_ROBOTS "/arm6.urdf");
  const sn_call_outcome *outcome = save(&b, BEFORE);
  assert_false(outcome->success);
  sn_assert_contains(outcome->message.data, "the robot has no property file");
  bench_close(&b);
}
