/* Property files of the system that Sinew succeeds, and spellings of its documents. */
#include <stdlib.h>
#include <string.h>

#include "deployed.h"
#include "msg/msg_names_internal.h"
#include "program.h"
#include "robot.h"
#include "servo/servo_store.h"
#include "sinew/components.h"
#include "sn_test.h"

static char folder[64];

#define HEAD "<?xml version='1.0'?><!DOCTYPE properties SYSTEM 'cpf.dtd'><properties>"
#define NUMBER(name, value) \
  "<simple name='" name "' type='double'><value>" value "</value></simple>"
#define TEXT(name, value) "<simple name='" name "' type='string'><value>" value "</value></simple>"
#define ALPHA                                                                              \
  "<struct name='alpha' type='double'>" NUMBER("Element0", "2.5") NUMBER("Element1", "50") \
      NUMBER("Element2", "12") NUMBER("Element3", "230") "</struct>"
#define MODEL "/sweetie_bot_servo_model_msg/ServoModel"

static const char models_cpf[] =
    HEAD "<struct name='default_servo_model' type='" MODEL "'>" TEXT("name", "default")
        NUMBER("kp", "100") NUMBER("kgear", "1.0") ALPHA
    "</struct>"
    "<struct name='servo_models' type='" MODEL "[]'><struct name='Element0' type='" MODEL
    "'>" TEXT("name", "l1") NUMBER("kp", "90") ALPHA "</struct></struct></properties>";

static const char limits_cpf[] = HEAD
    "<struct name='leg_q_min' type='array'>" NUMBER("Element0", "-0.1") NUMBER("Element1", "-1")
    "</struct><struct name='leg_q_max' type='array'>" NUMBER("Element0", "0.1")
        NUMBER("Element1", "9") "</struct>"
    "<struct name='leg_tolerance' type='array'>" NUMBER("Element0", "0") NUMBER("Element1", "1")
        NUMBER("Element2", "0") NUMBER("Element3", "0") NUMBER("Element4", "1")
            NUMBER("Element5", "1") "</struct></properties>";

static const char herkulex_cpf[] = HEAD
    "<struct name='groups' type='PropertyBag'><struct name='default' type='PropertyBag'>"
    "<struct name='modes' type='PropertyBag'><struct name='on' type='PropertyBag'>"
    "<simple name='torque_control' type='ulong'><value>96</value></simple></struct></struct>"
    "<struct name='registers_init' type='PropertyBag'>"
    "<simple name='ack_policy' type='ulong'><value>2</value></simple></struct></struct></struct>"
    "<struct name='servos' type='PropertyBag'>"
    "<struct name='l1' type='PropertyBag'><simple name='servo_id' type='ulong'><value>11</value>"
    "</simple>" TEXT("model", "drs101") "<simple name='offset' type='ulong'><value>523</value>"
    "</simple><simple name='reverse' type='boolean'><value>1</value></simple></struct>"
    "<struct name='l2' type='PropertyBag'><simple name='servo_id' type='ulong'><value>12</value>"
    "</simple><simple name='reverse' type='boolean'><value>0</value></simple></struct>"
    "</struct></properties>";

static const char chains_cpf[] =
    HEAD "<struct name='chains' type='PropertyBag'><struct name='leg' type='PropertyBag'>" TEXT(
        "first_link", "base") TEXT("last_link", "leg2") "</struct></struct></properties>";

static int set_up(void **state) {
  (void)state;
  sn_test_folder_create(folder);
  sn_test_write(folder, "small.urdf", sn_deployed_robot);
  sn_test_write(folder, "models.cpf", models_cpf);
  sn_test_write(folder, "limits.cpf", limits_cpf);
  sn_test_write(folder, "herkulex.cpf", herkulex_cpf);
  sn_test_write(folder, "chains.cpf", chains_cpf);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sn_test_folder_remove(folder);
  return 0;
}

static const char *path_of(const char *name) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void open_with(sn_deployed *d, const char *components) {
  char text[2048];
  snprintf(text, sizeof text,
           "include: [standard.yaml, chains.cpf]\nrobot: small.urdf\ncomponents:\n%s", components);
  sn_test_write(folder, "d.yaml", text);
  sn_deployed_open(d, path_of("d.yaml"));
}

static const char *get(sn_deployed *d, const char *component, const char *property) {
  static char text[4096];
  assert_int_equal(sn_system_get(d->system, sn_deployed_find(d, component), property, text,
                                 sizeof text, &d->err),
                   SN_OK);
  return text;
}

/* kp V (g / kgear - q) = a0 q'' + a1 q' + a2 sgn q' + a3 tau: ours are a1, a2, none, a3. */
SN_TEST(servo_models_of_the_original_mean_what_they_say) {
  sn_deployed d;
  open_with(&d,
            "  servo_inv_7param: {property_file: models.cpf}\n"
            "  servo_ident: {property_file: models.cpf}\n"
            "  plant: {property_file: models.cpf}\n");
  static const char *const components[] = {"servo_inv_7param", "servo_ident", "plant"};
  for (size_t i = 0; i < 3; i++) {
    const char *models = get(&d, components[i], "servo_models");
    sn_assert_contains(models, "\"name\":\"l1\"");
    sn_assert_contains(models, "\"alpha\":[50,12,0,230]");
    sn_assert_contains(models, "\"inertia\":2.5");
  }
  for (size_t i = 0; i < 3; i++) {
    const char *others = get(&d, components[i], "default_servo_model");
    sn_assert_contains(others, "\"alpha\":[50,12,0,230]");
    sn_assert_contains(others, "\"inertia\":2.5");
  }
  const char *said = sn_test_problems(d.report);
  sn_assert_contains(said, "read as inertia, viscous friction, Coulomb friction");
  sn_deployed_run(&d, 0.1);
  sn_deployed_free(&d);
}

SN_TEST(other_models_in_a_cpf_are_ours) {
  static const char ours[] = HEAD
      "<struct name='servo_models' type='ServoModel[]'><struct name='Element0' "
      "type='ServoModel'>" TEXT("name", "l1") NUMBER("kp", "90")
      "<sequence name='alpha' type='double'><simple type='double'><value>1</value></simple>"
      "<simple type='double'><value>2</value></simple><simple type='double'><value>3</value>"
      "</simple><simple type='double'><value>4</value></simple></sequence></struct></struct>"
      "</properties>";
  sn_arena arena;
  sn_arena_init_growing(&arena, "servos", 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&arena, &report, NULL), SN_OK);
  sn_servo_list list;
  sn_test_write(folder, "ours.cpf", ours);
  assert_int_equal(sn__servo_store_load(&arena, path_of("ours.cpf"), report, &list), SN_OK);
  assert_true(list.entries[0].params.alpha[0] == 1.0 && list.entries[0].params.alpha[3] == 4.0);
  assert_true(list.entries[0].params.inertia == 0.0);
  assert_int_equal(sn_report_count(report), 0);
  assert_int_equal(sn__servo_store_load(&arena, path_of("models.cpf"), report, &list), SN_OK);
  assert_true(list.entries[0].params.alpha[0] == 50.0 && list.entries[0].params.alpha[3] == 230.0);
  assert_true(list.entries[0].params.alpha[2] == 0.0 && list.entries[0].params.inertia == 2.5);
  sn_arena_release(&arena);
}

SN_TEST(limits_of_the_original_count_for_inverse_kinematics) {
  sn_deployed d;
  open_with(&d, "  kinematics_inv: {property_file: limits.cpf}\n");
  assert_string_equal(get(&d, "kinematics_inv", "limits"),
                      "[{\"chain\":\"leg\",\"q_min\":[-0.1,-1],\"q_max\":[0.1,9]}]");
  sn_assert_contains(get(&d, "kinematics_inv", "free"), "\"axes\":[\"y\",\"ry\",\"rz\"]");
  sn_deployed_free(&d);
  /* And they are enforced: a wrong count is noticed. */
  sn_deployed_init(&d);
  sn_test_write(folder, "d.yaml",
                "include: [standard.yaml, chains.cpf]\nrobot: small.urdf\ncomponents:\n"
                "  kinematics_inv: {properties: {limits: [{chain: leg, q_min: [0]}]}}\n");
  if (sn_deployed_load(&d, path_of("d.yaml")) == SN_OK) {
    assert_int_not_equal(sn_system_begin(d.system, &d.err), SN_OK);
    sn_assert_contains(d.err.message, "q_min has 1 numbers, expected 2");
  } else {
    sn_assert_contains(sn_test_problems(d.report), "q_min has 1 numbers, expected 2");
  }
  sn_deployed_free(&d);
}

SN_TEST(herkulex_servos_of_the_original_keep_id_zero_and_direction) {
  sn_deployed d;
  sn_deployed_init(&d);
  sn_test_write(folder, "d.yaml",
                "include: [standard.yaml, chains.cpf]\nrobot: small.urdf\ncomponents:\n"
                "  plant: {type: driver_herkulex, property_file: herkulex.cpf,\n"
                "          properties: {ports: [/dev/null]}}\n");
  if (sn_deployed_load(&d, path_of("d.yaml")) != SN_OK) {
    fail_msg("%s", sn_test_problems(d.report));
  }
  const char *servos = get(&d, "plant", "servos");
  sn_assert_contains(servos, "{\"joint\":\"l1\",\"id\":11,");
  sn_assert_contains(servos, "\"zero\":523,\"direction\":-1");
  sn_assert_contains(servos, "{\"joint\":\"l2\",\"id\":12,");
  sn_assert_contains(servos, "\"zero\":-1,\"direction\":1");
  const char *said = sn_test_problems(d.report);
  sn_assert_contains(said, "'modes' is not used");
  sn_assert_contains(said, "'registers_init' is not used");
  sn_assert_contains(said, "'model' is not used");
  sn_deployed_free(&d);
}

SN_TEST(chains_are_kinematics_chains_through_a_property_file) {
  sn_deployed d;
  sn_deployed_init(&d);
  sn_test_write(folder, "d.yaml",
                "include: [standard.yaml]\nrobot: small.urdf\ncomponents:\n"
                "  model: {type: RobotModelURDF, property_file: chains.cpf}\n");
  if (sn_deployed_load(&d, path_of("d.yaml")) != SN_OK ||
      sn_system_begin(d.system, &d.err) != SN_OK) {
    fail_msg("%s\n%s", sn_test_problems(d.report), d.err.message);
  }
  sn_assert_contains(get(&d, "model", "kinematics_chains"), "\"last_link\":\"leg2\"");
  sn_deployed_run(&d, 0.05);
  assert_string_equal(sn_deployed_owner(&d, "leg"), "hold");
  sn_deployed_free(&d);
}

/* As on the command line: every file goes to those that it is about. */
SN_TEST(files_of_the_original_are_given_as_they_are) {
  static sn_test_run run;
  static const char files[] =
      "small.urdf --properties chains.cpf --properties models.cpf --properties limits.cpf "
      "--properties herkulex.cpf";
  char line[256];
  snprintf(line, sizeof line, "run %s --print-deployment", files);
  sn_test_program(&run, folder, line, NULL);
  assert_int_equal(run.code, 0);
  sn_assert_contains(run.output, "limits: [{chain: leg, q_min: [-0.1, -1], q_max: [0.1, 9]}]");
  sn_assert_contains(run.output, "default_servo_model:");
  size_t count = 0; /* servo_inv_7param, servo_ident, and the plant */
  for (const char *at = run.output; (at = strstr(at, "name: l1, kp: 90")) != NULL; at++) {
    const char *end = strchr(at, '\n');
    const char *alpha = strstr(at, "alpha: [50, 12, 0, 230]");
    const char *inertia = strstr(at, "inertia: 2.5");
    assert_true(alpha != NULL && alpha < end && inertia != NULL && inertia < end);
    count++;
  }
  assert_int_equal(count, 3);
  snprintf(line, sizeof line, "check %s", files);
  sn_test_program(&run, folder, line, NULL);
  assert_int_equal(run.code, 0);
  sn_assert_contains(run.output, "chain   leg          base -> leg2: l1 l2");
  sn_assert_contains(run.errors, "'servos' is not used: no component has a property of that name");
  sn_assert_contains(run.errors, "type: driver_herkulex");
  const char *remark = strstr(run.errors, "'servo_models' is in the form of");
  assert_non_null(remark);
  assert_null(strstr(remark + 1, "'servo_models' is in the form of")); /* once */
  snprintf(line, sizeof line, "run %s --headless --clock sim --duration 0.2", files);
  sn_test_program(&run, folder, line, NULL);
  assert_int_equal(run.code, 0);
}

/* With a driver in place of the plant, the bus file is its own. */
SN_TEST(bus_files_are_given_to_the_driver) {
  static sn_test_run run;
  sn_test_write(folder, "d.yaml",
                "include: [standard.yaml]\nrobot: small.urdf\ncomponents:\n"
                "  plant: {type: driver_herkulex, properties: {ports: [/dev/null]}}\n");
  sn_test_program(&run, folder,
                  "run d.yaml --properties chains.cpf --properties herkulex.cpf --print-deployment",
                  NULL);
  assert_int_equal(run.code, 0);
  sn_assert_contains(run.output, "{joint: l1, id: 11");
  sn_assert_contains(run.output, "zero: 523, direction: -1");
}

SN_TEST(other_spellings_of_properties_are_accepted) {
  sn_deployed d;
  open_with(&d, "  servo_ident: {properties: {relaxaton_factor: 0.9, treshhold: 0.5}}\n");
  assert_string_equal(get(&d, "servo_ident", "threshold"), "0.5");
  assert_int_equal(sn_deployed_set(&d, "servo_ident", "relaxaton_factor", "0.8"), SN_OK);
  assert_string_equal(get(&d, "servo_ident", "relaxation_factor"), "0.8");
  assert_string_equal(get(&d, "servo_ident", "treshhold"), "0.5");
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(d.system, "follow.releaseResosurces", &caller, &d.err), SN_OK);
  sn_caller_close(&caller);
  sn_deployed_free(&d);
  sn_deployed_init(&d);
  sn_test_write(folder, "d.yaml",
                "include: [standard.yaml]\nrobot: small.urdf\ncomponents:\n"
                "  servo_ident: {properties: {treshhold: 0.5, threshold: 0.1}}\n");
  assert_int_not_equal(sn_deployed_load(&d, path_of("d.yaml")), SN_OK);
  sn_assert_contains(sn_test_problems(d.report),
                     "'treshhold' and 'threshold' are the same property, given twice");
  sn_deployed_free(&d);
}

/* Both joints of the leg go to 0.2 with a smoothing: where they are after a time. */
static void follow_with(const char *smoothing, double time_s, double *l1, double *l2) {
  sn_deployed d;
  char text[400];
  snprintf(text, sizeof text,
           "  follow:\n    properties: {activation_delay: 0}\n"
           "    services: {smoothing: %s}\n",
           smoothing);
  open_with(&d, text);
  sn_deployed_run(&d, 0.1);
  assert_true(sn_deployed_switch(&d, "follow", true, "leg"));
  sn_source *ref = NULL;
  sn_tap *out = NULL;
  assert_int_equal(sn_source_open(d.system, "follow.in_joints_ref", NULL, &ref, &d.err), SN_OK);
  assert_int_equal(sn_tap_open(d.system, "follow.out_joints_ref", NULL, &out, &d.err), SN_OK);
  sn_deployed_run(&d, 0.01);
  sn_joint_state *msg = sn_source_msg(ref);
  (void)sn_msg_names_add(&msg->name, "l1", 2);
  (void)sn_msg_names_add(&msg->name, "l2", 2);
  msg->position.count = 2;
  msg->position.data[0] = msg->position.data[1] = 0.2;
  assert_int_equal(sn_source_write(ref), SN_OK);
  sn_deployed_run(&d, time_s);
  const sn_joint_state *now = sn_tap_read(out, NULL);
  *l1 = now->position.data[sn__msg_names_index(&now->name, "l1")];
  *l2 = now->position.data[sn__msg_names_index(&now->name, "l2")];
  sn_source_close(ref);
  sn_tap_close(out);
  sn_deployed_free(&d);
}

/* One joint takes 10 ms, the other one second. */
SN_TEST(joints_have_transient_times_of_their_own) {
  double slow, fast;
  follow_with(
      "{type: filter_exp, properties: {transient_time: 1,\n"
      "               joints: [{joint: l2, transient_time: 0.01}]}}",
      0.02, &slow, &fast);
  assert_true(slow < 0.01);
  sn_assert_near(fast, 0.2, 0.002);
}

/* One joint cruises at 0.05 rad/s from 0.1 s on, the other arrives. */
SN_TEST(joints_have_jerk_limits_of_their_own) {
  double slow, fast;
  follow_with(
      "{type: jerk_limited, properties: {\n"
      "               joints: [{joint: l1, velocity: 0.05, acceleration: 1, jerk: 20}]}}",
      1.1, &slow, &fast);
  /* Half of the acceleration's duration, and half of the jerk's, are lost. */
  sn_assert_near(slow, 0.05 * (1.1 - 0.5 * (0.05 + 0.05)), 1e-3);
  sn_assert_near(fast, 0.2, 1e-6);
}

SN_TEST(smoothing_of_an_unknown_joint_is_refused) {
  static const struct {
    const char *joints, *reason;
  } cases[] = {{"[{joint: l9}]", "joints[0]: the robot has no movable joint 'l9'"},
               {"[{joint: l1}, {joint: l1}]", "joints[1]: 'l1' appears twice"}};
  for (size_t i = 0; i < 2; i++) {
    sn_deployed d;
    char text[400];
    snprintf(text, sizeof text,
             "include: [standard.yaml, chains.cpf]\nrobot: small.urdf\ncomponents:\n  follow:\n"
             "    services: {smoothing: {type: jerk_limited, properties: {joints: %s}}}\n",
             cases[i].joints);
    sn_test_write(folder, "d.yaml", text);
    sn_deployed_init(&d);
    if (sn_deployed_load(&d, path_of("d.yaml")) == SN_OK) {
      assert_int_not_equal(sn_system_begin(d.system, &d.err), SN_OK);
    }
    sn_assert_contains(d.err.message, cases[i].reason);
    sn_deployed_free(&d);
  }
}

SN_TEST_GROUP(set_up, tear_down)
