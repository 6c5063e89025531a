/* A request from its message. Every error names what is wrong. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "gait/planner_internal.h"
#include "sinew/ik.h"
#include "steps/step_path.h"

static const double DURATION_MAX_S = 120.0, PLACE_MAX_M = 1e3;

static bool is_valid3(sn_vec3 v) {
  return fabs(v.x) <= PLACE_MAX_M && fabs(v.y) <= PLACE_MAX_M && fabs(v.z) <= PLACE_MAX_M;
}

static sn_status read_gait(const sn_move_base_goal *msg, sn__plan_request *out, sn_error *err) {
  if (!sn__gait_read(msg->gait_type.data, &out->kind, &out->is_right)) {
    return sn__fail(err, SN_ENOENT, "unknown gait '%.60s'; gaits are %s", msg->gait_type.data,
                    sn__gait_names());
  }
  if (!(msg->duration > 0.0) || msg->duration > DURATION_MAX_S) {
    return sn__fail(err, SN_EINVAL, "the duration is %g s, must be more than 0 and at most %g s",
                    msg->duration, DURATION_MAX_S);
  }
  if (out->kind != SN__GAIT_STAND && (msg->n_steps < 1 || msg->n_steps > SN__PLAN_STEPS_MAX)) {
    return sn__fail(err, SN_EINVAL, "n_steps is %u, must be 1 to %d", msg->n_steps,
                    SN__PLAN_STEPS_MAX);
  }
  out->duration_s = msg->duration;
  out->step_count = out->kind == SN__GAIT_STAND ? 0 : msg->n_steps;
  return SN_OK;
}

static sn_status read_base(const sn__planner *p, const sn_move_base_goal *msg,
                           sn__plan_request *out, sn_error *err) {
  static const char suffix[] = "_path";
  const char *frame = msg->header.frame_id.data, *root = sn_model_link(p->model, 0)->name;
  const size_t size = strlen(root);
  const bool is_world = strcmp(frame, "odom") == 0 || strcmp(frame, "world") == 0;
  const bool is_path =
      frame[0] == '\0' || (strncmp(frame, root, size) == 0 && strcmp(frame + size, suffix) == 0);
  sn_pose pose = sn_pose_identity();
  if (!is_world && !is_path) {
    return sn__fail(err, SN_EINVAL, "the frame is '%.60s', must be 'odom' or '%.60s%s'", frame,
                    root, suffix);
  }
  if (!is_valid3(msg->base_goal.position)) {
    return sn__fail(err, SN_EINVAL, "the position of base_goal is not finite or farther than %g m",
                    PLACE_MAX_M);
  }
  if (sn_ik_pose_from_quat(msg->base_goal.position, msg->base_goal.orientation, &pose) !=
      SN_IK_OK) {
    const sn_quat q = msg->base_goal.orientation;
    return sn__fail(err, SN_EINVAL, "base_goal has an orientation of length %g, must be 1",
                    sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w));
  }
  if (msg->base_goal_bounds > 63) {
    return sn__fail(err, SN_EINVAL, "base_goal_bounds is %u, must be 0 to 63",
                    msg->base_goal_bounds);
  }
  out->base = is_world ? sn_pose_between(out->pose_world_path, pose) : pose;
  out->free = msg->base_goal_bounds;
  return SN_OK;
}

static sn_status read_foot(const sn__planner *p, const sn_ee_goal *goal, sn__plan_request *out,
                           sn_error *err) {
  const int chain = sn_model_chain_index(p->model, goal->name.data);
  size_t leg = 0;
  while (leg < p->leg_count && (int)p->legs[leg].leg.chain != chain) {
    leg++;
  }
  if (leg == p->leg_count) {
    return sn__fail(err, SN_ENOENT, "ee_goal: the robot has no leg '%.60s'", goal->name.data);
  }
  for (size_t i = 0; i < out->foot_count; i++) {
    if (out->feet[i].leg == leg) {
      return sn__fail(err, SN_EINVAL, "ee_goal: limb '%.60s' appears twice", goal->name.data);
    }
  }
  if (goal->frame_type > SN_EE_WORLD || goal->position_bounds > 7) {
    return sn__fail(
        err, SN_EINVAL,
        "ee_goal: limb '%.60s' has frame_type %u and position_bounds %u, at most %d and "
        "7 are possible",
        goal->name.data, goal->frame_type, goal->position_bounds, SN_EE_WORLD);
  }
  if (!is_valid3(goal->position)) {
    return sn__fail(err, SN_EINVAL,
                    "ee_goal: the position of limb '%.60s' is not finite or far off",
                    goal->name.data);
  }
  out->feet[out->foot_count++] = (sn__plan_foot_goal){
      leg, (sn_ee_frame)goal->frame_type, goal->position, goal->position_bounds, goal->contact};
  return SN_OK;
}

static sn_status read_tolerances(const sn_move_base_goal *msg, sn__plan_request *out,
                                 sn_error *err) {
  const double position = msg->position_tolerance, turn = msg->orientation_tolerance;
  if (!isfinite(position) || !isfinite(turn) || position < 0.0 || turn < 0.0) {
    return sn__fail(err, SN_EINVAL, "the tolerances are %g m and %g rad", position, turn);
  }
  out->position_tolerance_m = position;
  out->orientation_tolerance_rad = turn;
  return SN_OK;
}

sn_status sn__planner_read(const sn__planner *planner, const sn_move_base_goal *msg,
                           sn_pose pose_world_base, sn__plan_request *out, int32_t *error,
                           sn_error *err) {
  *error = SN_MOVE_BASE_INVALID_GOAL;
  *out = (sn__plan_request){.foot_count = 0};
  out->pose_world_path = sn__step_path_frame(pose_world_base, pose_world_base.pos.z);
  sn_status status = read_gait(msg, out, err);
  if (status == SN_OK) {
    status = read_base(planner, msg, out, err);
  }
  if (status == SN_OK) {
    status = read_tolerances(msg, out, err);
  }
  for (size_t i = 0; status == SN_OK && i < msg->ee_goal.count; i++) {
    status = read_foot(planner, &msg->ee_goal.data[i], out, err);
  }
  if (status == SN_OK) {
    *error = SN_MOVE_BASE_SUCCESS;
  }
  return status;
}
