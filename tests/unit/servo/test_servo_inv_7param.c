#include <string.h>

#include "model_rig.h"
#include "program.h"
#include "servo/servo_store.h"
#include "servo_rig.h"
#include "sinew/components.h"
#include "sinew/random.h"
#include "sn_test.h"

#define JOINTS_MAX 64

typedef struct fixture {
  model_rig m;
  sn_component *inv;
  sn_source *joints, *accel, *limp, *models, *battery;
  sn_tap *goals;
  sn_random random;
  size_t n;
  double q[JOINTS_MAX], qd[JOINTS_MAX], qdd[JOINTS_MAX], tau[JOINTS_MAX];
} fixture;

static void open_robot(fixture *f) {
  *f = (fixture){.n = 0};
  model_rig_open(&f->m, "quadruped");
  sn_random_init(&f->random, 7);
  f->n = sn_model_pose_size(f->m.model);
  f->inv = model_rig_add(&f->m, &sn_servo_inv_7param_component, "inv");
  f->joints = model_rig_source(&f->m, "inv.joints_sorted");
  f->accel = model_rig_source(&f->m, "inv.joints_accel");
  f->models = model_rig_source(&f->m, "inv.servo_model");
  f->battery = model_rig_source(&f->m, "inv.battery_state");
  f->goals = model_rig_tap(&f->m, "inv.out_goals");
  for (size_t j = 0; j < f->n; j++) {
    f->q[j] = sn_random_between(&f->random, -0.5, 0.5);
    f->qd[j] = sn_random_between(&f->random, 0.2, 1.0);
    f->qdd[j] = sn_random_between(&f->random, -3.0, 3.0);
    f->tau[j] = sn_random_between(&f->random, -1.0, 1.0);
  }
}

static void close_robot(fixture *f) {
  sn_tap_close(f->goals);
  sn_source_close(f->joints);
  sn_source_close(f->accel);
  sn_source_close(f->models);
  sn_source_close(f->battery);
  sn_source_close(f->limp);
  model_rig_close(&f->m);
}

static const char *joint(const fixture *f, size_t j) {
  return sn_model_joint(f->m.model, j)->name;
}

static void write_inputs(void *context) {
  fixture *f = context;
  sn_joint_state *msg = sn_source_msg(f->joints);
  msg->effort.count = f->n;
  memcpy(msg->effort.data, f->tau, f->n * sizeof *f->tau);
  sn_joint_state_accel *accel = sn_source_msg(f->accel);
  sn_msg_names_share(&accel->name, sn_model_joint_names(f->m.model));
  accel->acceleration.count = f->n;
  memcpy(accel->acceleration.data, f->qdd, f->n * sizeof *f->qdd);
  assert_int_equal(sn_source_write(f->accel), SN_OK);
  model_rig_write_pose(&f->m, f->joints, f->q, f->qd);
}

static const sn_servo_goal *cycle(fixture *f) {
  sn_flow flow = SN_NO_DATA;
  write_inputs(f);
  model_rig_cycle(&f->m);
  const sn_servo_goal *goals = sn_tap_read(f->goals, &flow);
  assert_int_equal(flow, SN_NEW_DATA);
  assert_int_equal(goals->name.count, f->n);
  assert_int_equal(goals->goal.count, f->n);
  for (size_t j = 0; j < f->n; j++) {
    assert_string_equal(sn_msg_names_at(&goals->name, j), joint(f, j));
  }
  return goals;
}

static double expected(const fixture *f, size_t j, const sn_servo_params *params, double voltage) {
  const sn_servo_motion m = {.q = f->q[j], .qd = f->qd[j], .qdd = f->qdd[j], .tau = f->tau[j]};
  return sn_servo_goal_of(params, voltage, &m, SN_SERVO_DEAD_ZONE);
}

static void write_model_with(fixture *f, const char *name, const sn_servo_params *p,
                             bool has_load_friction) {
  sn_servo_model_array *msg = sn_source_msg(f->models);
  msg->models.count = 1;
  sn_servo_model *model = &msg->models.data[0];
  assert_int_equal(sn_msg_text_set(&model->name, name), SN_OK);
  model->kp = p->kp;
  model->kgear = p->kgear;
  memcpy(model->alpha, p->alpha, sizeof model->alpha);
  model->qs = p->qs;
  model->delta = p->delta;
  model->inertia = p->inertia;
  memcpy(model->load_friction, p->ext.load, sizeof model->load_friction);
  model->has_load_friction = has_load_friction;
  assert_int_equal(sn_source_write(f->models), SN_OK);
}

static void write_model(fixture *f, const char *name, const sn_servo_params *p) {
  write_model_with(f, name, p, false);
}

static void write_voltage(fixture *f, float voltage) {
  ((sn_battery_state *)sn_source_msg(f->battery))->voltage = voltage;
  assert_int_equal(sn_source_write(f->battery), SN_OK);
}

static const sn_servo_params knee = {.kp = 100.0,
                                     .kgear = -2.0,
                                     .alpha = {40.0, 8.0, 5.0, 200.0},
                                     .qs = 0.2,
                                     .delta = 2.0,
                                     .inertia = 0.05};
#define KNEE "kp: 100, kgear: -2, alpha: [40, 8, 5, 200], qs: 0.2, delta: 2, inertia: 0.05"

SN_TEST(goals_come_from_the_models_by_name) {
  fixture f;
  open_robot(&f);
  char text[400];
  snprintf(text, sizeof text, "[{name: %s, " KNEE "}, {name: %s, kp: 50}]", joint(&f, 4),
           joint(&f, 2));
  rig_set(&f.m.r, f.inv, "servo_models", text);
  rig_set(&f.m.r, f.inv, "default_servo_model", "{kp: 10, alpha: [1, 2, 3, 4]}");
  rig_begin(&f.m.r);
  sn_servo_params others = {.kp = 10, .kgear = 1, .alpha = {1, 2, 3, 4}, .qs = 0.1, .delta = 1};
  sn_servo_params second = {.kp = 50, .kgear = 1, .qs = 0.1, .delta = 1};
  const sn_servo_goal *goals = cycle(&f);
  for (size_t j = 0; j < f.n; j++) {
    const sn_servo_params *p = j == 4 ? &knee : j == 2 ? &second : &others;
    sn_assert_near(goals->goal.data[j], expected(&f, j, p, 12.0), 1e-12);
  }
  assert_int_equal(goals->limp.count, 0);
  /* The lead can change while running. */
  rig_set(&f.m.r, f.inv, "lead", "0.01");
  goals = cycle(&f);
  sn_servo_motion m = {.q = f.q[4] + 0.01 * f.qd[4] + 0.00005 * f.qdd[4],
                       .qd = f.qd[4] + 0.01 * f.qdd[4],
                       .qdd = f.qdd[4],
                       .tau = f.tau[4]};
  sn_assert_near(goals->goal.data[4], sn_servo_goal_of(&knee, 12.0, &m, SN_SERVO_DEAD_ZONE), 1e-12);
  close_robot(&f);
}

SN_TEST(without_models_a_goal_is_the_pose) {
  fixture f;
  open_robot(&f);
  rig_begin(&f.m.r);
  const sn_servo_goal *goals = cycle(&f);
  for (size_t j = 0; j < f.n; j++) {
    assert_true(goals->goal.data[j] == f.q[j]);
  }
  close_robot(&f);
}

SN_TEST(model_of_one_servo_is_replaced_in_flight) {
  fixture f;
  open_robot(&f);
  rig_set(&f.m.r, f.inv, "model_change_time", "0.05");
  f.q[6] = 0.8;
  rig_begin(&f.m.r);
  cycle(&f);
  write_model(&f, joint(&f, 6), &knee);
  for (int i = 0; i < 60; i++) {
    const double last = ((const sn_servo_goal *)sn_tap_read(f.goals, NULL))->goal.data[6];
    const sn_servo_goal *goals = cycle(&f);
    assert_true(fabs(goals->goal.data[6] - last) < 0.1); /* the whole change is more than 2 */
    assert_true(goals->goal.data[5] == f.q[5]);
  }
  const sn_servo_goal *goals = sn_tap_read(f.goals, NULL);
  sn_assert_near(goals->goal.data[6], expected(&f, 6, &knee, 12.0), 1e-12);
  assert_true(fabs(goals->goal.data[6] - f.q[6]) > 1.0);
  close_robot(&f);
}

/* A message that says nothing about it leaves the friction of load as it was. */
SN_TEST(friction_of_load_comes_with_a_model_or_stays) {
  fixture f;
  open_robot(&f);
  f.q[6] = 0.3;
  f.qd[6] = 0.7;
  f.tau[6] = 1.5;
  rig_begin(&f.m.r);
  sn_servo_params loaded = knee;
  loaded.ext.load[0] = 20.0;
  loaded.ext.load[1] = 7.0;
  write_model_with(&f, joint(&f, 6), &loaded, true);
  for (int i = 0; i < 2000; i++) { /* until the model has changed */
    cycle(&f);
  }
  sn_assert_near(cycle(&f)->goal.data[6], expected(&f, 6, &loaded, 12.0), 1e-12);
  assert_true(fabs(expected(&f, 6, &loaded, 12.0) - expected(&f, 6, &knee, 12.0)) > 0.01);
  sn_servo_params stiffer = loaded;
  stiffer.alpha[3] *= 1.5;
  write_model(&f, joint(&f, 6), &stiffer);
  for (int i = 0; i < 2000; i++) {
    cycle(&f);
  }
  sn_assert_near(cycle(&f)->goal.data[6], expected(&f, 6, &stiffer, 12.0), 1e-12);
  close_robot(&f);
}

SN_TEST(unknown_servos_and_invalid_models_are_logged_and_not_used) {
  fixture f;
  open_robot(&f);
  rig_begin(&f.m.r);
  char text[300];
  rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text);
  write_model(&f, "missing", &knee);
  cycle(&f);
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  assert_non_null(strstr(text, "'missing' is not a joint of the robot"));
  rig_run(&f.m.r, 1100000000);
  sn_servo_params bad = knee;
  bad.kp = 0.0;
  write_model(&f, joint(&f, 3), &bad);
  const sn_servo_goal *goals = cycle(&f);
  assert_true(goals->goal.data[3] == f.q[3]);
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  assert_non_null(strstr(text, "no servo can have"));
  /* Not again for a second. */
  write_model(&f, joint(&f, 3), &bad);
  cycle(&f);
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 0);
  close_robot(&f);
}

SN_TEST(voltage_is_that_of_the_battery) {
  fixture f;
  open_robot(&f);
  rig_set(&f.m.r, f.inv, "default_servo_model", "{" KNEE "}");
  rig_begin(&f.m.r);
  char text[300];
  rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text);
  sn_assert_near(cycle(&f)->goal.data[1], expected(&f, 1, &knee, 12.0), 1e-12);
  write_voltage(&f, 10.5F);
  sn_assert_near(cycle(&f)->goal.data[1], expected(&f, 1, &knee, 10.5), 1e-12);
  write_voltage(&f, NAN); /* not measured */
  sn_assert_near(cycle(&f)->goal.data[1], expected(&f, 1, &knee, 10.5), 1e-12);
  const float bad[] = {0.0F, -12.0F, 0.2F};
  for (size_t i = 0; i < 3; i++) {
    write_voltage(&f, bad[i]);
    sn_assert_near(cycle(&f)->goal.data[1], expected(&f, 1, &knee, 10.5), 1e-12);
  }
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  assert_non_null(strstr(text, "battery_voltage_min"));
  for (size_t i = 0; i < 6; i++) { /* it goes up and down within a second */
    write_voltage(&f, i % 2 == 0 ? 10.5F : 0.2F);
    cycle(&f);
  }
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 0);
  close_robot(&f);
}

SN_TEST(limp_is_passed_on_by_name) {
  fixture f;
  open_robot(&f);
  f.limp = model_rig_source(&f.m, "inv.limp");
  rig_begin(&f.m.r);
  const sn_servo_goal *goals = cycle(&f);
  assert_int_equal(goals->limp.count, f.n); /* held, all of them */
  sn_servo_goal *msg = sn_source_msg(f.limp);
  const size_t which[] = {7, 3};
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(sn_msg_names_add(&msg->name, joint(&f, which[i]), strlen(joint(&f, which[i]))),
                     SN_OK);
    msg->limp.data[i] = i == 0;
  }
  msg->limp.count = 2;
  assert_int_equal(sn_source_write(f.limp), SN_OK);
  goals = cycle(&f);
  for (size_t j = 0; j < f.n; j++) {
    assert_int_equal(goals->limp.data[j], j == 7);
  }
  msg->limp.data[0] = false;
  assert_int_equal(sn_source_write(f.limp), SN_OK);
  assert_false(cycle(&f)->limp.data[7]);
  close_robot(&f);
}

static void refused(const char *property, const char *value, const char *reason) {
  fixture f;
  open_robot(&f);
  sn_status status = rig_try_set(&f.m.r, f.inv, property, value);
  if (status == SN_OK) {
    status = sn_system_begin(f.m.r.system, &f.m.r.err);
  }
  assert_int_not_equal(status, SN_OK);
  if (strstr(f.m.r.err.message, reason) == NULL) {
    fail_msg("'%s' does not say '%s'", f.m.r.err.message, reason);
  }
  close_robot(&f);
}

SN_TEST(invalid_models_are_refused_by_name) {
  refused("servo_models", "[{name: missing, kp: 1}]", "'missing' is not a joint of the robot");
  refused("servo_models", "[{name: leg1_joint1, kp: 0}]", "kp' is 0, expected");
  refused("servo_models", "[{name: leg1_joint1, kp: 1, kgear: 0}]", "kgear is 0");
  refused("servo_models", "[{name: leg1_joint1}]", "kp");
  refused("servo_models", "[{kp: 3}]", "name");
  refused("servo_models", "[{name: leg1_joint1, kp: 1}, {name: leg1_joint1, kp: 1}]", "twice");
  refused("servo_models", "[{name: leg1_joint1, kp: 1, alpha: [1, 2, 3]}]", "alpha has 3");
  refused("servo_models", "[{name: leg1_joint1, kp: 1, alpha: [1, 2, 3, .nan]}]", "alpha");
  refused("default_servo_model", "{kp: -3}", "kp' is -3, expected");
  refused("battery_voltage", "0", "battery_voltage");
  refused("lead", "-1", "lead");
}

SN_TEST(file_wins_over_the_property) {
  char folder[64];
  char path[128];
  sn_test_folder_create(folder);
  snprintf(path, sizeof path, "%s/servo_models.yaml", folder);
  fixture f;
  open_robot(&f);
  char text[400];
  snprintf(text, sizeof text, "[{name: %s, kp: 3}, {name: %s, kp: 3, alpha: [1, 0, 0, 0]}]",
           joint(&f, 0), joint(&f, 1));
  rig_set(&f.m.r, f.inv, "servo_models", text);
  rig_set(&f.m.r, f.inv, "servo_models_file", path);
  sn_error err;
  sn_servo_entry entry = {.name = joint(&f, 0), .params = knee, .has_alpha = true};
  const sn_servo_list list = {.entries = &entry, .count = 1};
  assert_int_equal(sn__servo_store_save(path, &list, &err), SN_OK);
  rig_begin(&f.m.r);
  const sn_servo_goal *goals = cycle(&f);
  const sn_servo_params other = {.kp = 3, .kgear = 1, .alpha = {1}, .qs = 0.1, .delta = 1};
  sn_assert_near(goals->goal.data[0], expected(&f, 0, &knee, 12.0), 1e-12);
  sn_assert_near(goals->goal.data[1], expected(&f, 1, &other, 12.0), 1e-12);
  close_robot(&f);
  /* A missing file is accepted; an invalid one is rejected with its line. */
  char set[160];
  snprintf(set, sizeof set, "%s", path);
  FILE *out = fopen(path, "w");
  fputs("servo_models:\n  - {name: leg1_joint1, kp: oops}\n", out);
  fclose(out);
  refused("servo_models_file", set, "servo_models.yaml:2:");
  out = fopen(path, "w");
  fputs("servo_models: [{name: missing, kp: 1}]\n", out);
  fclose(out);
  refused("servo_models_file", set, "'missing' is not a joint of the robot");
  sn_test_folder_remove(folder);
}

SN_TEST(cycles_do_not_touch_the_heap) {
  fixture f;
  open_robot(&f);
  rig_begin(&f.m.r);
  model_rig_cycle_without_heap(&f.m, 100, write_inputs, &f);
  close_robot(&f);
}
