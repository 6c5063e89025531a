#include "traj/otg_plan.h"

#include <math.h>

#include "sinew/fault.h"
#include "traj/otg_offline.h"
#include "traj/otg_profile.h"

bool sn__otg_is_value(double x) {
  return fabs(x) <= SN_OTG_VALUE_MAX; /* NaN is not */
}

static bool is_limit(double x) {
  return x >= 1.0 / SN_OTG_VALUE_MAX && x <= SN_OTG_VALUE_MAX;
}

bool sn__otg_are_limits(const sn_otg_limits *limits) {
  return is_limit(limits->velocity) && is_limit(limits->acceleration) && is_limit(limits->jerk);
}

bool sn__otg_is_velocity(const sn_otg_limits *limits, double qd) {
  return fabs(qd) <= limits->velocity * (1.0 + 1e-13);
}

static bool is_state(sn_otg_state s) {
  return sn__otg_is_value(s.q) && sn__otg_is_value(s.qd) && sn__otg_is_value(s.qdd);
}

void sn__otg_scale_init(sn__otg_scale *scale, const sn_otg_limits *limits) {
  scale->limits = *limits;
  scale->time_unit = limits->acceleration / limits->jerk;
  scale->v_unit = limits->acceleration * scale->time_unit;
  scale->q_unit = scale->v_unit * scale->time_unit;
  scale->per_time = 1.0 / scale->time_unit;
  scale->per_a = 1.0 / limits->acceleration;
  scale->per_v = 1.0 / scale->v_unit;
  scale->per_q = 1.0 / scale->q_unit;
  scale->v_max = limits->velocity * scale->per_v;
}

/* The way back inside the limits: phases if @p out is not NULL, and the state behind them. */
static sn_otg_state run_brake(const sn__otg_scale *scale, const sn__otg_brake *brake,
                              sn_otg_state s, sn_otg_profile *out) {
  for (size_t i = 0; i < brake->count; i++) {
    const double time = brake->time[i] * scale->time_unit;
    const double jerk = brake->jerk[i] * scale->limits.jerk;
    if (out != NULL) {
      sn__otg_profile_add(out, time, jerk, s);
    }
    s = sn__otg_move(s, jerk, time);
  }
  if (brake->count > 0) { /* exactly on the limit, where it was meant to be */
    s.qd = brake->v * scale->v_unit;
    s.qdd = brake->a * scale->limits.acceleration;
  }
  return s;
}

/* The start in units, after the way back inside the limits. */
static void prepare(sn__otg_task *task, const sn__otg_scale *scale, sn_otg_state start, double qd,
                    bool is_followed) {
  const double velocity = qd * scale->per_v;
  task->scale = scale;
  task->start = start;
  task->is_followed = is_followed;
  task->frame = is_followed ? velocity : 0.0;
  task->vt = is_followed ? 0.0 : velocity;
  sn__otg_brake_plan(scale->v_max, start.qd * scale->per_v, start.qdd * scale->per_a, &task->brake);
  task->inside = run_brake(scale, &task->brake, start, NULL);
  task->brake_time = 0.0;
  for (size_t i = 0; i < task->brake.count; i++) {
    task->brake_time += task->brake.time[i] * scale->time_unit;
  }
  const double v = task->brake.v;
  const double a = task->brake.a;
  const double v_rest = fabs(v + 0.5 * a * fabs(a)); /* with the acceleration taken back */
  task->v_max = fmax(scale->v_max, fmax(fabs(velocity), v_rest));
}

/* The direction in which the joint first speeds up if it takes on the target's velocity at once. */
static double direct_direction(const sn__otg_task *task) {
  const double a = task->brake.a;
  return task->brake.v - task->frame - task->vt + 0.5 * a * fabs(a) <= 0.0 ? 1.0 : -1.0;
}

static void init_direct(const sn__otg_task *task, double d, sn__otg_family *family) {
  sn__otg_family_direct(family, d * (task->brake.v - task->frame), d * task->brake.a, d * task->vt);
}

static void init_family(const sn__otg_task *task, double d, sn__otg_family *family) {
  sn__otg_family_init(family, task->v_max - d * task->frame, d * (task->brake.v - task->frame),
                      d * task->brake.a, d * task->vt);
}

/* Where the joint is with its target when the motion takes so long, s. */
static sn_otg_state arrival(const sn__otg_task *task, double duration_s) {
  sn_otg_state end = task->target;
  end.q += task->is_followed ? end.qd * duration_s : 0.0;
  return end;
}

void sn__otg_task_init(sn__otg_task *task, const sn__otg_scale *scale, sn_otg_state start,
                       sn_otg_state target, bool is_followed) {
  prepare(task, scale, start, target.qd, is_followed);
  task->target = target;
  const double d = direct_direction(task);
  init_direct(task, d, &task->family);
  const double direct = sn__otg_family_distance(&task->family, task->family.direct);
  const double place = arrival(task, task->brake_time).q;
  task->distance = (place - task->inside.q) * scale->per_q;
  const double beyond = d * task->distance - direct;
  /* Being behind a moving target by a rounding error would cause a long detour. */
  const double places = (fabs(place) + fabs(task->inside.q)) * scale->per_q;
  if (fabs(beyond) <= 1e-15 * (places + fabs(direct))) {
    task->direction = d;
    task->optimum = task->family.direct;
  } else {
    task->direction = beyond > 0.0 ? d : -d;
    init_family(task, task->direction, &task->family);
    task->optimum = sn__otg_family_reach(&task->family, task->direction * task->distance, 0.0);
  }
  const double time = sn__otg_family_time(&task->family, task->optimum);
  task->duration_s = task->brake_time + time * scale->time_unit;
}

/* One extreme motion, from @p start to @p end, which it is known to reach: phases up to the middle
   are reckoned forwards, those behind it backwards. */
static void add_shape(sn_otg_profile *out, const sn__otg_scale *scale, double direction,
                      const sn__otg_shape *shape, sn_otg_state start, sn_otg_state end) {
  const double jerk = direction * scale->limits.jerk;
  const double a_max = direction * scale->limits.acceleration;
  double time[7];
  for (size_t i = 0; i < 7; i++) {
    time[i] = shape->time[i] * scale->time_unit;
  }
  sn_otg_state at[7] = {start};
  at[1] = sn__otg_move(at[0], jerk, time[0]);
  at[1].qdd = shape->a1 * a_max;
  at[2] = sn__otg_move(at[1], 0.0, time[1]);
  at[6] = sn__otg_move(end, jerk, -time[6]);
  at[6].qdd = -shape->ap * a_max;
  at[5] = sn__otg_move(at[6], 0.0, -time[5]);
  if (shape->has_cruise) {
    at[3] = sn__otg_move(at[2], -jerk, time[2]);
    at[3].qdd = 0.0;
    at[4] = sn__otg_move(at[5], -jerk, -time[4]);
    at[4].qdd = 0.0;
  }
  static const double signs[7] = {1.0, 0.0, -1.0, 0.0, -1.0, 0.0, 1.0};
  for (size_t i = 0; i < 7; i++) {
    sn__otg_profile_add(out, time[i], signs[i] * jerk, at[i]);
  }
}

static void begin(const sn__otg_task *task, sn_otg_profile *out) {
  out->count = 0;
  out->duration_s = 0.0;
  run_brake(task->scale, &task->brake, task->start, out);
}

void sn__otg_task_write(const sn__otg_task *task, sn_otg_profile *out) {
  begin(task, out);
  sn__otg_shape shape;
  sn__otg_family_shape(&task->family, task->optimum, &shape);
  out->end = arrival(task, task->duration_s);
  add_shape(out, task->scale, task->direction, &shape, task->inside, out->end);
}

double sn__otg_task_next_duration(const sn__otg_task *task, double duration_s) {
  if (duration_s <= task->duration_s) {
    return task->duration_s;
  }
  if (task->vt == 0.0) {
    return duration_s; /* a joint at rest, or with its target, can wait */
  }
  const sn__otg_scale *scale = task->scale;
  const double time = (duration_s - task->brake_time) * scale->per_time;
  for (int side = -1; side <= 1; side += 2) {
    const double d = side;
    sn__otg_family family;
    init_family(task, d, &family);
    const sn__otg_point furthest = sn__otg_family_lasting(&family, time);
    if (sn__otg_family_distance(&family, furthest) < d * task->distance) {
      const sn__otg_point point = sn__otg_family_reach(&family, d * task->distance, time);
      const double next = sn__otg_family_time(&family, point) * scale->time_unit;
      return fmax(duration_s, task->brake_time + next);
    }
  }
  return duration_s;
}

/* The extreme motion of a duration in one direction. */
typedef struct extreme {
  double direction;
  double distance; /* in units, in the frame */
  sn__otg_shape shape;
} extreme;

static void find_extreme(const sn__otg_task *task, double d, double time, extreme *out) {
  sn__otg_family family;
  init_family(task, d, &family);
  const sn__otg_point point = sn__otg_family_lasting(&family, time);
  out->direction = d;
  out->distance = d * sn__otg_family_distance(&family, point);
  sn__otg_family_shape(&family, point, &out->shape);
}

/* That motion, with the same start and duration as all others of the task. */
static void write_extreme(const sn__otg_task *task, const extreme *e, double duration_s,
                          sn_otg_profile *out) {
  out->count = 0;
  out->duration_s = 0.0;
  out->end = arrival(task, duration_s);
  out->end.q += (e->distance - task->distance) * task->scale->q_unit;
  add_shape(out, task->scale, e->direction, &e->shape, task->inside, out->end);
}

void sn__otg_task_write_for(const sn__otg_task *task, double duration_s, sn_otg_profile *out) {
  if (duration_s <= task->duration_s) {
    sn__otg_task_write(task, out);
    return;
  }
  const double time = (duration_s - task->brake_time) * task->scale->per_time;
  extreme least;
  extreme most;
  find_extreme(task, -1.0, time, &least);
  find_extreme(task, 1.0, time, &most);
  begin(task, out);
  out->end = arrival(task, duration_s);
  if (task->distance <= least.distance || task->distance >= most.distance) {
    const extreme *e = task->distance <= least.distance ? &least : &most;
    add_shape(out, task->scale, e->direction, &e->shape, task->inside, out->end);
    return;
  }
  sn_otg_profile low;
  sn_otg_profile high;
  write_extreme(task, &least, duration_s, &low);
  write_extreme(task, &most, duration_s, &high);
  const double share = (task->distance - least.distance) / (most.distance - least.distance);
  sn__otg_profile_add_mixture(out, &low, &high, share);
}

void sn__otg_write_velocity(const sn__otg_scale *scale, sn_otg_state start, double qd,
                            sn_otg_profile *out) {
  sn__otg_task task;
  prepare(&task, scale, start, qd, false);
  const double d = direct_direction(&task);
  init_direct(&task, d, &task.family);
  const double distance = d * sn__otg_family_distance(&task.family, task.family.direct);
  sn__otg_shape shape;
  sn__otg_family_shape(&task.family, task.family.direct, &shape);
  begin(&task, out);
  out->end = (sn_otg_state){task.inside.q + distance * scale->q_unit, qd, 0.0};
  add_shape(out, scale, d, &shape, task.inside, out->end);
}

sn_status sn__otg_plan_for(const sn_otg_limits *limits, sn_otg_state start, sn_otg_state target,
                           double duration_s, sn_otg_profile *out) {
  SN_ASSERT(limits != NULL);
  SN_ASSERT(out != NULL);
  if (!sn__otg_are_limits(limits) || !is_state(start) || !is_state(target) || target.qdd != 0.0 ||
      !sn__otg_is_velocity(limits, target.qd) || !sn__otg_is_value(duration_s) ||
      duration_s < 0.0) {
    return SN_EINVAL;
  }
  sn__otg_scale scale;
  sn__otg_task task;
  sn__otg_scale_init(&scale, limits);
  sn__otg_task_init(&task, &scale, start, target, false);
  if (duration_s <= task.duration_s) {
    sn__otg_task_write(&task, out);
  } else {
    sn__otg_task_write_for(&task, sn__otg_task_next_duration(&task, duration_s), out);
  }
  return SN_OK;
}

sn_status sn__otg_plan(const sn_otg_limits *limits, sn_otg_state start, sn_otg_state target,
                       sn_otg_profile *out) {
  return sn__otg_plan_for(limits, start, target, 0.0, out);
}

sn_status sn__otg_plan_velocity(const sn_otg_limits *limits, sn_otg_state start, double qd,
                                sn_otg_profile *out) {
  SN_ASSERT(limits != NULL);
  SN_ASSERT(out != NULL);
  if (!sn__otg_are_limits(limits) || !is_state(start) || !sn__otg_is_velocity(limits, qd)) {
    return SN_EINVAL;
  }
  sn__otg_scale scale;
  sn__otg_scale_init(&scale, limits);
  sn__otg_write_velocity(&scale, start, qd, out);
  return SN_OK;
}
