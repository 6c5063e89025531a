/* References that sway a robot gently: slow waves along its limbs around the pose at the start. For
   demonstrations. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "math/sincos.h"
#include "msg/name_map.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"
#include "sinew/model.h"
#include "sinew/msg_types.h"

static const double pi = 3.14159265358979323846;

typedef struct demo_motion {
  sn_component component;
  double amplitude, period_s, fade_s;
  sn_input sync, src_reset;
  sn_output joints_ref;
  sn_requester robot_model;

  const sn_model *model;
  sn__name_map names;
  double *middle, *swing, *phase; /* sorted */
  double *angle, *sine, *cosine;  /* of the waves now */
  bool has_pose;
  int64_t begun_ns; /* of the waves */
} demo_motion;

static const sn_property properties[] = {
    SN_PROPERTY(
        demo_motion, "amplitude", amplitude, .initial = "0.12", .unit = "rad", .min = 0, .max = 1,
        .flags = SN_PROPERTY_LIVE,
        .doc = "Maximum for each joint; smaller for joints with little room and prismatic joints."),
    SN_PROPERTY(demo_motion, "period", period_s, .initial = "6", .unit = "s", .min = 0.5,
                .max = 600, .doc = "Period of a wave."),
    SN_PROPERTY(demo_motion, "fade", fade_s, .initial = "3", .unit = "s", .min = 0.1, .max = 60,
                .doc = "Time from rest to the full swing."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(demo_motion, "sync", sync, &sn_timer_event_type,
             .flags = SN_PORT_EVENT | SN_PORT_REQUIRED, .doc = "The tick."),
    SN_INPUT(
        demo_motion, "src_reset", src_reset, &sn_joint_state_type,
        .flags = SN_PORT_FEEDBACK | SN_PORT_REQUIRED,
        .doc =
            "The pose to sway around, sent while a controller takes over; the waves restart then."),
    SN_OUTPUT(demo_motion, "joints_ref", joints_ref, &sn_joint_state_type,
              .doc = "References for all joints."),
    {0}};

static const sn_need needs[] = {SN_ROBOT_MODEL_NEED(demo_motion), {0}};

/* At most a quarter of the range; a prismatic joint moves a tenth as far, in m. */
static double swing_of(const demo_motion *self, const sn_joint *joint) {
  const bool slides = joint->type == SN_JOINT_PRISMATIC;
  const double limit = slides ? 0.1 * self->amplitude : self->amplitude;
  const double room = 0.25 * (joint->upper - joint->lower);
  double swing = room < limit ? room : limit;
  /* Peak velocity: at most half of the limit. */
  const double slow = 0.5 * joint->velocity_max * self->period_s / (2.0 * pi);
  swing = slow < swing ? slow : swing;
  return joint->mimic >= 0 || !(swing > 0.0) ? 0.0 : swing;
}

/* Waves run along the limbs: a joint follows the one before it, a limb the one beside it. */
static void find_phases(demo_motion *self) {
  const size_t n = sn_model_pose_size(self->model);
  size_t depth = 0;
  for (size_t j = 0; j < n; j++) {
    const int chain = sn_model_joint(self->model, j)->chain;
    const bool is_same = j > 0 && sn_model_joint(self->model, j - 1)->chain == chain;
    depth = is_same ? depth + 1 : 0;
    self->phase[j] = 0.9 * (double)depth + 2.4 * (double)(chain < 0 ? 0 : chain);
  }
}

static sn_status create_all(sn_component *component, sn_error *err) {
  demo_motion *self = (demo_motion *)component;
  sn_arena *arena = sn_component_arena(&self->component);
  const size_t n = sn_model_pose_size(self->model);
  sn_joint_state *out = self->joints_ref.msg;
  const sn_status status = sn__fits(n, out->position.capacity, "joints", err);
  if (status != SN_OK) {
    return status;
  }
  self->middle = SN_NEW(arena, double, n);
  self->swing = SN_NEW(arena, double, n);
  self->phase = SN_NEW(arena, double, n);
  self->angle = SN_NEW(arena, double, n);
  self->sine = SN_NEW(arena, double, n);
  self->cosine = SN_NEW(arena, double, n);
  if (self->middle == NULL || self->swing == NULL || self->phase == NULL || self->angle == NULL ||
      self->sine == NULL || self->cosine == NULL ||
      !sn__name_map_init(&self->names, arena, sn_model_joint_names(self->model))) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  find_phases(self);
  sn_msg_names_share(&out->name, sn_model_joint_names(self->model));
  return SN_OK;
}

static sn_status configure(sn_component *component, sn_error *err) {
  demo_motion *self = (demo_motion *)component;
  return sn__configure_with_model(component, &self->robot_model, &self->model, create_all, err);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  (void)now_ns;
  (void)err;
  ((demo_motion *)component)->has_pose = false;
  return SN_OK;
}

static void cleanup(sn_component *component) {
  demo_motion *self = (demo_motion *)component;
  sn_msg_names_clear(&((sn_joint_state *)self->joints_ref.msg)->name);
  sn__model_release(&self->robot_model);
}

/* The middle is the pose of the joint, or the nearest position that leaves room for the swing. */
static void adopt(demo_motion *self, const sn_joint_state *pose, int64_t now_ns) {
  if (!sn__read_is_good(sn__read_joint_state(&self->names, pose, NULL))) {
    return;
  }
  for (size_t j = 0; j < sn_model_pose_size(self->model); j++) {
    if (self->names.at[j] >= 0) {
      const sn_joint *joint = sn_model_joint(self->model, j);
      const double swing = swing_of(self, joint);
      double q = pose->position.data[self->names.at[j]];
      q = q > joint->upper - swing ? joint->upper - swing : q;
      q = q < joint->lower + swing ? joint->lower + swing : q;
      self->middle[j] = q;
      self->swing[j] = swing;
    }
  }
  self->has_pose = true;
  self->begun_ns = now_ns;
}

/* From rest to the full swing: 3x² - 2x³. */
static double fade(const demo_motion *self, double t_s) {
  const double x = t_s < self->fade_s ? t_s / self->fade_s : 1.0;
  return x * x * (3.0 - 2.0 * x);
}

static sn_status step(sn_component *component, int64_t now_ns) {
  demo_motion *self = (demo_motion *)component;
  (void)sn_input_read(&self->sync, NULL);
  const sn_joint_state *pose = sn_input_newest(&self->src_reset);
  if (pose != NULL) {
    adopt(self, pose, now_ns);
  }
  if (!self->has_pose) {
    return SN_OK;
  }
  sn_joint_state *out = self->joints_ref.msg;
  const size_t n = sn_model_pose_size(self->model);
  const double t_s = 1e-9 * (double)(now_ns - self->begun_ns);
  const double scale = fade(self, t_s);
  out->header.stamp_ns = now_ns;
  out->position.count = n;
  out->velocity.count = out->effort.count = 0;
  for (size_t j = 0; j < n; j++) { /* without whole turns, which would grow without bound */
    self->angle[j] = 2.0 * pi * fmod(t_s / self->period_s, 1.0) + self->phase[j];
  }
  sn__sincos_each(n, self->angle, self->sine, self->cosine);
  for (size_t j = 0; j < n; j++) {
    out->position.data[j] = self->middle[j] + scale * self->swing[j] * self->sine[j];
  }
  return sn_output_write(&self->joints_ref);
}

const sn_component_type sn_demo_motion_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "demo_motion",
    .doc = "Writes references that sway a robot gently around its pose.",
    .size = sizeof(demo_motion),
    .properties = properties,
    .ports = ports,
    .needs = needs,
    .example =
        "components:\n"
        "  demo_motion: {type: demo_motion, properties: {amplitude: 0.05}}\n"
        "connections:\n"
        "  - timer.sync -> demo_motion.sync\n"
        "  - follow.out_joints_src_reset -> demo_motion.src_reset\n"
        "  - demo_motion.joints_ref -> follow.in_joints_ref\n",
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = cleanup,
};
