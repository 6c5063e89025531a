/* References for the base of a robot that stands: it breathes, and shifts its weight a little. For
   demonstrations. */
#include <math.h>
#include <string.h>

#include "sinew/components.h"
#include "sinew/msg_types.h"
#include "sinew/quat.h"

static const double TAU = 6.283185307179586;
static const int64_t SILENCE_NS = 300000000; /* the controller is not active any more */

typedef struct demo_breath {
  sn_component component;
  double depth, period_s, fade_s;
  sn_input sync, in_base_ref;
  sn_output base_ref;

  sn_msg_pose middle; /* where the base was when the controller became active */
  bool has_middle;
  int64_t heard_ns, begun_ns;
} demo_breath;

static const sn_property properties[] = {
    SN_PROPERTY(demo_breath, "depth", depth, .initial = "0.02", .unit = "", .min = 0, .max = 0.1,
                .flags = SN_PROPERTY_LIVE,
                .doc = "How far the base rises and sinks, as a part of its height above the "
                       "ground."),
    SN_PROPERTY(demo_breath, "period", period_s, .initial = "4", .unit = "s", .min = 0.5,
                .max = 600, .doc = "Time of a breath."),
    SN_PROPERTY(demo_breath, "fade", fade_s, .initial = "3", .unit = "s", .min = 0.1, .max = 60,
                .doc = "Time from rest to the full depth."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(demo_breath, "sync", sync, &sn_timer_event_type,
             .flags = SN_PORT_EVENT | SN_PORT_REQUIRED, .doc = "The tick."),
    SN_INPUT(demo_breath, "in_base_ref", in_base_ref, &sn_rigid_body_state_type,
             .flags = SN_PORT_FEEDBACK | SN_PORT_REQUIRED,
             .doc = "The commanded base of the controller, while it is active: the first one after "
                    "a silence is the pose to breathe around."),
    SN_OUTPUT(demo_breath, "base_ref", base_ref, &sn_rigid_body_state_type,
              .doc = "The wanted base, in the frame of in_base_ref."),
    {0}};

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  demo_breath *self = (demo_breath *)component;
  (void)now_ns;
  (void)err;
  self->has_middle = false;
  return SN_OK;
}

static void cleanup(sn_component *component) {
  demo_breath *self = (demo_breath *)component;
  sn_msg_names_clear(&((sn_rigid_body_state *)self->base_ref.msg)->name);
}

/* Adopt the pose of a controller that has become active. */
static void listen(demo_breath *self, int64_t now_ns) {
  const sn_rigid_body_state *msg = sn_input_newest(&self->in_base_ref);
  if (msg == NULL) {
    self->has_middle = self->has_middle && now_ns - self->heard_ns <= SILENCE_NS;
    return;
  }
  self->heard_ns = now_ns;
  if (!self->has_middle && msg->pose.count > 0 && msg->name.count > 0) {
    sn_rigid_body_state *out = self->base_ref.msg;
    const char *name = sn_msg_names_at(&msg->name, 0);
    sn_msg_names_clear(&out->name);
    self->middle = msg->pose.data[0];
    self->begun_ns = now_ns;
    self->has_middle = sn_msg_names_add(&out->name, name, strlen(name)) == SN_OK &&
                       sn_msg_text_set(&out->header.frame_id, msg->header.frame_id.data) == SN_OK;
  }
}

/* From rest to the full depth: 3x² - 2x³. */
static double fade(const demo_breath *self, double t_s) {
  const double x = t_s < self->fade_s ? t_s / self->fade_s : 1.0;
  return x * x * (3.0 - 2.0 * x);
}

/* Up and down; to the left and right in four breaths. */
static sn_vec3 breathe(const demo_breath *self, double t_s) {
  const double size = fade(self, t_s) * self->depth * fabs(self->middle.position.z);
  const double phase = fmod(t_s / self->period_s, 4.0);
  const sn_pose pose = sn_pose_from_msg(self->middle);
  const sn_vec3 aside = sn_vec3_scale(pose.rot.y, 0.5 * size * sin(0.25 * TAU * phase));
  return sn_vec3_add_scaled(aside, 0.5 * size * (cos(TAU * phase) - 1.0), sn_vec3_make(0, 0, 1));
}

static sn_status step(sn_component *component, int64_t now_ns) {
  demo_breath *self = (demo_breath *)component;
  sn_rigid_body_state *out = self->base_ref.msg;
  (void)sn_input_read(&self->sync, NULL);
  listen(self, now_ns);
  if (!self->has_middle) {
    return SN_OK;
  }
  out->header.stamp_ns = now_ns;
  out->pose.count = 1;
  out->twist.count = out->wrench.count = 0;
  out->pose.data[0] = self->middle;
  out->pose.data[0].position =
      sn_vec3_add(self->middle.position, breathe(self, 1e-9 * (double)(now_ns - self->begun_ns)));
  return sn_output_write(&self->base_ref);
}

const sn_component_type sn_demo_breath_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "demo_breath",
    .doc = "Writes references that let a standing robot breathe.",
    .size = sizeof(demo_breath),
    .properties = properties,
    .ports = ports,
    .example =
        "components:\n"
        "  demo_breath: {type: demo_breath, properties: {depth: 0.01}}\n"
        "connections:\n"
        "  - timer.sync -> demo_breath.sync\n"
        "  - stance.out_base_ref -> demo_breath.in_base_ref\n"
        "  - demo_breath.base_ref -> stance.in_base_ref\n",
    .start = start,
    .step = step,
    .cleanup = cleanup,
};
