/* From the sorted pose and the supports to efforts, contact forces and balance. */
#include "robot/dynamics_inv.h"

#include <string.h>

#include "base/fail.h"
#include "msg/base_message.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"

typedef sn__dynamics_inv dynamics_inv;

/* Poses further apart than this do not give an acceleration. */
static const int64_t GAP_MAX_NS = 100000000;
/* A base that is older than this is not used. */
static const int64_t BASE_MAX_NS = 200000000;

static const sn_property properties[] = {
    SN_PROPERTY(dynamics_inv, "gravity", gravity, .initial = "[0, 0, -9.81]", .unit = "m/s^2",
                .count_min = 3, .count_max = 3, .flags = SN_PROPERTY_LIVE,
                .doc = "Gravity in the frame of the root link, or in the world with in_base; the "
                       "ground is normal to it."),
    SN_PROPERTY(dynamics_inv, "balance_frame", balance_frame,
                .doc =
                    "Frame of the balance: empty: the root link; or the world frame, which needs "
                    "in_base."),
    SN_PROPERTY(dynamics_inv, "world_frame", world_frame, .initial = "odom",
                .doc = "Name of the world's frame."),
    SN_PROPERTY(dynamics_inv, "friction", friction, .unit = "", .initial = "0.6", .min = 0,
                .max = 100, .flags = SN_PROPERTY_LIVE,
                .doc = "Friction coefficient of the ground."),
    SN_PROPERTY(dynamics_inv, "base_is_still", base_is_still, .flags = SN_PROPERTY_LIVE,
                .doc =
                    "The root link does not move; otherwise it moves such that the feet that carry "
                    "stay where they are."),
    SN_PROPERTY(dynamics_inv, "differentiate", differentiate, .flags = SN_PROPERTY_LIVE,
                .doc =
                    "Without joints_accel: accelerations from the change of velocities instead of "
                    "zero."),
    SN_PROPERTY(
        dynamics_inv, "need_inertia", need_inertia, .initial = "true",
        .doc = "Reject a robot with moving links without inertia; otherwise they are massless, and "
               "without any mass efforts are zero and balance is unknown."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(dynamics_inv, "joints_sorted", joints_sorted, &sn_joint_state_type,
             .flags = SN_PORT_EVENT | SN_PORT_REQUIRED, .doc = "The pose of the whole robot."),
    SN_INPUT(dynamics_inv, "joints_accel", joints_accel, &sn_joint_state_accel_type,
             .doc = "Accelerations for the pose of the same cycle."),
    SN_INPUT(dynamics_inv, "supports", supports, &sn_support_state_type,
             .doc = "Which chains carry the robot, and by which contacts."),
    SN_INPUT(dynamics_inv, "in_base", in_base, &sn_rigid_body_state_type, .flags = SN_PORT_FEEDBACK,
             .doc = "The base in the world: its tilt turns gravity; its twist counts without "
                    "supports."),
    SN_OUTPUT(dynamics_inv, "joints_effort", joints_effort, &sn_joint_state_type,
              .doc = "The pose with the required efforts."),
    SN_OUTPUT(dynamics_inv, "balance", balance, &sn_balance_state_type, .flags = SN_PORT_DERIVED,
              .doc = "Centre of mass, zero-moment point, support polygon, contact forces."),
    {0}};

static const sn_need needs[] = {SN_ROBOT_MODEL_NEED(dynamics_inv), {0}};

static bool is_gravity(const sn_reals *g) {
  return g->data[0] != 0.0 || g->data[1] != 0.0 || g->data[2] != 0.0;
}

/* ---- configuration ---- */

static bool create_arrays(dynamics_inv *self, sn_arena *arena) {
  const size_t n = sn_model_pose_size(self->model);
  self->q = SN_NEW(arena, double, n);
  self->qd = SN_NEW(arena, double, n);
  self->qdd = SN_NEW(arena, double, n);
  self->qd_last = SN_NEW(arena, double, n);
  self->known = SN_NEW(arena, sn_support, self->chain_count);
  self->listed = SN_NEW(arena, sn_support, self->chain_count);
  return self->q != NULL && self->qd != NULL && self->qdd != NULL && self->qd_last != NULL &&
         self->known != NULL && self->listed != NULL &&
         sn__name_map_init(&self->names, arena, sn_model_joint_names(self->model)) &&
         sn__name_map_init(&self->accel_names, arena, sn_model_joint_names(self->model)) &&
         sn__dynamics_inv_create_texts(self, arena);
}

static sn_status check_room(const dynamics_inv *self, sn_error *err) {
  const sn_joint_state *effort = self->joints_effort.msg;
  const sn_balance_state *balance = self->balance.msg;
  sn_status status =
      sn__fits(sn_model_pose_size(self->model), effort->effort.capacity, "joints", err);
  if (status == SN_OK) {
    status = sn__fits(self->chain_count, balance->wrench.capacity, "chains", err);
  }
  return status;
}

static sn_status find_frame(dynamics_inv *self, sn_error *err) {
  const char *frame = self->balance_frame, *root = sn_model_link(self->model, 0)->name;
  self->is_in_world = strcmp(frame, self->world_frame) == 0;
  return self->is_in_world || *frame == '\0' || strcmp(frame, root) == 0
             ? SN_OK
             : sn__fail(err, SN_EINVAL, "balance_frame is '%s', expected '%s' or '%s'", frame, root,
                        self->world_frame);
}

static sn_status create_all(sn_component *component, sn_error *err) {
  dynamics_inv *self = (dynamics_inv *)component;
  sn_arena *arena = sn_component_arena(&self->component);
  if (!is_gravity(&self->gravity)) {
    return sn__fail(err, SN_EINVAL, "gravity is zero: the direction of the ground is undefined");
  }
  sn_status status = find_frame(self, err);
  if (status != SN_OK) {
    return status;
  }
  self->chain_count = sn_names_count(sn_model_chain_names(self->model));
  self->contact_count = sn_names_count(sn_model_contact_names(self->model));
  self->known_count = self->listed_count = 0;
  self->has_pose = self->has_last = false;
  self->was_balanced = true;
  const char *massless = sn_model_tree(self->model)->massless_link;
  if (massless != NULL && self->need_inertia) {
    return sn__fail(err, SN_EMODEL, "link '%s' moves but has no inertia", massless);
  }
  status = check_room(self, err);
  if (status == SN_OK) {
    self->core = NULL;
    status = sn__balance_create(arena, self->model, &self->core, err);
    status = status == SN_EMODEL && !self->need_inertia ? SN_OK : status;
  }
  if (status == SN_OK && !create_arrays(self, arena)) {
    status = sn__fail(err, SN_ENOMEM, "no memory");
  }
  if (status != SN_OK) {
    return status;
  }
  sn_joint_state *effort = self->joints_effort.msg;
  sn_balance_state *balance = self->balance.msg;
  sn_msg_names_share(&effort->name, sn_model_joint_names(self->model));
  const char *frame = self->is_in_world ? self->world_frame : sn_model_link(self->model, 0)->name;
  if (sn_msg_text_set(&balance->header.frame_id, frame) != SN_OK) {
    return sn__fail(err, SN_ENOSPC, "the name '%s' does not fit into a message", frame);
  }
  sn_msg_names_clear(&balance->contact);
  return SN_OK;
}

static sn_status configure(sn_component *component, sn_error *err) {
  dynamics_inv *self = (dynamics_inv *)component;
  return sn__configure_with_model(component, &self->robot_model, &self->model, create_all, err);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  dynamics_inv *self = (dynamics_inv *)component;
  self->has_last = self->had_unknown = self->has_base = false;
  if (self->is_in_world && !sn_input_is_connected(&self->in_base)) {
    return sn__fail(err, SN_EINVAL, "balance_frame '%s' needs in_base, which is not connected",
                    self->balance_frame);
  }
  self->was_balanced = true;
  const char *massless = sn_model_tree(self->model)->massless_link;
  if (massless != NULL) {
    const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = massless};
    sn_component_log(component, now_ns, SN_LOG_WARNING,
                     self->core == NULL
                         ? "all links are without inertia: efforts are zero, balance is unknown"
                         : "links without inertia are massless, such as '{}'",
                     1, &arg);
  }
  return SN_OK;
}

static void cleanup(sn_component *component) {
  dynamics_inv *self = (dynamics_inv *)component;
  sn_msg_names_clear(&((sn_joint_state *)self->joints_effort.msg)->name);
  sn__model_release(&self->robot_model);
}

/* ---- a cycle ---- */

/* The contact that a support names, or the default of the chain; -1: none. */
static int contact_of(const dynamics_inv *self, const sn_support_state *in, size_t i, int chain,
                      size_t *unknown_count) {
  const char *name = i < in->contact.count ? sn_msg_names_at(&in->contact, i) : "";
  const int contact = *name == '\0' ? -1 : sn_model_contact_index(self->model, name);
  *unknown_count += *name != '\0' && contact < 0;
  return contact < 0 ? sn_model_chain_default_contact(self->model, (size_t)chain) : contact;
}

static void report_unknown(dynamics_inv *self, int64_t now_ns, size_t count) {
  if (count > 0 && !self->had_unknown) {
    const sn_log_arg arg = {.kind = SN_LOG_INT, .value.integer = (int64_t)count};
    sn_component_log(&self->component, now_ns, SN_LOG_WARNING,
                     "supports: {} unknown chains or contacts", 1, &arg);
  }
  self->had_unknown = count > 0;
}

/* Unknown chains are ignored, and of one that appears twice the last counts. */
static void take_supports(dynamics_inv *self, int64_t now_ns) {
  const sn_support_state *in = sn_input_newest(&self->supports);
  if (in == NULL) {
    return;
  }
  self->known_count = 0;
  size_t unknown_count = 0;
  const size_t count = in->support.count < in->name.count ? in->support.count : in->name.count;
  for (size_t i = 0; i < count; i++) {
    const int chain = sn_model_chain_index(self->model, sn_msg_names_at(&in->name, i));
    if (chain < 0) {
      unknown_count++;
      continue;
    }
    size_t at = 0;
    while (at < self->known_count && self->known[at].chain != (size_t)chain) {
      at++;
    }
    self->known_count += at == self->known_count;
    self->known[at] = (sn_support){(size_t)chain, contact_of(self, in, i, chain, &unknown_count),
                                   in->support.data[i]};
  }
  report_unknown(self, now_ns, unknown_count);
}

/* @return whether the pose is known */
static bool take_pose(dynamics_inv *self, const sn_joint_state *in) {
  if (!sn__read_is_good(sn__read_joint_state(&self->names, in, NULL))) {
    return false;
  }
  const size_t n = self->names.count;
  const size_t known = sn__name_map_sort(&self->names, &in->position, self->q);
  self->has_pose = self->has_pose || known == n;
  memset(self->qd, 0, n * sizeof *self->qd); /* without velocities it is at rest */
  (void)sn__name_map_sort(&self->names, &in->velocity, self->qd);
  return self->has_pose;
}

static void take_accelerations(dynamics_inv *self, int64_t stamp_ns) {
  const size_t n = self->names.count;
  const int64_t gap_ns = stamp_ns - self->last_ns;
  const sn_joint_state_accel *in = sn_input_newest(&self->joints_accel);
  memset(self->qdd, 0, n * sizeof *self->qdd);
  if (in != NULL) {
    sn__name_map_find(&self->accel_names, &in->name);
    (void)sn__name_map_sort(&self->accel_names, &in->acceleration, self->qdd);
  } else if (self->differentiate && self->has_last && gap_ns > 0 && gap_ns <= GAP_MAX_NS) {
    for (size_t j = 0; j < n; j++) {
      self->qdd[j] = (self->qd[j] - self->qd_last[j]) / (1e-9 * (double)gap_ns);
    }
  }
  memcpy(self->qd_last, self->qd, n * sizeof *self->qd);
  self->last_ns = stamp_ns;
  self->has_last = true;
}

static void take_base(dynamics_inv *self, int64_t now_ns) {
  const sn_rigid_body_state *in = sn_input_newest(&self->in_base);
  if (in != NULL && sn__base_message_read(in, sn_model_link(self->model, 0)->name,
                                          &self->pose_world_base, &self->base_twist, NULL)) {
    self->has_base = true;
    self->base_ns = now_ns;
  } else if (self->has_base && now_ns - self->base_ns > BASE_MAX_NS) {
    self->has_base = false;
    sn_component_log(&self->component, now_ns, SN_LOG_WARNING,
                     "in_base is silent: the base counts as level", 0, NULL);
  }
}

static void fill_effort(dynamics_inv *self, int64_t stamp_ns) {
  sn_joint_state *out = self->joints_effort.msg;
  const size_t n = sn_model_pose_size(self->model);
  out->header.stamp_ns = stamp_ns;
  out->position.count = out->velocity.count = out->effort.count = n;
  memcpy(out->position.data, self->q, n * sizeof *self->q);
  memcpy(out->velocity.data, self->qd, n * sizeof *self->qd);
}

static sn_status step(sn_component *component, int64_t now_ns) {
  dynamics_inv *self = (dynamics_inv *)component;
  const sn_joint_state *in = sn_input_newest(&self->joints_sorted);
  take_supports(self, now_ns);
  take_base(self, now_ns);
  if (in == NULL || !take_pose(self, in) || !is_gravity(&self->gravity)) {
    return SN_OK;
  }
  fill_effort(self, in->header.stamp_ns);
  if (self->core == NULL) {
    sn_joint_state *out = self->joints_effort.msg;
    memset(out->effort.data, 0, out->effort.count * sizeof *out->effort.data);
    return sn_output_write(&self->joints_effort);
  }
  take_accelerations(self, in->header.stamp_ns);
  const sn_vec3 gravity = {self->gravity.data[0], self->gravity.data[1], self->gravity.data[2]};
  const sn_mat3 rot = self->pose_world_base.rot;
  const sn_spatial twist = {sn_mat3_apply_transposed(rot, self->base_twist.ang),
                            sn_mat3_apply_transposed(rot, self->base_twist.lin)};
  const sn_balance_input input = {
      .q = self->q,
      .qd = self->qd,
      .qdd = self->qdd,
      .supports = self->known,
      .support_count = self->known_count,
      .gravity = self->has_base ? sn_mat3_apply_transposed(rot, gravity) : gravity,
      .friction = self->friction,
      .base_is_still = self->base_is_still,
      .base_twist = self->has_base ? &twist : NULL};
  sn_balance_result result;
  sn__balance_step(self->core, &input, ((sn_joint_state *)self->joints_effort.msg)->effort.data,
                   &result);
  sn__dynamics_inv_fill_balance(self, in->header.stamp_ns, &result);
  sn__dynamics_inv_report(self, now_ns, &result);
  const sn_status status = sn_output_write(&self->joints_effort);
  const bool has_frame = !self->is_in_world || self->has_base;
  const sn_status other = has_frame ? sn_output_write(&self->balance) : SN_OK;
  return status == SN_OK ? other : status;
}

const sn_component_type sn_dynamics_inv_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "dynamics_inv",
    .doc = "Inverse dynamics: efforts, contact forces and balance, from the pose and the supports.",
    .size = sizeof(dynamics_inv),
    .properties = properties,
    .ports = ports,
    .needs = needs,
    .example =
        "components:\n"
        "  dynamics_inv:\n"
        "    type: dynamics_inv\n"
        "    properties: {gravity: [0, 0, -1.62], friction: 0.4}\n",
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = cleanup,
};
