/* Why there is no plan: the constraint, with its numbers. */
#include "base/fail.h"
#include "gait/planner_internal.h"

const char *sn__planner_leg_name(const sn__planner *p, size_t leg) {
  return sn_names_at(sn_model_chain_names(p->model), p->legs[leg].leg.chain);
}

/* Pronks cannot be slower: more time is a longer flight. */
static sn_status explain_flight(const sn__planner *p, sn_error *err) {
  return sn__fail(err, SN_EINVAL,
                  "flight: joint '%s' needs %.1f times its speed, a drive %.1f times its torque, "
                  "and the ground a friction of %.2f (it has %.2f) to push off and land",
                  sn_model_joint(p->model, p->speed_joint)->name, p->speed_ratio, p->load_peak,
                  p->grip_peak, p->friction);
}

static sn_status explain_drives(const sn__planner *p, const sn__plan_failure *f, sn_error *err) {
  if (p->gait.kind == SN__GAIT_PRONK) {
    return explain_flight(p, err);
  }
  if (f->trouble == SN__PLAN_TOO_FAST) {
    return sn__fail(err, SN_EINVAL,
                    "joint speed: '%s' needs %.1f times its speed at a duration of %.2f s, and at "
                    "most %.1f times the requested one is allowed",
                    sn_model_joint(p->model, p->speed_joint)->name, p->speed_ratio, p->duration_s,
                    p->stretch_max);
  }
  if (f->trouble == SN__PLAN_NO_GRIP) {
    return sn__fail(err, SN_EINVAL,
                    "friction: the feet need a coefficient of %.2f at a duration of %.2f s, the "
                    "ground has %.2f",
                    p->grip_peak, p->duration_s, p->friction);
  }
  return sn__fail(err, SN_EINVAL,
                  "drive torque: '%s' needs %.1f times its torque at a duration of %.2f s, and at "
                  "most %.1f times the requested one is allowed",
                  sn_model_joint(p->model, p->load_joint)->name, p->load_peak, p->duration_s,
                  p->stretch_max);
}

static sn_status explain_way(const sn__planner *p, const sn__plan_failure *f, sn_error *err) {
  if (f->trouble == SN__PLAN_COLLIDES) {
    return sn__fail(err, SN_EINVAL,
                    "self-collision: '%s' and '%s' overlap by %.3f m at %.2f s with %zu steps of "
                    "each leg",
                    sn__collision_name(p->collision, f->near.link_a),
                    sn__collision_name(p->collision, f->near.link_b), -f->near.distance, f->time_s,
                    p->step_count);
  }
  const sn_vec3 at = p->obstacles[f->box].pose_world_box.pos;
  return sn__fail(err, SN_EINVAL, "obstacle: box %zu of the ground, at %.2f, %.2f, is %s",
                  f->box + 1, at.x, at.y,
                  f->share >= 1.0 ? "where the robot shall stand" : "in the way to the goal");
}

sn_status sn__planner_explain(const sn__planner *p, const sn__plan_failure *f, sn_error *err) {
  switch (f->trouble) {
    case SN__PLAN_OUT_OF_REACH:
      return sn__fail(err, SN_EINVAL,
                      "reach: limb '%s' cannot reach its foothold at %.2f s with %zu steps of each "
                      "leg",
                      sn__planner_leg_name(p, f->leg), f->time_s, p->step_count);
    case SN__PLAN_TOO_CLOSE:
      return sn__fail(err, SN_EINVAL,
                      "distance of feet: limbs '%s' and '%s' come as near as %.3f m, at least "
                      "%.3f m are allowed",
                      sn__planner_leg_name(p, f->leg), sn__planner_leg_name(p, f->other),
                      f->distance_m, p->near_m);
    case SN__PLAN_TOO_FAST:
    case SN__PLAN_TOO_HEAVY:
    case SN__PLAN_NO_GRIP:
      return explain_drives(p, f, err);
    case SN__PLAN_COLLIDES:
    case SN__PLAN_OBSTRUCTED:
      return explain_way(p, f, err);
    default:
      return sn__fail(err, SN_EINVAL,
                      "balance: no path of the body keeps the zero-moment point above the feet "
                      "with %zu steps of each leg in %.2f s",
                      p->step_count, p->duration_s);
  }
}
