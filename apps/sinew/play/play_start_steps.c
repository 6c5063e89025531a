/* The joints at the first point of a step sequence. A pose of a foot has several solutions; the one
   to begin with leads through the whole sequence without a jump. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "play/play_start.h"
#include "sinew/ik.h"

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
  sn_clock stopped; /* iterations are bounded, time is not: equal starts on every machine */
  sn_ik *ik;
  size_t count; /* joints */
  const int *joints;
  double *rows; /* [CANDIDATES_MAX][count] */
  double *now;  /* [count] */
  double *next; /* [count] */
} limb;

/* ---- the solver, with the limits of the deployment ---- */

static bool read_numbers(const json_t *list, size_t count, double *out) {
  for (size_t i = 0; json_array_size(list) == count && i < count; i++) {
    out[i] = json_number_value(json_array_get(list, i));
  }
  return json_array_size(list) == count;
}

/* An item of the property `limits` of kinematics_inv; it was checked when that was configured. */
static void set_limits(limb *l, const json_t *item) {
  double *lower = l->now;
  double *upper = l->next;
  for (size_t i = 0; i < l->count; i++) {
    sn_ik_limits(l->ik, i, &lower[i], &upper[i]);
  }
  (void)read_numbers(json_object_get(item, "q_min"), l->count, lower);
  (void)read_numbers(json_object_get(item, "q_max"), l->count, upper);
  for (size_t i = 0; i < l->count; i++) {
    double least = 0.0;
    double most = 0.0;
    sn_ik_limits(l->ik, i, &least, &most);
    lower[i] = fmax(lower[i], least);
    upper[i] = fmin(upper[i], most);
  }
  (void)sn_ik_set_limits(l->ik, lower, upper, l->count, NULL);
}

static void read_limits(const play_setup *setup, limb *l) {
  enum { TEXT_SIZE = 1 << 16 };
  char *text = malloc(TEXT_SIZE);
  sn_error err;
  if (text != NULL && setup->kinematics != NULL &&
      sn_system_get(setup->plain.system, sn_system_find(setup->plain.system, setup->kinematics),
                    "limits", text, TEXT_SIZE, &err) == SN_OK) {
    json_t *list = json_loads(text, 0, NULL);
    for (size_t i = 0; i < json_array_size(list); i++) {
      const json_t *item = json_array_get(list, i);
      const char *chain = json_string_value(json_object_get(item, "chain"));
      if (chain != NULL && strcmp(chain, l->motion->name.data) == 0) {
        set_limits(l, item);
      }
    }
    json_decref(list);
  }
  free(text);
}

static bool open_limb(const play_setup *setup, const sn_rigid_body_trajectory *motion,
                      sn_arena *arena, limb *out, play_result *result) {
  const int chain = sn_model_chain_index(setup->model, motion->name.data);
  const sn_chain *run = sn_model_chain(setup->model, (size_t)chain, true);
  const size_t n = run->joint_count;
  const sn_ik_config config = {.group = motion->name.data, .clock = &out->stopped};
  sn_error err = {.message = ""};
  *out = (limb){.motion = motion,
                .count = n,
                .joints = run->joints,
                .rows = SN_NEW(arena, double, CANDIDATES_MAX *n),
                .now = SN_NEW(arena, double, n),
                .next = SN_NEW(arena, double, n)};
  sn_clock_init_simulated(&out->stopped, 0);
  if (out->rows == NULL || out->now == NULL || out->next == NULL) {
    play_fail(result, SN_STEP_INTERNAL_ERROR, "out of memory");
    return false;
  }
  if (sn_ik_create(arena, setup->model, &config, &out->ik, &err) != SN_OK) {
    play_fail(result, SN_STEP_INVALID_END_EFFECTOR, "limb '%s': %s", motion->name.data,
              err.message);
    return false;
  }
  read_limits(setup, out);
  return true;
}

/* ---- solutions ---- */

static sn_pose pose_at(const limb *l, size_t point) {
  return sn_pose_from_msg(l->motion->points.data[point].pose);
}

/* All solutions at the first point. */
static size_t find_candidates(limb *l) {
  const sn_pose first = pose_at(l, 0);
  sn_ik_result found = {0};
  for (size_t i = 0; i < l->count; i++) {
    double lower = 0.0;
    double upper = 0.0;
    sn_ik_limits(l->ik, i, &lower, &upper);
    l->now[i] = fmax(lower, fmin(upper, 0.0));
  }
  const sn_ik_code code =
      sn_ik_get_all(l->ik, &first, 1, l->now, l->count, NULL, l->rows, CANDIDATES_MAX, &found);
  return code == SN_IK_OK ? found.solution_count : 0;
}

static double distance(const limb *l) {
  double worst = 0.0;
  for (size_t i = 0; i < l->count; i++) {
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
  memcpy(l->now, candidate, l->count * sizeof *l->now);
  for (size_t k = stride; k < points; k += stride) {
    const sn_pose target = pose_at(l, k);
    if (sn_ik_get_position(l->ik, &target, l->now, l->count, NULL, l->next) != SN_IK_OK) {
      worst += JUMP_RAD;
      continue;
    }
    worst = fmax(worst, distance(l));
    memcpy(l->now, l->next, l->count * sizeof *l->now);
  }
  return worst;
}

/* The bend of the knee: the joint that is bent most, with its sign. */
static double bend_of(const limb *l, const double *row) {
  double most = 0.0;
  for (size_t i = 0; i < l->count; i++) {
    most = fabs(row[i]) > fabs(most) ? row[i] : most;
  }
  return most;
}

/* Of equally good solutions all legs take the one that bends to the same side. */
static const double *choose(limb *l, size_t count) {
  const double *best = NULL;
  double best_cost = INFINITY;
  for (size_t i = 0; i < count; i++) {
    const double *row = l->rows + i * l->count;
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
    return false;
  }
  const double *best = choose(&l, find_candidates(&l));
  if (best == NULL) {
    play_fail(result, SN_STEP_INVALID_TRAJECTORY, "the first point of limb '%s' is out of reach",
              motion->name.data);
    return false;
  }
  for (size_t i = 0; i < l.count; i++) {
    start->q[l.joints[i]] = best[i];
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
    start->in_stance[sn_model_chain_index(setup->model, motion->name.data)] =
        motion->points.data[0].contact;
  }
  return true;
}
