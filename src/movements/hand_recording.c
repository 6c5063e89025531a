#include "movements/hand_recording.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

enum { POINTS_MAX = 1000 }; /* of a trajectory; longer ones are coarser */

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

/* ---- clean-up ---- */

/* Some joints of a recording, without the rests at both ends. */
typedef struct cut {
  const sn__hand_recording *from;
  const int *joints;
  size_t joint_count;
  size_t first, last; /* samples */
  double width_s;     /* of the smoothing */
} cut;

static double sample_of(const cut *c, size_t sample, size_t joint) {
  return c->from->q[sample * c->from->joint_count + (size_t)c->joints[joint]];
}

static double time_of(const cut *c, size_t sample) {
  return 1e-9 * (double)c->from->time_ns[sample];
}

static bool has_moved(const cut *c, size_t from, size_t sample, double tolerance) {
  for (size_t i = 0; i < c->joint_count; i++) {
    if (fabs(sample_of(c, sample, i) - sample_of(c, from, i)) > tolerance) {
      return true;
    }
  }
  return false;
}

/* A little of each rest stays, so that the motion begins and ends smoothly. Without a motion all of
   it stays. */
static void trim(cut *c, double tolerance) {
  const int64_t margin_ns = (int64_t)(3e9 * c->width_s);
  const size_t end = c->from->count - 1;
  size_t begins = 0, ends = end;
  while (begins < end && !has_moved(c, 0, begins, tolerance)) {
    begins++;
  }
  while (ends > 0 && !has_moved(c, end, ends, tolerance)) {
    ends--;
  }
  c->first = 0;
  c->last = end;
  if (begins == end) {
    return;
  }
  c->first = begins;
  while (c->first > 0 && c->from->time_ns[begins] - c->from->time_ns[c->first] < margin_ns) {
    c->first--;
  }
  c->last = ends;
  while (c->last < end && c->from->time_ns[c->last] - c->from->time_ns[ends] < margin_ns) {
    c->last++;
  }
}

/* The mean of the samples around a time, with weights of a bell; before the first and behind the
   last sample the joint rests. */
static double smoothed(const cut *c, size_t joint, double t_s) {
  const double step_s = 1e-9 * (double)c->from->interval_ns;
  const ptrdiff_t reach = (ptrdiff_t)ceil(3.0 * c->width_s / step_s);
  const ptrdiff_t near = (ptrdiff_t)floor((t_s - time_of(c, c->first)) / step_s);
  double sum = 0.0, weights = 0.0;
  for (ptrdiff_t k = near - reach; k <= near + reach + 1; k++) {
    const ptrdiff_t inside = k < 0 ? 0 : k;
    const size_t sample = (size_t)inside + c->first > c->last ? c->last : (size_t)inside + c->first;
    const double away = (t_s - time_of(c, c->first) - (double)k * step_s) / c->width_s;
    const double weight = exp(-0.5 * away * away);
    sum += weight * sample_of(c, sample, joint);
    weights += weight;
  }
  return sum / weights;
}

/* ---- trajectory ---- */

/* Position, velocity and acceleration of the smoothed motion; it begins and ends at rest. */
static void fill_point(const cut *c, double t_s, bool is_end, sn_joint_trajectory_point *point) {
  const double h = 1e-9 * (double)c->from->interval_ns;
  point->positions.count = point->velocities.count = point->accelerations.count = c->joint_count;
  for (size_t i = 0; i < c->joint_count; i++) {
    const double before = smoothed(c, i, t_s - h), here = smoothed(c, i, t_s),
                 after = smoothed(c, i, t_s + h);
    point->positions.data[i] = here;
    point->velocities.data[i] = is_end ? 0.0 : (after - before) / (2.0 * h);
    point->accelerations.data[i] = is_end ? 0.0 : (after - 2.0 * here + before) / (h * h);
  }
}

static void fill(const cut *c, const sn_model *model, size_t points, sn_joint_trajectory *t) {
  const double begin_s = time_of(c, c->first), length_s = time_of(c, c->last) - begin_s;
  for (size_t i = 0; i < c->joint_count; i++) {
    const char *name = sn_model_joint(model, (size_t)c->joints[i])->name;
    (void)sn_msg_names_add(&t->joint_names, name, strlen(name)); /* the room is theirs */
  }
  t->points.count = points;
  for (size_t k = 0; k < points; k++) {
    const double t_s = length_s * (double)k / (double)(points - 1);
    t->points.data[k].time_from_start_ns = llround(1e9 * t_s);
    fill_point(c, begin_s + t_s, k == 0 || k + 1 == points, &t->points.data[k]);
  }
}

sn_trajectory_goal *sn__hand_recording_trajectory(const sn__hand_recording *recording,
                                                  const sn_model *model, const int *joints,
                                                  size_t joint_count,
                                                  const sn__hand_cleaning *cleaning,
                                                  sn_arena *arena, sn_error *err) {
  const double step_s = 1e-9 * (double)recording->interval_ns;
  cut c = {.from = recording,
           .joints = joints,
           .joint_count = joint_count,
           .width_s = fmax(cleaning->smoothing_s, 0.5 * step_s)};
  if (recording->count < 2) {
    (void)sn__fail(err, SN_EINVAL, "nothing was measured");
    return NULL;
  }
  trim(&c, cleaning->rest_tolerance);
  const double length_s = time_of(&c, c.last) - time_of(&c, c.first);
  const double points_s = fmax(fmax(2.5 * c.width_s, step_s), length_s / (POINTS_MAX - 1));
  const size_t points = 2 + (size_t)(length_s / points_s);
  const sn_msg_capacity room = {.item_count = points > joint_count ? points : joint_count,
                                .text_size = 128};
  sn_trajectory_goal *goal = sn_msg_create(arena, &sn_trajectory_goal_type, &room);
  if (goal == NULL) {
    (void)sn__fail(err, SN_ENOMEM, "no memory for %zu points", points);
  } else {
    fill(&c, model, points, &goal->trajectory);
  }
  return goal;
}
