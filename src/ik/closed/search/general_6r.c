#include "ik/closed/search/general_6r.h"

#include <math.h>

#include "sinew/random.h"

#define PI 3.14159265358979323846

/* Trials of a hidden joint, and how far from the pose that made the target a start may be. */
#define TRIALS 10
#define NEAR_RAD 1e-3
/* Of starts that may be false, those that are kept. */
#define STARTS_DOUBTFUL 32

/* The arm of a loop opened elsewhere, with its target at @p move from its zero pose. */
static void shift_arm(const sn__arm *arm, const sn_pose *move, int shift, sn__arm *out) {
  *out = (sn__arm){.count = 6, .tip = sn_pose_identity()};
  const sn_pose back = sn_pose_inverse(*move);
  for (int i = 0; i < 6; i++) {
    const int from = (6 - shift + i) % 6;
    out->h[i] = i < shift ? arm->h[from] : sn_mat3_apply(back.rot, arm->h[from]);
    out->r[i] = i < shift ? arm->r[from] : sn_pose_apply(back, arm->r[from]);
  }
}

static bool solve_shifted(const sn__arm *arm, sn__elimination_way way, sn_pose target,
                          sn__branches *out) {
  const int first = out->count;
  const sn_pose move = sn_pose_mul(target, sn_pose_inverse(arm->tip));
  sn__arm shifted;
  sn__elimination elimination;
  shift_arm(arm, &move, way.shift, &shifted);
  if (!sn__elimination_prepare(&elimination, &shifted, way)) {
    return false;
  }
  const bool is_complete = sn__elimination_solve(&elimination, move, out);
  for (int i = first; i < out->count; i++) {
    sn__turn turn[6];
    for (int j = 0; j < 6; j++) {
      turn[(6 - way.shift + j) % 6] = out->turn[i][j];
    }
    for (int j = 0; j < 6; j++) {
      out->turn[i][j] = turn[j];
    }
  }
  return is_complete;
}

static bool solve_by(const sn__general_6r *general, int i, sn_pose target, sn__branches *out) {
  const sn__elimination *elimination = &general->by[i];
  return elimination->way.shift > 0 ? solve_shifted(&general->arm, elimination->way, target, out)
                                    : sn__elimination_solve(elimination, target, out);
}

void sn__general_6r_solve(const sn__general_6r *general, sn_pose target, sn__branches *out) {
  if (solve_by(general, 0, target, out) || general->count < 2) {
    return;
  }
  out->count = out->count < STARTS_DOUBTFUL ? out->count : STARTS_DOUBTFUL;
  (void)solve_by(general, 1, target, out);
}

bool sn__general_6r_init(sn__general_6r *general, const sn__arm *arm,
                         const sn__general_choice *choice) {
  general->count = 0;
  general->arm = *arm;
  for (int i = 0; i < choice->count; i++) {
    const sn__elimination_way way = choice->way[i];
    sn__elimination *by = &general->by[general->count];
    by->way = way;
    general->count += way.shift > 0 || sn__elimination_prepare(by, arm, way) ? 1 : 0;
  }
  return general->count > 0;
}

/* A pose of the arm, and the angles that make it. */
static sn_pose draw_pose(const sn__arm *arm, sn_random *random, sn__turn turn[6]) {
  sn_pose pose = arm->tip;
  for (int i = 5; i >= 0; i--) {
    const sn_vec3 h = arm->h[i], r = arm->r[i];
    turn[i] = sn__turn_of(sn_random_between(random, -PI, PI));
    pose.rot.x = sn__turn_apply(turn[i], h, pose.rot.x);
    pose.rot.y = sn__turn_apply(turn[i], h, pose.rot.y);
    pose.rot.z = sn__turn_apply(turn[i], h, pose.rot.z);
    pose.pos = sn_vec3_add(r, sn__turn_apply(turn[i], h, sn_vec3_sub(pose.pos, r)));
  }
  return pose;
}

static bool is_among(const sn__branches *branches, const sn__turn turn[6]) {
  bool found = false;
  for (int i = 0; i < branches->count && !found; i++) {
    found = true;
    for (int j = 0; j < 6; j++) {
      const sn__turn t = branches->turn[i][j];
      found = found && t.c * turn[j].c + t.s * turn[j].s > 1.0 - 0.5 * NEAR_RAD * NEAR_RAD;
    }
  }
  return found;
}

/* Of random poses, how many are among the starts? */
static int score(const sn__arm *arm, sn__elimination_way way) {
  const sn__general_choice only = {.count = 1, .way = {way}};
  sn__general_6r general;
  sn_random random;
  sn_random_init(&random, 3);
  int found_count = 0;
  if (!sn__general_6r_init(&general, arm, &only)) {
    return 0;
  }
  for (int trial = 0; trial < TRIALS; trial++) {
    sn__turn turn[6];
    const sn_pose target = draw_pose(arm, &random, turn);
    sn__branches branches;
    sn__branches_start(&branches, NULL);
    sn__general_6r_solve(&general, target, &branches);
    found_count += is_among(&branches, turn) ? 1 : 0;
  }
  return found_count;
}

/* Keep the choice sorted. */
static void insert(sn__general_choice *choice, int best[SN__WAYS_MAX], sn__elimination_way way,
                   int found_count) {
  int at = choice->count;
  if (at == SN__WAYS_MAX) {
    if (best[--at] >= found_count) {
      return;
    }
  } else {
    choice->count++;
  }
  for (; at > 0 && best[at - 1] < found_count; at--) {
    best[at] = best[at - 1];
    choice->way[at] = choice->way[at - 1];
  }
  best[at] = found_count;
  choice->way[at] = way;
}

bool sn__general_6r_choose(const sn__arm *arm, sn__general_choice *choice) {
  int best[SN__WAYS_MAX] = {0};
  *choice = (sn__general_choice){.count = 0};
  for (int shift = 0; shift < 6 && choice->count == 0; shift++) { /* a shift costs time */
    for (int k = 0; k < 6 && best[SN__WAYS_MAX - 1] < TRIALS; k++) {
      const sn__elimination_way way = {.shift = shift, .reversed = k >= 3, .hidden = 2 - k % 3};
      const int found_count = score(arm, way);
      if (found_count >= TRIALS - 1) {
        insert(choice, best, way, found_count);
      }
    }
  }
  return choice->count > 0;
}

int sn__general_6r_joint(const sn__general_6r *general) {
  const sn__elimination_way way = general->by[0].way;
  const int joint = way.reversed ? 5 - way.hidden : way.hidden;
  return (6 - way.shift + joint) % 6;
}
