/* An arm with servos of the library, whose friction grows with the load: how it follows with the
   model that logs of one servo with a weight give, and with the default. */
#include <math.h>
#include <stdlib.h>

#include "ident/output_error/oe_fit.h"
#include "pendulum_rig.h"
#include "program.h"
#include "scenario.h"
#include "servo/servo_store.h"
#include "sn_test.h"

/* Two links, as heavy as such servos carry them. */
static const char ARM[] =
    "<robot name='arm'><link name='base'/>"
    "<link name='upper'><inertial><origin xyz='0.06 0 0'/><mass value='0.05'/>"
    "<inertia ixx='1e-5' iyy='6e-5' izz='6e-5' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='lower'><inertial><origin xyz='0.06 0 0'/><mass value='0.12'/>"
    "<inertia ixx='2e-5' iyy='9e-5' izz='9e-5' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/>"
    "<axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='0.6' velocity='10'/></joint>"
    "<joint name='elbow' type='revolute'><parent link='upper'/><child link='lower'/>"
    "<origin xyz='0.1 0 0'/><axis xyz='0 1 0'/>"
    "<limit lower='-2' upper='2' effort='0.6' velocity='10'/></joint></robot>";

static const char *const JOINTS[] = {"shoulder", "elbow"};

typedef struct fixture {
  char folder[64];
  char robot[100], identified[100];
} fixture;

static void open_fixture(fixture *f) {
  sn_test_folder_create(f->folder);
  snprintf(f->robot, sizeof f->robot, "%s/arm.urdf", f->folder);
  snprintf(f->identified, sizeof f->identified, "%s/mine.yaml", f->folder);
  FILE *out = fopen(f->robot, "w");
  assert_non_null(out);
  fputs(ARM, out);
  fclose(out);
}

static sn_servo_params library_servo(sn_arena *arena) {
  static const char text[] = "servo_models: [{name: truth, servo: xl330}]";
  sn_report *report = NULL;
  const sn_value *root = NULL;
  sn_servo_list list;
  assert_int_equal(sn_report_create(arena, &report, NULL), SN_OK);
  assert_int_equal(sn_value_parse_yaml(arena, text, strlen(text), "truth", report, &root), SN_OK);
  assert_int_equal(sn__servo_store_read(arena, root, report, &list), SN_OK);
  return list.entries[0].params;
}

/* What eight logs with encoder noise say about the servo, saved as a file of models. */
static void identify(const fixture *f) {
  enum { LOGS = 8, SAMPLES = 800 };
  static sn__log_sample samples[LOGS][SAMPLES];
  sn__servo_log logs[LOGS];
  sn_arena arena;
  sn_arena_init_growing(&arena, "fit", 1 << 16);
  const sn_servo_params truth = library_servo(&arena);
  sn_random r;
  sn_random_init(&r, 22);
  for (size_t k = 0; k < LOGS; k++) {
    pendulum_rig rig = pendulum_rig_make();
    rig.servo = (sn__servo_on_load){.params = truth, .zero_rad = 0.01};
    rig.motion = (int)(k % 4);
    rig.gain = k < 4 ? 1.0 : 0.25;
    rig.noise_rad = 0.001;
    logs[k] = pendulum_rig_record(&rig, &r, samples[k], SAMPLES);
  }
  const sn_servo_params start = {
      .kp = truth.kp, .kgear = 1, .qs = 0.1, .delta = 1, .ext.drive_max = truth.ext.drive_max};
  sn__oe_result result;
  sn_error err;
  assert_int_equal(
      sn__oe_fit(&arena, &(sn__oe_config){.model = SN__OE_FULL}, &start, logs, LOGS, &result, &err),
      SN_OK);
  sn_servo_entry entry = {.name = "mine", .params = result.servo.params, .has_alpha = true};
  const sn_servo_list list = {.entries = &entry, .count = 1};
  assert_int_equal(sn__servo_store_save(f->identified, &list, &err), SN_OK);
  sn_arena_release(&arena);
}

/* Root of the mean squared distance between commanded and measured while both joints move. */
static double tracking(scenario *s) {
  double sum = 0.0;
  int count = 0;
  for (int k = 0; k < 3; k++) {
    char line[400];
    snprintf(line, sizeof line,
             "{'verb':'call','name':'execute.execute','arguments':{'trajectory':{'joint_names':["
             "'shoulder','elbow'],'points':[{'positions':[%g,%g],'time_from_start':{'sec':1}}]}}}",
             0.8 - 0.7 * k, -0.9 + 0.8 * k);
    json_t *answer = scenario_ask(s, line);
    assert_true(json_is_true(json_object_get(answer, "accepted")));
    json_decref(answer);
    for (int i = 0; i < 1100; i++) {
      scenario_run(s, 1);
      for (size_t j = 0; j < 2; j++) {
        const double e = scenario_commanded(s, JOINTS[j]) - scenario_measured(s, JOINTS[j]);
        sum += e * e;
        count++;
      }
    }
  }
  return sqrt(sum / count);
}

/* @param model  of the inversion, as properties; what is simulated is that of the library */
static double tracking_with(const fixture *f, const char *model) {
  char text[1000];
  snprintf(text, sizeof text,
           "include: [standard.yaml]\n"
           "components:\n"
           "  plant:\n"
           "    properties:\n"
           "      battery_voltage: 7.4\n"
           "      default_servo_model: {servo: xl330}\n"
           "  servo_inv_7param:\n"
           "    properties: {battery_voltage: 7.4%s}\n",
           model);
  static scenario s;
  scenario_open_robot(&s, f->robot, text);
  const double error = tracking(&s);
  scenario_close(&s);
  return error;
}

SN_TEST(identified_load_friction_makes_an_arm_follow_ten_times_better) {
  fixture f;
  open_fixture(&f);
  identify(&f);
  char model[200];
  snprintf(model, sizeof model, ", default_servo_model: {servo: %s}", f.identified);
  const double without = tracking_with(&f, "");
  const double with = tracking_with(&f, model);
  const double truth = tracking_with(&f, ", default_servo_model: {servo: xl330}");
  print_message("tracking error %.2f mrad with the default, %.2f identified, %.2f with the truth\n",
                1e3 * without, 1e3 * with, 1e3 * truth);
  assert_true(with < 0.1 * without);
  sn_test_folder_remove(f.folder);
}

/* Whether identified models keep what messages do not have. */
static void assert_load_friction_kept(scenario *s) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "truth", 0);
  const sn_servo_params truth = library_servo(&arena);
  json_t *models = scenario_ask(s, "{'verb':'get','name':'servo_ident.servo_models'}");
  size_t i;
  json_t *model;
  assert_int_equal(json_array_size(models), 2);
  json_array_foreach(models, i, model) {
    const json_t *load = json_object_get(model, "load_friction");
    assert_true(json_number_value(json_array_get(load, 0)) == truth.ext.load[0]);
    assert_true(json_number_value(json_array_get(load, 1)) == truth.ext.load[1]);
  }
  json_decref(models);
  sn_arena_release(&arena);
}

/* Wrong alpha beside the right load friction, in inversion and identification. */
SN_TEST(alpha_of_servos_with_load_friction_is_identified_on_line) {
  fixture f;
  open_fixture(&f);
  static const char wrong[] =
      "      battery_voltage: 7.4\n"
      "      default_servo_model: {servo: xl330, alpha: [0.34, 0.1, 0.1, 14]}\n";
  char whole[1200];
  snprintf(whole, sizeof whole,
           "include: [standard.yaml]\n"
           "components:\n"
           "  plant: {properties: {battery_voltage: 7.4, default_servo_model: {servo: xl330}}}\n"
           "  servo_inv_7param:\n    properties:\n%s"
           "  servo_ident:\n    properties:\n%s",
           wrong, wrong);
  static scenario s;
  scenario_open_robot(&s, f.robot, whole);
  const double before = tracking(&s);
  scenario_do(&s,
              "{'verb':'call','name':'servo_ident.startIdentification','arguments':{'names':["
              "'shoulder','elbow']}}");
  (void)tracking(&s);
  json_t *ended = scenario_ask(&s, "{'verb':'call','name':'servo_ident.endIdentification'}");
  assert_int_equal(json_array_size(json_object_get(ended, "names")), 2);
  json_decref(ended);
  assert_load_friction_kept(&s);
  scenario_run(&s, 500); /* until the models have taken over */
  const double after = tracking(&s);
  print_message("tracking error %.2f mrad before, %.2f after\n", 1e3 * before, 1e3 * after);
  assert_true(after < 0.2 * before);
  scenario_close(&s);
  sn_test_folder_remove(f.folder);
}
