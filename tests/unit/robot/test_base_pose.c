/* Kinematics and dynamics of a robot whose base is somewhere in the world. */
#include <string.h>

#include "math/rotation.h"
#include "model_rig.h"
#include "sinew/components.h"
#include "sinew/kin.h"
#include "sinew/random.h"
#include "sn_test.h"

#define JOINTS_MAX 32

typedef struct fixture {
  model_rig m;
  sn_random random;
  sn_kin_data *kin;
  size_t n;
  double q[JOINTS_MAX], qd[JOINTS_MAX];
  sn_pose pose;
  sn_spatial twist;
} fixture;

static fixture f;

static void open_robot(void) {
  memset(&f, 0, sizeof f);
  model_rig_open(&f.m, "quadruped");
  sn_random_init(&f.random, 61);
  f.n = sn_model_pose_size(f.m.model);
  assert_int_equal(sn_kin_create(&f.m.arena, sn_model_tree(f.m.model), &f.kin, NULL), SN_OK);
}

static sn_vec3 random3(double size) {
  const double x = sn_random_between(&f.random, -size, size);
  const double y = sn_random_between(&f.random, -size, size);
  return sn_vec3_make(x, y, sn_random_between(&f.random, -size, size));
}

static void draw(double speed) {
  for (size_t j = 0; j < f.n; j++) {
    f.q[j] = sn_random_between(&f.random, -0.3, 0.3);
    f.qd[j] = sn_random_between(&f.random, -speed, speed);
  }
  f.pose = (sn_pose){sn__mat3_exp(random3(0.5)), random3(2.0)};
  f.twist = (sn_spatial){random3(1.0), random3(1.0)};
}

static void write_base(sn_source *source) {
  sn_rigid_body_state *msg = sn_source_msg(source);
  sn_msg_names_clear(&msg->name);
  assert_int_equal(sn_msg_names_add(&msg->name, "base_link", 9), SN_OK);
  msg->pose.count = msg->twist.count = 1;
  msg->pose.data[0] = sn_msg_pose_from(f.pose);
  msg->twist.data[0] = f.twist;
  assert_int_equal(sn_source_write(source), SN_OK);
}

/* Pose of a tip in the world when everything has moved on for a time. */
static sn_pose tip_after(const sn_link *tip, double dt_s) {
  double q[JOINTS_MAX];
  for (size_t j = 0; j < f.n; j++) {
    q[j] = f.q[j] + dt_s * f.qd[j];
  }
  sn_kin_update(f.kin, q);
  const sn_pose base = {sn_mat3_mul(sn__mat3_exp(sn_vec3_scale(f.twist.ang, dt_s)), f.pose.rot),
                        sn_vec3_add_scaled(f.pose.pos, dt_s, f.twist.lin)};
  return sn_pose_mul(base, sn_kin_link_pose(f.kin, tip));
}

SN_TEST(limbs_in_the_world_move_with_base_and_joints) {
  open_robot();
  sn_component *fwd = model_rig_add(&f.m, &sn_kinematics_fwd_component, "fwd");
  rig_set(&f.m.r, fwd, "frame", "odom");
  sn_source *joints = model_rig_source(&f.m, "fwd.joints_sorted");
  sn_source *base = model_rig_source(&f.m, "fwd.in_base");
  sn_tap *limbs = model_rig_tap(&f.m, "fwd.limbs");
  rig_begin(&f.m.r);
  const double h = 1e-6;
  model_rig_write_pose(&f.m, joints, f.q, f.qd);
  model_rig_cycle(&f.m);
  assert_null(sn_tap_read(limbs, NULL)); /* the base is not known */
  for (size_t round = 0; round < sn_test_cases(30); round++) {
    draw(1.0);
    write_base(base);
    model_rig_write_pose(&f.m, joints, f.q, f.qd);
    model_rig_cycle(&f.m);
    const sn_limb_state *got = sn_tap_read(limbs, NULL);
    assert_non_null(got);
    assert_string_equal(got->header.frame_id.data, "odom");
    for (size_t c = 0; c < got->name.count; c++) {
      const sn_chain *chain = sn_model_chain(f.m.model, c, true);
      const sn_link *tip = sn_model_link(f.m.model, (size_t)chain->last_link);
      const sn_pose before = tip_after(tip, -h), now = tip_after(tip, 0.0),
                    after = tip_after(tip, h);
      const sn_vec3 lin = sn_vec3_scale(sn_vec3_sub(after.pos, before.pos), 0.5 / h);
      const sn_vec3 x_rate = sn_vec3_scale(sn_vec3_sub(after.rot.x, before.rot.x), 0.5 / h);
      sn_assert_pose_near(sn_pose_from_msg(got->pose.data[c]), now, 1e-12);
      sn_assert_vec3_near(got->twist.data[c].lin, lin, 1e-7);
      sn_assert_vec3_near(sn_vec3_cross(got->twist.data[c].ang, now.rot.x), x_rate, 1e-7);
    }
  }
  sn_tap_close(limbs);
  sn_source_close(joints);
  sn_source_close(base);
  model_rig_close(&f.m);
}

SN_TEST(world_frame_needs_the_base) {
  static const struct {
    const sn_component_type *type;
    const char *property;
  } cases[] = {{&sn_kinematics_fwd_component, "frame"},
               {&sn_dynamics_inv_component, "balance_frame"}};
  for (size_t i = 0; i < 2; i++) {
    open_robot();
    sn_component *component = model_rig_add(&f.m, cases[i].type, "one");
    rig_set(&f.m.r, component, cases[i].property, "odom");
    sn_source *joints = model_rig_source(&f.m, "one.joints_sorted");
    sn_error err;
    assert_int_equal(sn_system_begin(f.m.r.system, &err), SN_EINVAL);
    sn_assert_contains(err.message, "needs in_base");
    sn_source_close(joints);
    model_rig_close(&f.m);
  }
}

static void write_supports(sn_source *source, size_t legs) {
  static const char *const names[] = {"leg1", "leg2", "leg3", "leg4"};
  sn_support_state *msg = sn_source_msg(source);
  sn_msg_reset(&sn_support_state_type, msg);
  for (size_t i = 0; i < legs; i++) {
    assert_int_equal(sn_msg_names_add(&msg->name, names[i], 4), SN_OK);
    assert_int_equal(sn_msg_names_add(&msg->contact, "hoof_fixed", 10), SN_OK);
    msg->support.data[msg->support.count++] = 1.0;
  }
  assert_int_equal(sn_source_write(source), SN_OK);
}

/* Oracle: the same component, whose gravity is that of the tilted base. Forces agree as well as the
   iteration that distributes them, which ends at 1e-6 of its first gradient. */
SN_TEST(tilt_of_the_base_turns_gravity) {
  open_robot();
  sn_component *tilted = model_rig_add(&f.m, &sn_dynamics_inv_component, "tilted");
  sn_component *oracle = model_rig_add(&f.m, &sn_dynamics_inv_component, "oracle");
  rig_set(&f.m.r, tilted, "balance_frame", "odom");
  const char *const ports[] = {"tilted.joints_sorted", "oracle.joints_sorted", "tilted.supports",
                               "oracle.supports", "tilted.in_base"};
  sn_source *sources[5];
  for (size_t i = 0; i < 5; i++) {
    sources[i] = model_rig_source(&f.m, ports[i]);
  }
  sn_tap *effort[2] = {model_rig_tap(&f.m, "tilted.joints_effort"),
                       model_rig_tap(&f.m, "oracle.joints_effort")};
  sn_tap *balance[2] = {model_rig_tap(&f.m, "tilted.balance"),
                        model_rig_tap(&f.m, "oracle.balance")};
  rig_begin(&f.m.r);
  for (size_t round = 0; round < sn_test_cases(30); round++) {
    draw(0.3);
    f.twist = sn_spatial_zero();
    const sn_vec3 g = sn_mat3_apply_transposed(f.pose.rot, sn_vec3_make(0, 0, -9.81));
    char text[128];
    snprintf(text, sizeof text, "[%.17g, %.17g, %.17g]", g.x, g.y, g.z);
    rig_set(&f.m.r, oracle, "gravity", text);
    for (size_t i = 0; i < 2; i++) {
      model_rig_write_pose(&f.m, sources[i], f.q, f.qd);
      write_supports(sources[2 + i], round % 5);
    }
    write_base(sources[4]);
    model_rig_cycle(&f.m);
    const sn_joint_state *a = sn_tap_read(effort[0], NULL), *b = sn_tap_read(effort[1], NULL);
    for (size_t j = 0; j < f.n; j++) {
      sn_assert_near(a->effort.data[j], b->effort.data[j], 1e-7);
    }
    const sn_balance_state *world = sn_tap_read(balance[0], NULL);
    const sn_balance_state *base = sn_tap_read(balance[1], NULL);
    assert_string_equal(world->header.frame_id.data, "odom");
    sn_assert_vec3_near(world->com, sn_pose_apply(f.pose, base->com), 1e-9);
    sn_assert_near(world->margin, base->margin, 1e-9);
    assert_int_equal(world->polygon.count, base->polygon.count);
    for (size_t i = 1; i < world->polygon.count; i++) { /* on level ground */
      sn_assert_near(world->polygon.data[i].z, world->polygon.data[0].z, 1e-9);
    }
    for (size_t i = 0; i < world->wrench.count; i++) {
      sn_assert_vec3_near(world->wrench.data[i].lin,
                          sn_mat3_apply(f.pose.rot, base->wrench.data[i].lin), 1e-6);
    }
  }
  for (size_t i = 0; i < 2; i++) {
    sn_tap_close(effort[i]);
    sn_tap_close(balance[i]);
  }
  for (size_t i = 0; i < 5; i++) {
    sn_source_close(sources[i]);
  }
  model_rig_close(&f.m);
}

/* Without supports the centre of mass moves with the base. */
SN_TEST(base_in_flight_carries_the_centre_of_mass) {
  open_robot();
  (void)model_rig_add(&f.m, &sn_dynamics_inv_component, "inv");
  sn_source *joints = model_rig_source(&f.m, "inv.joints_sorted");
  sn_source *base = model_rig_source(&f.m, "inv.in_base");
  sn_tap *balance = model_rig_tap(&f.m, "inv.balance");
  rig_begin(&f.m.r);
  draw(0.0);
  write_base(base);
  model_rig_write_pose(&f.m, joints, f.q, f.qd);
  model_rig_cycle(&f.m);
  const sn_balance_state *got = sn_tap_read(balance, NULL);
  const sn_vec3 arm = sn_mat3_apply(f.pose.rot, got->com);
  const sn_vec3 expected = sn_vec3_add(f.twist.lin, sn_vec3_cross(f.twist.ang, arm));
  sn_assert_vec3_near(sn_mat3_apply(f.pose.rot, got->com_velocity), expected, 1e-9);
  sn_tap_close(balance);
  sn_source_close(joints);
  sn_source_close(base);
  model_rig_close(&f.m);
}
