#include "ik/numeric/seeds.h"

#include <math.h>
#include <string.h>

/* How much the terms of the squared distance weigh against the direction of the last axis: tuned
 * over 16 chains of 13 robots; the optimum is flat within a factor of two. */
static const float length_weight = 4.0f;
static const float half_excess_weight = 0.75f;

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
static sn__seed_key key_of(sn_pose last) {
  sn__seed_key key = {.height = last.pos.z};
  key.radius = sqrt(last.pos.x * last.pos.x + last.pos.y * last.pos.y);
  key.azimuth = atan2(last.pos.y, last.pos.x);
  key.cosine = key.radius > 0.0 ? last.pos.x / key.radius : 1.0;
  key.sine = key.radius > 0.0 ? last.pos.y / key.radius : 0.0;
  key.axis = turn_back(last.rot.z, key.cosine, key.sine);
  key.across = turn_back(last.rot.x, key.cosine, key.sine);
  return key;
}

/* The base of the chain such that the first axis is the z axis. */
static sn_pose base_on_axis(const sn__serial *serial) {
  const double c = serial->bodies[0].cos_x, s = serial->bodies[0].sin_x;
  const sn_pose base = {{{1, 0, 0}, {0, c, -s}, {0, s, c}}, {0, 0, 0}};
  return base;
}

static sn__seed_key sample_key(const sn__serial *serial, sn__serial_data *data, double *y) {
  y[0] = 0.0;
  y[serial->coord_count - 1] = 0.0;
  const sn_pose base = base_on_axis(serial);
  sn__serial_forward(serial, &base, y, data);
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

static void write_lane(sn__seed_block *block, size_t lane, const sn__seed_key *key) {
  block->squared[lane] =
      length_weight * (float)(key->radius * key->radius + key->height * key->height);
  block->radius[lane] = (float)key->radius;
  block->height[lane] = (float)key->height;
  block->axis_x[lane] = (float)key->axis.x;
  block->axis_y[lane] = (float)key->axis.y;
  block->axis_z[lane] = (float)key->axis.z;
  block->cosine[lane] = (float)key->cosine;
  block->sine[lane] = (float)key->sine;
}

bool sn__is_long(size_t n) {
  return n > 12;
}

sn__gathering sn__gathering_make(size_t n, double u, bool at_zero) {
  return (sn__gathering){.share = sn__is_long(n) ? 1.0 - pow((double)n, -u) : 0.0,
                         .at_zero = at_zero};
}

double sn__gathering_apply(sn__gathering gathering, double lower, double upper, double y) {
  const double zero = lower > 0.0 ? lower : upper < 0.0 ? upper : 0.0;
  const double centre = gathering.at_zero ? zero : 0.5 * (lower + upper);
  return y + gathering.share * (centre - y);
}

static void fill(sn__seeds *seeds, sn__serial_data *data, double *y) {
  const size_t n = seeds->serial->coord_count;
  const double ratio = golden_ratio(n - 2);
  for (size_t k = 0; k < SN__SEEDS_COUNT; k++) {
    const sn__gathering gathering = sn__gathering_make(n, (double)k / SN__SEEDS_COUNT, k % 2 == 0);
    double power = 1.0;
    for (size_t i = 1; i + 1 < n; i++) {
      power /= ratio;
      const double u = fmod(0.5 + (double)(k + 1) * power, 1.0);
      y[i] = sn__gathering_apply(gathering, seeds->lower[i], seeds->upper[i],
                                 seeds->lower[i] + (seeds->upper[i] - seeds->lower[i]) * u);
    }
    const sn__seed_key key = sample_key(seeds->serial, data, y);
    seeds->keys[k] = key;
    write_lane(&seeds->blocks[k / SN__SEEDS_BLOCK], k % SN__SEEDS_BLOCK, &key);
    for (size_t i = 0; i < n; i++) {
      seeds->y[k * n + i] = (float)y[i];
    }
  }
}

static void set_range(sn__seeds *seeds, double lower, double upper) {
  const double middle = 0.5 * (lower + upper), half = 0.5 * (upper - lower);
  seeds->middle_cosine = cos(middle);
  seeds->middle_sine = sin(middle);
  seeds->cosine_min = half < 0.5 * turn_rad ? (float)cos(half) : -2.0f;
}

bool sn__seeds_create(sn_arena *arena, const sn__serial *serial, sn__serial_data *data,
                      const double *lower, const double *upper, sn__seeds *out) {
  sn__seeds seeds = {.serial = serial, .lower = lower, .upper = upper};
  seeds.usable = ends_turn(serial);
  *out = seeds;
  if (!seeds.usable) {
    return true;
  }
  const size_t count = SN__SEEDS_COUNT;
  const size_t block_count = SN__SEEDS_COUNT / SN__SEEDS_BLOCK;
  seeds.blocks = sn_arena_alloc_array(arena, block_count, sizeof *seeds.blocks, 64);
  seeds.distance = sn_arena_alloc_array(arena, count, sizeof *seeds.distance, 64);
  seeds.block_min = SN_NEW(arena, float, block_count);
  seeds.keys = SN_NEW(arena, sn__seed_key, count);
  seeds.y = SN_NEW(arena, float, count * serial->coord_count);
  double *y = SN_NEW(arena, double, serial->coord_count);
  if (seeds.blocks == NULL || seeds.distance == NULL || seeds.block_min == NULL ||
      seeds.keys == NULL || seeds.y == NULL || y == NULL) {
    return false;
  }
  seeds.pose_tip_last = sn_pose_inverse(serial->pose_last_tip);
  set_range(&seeds, lower[0], upper[0]);
  fill(&seeds, data, y);
  *out = seeds;
  return true;
}

/* The least of a block, four at a time: the compiler must not reorder the comparisons. */
static float block_minimum(const float *distance) {
  float least[4];
  memcpy(least, distance, sizeof least);
  for (size_t k = 4; k < SN__SEEDS_BLOCK; k += 4) {
    for (size_t i = 0; i < 4; i++) {
      least[i] = distance[k + i] < least[i] ? distance[k + i] : least[i];
    }
  }
  const float a = least[0] < least[1] ? least[0] : least[1];
  const float b = least[2] < least[3] ? least[2] : least[3];
  return a < b ? a : b;
}

/* The target in the form that the scan needs. */
typedef struct scan_probe {
  float radius, height, axis_x, axis_y, axis_z; /* twice the key, weighted */
  float cosine, sine; /* of the azimuth at which the first joint is in the middle of its range */
  float cosine_min;   /* less means that the first joint would leave its range */
} scan_probe;

static scan_probe make_probe(const sn__seeds *seeds) {
  const sn__seed_key *target = &seeds->target;
  const double c = seeds->middle_cosine, s = seeds->middle_sine;
  return (scan_probe){.radius = 2.0f * length_weight * (float)target->radius,
                      .height = 2.0f * length_weight * (float)target->height,
                      .axis_x = 2.0f * (float)target->axis.x,
                      .axis_y = 2.0f * (float)target->axis.y,
                      .axis_z = 2.0f * (float)target->axis.z,
                      .cosine = (float)(c * target->cosine + s * target->sine),
                      .sine = (float)(c * target->sine - s * target->cosine),
                      .cosine_min = seeds->cosine_min};
}

/* Squared distances, less what is the same for all. */
static void scan_block(const sn__seed_block *restrict block, const scan_probe *restrict probe,
                       float *restrict distance) {
  for (size_t i = 0; i < SN__SEEDS_BLOCK; i++) {
    const float place = probe->radius * block->radius[i] + probe->height * block->height[i];
    const float axis = probe->axis_x * block->axis_x[i] + probe->axis_y * block->axis_y[i] +
                       probe->axis_z * block->axis_z[i];
    const float turn = probe->cosine * block->cosine[i] + probe->sine * block->sine[i];
    const float excess = probe->cosine_min - turn;
    distance[i] = ((block->squared[i] - place) - axis) +
                  half_excess_weight * (excess + fabsf(excess)); /* no branch: it vectorises */
  }
}

void sn__seeds_set_target(sn__seeds *seeds, sn_pose target) {
  const sn__serial *serial = seeds->serial;
  const sn_pose first = serial->pose_base_first;
  const sn_pose on_axis = base_on_axis(serial);
  const sn_pose last = sn_pose_mul(target, seeds->pose_tip_last);
  seeds->target = key_of(sn_pose_mul(on_axis, sn_pose_between(first, last)));
  const scan_probe probe = make_probe(seeds);
  for (size_t b = 0; b < SN__SEEDS_COUNT / SN__SEEDS_BLOCK; b++) {
    float *distance = seeds->distance + b * SN__SEEDS_BLOCK;
    scan_block(&seeds->blocks[b], &probe, distance);
    seeds->block_min[b] = block_minimum(distance);
  }
}

/* The first joint aligns the azimuths; the last one rotates the last body as near to the target's
 * rotation as possible, which maximises the trace of the difference. */
static void align(const sn__seeds *seeds, const sn__seed_key *key, double *y) {
  const sn__seed_key *target = &seeds->target;
  const sn_vec3 up = sn_vec3_cross(key->axis, key->across);
  const sn_vec3 target_up = sn_vec3_cross(target->axis, target->across);
  const double sine = sn_vec3_dot(up, target->across) - sn_vec3_dot(key->across, target_up);
  const double cosine = sn_vec3_dot(key->across, target->across) + sn_vec3_dot(up, target_up);
  y[0] = target->azimuth - key->azimuth;
  y[seeds->serial->coord_count - 1] = atan2(sine, cosine);
}

bool sn__seeds_next(sn__seeds *seeds, double *y) {
  const size_t n = seeds->serial->coord_count;
  size_t block = 0;
  for (size_t b = 1; b < SN__SEEDS_COUNT / SN__SEEDS_BLOCK; b++) {
    block = seeds->block_min[b] < seeds->block_min[block] ? b : block;
  }
  if (seeds->block_min[block] == INFINITY) {
    return false;
  }
  float *distance = seeds->distance + block * SN__SEEDS_BLOCK;
  size_t k = 0;
  while (distance[k] != seeds->block_min[block]) {
    k++;
  }
  distance[k] = INFINITY;
  seeds->block_min[block] = block_minimum(distance);
  k += block * SN__SEEDS_BLOCK;
  for (size_t i = 0; i < n; i++) {
    y[i] = (double)seeds->y[k * n + i];
  }
  align(seeds, &seeds->keys[k], y);
  return true;
}

void sn__seeds_align(const sn__seeds *seeds, sn__serial_data *data, double *y) {
  const sn__seed_key key = sample_key(seeds->serial, data, y);
  align(seeds, &key, y);
}
