/* CartesianServo in the standard deployment with an arm, in simulated time: who owns the limb, what
   its messages mean, and where the simulated arm really is. */
#include <math.h>
#include <string.h>

#include "deployed.h"
#include "msg/arm/msg_jog.h"
#include "msg/types/msg_collision.h"
#include "program.h"
#include "robot.h"
#include "sinew/kin.h"
#include "sinew/msg_types.h"
#include "sinew/quat.h"
#include "sn_test.h"

enum { N = 6 };

typedef struct bench {
  sn_deployed d;
  sn_test_robot robot;
  const sn_chain *chain;
  char folder[64];
  sn_tap *pose, *measured, *state;
  sn_source *twist, *jog, *goal;
  double q[N], real[N];
} bench;

static sn_tap *tap(bench *b, const char *port) {
  sn_tap *out = NULL;
  if (sn_tap_open(b->d.system, port, NULL, &out, &b->d.err) != SN_OK) {
    fail_msg("%s", b->d.err.message);
  }
  return out;
}

static sn_source *source(bench *b, const char *port) {
  sn_source *out = NULL;
  if (sn_source_open(b->d.system, port, NULL, &out, &b->d.err) != SN_OK) {
    fail_msg("%s", b->d.err.message);
  }
  return out;
}

static void bench_open_with(bench *b, const char *servos, const char *settings) {
  char text[6000];
  char path[160];
  *b = (bench){.chain = NULL};
  sn_test_robot_load(&b->robot, "arm6");
  b->chain = sn_model_chain(b->robot.model, 0, false);
  sn_test_folder_create(b->folder);
  snprintf(text, sizeof text,
           "include: [standard.yaml]\nrobot: %s/arm6.yaml\ncomponents:\n"
           "  plant: {properties: {initial_pose: {joint1: 0.2, joint2: 0.3, joint3: 0.4, "
           "joint4: 0.1, joint5: 0.9}, servo_models: [%s]}}\n%s",
           SINEW_ROBOTS, servos, settings);
  sn_test_write(b->folder, "d.yaml", text);
  snprintf(path, sizeof path, "%s/d.yaml", b->folder);
  sn_deployed_open(&b->d, path);
  b->pose = tap(b, "aggregator.joints_sorted");
  b->measured = tap(b, "plant.joints_measured");
  b->state = tap(b, "jog.state");
  b->twist = source(b, "jog.in_twist");
  b->jog = source(b, "jog.in_jog");
  b->goal = source(b, "jog.in_pose");
}

static void cycle(bench *b);

static void bench_open(bench *b) {
  bench_open_with(b, "", "");
  for (int k = 0; k < 1000; k++) { /* until the arm has settled */
    cycle(b);
  }
}

static void bench_close(bench *b) {
  sn_tap_close(b->pose);
  sn_tap_close(b->measured);
  sn_tap_close(b->state);
  sn_source_close(b->twist);
  sn_source_close(b->jog);
  sn_source_close(b->goal);
  sn_deployed_free(&b->d);
  sn_test_folder_remove(b->folder);
  sn_test_robot_free(&b->robot);
}

static void read_joints(const bench *b, const sn_joint_state *msg, double *q) {
  for (size_t j = 0; msg != NULL && j < N; j++) {
    const char *name = sn_model_joint(b->robot.model, (size_t)b->chain->joints[j])->name;
    for (size_t i = 0; i < msg->name.count; i++) {
      if (strcmp(sn_msg_names_at(&msg->name, i), name) == 0) {
        q[j] = msg->position.data[i];
      }
    }
  }
}

static void cycle(bench *b) {
  sn_deployed_run(&b->d, 1e-3);
  read_joints(b, sn_tap_read(b->pose, NULL), b->q);
  read_joints(b, sn_tap_read(b->measured, NULL), b->real);
}

static const sn_jog_state *state_now(bench *b) {
  const sn_jog_state *msg = sn_tap_read(b->state, NULL);
  assert_non_null(msg);
  return msg;
}

static void want_twist(bench *b, const char *frame, sn_spatial twist) {
  sn_twist_stamped *msg = sn_source_msg(b->twist);
  sn_msg_reset(&sn_twist_stamped_type, msg);
  assert_int_equal(sn_msg_text_set(&msg->header.frame_id, frame), SN_OK);
  msg->twist = twist;
  assert_int_equal(sn_source_write(b->twist), SN_OK);
}

/* Repeat a twist for some cycles, as a client does. */
static void hold_twist(bench *b, const char *frame, sn_spatial twist, int cycles) {
  for (int k = 0; k < cycles; k++) {
    if (k % 20 == 0) {
      want_twist(b, frame, twist);
    }
    cycle(b);
  }
}

static void cycles(bench *b, int count) {
  for (int k = 0; k < count; k++) {
    cycle(b);
  }
}

static sn_pose tool(const bench *b) {
  return sn_chain_fk(b->chain, b->q);
}

static const sn_spatial LEFT = {{0.0, 0.0, 0.0}, {0.0, 0.05, 0.0}};

/* ---- whose limb it is ---- */

SN_TEST(a_command_takes_the_limb_and_silence_gives_it_back) {
  bench b;
  bench_open(&b);
  assert_string_equal(sn_deployed_owner(&b.d, "arm"), "hold");
  want_twist(&b, "", (sn_spatial){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
  cycles(&b, 20);
  assert_string_equal(sn_deployed_owner(&b.d, "arm"), "hold"); /* rest needs no limb */
  const sn_vec3 start = tool(&b).pos;
  hold_twist(&b, "", LEFT, 1000);
  assert_string_equal(sn_deployed_owner(&b.d, "arm"), "jog");
  assert_string_equal(state_now(&b)->status.data, "moving");
  assert_string_equal(state_now(&b)->chain.data, "arm");
  assert_true(tool(&b).pos.y - start.y > 0.03);
  cycles(&b, 199 + 400); /* the source is silent: it stops */
  assert_string_equal(state_now(&b)->status.data, "holding");
  double q[N];
  memcpy(q, b.q, sizeof q);
  cycles(&b, 1500);
  assert_string_equal(sn_deployed_owner(&b.d, "arm"), "hold");
  assert_memory_equal(q, b.q, sizeof q); /* and nothing jumps */
  assert_string_equal(state_now(&b)->status.data, "idle");
  bench_close(&b);
}

SN_TEST(a_limb_that_another_takes_is_lost_and_comes_back_with_the_next_command) {
  bench b;
  bench_open(&b);
  hold_twist(&b, "", LEFT, 300);
  assert_true(sn_deployed_switch(&b.d, "follow", true, "arm"));
  cycles(&b, 2);
  assert_string_equal(sn_deployed_owner(&b.d, "arm"), "follow");
  assert_string_equal(state_now(&b)->reason.data, "lost");
  hold_twist(&b, "", LEFT, 40);
  assert_string_equal(sn_deployed_owner(&b.d, "arm"), "jog");
  bench_close(&b);
}

/* ---- what messages mean ---- */

/* The tool moves along the axis of the frame that was named. */
static void check_frame(const char *frame, sn_mat3 (*axes)(const bench *b)) {
  bench b;
  bench_open(&b);
  const sn_mat3 rot = axes(&b);
  const sn_vec3 start = tool(&b).pos;
  hold_twist(&b, frame, (sn_spatial){{0.0, 0.0, 0.0}, {0.0, 0.03, -0.04}}, 1000);
  const sn_vec3 way = sn_vec3_sub(tool(&b).pos, start);
  const sn_vec3 in = sn_mat3_apply_transposed(rot, way);
  const double length = sn_vec3_norm(way);
  assert_true(length > 0.02);
  sn_assert_near(in.x, 0.0, 1e-4 * length);
  sn_assert_near(in.y, 0.6 * length, 1e-4 * length);
  sn_assert_near(in.z, -0.8 * length, 1e-4 * length);
  bench_close(&b);
}

static sn_mat3 axes_of_first_link(const bench *b) {
  (void)b;
  return sn_mat3_identity();
}

static sn_mat3 axes_of_tool(const bench *b) {
  return tool(b).rot;
}

SN_TEST(a_twist_is_in_the_axes_of_its_frame) {
  check_frame("", axes_of_first_link);
  check_frame("base_link", axes_of_first_link);
  check_frame("tool", axes_of_tool);
  check_frame("tool0", axes_of_tool);
}

/* The upper arm turns with joint 1: while the tool moves in its axes, so do those. */
SN_TEST(a_twist_in_the_axes_of_a_link_that_moves_turns_with_it) {
  bench b;
  bench_open(&b);
  const double before = b.q[0];
  const sn_vec3 start = tool(&b).pos;
  hold_twist(&b, "link1", (sn_spatial){{0.0, 0.0, 0.0}, {0.0, 0.1, 0.0}}, 3000);
  assert_true(b.q[0] - before > 0.3);
  /* Sideways of the first link, the distance from its axis does not change. */
  sn_assert_near(hypot(tool(&b).pos.x, tool(&b).pos.y), hypot(start.x, start.y), 0.02);
  bench_close(&b);
}

SN_TEST(joints_are_jogged_by_name) {
  bench b;
  bench_open(&b);
  double q[N];
  memcpy(q, b.q, sizeof q);
  for (int k = 0; k < 1000; k++) {
    if (k % 20 == 0) {
      sn_joint_jog *msg = sn_source_msg(b.jog);
      sn_msg_reset(&sn_joint_jog_type, msg);
      assert_int_equal(sn_msg_names_add(&msg->joint_names, "joint3", 6), SN_OK);
      msg->velocities.count = 1;
      msg->velocities.data[0] = -0.2;
      assert_int_equal(sn_source_write(b.jog), SN_OK);
    }
    cycle(&b);
  }
  sn_assert_near(b.q[2] - q[2], -0.2, 0.03);
  for (size_t j = 0; j < N; j++) {
    if (j != 2) {
      sn_assert_near(b.q[j], q[j], 0.0);
    }
  }
  bench_close(&b);
}

SN_TEST(a_pose_in_the_frame_of_the_tool_is_relative_to_it) {
  bench b;
  bench_open(&b);
  const sn_pose start = tool(&b);
  for (int k = 0; k < 3000; k++) {
    if (k % 20 == 0) {
      sn_pose_stamped *msg = sn_source_msg(b.goal);
      sn_msg_reset(&sn_pose_stamped_type, msg);
      /* Relative to where the tool is now, so only the first message uses that frame. */
      const sn_pose goal = sn_pose_mul(start, (sn_pose){sn_mat3_identity(), {0.02, 0.0, -0.03}});
      msg->pose = k == 0 ? sn_msg_pose_from((sn_pose){sn_mat3_identity(), {0.02, 0.0, -0.03}})
                         : sn_msg_pose_from(goal);
      assert_int_equal(sn_msg_text_set(&msg->header.frame_id, k == 0 ? "tool" : ""), SN_OK);
      assert_int_equal(sn_source_write(b.goal), SN_OK);
    }
    cycle(&b);
  }
  const sn_vec3 way = sn_mat3_apply_transposed(start.rot, sn_vec3_sub(tool(&b).pos, start.pos));
  sn_assert_near(way.x, 0.02, 1e-6);
  sn_assert_near(way.y, 0.0, 1e-6);
  sn_assert_near(way.z, -0.03, 1e-6);
  bench_close(&b);
}

SN_TEST(what_cannot_be_understood_is_refused_with_the_reason) {
  bench b;
  bench_open(&b);
  (void)sn_deployed_count_log(&b.d, "");
  want_twist(&b, "nowhere", LEFT);
  cycles(&b, 3);
  assert_int_equal(sn_deployed_count_log(&b.d, "its frame is unknown"), 1);
  sn_twist_stamped *msg = sn_source_msg(b.twist);
  sn_msg_reset(&sn_twist_stamped_type, msg);
  msg->twist.lin.x = (double)NAN;
  assert_int_not_equal(sn_source_write(b.twist), SN_OK); /* not even delivered */
  cycles(&b, 1100);
  msg = sn_source_msg(b.twist);
  sn_msg_reset(&sn_twist_stamped_type, msg);
  msg->twist = LEFT;
  msg->header.stamp_ns = 1;
  assert_int_equal(sn_source_write(b.twist), SN_OK);
  cycles(&b, 3);
  assert_int_equal(sn_deployed_count_log(&b.d, "its stamp is older than the time-out"), 1);
  cycles(&b, 1100);
  sn_joint_jog *jog = sn_source_msg(b.jog);
  sn_msg_reset(&sn_joint_jog_type, jog);
  assert_int_equal(sn_msg_names_add(&jog->joint_names, "knee", 4), SN_OK);
  jog->velocities.count = 1;
  jog->velocities.data[0] = 0.1;
  assert_int_equal(sn_source_write(b.jog), SN_OK);
  cycles(&b, 3);
  assert_int_equal(sn_deployed_count_log(&b.d, "does not belong to the chain"), 1);
  assert_string_equal(sn_deployed_owner(&b.d, "arm"), "hold");
  bench_close(&b);
}

SN_TEST(an_unknown_chain_is_an_error_of_the_deployment) {
  sn_deployed d;
  char folder[64];
  char text[400];
  char path[160];
  sn_test_folder_create(folder);
  snprintf(text, sizeof text,
           "include: [standard.yaml]\nrobot: %s/arm6.yaml\ncomponents:\n"
           "  jog: {properties: {chain: nose}}\n",
           SINEW_ROBOTS);
  sn_test_write(folder, "d.yaml", text);
  snprintf(path, sizeof path, "%s/d.yaml", folder);
  sn_deployed_init(&d);
  sn_status status = sn_deployed_load(&d, path);
  status = status == SN_OK ? sn_system_begin(d.system, &d.err) : status;
  assert_int_not_equal(status, SN_OK);
  assert_non_null(strstr(d.err.message, "the robot has no chain 'nose'"));
  sn_deployed_free(&d);
  sn_test_folder_remove(folder);
}

/* ---- the simulated arm ---- */

/* Models of the servos as the plant has them, or as an identification finds them: with the friction
   of the joints, which is that of the URDF. */
static void write_models(const sn_model *model, const sn_chain *chain, bool with_joints, char *out,
                         size_t size) {
  size_t used = 0;
  for (size_t j = 0; j < N; j++) {
    const sn_joint *joint = sn_model_joint(model, (size_t)chain->joints[j]);
    const double w = joint->velocity_max;
    const double volts = 12.0 / joint->effort_max;
    const double load = with_joints ? volts : 0.0;
    used += (size_t)snprintf(
        out + used, size - used,
        "%s{name: %s, kp: %.17g, alpha: [%.17g, %.17g, 0.24, %.17g], qs: %.17g, delta: 1, "
        "inertia: %.17g}",
        j == 0 ? "" : ", ", joint->name, 40.0 / fmin(w, 6.0), 12.0 / w + load * joint->damping,
        0.36 + load * joint->friction, volts, 0.02 * w, 0.008 * 12.0 / w);
  }
  assert_true(used < size);
}

/* Turned so far, links of the wrist come close to each other: that is not what is measured here. */
static void open_identified(bench *b) {
  char servos[1600];
  char identified[1600];
  char text[2000];
  sn_test_robot robot;
  sn_test_robot_load(&robot, "arm6");
  const sn_chain *chain = sn_model_chain(robot.model, 0, false);
  write_models(robot.model, chain, false, servos, sizeof servos);
  write_models(robot.model, chain, true, identified, sizeof identified);
  sn_test_robot_free(&robot);
  snprintf(text, sizeof text,
           "  aggregator: {properties: {collision_guard: false}}\n"
           "  servo_inv_7param: {properties: {servo_models: [%s]}}\n",
           identified);
  bench_open_with(b, servos, text);
  cycles(b, 1000);
}

/* The command keeps its centre within 20 um, the arm, with friction and gravity, within 0.2 mm. */
SN_TEST(pure_rotation_keeps_the_centre_of_the_simulated_tool) {
  for (int axis = 0; axis < 3; axis++) {
    bench b;
    open_identified(&b);
    const sn_vec3 centre = tool(&b).pos;
    const sn_vec3 real = sn_chain_fk(b.chain, b.real).pos;
    sn_spatial twist = sn_spatial_zero();
    *(axis == 0 ? &twist.ang.x : axis == 1 ? &twist.ang.y : &twist.ang.z) = 0.5;
    double worst = 0.0;
    double worst_real = 0.0;
    for (int k = 0; k < 12600 && (k < 10 || state_now(&b)->share > 0.2); k++) { /* or a limit */
      if (k % 20 == 0) {
        want_twist(&b, "tool", twist);
      }
      cycle(&b);
      worst = fmax(worst, sn_vec3_norm(sn_vec3_sub(tool(&b).pos, centre)));
      worst_real =
          fmax(worst_real, sn_vec3_norm(sn_vec3_sub(sn_chain_fk(b.chain, b.real).pos, real)));
    }
    print_message("axis %d: command %.2f um, arm %.3f mm\n", axis, 1e6 * worst, 1e3 * worst_real);
    assert_true(worst <= 20e-6);
    assert_true(worst_real <= 0.2e-3);

    bench_close(&b);
  }
}

/* A wall beside the tool, which goes on along it with its orientation. */
SN_TEST(the_tool_slides_along_an_obstacle) {
  bench b;
  bench_open(&b);
  sn_caller caller = {0};
  sn_world_object *wall = sn_msg_create(&b.d.arena, &sn_world_object_type, NULL);
  sn_call_outcome *outcome = sn_msg_create(&b.d.arena, &sn_call_outcome_type, NULL);
  const sn_vec3 start = tool(&b).pos;
  assert_int_equal(sn_msg_text_set(&wall->name, "wall"), SN_OK);
  assert_int_equal(sn_msg_text_set(&wall->shape, "box"), SN_OK);
  wall->size.count = 3;
  wall->size.data[0] = wall->size.data[2] = 2.0;
  wall->size.data[1] = 0.1;
  wall->pose = sn_msg_pose_from((sn_pose){sn_mat3_identity(), {start.x, start.y + 0.25, start.z}});
  assert_int_equal(sn_caller_open(b.d.system, "aggregator.addObject", &caller, &b.d.err), SN_OK);
  assert_int_equal(sn_call(&caller, wall, outcome, &b.d.err), SN_OK);
  sn_caller_close(&caller);
  const sn_spatial oblique = {{0.0, 0.0, 0.0}, {-0.02, 0.05, 0.0}};
  hold_twist(&b, "", oblique, 5000);
  assert_true(tool(&b).pos.y < start.y + 0.2); /* the wall begins there */
  assert_true(tool(&b).pos.y > start.y + 0.02);
  assert_string_equal(state_now(&b)->reason.data, "obstacle");
  const sn_pose before = tool(&b);
  hold_twist(&b, "", oblique, 1000);
  assert_true(tool(&b).pos.x < before.pos.x - 0.015); /* of 0.02 */
  sn_assert_near(tool(&b).pos.y, before.pos.y, 2e-3);
  sn_assert_near(
      sn_vec3_norm(sn_mat3_log(sn_mat3_mul(tool(&b).rot, sn_mat3_transpose(before.rot)))), 0.0,
      1e-3);
  hold_twist(&b, "", (sn_spatial){{0.0, 0.0, 0.0}, {0.0, -0.05, 0.0}}, 1000); /* away from it */
  assert_true(tool(&b).pos.y < start.y + 0.15);
  bench_close(&b);
}
