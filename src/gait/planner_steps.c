/* When and where the feet step. */
#include <math.h>

#include "gait/planner_internal.h"
#include "math/rotation.h"

/* A swing has this many points, and they are at least and at most this far apart. */
static const double SWING_POINTS = 8.0, GRID_MIN_S = 0.015, GRID_MAX_S = 0.06;
/* On two feet for this time the robot does not fall far. */
static const double SHORT_S = 0.06;
/* Legs push off and brake within this time. */
static const double PUSH_S = 0.15;
/* Share of their reach that legs use. */
static const double REACH_SHARE = 0.82;
/* All feet bear weight for this share of a stride before the first step and after the last. */
static const double REST = 0.25;

/* ---- times ---- */

static void set_grid(sn__planner *p, double duration_s, double swing_s) {
  const double most = SN__PLAN_POINTS_MAX - 1;
  const double wanted_s =
      swing_s > 0.0 ? fmin(fmax(swing_s / SWING_POINTS, GRID_MIN_S), GRID_MAX_S) : GRID_MAX_S;
  const double count = fmin(fmax(ceil(duration_s / wanted_s), 8.0), most);
  p->point_count = (size_t)count + 1;
  p->duration_s = duration_s;
  p->grid_s = duration_s / count;
  for (size_t k = 0; k < p->point_count; k++) {
    p->times[k] = p->grid_s * (double)k;
  }
}

/* Feet lift and land half way between two points: that is where step_path.h takes them to. */
static double half_way(const sn__planner *p, double time_s) {
  return p->grid_s * (floor(time_s / p->grid_s) + 0.5);
}

static void add_event(sn__planner *p, double time_s) {
  size_t at = p->event_count;
  while (at > 0 && p->events[at - 1] > time_s) {
    at--;
  }
  if (at > 0 && p->events[at - 1] > time_s - 0.5 * p->grid_s) {
    return;
  }
  for (size_t k = p->event_count; k > at; k--) {
    p->events[k] = p->events[k - 1];
  }
  p->events[at] = time_s;
  p->event_count++;
}

void sn__planner_set_times(sn__planner *p, double duration_s) {
  double last = 0.0;
  for (size_t i = 0; i < p->leg_count; i++) {
    last = fmax(last, p->gait.lift[i] + p->gait.swing);
  }
  p->stride_s = duration_s / ((double)p->step_count - 1.0 + last + 2.0 * REST);
  set_grid(p, duration_s, p->gait.swing * p->stride_s);
  p->ramp_s = p->step_count == 0 ? 0.5 * duration_s : fmin(p->stride_s, 0.5 * duration_s);
  p->event_count = 0;
  for (size_t s = 0; s < p->step_count; s++) {
    for (size_t i = 0; i < p->leg_count; i++) {
      const double lift_s = p->stride_s * (REST + (double)s + p->gait.lift[i]);
      sn__plan_step *step = &p->legs[i].steps[s];
      step->lift_s = half_way(p, lift_s);
      step->land_s = half_way(p, lift_s + p->gait.swing * p->stride_s);
      add_event(p, step->lift_s);
      add_event(p, step->land_s);
    }
  }
}

bool sn__planner_is_short(const sn__planner *p, double begin_s, double end_s) {
  size_t count = 0;
  for (size_t i = 0; i < p->leg_count; i++) {
    count += sn__planner_is_down(p, i, 0.5 * (begin_s + end_s));
  }
  return count > 0 && count < 3 && p->leg_count > 2 && end_s - begin_s < SHORT_S;
}

/* The velocity rises and falls as 3 u^2 - 2 u^3 within the ramps. */
double sn__planner_share(const sn__planner *p, double time_s, double *rate) {
  const double length_s = p->duration_s, ramp_s = p->ramp_s;
  const double most = 1.0 / (length_s - ramp_s);
  const double t = fmin(fmax(time_s, 0.0), length_s);
  const double u = fmin(1.0, fmin(t, length_s - t) / ramp_s);
  const double share = most * ramp_s * u * u * u * (1.0 - 0.5 * u);
  *rate = most * u * u * (3.0 - 2.0 * u);
  if (u >= 1.0) {
    return most * (t - 0.5 * ramp_s);
  }
  return t < 0.5 * length_s ? share : 1.0 - share;
}

/* ---- flight ---- */

/* From rest to the velocity of lift-off within a time, and back to the height: a cubic. */
static double push_off(double u, double push_s, double speed, double *rate) {
  *rate = speed * u * (3.0 * u - 2.0);
  return speed * push_s * u * u * (u - 1.0);
}

/* Height above that of the base without flight: ballistic while no foot bears weight; before and
   after it legs push and brake. */
double sn__planner_hop(const sn__planner *p, double time_s, double *rate) {
  const sn__plan_leg *leg = &p->legs[0];
  *rate = 0.0;
  for (size_t s = 0; p->gait.kind == SN__GAIT_PRONK && s < leg->step_count; s++) {
    const double lift_s = leg->steps[s].lift_s, land_s = leg->steps[s].land_s;
    const double before_s = s == 0 ? 0.0 : leg->steps[s - 1].land_s;
    const double push_s = fmin(PUSH_S, 0.5 * (lift_s - before_s));
    const double speed = 0.5 * SN__GRAVITY * (land_s - lift_s);
    if (time_s >= lift_s && time_s <= land_s) {
      *rate = 0.5 * SN__GRAVITY * (land_s + lift_s - 2.0 * time_s);
      return 0.5 * SN__GRAVITY * (time_s - lift_s) * (land_s - time_s);
    }
    if (time_s < lift_s && time_s > lift_s - push_s) {
      return push_off(1.0 - (lift_s - time_s) / push_s, push_s, speed, rate);
    }
    if (time_s > land_s && time_s < land_s + push_s) {
      const double z = push_off(1.0 - (time_s - land_s) / push_s, push_s, speed, rate);
      *rate = -*rate;
      return z;
    }
  }
  return 0.0;
}

/* ---- places ---- */

/* A foot stands where the nominal stance is when it is half way between its landing and its next
   lift-off. */
static sn_pose place_of(const sn__planner *p, size_t leg, size_t step) {
  double rate;
  const double middle_s =
      0.5 * (p->legs[leg].steps[step - 1].land_s + p->legs[leg].steps[step].lift_s);
  const double share = sn__planner_share(p, middle_s, &rate);
  return sn__planner_nominal_foot(p, leg, sn_vec3_scale(p->base_to, share), share * p->to.yaw);
}

void sn__planner_set_footholds(sn__planner *p, const sn__stance_feet *start) {
  for (size_t i = 0; i < p->leg_count; i++) {
    sn__plan_leg *leg = &p->legs[i];
    leg->step_count = p->step_count;
    leg->places[0] = start->feet[i];
    for (size_t s = 1; s < p->step_count; s++) {
      leg->places[s] = place_of(p, i, s);
    }
    if (p->step_count > 0) {
      leg->places[p->step_count] = p->goals[i];
    }
  }
}

/* ---- a foot at a time ---- */

/* The steps that have begun. */
static size_t begun(const sn__plan_leg *leg, double time_s) {
  size_t count = 0;
  while (count < leg->step_count && leg->steps[count].lift_s <= time_s) {
    count++;
  }
  return count;
}

bool sn__planner_is_down(const sn__planner *p, size_t leg, double time_s) {
  const sn__plan_leg *l = &p->legs[leg];
  const size_t count = begun(l, time_s);
  const bool is_last = count == l->step_count && l->ends_in_air;
  return count == 0 || (!is_last && l->steps[count - 1].land_s <= time_s);
}

sn__plan_motion sn__planner_foot(const sn__planner *p, size_t leg, double time_s) {
  const sn__plan_leg *l = &p->legs[leg];
  const size_t count = begun(l, time_s);
  sn__plan_motion m = {.pose = l->places[count], .contact = sn__planner_is_down(p, leg, time_s)};
  if (count == 0 || l->steps[count - 1].land_s <= time_s) {
    return m;
  }
  const sn__plan_step *step = &l->steps[count - 1];
  const sn_pose from = l->places[count - 1], to = l->places[count];
  const bool goes_up = count == l->step_count && l->ends_in_air;
  const sn__swing swing = {from.pos, to.pos, goes_up ? 0.0 : p->step_height_m,
                           step->land_s - step->lift_s};
  const sn__swing_point at = sn__swing_at(&swing, time_s - step->lift_s);
  const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(to.rot, sn_mat3_transpose(from.rot)));
  m.pose.pos = at.pos;
  m.pose.rot = sn_mat3_mul(sn__mat3_exp(sn_vec3_scale(turn, at.share)), from.rot);
  m.twist = (sn_spatial){sn_vec3_scale(turn, at.share_rate), at.vel};
  return m;
}

bool sn__planner_find_close(const sn__planner *p, size_t *a, size_t *b, double *distance_m) {
  for (size_t k = 0; k < p->point_count; k++) {
    sn_vec3 feet[SN__GAIT_LEGS_MAX];
    for (size_t i = 0; i < p->leg_count; i++) {
      feet[i] = sn__planner_foot(p, i, p->times[k]).pose.pos;
      for (size_t j = 0; j < i; j++) {
        *distance_m = hypot(feet[i].x - feet[j].x, feet[i].y - feet[j].y);
        if (*distance_m < p->near_m) {
          *a = j;
          *b = i;
          return true;
        }
      }
    }
  }
  return false;
}

/* The place of a foot relative to the nominal one below the base, while the base is on the straight
   way. */
static bool is_far(const sn__planner *p, size_t leg, sn_pose foot, double time_s) {
  double rate;
  const double share = sn__planner_share(p, time_s, &rate);
  const sn_pose path = {sn_mat3_from_rpy(0.0, 0.0, share * p->to.yaw),
                        sn_vec3_scale(p->base_to, share)};
  const double *reach = p->legs[leg].reach;
  const sn_vec3 d =
      sn_vec3_sub(sn_pose_apply(sn_pose_inverse(path), foot.pos), p->legs[leg].nominal.pos);
  return d.x < -REACH_SHARE * reach[0] || d.x > REACH_SHARE * reach[1] ||
         d.y < -REACH_SHARE * reach[2] || d.y > REACH_SHARE * reach[3];
}

bool sn__planner_find_far(const sn__planner *p, size_t *leg, double *time_s) {
  for (size_t i = 0; i < p->leg_count; i++) {
    const sn__plan_leg *l = &p->legs[i];
    for (size_t s = 0; s < l->step_count; s++) {
      const bool at_lift = is_far(p, i, l->places[s], l->steps[s].lift_s);
      if (at_lift || is_far(p, i, l->places[s + 1], l->steps[s].land_s)) {
        *leg = i;
        *time_s = at_lift ? l->steps[s].lift_s : l->steps[s].land_s;
        return true;
      }
    }
  }
  return false;
}
