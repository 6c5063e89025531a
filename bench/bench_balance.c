/* What kinematics and dynamics cost as components, on the quadruped: one step each, with its
   messages. `feed` is what writes the pose and the supports, and is part of all the others. Poses
   differ a little (`stand`: no friction cone bounds a force) or a lot (`crouch`). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "model/robot_model.h"
#include "rt/system_internal.h"
#include "sinew/components.h"
#include "sinew/msg_types.h"
#include "sinew/system.h"

/* ---- component that writes the inputs ---- */

typedef struct feeder {
  sn_component component;
  sn_output joints, supports;
  sn_requester robot_model;
  const double *poses; /* [BENCH_INPUTS][joint_count] */
  double size;         /* of a pose */
  size_t next;
} feeder;

static const sn_port feeder_ports[] = {
    SN_OUTPUT(feeder, "joints", joints, &sn_joint_state_type, .doc = "A pose."),
    SN_OUTPUT(feeder, "supports", supports, &sn_support_state_type, .doc = "All legs."),
    {0}};

static const sn_need feeder_needs[] = {{.name = "robot_model",
                                        .interface = SN_ROBOT_MODEL,
                                        .offset = offsetof(feeder, robot_model),
                                        .doc = "The robot."},
                                       {0}};

static sn_status feeder_configure(sn_component *component, sn_error *err) {
  feeder *f = (feeder *)component;
  (void)err;
  union {
    const void *iface;
    sn_robot_model *service;
  } both = {.iface = f->robot_model.iface};
  const sn_model *model = sn__robot_model_hold(both.service);
  sn_joint_state *joints = f->joints.msg;
  sn_support_state *supports = f->supports.msg;
  sn_msg_names_share(&joints->name, sn_model_joint_names(model));
  joints->position.count = joints->velocity.count = sn_model_pose_size(model);
  sn_msg_names_share(&supports->name, sn_model_chain_names(model));
  supports->support.count = supports->name.count;
  for (size_t i = 0; i < supports->name.count; i++) {
    (void)sn_msg_names_add(&supports->contact, "", 0);
    supports->support.data[i] = i < 4 ? 1.0 : 0.0;
  }
  return SN_OK;
}

static void feeder_cleanup(sn_component *component) {
  union {
    const void *iface;
    sn_robot_model *service;
  } both = {.iface = ((feeder *)component)->robot_model.iface};
  sn__robot_model_release(both.service);
}

static sn_status feeder_step(sn_component *component, int64_t now_ns) {
  feeder *f = (feeder *)component;
  sn_joint_state *joints = f->joints.msg;
  const double *pose = f->poses + f->next * joints->position.count;
  f->next = (f->next + 1) % BENCH_INPUTS;
  joints->header.stamp_ns = now_ns;
  for (size_t j = 0; j < joints->position.count; j++) {
    joints->position.data[j] = f->size * pose[j];
    joints->velocity.data[j] = f->size * pose[joints->position.count - 1 - j];
  }
  (void)sn_output_write(&f->supports);
  return sn_output_write(&f->joints);
}

static const sn_component_type feeder_type = {
    .abi = SN_COMPONENT_ABI,
    .name = "feeder",
    .doc = "Writes poses.",
    .size = sizeof(feeder),
    .ports = feeder_ports,
    .needs = feeder_needs,
    .configure = feeder_configure,
    .step = feeder_step,
    .cleanup = feeder_cleanup,
};

/* ---- the cases ---- */

typedef struct bench_context {
  sn_component *parts[4]; /* stepped one after the other */
  size_t count;
  int64_t now_ns;
} bench_context;

static void step_all(void *context, size_t index) {
  bench_context *c = context;
  (void)index;
  c->now_ns += 1000000;
  for (size_t i = 0; i < c->count; i++) {
    (void)c->parts[i]->type->step(c->parts[i], c->now_ns);
  }
}

static void expect(sn_status status, const sn_error *err) {
  if (status != SN_OK) {
    fprintf(stderr, "%s\n", err->message);
    exit(1);
  }
}

typedef struct bench_system {
  sn_arena arena;
  sn_clock clock;
  sn_system *system;
  sn_activity *activity;
  sn_error err;
} bench_system;

static sn_component *add(bench_system *b, const sn_component_type *type, const char *name) {
  sn_component *component = NULL;
  char need[64];
  expect(sn_system_add(b->system, type, name, &component, &b->err), &b->err);
  if (type->step != NULL) {
    expect(sn_system_assign(b->system, component, b->activity, 0, &b->err), &b->err);
    snprintf(need, sizeof need, "%s.robot_model", name);
    expect(sn__system_require(b->system, need, "robot_model", &b->err), &b->err);
  }
  return component;
}

static void link_up(bench_system *b, const char *from, const char *to) {
  expect(sn_system_connect(b->system, from, to, NULL, &b->err), &b->err);
}

static void set_robot(bench_system *b, sn_component *robot_model) {
  sn_report *report = NULL;
  sn_report_create(&b->arena, &report, NULL);
  const sn_value *properties = NULL;
  const sn_model *model = NULL;
  expect(sn_value_load(&b->arena, BENCH_ROBOTS "/quadruped.yaml", report, &properties), &b->err);
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "scratch", 0);
  expect(sn_model_load(&scratch, BENCH_ROBOTS "/quadruped.urdf", NULL, NULL, &model, &b->err),
         &b->err);
  const sn_value text = {.name = "",
                         .kind = SN_VALUE_TEXT,
                         .text = sn_model_description(model, NULL),
                         .place = {.file = "quadruped.urdf"}};
  expect(sn_system_set(b->system, robot_model, "robot_description", &text, report, &b->err),
         &b->err);
  static const char *const keys[] = {"kinematics_chains", "contacts"};
  for (size_t i = 0; i < 2; i++) {
    const sn_value *tree = sn_value_find(properties, keys[i]);
    expect(sn_system_set(b->system, robot_model, keys[i], tree, report, &b->err), &b->err);
  }
  sn_arena_release(&scratch);
}

static void measure(const char *name, bench_context *c, size_t count) {
  const bench_case what = {
      .library = "sinew", .name = name, .robot = "quadruped", .joint_count = 28};
  c->count = count;
  bench_run(&what, step_all, c);
}

static void run(const char *pose, double size) {
  bench_system b = {.system = NULL};
  char name[32];
  sn_arena_init_growing(&b.arena, "bench", 0);
  sn_clock_init_simulated(&b.clock, 0);
  const sn_system_config config = {.clock = &b.clock};
  const sn_activity_config main_config = {.name = "main", .period_ns = 1000000};
  b.system = sn_system_create(&config);
  expect(sn_system_add_activity(b.system, &main_config, &b.activity, &b.err), &b.err);
  set_robot(&b, add(&b, &sn_robot_model_component, "robot_model"));
  feeder *feed = (feeder *)add(&b, &feeder_type, "feed");
  double *poses = bench_inputs(28);
  feed->poses = poses;
  feed->size = size;
  sn_component *fwd = add(&b, &sn_kinematics_fwd_component, "fwd");
  sn_component *inv = add(&b, &sn_kinematics_inv_component, "inv");
  sn_component *dyn = add(&b, &sn_dynamics_inv_component, "dyn");
  link_up(&b, "feed.joints", "fwd.joints_sorted");
  link_up(&b, "feed.joints", "inv.joints_sorted");
  link_up(&b, "feed.joints", "dyn.joints_sorted");
  link_up(&b, "feed.supports", "dyn.supports");
  link_up(&b, "fwd.limbs", "inv.limbs_ref");
  expect(sn_system_begin(b.system, &b.err), &b.err);
  bench_context c = {.parts = {&feed->component}};
  snprintf(name, sizeof name, "%s_feed", pose);
  measure(name, &c, 1);
  c.parts[1] = fwd;
  snprintf(name, sizeof name, "%s_kinematics_fwd", pose);
  measure(name, &c, 2);
  c.parts[1] = dyn;
  snprintf(name, sizeof name, "%s_dynamics_inv", pose);
  measure(name, &c, 2);
  c.parts[1] = fwd;
  c.parts[2] = dyn;
  snprintf(name, sizeof name, "%s_fwd_and_dynamics", pose);
  measure(name, &c, 3);
  c.parts[2] = inv;
  snprintf(name, sizeof name, "%s_fwd_and_inv", pose);
  measure(name, &c, 3);
  sn_system_destroy(b.system);
  sn_arena_release(&b.arena);
  free(poses);
}

int main(void) {
  run("stand", 0.01);
  run("crouch", 0.15);
  return 0;
}
