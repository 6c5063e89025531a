/* Wrenches on the ends of limbs, from measured efforts. */
#include <string.h>

#include "base/fail.h"
#include "estimation/limb_wrench.h"
#include "msg/base_message.h"
#include "msg/name_map.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"
#include "sinew/dyn.h"
#include "sinew/kin.h"

typedef struct limb_wrenches {
  sn_component component;
  double gravity, torque_arm;
  sn_input joints_measured, in_base;
  sn_output limbs;
  sn_requester robot_model;

  const sn_model *model;
  sn_kin_data *kin;
  sn_dyn_data *dyn;
  size_t chain_count;
  sn__name_map names;         /* of joints_measured */
  double *q, *qd, *tau, *jac; /* sorted; jac: 6 x pose size */
  double *effort;             /* measured, sorted */
  bool has_pose;              /* every joint was named once */
  sn_pose pose_world_base;
  sn_spatial base_twist; /* in the axes of the world */
} limb_wrenches;

static const sn_property properties[] = {
    SN_PROPERTY(limb_wrenches, "gravity", gravity, .unit = "m/s^2", .initial = "9.81", .min = 0,
                .max = 100, .doc = "Magnitude of gravity."),
    SN_PROPERTY(limb_wrenches, "torque_arm", torque_arm, .unit = "m", .initial = "0.02",
                .min = 1e-6, .max = 10, .flags = SN_PROPERTY_LIVE,
                .doc =
                    "Where joints do not determine the wrench: a torque counts as a force at this "
                    "arm. Small: only forces act, as on a foot."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(limb_wrenches, "joints_measured", joints_measured, &sn_joint_state_type,
             .flags = SN_PORT_EVENT | SN_PORT_REQUIRED,
             .doc = "Measured positions, velocities and efforts."),
    SN_INPUT(limb_wrenches, "in_base", in_base, &sn_rigid_body_state_type,
             .flags = SN_PORT_FEEDBACK, .doc = "The base in the world; without it, level."),
    SN_OUTPUT(limb_wrenches, "limbs", limbs, &sn_rigid_body_state_type,
              .capacity = {.item_count = SN_CHAINS_MAX},
              .doc = "Ends of the chains in the base, and the wrench that acts on each."),
    {0}};

static const sn_need needs[] = {SN_ROBOT_MODEL_NEED(limb_wrenches), {0}};

static const sn_link *last_link(const limb_wrenches *self, size_t chain) {
  return sn_model_link(self->model, (size_t)sn_model_chain(self->model, chain, false)->last_link);
}

static sn_status check_chains(const limb_wrenches *self, sn_error *err) {
  for (size_t i = 0; i < self->chain_count; i++) {
    const size_t count = sn_model_chain(self->model, i, false)->joint_count;
    if (count > SN__WRENCH_JOINTS_MAX) {
      return sn__fail(err, SN_ELIMIT, "chain '%s' has %zu joints, at most %d are supported",
                      sn_names_at(sn_model_chain_names(self->model), i), count,
                      SN__WRENCH_JOINTS_MAX);
    }
  }
  return SN_OK;
}

static bool create_arrays(limb_wrenches *self, sn_arena *arena) {
  const size_t n = sn_model_pose_size(self->model);
  self->q = SN_NEW(arena, double, n);
  self->qd = SN_NEW(arena, double, n);
  self->tau = SN_NEW(arena, double, n);
  self->effort = SN_NEW(arena, double, n);
  self->jac = SN_NEW(arena, double, 6 * n);
  return self->q != NULL && self->qd != NULL && self->tau != NULL && self->effort != NULL &&
         self->jac != NULL &&
         sn__name_map_init(&self->names, arena, sn_model_joint_names(self->model));
}

static sn_status create_all(sn_component *component, sn_error *err) {
  limb_wrenches *self = (limb_wrenches *)component;
  sn_arena *arena = sn_component_arena(component);
  sn_rigid_body_state *out = self->limbs.msg;
  self->chain_count = sn_names_count(sn_model_chain_names(self->model));
  sn_status status = sn__fits(self->chain_count, out->wrench.capacity, "chains", err);
  if (status == SN_OK) {
    status = check_chains(self, err);
  }
  if (status == SN_OK) {
    status = sn_kin_create(arena, sn_model_tree(self->model), &self->kin, err);
  }
  if (status == SN_OK) {
    status = sn_dyn_create(arena, sn_model_tree(self->model), &self->dyn, err);
  }
  if (status == SN_OK && !create_arrays(self, arena)) {
    status = sn__fail(err, SN_ENOMEM, "no memory");
  }
  const char *root = sn_model_link(self->model, 0)->name;
  if (status == SN_OK && sn_msg_text_set(&out->header.frame_id, root) != SN_OK) {
    status = sn__fail(err, SN_ENOSPC, "the name '%s' does not fit into a message", root);
  }
  if (status == SN_OK) {
    sn_msg_names_share(&out->name, sn_model_chain_names(self->model));
    out->pose.count = out->twist.count = out->wrench.count = self->chain_count;
  }
  return status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  limb_wrenches *self = (limb_wrenches *)component;
  return sn__configure_with_model(component, &self->robot_model, &self->model, create_all, err);
}

static void cleanup(sn_component *component) {
  limb_wrenches *self = (limb_wrenches *)component;
  sn_msg_names_clear(&((sn_rigid_body_state *)self->limbs.msg)->name);
  sn__model_release(&self->robot_model);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  limb_wrenches *self = (limb_wrenches *)component;
  (void)now_ns;
  (void)err;
  self->has_pose = false;
  self->pose_world_base = sn_pose_identity();
  self->base_twist = sn_spatial_zero();
  return SN_OK;
}

/* ---- one cycle ---- */

/* @return whether the pose is known and efforts are measured */
static bool take_joints(limb_wrenches *self, const sn_joint_state *in) {
  if (!sn__read_is_good(sn__read_joint_state(&self->names, in, NULL)) || in->effort.count == 0) {
    return false;
  }
  const size_t n = self->names.count;
  const size_t known = sn__name_map_sort(&self->names, &in->position, self->q);
  self->has_pose = self->has_pose || known == n;
  memset(self->qd, 0, n * sizeof *self->qd);
  (void)sn__name_map_sort(&self->names, &in->velocity, self->qd);
  (void)sn__name_map_sort(&self->names, &in->effort, self->effort);
  return self->has_pose;
}

/* What the motion needs without wrenches; accelerations are neglected. */
static void expect_efforts(limb_wrenches *self) {
  const sn_mat3 rot = self->pose_world_base.rot;
  const sn_base_state base = {.pose_world_base = self->pose_world_base,
                              .twist = {sn_mat3_apply_transposed(rot, self->base_twist.ang),
                                        sn_mat3_apply_transposed(rot, self->base_twist.lin)}};
  const sn_dyn_world world = {.gravity = {0, 0, -self->gravity}, .base = &base};
  sn_dyn_inverse(self->dyn, &world, self->q, self->qd, NULL, self->tau, NULL);
}

static sn_spatial wrench_on(limb_wrenches *self, size_t index) {
  const sn_chain *chain = sn_model_chain(self->model, index, false);
  const size_t n = self->names.count, count = chain->joint_count;
  double jac[6 * SN__WRENCH_JOINTS_MAX], residual[SN__WRENCH_JOINTS_MAX];
  if (count == 0) {
    return sn_spatial_zero();
  }
  const sn_link *link = last_link(self, index);
  sn_kin_jacobian(self->kin, link->body, link->pose_body_link, SN_JAC_ALIGNED, self->jac);
  for (size_t k = 0; k < count; k++) {
    const size_t j = (size_t)chain->joints[k];
    residual[k] = self->tau[j] - self->effort[j];
    for (size_t r = 0; r < 6; r++) {
      jac[r * count + k] = self->jac[r * n + j];
    }
  }
  return sn__limb_wrench(jac, residual, count, self->torque_arm);
}

static sn_status step(sn_component *component, int64_t now_ns) {
  limb_wrenches *self = (limb_wrenches *)component;
  (void)now_ns;
  const sn_rigid_body_state *base = sn_input_newest(&self->in_base);
  if (base != NULL) {
    (void)sn__base_message_read(base, sn_model_link(self->model, 0)->name, &self->pose_world_base,
                                &self->base_twist, NULL);
  }
  const sn_joint_state *in = sn_input_newest(&self->joints_measured);
  if (in == NULL || !take_joints(self, in)) {
    return SN_OK;
  }
  sn_rigid_body_state *out = self->limbs.msg;
  sn_kin_update_velocity(self->kin, self->q, self->qd);
  expect_efforts(self);
  out->header.stamp_ns = in->header.stamp_ns;
  for (size_t i = 0; i < self->chain_count; i++) {
    out->pose.data[i] = sn_msg_pose_from(sn_kin_link_pose(self->kin, last_link(self, i)));
    out->twist.data[i] = sn_kin_link_twist(self->kin, last_link(self, i));
    out->wrench.data[i] = wrench_on(self, i);
  }
  return sn_output_write(&self->limbs);
}

const sn_component_type sn_limb_wrenches_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "limb_wrenches",
    .doc =
        "Wrenches on the ends of limbs, from measured efforts minus those that the motion needs.",
    .size = sizeof(limb_wrenches),
    .properties = properties,
    .ports = ports,
    .needs = needs,
    .example =
        "components:\n"
        "  limb_wrenches: {type: limb_wrenches}\n"
        "connections:\n"
        "  - plant.joints_measured -> limb_wrenches.joints_measured\n",
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = cleanup,
};
