#include "movements/hand_recording.h"

#include <math.h>
#include <string.h>

enum { POINTS_MAX = 500 }; /* of a trajectory; more noise is left out instead */

bool sn__hand_recording_create(sn_arena *arena, size_t joint_count, double interval_s,
                               double duration_max_s, sn__hand_recording *out) {
  const size_t capacity = 2 + (size_t)(duration_max_s / interval_s);
  *out = (sn__hand_recording){.joint_count = joint_count,
                              .capacity = capacity,
                              .interval_ns = (int64_t)llround(1e9 * interval_s),
                              .time_ns = SN_NEW(arena, int64_t, capacity),
                              .q = SN_NEW(arena, double, capacity *joint_count)};
  return out->time_ns != NULL && out->q != NULL;
}

void sn__hand_recording_reset(sn__hand_recording *recording) {
  recording->count = 0;
}

bool sn__hand_recording_take(sn__hand_recording *recording, const double *q, int64_t now_ns) {
  if (recording->count == 0) {
    recording->start_ns = recording->next_ns = now_ns;
  }
  if (now_ns < recording->next_ns) {
    return true;
  }
  if (recording->count == recording->capacity) {
    return false;
  }
  recording->next_ns += recording->interval_ns;
  recording->time_ns[recording->count] = now_ns - recording->start_ns;
  memcpy(recording->q + recording->count * recording->joint_count, q,
         recording->joint_count * sizeof *q);
  recording->count++;
  return true;
}

/* ---- fewer points ---- */

typedef struct reduction {
  const sn__hand_recording *from;
  const int *joints;
  size_t joint_count;
  bool *is_kept; /* [samples] */
} reduction;

/* How far a sample is from the line between two others. */
static double distance(const reduction *r, size_t first, size_t last, size_t sample) {
  const sn__hand_recording *s = r->from;
  const double share = (double)(s->time_ns[sample] - s->time_ns[first]) /
                       (double)(s->time_ns[last] - s->time_ns[first]);
  double worst = 0.0;
  for (size_t i = 0; i < r->joint_count; i++) {
    const size_t j = (size_t)r->joints[i];
    const double a = s->q[first * s->joint_count + j];
    const double b = s->q[last * s->joint_count + j];
    worst = fmax(worst, fabs(s->q[sample * s->joint_count + j] - (a + share * (b - a))));
  }
  return worst;
}

/* U. Ramer (1972), D. Douglas and T. Peucker (1973): split at the farthest sample until all are
   near their line. Kept samples mark the segments, so that nothing is stacked. */
static void reduce(const reduction *r, double tolerance) {
  size_t first = 0;
  while (first + 1 < r->from->count) {
    size_t last = first + 1;
    while (!r->is_kept[last]) {
      last++;
    }
    size_t farthest = first;
    double worst = tolerance;
    for (size_t k = first + 1; k < last; k++) {
      const double d = distance(r, first, last, k);
      if (d > worst) {
        worst = d;
        farthest = k;
      }
    }
    if (farthest == first) {
      first = last;
    } else {
      r->is_kept[farthest] = true;
    }
  }
}

/* @return how many are kept */
static size_t reduce_to(const reduction *r, double tolerance) {
  const size_t count = r->from->count;
  memset(r->is_kept, 0, count * sizeof *r->is_kept);
  r->is_kept[0] = r->is_kept[count - 1] = true;
  reduce(r, tolerance);
  size_t points = 0;
  for (size_t k = 0; k < count; k++) {
    points += r->is_kept[k];
  }
  return points;
}

static void fill(const reduction *r, const sn_model *model, sn_joint_trajectory *t) {
  const sn__hand_recording *s = r->from;
  for (size_t i = 0; i < r->joint_count; i++) {
    const char *name = sn_model_joint(model, (size_t)r->joints[i])->name;
    (void)sn_msg_names_add(&t->joint_names, name, strlen(name)); /* the room is theirs */
  }
  for (size_t k = 0; k < s->count; k++) {
    if (!r->is_kept[k]) {
      continue;
    }
    sn_joint_trajectory_point *point = &t->points.data[t->points.count++];
    point->time_from_start_ns = s->time_ns[k];
    point->positions.count = r->joint_count;
    for (size_t i = 0; i < r->joint_count; i++) {
      point->positions.data[i] = s->q[k * s->joint_count + (size_t)r->joints[i]];
    }
  }
}

sn_trajectory_goal *sn__hand_recording_trajectory(const sn__hand_recording *recording,
                                                  const sn_model *model, const int *joints,
                                                  size_t joint_count, double tolerance,
                                                  sn_arena *arena) {
  const reduction r = {.from = recording,
                       .joints = joints,
                       .joint_count = joint_count,
                       .is_kept = SN_NEW(arena, bool, recording->count)};
  if (recording->count < 2 || r.is_kept == NULL) {
    return NULL;
  }
  size_t points = reduce_to(&r, tolerance);
  while (points > POINTS_MAX) {
    points = reduce_to(&r, tolerance *= 1.5);
  }
  const sn_msg_capacity room = {.item_count = points > joint_count ? points : joint_count,
                                .text_size = 128};
  sn_trajectory_goal *goal = sn_msg_create(arena, &sn_trajectory_goal_type, &room);
  if (goal != NULL) {
    fill(&r, model, &goal->trajectory);
  }
  return goal;
}
