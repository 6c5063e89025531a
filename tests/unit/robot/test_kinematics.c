#include <string.h>

#include "model_rig.h"
#include "sinew/components.h"
#include "sinew/kin.h"
#include "sinew/msg_calls.h"
#include "sinew/random.h"
#include "sn_test.h"

#define JOINTS_MAX 32

typedef struct fixture {
  model_rig m;
  sn_component *fwd, *inv;
  sn_source *joints, *seed, *limbs_ref;
  sn_tap *limbs, *joints_ref;
  sn_kin_data *kin;
  sn_random random;
  size_t n;
  double q[JOINTS_MAX], qd[JOINTS_MAX], near[JOINTS_MAX];
} fixture;

static void open_robot(fixture *f, const char *name) {
  *f = (fixture){.n = 0};
  model_rig_open(&f->m, name);
  sn_random_init(&f->random, 41);
  f->n = sn_model_pose_size(f->m.model);
  f->fwd = model_rig_add(&f->m, &sn_kinematics_fwd_component, "fwd");
  f->inv = model_rig_add(&f->m, &sn_kinematics_inv_component, "inv");
  f->joints = model_rig_source(&f->m, "fwd.joints_sorted");
  f->seed = model_rig_source(&f->m, "inv.joints_sorted");
  f->limbs_ref = model_rig_source(&f->m, "inv.limbs_ref");
  f->limbs = model_rig_tap(&f->m, "fwd.limbs");
  f->joints_ref = model_rig_tap(&f->m, "inv.joints_ref");
  assert_int_equal(sn_kin_create(&f->m.arena, sn_model_tree(f->m.model), &f->kin, NULL), SN_OK);
}

/* @param settings  of the inverse kinematics: names, each with its value, then NULL; NULL: none */
static void begin_robot(fixture *f, const char *name, const char *const *settings) {
  open_robot(f, name);
  for (; settings != NULL && *settings != NULL; settings += 2) {
    rig_set(&f->m.r, f->inv, settings[0], settings[1]);
  }
  rig_begin(&f->m.r);
}

static sn_limb_state *copy_limbs(fixture *f, const sn_limb_state *limbs) {
  sn_limb_state *copy = sn_msg_create(&f->m.arena, &sn_limb_state_type, NULL);
  assert_int_equal(sn_msg_copy(&sn_limb_state_type, copy, limbs), SN_OK);
  return copy;
}

static void close_robot(fixture *f) {
  sn_tap_close(f->limbs);
  sn_tap_close(f->joints_ref);
  sn_source_close(f->joints);
  sn_source_close(f->seed);
  sn_source_close(f->limbs_ref);
  model_rig_close(&f->m);
}

/* A pose well inside its limits, another near it, and velocities. */
static void draw(fixture *f) {
  for (size_t j = 0; j < f->n; j++) {
    const sn_joint *joint = sn_model_joint(f->m.model, j);
    const double lower = fmax(joint->lower, -2.0), upper = fmin(joint->upper, 2.0);
    const double middle = 0.5 * (lower + upper), half = 0.4 * (upper - lower);
    f->q[j] = sn_random_between(&f->random, middle - half, middle + half);
    f->near[j] = f->q[j] + sn_random_between(&f->random, -0.02, 0.02);
    f->qd[j] = sn_random_between(&f->random, -1.0, 1.0);
    if (joint->mimic >= 0) {
      f->q[j] = joint->mimic_multiplier * f->q[joint->mimic] + joint->mimic_offset;
      f->qd[j] = joint->mimic_multiplier * f->qd[joint->mimic];
    }
  }
}

static const sn_limb_state *forward(fixture *f) {
  sn_flow flow = SN_NO_DATA;
  model_rig_write_pose(&f->m, f->joints, f->q, f->qd);
  model_rig_cycle(&f->m);
  const sn_limb_state *limbs = sn_tap_read(f->limbs, &flow);
  assert_int_equal(flow, SN_NEW_DATA);
  return limbs;
}

/* Ask for limbs, beginning at a pose; NULL if nothing new came. */
static const sn_joint_state *inverse(fixture *f, const double *seed, const sn_limb_state *limbs) {
  sn_flow flow = SN_NO_DATA;
  if (seed != NULL) {
    model_rig_write_pose(&f->m, f->seed, seed, NULL);
  }
  assert_int_equal(sn_msg_copy(&sn_limb_state_type, sn_source_msg(f->limbs_ref), limbs), SN_OK);
  assert_int_equal(sn_source_write(f->limbs_ref), SN_OK);
  model_rig_cycle(&f->m);
  const sn_joint_state *joints = sn_tap_read(f->joints_ref, &flow);
  return flow == SN_NEW_DATA ? joints : NULL;
}

static void assert_spatial_near(sn_spatial a, sn_spatial b, double tol) {
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(a.ang, b.ang)), 0.0, tol);
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(a.lin, b.lin)), 0.0, tol);
}

SN_TEST(limb_poses_are_those_of_the_kinematics) {
  static const char *const robots[] = {"quadruped", "arm6", "arm_ur", "arm7"};
  for (size_t r = 0; r < 4; r++) {
    fixture f;
    begin_robot(&f, robots[r], NULL);
    for (size_t round = 0; round < sn_test_cases(50); round++) {
      draw(&f);
      const sn_limb_state *limbs = forward(&f);
      const sn_names *chains = sn_model_chain_names(f.m.model);
      assert_int_equal(limbs->name.count, sn_names_count(chains));
      assert_string_equal(limbs->header.frame_id.data, sn_model_link(f.m.model, 0)->name);
      sn_kin_update_velocity(f.kin, f.q, f.qd);
      for (size_t c = 0; c < limbs->name.count; c++) {
        assert_string_equal(sn_msg_names_at(&limbs->name, c), sn_names_at(chains, c));
        const sn_chain *chain = sn_model_chain(f.m.model, c, true);
        const sn_link *tip = sn_model_link(f.m.model, (size_t)chain->last_link);
        sn_assert_pose_near(sn_pose_from_msg(limbs->pose.data[c]), sn_kin_link_pose(f.kin, tip),
                            1e-12);
        assert_spatial_near(limbs->twist.data[c], sn_kin_link_twist(f.kin, tip), 1e-12);
      }
    }
    close_robot(&f);
  }
}

/* In the frame of a hoof: against differences, the frame moving too. */
SN_TEST(limbs_may_be_seen_from_any_link) {
  fixture f;
  open_robot(&f, "quadruped");
  rig_set(&f.m.r, f.fwd, "frame", "leg2_link5");
  rig_set(&f.m.r, f.fwd, "with_virtual", "false");
  rig_begin(&f.m.r);
  const sn_link *origin =
      sn_model_link(f.m.model, (size_t)sn_model_link_index(f.m.model, "leg2_link5"));
  const double h = 1e-6;
  for (size_t round = 0; round < sn_test_cases(30); round++) {
    draw(&f);
    const sn_limb_state *limbs = forward(&f);
    assert_string_equal(limbs->header.frame_id.data, "leg2_link5");
    for (size_t c = 0; c < limbs->name.count; c++) {
      const sn_chain *chain = sn_model_chain(f.m.model, c, false);
      const sn_link *tip = sn_model_link(f.m.model, (size_t)chain->last_link);
      sn_pose at[3];
      for (int k = -1; k <= 1; k++) {
        double q[JOINTS_MAX];
        for (size_t j = 0; j < f.n; j++) {
          q[j] = f.q[j] + k * h * f.qd[j];
        }
        sn_kin_update(f.kin, q);
        at[k + 1] = sn_pose_between(sn_kin_link_pose(f.kin, origin), sn_kin_link_pose(f.kin, tip));
      }
      sn_assert_pose_near(sn_pose_from_msg(limbs->pose.data[c]), at[1], 1e-12);
      const sn_spatial twist = limbs->twist.data[c];
      const sn_vec3 lin = sn_vec3_scale(sn_vec3_sub(at[2].pos, at[0].pos), 0.5 / h);
      const sn_vec3 x_rate = sn_vec3_scale(sn_vec3_sub(at[2].rot.x, at[0].rot.x), 0.5 / h);
      const sn_vec3 z_rate = sn_vec3_scale(sn_vec3_sub(at[2].rot.z, at[0].rot.z), 0.5 / h);
      sn_assert_near(sn_vec3_norm(sn_vec3_sub(lin, twist.lin)), 0.0, 1e-7);
      sn_assert_near(sn_vec3_norm(sn_vec3_sub(x_rate, sn_vec3_cross(twist.ang, at[1].rot.x))), 0.0,
                     1e-7);
      sn_assert_near(sn_vec3_norm(sn_vec3_sub(z_rate, sn_vec3_cross(twist.ang, at[1].rot.z))), 0.0,
                     1e-7);
    }
  }
  close_robot(&f);
}

/* What goes through both comes back: positions of tips for all chains, joints and velocities for
   those of six joints. */
SN_TEST(inverse_then_forward_gives_the_same_limbs) {
  static const char *const robots[] = {"quadruped", "arm6", "arm_ur", "arm7"};
  for (size_t r = 0; r < 4; r++) {
    fixture f;
    begin_robot(&f, robots[r], (const char *const[]){"timeout", "0.05", NULL});
    for (size_t round = 0; round < sn_test_cases(50); round++) {
      draw(&f);
      const sn_limb_state *limbs = forward(&f);
      const sn_joint_state *joints = inverse(&f, f.near, limbs);
      assert_non_null(joints);
      assert_int_equal(joints->velocity.count, joints->position.count);
      double q[JOINTS_MAX];
      memcpy(q, f.near, sizeof q);
      for (size_t i = 0; i < joints->name.count; i++) {
        const int j = sn_model_joint_index(f.m.model, sn_msg_names_at(&joints->name, i));
        assert_true(j >= 0);
        q[j] = joints->position.data[i];
        assert_true(fabs(q[j] - f.near[j]) <= 0.5);
        if (sn_model_chain(f.m.model, (size_t)sn_model_joint(f.m.model, (size_t)j)->chain, true)
                ->joint_count == 6) {
          sn_assert_near(q[j], f.q[j], 0.05); /* near a singular pose another may be nearer */
        }
      }
      sn_kin_update(f.kin, q);
      for (size_t c = 0; c < limbs->name.count; c++) {
        const sn_chain *chain = sn_model_chain(f.m.model, c, true);
        const sn_pose wanted = sn_pose_from_msg(limbs->pose.data[c]);
        const sn_pose got =
            sn_kin_link_pose(f.kin, sn_model_link(f.m.model, (size_t)chain->last_link));
        if (chain->joint_count >= 6) {
          sn_assert_pose_near(got, wanted, 1e-5);
        } else if (strcmp(sn_msg_names_at(&limbs->name, c), "nose") != 0) { /* head decides */
          sn_assert_near(sn_vec3_norm(sn_vec3_sub(got.pos, wanted.pos)), 0.0, 1e-5);
        }
      }
    }
    close_robot(&f);
  }
}

SN_TEST(velocities_give_the_twist) {
  fixture f;
  begin_robot(&f, "arm6", NULL);
  size_t compared = 0;
  for (size_t round = 0; round < sn_test_cases(100); round++) {
    draw(&f);
    const sn_limb_state *limbs = forward(&f);
    const sn_joint_state *joints = inverse(&f, f.q, limbs);
    assert_non_null(joints);
    sn_kin_update_velocity(f.kin, f.q, joints->velocity.data);
    const sn_chain *chain = sn_model_chain(f.m.model, 0, true);
    const sn_spatial twist =
        sn_kin_link_twist(f.kin, sn_model_link(f.m.model, (size_t)chain->last_link));
    const double off = sn_vec3_norm(sn_vec3_sub(twist.lin, limbs->twist.data[0].lin));
    compared += off < 1e-3; /* but near singular poses, where it is damped */
  }
  assert_true(compared > sn_test_cases(100) / 2);
  close_robot(&f);
}

/* One limb of the quadruped: its joints and no others are answered. */
SN_TEST(answer_holds_only_joints_of_the_limbs_in_the_reference) {
  fixture f;
  begin_robot(&f, "quadruped", NULL);
  draw(&f);
  sn_limb_state *one = sn_msg_create(&f.m.arena, &sn_limb_state_type, NULL);
  const sn_limb_state *limbs = forward(&f);
  const size_t picked[] = {3, 1, 3};
  for (size_t i = 0; i < 3; i++) {
    sn_msg_names_clear(&one->name);
    assert_int_equal(sn_msg_names_add(&one->name, sn_msg_names_at(&limbs->name, picked[i]), 4),
                     SN_OK);
    one->pose.count = 1;
    one->pose.data[0] = limbs->pose.data[picked[i]];
    const sn_joint_state *joints = inverse(&f, f.near, one);
    assert_non_null(joints);
    const sn_chain *chain = sn_model_chain(f.m.model, picked[i], true);
    assert_int_equal(joints->name.count, chain->joint_count);
    assert_int_equal(joints->position.count, chain->joint_count);
    assert_int_equal(joints->velocity.count, 0); /* no twist was given */
    for (size_t k = 0; k < chain->joint_count; k++) {
      assert_string_equal(sn_msg_names_at(&joints->name, k),
                          sn_model_joint(f.m.model, (size_t)chain->joints[k])->name);
      sn_assert_near(joints->position.data[k], f.q[chain->joints[k]], 1e-4);
    }
  }
  close_robot(&f);
}

static void write_limb(fixture *f, const sn_limb_state *from, size_t chain, double shift_m,
                       int64_t stamp_ns) {
  sn_limb_state *one = sn_source_msg(f->limbs_ref);
  const char *name = sn_msg_names_at(&from->name, chain);
  sn_msg_names_clear(&one->name);
  assert_int_equal(sn_msg_names_add(&one->name, name, strlen(name)), SN_OK);
  one->header.stamp_ns = stamp_ns;
  one->pose.count = 1;
  one->pose.data[0] = from->pose.data[chain];
  one->pose.data[0].position.z += shift_m;
  assert_int_equal(sn_source_write(f->limbs_ref), SN_OK);
}

/* What has piled up is answered as one message would be that has the newest of each limb: to the
   bit, at once, and once. */
SN_TEST(the_newest_reference_of_each_limb_counts) {
  fixture f;
  open_robot(&f, "quadruped");
  sn_source_close(f.limbs_ref);
  const sn_connection connection = {.buffer = 40};
  assert_int_equal(
      sn_source_open(f.m.r.system, "inv.limbs_ref", &connection, &f.limbs_ref, &f.m.r.err), SN_OK);
  rig_begin(&f.m.r);
  sn_limb_state *limbs = sn_msg_create(&f.m.arena, &sn_limb_state_type, NULL);
  for (size_t round = 0; round < sn_test_cases(20); round++) {
    draw(&f);
    assert_int_equal(sn_msg_copy(&sn_limb_state_type, limbs, forward(&f)), SN_OK);
    model_rig_write_pose(&f.m, f.seed, f.near, NULL);
    for (size_t k = 0; k < 30; k++) { /* legs 0 and 2, in turn, and not where they should be */
      write_limb(&f, limbs, k % 2 == 0 ? 0 : 2, 0.001 * (double)(k + 1), 1);
    }
    write_limb(&f, limbs, 2, 0.0, 2);
    write_limb(&f, limbs, 0, 0.0, 3);
    model_rig_cycle(&f.m);
    sn_flow flow = SN_NO_DATA;
    const sn_joint_state *joints = sn_tap_read(f.joints_ref, &flow);
    assert_int_equal(flow, SN_NEW_DATA);
    assert_int_equal(joints->header.stamp_ns, 3);
    double merged[JOINTS_MAX];
    const size_t count = joints->position.count;
    assert_int_equal(count, sn_model_chain(f.m.model, 0, true)->joint_count +
                                sn_model_chain(f.m.model, 2, true)->joint_count);
    memcpy(merged, joints->position.data, count * sizeof *merged);
    model_rig_cycle(&f.m);
    (void)sn_tap_read(f.joints_ref, &flow);
    assert_int_equal(flow, SN_OLD_DATA); /* nothing was left for later */

    sn_limb_state *both = sn_msg_create(&f.m.arena, &sn_limb_state_type, NULL);
    for (size_t i = 0; i < 2; i++) {
      assert_int_equal(sn_msg_names_add(&both->name, sn_msg_names_at(&limbs->name, 2 * i), 4),
                       SN_OK);
      both->pose.data[both->pose.count++] = limbs->pose.data[2 * i];
    }
    joints = inverse(&f, f.near, both);
    assert_non_null(joints);
    assert_int_equal(joints->position.count, count);
    assert_memory_equal(joints->position.data, merged, count * sizeof *merged);
  }
  close_robot(&f);
}

/* The head turns what the nose turns: the newest message decides, as it would alone. */
SN_TEST(of_shared_joints_the_newest_reference_decides) {
  fixture f;
  open_robot(&f, "quadruped");
  const int head = sn_model_chain_index(f.m.model, "head");
  const int nose = sn_model_chain_index(f.m.model, "nose");
  assert_true(head >= 0 && nose >= 0);
  sn_source_close(f.limbs_ref);
  const sn_connection connection = {.buffer = 4};
  assert_int_equal(
      sn_source_open(f.m.r.system, "inv.limbs_ref", &connection, &f.limbs_ref, &f.m.r.err), SN_OK);
  rig_begin(&f.m.r);
  sn_limb_state *limbs = sn_msg_create(&f.m.arena, &sn_limb_state_type, NULL);
  for (size_t last = 0; last < 2; last++) {
    const size_t chains[2] = {(size_t)(last == 0 ? nose : head), (size_t)(last == 0 ? head : nose)};
    draw(&f);
    assert_int_equal(sn_msg_copy(&sn_limb_state_type, limbs, forward(&f)), SN_OK);
    model_rig_write_pose(&f.m, f.seed, f.near, NULL);
    write_limb(&f, limbs, chains[0], 0.01, 1);
    write_limb(&f, limbs, chains[1], 0.0, 2);
    model_rig_cycle(&f.m);
    const sn_joint_state *joints = sn_tap_read(f.joints_ref, NULL);
    assert_non_null(joints);
    double together[JOINTS_MAX];
    for (size_t i = 0; i < joints->name.count; i++) {
      together[sn_model_joint_index(f.m.model, sn_msg_names_at(&joints->name, i))] =
          joints->position.data[i];
    }
    model_rig_write_pose(&f.m, f.seed, f.near, NULL);
    write_limb(&f, limbs, chains[1], 0.0, 3);
    model_rig_cycle(&f.m);
    joints = sn_tap_read(f.joints_ref, NULL);
    assert_int_equal(joints->header.stamp_ns, 3);
    for (size_t i = 0; i < joints->name.count; i++) {
      const int j = sn_model_joint_index(f.m.model, sn_msg_names_at(&joints->name, i));
      assert_true(together[j] == joints->position.data[i]);
    }
  }
  close_robot(&f);
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
  begin_robot(&f, "arm6", (const char *const[]){"unreachable", "hold", NULL});
  draw(&f);
  const sn_limb_state *limbs = forward(&f);
  sn_limb_state *far_away = copy_limbs(&f, limbs);
  far_away->pose.data[0].position.x += 10.0;

  /* Never solved before: where it is. */
  const sn_joint_state *joints = inverse(&f, f.near, far_away);
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
  joints = inverse(&f, f.near, limbs);
  assert_non_null(joints);
  expect_failed(&f, 0);
  double last[JOINTS_MAX];
  memcpy(last, joints->position.data, f.n * sizeof *last);
  (void)rig_drain_log(&f.m.r, SN_LOG_DEBUG, NULL, 0);
  rig_run(&f.m.r, INT64_C(1000000000)); /* a second after the last line like it */
  for (int i = 0; i < 3; i++) {
    joints = inverse(&f, f.near, far_away);
    assert_non_null(joints);
    assert_memory_equal(joints->position.data, last, f.n * sizeof *last);
  }
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, NULL, 0), 1);

  /* Somebody else has moved the arm meanwhile: the last answer would be a jump. */
  f.near[1] += 0.6;
  joints = inverse(&f, f.near, far_away);
  assert_non_null(joints);
  assert_true(joints->position.data[1] == f.near[1]);

  /* A quaternion of length zero is not a pose. */
  far_away->pose.data[0].orientation = (sn_quat){0, 0, 0, 0};
  joints = inverse(&f, f.near, far_away);
  assert_non_null(joints);
  assert_true(joints->position.data[1] == f.near[1]);
  close_robot(&f);
}

/* A target at the edge of the reach, or two sources that disagree, must not fill the log. */
SN_TEST(log_is_not_flooded) {
  fixture f;
  begin_robot(&f, "arm6", NULL);
  draw(&f);
  const sn_limb_state *limbs = forward(&f);
  sn_limb_state *far_away = copy_limbs(&f, limbs);
  far_away->pose.data[0].position.x += 10.0;
  sn_limb_state *odd = copy_limbs(&f, limbs);
  assert_int_equal(sn_msg_text_set(&odd->header.frame_id, "moon"), SN_OK);
  for (int i = 0; i < 100; i++) {
    (void)inverse(&f, f.near, far_away);
    (void)inverse(&f, f.near, limbs);
    (void)inverse(&f, f.near, odd);
  }
  /* "cannot get there", "gets there again", "unknown frame": once each. */
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_INFO, NULL, 0), 3);
  rig_run(&f.m.r, INT64_C(1000000000));
  (void)inverse(&f, f.near, odd);
  char text[200];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "a reference in an unknown frame (99 more suppressed)");
  close_robot(&f);
}

/* One answer, with the pose that it is from: never a jump. The pose becomes the answer. */
static void follow(fixture *f, double *q, const sn_limb_state *target, double jump_max) {
  const sn_joint_state *joints = inverse(f, q, target);
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
  begin_robot(
      &f, "arm6",
      (const char *const[]){"free", "[{chain: arm, axes: [rx, ry, rz]}]", "timeout", "0.5", NULL});
  draw(&f);
  sn_limb_state *target = copy_limbs(&f, forward(&f));
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
    draw(&f);
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
  close_robot(&f);
}

SN_TEST(joint_at_its_limit_is_named) {
  fixture f;
  begin_robot(&f, "arm6", (const char *const[]){"timeout", "0.5", NULL});
  const double upper = sn_model_joint(f.m.model, 0)->upper;
  double q[JOINTS_MAX] = {upper - 0.2, 0.3, -0.6, 0.1, 0.8, 0.0};
  double beyond[JOINTS_MAX];
  memcpy(beyond, q, sizeof beyond);
  beyond[0] = upper + 0.1;
  memcpy(f.q, beyond, sizeof f.q);
  sn_limb_state *target = copy_limbs(&f, forward(&f));
  follow(&f, q, target, 0.5);
  sn_assert_near(q[0], upper, 1e-9);
  char text[300];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "arm cannot get there: it goes as near as it can");
  sn_assert_contains(text, "joint1 is at its limit");
  close_robot(&f);
}

/* A target that is reachable, but not at once: each answer is a step of at most jump_max. */
SN_TEST(far_target_is_approached_in_steps) {
  fixture f;
  begin_robot(&f, "arm6", (const char *const[]){"jump_max", "0.05", "timeout", "0.5", NULL});
  double q[JOINTS_MAX] = {0.0, 0.3, -0.6, 0.1, 0.8, 0.0};
  memcpy(f.q, q, sizeof f.q);
  f.q[0] += 0.4;
  f.q[4] -= 0.2;
  sn_limb_state *target = copy_limbs(&f, forward(&f));
  for (int i = 0; i < 30; i++) {
    follow(&f, q, target, 0.05);
  }
  for (size_t j = 0; j < f.n; j++) {
    sn_assert_near(q[j], f.q[j], 1e-5);
  }
  expect_failed(&f, 0);
  close_robot(&f);
}

/* A straight leg cannot get shorter by a small step of its joints: it has to bend first. */
SN_TEST(straight_limb_bends_to_get_shorter) {
  fixture f;
  begin_robot(&f, "quadruped", (const char *const[]){"timeout", "0.5", NULL});
  memset(f.q, 0, sizeof f.q);
  sn_limb_state *target = sn_msg_create(&f.m.arena, &sn_limb_state_type, NULL);
  for (int k = 1; k <= 4; k++) {
    assert_int_equal(sn_msg_copy(&sn_limb_state_type, target, forward(&f)), SN_OK);
    target->pose.data[0].position.z += 0.015 * k;
    double q[JOINTS_MAX] = {0};
    for (int i = 0; i < 20; i++) {
      follow(&f, q, target, 0.5);
    }
    const double *at = &target->pose.data[0].position.x;
    const sn_vec3 gap = sn_vec3_sub((sn_vec3){at[0], at[1], at[2]}, tip_at(&f, q));
    sn_assert_near(sn_vec3_norm(gap), 0.0, 1e-9);
  }
  close_robot(&f);
}

SN_TEST(solution_beyond_jump_max_is_not_used) {
  fixture f;
  begin_robot(&f, "arm6", (const char *const[]){"jump_max", "0.01", "unreachable", "hold", NULL});
  draw(&f);
  const sn_limb_state *limbs = forward(&f);
  memcpy(f.near, f.q, sizeof f.near);
  f.near[0] += 0.1;
  const sn_joint_state *joints = inverse(&f, f.near, limbs);
  assert_non_null(joints);
  assert_true(joints->position.data[0] == f.near[0]);
  expect_failed(&f, 1);
  close_robot(&f);
}

SN_TEST(nothing_is_answered_without_a_pose_or_a_known_name) {
  fixture f;
  begin_robot(&f, "quadruped", NULL);
  draw(&f);
  char text[200];
  const sn_limb_state *limbs = forward(&f);
  assert_null(inverse(&f, NULL, limbs));
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "before the pose of the joints is known");
  assert_non_null(inverse(&f, f.near, limbs));
  sn_limb_state *odd = copy_limbs(&f, limbs);
  assert_int_equal(sn_msg_text_set(&odd->header.frame_id, "moon"), SN_OK);
  assert_null(inverse(&f, f.near, odd));
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "unknown frame");
  sn_msg_names_clear(&odd->name);
  assert_int_equal(sn_msg_names_add(&odd->name, "tail", 4), SN_OK);
  assert_int_equal(sn_msg_text_set(&odd->header.frame_id, ""), SN_OK);
  assert_null(inverse(&f, f.near, odd));
  close_robot(&f);
}

/* Poses in the frame of another link come out as if they had been given in the root. */
SN_TEST(references_may_be_in_any_frame) {
  fixture f;
  open_robot(&f, "quadruped");
  rig_set(&f.m.r, f.fwd, "frame", "head_link2");
  rig_set(&f.m.r, f.inv, "chains", "[leg1, leg2, leg3, leg4]");
  rig_begin(&f.m.r);
  for (size_t round = 0; round < sn_test_cases(20); round++) {
    draw(&f);
    for (size_t j = 0; j < f.n; j++) { /* the frame itself must be where it was */
      const int chain = sn_model_joint(f.m.model, j)->chain;
      f.near[j] = chain >= 4 ? f.q[j] : f.near[j];
    }
    const sn_joint_state *joints = inverse(&f, f.near, forward(&f));
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
  close_robot(&f);
}

static void refuse_with(const char *property, const char *value, const char *reason) {
  fixture f;
  open_robot(&f, "quadruped");
  sn_component *who = strcmp(property, "frame") == 0 ? f.fwd : f.inv;
  rig_set(&f.m.r, who, property, value);
  assert_true(sn_system_begin(f.m.r.system, &f.m.r.err) != SN_OK);
  sn_assert_contains(f.m.r.err.message, reason);
  close_robot(&f); /* the model can be cleaned up: it is not held */
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
  draw(f);
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
  begin_robot(&f, "quadruped", NULL);
  model_rig_cycle_without_heap(&f.m, 50, feed, &f);
  assert_non_null(sn_tap_read(f.joints_ref, NULL));
  close_robot(&f);
}
