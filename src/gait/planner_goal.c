/* Where the base and the feet end. */
#include <math.h>

#include "base/fail.h"
#include "gait/planner_internal.h"

enum { FREE_ROLL = 1, FREE_PITCH = 2, FREE_YAW = 4, FREE_X = 8, FREE_Y = 16, FREE_Z = 32 };
enum { FREE_FOOT_X = 1, FREE_FOOT_Y = 2, FREE_FOOT_Z = 4 };

/* A foot in contact must end on the ground within this, and a foot that stands may be meant to
   move by this. */
static const double GROUND_M = 0.02, STAND_M = 0.02;

static sn__plan_attitude attitude_of(sn_mat3 rot, double z) {
  return (sn__plan_attitude){.roll = atan2(rot.y.z, rot.z.z),
                             .pitch = -asin(fmin(fmax(rot.x.z, -1.0), 1.0)),
                             .yaw = atan2(rot.x.y, rot.x.x),
                             .z = z};
}

sn_pose sn__planner_nominal_foot(const sn__planner *p, size_t leg, sn_vec3 base, double yaw) {
  const sn_pose path = {sn_mat3_from_rpy(0.0, 0.0, yaw), {base.x, base.y, 0.0}};
  return sn_pose_mul(path, p->legs[leg].nominal);
}

/* ---- the base ---- */

static void set_base(sn__planner *p, const sn__stance_feet *start) {
  const sn__plan_request *r = p->request;
  p->from = attitude_of(start->tilt, start->height_m);
  p->to = attitude_of(r->base.rot, r->base.pos.z);
  p->to.roll = r->free & FREE_ROLL ? 0.0 : p->to.roll;
  p->to.pitch = r->free & FREE_PITCH ? 0.0 : p->to.pitch;
  p->to.yaw = r->free & FREE_YAW ? 0.0 : p->to.yaw;
  p->to.z = r->free & FREE_Z ? p->nominal_height_m : p->to.z;
  p->base_from = sn_vec3_make(0, 0, 0);
  p->base_to = sn_vec3_make(r->free & FREE_X ? 0.0 : r->base.pos.x,
                            r->free & FREE_Y ? 0.0 : r->base.pos.y, 0.0);
}

/* ---- feet ---- */

/* The frame of a goal of a foot in the path frame at the start. */
static sn_pose frame_of(const sn__planner *p, sn_ee_frame frame) {
  const sn_vec3 up = {0, 0, p->to.z};
  const sn_pose path = {sn_mat3_from_rpy(0.0, 0.0, p->to.yaw), p->base_to};
  switch (frame) {
    case SN_EE_BASE_INITIAL:
      return (sn_pose){sn_mat3_from_rpy(p->from.roll, p->from.pitch, 0.0), {0, 0, p->from.z}};
    case SN_EE_BASE_FINAL:
      return (sn_pose){sn_mat3_from_rpy(p->to.roll, p->to.pitch, p->to.yaw),
                       sn_vec3_add(p->base_to, up)};
    case SN_EE_PATH_INITIAL:
      return sn_pose_identity();
    case SN_EE_WORLD:
      return sn_pose_inverse(p->request->pose_world_path);
    default:
      return path;
  }
}

/* Free coordinates are those of the nominal stance, in the path frame at the end. */
static sn_vec3 place_of(const sn__planner *p, const sn__plan_foot_goal *goal) {
  const sn_pose path = {sn_mat3_from_rpy(0.0, 0.0, p->to.yaw), p->base_to};
  const sn_vec3 nominal = p->legs[goal->leg].nominal.pos;
  sn_vec3 wanted = goal->position;
  if (goal->frame == SN_EE_NOMINAL_POSE) {
    wanted = sn_vec3_add(wanted, nominal);
  }
  const sn_vec3 at = sn_pose_apply(frame_of(p, goal->frame), wanted);
  sn_vec3 own = sn_pose_apply(sn_pose_inverse(path), at);
  own.x = goal->free & FREE_FOOT_X ? nominal.x : own.x;
  own.y = goal->free & FREE_FOOT_Y ? nominal.y : own.y;
  if (goal->free & FREE_FOOT_Z) {
    own.z = nominal.z + (goal->contact ? 0.0 : p->step_height_m);
  }
  return sn_pose_apply(path, own);
}

static sn_status set_foot(sn__planner *p, const sn__plan_foot_goal *goal, sn_error *err) {
  sn__plan_leg *leg = &p->legs[goal->leg];
  const char *name = sn_names_at(sn_model_chain_names(p->model), leg->leg.chain);
  sn_vec3 at = place_of(p, goal);
  const double above_m = at.z - leg->nominal.pos.z;
  if (goal->contact && fabs(above_m) > GROUND_M) {
    return sn__fail(err, SN_EINVAL,
                    "limb '%s' shall be in contact %.3f m above the ground: z is not free", name,
                    above_m);
  }
  if (!goal->contact && above_m < -GROUND_M) {
    return sn__fail(err, SN_EINVAL, "limb '%s' shall end %.3f m below the ground", name, -above_m);
  }
  at.z = goal->contact ? leg->nominal.pos.z : at.z;
  p->goals[goal->leg].pos = at;
  leg->ends_in_air = !goal->contact;
  return SN_OK;
}

/* The base above feet whose places do not depend on it. */
static void center_base(sn__planner *p) {
  const sn__plan_request *r = p->request;
  sn_vec3 sum = {0, 0, 0};
  double count = 0.0;
  for (size_t i = 0; i < r->foot_count; i++) {
    const sn__plan_foot_goal *goal = &r->feet[i];
    const bool is_fixed = goal->frame == SN_EE_BASE_INITIAL || goal->frame == SN_EE_PATH_INITIAL ||
                          goal->frame == SN_EE_WORLD;
    if (is_fixed && (goal->free & (FREE_FOOT_X | FREE_FOOT_Y)) == 0) {
      const sn_vec3 at = sn_pose_apply(frame_of(p, goal->frame), goal->position);
      const sn_vec3 own =
          sn__planner_nominal_foot(p, goal->leg, sn_vec3_make(0, 0, 0), p->to.yaw).pos;
      sum = sn_vec3_add(sum, sn_vec3_sub(at, own));
      count += 1.0;
    }
  }
  if (count > 0.0) {
    p->base_to.x = r->free & FREE_X ? sum.x / count : p->base_to.x;
    p->base_to.y = r->free & FREE_Y ? sum.y / count : p->base_to.y;
  }
}

/* Feet of a robot that keeps standing stay; goals elsewhere contradict that. */
static sn_status keep_feet(sn__planner *p, const sn__stance_feet *start, sn_error *err) {
  const sn__plan_request *r = p->request;
  for (size_t i = 0; i < r->foot_count; i++) {
    const sn__plan_foot_goal *goal = &r->feet[i];
    const sn_vec3 way = sn_vec3_sub(p->goals[goal->leg].pos, start->feet[goal->leg].pos);
    if (!goal->contact || (goal->frame != SN_EE_NOMINAL_POSE && hypot(way.x, way.y) > STAND_M)) {
      return sn__fail(err, SN_EINVAL, "limb '%s' shall move, but the gait 'stand' moves no foot",
                      sn_names_at(sn_model_chain_names(p->model), p->legs[goal->leg].leg.chain));
    }
  }
  for (size_t i = 0; i < p->leg_count; i++) {
    p->goals[i] = start->feet[i];
  }
  return SN_OK;
}

sn_status sn__planner_set_goal(sn__planner *p, const sn__stance_feet *start, int32_t *error,
                               sn_error *err) {
  sn_status status = SN_OK;
  *error = SN_MOVE_BASE_INVALID_GOAL;
  set_base(p, start);
  center_base(p);
  for (size_t i = 0; i < p->leg_count; i++) {
    p->goals[i] = sn__planner_nominal_foot(p, i, p->base_to, p->to.yaw);
    p->legs[i].ends_in_air = false;
  }
  for (size_t i = 0; status == SN_OK && i < p->request->foot_count; i++) {
    status = set_foot(p, &p->request->feet[i], err);
  }
  if (status == SN_OK && p->request->kind == SN__GAIT_STAND) {
    status = keep_feet(p, start, err);
  }
  return status;
}
