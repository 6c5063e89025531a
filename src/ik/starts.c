#include "ik/starts.h"

#include <math.h>
#include <string.h>

/* How much the terms of the distance weigh against the direction of the last axis, as factors
   before squaring: found over twenty robots, flat within a factor of two. */
static const float length_weight = 2.0f;
static const float excess_weight = 1.7f;

static const double turn_rad = 6.283185307179586;

/* Both ends must turn freely of the others for the reduction to hold. */
static bool ends_turn(const sn__serial *serial) {
  const size_t n = serial->coord_count;
  return n >= 3 && !serial->shared && serial->periodic[0] && serial->periodic[n - 1];
}

static sn_vec3 turn_back(sn_vec3 v, double c, double s) {
  return sn_vec3_make(c * v.x + s * v.y, c * v.y - s * v.x, v.z);
}

/* The key of a frame of the last body, its joint at zero, seen from the frame of the first axis. */
static sn__start_key key_of(sn_pose last) {
  sn__start_key key = {.height = last.pos.z};
  key.radius = sqrt(last.pos.x * last.pos.x + last.pos.y * last.pos.y);
  key.azimuth = atan2(last.pos.y, last.pos.x);
  const double c = key.radius > 0.0 ? last.pos.x / key.radius : 1.0;
  const double s = key.radius > 0.0 ? last.pos.y / key.radius : 0.0;
  key.axis = turn_back(last.rot.z, c, s);
  key.across = turn_back(last.rot.x, c, s);
  return key;
}

/* The base of the chain such that the first axis is the z axis. */
static sn_pose base_on_axis(const sn__serial *serial) {
  const double c = serial->bodies[0].cos_x, s = serial->bodies[0].sin_x;
  const sn_pose base = {{{1, 0, 0}, {0, c, -s}, {0, s, c}}, {0, 0, 0}};
  return base;
}

static sn__start_key sample_key(const sn__serial *serial, sn__serial_data *data, double *y) {
  y[0] = 0.0;
  y[serial->coord_count - 1] = 0.0;
  sn__serial_forward(serial, base_on_axis(serial), y, data);
  return key_of(data->last);
}

/* The additive recurrence with the generalised golden ratio (Roberts, "The Unreasonable
   Effectiveness of Quasirandom Sequences", 2018): even in every dimension for any count. */
static double golden_ratio(size_t dimensions) {
  double g = 1.5;
  for (int i = 0; i < 64; i++) {
    g = pow(1.0 + g, 1.0 / (double)(dimensions + 1));
  }
  return g;
}

static void fill(sn__starts *starts, sn__serial_data *data, double *y) {
  const size_t n = starts->serial->coord_count;
  const double ratio = golden_ratio(n - 2);
  for (size_t k = 0; k < SN__STARTS_COUNT; k++) {
    double power = 1.0;
    for (size_t i = 1; i + 1 < n; i++) {
      power /= ratio;
      const double u = fmod(0.5 + (double)(k + 1) * power, 1.0);
      y[i] = starts->lower[i] + (starts->upper[i] - starts->lower[i]) * u;
    }
    const sn__start_key key = sample_key(starts->serial, data, y);
    starts->keys[k] = key;
    starts->radius[k] = length_weight * (float)key.radius;
    starts->height[k] = length_weight * (float)key.height;
    starts->axis_x[k] = (float)key.axis.x;
    starts->axis_y[k] = (float)key.axis.y;
    starts->axis_z[k] = (float)key.axis.z;
    starts->azimuth[k] = (float)key.azimuth;
    for (size_t i = 0; i < n; i++) {
      starts->y[k * n + i] = (float)y[i];
    }
  }
}

bool sn__starts_create(sn_arena *arena, const sn__serial *serial, sn__serial_data *data,
                       const double *lower, const double *upper, sn__starts *out) {
  sn__starts starts = {.serial = serial, .lower = lower, .upper = upper};
  starts.usable = ends_turn(serial);
  *out = starts;
  if (!starts.usable) {
    return true;
  }
  const size_t count = SN__STARTS_COUNT;
  float *columns = sn_arena_alloc_array(arena, 7 * count, sizeof *columns, 64);
  starts.keys = SN_NEW(arena, sn__start_key, count);
  starts.y = SN_NEW(arena, float, count * serial->coord_count);
  starts.block_min = SN_NEW(arena, float, count / SN__STARTS_BLOCK);
  double *y = SN_NEW(arena, double, serial->coord_count);
  if (columns == NULL || starts.keys == NULL || starts.y == NULL || starts.block_min == NULL ||
      y == NULL) {
    return false;
  }
  starts.radius = columns;
  starts.height = columns + count;
  starts.axis_x = columns + 2 * count;
  starts.axis_y = columns + 3 * count;
  starts.axis_z = columns + 4 * count;
  starts.azimuth = columns + 5 * count;
  starts.distance = columns + 6 * count;
  fill(&starts, data, y);
  *out = starts;
  return true;
}

static float square(float x) {
  return x * x;
}

/* x less the nearest whole turns; adding and taking off 1.5 * 2^23 rounds to an integer. */
static float wrapped(float x) {
  const float shifter = 0x1.8p23f;
  return x - (float)turn_rad * ((x * (float)(1.0 / turn_rad) + shifter) - shifter);
}

static void scan(sn__starts *starts) {
  const sn__start_key *target = &starts->target;
  const float radius = length_weight * (float)target->radius;
  const float height = length_weight * (float)target->height;
  const float axis_x = (float)target->axis.x;
  const float axis_y = (float)target->axis.y;
  const float axis_z = (float)target->axis.z;
  for (size_t k = 0; k < SN__STARTS_COUNT; k++) {
    starts->distance[k] = square(starts->radius[k] - radius) + square(starts->height[k] - height) +
                          square(starts->axis_x[k] - axis_x) + square(starts->axis_y[k] - axis_y) +
                          square(starts->axis_z[k] - axis_z);
  }
}

/* Where the first joint is limited, samples that it would have to leave its range for are farther.
 */
static void add_excess(sn__starts *starts) {
  const double middle = 0.5 * (starts->lower[0] + starts->upper[0]);
  const float half = 0.5f * (float)(starts->upper[0] - starts->lower[0]);
  const float azimuth = (float)(starts->target.azimuth - middle);
  for (size_t k = 0; k < SN__STARTS_COUNT; k++) {
    const float excess = fabsf(wrapped(azimuth - starts->azimuth[k])) - half;
    starts->distance[k] += square(excess_weight * (excess > 0.0f ? excess : 0.0f));
  }
}

static float block_minimum(const float *distance) {
  float least = distance[0];
  for (size_t k = 1; k < SN__STARTS_BLOCK; k++) {
    least = distance[k] < least ? distance[k] : least;
  }
  return least;
}

void sn__starts_aim(sn__starts *starts, sn_pose target) {
  const sn__serial *serial = starts->serial;
  const sn_pose first = serial->pose_base_first;
  const sn_pose on_axis = base_on_axis(serial);
  const sn_pose last = sn_pose_mul(target, sn_pose_inverse(serial->pose_last_tip));
  starts->target = key_of(sn_pose_mul(on_axis, sn_pose_between(first, last)));
  scan(starts);
  if (starts->upper[0] - starts->lower[0] < turn_rad) {
    add_excess(starts);
  }
  for (size_t b = 0; b < SN__STARTS_COUNT / SN__STARTS_BLOCK; b++) {
    starts->block_min[b] = block_minimum(starts->distance + b * SN__STARTS_BLOCK);
  }
}

/* The first joint brings the azimuths together; the last one turns the last body as near as it gets
   to the target's rotation, which is where the trace of the difference is greatest. */
static void align(const sn__starts *starts, const sn__start_key *key, double *y) {
  const sn__start_key *target = &starts->target;
  const sn_vec3 up = sn_vec3_cross(key->axis, key->across);
  const sn_vec3 target_up = sn_vec3_cross(target->axis, target->across);
  const double sine = sn_vec3_dot(up, target->across) - sn_vec3_dot(key->across, target_up);
  const double cosine = sn_vec3_dot(key->across, target->across) + sn_vec3_dot(up, target_up);
  y[0] = target->azimuth - key->azimuth;
  y[starts->serial->coord_count - 1] = atan2(sine, cosine);
}

bool sn__starts_next(sn__starts *starts, double *y) {
  const size_t n = starts->serial->coord_count;
  size_t block = 0;
  for (size_t b = 1; b < SN__STARTS_COUNT / SN__STARTS_BLOCK; b++) {
    block = starts->block_min[b] < starts->block_min[block] ? b : block;
  }
  if (starts->block_min[block] == INFINITY) {
    return false;
  }
  float *distance = starts->distance + block * SN__STARTS_BLOCK;
  size_t k = 0;
  while (distance[k] != starts->block_min[block]) {
    k++;
  }
  distance[k] = INFINITY;
  starts->block_min[block] = block_minimum(distance);
  k += block * SN__STARTS_BLOCK;
  for (size_t i = 0; i < n; i++) {
    y[i] = (double)starts->y[k * n + i];
  }
  align(starts, &starts->keys[k], y);
  return true;
}

void sn__starts_align(const sn__starts *starts, sn__serial_data *data, double *y) {
  const sn__start_key key = sample_key(starts->serial, data, y);
  align(starts, &key, y);
}
