#include "gait/planner.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "dyn/support_polygon.h"
#include "gait/planner_internal.h"
#include "sinew/fault.h"

static const double MARGIN_SHARE = 0.8, FRICTION = 0.4, STRETCH_MAX = 4.0, HEIGHT_SHARE = 0.15;
/* Feet stay at least this share of the least distance in the nominal stance apart. */
static const double NEAR_SHARE = 0.4;
/* Soles may be this far off a common plane at the start; of four feet one may be four times as far
   off the plane of the others. */
static const double UNEVEN_M = 0.006;

/* ---- creation ---- */

static bool create_arrays(sn__planner *p, sn_arena *arena, const sn__planner_config *config) {
  const size_t n = p->joint_count, window = 2 * (size_t)SN__PLAN_WINDOW;
  sn__step_drive *drives = SN_NEW(arena, sn__step_drive, n);
  p->times = SN_NEW(arena, double, SN__PLAN_POINTS_MAX);
  p->offset = SN_NEW(arena, sn_vec3, SN__PLAN_POINTS_MAX);
  p->q = SN_NEW(arena, double, SN__PLAN_POINTS_MAX *n);
  p->base = SN_NEW(arena, sn_pose, SN__PLAN_POINTS_MAX);
  p->qd = SN_NEW(arena, double, n);
  p->qdd = SN_NEW(arena, double, n);
  p->tau = SN_NEW(arena, double, n);
  p->hessian = SN_NEW(arena, double, window *window);
  p->gradient = SN_NEW(arena, double, window);
  p->x = SN_NEW(arena, double, window);
  p->values = SN_NEW(arena, double, (size_t)SN__PLAN_ROWS_MAX *SN__PLAN_ROW_SIZE);
  p->rows = SN_NEW(arena, sn__qp_row, SN__PLAN_ROWS_MAX);
  p->hints = SN_NEW(arena, bool, (size_t)SN__PLAN_WINDOWS_MAX *SN__PLAN_ROWS_MAX);
  p->events = SN_NEW(arena, double, 2 * SN__PLAN_STEPS_MAX * p->leg_count);
  const bool is_good = drives != NULL && p->times != NULL && p->offset != NULL && p->q != NULL &&
                       p->base != NULL && p->qd != NULL && p->qdd != NULL && p->tau != NULL &&
                       p->hessian != NULL && p->gradient != NULL && p->x != NULL &&
                       p->values != NULL && p->rows != NULL && p->hints != NULL &&
                       p->events != NULL;
  if (is_good) {
    memcpy(drives, config->drives, n * sizeof *drives);
    p->drives = drives;
  }
  return is_good &&
         sn__step_sequence_create(arena, SN__PLAN_POINTS_MAX, p->leg_count, &p->sequence);
}

/* What may be in the way. */
static bool create_obstacles(sn__planner *p, sn_arena *arena, const sn__planner_config *config) {
  p->pair_count =
      config->collision == NULL ? 0 : sn__collision_facts_of(config->collision)->pair_count;
  p->collision = config->collision;
  p->touches = SN_NEW(arena, bool, p->pair_count + 1);
  p->touches_start = SN_NEW(arena, bool, p->pair_count + 1);
  p->obstacles = SN_NEW(arena, sn__obstacle, config->obstacle_count + 1);
  p->obstacle_count = config->obstacle_count;
  if (p->touches != NULL && p->obstacles != NULL && config->obstacle_count > 0) {
    memcpy(p->obstacles, config->obstacles, config->obstacle_count * sizeof *p->obstacles);
  }
  return p->touches != NULL && p->touches_start != NULL && p->obstacles != NULL;
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
  p->outline = sn__outline_of(p->model, p->kin, config->nominal, stance.height_m, p->step_height_m);
  sn__planner_note_touching(p, config->nominal, p->touches);
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
  if (status == SN_OK &&
      (!create_arrays(p, arena, config) || !create_obstacles(p, arena, config))) {
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
                      sn__planner_leg_name(p, i), start->off_m[i]);
    }
  }
  p->start = q;
  return SN_OK;
}

/* ---- plans ---- */

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

static void set_gait(sn__planner *p, sn__gait_kind kind) {
  sn_vec3 feet[SN__GAIT_LEGS_MAX];
  for (size_t i = 0; i < p->leg_count; i++) {
    feet[i] = p->legs[i].nominal.pos;
  }
  sn__gait_make(kind, p->request->is_right, feet, p->leg_count, &p->gait);
}

/* With the steps of the request, or more if that helps. */
static bool solve_gait(sn__planner *p, const sn__stance_feet *start, sn__gait_kind kind,
                       double *stretch, sn__plan_failure *f) {
  const size_t most = p->request->step_count * 2;
  set_gait(p, kind);
  *stretch = 1.0;
  for (p->step_count = p->request->step_count;; p->step_count++) {
    if (sn__planner_try(p, start, f, stretch)) {
      return true;
    }
    *stretch = fmax(1.0, 0.8 * *stretch); /* more steps are shorter */
    const bool helps = f->trouble == SN__PLAN_OUT_OF_REACH || f->trouble == SN__PLAN_TOO_CLOSE ||
                       f->trouble == SN__PLAN_COLLIDES;
    if (!helps || p->step_count >= most || p->step_count >= SN__PLAN_STEPS_MAX) {
      return false;
    }
  }
}

/* The gait `free`: the calmest one whose swings fit into the duration, else the one that needs the
   least time; the others if it fails. */
static bool solve_free(sn__planner *p, const sn__stance_feet *start, double *stretch,
                       sn__plan_failure *f) {
  static const sn__gait_kind kinds[] = {SN__GAIT_WALK, SN__GAIT_WALK_OVERLAP, SN__GAIT_TROT};
  enum { KINDS = sizeof kinds / sizeof *kinds };
  const size_t usable = p->leg_count < 4 ? 1 : KINDS;
  double least = INFINITY;
  size_t best = 0;
  p->step_count = p->request->step_count;
  for (size_t i = 0; i < usable && least > 1.0; i++) {
    set_gait(p, kinds[i]);
    const double needed = sn__planner_estimate(p, start);
    if (needed < least) {
      least = needed;
      best = i;
    }
  }
  bool is_solved = solve_gait(p, start, kinds[best], stretch, f);
  for (size_t i = 0; !is_solved && i < usable; i++) {
    is_solved = i != best && solve_gait(p, start, kinds[i], stretch, f);
  }
  return is_solved;
}

/* What can be said before the first attempt. */
static sn_status begin(sn__planner *p, const sn__plan_request *request, const double *q,
                       sn__stance_feet *start, int32_t *error, sn_error *err) {
  sn__plan_failure f;
  p->request = request;
  p->round_count = 0;
  p->margin = p->load_peak = p->grip_peak = 0.0;
  *error = SN_MOVE_BASE_INVALID_INITIAL_POSE;
  sn_status status = read_start(p, q, start, err);
  if (status == SN_OK) {
    status = sn__planner_set_goal(p, start, error, err);
  }
  if (status != SN_OK) {
    return status;
  }
  *error = SN_MOVE_BASE_SOLUTION_NOT_FOUND;
  sn__planner_note_touching(p, q, p->touches_start);
  if (sn__planner_find_obstacle(p, &f.box, &f.share)) {
    f.trouble = SN__PLAN_OBSTRUCTED;
    return sn__planner_explain(p, &f, err);
  }
  return SN_OK;
}

sn_status sn__planner_solve(sn__planner *p, const sn__plan_request *request, const double *q,
                            sn__walk_plan *out, sn_error *err) {
  sn__stance_feet start;
  sn__plan_failure f = {.trouble = SN__PLAN_NO_BALANCE};
  double stretch = 1.0;
  const sn_status status = begin(p, request, q, &start, &out->error, err);
  if (status != SN_OK) {
    return status;
  }
  const bool is_solved = request->kind == SN__GAIT_FREE
                             ? solve_free(p, &start, &stretch, &f)
                             : solve_gait(p, &start, request->kind, &stretch, &f);
  if (!is_solved) {
    return sn__planner_explain(p, &f, err);
  }
  sn__planner_write(p);
  report(p, stretch, out);
  return SN_OK;
}
