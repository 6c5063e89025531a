#include <math.h>
#include <string.h>

#include "ik/ik.h"
#include "ik/offer_known.h"
#include "sinew/kin.h"

#define PI 3.14159265358979323846

/* A candidate outside a limit by rounding is moved onto it. */
static const double LIMIT_SLACK = 1e-9;
/* A solver that stops exactly at the tolerance must not fail because another formula rounds
 * differently. */
static const double TOLERANCE_SLACK = 1.0 + 1e-6;
/* Solutions closer than this in every joint are one: near a singularity a pose known to 1e-6 fixes
   a joint to its root only. */
static const double SAME_SOLUTION = 1e-3;

void sn__ik_follow(const sn_ik *ik, double *q) {
  if (!ik->has_followers) {
    return;
  }
  for (size_t i = 0; i < ik->setup.joint_count; i++) {
    const sn__ik_joint *j = &ik->joints[i];
    if (j->master >= 0) {
      q[i] = j->multiplier * q[j->master] + j->offset;
    }
  }
}

/* Angle between two rotations: columns crossed give 2 sin(angle) times the axis, columns dotted
   give 1 + 2 cos(angle). */
static double rotation_angle(const sn_mat3 *a, const sn_mat3 *b) {
  const sn_vec3 twice_sine = sn_vec3_add(
      sn_vec3_cross(a->x, b->x), sn_vec3_add(sn_vec3_cross(a->y, b->y), sn_vec3_cross(a->z, b->z)));
  const double twice_cosine =
      sn_vec3_dot(a->x, b->x) + sn_vec3_dot(a->y, b->y) + sn_vec3_dot(a->z, b->z) - 1.0;
  const double sine = 0.5 * sn_vec3_norm(twice_sine);
  if (twice_cosine > 0.0 && sine < 1e-4) {
    return sine; /* the arc is longer by less than 2e-9 of itself */
  }
  return atan2(sine, 0.5 * twice_cosine);
}

static double norm_of_fixed(sn_vec3 v, bool x_free, bool y_free, bool z_free) {
  const double x = x_free ? 0.0 : v.x;
  const double y = y_free ? 0.0 : v.y;
  const double z = z_free ? 0.0 : v.z;
  return sqrt(x * x + y * y + z * z);
}

static double position_error(const sn_pose *target, const sn_pose *tip, unsigned free_axes) {
  const sn_vec3 offset = sn_vec3_sub(tip->pos, target->pos);
  if ((free_axes & (SN_IK_FREE_X | SN_IK_FREE_Y | SN_IK_FREE_Z)) == 0) {
    return sn_vec3_norm(offset);
  }
  return norm_of_fixed(sn_mat3_apply_transposed(target->rot, offset),
                       (free_axes & SN_IK_FREE_X) != 0, (free_axes & SN_IK_FREE_Y) != 0,
                       (free_axes & SN_IK_FREE_Z) != 0);
}

static double rotation_error(const sn_pose *target, const sn_pose *tip, unsigned free_axes) {
  const unsigned free_rotation = free_axes & SN_IK_FREE_ROTATION;
  if (free_rotation == 0) {
    return rotation_angle(&target->rot, &tip->rot);
  }
  if (free_rotation == SN_IK_FREE_ROTATION) {
    return 0.0;
  }
  const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(sn_mat3_transpose(target->rot), tip->rot));
  return norm_of_fixed(turn, (free_axes & SN_IK_FREE_RX) != 0, (free_axes & SN_IK_FREE_RY) != 0,
                       (free_axes & SN_IK_FREE_RZ) != 0);
}

void sn__ik_errors(const sn_ik *ik, unsigned free_axes, const double *q, double *position_m,
                   double *rotation_rad) {
  *position_m = 0.0;
  *rotation_rad = 0.0;
  for (size_t t = 0; t < ik->setup.tip_count; t++) {
    const sn_ik_tip *tip = &ik->setup.tips[t];
    const double *chain_q = q; /* with one tip, the group is the chain */
    if (ik->setup.tip_count > 1) {
      for (size_t i = 0; i < tip->chain->joint_count; i++) {
        ik->chain_q[i] = q[tip->joints[i]];
      }
      chain_q = ik->chain_q;
    }
    const sn_pose pose = sn_chain_fk(tip->chain, chain_q);
    /* In this order NaN is kept; fmax() would drop it. */
    const double position = position_error(&ik->targets[t], &pose, free_axes);
    const double rotation = rotation_error(&ik->targets[t], &pose, free_axes);
    *position_m = position <= *position_m ? *position_m : position;
    *rotation_rad = rotation <= *rotation_rad ? *rotation_rad : rotation;
  }
}

/* The turn nearest to the seed, or the next one that the limits allow. */
static double nearest_turn(double q, double seed, double lower, double upper) {
  if (fabs(q - seed) > PI) {
    q += 2.0 * PI * round((seed - q) / (2.0 * PI));
  }
  if (q < lower - LIMIT_SLACK) {
    q += 2.0 * PI;
  } else if (q > upper + LIMIT_SLACK) {
    q -= 2.0 * PI;
  }
  return q;
}

/* @return false if the joint is outside its limits, by more than rounding, or not a number */
static bool put_inside(sn_ik *ik, size_t i) {
  const double x = ik->candidate[i];
  const double lower = ik->query_lower[i];
  const double upper = ik->query_upper[i];
  if (!(x >= lower - LIMIT_SLACK && x <= upper + LIMIT_SLACK)) {
    return false;
  }
  ik->candidate[i] = sn__ik_clamp(x, lower, upper);
  return true;
}

/* Is a candidate already in the turns that the query prefers, and inside the limits? */
static bool is_settled(const sn_ik *ik, const double *q) {
  bool good = true;
  for (size_t i = 0; i < ik->setup.joint_count; i++) { /* no branch: most candidates are good */
    good &= (fabs(q[i] - ik->seed[i]) <= PI) & (q[i] >= ik->query_lower[i]) &
            (q[i] <= ik->query_upper[i]);
  }
  return good;
}

/* Copy a candidate into ik->candidate, each joint in the turn that the query prefers. */
static bool settle(const sn__ik_run *run, const double *q) {
  sn_ik *ik = run->ik;
  const size_t n = ik->setup.joint_count;
  if (!run->has_locked && !ik->has_followers && is_settled(ik, q)) {
    memcpy(ik->candidate, q, n * sizeof *q);
    return true;
  }
  for (size_t i = 0; i < n; i++) {
    double x = q[i];
    if (ik->locked[i]) {
      x = ik->start[i];
    } else if (ik->joints[i].turns) {
      x = nearest_turn(x, ik->seed[i], ik->query_lower[i], ik->query_upper[i]);
    }
    ik->candidate[i] = x;
  }
  sn__ik_follow(ik, ik->candidate);
  for (size_t i = 0; i < n; i++) {
    if (!put_inside(ik, i)) {
      return false;
    }
  }
  return true;
}

static double distance_squared(const double *a, const double *b, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sum;
}

static double measured_distance(const sn__ik_run *run, const double *q) {
  const sn_ik_options *options = run->options;
  double sum = 0.0;
  double largest = 0.0;
  for (size_t i = 0; i < run->ik->setup.joint_count; i++) {
    const double weight = options->weights == NULL ? 1.0 : options->weights[i];
    const double d = weight * fabs(q[i] - run->ik->seed[i]);
    sum += options->measure == SN_IK_EUCLIDEAN ? d * d : d;
    largest = d > largest ? d : largest;
  }
  return options->measure == SN_IK_LEAST_LARGEST ? largest : sum;
}

double sn__ik_rank(const sn__ik_run *run, const double *q) {
  const sn_ik *ik = run->ik;
  if (!run->is_ranked) {
    return distance_squared(q, ik->seed, ik->setup.joint_count);
  }
  if (run->options->cost == NULL) {
    return measured_distance(run, q);
  }
  const double cost = run->options->cost(run->options->cost_context, ik->targets, q);
  return isnan(cost) ? INFINITY : cost;
}

/* Without a branch: which of the joints differ is not to be predicted. */
static bool is_same(const double *a, const double *b, size_t n) {
  bool same = true;
  for (size_t i = 0; i < n; i++) {
    same &= fabs(a[i] - b[i]) <= SAME_SOLUTION;
  }
  return same;
}

/* The ranks of the best and the worst one are known; a cost may be expensive. */
static double rank_of_row(const sn__ik_run *run, size_t row) {
  const size_t count = run->ik->result.solution_count;
  const double *q = run->goal.solutions + row * run->ik->setup.joint_count;
  return row == 0 ? run->nearest : row + 1 == count ? run->farthest : sn__ik_rank(run, q);
}

/* The ranks of the ends follow from the rows. */
static void rank_ends(sn__ik_run *run) {
  const size_t n = run->ik->setup.joint_count, count = run->ik->result.solution_count;
  if (count > 0) {
    run->nearest = sn__ik_rank(run, run->goal.solutions);
    run->farthest = sn__ik_rank(run, run->goal.solutions + (count - 1) * n);
  }
}

static void remove_row(sn__ik_run *run, size_t row) {
  const size_t n = run->ik->setup.joint_count;
  double *rows = run->goal.solutions;
  run->ik->result.solution_count--;
  memmove(rows + row * n, rows + (row + 1) * n,
          (run->ik->result.solution_count - row) * n * sizeof *rows);
  rank_ends(run);
}

/* Put ik->candidate into a row; the last row falls out if all are taken. */
static void insert_row(sn__ik_run *run, size_t row, double rank) {
  sn_ik *ik = run->ik;
  const size_t n = ik->setup.joint_count, count = ik->result.solution_count;
  double *rows = run->goal.solutions;
  const bool is_full = count == run->goal.capacity;
  memmove(rows + (row + 1) * n, rows + row * n,
          (count - row - (is_full ? 1 : 0)) * n * sizeof *rows);
  memcpy(rows + row * n, ik->candidate, n * sizeof *rows);
  ik->result.solution_count += is_full ? 0 : 1;
  run->nearest = row == 0 ? rank : run->nearest;
  if (row + 1 == ik->result.solution_count) {
    run->farthest = rank;
  } else if (is_full) {
    rank_ends(run);
  }
}

/* Does the rank alone show that a candidate is none of those that are kept? Distances of equal
 * solutions from the seed differ by less than these do. */
static bool is_beyond(const sn__ik_run *run, double rank) {
  const double apart = SAME_SOLUTION * sqrt((double)run->ik->setup.joint_count);
  return !run->is_ranked && rank > run->farthest + apart * (2.0 * sqrt(run->farthest) + apart);
}

static void note_errors(sn_ik_result *result, double position_m, double rotation_rad) {
  result->position_error_m = position_m;
  result->rotation_error_rad = rotation_rad;
}

/* Insert ik->candidate into the solutions, which are sorted by rank. @return whether it is new */
static bool keep(sn__ik_run *run, double position_m, double rotation_rad) {
  const size_t n = run->ik->setup.joint_count;
  const double rank = sn__ik_rank(run, run->ik->candidate);
  bool is_new = true;
  const size_t compared = is_beyond(run, rank) ? 0 : run->ik->result.solution_count;
  for (size_t i = 0; is_new && i < compared; i++) {
    if (is_same(run->goal.solutions + i * n, run->ik->candidate, n)) {
      if (rank_of_row(run, i) <= rank) {
        return false;
      }
      remove_row(run, i);
      is_new = false;
    }
  }
  size_t row = run->ik->result.solution_count;
  while (row > 0 && rank_of_row(run, row - 1) > rank) {
    row--;
  }
  if (row < run->goal.capacity) {
    insert_row(run, row, rank);
    if (row == 0) {
      note_errors(&run->ik->result, position_m, rotation_rad);
    }
  }
  return is_new;
}

static bool is_true(const sn_ik *ik, double position_m, double rotation_rad) {
  return position_m <= ik->position_tolerance_m * TOLERANCE_SLACK &&
         rotation_rad <= ik->rotation_tolerance_rad * TOLERANCE_SLACK;
}

static bool is_refused(const sn__ik_run *run) {
  sn_ik *ik = run->ik;
  const sn_ik_options *options = run->options;
  if (options->callback == NULL ||
      options->callback(options->callback_context, ik->targets, ik->candidate)) {
    return false;
  }
  ik->result.refused_count++;
  ik->result.refusal_code = options->callback_code == NULL ? 0 : *options->callback_code;
  return true;
}

/* Judge ik->candidate, which is inside the limits and misses the targets by this much.
   @return true to continue the search */
static bool judge(sn__ik_run *run, double position_m, double rotation_rad) {
  sn_ik *ik = run->ik;
  if (!is_true(ik, position_m, rotation_rad)) {
    ik->result.untrue_count++;
    return true;
  }
  if (is_refused(run)) {
    return true;
  }
  if (!run->goal.first) {
    if (keep(run, position_m, rotation_rad)) {
      run->found_count++;
    } else {
      ik->result.searched_count--; /* each solution counts once, however often it is found */
    }
    return true;
  }
  run->found_count++;
  memcpy(run->goal.solutions, ik->candidate, ik->setup.joint_count * sizeof *ik->candidate);
  ik->result.solution_count = 1;
  note_errors(&ik->result, position_m, rotation_rad);
  run->stopped = true;
  return false;
}

/* @return false if the candidate is outside the limits */
static bool take_candidate(const sn__ik_run *run, const double *q) {
  sn_ik *ik = run->ik;
  ik->result.searched_count++;
  if (settle(run, q)) {
    return true;
  }
  ik->result.outside_limits_count++;
  return false;
}

bool sn__ik_offer(void *context, const double *q) {
  sn__ik_run *run = context;
  if (!take_candidate(run, q)) {
    return true;
  }
  double position_m;
  double rotation_rad;
  sn__ik_errors(run->ik, run->options->free_axes, run->ik->candidate, &position_m, &rotation_rad);
  return judge(run, position_m, rotation_rad);
}

bool sn__ik_offer_known(const sn_ik_query *query, const double *q, double position_m,
                        double rotation_rad) {
  if (query->offer != sn__ik_offer) {
    return query->offer(query->context, q);
  }
  sn__ik_run *run = query->context;
  return !take_candidate(run, q) || judge(run, position_m, rotation_rad);
}
