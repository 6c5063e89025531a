/* The joints at the first point of a step sequence. A pose of a foot has several solutions; the one
   to begin with leads through the whole sequence without a jump. */
#include <math.h>
#include <string.h>

#include "controllers/inverse_kinematics.h"
#include "play/play_start.h"

enum {
  CANDIDATES_MAX = 16,
  SAMPLES_MAX = 80 /* points of the sequence that are tried */
};
/* Farther between two samples: another branch. */
static const double JUMP_RAD = 1.0;
/* Costs that differ by less than this are equal. */
static const double COST_SHARE = 0.25;

typedef struct limb {
  const sn_rigid_body_trajectory *motion;
  sn__limb_ik ik;
  double *rows; /* [CANDIDATES_MAX][count] */
  double *now;  /* [count] */
  double *next; /* [count] */
} limb;

/* The solver with the limits of the deployment. */
static bool open_limb(const play_setup *setup, const sn_rigid_body_trajectory *motion,
                      sn_arena *arena, limb *out, play_result *result) {
  const int chain = sn_model_chain_index(setup->model, motion->name.data);
  sn_error err = {.message = ""};
  const sn__inverse_kinematics *service = play_setup_kinematics(setup);
  *out = (limb){.motion = motion};
  if (service == NULL) {
    play_fail(result, SN_STEP_INTERNAL_ERROR, "the deployment has no component kinematics_inv");
    return false;
  }
  if (service->create(service->component, arena, (size_t)chain, &out->ik, &err) != SN_OK) {
    play_fail(result, SN_STEP_INVALID_END_EFFECTOR, "limb '%s': %s", motion->name.data,
              err.message);
    return false;
  }
  const size_t n = out->ik.count;
  out->rows = SN_NEW(arena, double, CANDIDATES_MAX *n);
  out->now = SN_NEW(arena, double, n);
  out->next = SN_NEW(arena, double, n);
  return out->rows != NULL && out->now != NULL && out->next != NULL;
}

static sn_pose pose_at(const limb *l, size_t point) {
  return sn_pose_from_msg(l->motion->points.data[point].pose);
}

/* All solutions at the first point. */
static size_t find_candidates(limb *l) {
  const sn_pose first = pose_at(l, 0);
  sn_ik_result found = {0};
  for (size_t i = 0; i < l->ik.count; i++) {
    double lower = 0.0;
    double upper = 0.0;
    sn_ik_limits(l->ik.ik, i, &lower, &upper);
    l->now[i] = fmax(lower, fmin(upper, 0.0));
  }
  const sn_ik_code code = sn_ik_get_all(l->ik.ik, &first, 1, l->now, l->ik.count, NULL, l->rows,
                                        CANDIDATES_MAX, &found);
  return code == SN_IK_OK ? found.solution_count : 0;
}

static double distance(const limb *l) {
  double worst = 0.0;
  for (size_t i = 0; i < l->ik.count; i++) {
    worst = fmax(worst, fabs(l->next[i] - l->now[i]));
  }
  return worst;
}

/* @return the largest step of a joint along the sequence; a jump or a point out of reach is worse
   than every step */
static double cost_of(limb *l, const double *candidate) {
  const size_t points = l->motion->points.count;
  const size_t stride = 1 + points / SAMPLES_MAX;
  double worst = 0.0;
  memcpy(l->now, candidate, l->ik.count * sizeof *l->now);
  for (size_t k = stride; k < points; k += stride) {
    const sn_pose target = pose_at(l, k);
    if (sn_ik_get_position(l->ik.ik, &target, l->now, l->ik.count, NULL, l->next) != SN_IK_OK) {
      worst += JUMP_RAD;
      continue;
    }
    worst = fmax(worst, distance(l));
    memcpy(l->now, l->next, l->ik.count * sizeof *l->now);
  }
  return worst;
}

/* The bend of the knee: the joint that is bent most, with its sign. */
static double bend_of(const limb *l, const double *row) {
  double most = 0.0;
  for (size_t i = 0; i < l->ik.count; i++) {
    most = fabs(row[i]) > fabs(most) ? row[i] : most;
  }
  return most;
}

/* Of equally good solutions all legs take the one that bends to the same side. */
static const double *choose(limb *l, size_t count) {
  const double *best = NULL;
  double best_cost = INFINITY;
  for (size_t i = 0; i < count; i++) {
    const double *row = l->rows + i * l->ik.count;
    const double cost = cost_of(l, row);
    const bool is_equal = fabs(cost - best_cost) <= COST_SHARE * fmin(cost, best_cost);
    if (best == NULL || (is_equal ? bend_of(l, row) > bend_of(l, best) : cost < best_cost)) {
      best = row;
      best_cost = cost;
    }
  }
  return best;
}

static bool start_limb(const play_setup *setup, const sn_rigid_body_trajectory *motion,
                       sn_arena *arena, play_start *start, play_result *result) {
  limb l;
  if (!open_limb(setup, motion, arena, &l, result)) {
    play_fail(result, SN_STEP_INTERNAL_ERROR, "out of memory");
    return false;
  }
  const double *best = choose(&l, find_candidates(&l));
  if (best == NULL) {
    play_fail(result, SN_STEP_INVALID_TRAJECTORY, "the first point of limb '%s' is out of reach",
              motion->name.data);
    return false;
  }
  for (size_t i = 0; i < l.ik.count; i++) {
    start->q[l.ik.joints[i]] = best[i];
  }
  return true;
}

/* Does it ever touch the ground? */
static bool has_contact(const sn_rigid_body_trajectory *motion) {
  for (size_t k = 0; k < motion->points.count; k++) {
    if (motion->points.data[k].contact) {
      return true;
    }
  }
  return false;
}

bool play_start_steps(const play_setup *setup, const sn_step_goal *steps, sn_arena *arena,
                      play_start *start, play_result *result) {
  start->hangs = true;
  for (size_t i = 0; i < steps->ee_motion.count; i++) {
    const sn_rigid_body_trajectory *motion = &steps->ee_motion.data[i];
    if (motion->points.count == 0) {
      play_fail(result, SN_STEP_INVALID_TRAJECTORY, "limb '%s' has no points", motion->name.data);
      return false;
    }
    if (!start_limb(setup, motion, arena, start, result)) {
      return false;
    }
    start->hangs = start->hangs && !has_contact(motion);
    start->stands[sn_model_chain_index(setup->model, motion->name.data)] =
        motion->points.data[0].contact;
  }
  return true;
}
