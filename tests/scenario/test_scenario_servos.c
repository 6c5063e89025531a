/* Servos that fail, and servos that are identified: the whole system, in simulated time. */
#include <math.h>

#include "scenario.h"
#include "sn_test.h"

#define MOVE(position, seconds)                                                            \
  "{'verb':'call','name':'execute.execute','arguments':{'trajectory':{'joint_names':["     \
  "'head_joint2'],'points':[{'positions':[" position "],'time_from_start':{'sec':" seconds \
  "}}]},"                                                                                  \
  "'path_tolerance':[{'name':'head_joint2','position':0.05}]}}"

static const char *const JOINT = "head_joint2";

static int send(scenario *s, const char *line) {
  json_t *answer = scenario_ask(s, line);
  assert_true(json_is_true(json_object_get(answer, "accepted")));
  const int id = (int)json_integer_value(json_object_get(answer, "goal_id"));
  json_decref(answer);
  return id;
}

static int state_of(scenario *s, int id) {
  char line[128];
  snprintf(line, sizeof line, "{'verb':'call','name':'execute.getGoal','arguments':{'goal_id':%d}}",
           id);
  json_t *answer = scenario_ask(s, line);
  const int value = (int)json_integer_value(json_object_get(answer, "state"));
  json_decref(answer);
  return value;
}

/* An encoder freezes while a trajectory runs: it is aborted, the limb is held; the encoder comes
   back, and the next trajectory succeeds. */
SN_TEST(frozen_encoder_ends_a_trajectory_and_the_next_one_succeeds) {
  static scenario s;
  scenario_open(&s);
  const int first = send(&s, MOVE("0.4", "2"));
  scenario_run(&s, 500);
  assert_int_equal(state_of(&s, first), 2);
  scenario_do(&s, "{'verb':'set','name':'plant.frozen','value':['head_joint2']}");
  scenario_run(&s, 1000);
  assert_int_equal(state_of(&s, first), 6);
  scenario_run(&s, 1000); /* it brakes and releases the limb */
  assert_string_equal(scenario_owner(&s, "head"), "hold");
  const double held = scenario_commanded(&s, JOINT);
  scenario_run(&s, 500);
  sn_assert_near(scenario_commanded(&s, JOINT), held, 0.0);
  scenario_do(&s, "{'verb':'set','name':'plant.frozen','value':[]}");
  scenario_run(&s, 100);
  const int second = send(&s, MOVE("0.2", "2"));
  scenario_run(&s, 2500);
  assert_int_equal(state_of(&s, second), 4);
  sn_assert_near(scenario_measured(&s, JOINT), 0.2, 0.02);
  scenario_close(&s);
}

/* The root of the mean squared distance between commanded and measured, over a motion. */
static double tracking(scenario *s) {
  double sum = 0.0;
  int count = 0;
  static const char *const goals[] = {MOVE("0.3", "1"), MOVE("-0.3", "1"), MOVE("0.1", "1")};
  for (size_t k = 0; k < 3; k++) {
    (void)send(s, goals[k]);
    for (int i = 0; i < 1100; i++) {
      scenario_run(s, 1);
      const double e = scenario_commanded(s, JOINT) - scenario_measured(s, JOINT);
      sum += e * e;
      count++;
    }
  }
  return sqrt(sum / count);
}

/* Models identified while the head moves make it follow better; undoing that makes it worse. */
SN_TEST(identified_servo_follows_better) {
  static scenario s;
  scenario_open(&s);
  scenario_do(&s,
              "{'verb':'set','name':'servo_ident.servo_models','text':'[{name: head_joint2, kp: "
              "10}]'}");
  const double before = tracking(&s);
  scenario_do(&s,
              "{'verb':'call','name':'servo_ident.startIdentification','arguments':{'names':["
              "'head_joint2']}}");
  (void)tracking(&s);
  (void)tracking(&s);
  json_t *ended = scenario_ask(&s, "{'verb':'call','name':'servo_ident.endIdentification'}");
  assert_int_equal(json_array_size(json_object_get(ended, "names")), 1);
  json_decref(ended);
  scenario_run(&s, 2000); /* until the model has taken over */
  const double after = tracking(&s);
  print_message("tracking error %.5f rad before, %.5f after\n", before, after);
  assert_true(after < 0.5 * before);
  scenario_close(&s);
}
