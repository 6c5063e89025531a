#include "jog_bench.h"

#include <math.h>
#include <string.h>

#include "program.h"
#include "sn_test.h"

static sn_tap *tap(jog_bench *b, const char *port) {
  sn_tap *out = NULL;
  if (sn_tap_open(b->d.system, port, NULL, &out, &b->d.err) != SN_OK) {
    fail_msg("%s", b->d.err.message);
  }
  return out;
}

static sn_source *source(jog_bench *b, const char *port) {
  sn_source *out = NULL;
  if (sn_source_open(b->d.system, port, NULL, &out, &b->d.err) != SN_OK) {
    fail_msg("%s", b->d.err.message);
  }
  return out;
}

static const sn_joint *joint_of(const jog_bench *b, size_t index) {
  return sn_model_joint(b->robot.model, (size_t)b->chain->joints[index]);
}

/* @param servos    models of the plant's servos, in YAML
   @param settings  lines of YAML below `components` */
static void open_with(jog_bench *b, const char *robot, const double *q, const char *servos,
                      const char *settings) {
  char start[400];
  char text[8000];
  char path[512];
  size_t used = 0;
  for (size_t j = 0; j < b->chain->joint_count; j++) {
    used += (size_t)snprintf(start + used, sizeof start - used, "%s%s: %.17g", j == 0 ? "" : ", ",
                             joint_of(b, j)->name, q[j]);
  }
  assert_true(used < sizeof start);
  sn_test_robot_path(robot, "yaml", path, sizeof path);
  sn_test_folder_create(b->folder);
  snprintf(text, sizeof text,
           "include: [standard.yaml]\nrobot: %s\ncomponents:\n"
           "  plant: {properties: {initial_pose: {%s}, servo_models: [%s]}}\n%s",
           path, start, servos, settings);
  sn_test_write(b->folder, "d.yaml", text);
  snprintf(path, sizeof path, "%s/d.yaml", b->folder);
  sn_deployed_open(&b->d, path);
  b->pose = tap(b, "aggregator.joints_sorted");
  b->measured = tap(b, "plant.joints_measured");
  b->state = tap(b, "jog.state");
  b->twist = source(b, "jog.in_twist");
  b->jog = source(b, "jog.in_jog");
  b->goal = source(b, "jog.in_pose");
  jog_cycles(b, 1000); /* until the arm has settled */
}

static void load(jog_bench *b, const char *robot) {
  *b = (jog_bench){.chain = NULL};
  sn_test_robot_load(&b->robot, robot);
  b->chain = sn_model_chain(b->robot.model, 0, false);
}

void jog_bench_open_arm6(jog_bench *b) {
  static const double q[JOG_BENCH_JOINTS] = {0.2, 0.3, 0.4, 0.1, 0.9, 0.0};
  load(b, "arm6");
  open_with(b, "arm6", q, "", "");
}

/* Models of the servos as the plant has them, or as an identification finds them: with the friction
   of the joints, which is that of the URDF. */
static void write_models(const jog_bench *b, bool with_joints, char *out, size_t size) {
  size_t used = 0;
  for (size_t j = 0; j < b->chain->joint_count; j++) {
    const sn_joint *joint = joint_of(b, j);
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

void jog_bench_open_identified(jog_bench *b, const char *robot, const double *q) {
  char servos[1800];
  char identified[1800];
  char text[2200];
  load(b, robot);
  write_models(b, false, servos, sizeof servos);
  write_models(b, true, identified, sizeof identified);
  snprintf(text, sizeof text,
           "  aggregator: {properties: {collision_guard: false}}\n"
           "  servo_inv_7param: {properties: {servo_models: [%s]}}\n",
           identified);
  open_with(b, robot, q, servos, text);
  jog_cycles(b, 1000);
}

void jog_bench_close(jog_bench *b) {
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

static void read_joints(const jog_bench *b, const sn_joint_state *msg, double *q) {
  for (size_t j = 0; msg != NULL && j < b->chain->joint_count; j++) {
    for (size_t i = 0; i < msg->name.count; i++) {
      if (strcmp(sn_msg_names_at(&msg->name, i), joint_of(b, j)->name) == 0) {
        q[j] = msg->position.data[i];
      }
    }
  }
}

void jog_cycles(jog_bench *b, int count) {
  for (int k = 0; k < count; k++) {
    sn_deployed_run(&b->d, 1e-3);
    read_joints(b, sn_tap_read(b->pose, NULL), b->q);
    read_joints(b, sn_tap_read(b->measured, NULL), b->real);
  }
}

const sn_jog_state *jog_state(jog_bench *b) {
  const sn_jog_state *msg = sn_tap_read(b->state, NULL);
  assert_non_null(msg);
  return msg;
}

void jog_want(jog_bench *b, const char *frame, sn_spatial twist) {
  sn_twist_stamped *msg = sn_source_msg(b->twist);
  sn_msg_reset(&sn_twist_stamped_type, msg);
  assert_int_equal(sn_msg_text_set(&msg->header.frame_id, frame), SN_OK);
  msg->twist = twist;
  assert_int_equal(sn_source_write(b->twist), SN_OK);
}

void jog_hold(jog_bench *b, const char *frame, sn_spatial twist, int cycles) {
  for (int k = 0; k < cycles; k++) {
    if (k % 20 == 0) {
      jog_want(b, frame, twist);
    }
    jog_cycles(b, 1);
  }
}

sn_pose jog_tool(const jog_bench *b) {
  return sn_chain_fk(b->chain, b->q);
}
