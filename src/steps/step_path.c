#include "steps/step_path.h"

#include <math.h>

#include "math/rotation.h"

/* Points closer than this sample a motion. */
static const double SAMPLE_MAX_S = 0.1;
/* Larger differences between twists and positions are contradictions, m/s. */
static const double MISMATCH_MAX = 0.01;
/* Within which a foot gets its clearance. */
static const double RISE_S = 0.06;

bool sn__step_sequence_create(sn_arena *arena, size_t point_count, size_t limb_count,
                              sn__step_sequence *out) {
  *out = (sn__step_sequence){.point_count = point_count, .limb_count = limb_count};
  out->times = SN_NEW(arena, double, point_count);
  out->base = SN_NEW(arena, sn__step_point, point_count);
  out->limbs = SN_NEW(arena, sn__step_limb, limb_count);
  bool is_good = out->times != NULL && out->base != NULL && out->limbs != NULL;
  for (size_t i = 0; is_good && i < limb_count; i++) {
    out->limbs[i].points = SN_NEW(arena, sn__step_point, point_count);
    is_good = out->limbs[i].points != NULL;
  }
  return is_good;
}

/* ---- points in the frame of the sequence ---- */

static void append(sn__step_track *track, double time_s, const sn__step_motion *point) {
  track->times[track->count] = time_s;
  track->points[track->count++] = *point;
}

static void read_base(const sn__step_sequence *sequence, sn__step_track *out) {
  for (size_t k = 0; k < sequence->point_count; k++) {
    sn__step_motion m = {.pose = sn_pose_identity()};
    if (sequence->base != NULL) {
      m.pose = sequence->base[k].pose;
      m.twist = sequence->base[k].twist;
    }
    append(out, sequence->times[k], &m);
  }
}

static sn__step_motion foot_of(const sn__step_point *point, const sn__step_motion *base) {
  const sn_mat3 rot = base->pose.rot;
  const sn_vec3 arm = sn_mat3_apply(rot, point->pose.pos);
  const sn_vec3 carried = sn_vec3_cross(base->twist.ang, arm);
  const sn_vec3 own = sn_mat3_apply(rot, point->twist.lin);
  sn__step_motion m = {.pose = sn_pose_mul(base->pose, point->pose), .contact = point->contact};
  m.twist.ang = sn_vec3_add(base->twist.ang, sn_mat3_apply(rot, point->twist.ang));
  if (!point->contact) {
    m.twist.lin = sn_vec3_add(base->twist.lin, sn_vec3_add(carried, own));
  }
  return m;
}

/* The point half way between two, of which one is in contact: the foot is there still, or already.
   It turns on the spot. */
static sn__step_motion half_way(const sn__step_motion *a, const sn__step_motion *b) {
  sn__step_motion m = a->contact ? *a : *b;
  const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(b->pose.rot, sn_mat3_transpose(a->pose.rot)));
  m.pose.rot = sn_mat3_mul(sn__mat3_exp(sn_vec3_scale(turn, 0.5)), a->pose.rot);
  m.twist.ang = sn_vec3_scale(sn_vec3_add(a->twist.ang, b->twist.ang), 0.5);
  return m;
}

/* The place of a contact is that where it began. */
static void read_foot(const sn__step_sequence *sequence, const sn__step_point *points,
                      const sn__step_track *base, sn__step_track *out) {
  for (size_t k = 0; k < sequence->point_count; k++) {
    const double time_s = sequence->times[k];
    sn__step_motion m = foot_of(&points[k], &base->points[k]);
    if (k > 0) {
      const sn__step_motion *last = &out->points[out->count - 1];
      if (m.contact != last->contact) {
        const sn__step_motion middle = half_way(last, &m);
        append(out, 0.5 * (sequence->times[k - 1] + time_s), &middle);
      } else if (m.contact) {
        m.pose.pos = last->pose.pos;
      }
    }
    append(out, time_s, &m);
  }
}

/* ---- velocities from positions ---- */

/* Velocities of the cubic spline through the positions of points `first` to `last`, whose own
   velocities stay: de Boor, "A Practical Guide to Splines", chapter IV. */
static void spline(const double *times, const sn__step_motion *points, size_t first, size_t last,
                   double *pivot, sn_vec3 *velocity) {
  velocity[first] = points[first].twist.lin;
  velocity[last] = points[last].twist.lin;
  pivot[first] = 0.0;
  for (size_t k = first + 1; k < last; k++) {
    const double a = 1.0 / (times[k] - times[k - 1]), b = 1.0 / (times[k + 1] - times[k]);
    const sn_vec3 left = sn_vec3_sub(points[k].pose.pos, points[k - 1].pose.pos);
    const sn_vec3 right = sn_vec3_sub(points[k + 1].pose.pos, points[k].pose.pos);
    const sn_vec3 sum =
        sn_vec3_add(sn_vec3_scale(left, 3 * a * a), sn_vec3_scale(right, 3 * b * b));
    const double d = 2 * (a + b) - a * pivot[k - 1];
    pivot[k] = b / d;
    velocity[k] = sn_vec3_scale(sn_vec3_add_scaled(sum, -a, velocity[k - 1]), 1.0 / d);
  }
  for (size_t k = last; k-- > first + 1;) {
    velocity[k] = sn_vec3_add_scaled(velocity[k], -pivot[k], velocity[k + 1]);
  }
}

static bool is_sampled(const sn__step_sequence *sequence) {
  double gap = 0.0;
  for (size_t k = 1; k < sequence->point_count; k++) {
    gap = fmax(gap, sequence->times[k] - sequence->times[k - 1]);
  }
  return gap <= SAMPLE_MAX_S;
}

/* Replace velocities that contradict the positions. Feet keep those of contacts, which are 0. */
static void mend(sn__step_track *track, double *pivot, sn_vec3 *velocity, double *mismatch) {
  double worst = 0.0;
  for (size_t first = 0, last; first + 1 < track->count; first = last) {
    last = first + 1;
    while (last + 1 < track->count && !track->points[last].contact) {
      last++;
    }
    spline(track->times, track->points, first, last, pivot, velocity);
  }
  for (size_t k = 0; k < track->count; k++) {
    worst = fmax(worst, sn_vec3_norm(sn_vec3_sub(velocity[k], track->points[k].twist.lin)));
  }
  for (size_t k = 0; worst > MISMATCH_MAX && k < track->count; k++) {
    track->points[k].twist.lin = velocity[k];
  }
  *mismatch = fmax(*mismatch, worst > MISMATCH_MAX ? worst : 0.0);
}

/* ---- clearance ---- */

/* From 0 to 1 within a rise time, and its rate. */
static double rise_at(double time_s, double rise_s, double *rate) {
  const double u = fmin(fmax(time_s / rise_s, 0.0), 1.0);
  *rate = 6.0 * u * (1.0 - u) / rise_s;
  return u * u * (3.0 - 2.0 * u);
}

/* Raise the points of a swing from `first` to `last`, which touch the ground. */
static void raise_swing(sn__step_track *track, size_t first, size_t last, double clearance_m) {
  const double begin_s = track->times[first], end_s = track->times[last];
  const double rise_s = fmin(RISE_S, 0.25 * (end_s - begin_s));
  for (size_t k = first + 1; k < last; k++) {
    double up, down;
    const double a = rise_at(track->times[k] - begin_s, rise_s, &up);
    const double b = rise_at(end_s - track->times[k], rise_s, &down);
    track->points[k].pose.pos.z += clearance_m * a * b;
    track->points[k].twist.lin.z += clearance_m * (up * b - a * down);
  }
}

static void raise_feet(sn__step_track *track, double clearance_m) {
  size_t first = 0;
  for (size_t k = 0; k < track->count; k++) {
    if (track->points[k].contact) {
      if (k > first + 1 && track->points[first].contact) {
        raise_swing(track, first, k, clearance_m);
      }
      first = k;
    }
  }
}

static bool create_track(sn_arena *arena, size_t room, sn__step_track *track) {
  track->count = 0;
  track->times = SN_NEW(arena, double, room);
  track->points = SN_NEW(arena, sn__step_motion, room);
  return track->times != NULL && track->points != NULL;
}

bool sn__step_path_create(sn_arena *arena, const sn__step_sequence *sequence, double clearance_m,
                          sn__step_path *out) {
  const size_t n = sequence->point_count, room = 2 * n;
  *out = (sn__step_path){.limb_count = sequence->limb_count,
                         .duration_s = sequence->times[n - 1],
                         .feet = SN_NEW(arena, sn__step_track, sequence->limb_count),
                         .has_base = sequence->base != NULL};
  double *pivot = SN_NEW(arena, double, room);
  sn_vec3 *velocity = SN_NEW(arena, sn_vec3, room);
  if (out->feet == NULL || pivot == NULL || velocity == NULL ||
      !create_track(arena, n, &out->base)) {
    return false;
  }
  const bool must_mend = is_sampled(sequence);
  read_base(sequence, &out->base);
  if (must_mend) {
    mend(&out->base, pivot, velocity, &out->twist_mismatch_m_s);
  }
  for (size_t i = 0; i < sequence->limb_count; i++) {
    if (!create_track(arena, room, &out->feet[i])) {
      return false;
    }
    read_foot(sequence, sequence->limbs[i].points, &out->base, &out->feet[i]);
    if (must_mend) {
      mend(&out->feet[i], pivot, velocity, &out->twist_mismatch_m_s);
    }
    raise_feet(&out->feet[i], clearance_m);
  }
  return true;
}

/* ---- interpolation ---- */

/* The point before a time, and how far between it and the next one, 0 .. 1. */
static size_t find(const sn__step_track *track, double time_s, double *share) {
  size_t low = 0, high = track->count - 1;
  while (low + 1 < high) {
    const size_t middle = (low + high) / 2;
    if (track->times[middle] <= time_s) {
      low = middle;
    } else {
      high = middle;
    }
  }
  *share = (time_s - track->times[low]) / (track->times[low + 1] - track->times[low]);
  *share = fmin(fmax(*share, 0.0), 1.0);
  return low;
}

/* Cubic Hermite: the value at a share of the interval, and its derivative by time. */
typedef struct hermite {
  double value[4], rate[4]; /* of p0, v0, p1, v1 */
} hermite;

static hermite hermite_at(double u, double h) {
  const double w = 1.0 - u;
  return (hermite){{(1 + 2 * u) * w * w, h * u * w * w, (3 - 2 * u) * u * u, -h * u * u * w},
                   {-6 * u * w / h, w * (1 - 3 * u), 6 * u * w / h, u * (3 * u - 2)}};
}

static sn_vec3 combine(const double *k, sn_vec3 p0, sn_vec3 v0, sn_vec3 p1, sn_vec3 v1) {
  const sn_vec3 a = sn_vec3_add_scaled(sn_vec3_scale(p0, k[0]), k[1], v0);
  return sn_vec3_add_scaled(sn_vec3_add_scaled(a, k[2], p1), k[3], v1);
}

/* The rate of a rotation vector from the angular velocity in the axes of the rotated frame, to
   second order: the intervals of a sequence turn little. */
static sn_vec3 rate_of(sn_vec3 phi, sn_vec3 ang) {
  const sn_vec3 once = sn_vec3_cross(phi, ang);
  return sn_vec3_add_scaled(sn_vec3_add_scaled(ang, 0.5, once), 1.0 / 12.0,
                            sn_vec3_cross(phi, once));
}

/* Its inverse. */
static sn_vec3 ang_of(sn_vec3 phi, sn_vec3 rate) {
  const sn_vec3 once = sn_vec3_cross(phi, rate);
  return sn_vec3_add_scaled(sn_vec3_add_scaled(rate, -0.5, once), 1.0 / 6.0,
                            sn_vec3_cross(phi, once));
}

static sn__step_motion between(const sn__step_motion *a, const sn__step_motion *b, double u,
                               double h) {
  const hermite k = hermite_at(u, h);
  const sn_vec3 zero = {0, 0, 0};
  const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(sn_mat3_transpose(a->pose.rot), b->pose.rot));
  const sn_vec3 ang0 = sn_mat3_apply_transposed(a->pose.rot, a->twist.ang);
  const sn_vec3 ang1 = rate_of(turn, sn_mat3_apply_transposed(b->pose.rot, b->twist.ang));
  const sn_vec3 phi = combine(k.value, zero, ang0, turn, ang1);
  const sn_vec3 rate = combine(k.rate, zero, ang0, turn, ang1);
  sn__step_motion m;
  m.pose.rot = sn_mat3_mul(a->pose.rot, sn__mat3_exp(phi));
  m.pose.pos = combine(k.value, a->pose.pos, a->twist.lin, b->pose.pos, b->twist.lin);
  m.twist.lin = combine(k.rate, a->pose.pos, a->twist.lin, b->pose.pos, b->twist.lin);
  m.twist.ang = sn_mat3_apply(m.pose.rot, ang_of(phi, rate));
  m.contact = a->contact && b->contact;
  return m;
}

static sn__step_motion sample(const sn__step_track *track, double time_s) {
  double u;
  const size_t k = find(track, time_s, &u);
  const double h = track->times[k + 1] - track->times[k];
  sn__step_motion m = between(&track->points[k], &track->points[k + 1], u, h);
  if (time_s < 0.0 || time_s > track->times[track->count - 1]) {
    m.twist = sn_spatial_zero();
  }
  return m;
}

sn__step_motion sn__step_path_base(const sn__step_path *path, double time_s) {
  return sample(&path->base, time_s);
}

sn__step_motion sn__step_path_foot(const sn__step_path *path, size_t limb, double time_s) {
  return sample(&path->feet[limb], time_s);
}

sn_pose sn__step_path_frame(sn_pose base, double height_m) {
  sn_pose frame = {sn_mat3_from_rpy(0.0, 0.0, atan2(base.rot.x.y, base.rot.x.x)), base.pos};
  frame.pos.z -= height_m;
  return frame;
}

void sn__step_path_swing(const sn__step_path *path, size_t limb, double time_s, double *lift_s,
                         double *land_s) {
  const sn__step_track *track = &path->feet[limb];
  double u;
  size_t first = find(track, time_s, &u), last = first + 1;
  while (first > 0 && !track->points[first].contact) {
    first--;
  }
  while (last + 1 < track->count && !track->points[last].contact) {
    last++;
  }
  *lift_s = track->times[first];
  *land_s = track->times[last];
}
