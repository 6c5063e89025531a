#include "kinematics_rig.h"
#include "sn_test.h"

static void assert_spatial_near(sn_spatial a, sn_spatial b, double tol) {
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(a.ang, b.ang)), 0.0, tol);
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(a.lin, b.lin)), 0.0, tol);
}

SN_TEST(limb_poses_are_those_of_the_kinematics) {
  static const char *const robots[] = {"quadruped", "arm6", "arm_ur", "arm7", "desk_arm"};
  for (size_t r = 0; r < 5; r++) {
    fixture f;
    kinematics_begin_robot(&f, robots[r], NULL);
    for (size_t round = 0; round < sn_test_cases(50); round++) {
      kinematics_draw(&f);
      const sn_limb_state *limbs = kinematics_forward(&f);
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
    kinematics_close_robot(&f);
  }
}

/* In the frame of a hoof: against differences, the frame moving too. */
SN_TEST(limbs_may_be_seen_from_any_link) {
  fixture f;
  kinematics_open_robot(&f, "quadruped");
  rig_set(&f.m.r, f.fwd, "frame", "leg2_link5");
  rig_set(&f.m.r, f.fwd, "with_virtual", "false");
  rig_begin(&f.m.r);
  const sn_link *origin =
      sn_model_link(f.m.model, (size_t)sn_model_link_index(f.m.model, "leg2_link5"));
  const double h = 1e-6;
  for (size_t round = 0; round < sn_test_cases(30); round++) {
    kinematics_draw(&f);
    const sn_limb_state *limbs = kinematics_forward(&f);
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
  kinematics_close_robot(&f);
}

/* What goes through both comes back: positions of tips for all chains, joints and velocities for
   those of six joints. */
SN_TEST(inverse_then_forward_gives_the_same_limbs) {
  static const char *const robots[] = {"quadruped", "arm6", "arm_ur", "arm7", "desk_arm"};
  for (size_t r = 0; r < 5; r++) {
    fixture f;
    kinematics_begin_robot(&f, robots[r], (const char *const[]){"timeout", "0.05", NULL});
    for (size_t round = 0; round < sn_test_cases(50); round++) {
      kinematics_draw(&f);
      const sn_limb_state *limbs = kinematics_forward(&f);
      const sn_joint_state *joints = kinematics_inverse(&f, f.near, limbs);
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
    kinematics_close_robot(&f);
  }
}

SN_TEST(velocities_give_the_twist) {
  fixture f;
  kinematics_begin_robot(&f, "arm6", NULL);
  size_t compared = 0;
  for (size_t round = 0; round < sn_test_cases(100); round++) {
    kinematics_draw(&f);
    const sn_limb_state *limbs = kinematics_forward(&f);
    const sn_joint_state *joints = kinematics_inverse(&f, f.q, limbs);
    assert_non_null(joints);
    sn_kin_update_velocity(f.kin, f.q, joints->velocity.data);
    const sn_chain *chain = sn_model_chain(f.m.model, 0, true);
    const sn_spatial twist =
        sn_kin_link_twist(f.kin, sn_model_link(f.m.model, (size_t)chain->last_link));
    const double off = sn_vec3_norm(sn_vec3_sub(twist.lin, limbs->twist.data[0].lin));
    compared += off < 1e-3; /* but near singular poses, where it is damped */
  }
  assert_true(compared > sn_test_cases(100) / 2);
  kinematics_close_robot(&f);
}

/* One limb of the quadruped: its joints and no others are answered. */
SN_TEST(answer_holds_only_joints_of_the_limbs_in_the_reference) {
  fixture f;
  kinematics_begin_robot(&f, "quadruped", NULL);
  kinematics_draw(&f);
  sn_limb_state *one = sn_msg_create(&f.m.arena, &sn_limb_state_type, NULL);
  const sn_limb_state *limbs = kinematics_forward(&f);
  const size_t picked[] = {3, 1, 3};
  for (size_t i = 0; i < 3; i++) {
    sn_msg_names_clear(&one->name);
    assert_int_equal(sn_msg_names_add(&one->name, sn_msg_names_at(&limbs->name, picked[i]), 4),
                     SN_OK);
    one->pose.count = 1;
    one->pose.data[0] = limbs->pose.data[picked[i]];
    const sn_joint_state *joints = kinematics_inverse(&f, f.near, one);
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
  kinematics_close_robot(&f);
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
  kinematics_open_robot(&f, "quadruped");
  sn_source_close(f.limbs_ref);
  const sn_connection connection = {.buffer = 40};
  assert_int_equal(
      sn_source_open(f.m.r.system, "inv.limbs_ref", &connection, &f.limbs_ref, &f.m.r.err), SN_OK);
  rig_begin(&f.m.r);
  sn_limb_state *limbs = sn_msg_create(&f.m.arena, &sn_limb_state_type, NULL);
  for (size_t round = 0; round < sn_test_cases(20); round++) {
    kinematics_draw(&f);
    assert_int_equal(sn_msg_copy(&sn_limb_state_type, limbs, kinematics_forward(&f)), SN_OK);
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
    joints = kinematics_inverse(&f, f.near, both);
    assert_non_null(joints);
    assert_int_equal(joints->position.count, count);
    assert_memory_equal(joints->position.data, merged, count * sizeof *merged);
  }
  kinematics_close_robot(&f);
}

/* The head turns what the nose turns: the newest message decides, as it would alone. */
SN_TEST(of_shared_joints_the_newest_reference_decides) {
  fixture f;
  kinematics_open_robot(&f, "quadruped");
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
    kinematics_draw(&f);
    assert_int_equal(sn_msg_copy(&sn_limb_state_type, limbs, kinematics_forward(&f)), SN_OK);
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
  kinematics_close_robot(&f);
}
