/* From where limbs should be to the pose of their joints. */
#include <string.h>

#include "base/fail.h"
#include "control/limb_ik.h"
#include "rt/model_use.h"
#include "sinew/components.h"
#include "sinew/kin.h"
#include "sinew/msg_calls.h"
#include "sinew/system.h"

typedef struct free_axes {
  const char *chain;
  sn_texts axes;
} free_axes;

typedef struct kinematics_inv {
  sn_component component;
  const char *solver;
  sn_bags free;
  sn_texts chains;
  bool with_virtual;
  double jump_max, timeout_s;
  sn_input limbs_ref, joints_sorted;
  sn_output joints_ref;
  sn_requester robot_model;

  const sn_model *model;
  sn_kin_data *kin;
  size_t joint_count, chain_count;
  sn__limb_ik *limbs;        /* [chain_count] */
  double *q, *ref, *rate;    /* sorted */
  bool *named, *named_last;  /* [joint_count] joints of the answer, of the last answer */
  bool has_pose, has_answer; /* every joint was named once; an answer was given */
  bool was_refused;          /* the last reference was of no use */
} kinematics_inv;

static const sn_property free_properties[] = {
    SN_PROPERTY(free_axes, "chain", chain, .doc = "A chain."),
    SN_PROPERTY(free_axes, "axes", axes,
                .doc = "Of its target's own frame in which the tip may be anywhere: x, y, z, rx, "
                       "ry, rz."),
    {0}};

static const sn_property properties[] = {
    SN_PROPERTY(kinematics_inv, "solver", solver, .initial = "auto",
                .doc = "Solver of all chains: auto, analytic, numeric or that of a plugin."),
    SN_PROPERTY(kinematics_inv, "chains", chains,
                .doc = "Chains that are solved; empty: all that can be."),
    SN_PROPERTY_BAGS_OF(kinematics_inv, "free", free, free_axes, free_properties,
                        .doc = "Axes that do not matter. Of a chain that is not named here: none, "
                               "or all rotations if it has less than six joints."),
    SN_PROPERTY(kinematics_inv, "with_virtual", with_virtual, .initial = "true",
                .doc = "Take a chain to its virtual link if it has one."),
    SN_PROPERTY(kinematics_inv, "jump_max", jump_max, .initial = "0.5", .unit = "rad or m",
                .min = 1e-6, .max = 100,
                .doc = "The most that a joint may be from where it is: what is farther is no "
                       "solution."),
    SN_PROPERTY(kinematics_inv, "timeout", timeout_s, .initial = "0.0005", .unit = "s", .min = 1e-6,
                .max = 1, .doc = "The most time that one chain may take."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(kinematics_inv, "limbs_ref", limbs_ref, &sn_limb_state_type, .flags = SN_PORT_EVENT,
             .doc = "Where last links of some chains should be; header.frame_id is a link, empty: "
                    "the root."),
    SN_INPUT(kinematics_inv, "joints_sorted", joints_sorted, &sn_joint_state_type,
             .flags = SN_PORT_FEEDBACK | SN_PORT_REQUIRED,
             .doc = "The pose to start from; without one nothing is answered."),
    SN_OUTPUT(kinematics_inv, "joints_ref", joints_ref, &sn_joint_state_type,
              .doc = "The joints of those chains; velocities if the reference has twists."),
    {0}};

static const sn_need needs[] = {SN__MODEL_NEED(kinematics_inv), {0}};

/* ---- configuration ---- */

static sn_status parse_axes(const free_axes *entry, unsigned *axes, sn_error *err) {
  static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
  *axes = 0;
  for (size_t i = 0; i < entry->axes.count; i++) {
    unsigned axis = 0;
    while (axis < 6 && strcmp(names[axis], entry->axes.data[i]) != 0) {
      axis++;
    }
    if (axis == 6) {
      return sn__fail(err, SN_EINVAL, "free: chain '%s': '%s' is no axis: x, y, z, rx, ry or rz",
                      entry->chain, entry->axes.data[i]);
    }
    *axes |= 1u << axis; /* SN_IK_FREE_X and so on, in this order */
  }
  return SN_OK;
}

static const free_axes *free_at(const kinematics_inv *self, size_t index) {
  return (const free_axes *)self->free.data + index;
}

static sn_status axes_of(const kinematics_inv *self, size_t chain, unsigned *axes, sn_error *err) {
  const char *name = sn_names_at(sn_model_chain_names(self->model), chain);
  const size_t count = sn_model_chain(self->model, chain, self->with_virtual)->joint_count;
  *axes = count < 6 ? SN_IK_FREE_ROTATION : 0u;
  for (size_t i = 0; i < self->free.count; i++) {
    if (strcmp(free_at(self, i)->chain, name) == 0) {
      return parse_axes(free_at(self, i), axes, err);
    }
  }
  return SN_OK;
}

static sn_status check_names(const kinematics_inv *self, sn_error *err) {
  for (size_t i = 0; i < self->free.count; i++) {
    if (sn_model_chain_index(self->model, free_at(self, i)->chain) < 0) {
      return sn__fail(err, SN_ENOENT, "free: the robot has no chain '%s'", free_at(self, i)->chain);
    }
  }
  for (size_t i = 0; i < self->chains.count; i++) {
    if (sn_model_chain_index(self->model, self->chains.data[i]) < 0) {
      return sn__fail(err, SN_ENOENT, "chains: the robot has no chain '%s'", self->chains.data[i]);
    }
  }
  return SN_OK;
}

static bool is_asked_for(const kinematics_inv *self, size_t chain) {
  const char *name = sn_names_at(sn_model_chain_names(self->model), chain);
  for (size_t i = 0; i < self->chains.count; i++) {
    if (strcmp(self->chains.data[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static sn_status create_limb(kinematics_inv *self, size_t chain, sn_error *err) {
  const bool asked_for = is_asked_for(self, chain);
  if (self->chains.count > 0 && !asked_for) {
    return SN_OK;
  }
  sn_arena *arena = sn_component_arena(&self->component);
  sn__limb_ik_config config = {.model = self->model,
                               .chain = chain,
                               .with_virtual = self->with_virtual,
                               .solver = self->solver,
                               .jump_max = self->jump_max,
                               .timeout_s = self->timeout_s,
                               .clock = sn_system_clock(self->component.system)};
  sn_error reason = {.message = ""};
  sn_status status = axes_of(self, chain, &config.free_axes, err);
  if (status != SN_OK) {
    return status;
  }
  status = sn__limb_ik_create(arena, &config, &self->limbs[chain], &reason);
  /* A finger without a joint is no reason to refuse the robot. */
  if (status == SN_OK || (!asked_for && (status == SN_EINVAL || status == SN_EUNSUPPORTED))) {
    return SN_OK;
  }
  return sn__fail(err, status, "chain '%s': %s",
                  sn_names_at(sn_model_chain_names(self->model), chain), reason.message);
}

static bool create_arrays(kinematics_inv *self, sn_arena *arena) {
  self->limbs = SN_NEW(arena, sn__limb_ik, self->chain_count);
  self->q = SN_NEW(arena, double, self->joint_count);
  self->ref = SN_NEW(arena, double, self->joint_count);
  self->rate = SN_NEW(arena, double, self->joint_count);
  self->named = SN_NEW(arena, bool, self->joint_count);
  self->named_last = SN_NEW(arena, bool, self->joint_count);
  return self->limbs != NULL && self->q != NULL && self->ref != NULL && self->rate != NULL &&
         self->named != NULL && self->named_last != NULL;
}

static sn_status create_all(sn_component *component, sn_error *err) {
  kinematics_inv *self = (kinematics_inv *)component;
  sn_arena *arena = sn_component_arena(&self->component);
  const sn_joint_state *out = self->joints_ref.msg;
  self->joint_count = sn_model_pose_size(self->model);
  self->chain_count = sn_names_count(sn_model_chain_names(self->model));
  self->has_pose = self->has_answer = self->was_refused = false;
  sn_status status = sn__fits(self->joint_count, out->position.capacity, "joints", err);
  if (status == SN_OK) {
    status = check_names(self, err);
  }
  if (status == SN_OK) {
    status = sn_kin_create(arena, sn_model_tree(self->model), &self->kin, err);
  }
  if (status == SN_OK && !create_arrays(self, arena)) {
    status = sn__fail(err, SN_ENOMEM, "no memory");
  }
  for (size_t i = 0; status == SN_OK && i < self->chain_count; i++) {
    status = create_limb(self, i, err);
  }
  return status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  kinematics_inv *self = (kinematics_inv *)component;
  return sn__configure_with_model(component, &self->robot_model, &self->model, create_all, err);
}

/* What was known before a stop is not what is so now. */
static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  kinematics_inv *self = (kinematics_inv *)component;
  (void)now_ns;
  (void)err;
  self->has_pose = self->was_refused = false;
  for (size_t i = 0; i < self->chain_count; i++) {
    self->limbs[i].has_pose = self->limbs[i].failed = false;
  }
  return SN_OK;
}

static void cleanup(sn_component *component) {
  kinematics_inv *self = (kinematics_inv *)component;
  sn_msg_names_clear(&((sn_joint_state *)self->joints_ref.msg)->name);
  self->chain_count = 0;
  sn__model_release(&self->robot_model);
}

/* ---- a cycle ---- */

static void take_pose(kinematics_inv *self) {
  sn_flow flow = SN_NO_DATA;
  const sn_joint_state *in = sn_input_read(&self->joints_sorted, &flow);
  if (flow == SN_NEW_DATA) {
    const sn_names *joints = sn_model_joint_names(self->model);
    const size_t known = sn__sort_values(joints, &in->name, &in->position, self->q);
    self->has_pose = self->has_pose || known == self->joint_count;
  }
}

static void refuse(kinematics_inv *self, int64_t now_ns, const char *reason) {
  if (!self->was_refused) {
    sn_component_log(&self->component, now_ns, SN_LOG_WARNING, reason, 0, NULL);
  }
  self->was_refused = true;
}

/* Pose in the root of the frame that a reference is in. */
static bool find_frame(const kinematics_inv *self, const sn_limb_state *in, sn_pose *frame) {
  *frame = sn_pose_identity();
  if (in->header.frame_id.count == 0) {
    return true;
  }
  const int link = sn_model_link_index(self->model, in->header.frame_id.data);
  if (link > 0) {
    *frame = sn_kin_link_pose(self->kin, sn_model_link(self->model, (size_t)link));
  }
  return link >= 0;
}

static void report_limb(const kinematics_inv *self, int64_t now_ns, size_t chain, bool failed) {
  const sn_log_arg arg = {.kind = SN_LOG_TEXT,
                          .value.text = sn_names_at(sn_model_chain_names(self->model), chain)};
  if (failed) {
    sn_component_log(&self->component, now_ns, SN_LOG_WARNING,
                     "{} cannot get there: it keeps its pose", 1, &arg);
  } else {
    sn_component_log(&self->component, now_ns, SN_LOG_INFO, "{} gets there again", 1, &arg);
  }
}

static void solve_limb(kinematics_inv *self, const sn_limb_state *in, size_t index, size_t chain,
                       sn_pose frame) {
  sn__limb_ik *limb = &self->limbs[chain];
  sn_pose target;
  if (sn_ik_pose_from_quat(in->pose.data[index].position, in->pose.data[index].orientation,
                           &target) != SN_IK_OK) {
    sn__limb_ik_fail(limb, self->q);
    return;
  }
  const sn_pose first = sn_kin_link_pose(self->kin, limb->first);
  const sn_pose between = sn_pose_between(first, frame);
  const sn_pose goal = sn_pose_mul(between, target);
  sn_spatial twist;
  if (in->twist.count > index) {
    twist = (sn_spatial){sn_mat3_apply(between.rot, in->twist.data[index].ang),
                         sn_mat3_apply(between.rot, in->twist.data[index].lin)};
  }
  (void)sn__limb_ik_solve(limb, self->q, &goal, in->twist.count > index ? &twist : NULL);
}

/* Of joints that several chains have, the first chain decides. */
static void take_limb(kinematics_inv *self, const sn__limb_ik *limb) {
  for (size_t i = 0; i < limb->count; i++) {
    const size_t j = (size_t)limb->joints[i];
    if (!self->named[j]) {
      self->named[j] = true;
      self->ref[j] = limb->pose[i];
      self->rate[j] = limb->rate[i];
    }
  }
}

/* @return how many limbs were answered for */
static size_t solve_limbs(kinematics_inv *self, int64_t now_ns, const sn_limb_state *in,
                          sn_pose frame) {
  size_t answered = 0;
  memset(self->named, 0, self->joint_count * sizeof *self->named);
  for (size_t i = 0; i < in->name.count && i < in->pose.count; i++) {
    const int chain = sn_model_chain_index(self->model, sn_msg_names_at(&in->name, i));
    if (chain < 0 || self->limbs[chain].ik == NULL) {
      continue;
    }
    sn__limb_ik *limb = &self->limbs[chain];
    const bool failed = limb->failed;
    solve_limb(self, in, i, (size_t)chain, frame);
    if (limb->failed != failed) {
      report_limb(self, now_ns, (size_t)chain, limb->failed);
    }
    take_limb(self, limb);
    answered++;
  }
  return answered;
}

/* Names are written anew only if the joints are others than last time. */
static sn_status name_joints(kinematics_inv *self, sn_joint_state *out) {
  const sn_names *table = sn_model_joint_names(self->model);
  const size_t size = self->joint_count * sizeof *self->named;
  if (self->has_answer && memcmp(self->named, self->named_last, size) == 0) {
    return SN_OK;
  }
  sn_status status = SN_OK;
  size_t count = 0;
  sn_msg_names_clear(&out->name);
  for (size_t j = 0; status == SN_OK && j < self->joint_count; j++) {
    if (self->named[j]) {
      const char *name = sn_names_at(table, j);
      status = sn_msg_names_add(&out->name, name, strlen(name));
      count++;
    }
  }
  if (count == self->joint_count) {
    sn_msg_names_share(&out->name, table);
    status = SN_OK;
  }
  memcpy(self->named_last, self->named, size);
  self->has_answer = status == SN_OK;
  return status;
}

static sn_status write_answer(kinematics_inv *self, const sn_limb_state *in) {
  sn_joint_state *out = self->joints_ref.msg;
  const sn_status status = name_joints(self, out);
  if (status != SN_OK) {
    return status;
  }
  size_t count = 0;
  for (size_t j = 0; j < self->joint_count; j++) {
    if (self->named[j]) {
      out->position.data[count] = self->ref[j];
      out->velocity.data[count++] = self->rate[j];
    }
  }
  out->header.stamp_ns = in->header.stamp_ns;
  out->position.count = count;
  out->velocity.count = in->twist.count > 0 ? count : 0;
  return sn_output_write(&self->joints_ref);
}

static sn_status step(sn_component *component, int64_t now_ns) {
  kinematics_inv *self = (kinematics_inv *)component;
  sn_flow flow = SN_NO_DATA;
  take_pose(self);
  const sn_limb_state *in = sn_input_read(&self->limbs_ref, &flow);
  if (flow != SN_NEW_DATA) {
    return SN_OK;
  }
  if (!self->has_pose) {
    refuse(self, now_ns, "a reference, but the pose of the joints is not known yet");
    return SN_OK;
  }
  sn_pose frame;
  sn_kin_update(self->kin, self->q);
  if (!find_frame(self, in, &frame)) {
    refuse(self, now_ns, "a reference in a frame that is no link of the robot");
    return SN_OK;
  }
  if (solve_limbs(self, now_ns, in, frame) == 0) {
    refuse(self, now_ns, "a reference without a chain that is solved here");
    return SN_OK;
  }
  self->was_refused = false;
  return write_answer(self, in);
}

static sn_status list_failed(sn_component *component, const void *request, void *response,
                             sn_error *err) {
  const kinematics_inv *self = (const kinematics_inv *)component;
  sn_msg_names *names = &((sn_call_names *)response)->names;
  (void)request;
  sn_msg_names_clear(names);
  for (size_t i = 0; i < self->chain_count; i++) {
    const char *name = sn_names_at(sn_model_chain_names(self->model), i);
    if (self->limbs[i].failed && sn_msg_names_add(names, name, strlen(name)) != SN_OK) {
      return sn__fail(err, SN_ENOSPC, "the answer does not fit into the message");
    }
  }
  return SN_OK;
}

static const sn_operation operations[] = {
    {"listFailed", SN_OWN_THREAD | SN_ONLY_ASKS, NULL, &sn_call_names_type, list_failed,
     "Chains whose last reference could not be reached."},
    {0}};

const sn_component_type sn_kinematics_inv_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "kinematics_inv",
    .doc = "Inverse kinematics: the joints that bring limbs where they should be.",
    .size = sizeof(kinematics_inv),
    .properties = properties,
    .ports = ports,
    .operations = operations,
    .needs = needs,
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = cleanup,
};
