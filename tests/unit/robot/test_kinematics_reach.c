/* Inverse kinematics of limbs: targets out of reach, frames, properties. */
#include "kinematics_rig.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

static sn_limb_state *copy_limbs(fixture *f, const sn_limb_state *limbs) {
  sn_limb_state *copy = sn_msg_create(&f->m.arena, &sn_limb_state_type, NULL);
  assert_int_equal(sn_msg_copy(&sn_limb_state_type, copy, limbs), SN_OK);
  return copy;
}

static void expect_failed(fixture *f, size_t count) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(f->m.r.system, "inv.listFailed", &caller, &f->m.r.err), SN_OK);
  sn_call_names *answer = sn_msg_create(&f->m.r.arena, &sn_call_names_type, NULL);
  const sn_status status = sn_call(&caller, NULL, answer, &f->m.r.err);
  sn_caller_close(&caller);
  if (status != SN_OK) {
    fail_msg("%s", f->m.r.err.message);
  }
  assert_int_equal(answer->names.count, count);
}

SN_TEST(limb_out_of_reach_keeps_its_pose_with_hold) {
  fixture f;
  kinematics_begin_robot(&f, "arm6", (const char *const[]){"unreachable", "hold", NULL});
  kinematics_draw(&f);
  const sn_limb_state *limbs = kinematics_forward(&f);
  sn_limb_state *far_away = copy_limbs(&f, limbs);
  far_away->pose.data[0].position.x += 10.0;

  /* Never solved before: where it is. */
  const sn_joint_state *joints = kinematics_inverse(&f, f.near, far_away);
  assert_non_null(joints);
  for (size_t j = 0; j < f.n; j++) {
    assert_true(joints->position.data[j] == f.near[j]);
    assert_true(joints->velocity.data[j] == 0.0);
  }
  char text[200];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "arm cannot get there: it keeps its pose");
  expect_failed(&f, 1);

  /* Solved, then not: the last answer, again and again, and one line in the log. */
  joints = kinematics_inverse(&f, f.near, limbs);
  assert_non_null(joints);
  expect_failed(&f, 0);
  double last[JOINTS_MAX];
  memcpy(last, joints->position.data, f.n * sizeof *last);
  (void)rig_drain_log(&f.m.r, SN_LOG_DEBUG, NULL, 0);
  rig_run(&f.m.r, INT64_C(1000000000)); /* a second after the last line like it */
  for (int i = 0; i < 3; i++) {
    joints = kinematics_inverse(&f, f.near, far_away);
    assert_non_null(joints);
    assert_memory_equal(joints->position.data, last, f.n * sizeof *last);
  }
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, NULL, 0), 1);

  /* Somebody else has moved the arm meanwhile: the last answer would be a jump. */
  f.near[1] += 0.6;
  joints = kinematics_inverse(&f, f.near, far_away);
  assert_non_null(joints);
  assert_true(joints->position.data[1] == f.near[1]);

  /* A quaternion of length zero is not a pose. */
  far_away->pose.data[0].orientation = (sn_quat){0, 0, 0, 0};
  joints = kinematics_inverse(&f, f.near, far_away);
  assert_non_null(joints);
  assert_true(joints->position.data[1] == f.near[1]);
  kinematics_close_robot(&f);
}

/* A target at the edge of the reach, or two sources that disagree, must not fill the log. */
SN_TEST(log_is_not_flooded) {
  fixture f;
  kinematics_begin_robot(&f, "arm6", NULL);
  kinematics_draw(&f);
  const sn_limb_state *limbs = kinematics_forward(&f);
  sn_limb_state *far_away = copy_limbs(&f, limbs);
  far_away->pose.data[0].position.x += 10.0;
  sn_limb_state *odd = copy_limbs(&f, limbs);
  assert_int_equal(sn_msg_text_set(&odd->header.frame_id, "moon"), SN_OK);
  for (int i = 0; i < 100; i++) {
    (void)kinematics_inverse(&f, f.near, far_away);
    (void)kinematics_inverse(&f, f.near, limbs);
    (void)kinematics_inverse(&f, f.near, odd);
  }
  /* "cannot get there", "gets there again", "unknown frame": once each. */
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_INFO, NULL, 0), 3);
  rig_run(&f.m.r, INT64_C(1000000000));
  (void)kinematics_inverse(&f, f.near, odd);
  char text[200];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "a reference in an unknown frame (99 more suppressed)");
  kinematics_close_robot(&f);
}

/* One answer, with the pose that it is from: never a jump. The pose becomes the answer. */
static void follow(fixture *f, double *q, const sn_limb_state *target, double jump_max) {
  const sn_joint_state *joints = kinematics_inverse(f, q, target);
  assert_non_null(joints);
  assert_int_equal(joints->position.count, f->n);
  for (size_t j = 0; j < f->n; j++) {
    assert_true(fabs(joints->position.data[j] - q[j]) <= jump_max + 1e-9);
    q[j] = joints->position.data[j];
  }
}

static sn_vec3 tip_at(fixture *f, const double *q) {
  return sn_chain_fk(sn_model_chain(f->m.model, 0, true), q).pos;
}

/* Pulled by a target far out it ends stretched towards it: of many random poses none is farther out
   by more than the samples are coarse. Each answer is nearer than the one before. */
SN_TEST(limb_goes_as_near_as_it_can) {
  fixture f;
  kinematics_begin_robot(
      &f, "arm6",
      (const char *const[]){"free", "[{chain: arm, axes: [rx, ry, rz]}]", "timeout", "0.5", NULL});
  kinematics_draw(&f);
  sn_limb_state *target = copy_limbs(&f, kinematics_forward(&f));
  const sn_vec3 goal = {3.0, -2.0, 1.0};
  target->pose.data[0].position = goal;
  double q[JOINTS_MAX];
  memcpy(q, f.q, sizeof q);
  double last = sn_vec3_norm(sn_vec3_sub(goal, tip_at(&f, q)));
  const double first = last;
  for (int i = 0; i < 40; i++) {
    follow(&f, q, target, 0.5);
    const double left = sn_vec3_norm(sn_vec3_sub(goal, tip_at(&f, q)));
    assert_true(left <= last + 1e-9);
    last = left;
  }
  assert_true(last < first - 0.1);
  double least = INFINITY;
  for (int i = 0; i < 20000; i++) {
    kinematics_draw(&f);
    least = fmin(least, sn_vec3_norm(sn_vec3_sub(goal, tip_at(&f, f.q))));
  }
  assert_true(last <= least + 1e-6);
  char text[200];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "arm cannot get there at once: it goes as near as it can");
  expect_failed(&f, 1);
  /* Back in reach: reached, and logged. */
  memcpy(f.q, q, sizeof q);
  f.q[1] += 0.1;
  f.q[2] += 0.1;
  target->pose.data[0].position = tip_at(&f, f.q);
  for (int i = 0; i < 20; i++) {
    follow(&f, q, target, 0.5);
  }
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(tip_at(&f, q), tip_at(&f, f.q))), 0.0, 1e-5);
  expect_failed(&f, 0);
  kinematics_close_robot(&f);
}

SN_TEST(joint_at_its_limit_is_named) {
  fixture f;
  kinematics_begin_robot(&f, "arm6", (const char *const[]){"timeout", "0.5", NULL});
  const double upper = sn_model_joint(f.m.model, 0)->upper;
  double q[JOINTS_MAX] = {upper - 0.2, 0.3, -0.6, 0.1, 0.8, 0.0};
  double beyond[JOINTS_MAX];
  memcpy(beyond, q, sizeof beyond);
  beyond[0] = upper + 0.1;
  memcpy(f.q, beyond, sizeof f.q);
  sn_limb_state *target = copy_limbs(&f, kinematics_forward(&f));
  follow(&f, q, target, 0.5);
  sn_assert_near(q[0], upper, 1e-9);
  char text[300];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "arm cannot get there: it goes as near as it can");
  sn_assert_contains(text, "joint1 is at its limit");
  kinematics_close_robot(&f);
}

/* A target that is reachable, but not at once: each answer is a step of at most jump_max. */
SN_TEST(far_target_is_approached_in_steps) {
  fixture f;
  kinematics_begin_robot(&f, "arm6",
                         (const char *const[]){"jump_max", "0.05", "timeout", "0.5", NULL});
  double q[JOINTS_MAX] = {0.0, 0.3, -0.6, 0.1, 0.8, 0.0};
  memcpy(f.q, q, sizeof f.q);
  f.q[0] += 0.4;
  f.q[4] -= 0.2;
  sn_limb_state *target = copy_limbs(&f, kinematics_forward(&f));
  for (int i = 0; i < 30; i++) {
    follow(&f, q, target, 0.05);
  }
  for (size_t j = 0; j < f.n; j++) {
    sn_assert_near(q[j], f.q[j], 1e-5);
  }
  expect_failed(&f, 0);
  kinematics_close_robot(&f);
}

/* A straight leg cannot get shorter by a small step of its joints: it has to bend first. */
SN_TEST(straight_limb_bends_to_get_shorter) {
  fixture f;
  kinematics_begin_robot(&f, "quadruped", (const char *const[]){"timeout", "0.5", NULL});
  memset(f.q, 0, sizeof f.q);
  sn_limb_state *target = sn_msg_create(&f.m.arena, &sn_limb_state_type, NULL);
  for (int k = 1; k <= 4; k++) {
    assert_int_equal(sn_msg_copy(&sn_limb_state_type, target, kinematics_forward(&f)), SN_OK);
    target->pose.data[0].position.z += 0.015 * k;
    double q[JOINTS_MAX] = {0};
    for (int i = 0; i < 20; i++) {
      follow(&f, q, target, 0.5);
    }
    const double *at = &target->pose.data[0].position.x;
    const sn_vec3 gap = sn_vec3_sub((sn_vec3){at[0], at[1], at[2]}, tip_at(&f, q));
    sn_assert_near(sn_vec3_norm(gap), 0.0, 1e-9);
  }
  kinematics_close_robot(&f);
}

SN_TEST(solution_beyond_jump_max_is_not_used) {
  fixture f;
  kinematics_begin_robot(&f, "arm6",
                         (const char *const[]){"jump_max", "0.01", "unreachable", "hold", NULL});
  kinematics_draw(&f);
  const sn_limb_state *limbs = kinematics_forward(&f);
  memcpy(f.near, f.q, sizeof f.near);
  f.near[0] += 0.1;
  const sn_joint_state *joints = kinematics_inverse(&f, f.near, limbs);
  assert_non_null(joints);
  assert_true(joints->position.data[0] == f.near[0]);
  expect_failed(&f, 1);
  kinematics_close_robot(&f);
}

SN_TEST(nothing_is_answered_without_a_pose_or_a_known_name) {
  fixture f;
  kinematics_begin_robot(&f, "quadruped", NULL);
  kinematics_draw(&f);
  char text[200];
  const sn_limb_state *limbs = kinematics_forward(&f);
  assert_null(kinematics_inverse(&f, NULL, limbs));
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "before the pose of the joints is known");
  assert_non_null(kinematics_inverse(&f, f.near, limbs));
  sn_limb_state *odd = copy_limbs(&f, limbs);
  assert_int_equal(sn_msg_text_set(&odd->header.frame_id, "moon"), SN_OK);
  assert_null(kinematics_inverse(&f, f.near, odd));
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "unknown frame");
  sn_msg_names_clear(&odd->name);
  assert_int_equal(sn_msg_names_add(&odd->name, "tail", 4), SN_OK);
  assert_int_equal(sn_msg_text_set(&odd->header.frame_id, ""), SN_OK);
  assert_null(kinematics_inverse(&f, f.near, odd));
  kinematics_close_robot(&f);
}

/* Poses in the frame of another link come out as if they had been given in the root. */
SN_TEST(references_may_be_in_any_frame) {
  fixture f;
  kinematics_open_robot(&f, "quadruped");
  rig_set(&f.m.r, f.fwd, "frame", "head_link2");
  rig_set(&f.m.r, f.inv, "chains", "[leg1, leg2, leg3, leg4]");
  rig_begin(&f.m.r);
  for (size_t round = 0; round < sn_test_cases(20); round++) {
    kinematics_draw(&f);
    for (size_t j = 0; j < f.n; j++) { /* the frame itself must be where it was */
      const int chain = sn_model_joint(f.m.model, j)->chain;
      f.near[j] = chain >= 4 ? f.q[j] : f.near[j];
    }
    const sn_joint_state *joints = kinematics_inverse(&f, f.near, kinematics_forward(&f));
    assert_non_null(joints);
    assert_int_equal(joints->name.count, 24);
    for (size_t i = 0; i < joints->name.count; i++) {
      const int j = sn_model_joint_index(f.m.model, sn_msg_names_at(&joints->name, i));
      f.near[j] = joints->position.data[i];
    }
    for (size_t c = 0; c < 4; c++) {
      const sn_chain *chain = sn_model_chain(f.m.model, c, true);
      const sn_link *tip = sn_model_link(f.m.model, (size_t)chain->last_link);
      sn_kin_update(f.kin, f.q);
      const sn_pose wanted = sn_kin_link_pose(f.kin, tip);
      sn_kin_update(f.kin, f.near);
      sn_assert_pose_near(sn_kin_link_pose(f.kin, tip), wanted, 1e-5);
    }
  }
  kinematics_close_robot(&f);
}

static void refuse_with(const char *property, const char *value, const char *reason) {
  fixture f;
  kinematics_open_robot(&f, "quadruped");
  sn_component *who = strcmp(property, "frame") == 0 ? f.fwd : f.inv;
  rig_set(&f.m.r, who, property, value);
  assert_true(sn_system_begin(f.m.r.system, &f.m.r.err) != SN_OK);
  sn_assert_contains(f.m.r.err.message, reason);
  kinematics_close_robot(&f); /* the model can be cleaned up: it is not held */
}

SN_TEST(bad_properties_are_refused_by_name) {
  refuse_with("frame", "tail", "the robot has no link 'tail'");
  refuse_with("chains", "[leg9]", "the robot has no chain 'leg9'");
  refuse_with("free", "[{chain: leg9, axes: [x]}]", "free: the robot has no chain 'leg9'");
  refuse_with("free", "[{chain: leg1, axes: [yaw]}]", "chain 'leg1': 'yaw' is not an axis");
  refuse_with("solver", "magic", "magic");
}

static void feed(void *context) {
  fixture *f = context;
  kinematics_draw(f);
  model_rig_write_pose(&f->m, f->joints, f->q, f->qd);
  model_rig_write_pose(&f->m, f->seed, f->near, NULL);
  const sn_limb_state *limbs = sn_tap_read(f->limbs, NULL); /* of the last pose: some fail */
  if (limbs != NULL) {
    assert_int_equal(sn_msg_copy(&sn_limb_state_type, sn_source_msg(f->limbs_ref), limbs), SN_OK);
    assert_int_equal(sn_source_write(f->limbs_ref), SN_OK);
  }
}

SN_TEST(cycles_touch_no_heap) {
  fixture f;
  kinematics_begin_robot(&f, "quadruped", NULL);
  model_rig_cycle_without_heap(&f.m, 50, feed, &f);
  assert_non_null(sn_tap_read(f.joints_ref, NULL));
  kinematics_close_robot(&f);
}
