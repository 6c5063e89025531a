/* One cycle of kinematics_inv. A message names some limbs: for each limb the newest one counts, and
   each limb is solved once. */
#include <string.h>

#include "robot/kinematics_inv.h"

static void take_pose(sn__kinematics_inv *self) {
  const sn_joint_state *in = sn_input_newest(&self->joints_sorted);
  if (in != NULL && sn__read_is_good(sn__read_joint_state(&self->names, in, NULL))) {
    const size_t known = sn__name_map_sort(&self->names, &in->position, self->q);
    self->has_pose = self->has_pose || known == self->joint_count;
  }
}

/* ---- references ---- */

/* Pose in the root of the frame that a reference is in. */
static bool find_frame(const sn__kinematics_inv *self, const sn_limb_state *in, sn_pose *frame) {
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

static void aim(const sn__kinematics_inv *self, const sn_limb_state *in, size_t index, size_t chain,
                sn_pose frame) {
  sn__limb_target *target = &self->targets[chain];
  const sn_pose first = sn_kin_link_pose(self->kin, self->limbs[chain].first);
  const sn_pose between = sn_pose_between(first, frame);
  sn_pose wanted;
  target->is_pose = sn_ik_pose_from_quat(in->pose.data[index].position,
                                         in->pose.data[index].orientation, &wanted) == SN_IK_OK;
  if (target->is_pose) {
    target->goal = sn_pose_mul(between, wanted);
  }
  target->has_twist = in->twist.count > index;
  if (target->has_twist) {
    target->twist = (sn_spatial){sn_mat3_apply(between.rot, in->twist.data[index].ang),
                                 sn_mat3_apply(between.rot, in->twist.data[index].lin)};
  }
}

/* Limbs of this message come before those that only older ones name: see take_limb().
   @return whether it names any that is solved here */
static bool take_targets(sn__kinematics_inv *self, const sn_limb_state *in, sn_pose frame) {
  const uint64_t message = ++self->message_count;
  size_t *list = self->wanted_on;
  size_t count = 0;
  for (size_t i = 0; i < in->name.count && i < in->pose.count; i++) {
    const int chain = sn_model_chain_index(self->model, sn_msg_names_at(&in->name, i));
    if (chain >= 0 && self->limbs[chain].ik != NULL && self->targets[chain].message != message) {
      self->targets[chain].message = message;
      aim(self, in, i, (size_t)chain, frame);
      list[count++] = (size_t)chain;
    }
  }
  const bool has_any = count > 0;
  for (size_t i = 0; i < self->wanted_count; i++) {
    if (self->targets[self->wanted[i]].message != message) {
      list[count++] = self->wanted[i];
    }
  }
  self->wanted_on = self->wanted;
  self->wanted = list;
  self->wanted_count = count;
  return has_any;
}

/* @return why it is unusable, or SN__OBJECTION_COUNT */
static sn__objection take_reference(sn__kinematics_inv *self, const sn_limb_state *in) {
  sn_pose frame;
  if (!self->has_pose) {
    return SN__NO_POSE;
  }
  if (!find_frame(self, in, &frame)) {
    return SN__NO_FRAME;
  }
  return take_targets(self, in, frame) ? SN__OBJECTION_COUNT : SN__NO_CHAIN;
}

static void log_objection(sn__kinematics_inv *self, sn__objection objection, int64_t now_ns) {
  static const char *const texts[] = {
      [SN__NO_POSE] = "a reference before the pose of the joints is known",
      [SN__NO_FRAME] = "a reference in an unknown frame",
      [SN__NO_CHAIN] = "a reference without a chain to solve",
  };
  sn_component_log_limited(&self->component, &self->refused[objection], now_ns, SN_LOG_WARNING,
                           texts[objection], 0, NULL);
}

static void read_references(sn__kinematics_inv *self, int64_t now_ns) {
  size_t left = SN_INPUT_BURST_MAX;
  self->wanted_count = 0;
  self->has_twists = false;
  for (const sn_limb_state *in; (in = sn_input_next(&self->limbs_ref, &left)) != NULL;) {
    if (left == SN_INPUT_BURST_MAX - 1 && self->has_pose) { /* the first one: update the frames */
      sn_kin_update(self->kin, self->q);
    }
    const sn__objection objection = take_reference(self, in);
    if (objection != SN__OBJECTION_COUNT) {
      log_objection(self, objection, now_ns);
      continue;
    }
    self->stamp_ns = in->header.stamp_ns;
    self->has_twists = self->has_twists || in->twist.count > 0;
  }
}

/* ---- the answer ---- */

/* The log lines for a limb that does not reach its target. */
static const char *text_of(sn__limb_trouble trouble) {
  switch (trouble) {
    case SN__LIMB_AT_LIMIT:
      return "{} cannot get there: it goes as near as it can, {} m and {} rad short; {} is at its "
             "limit";
    case SN__LIMB_FAR:
      return "{} cannot get there at once: it goes as near as it can, {} m and {} rad short for "
             "now";
    case SN__LIMB_TURNED:
      return "{} cannot be turned like that there: {} m and {} rad short";
    case SN__LIMB_OUT_OF_REACH:
      return "{} cannot get there: it goes as near as it can, {} m and {} rad short; out of reach";
    case SN__LIMB_REFUSED:
      return "{} cannot get there without a collision: it keeps its pose";
    case SN__LIMB_NO_POSE:
      break;
  }
  return "{} cannot get there: it keeps its pose";
}

static void report_limb(sn__kinematics_inv *self, int64_t now_ns, size_t chain) {
  const sn__limb_ik *limb = &self->limbs[chain];
  const bool stays = limb->trouble == SN__LIMB_NO_POSE || limb->trouble == SN__LIMB_REFUSED;
  const bool has_joint = limb->trouble == SN__LIMB_AT_LIMIT;
  const sn_log_arg args[4] = {
      {.kind = SN_LOG_TEXT, .value.text = sn_names_at(sn_model_chain_names(self->model), chain)},
      {.kind = SN_LOG_REAL, .value.real = limb->short_m},
      {.kind = SN_LOG_REAL, .value.real = limb->short_rad},
      {.kind = SN_LOG_TEXT,
       .value.text =
           has_joint ? sn_names_at(sn_model_joint_names(self->model), (size_t)limb->joint) : ""}};
  const size_t count = !limb->failed || stays ? 1 : has_joint ? 4 : 3;
  sn_component_log_limited(&self->component, &self->targets[chain].reported[limb->failed], now_ns,
                           limb->failed ? SN_LOG_WARNING : SN_LOG_INFO,
                           limb->failed ? text_of(limb->trouble) : "{} gets there again", count,
                           args);
}

static void solve_limb(sn__kinematics_inv *self, int64_t now_ns, size_t chain) {
  sn__limb_ik *limb = &self->limbs[chain];
  const sn__limb_target *target = &self->targets[chain];
  const bool failed = limb->failed;
  if (target->is_pose) {
    (void)sn__limb_ik_solve(limb, self->q, &target->goal,
                            target->has_twist ? &target->twist : NULL);
  } else {
    sn__limb_ik_fail(limb, self->q);
  }
  if (limb->failed != failed) {
    report_limb(self, now_ns, chain);
  }
}

/* Of joints that several chains have, the first chain decides. */
static void take_limb(sn__kinematics_inv *self, const sn__limb_ik *limb) {
  for (size_t i = 0; i < limb->count; i++) {
    const size_t j = (size_t)limb->joints[i];
    if (!self->named[j]) {
      self->named[j] = true;
      self->ref[j] = limb->pose[i];
      self->rate[j] = limb->rate[i];
    }
  }
}

/* Names are written only if the joints differ from last time. */
static sn_status name_joints(sn__kinematics_inv *self, sn_joint_state *out) {
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

static sn_status write_answer(sn__kinematics_inv *self) {
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
  out->header.stamp_ns = self->stamp_ns;
  out->position.count = count;
  out->velocity.count = self->has_twists ? count : 0;
  return sn_output_write(&self->joints_ref);
}

sn_status sn__kinematics_inv_step(sn_component *component, int64_t now_ns) {
  sn__kinematics_inv *self = (sn__kinematics_inv *)component;
  take_pose(self);
  sn__kinematics_inv_read_world(self, now_ns);
  read_references(self, now_ns);
  if (self->wanted_count == 0) {
    return SN_OK;
  }
  memset(self->named, 0, self->joint_count * sizeof *self->named);
  for (size_t i = 0; i < self->wanted_count; i++) {
    solve_limb(self, now_ns, self->wanted[i]);
    take_limb(self, &self->limbs[self->wanted[i]]);
  }
  return write_answer(self);
}
