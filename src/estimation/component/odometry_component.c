/* The base in the world from the feet that stand. */
#include <string.h>

#include "base/fail.h"
#include "estimation/component/support_reader.h"
#include "estimation/limb_feet.h"
#include "estimation/odometry.h"
#include "msg/base_message.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"

typedef struct odometry {
  sn_component component;
  const char *world_frame;
  bool with_virtual;
  bool force_contact_z_to_zero, zero_twist_if_no_contacts;
  sn_input in_supports, in_limbs, in_base;
  sn_output out_base;
  sn_requester robot_model;

  const sn_model *model;
  sn__limb_feet feet;
  sn__odometry *core;
  sn__support_reader supports;
  sn__name_map names; /* of in_limbs */
  bool *is_seen;      /* [foot_count] in_limbs named it once */
  bool is_begun;
  bool has_override; /* of the base, to be used in the next step */
  sn__base_state override;
  int64_t last_ns;
  sn_log_limit message_limit;
} odometry;

static const sn_property properties[] = {
    SN_PROPERTY(odometry, "world_frame", world_frame, .initial = "odom",
                .doc = "Name of the frame that the base is in."),
    SN_PROPERTY(odometry, "with_virtual", with_virtual, .initial = "true",
                .doc = "in_limbs has the virtual links of chains, as kinematics_fwd has it."),
    SN_PROPERTY(odometry, "force_contact_z_to_zero", force_contact_z_to_zero,
                .flags = SN_PROPERTY_LIVE, .doc = "The ground is level: feet stand at height 0."),
    SN_PROPERTY(odometry, "zero_twist_if_no_contacts", zero_twist_if_no_contacts,
                .flags = SN_PROPERTY_LIVE,
                .doc = "Without contacts the base stands; otherwise it keeps its twist."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(odometry, "in_supports", in_supports, &sn_support_state_type,
             .doc = "Which chains stand, and by which contacts."),
    SN_INPUT(odometry, "in_limbs", in_limbs, &sn_limb_state_type,
             .flags = SN_PORT_EVENT | SN_PORT_REQUIRED,
             .doc = "Poses and twists of the ends of limbs in the base."),
    SN_INPUT(odometry, "in_base", in_base, &sn_rigid_body_state_type, .flags = SN_PORT_FEEDBACK,
             .doc = "Override: the base in the world, from a source that knows it better."),
    SN_OUTPUT(odometry, "out_base", out_base, &sn_rigid_body_state_type,
              .doc = "The base in the world: pose and twist."),
    {0}};

static const sn_need needs[] = {SN_ROBOT_MODEL_NEED(odometry), {0}};

static sn_status create_all(sn_component *component, sn_error *err) {
  odometry *self = (odometry *)component;
  sn_arena *arena = sn_component_arena(component);
  const sn_status status =
      sn__limb_feet_create(arena, self->model, SN_CHAINS_MAX, self->with_virtual, &self->feet, err);
  if (status != SN_OK) {
    return status;
  }
  const sn__odometry_config config = {.foot_count = self->feet.foot_count,
                                      .points_max = self->feet.points_max};
  self->core = sn__odometry_create(arena, &config);
  self->is_seen = SN_NEW(arena, bool, self->feet.foot_count);
  if (self->core == NULL || self->is_seen == NULL ||
      !sn__name_map_init(&self->names, arena, sn_model_chain_names(self->model)) ||
      !sn__support_reader_init(&self->supports, arena, &self->feet)) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  return sn__base_message_prepare(self->out_base.msg, self->world_frame,
                                  sn_model_link(self->model, 0)->name, err);
}

static sn_status configure(sn_component *component, sn_error *err) {
  odometry *self = (odometry *)component;
  return sn__configure_with_model(component, &self->robot_model, &self->model, create_all, err);
}

static void cleanup(sn_component *component) {
  sn__model_release(&((odometry *)component)->robot_model);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  odometry *self = (odometry *)component;
  (void)now_ns;
  (void)err;
  self->is_begun = self->has_override = self->supports.has_message = false;
  memset(self->is_seen, 0, self->feet.foot_count * sizeof *self->is_seen);
  memset(self->supports.touches, 0, self->feet.foot_count * sizeof *self->supports.touches);
  return SN_OK;
}

/* ---- one cycle ---- */

static void warn(odometry *self, int64_t now_ns, const char *port, const char *what) {
  const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = port},
                             {.kind = SN_LOG_TEXT, .value.text = what}};
  sn_component_log_limited(&self->component, &self->message_limit, now_ns, SN_LOG_WARNING,
                           "{}: message ignored: {}", 2, args);
}

static void take_supports(odometry *self, int64_t now_ns) {
  const sn_support_state *in = sn_input_newest(&self->in_supports);
  bool is_unknown = false;
  if (in == NULL) {
    return;
  }
  const sn__read_verdict verdict =
      sn__support_reader_take(&self->supports, in, &self->feet, true, &is_unknown);
  if (!sn__read_is_good(verdict)) {
    warn(self, now_ns, "in_supports", sn__read_verdict_text(verdict));
  } else if (is_unknown) {
    warn(self, now_ns, "in_supports", "an unknown chain or contact");
  }
}

/* @return whether all feet are known */
static bool take_limbs(odometry *self, const sn_limb_state *in, int64_t now_ns) {
  const sn__read_verdict verdict =
      sn__name_map_read(&self->names, &in->name, NULL, NULL, NULL, NULL);
  const bool has_twist = in->twist.count == in->name.count;
  if (!sn__read_is_good(verdict) || in->pose.count != in->name.count) {
    warn(self, now_ns, "in_limbs", "names or lengths are wrong");
    return false;
  }
  bool has_all = true;
  for (size_t i = 0; i < self->feet.foot_count; i++) {
    const int at = self->names.at[self->feet.limbs[i].chain];
    if (at >= 0 && sn__msg_pose_is_valid(in->pose.data[at])) {
      sn__limb_feet_from_limb(&self->feet, i, sn_pose_from_msg(in->pose.data[at]),
                              has_twist ? &in->twist.data[at] : NULL);
      self->is_seen[i] = true;
    }
    has_all = has_all && self->is_seen[i];
  }
  return has_all;
}

static void begin(odometry *self) {
  sn_vec3 up = {0, 0, 1};
  (void)sn__feet_up(self->feet.feet, self->feet.foot_count, &up);
  const sn__base_state base = {.pose_world_base =
                                   sn__feet_stand(self->feet.feet, self->feet.foot_count, up)};
  sn__odometry_reset(self->core, &base);
  self->is_begun = true;
}

static void take_base(odometry *self, int64_t now_ns) {
  const sn_rigid_body_state *in = sn_input_newest(&self->in_base);
  if (in == NULL) {
    return;
  }
  const char *root = sn_model_link(self->model, 0)->name;
  self->has_override =
      sn__base_message_read(in, root, &self->override.pose_world_base, &self->override.twist, NULL);
  if (!self->has_override) {
    warn(self, now_ns, "in_base", "it has no valid pose of the root link");
  }
}

/* Time since the last step, ns; 0: it is the same cycle. */
static int64_t time_since(odometry *self, int64_t now_ns) {
  const int64_t period_ns = sn_component_period_ns(&self->component);
  const int64_t usual_ns = period_ns > 0 ? period_ns : 1000000;
  const int64_t since_ns = self->is_begun ? now_ns - self->last_ns : usual_ns;
  self->last_ns = now_ns;
  return since_ns;
}

static sn_status step(sn_component *component, int64_t now_ns) {
  odometry *self = (odometry *)component;
  take_supports(self, now_ns);
  take_base(self, now_ns);
  const sn_limb_state *in = sn_input_newest(&self->in_limbs);
  if (in == NULL || !take_limbs(self, in, now_ns)) {
    return SN_OK;
  }
  for (size_t i = 0; i < self->feet.foot_count; i++) {
    self->feet.feet[i].is_touching = self->supports.touches[i];
  }
  const int64_t since_ns = time_since(self, now_ns);
  if (since_ns <= 0) {
    return SN_OK;
  }
  if (!self->is_begun) {
    begin(self);
  }
  if (self->has_override) {
    sn__odometry_move(self->core, &self->override);
    self->has_override = false;
  }
  sn__odometry_configure(self->core, self->force_contact_z_to_zero,
                         self->zero_twist_if_no_contacts);
  const sn__base_state *base =
      sn__odometry_step(self->core, self->feet.feet, 1e-9 * (double)since_ns);
  sn__base_message_fill(self->out_base.msg, in->header.stamp_ns, base->pose_world_base,
                        base->twist);
  return sn_output_write(&self->out_base);
}

const sn_component_type sn_odometry_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "odometry",
    .doc = "The base in the world from the feet that stand, which do not move.",
    .size = sizeof(odometry),
    .properties = properties,
    .ports = ports,
    .needs = needs,
    .example =
        "components:\n"
        "  odometry:\n"
        "    type: odometry\n"
        "    properties: {force_contact_z_to_zero: true}\n"
        "connections:\n"
        "  - kinematics_fwd.limbs -> odometry.in_limbs\n"
        "  - aggregator.supports -> odometry.in_supports\n",
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = cleanup,
};
