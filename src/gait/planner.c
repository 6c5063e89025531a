#include "gait/planner.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "dyn/support_polygon.h"
#include "gait/planner_internal.h"
#include "sinew/fault.h"

static const double MARGIN_SHARE = 0.5, FRICTION = 0.4, STRETCH_MAX = 4.0, HEIGHT_SHARE = 0.15;
/* Feet stay at least this share of the least distance in the nominal stance apart. */
static const double NEAR_SHARE = 0.4;
/* Soles may be this far off a common plane at the start; of four feet one may be four times as far
   off the plane of the others. */
static const double UNEVEN_M = 0.006;
/* Share of the legs' reach that the body uses. */
static const double BODY_REACH = 0.85;
/* Speeds scale with the time nearly, but not quite. */
static const double SLOWER = 1.05, SLOWER_FIRST = 1.12;
/* A plan is stretched above the first load, at once above the second one. */
static const double LOAD_MAX = 1.02, HEAVY = 1.3;
enum { ROUNDS_MAX = 3, ATTEMPTS_MAX = 6 };

/* ---- creation ---- */

static bool create_arrays(sn__planner *p, sn_arena *arena, const sn__planner_config *config) {
  const size_t n = p->joint_count, window = 2 * (size_t)SN__PLAN_WINDOW;
  sn__step_drive *drives = SN_NEW(arena, sn__step_drive, n);
  p->times = SN_NEW(arena, double, SN__PLAN_POINTS_MAX);
  p->offset = SN_NEW(arena, sn_vec3, SN__PLAN_POINTS_MAX);
  p->q = SN_NEW(arena, double, SN__PLAN_POINTS_MAX *n);
  p->qd = SN_NEW(arena, double, n);
  p->qdd = SN_NEW(arena, double, n);
  p->tau = SN_NEW(arena, double, n);
  p->hessian = SN_NEW(arena, double, window *window);
  p->gradient = SN_NEW(arena, double, window);
  p->x = SN_NEW(arena, double, window);
  p->values = SN_NEW(arena, double, (size_t)SN__PLAN_ROWS_MAX *SN__PLAN_ROW_SIZE);
  p->rows = SN_NEW(arena, sn__qp_row, SN__PLAN_ROWS_MAX);
  p->events = SN_NEW(arena, double, 2 * SN__PLAN_STEPS_MAX * p->leg_count);
  const bool is_good = drives != NULL && p->times != NULL && p->offset != NULL && p->q != NULL &&
                       p->qd != NULL && p->qdd != NULL && p->tau != NULL && p->hessian != NULL &&
                       p->gradient != NULL && p->x != NULL && p->values != NULL &&
                       p->rows != NULL && p->events != NULL;
  if (is_good) {
    memcpy(drives, config->drives, n * sizeof *drives);
    p->drives = drives;
  }
  return is_good &&
         sn__step_sequence_create(arena, SN__PLAN_POINTS_MAX, p->leg_count, &p->sequence);
}

static void set_legs(sn__planner *p, const sn__planner_config *config) {
  for (size_t i = 0; i < p->leg_count; i++) {
    const size_t chain = config->legs[i].chain;
    const unsigned turns = SN_IK_FREE_RX | SN_IK_FREE_RY | SN_IK_FREE_RZ;
    p->legs[i] = (sn__plan_leg){.leg = config->legs[i],
                                .contact = sn_model_chain_default_contact(p->model, chain),
                                .is_turning = (config->legs[i].limb->free_axes & turns) != 0};
  }
}

/* The centre of mass of the nominal stance. */
static void set_mass(sn__planner *p, const sn__planner_config *config, const sn__stance_feet *s) {
  const sn_pose base = {s->tilt, {0, 0, s->height_m}};
  sn_support support = {p->legs[0].leg.chain, p->legs[0].contact, 1.0};
  sn_balance_result result;
  p->com_height_m = s->height_m;
  if (p->balance == NULL) {
    return;
  }
  const sn_balance_input input = {
      .q = config->nominal,
      .supports = &support,
      .support_count = 1,
      .gravity = sn_mat3_apply_transposed(s->tilt, sn_vec3_make(0, 0, -SN__GRAVITY)),
      .friction = p->friction,
      .base_is_still = true};
  sn__balance_step(p->balance, &input, p->tau, &result);
  p->com = sn_pose_apply(base, result.com);
  p->com_height_m = p->com.z;
  p->com.z = 0.0;
}

/* A share of what the smallest polygon of all feet but one has in its middle. */
static void set_margin(sn__planner *p) {
  const sn_plane ground = {{0, 0, 1}, 0.0};
  double least = INFINITY;
  for (size_t lifted = 0; lifted < p->leg_count; lifted++) {
    sn_vec3 feet[SN__GAIT_LEGS_MAX], corners[SN__GAIT_LEGS_MAX], middle = {0, 0, 0};
    size_t count = 0;
    for (size_t i = 0; i < p->leg_count; i++) {
      if (i != lifted) {
        feet[count++] = p->legs[i].nominal.pos;
      }
    }
    count = sn__support_polygon(ground, feet, count, corners);
    for (size_t i = 0; i < count; i++) {
      middle = sn_vec3_add_scaled(middle, 1.0 / (double)count, corners[i]);
    }
    least = fmin(least, sn__support_margin(ground, corners, count, middle));
  }
  p->margin_m = p->margin_m == 0.0 ? MARGIN_SHARE * fmax(0.0, least) : p->margin_m;
}

static sn_status set_nominal(sn__planner *p, const sn__planner_config *config, sn_error *err) {
  sn__stance_feet stance;
  if (!sn__planner_stance(p, config->nominal, &stance)) {
    return sn__fail(err, SN_EINVAL, "the robot does not stand in its nominal pose");
  }
  p->nominal_height_m = stance.height_m;
  p->near_m = INFINITY;
  for (size_t i = 0; i < p->leg_count; i++) {
    p->legs[i].nominal = stance.feet[i];
    for (size_t j = 0; j < i; j++) {
      const sn_vec3 way = sn_vec3_sub(stance.feet[i].pos, stance.feet[j].pos);
      p->near_m = fmin(p->near_m, NEAR_SHARE * hypot(way.x, way.y));
    }
  }
  p->step_height_m =
      config->step_height_m == 0.0 ? HEIGHT_SHARE * stance.height_m : config->step_height_m;
  set_margin(p);
  set_mass(p, config, &stance);
  sn__planner_find_reach(p, config->nominal);
  return SN_OK;
}

sn_status sn__planner_create(sn_arena *arena, const sn__planner_config *config, sn__planner **out,
                             sn_error *err) {
  SN_ASSERT(config->leg_count >= 1 && config->leg_count <= SN__GAIT_LEGS_MAX);
  sn__planner *p = SN_NEW(arena, sn__planner, 1);
  if (p == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a planner");
  }
  *p = (sn__planner){.model = config->model,
                     .joint_count = sn_model_pose_size(config->model),
                     .leg_count = config->leg_count,
                     .balance = config->balance,
                     .margin_m = config->margin_m,
                     .friction = config->friction == 0.0 ? FRICTION : config->friction,
                     .stretch_max = config->stretch_max == 0.0 ? STRETCH_MAX : config->stretch_max};
  sn_status status = sn_kin_create(arena, sn_model_tree(p->model), &p->kin, err);
  if (status == SN_OK) {
    status = sn__qp_create(arena, 2 * (size_t)SN__PLAN_WINDOW, SN__PLAN_ROWS_MAX, &p->qp, err);
  }
  if (status == SN_OK && !create_arrays(p, arena, config)) {
    status = sn__fail(err, SN_ENOMEM, "no memory for a planner of %zu joints", p->joint_count);
  }
  if (status == SN_OK) {
    set_legs(p, config);
    status = set_nominal(p, config, err);
  }
  if (status == SN_OK) {
    *out = p;
  }
  return status;
}

/* ---- the start ---- */

static const char *name_of(const sn__planner *p, size_t leg) {
  return sn_names_at(sn_model_chain_names(p->model), p->legs[leg].leg.chain);
}

static sn_status read_start(sn__planner *p, const double *q, sn__stance_feet *start,
                            sn_error *err) {
  for (size_t j = 0; j < p->joint_count; j++) {
    if (!isfinite(q[j])) {
      return sn__fail(err, SN_EINVAL, "the position of joint '%s' is not known",
                      sn_model_joint(p->model, j)->name);
    }
  }
  if (!sn__planner_stance(p, q, start)) {
    return sn__fail(err, SN_EINVAL, "the robot does not stand on its feet");
  }
  for (size_t i = 0; i < p->leg_count; i++) {
    if (fabs(start->off_m[i]) > UNEVEN_M) {
      return sn__fail(err, SN_EINVAL,
                      "the feet are not on one plane: that of limb '%s' is %.3f m off the ground",
                      name_of(p, i), start->off_m[i]);
    }
  }
  p->start = q;
  return SN_OK;
}

/* ---- attempts ---- */

/* Why an attempt failed. */
typedef struct failure {
  sn__plan_trouble trouble;
  size_t leg, other;
  double time_s, distance_m;
} failure;

/* The zero-moment point of the first programme is below the centre of mass of the nominal stance.
 */
static void begin_offset(sn__planner *p) {
  for (size_t k = 0; k < p->point_count; k++) {
    double rate;
    const double yaw = p->to.yaw * sn__planner_share(p, p->times[k], &rate);
    p->offset[k] = sn_mat3_apply(sn_mat3_from_rpy(0.0, 0.0, yaw), p->com);
  }
}

/* The margin is reduced if no path has it. */
static bool find_body(sn__planner *p, bool is_warm) {
  static const double shares[] = {1.0, 0.5, 0.0, -1.0}, bands[] = {0.004, 0.008, 0.015, 0.025};
  for (; p->rung < sizeof shares / sizeof *shares; p->rung++) {
    if (sn__planner_find_body(p, shares[p->rung] * p->margin_m, bands[p->rung], BODY_REACH,
                              is_warm)) {
      return true;
    }
  }
  p->rung = 0;
  return false;
}

/* Footholds that no path of the body can mend. */
static bool are_feet_good(sn__planner *p, failure *f) {
  if (sn__planner_find_far(p, &f->leg, &f->time_s)) {
    f->trouble = SN__PLAN_OUT_OF_REACH;
    return false;
  }
  if (sn__planner_find_close(p, &f->leg, &f->other, &f->distance_m)) {
    f->trouble = SN__PLAN_TOO_CLOSE;
    return false;
  }
  return true;
}

/* The offset of the zero-moment point depends on the path, and the path on the offset. */
static bool try_times(sn__planner *p, const sn__stance_feet *start, double duration_s, failure *f) {
  sn__planner_set_times(p, duration_s);
  sn__planner_set_footholds(p, start);
  begin_offset(p);
  if (!are_feet_good(p, f)) {
    return false;
  }
  for (int round = 0; round < ROUNDS_MAX; round++) {
    const size_t stride = round == 0 ? 2 : 1; /* the first one finds the offset only */
    if (!find_body(p, round > 0)) {
      f->trouble = SN__PLAN_NO_BALANCE;
      return false;
    }
    if (!sn__planner_solve_legs(p, stride, &f->leg, &f->time_s)) {
      f->trouble = SN__PLAN_OUT_OF_REACH;
      return false;
    }
    sn__planner_measure_speeds(p, stride);
    if (p->speed_ratio > 1.0) {
      break;
    }
    if (p->balance != NULL) {
      sn__planner_measure(p, stride);
    }
    if (p->load_peak > HEAVY || (round > 0 && p->margin > 0.0)) {
      break;
    }
  }
  f->trouble = SN__PLAN_GOOD;
  return true;
}

/* How much longer the plan must be if the body follows the straight way, roughly. */
static double first_stretch(sn__planner *p, const sn__stance_feet *start, double stretch) {
  enum { STRIDE = 2 };
  failure ignored;
  sn__planner_set_times(p, stretch * p->request->duration_s);
  sn__planner_set_footholds(p, start);
  sn__planner_begin_body(p);
  if (p->gait.kind == SN__GAIT_PRONK || !are_feet_good(p, &ignored) ||
      !sn__planner_solve_legs(p, STRIDE, &ignored.leg, &ignored.time_s)) {
    return stretch;
  }
  sn__planner_measure_speeds(p, STRIDE);
  return stretch * fmin(fmax(1.0, SLOWER_FIRST * p->speed_ratio), p->stretch_max);
}

/* Slower until the drives can follow. A load that does not shrink is weight.
   @param stretch  where to begin, then where it ended */
static bool try_steps(sn__planner *p, const sn__stance_feet *start, failure *f, double *stretch) {
  double load = INFINITY;
  p->rung = 0;
  *stretch = fmin(first_stretch(p, start, *stretch), p->stretch_max);
  for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    if (!try_times(p, start, *stretch * p->request->duration_s, f)) {
      return false;
    }
    const bool is_fast = p->speed_ratio > 1.0;
    const bool is_loaded = !is_fast && p->load_peak > LOAD_MAX && p->load_peak < 0.97 * load;
    if (!is_fast && !is_loaded) {
      return true;
    }
    if (p->gait.kind == SN__GAIT_PRONK) {
      break;
    }
    const double slower = is_fast ? SLOWER * p->speed_ratio : 1.0 + 0.7 * (p->load_peak - 0.98);
    load = is_loaded ? p->load_peak : load;
    if (*stretch * slower > p->stretch_max) {
      break;
    }
    *stretch *= slower;
  }
  f->trouble = SN__PLAN_TOO_SLOW;
  return false;
}

static sn_status explain(const sn__planner *p, const failure *f, sn_error *err) {
  switch (f->trouble) {
    case SN__PLAN_OUT_OF_REACH:
      return sn__fail(err, SN_EINVAL,
                      "reach: limb '%s' cannot reach its foothold at %.2f s with %zu steps of each "
                      "leg",
                      name_of(p, f->leg), f->time_s, p->step_count);
    case SN__PLAN_TOO_CLOSE:
      return sn__fail(err, SN_EINVAL,
                      "distance of feet: limbs '%s' and '%s' come as near as %.3f m, at least "
                      "%.3f m are allowed",
                      name_of(p, f->leg), name_of(p, f->other), f->distance_m, p->near_m);
    case SN__PLAN_TOO_SLOW:
      if (p->gait.kind == SN__GAIT_PRONK) { /* more time is a longer flight */
        return sn__fail(err, SN_EINVAL,
                        "flight: joint '%s' needs %.1f times its speed, a drive %.1f times its "
                        "torque to push off and land",
                        sn_model_joint(p->model, p->speed_joint)->name, p->speed_ratio,
                        p->load_peak);
      }
      return sn__fail(err, SN_EINVAL,
                      "joint speed: '%s' needs %.1f times its speed, and at most %.1f times the "
                      "duration are allowed",
                      sn_model_joint(p->model, p->speed_joint)->name, p->speed_ratio,
                      p->stretch_max);
    default:
      return sn__fail(
          err, SN_EINVAL,
          "balance: no path of the body keeps the zero-moment point above the feet with "
          "this gait and duration");
  }
}

static void report(const sn__planner *p, double stretch, sn__walk_plan *out) {
  const sn_vec3 up = {0, 0, p->to.z};
  *out = (sn__walk_plan){.error = SN_MOVE_BASE_SUCCESS,
                         .sequence = p->sequence,
                         .base_goal = {sn_mat3_from_rpy(p->to.roll, p->to.pitch, p->to.yaw),
                                       sn_vec3_add(p->base_to, up)},
                         .step_count = p->step_count,
                         .duration_s = p->duration_s,
                         .stretch = stretch,
                         .margin_m = p->margin,
                         .speed_peak = p->speed_peak,
                         .load_peak = p->load_peak,
                         .round_count = p->round_count};
}

sn_status sn__planner_solve(sn__planner *p, const sn__plan_request *request, const double *q,
                            sn__walk_plan *out, sn_error *err) {
  sn__stance_feet start;
  failure f = {.trouble = SN__PLAN_NO_BALANCE}, first = f;
  double stretch = 1.0;
  sn_vec3 feet[SN__GAIT_LEGS_MAX];
  p->request = request;
  p->round_count = 0;
  p->margin = p->load_peak = 0.0;
  out->error = SN_MOVE_BASE_INVALID_INITIAL_POSE;
  sn_status status = read_start(p, q, &start, err);
  if (status == SN_OK) {
    status = sn__planner_set_goal(p, &start, &out->error, err);
  }
  if (status != SN_OK) {
    return status;
  }
  for (size_t i = 0; i < p->leg_count; i++) {
    feet[i] = p->legs[i].nominal.pos;
  }
  sn__gait_make(request->kind, request->is_right, feet, p->leg_count, &p->gait);
  out->error = SN_MOVE_BASE_SOLUTION_NOT_FOUND;
  const size_t most = request->step_count * 2;
  for (p->step_count = request->step_count;; p->step_count++) {
    if (try_steps(p, &start, &f, &stretch)) {
      sn__planner_write(p);
      report(p, stretch, out);
      return SN_OK;
    }
    first = p->step_count == request->step_count ? f : first;
    stretch = fmax(1.0, 0.8 * stretch); /* more steps are shorter */
    const bool helps = f.trouble == SN__PLAN_OUT_OF_REACH || f.trouble == SN__PLAN_TOO_CLOSE;
    if (!helps || p->step_count >= most || p->step_count >= SN__PLAN_STEPS_MAX) {
      return explain(p, &f, err);
    }
  }
}
