#include "ik/closed/search/general_6r.h"

#include <math.h>

#include "sinew/random.h"

#define PI 3.14159265358979323846

/* Trials of a hidden joint, and how far from the pose that made the target a start may be. */
#define TRIALS 10
#define NEAR_RAD 1e-3
/* Of starts that may be false, those that are kept. */
#define STARTS_DOUBTFUL 32

/* Of random poses, how many are among the starts? */
static int score(const sn__arm *arm, const sn__elimination *g) {
  sn_random random;
  sn_random_init(&random, 3);
  int found_count = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    sn_pose move = sn_pose_identity();
    sn__turn turn[6];
    for (int i = 5; i >= 0; i--) {
      turn[i] = sn__turn_of(sn_random_between(&random, -PI, PI));
      const sn_vec3 h = arm->h[i], r = arm->r[i];
      move.rot.x = sn__turn_apply(turn[i], h, move.rot.x);
      move.rot.y = sn__turn_apply(turn[i], h, move.rot.y);
      move.rot.z = sn__turn_apply(turn[i], h, move.rot.z);
      move.pos = sn_vec3_add(r, sn__turn_apply(turn[i], h, sn_vec3_sub(move.pos, r)));
    }
    sn__branches branches;
    sn__branches_start(&branches, NULL);
    sn__elimination_solve(g, sn_pose_mul(move, arm->tip), &branches);
    bool found = false;
    for (int i = 0; i < branches.count && !found; i++) {
      found = true;
      for (int j = 0; j < 6; j++) {
        const sn__turn t = branches.turn[i][j];
        found = found && t.c * turn[j].c + t.s * turn[j].s > cos(NEAR_RAD);
      }
    }
    found_count += found ? 1 : 0;
  }
  return found_count;
}

bool sn__general_6r_choose(const sn__arm *arm, sn__general_choice *choice) {
  int best[SN__WAYS_MAX] = {0};
  *choice = (sn__general_choice){.count = 0};
  for (int k = 0; k < 6 && best[SN__WAYS_MAX - 1] < TRIALS; k++) {
    const sn__elimination_way way = {.reversed = k >= 3, .hidden = 2 - k % 3};
    sn__elimination g;
    const int found_count = sn__elimination_prepare(&g, arm, way) ? score(arm, &g) : 0;
    if (found_count < TRIALS - 1) {
      continue;
    }
    int at = choice->count < SN__WAYS_MAX ? choice->count++ : SN__WAYS_MAX;
    for (; at > 0 && best[at - 1] < found_count; at--) {
      if (at < SN__WAYS_MAX) {
        best[at] = best[at - 1];
        choice->way[at] = choice->way[at - 1];
      }
    }
    if (at < SN__WAYS_MAX) {
      best[at] = found_count;
      choice->way[at] = way;
    }
  }
  return choice->count > 0;
}

bool sn__general_6r_init(sn__general_6r *general, const sn__arm *arm,
                         const sn__general_choice *choice) {
  general->count = 0;
  for (int i = 0; i < choice->count; i++) {
    general->count +=
        sn__elimination_prepare(&general->by[general->count], arm, choice->way[i]) ? 1 : 0;
  }
  return general->count > 0;
}

int sn__general_6r_joint(const sn__general_6r *general) {
  const sn__elimination_way way = general->by[0].way;
  return way.reversed ? 5 - way.hidden : way.hidden;
}

void sn__general_6r_solve(const sn__general_6r *general, sn_pose target, sn__branches *out) {
  if (sn__elimination_solve(&general->by[0], target, out) || general->count < 2) {
    return;
  }
  const int kept = out->count < STARTS_DOUBTFUL ? out->count : STARTS_DOUBTFUL;
  out->count = kept;
  (void)sn__elimination_solve(&general->by[1], target, out);
}
