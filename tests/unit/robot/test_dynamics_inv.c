#include <string.h>

#include "dyn/balance.h"
#include "model_rig.h"
#include "sinew/components.h"
#include "sinew/dyn.h"
#include "sinew/random.h"
#include "sn_test.h"

#define JOINTS_MAX 32

typedef struct fixture {
  model_rig m;
  sn_component *inv;
  sn_source *joints, *accel, *supports;
  sn_tap *effort, *balance;
  sn_balance *oracle;
  sn_dyn_data *dyn;
  sn_random random;
  size_t n;
  double q[JOINTS_MAX], qd[JOINTS_MAX], qdd[JOINTS_MAX];
} fixture;

static void open_robot(fixture *f, const char *name) {
  *f = (fixture){.n = 0};
  model_rig_open(&f->m, name);
  sn_random_init(&f->random, 51);
  f->n = sn_model_pose_size(f->m.model);
  f->inv = model_rig_add(&f->m, &sn_dynamics_inv_component, "dyn");
  f->joints = model_rig_source(&f->m, "dyn.joints_sorted");
  f->accel = model_rig_source(&f->m, "dyn.joints_accel");
  f->supports = model_rig_source(&f->m, "dyn.supports");
  f->effort = model_rig_tap(&f->m, "dyn.joints_effort");
  f->balance = model_rig_tap(&f->m, "dyn.balance");
  assert_int_equal(sn__balance_create(&f->m.arena, f->m.model, &f->oracle, NULL), SN_OK);
  assert_int_equal(sn_dyn_create(&f->m.arena, sn_model_tree(f->m.model), &f->dyn, NULL), SN_OK);
}

static void close_robot(fixture *f) {
  sn_tap_close(f->effort);
  sn_tap_close(f->balance);
  sn_source_close(f->joints);
  sn_source_close(f->accel);
  sn_source_close(f->supports);
  model_rig_close(&f->m);
}

static void draw(fixture *f, double speed) {
  for (size_t j = 0; j < f->n; j++) {
    f->q[j] = sn_random_between(&f->random, -0.3, 0.3);
    f->qd[j] = sn_random_between(&f->random, -speed, speed);
    f->qdd[j] = sn_random_between(&f->random, -speed, speed);
  }
}

static void write_accel(fixture *f) {
  sn_joint_state_accel *msg = sn_source_msg(f->accel);
  sn_msg_names_clear(&msg->name);
  for (size_t i = 0; i < f->n; i++) { /* backwards: names count, not places */
    const char *name = sn_model_joint(f->m.model, f->n - 1 - i)->name;
    assert_int_equal(sn_msg_names_add(&msg->name, name, strlen(name)), SN_OK);
    msg->acceleration.data[i] = f->qdd[f->n - 1 - i];
  }
  msg->acceleration.count = f->n;
  assert_int_equal(sn_source_write(f->accel), SN_OK);
}

static void add_support(sn_support_state *msg, const char *chain, const char *contact,
                        double support) {
  assert_int_equal(sn_msg_names_add(&msg->name, chain, strlen(chain)), SN_OK);
  assert_int_equal(sn_msg_names_add(&msg->contact, contact, strlen(contact)), SN_OK);
  msg->support.data[msg->support.count++] = support;
}

static void write_supports(fixture *f, size_t legs, const char *contact, double support) {
  static const char *const names[] = {"leg1", "leg2", "leg3", "leg4"};
  sn_support_state *msg = sn_source_msg(f->supports);
  sn_msg_reset(&sn_support_state_type, msg);
  for (size_t i = 0; i < legs; i++) {
    add_support(msg, names[i], contact, support);
  }
  assert_int_equal(sn_source_write(f->supports), SN_OK);
}

static const sn_joint_state *cycle(fixture *f) {
  sn_flow flow = SN_NO_DATA;
  model_rig_write_pose(&f->m, f->joints, f->q, f->qd);
  model_rig_cycle(&f->m);
  const sn_joint_state *effort = sn_tap_read(f->effort, &flow);
  assert_int_equal(flow, SN_NEW_DATA);
  return effort;
}

static void assert_efforts(const fixture *f, const sn_joint_state *got, const double *tau) {
  assert_int_equal(got->effort.count, f->n);
  assert_int_equal(got->name.count, f->n);
  assert_memory_equal(got->position.data, f->q, f->n * sizeof *f->q);
  assert_memory_equal(got->velocity.data, f->qd, f->n * sizeof *f->qd);
  for (size_t j = 0; j < f->n; j++) {
    assert_string_equal(sn_msg_names_at(&got->name, j), sn_model_joint(f->m.model, j)->name);
    sn_assert_near(got->effort.data[j], tau[j], 1e-10);
  }
}

SN_TEST(arm_needs_the_torques_of_newton_and_euler) {
  static const char *const robots[] = {"arm6", "arm_ur", "arm7", "desk_arm"};
  for (size_t r = 0; r < 4; r++) {
    fixture f;
    open_robot(&f, robots[r]);
    rig_begin(&f.m.r);
    for (size_t round = 0; round < sn_test_cases(50); round++) {
      double tau[JOINTS_MAX];
      draw(&f, 2.0);
      write_accel(&f);
      const sn_joint_state *effort = cycle(&f);
      sn_dyn_inverse(f.dyn, NULL, f.q, f.qd, f.qdd, tau, NULL);
      assert_efforts(&f, effort, tau);
      effort = cycle(&f); /* the accelerations were of the last pose: none now */
      sn_dyn_inverse(f.dyn, NULL, f.q, f.qd, NULL, tau, NULL);
      assert_efforts(&f, effort, tau);
    }
    const sn_balance_state *balance = sn_tap_read(f.balance, NULL);
    assert_int_equal(balance->polygon.count, 0);
    assert_int_equal(balance->contact.count, 0);
    assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, NULL, 0), 0);
    close_robot(&f);
  }
}

SN_TEST(velocities_may_be_differentiated) {
  fixture f;
  open_robot(&f, "arm6");
  rig_set(&f.m.r, f.inv, "differentiate", "true");
  rig_begin(&f.m.r);
  double tau[JOINTS_MAX];
  draw(&f, 0.1);
  const sn_joint_state *effort = cycle(&f);
  sn_dyn_inverse(f.dyn, NULL, f.q, f.qd, NULL, tau, NULL); /* one velocity does not give a change */
  assert_efforts(&f, effort, tau);
  for (size_t j = 0; j < f.n; j++) {
    f.qd[j] += 1e-3 * f.qdd[j];
  }
  effort = cycle(&f);
  sn_dyn_inverse(f.dyn, NULL, f.q, f.qd, f.qdd, tau, NULL);
  assert_efforts(&f, effort, tau);
  rig_run(&f.m.r, 200 * 1000000); /* after a pause the last velocity does not count */
  f.qd[0] += 1.0;
  effort = cycle(&f);
  sn_dyn_inverse(f.dyn, NULL, f.q, f.qd, NULL, tau, NULL);
  assert_efforts(&f, effort, tau);
  close_robot(&f);
}

/* The message agrees with the core, and names the chains that carry. */
SN_TEST(balance_is_that_of_the_core) {
  fixture f;
  open_robot(&f, "quadruped");
  rig_begin(&f.m.r);
  for (size_t round = 0; round < sn_test_cases(100); round++) {
    const size_t legs = round % 5;
    sn_support supports[4];
    for (size_t i = 0; i < legs; i++) {
      supports[i] = (sn_support){i, sn_model_contact_index(f.m.model, "hoof_fixed"), 0.5};
    }
    draw(&f, 0.5);
    write_accel(&f);
    write_supports(&f, legs, "hoof_fixed", 0.5);
    const sn_joint_state *effort = cycle(&f);
    const sn_balance_input input = {.q = f.q,
                                    .qd = f.qd,
                                    .qdd = f.qdd,
                                    .supports = supports,
                                    .support_count = legs,
                                    .gravity = {0, 0, -9.81},
                                    .friction = 0.6};
    double tau[JOINTS_MAX];
    sn_balance_result r;
    sn__balance_step(f.oracle, &input, tau, &r);
    assert_efforts(&f, effort, tau);
    const sn_balance_state *got = sn_tap_read(f.balance, NULL);
    assert_string_equal(got->header.frame_id.data, "base_link");
    sn_assert_near(got->mass, r.mass_kg, 1e-12);
    sn_assert_near(got->margin, r.margin_m, 1e-12);
    assert_memory_equal(&got->com, &r.com, sizeof r.com);
    assert_memory_equal(&got->com_velocity, &r.com_velocity, sizeof r.com);
    assert_memory_equal(&got->zmp, &r.zmp, sizeof r.zmp);
    assert_int_equal(got->polygon.count, r.corner_count);
    assert_memory_equal(got->polygon.data, r.corners, r.corner_count * sizeof *r.corners);
    assert_int_equal(got->contact.count, legs);
    assert_int_equal(got->wrench.count, legs);
    assert_memory_equal(got->wrench.data, r.wrenches, legs * sizeof *r.wrenches);
    for (size_t i = 0; i < legs; i++) {
      char name[40];
      snprintf(name, sizeof name, "leg%zu/hoof_fixed", i + 1);
      assert_string_equal(sn_msg_names_at(&got->contact, i), name);
    }
  }
  close_robot(&f);
}

/* Standing still on four hooves: each pair carries the same left and right, all of it together. */
SN_TEST(standing_robot_is_carried_by_the_ground) {
  fixture f;
  open_robot(&f, "quadruped");
  rig_begin(&f.m.r);
  write_supports(&f, 4, "", 1.0); /* the contact that the chain has */
  (void)cycle(&f);
  const sn_balance_state *b = sn_tap_read(f.balance, NULL);
  assert_int_equal(b->contact.count, 4);
  assert_string_equal(sn_msg_names_at(&b->contact, 2), "leg3/hoof_flat");
  double sum = 0.0;
  for (size_t i = 0; i < 4; i++) {
    sum += b->wrench.data[i].lin.z;
  }
  sn_assert_near(sum, b->mass * 9.81, 1e-8);
  sn_assert_near(b->zmp.x, b->com.x, 1e-9);
  sn_assert_near(b->zmp.y, b->com.y, 1e-9);
  assert_true(b->margin > 0.0);
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, NULL, 0), 0);
  close_robot(&f);
}

SN_TEST(imbalance_is_logged_once) {
  fixture f;
  open_robot(&f, "quadruped");
  rig_begin(&f.m.r);
  char text[200];
  for (int i = 0; i < 3; i++) {
    write_supports(&f, 1, "hoof_center", 1.0);
    (void)cycle(&f);
  }
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "the contacts cannot balance the robot");
  const sn_balance_state *b = sn_tap_read(f.balance, NULL);
  assert_true(b->margin < 0.0);
  write_supports(&f, 4, "", 1.0);
  (void)cycle(&f);
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_INFO, text, sizeof text), 1);
  sn_assert_contains(text, "the contacts can balance again");
  close_robot(&f);
}

SN_TEST(supports_of_another_robot_are_reported) {
  fixture f;
  open_robot(&f, "quadruped");
  rig_begin(&f.m.r);
  sn_support_state *msg = sn_source_msg(f.supports);
  for (int i = 0; i < 2; i++) {
    sn_msg_reset(&sn_support_state_type, msg);
    add_support(msg, "leg1", "", 0.0);
    add_support(msg, "leg1", "hoof_center", 1.0); /* named twice: the last counts */
    add_support(msg, "leg7", "hoof_flat", 1.0);
    add_support(msg, "leg2", "claw", 1.0);
    assert_int_equal(sn_source_write(f.supports), SN_OK);
    (void)cycle(&f);
  }
  const sn_balance_state *b = sn_tap_read(f.balance, NULL);
  assert_int_equal(b->contact.count, 2);
  assert_string_equal(sn_msg_names_at(&b->contact, 0), "leg1/hoof_center");
  assert_string_equal(sn_msg_names_at(&b->contact, 1), "leg2/hoof_flat");
  size_t said = 0;
  sn_log_record record;
  while (sn_log_read(f.m.r.log, &record)) {
    char text[200];
    sn_log_format(&record, text, sizeof text);
    said += strstr(text, "supports: 2 unknown chains or contacts") != NULL;
  }
  assert_int_equal(said, 1);
  close_robot(&f);
}

SN_TEST(incomplete_pose_is_not_used) {
  fixture f;
  open_robot(&f, "arm6");
  rig_begin(&f.m.r);
  sn_joint_state *msg = sn_source_msg(f.joints);
  assert_int_equal(sn_msg_names_add(&msg->name, "joint1", 6), SN_OK);
  msg->position.count = 1;
  assert_int_equal(sn_source_write(f.joints), SN_OK);
  model_rig_cycle(&f.m);
  assert_null(sn_tap_read(f.effort, NULL));
  (void)cycle(&f);
  close_robot(&f);
}

SN_TEST(bad_gravity_is_refused) {
  fixture f;
  open_robot(&f, "arm6");
  rig_set(&f.m.r, f.inv, "gravity", "[0, 0, 0]");
  assert_int_equal(sn_system_begin(f.m.r.system, &f.m.r.err), SN_EINVAL);
  sn_assert_contains(f.m.r.err.message, "gravity is zero");
  assert_int_equal(rig_try_set(&f.m.r, f.inv, "gravity", "[0, 0]"), SN_EINVAL);
  close_robot(&f);
}

SN_TEST(model_can_be_configured_again_below_it) {
  fixture f;
  open_robot(&f, "quadruped");
  for (int i = 0; i < 3; i++) {
    rig_begin(&f.m.r);
    write_supports(&f, 4, "", 1.0);
    (void)cycle(&f);
    sn_system_end(f.m.r.system);
  }
  close_robot(&f);
}

static void feed(void *context) {
  fixture *f = context;
  static const char *const contacts[] = {"hoof_flat", "hoof_center", "hoof_fixed"};
  draw(f, 0.5);
  write_accel(f);
  write_supports(f, (size_t)sn_random_below(&f->random, 5),
                 contacts[sn_random_below(&f->random, 3)], sn_random_unit(&f->random));
  model_rig_write_pose(&f->m, f->joints, f->q, f->qd);
}

SN_TEST(cycles_touch_no_heap) {
  fixture f;
  open_robot(&f, "quadruped");
  rig_begin(&f.m.r);
  model_rig_cycle_without_heap(&f.m, 200, feed, &f);
  assert_non_null(sn_tap_read(f.balance, NULL));
  close_robot(&f);
}
