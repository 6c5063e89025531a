/* Velocity inverse kinematics by the singular values of the Jacobian, each damped individually: the
   variable damping of Maciejewski and Klein ("Numerical filtering for the operation of robotic
   manipulators through kinematically singular configurations", 1988), in the eigenbasis of J J^T.
 */
#include "sinew/ik_velocity.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "ik/coords.h"
#include "ik/serial.h"
#include "math/eigen.h"
#include "sinew/fault.h"

/* Below this a singular value is rounding: nothing moves along its direction. */
static const double singular_zero = 1e-7;

struct sn_ik_velocity {
  sn__serial serial;
  sn__serial_data data;
  const int *joints; /* 0 .. joint_count - 1 */
  double singular_min, damping_max, nominal_gain_Hz;
  double *lower, *upper; /* [coord_count] */
  double *speed_max;     /* [coord_count] */
  double *y, *way, *task,
      *rest;  /* [coord_count] positions, difference to the nominal pose, velocities */
  bool *held; /* [coord_count] at a limit */
};

/* Eigendecomposition of J J^T. */
typedef struct tip_spectrum {
  double singular[6]; /* singular values of J */
  double axes[36];    /* columns: directions of the tip */
} tip_spectrum;

static bool create_parts(sn_arena *arena, const sn_chain *chain, sn_ik_velocity *velocity) {
  if (!sn__serial_create(arena, chain, sn__serial_length(chain), &velocity->serial) ||
      !sn__serial_data_create(arena, &velocity->serial, &velocity->data)) {
    return false;
  }
  const size_t n = velocity->serial.coord_count;
  double *values = SN_NEW(arena, double, 7 * n);
  int *joints = SN_NEW(arena, int, chain->joint_count);
  velocity->held = SN_NEW(arena, bool, n);
  if (values == NULL || joints == NULL || velocity->held == NULL) {
    return false;
  }
  double **vectors[] = {&velocity->lower, &velocity->upper, &velocity->speed_max, &velocity->y,
                        &velocity->way,   &velocity->task,  &velocity->rest};
  for (size_t i = 0; i < 7; i++) {
    *vectors[i] = values + i * n;
  }
  for (size_t j = 0; j < chain->joint_count; j++) {
    joints[j] = (int)j;
  }
  velocity->joints = joints;
  return true;
}

/* A joint that mimics limits its master, too. */
static void set_speeds(sn_ik_velocity *velocity, const double *velocity_max) {
  const sn__serial *serial = &velocity->serial;
  const sn_tree *tree = &serial->chain->tree;
  for (size_t k = 0; k < serial->coord_count; k++) {
    velocity->speed_max[k] = INFINITY;
    for (size_t i = 0; velocity_max != NULL && i < serial->body_count; i++) {
      if (tree->coord[i] == serial->entry[k] && tree->q_scale[i] != 0.0) {
        const double speed = velocity_max[i] / fabs(tree->q_scale[i] * serial->unit[k]);
        velocity->speed_max[k] = fmin(velocity->speed_max[k], speed);
      }
    }
  }
}

static sn_status check(const sn_ik_velocity_config *config, sn_error *err) {
  const sn_chain *chain = config->chain;
  if (chain == NULL || chain->joint_count == 0) {
    return sn__fail(err, SN_EINVAL, "ik_velocity: the chain has no movable joint");
  }
  if (chain->tree.body_count != chain->joint_count) {
    return sn__fail(err, SN_EUNSUPPORTED, "ik_velocity: the chain has a floating or planar joint");
  }
  const double options[] = {config->singular_min, config->damping_max, config->nominal_gain_Hz};
  const char *const names[] = {"singular_min", "damping_max", "nominal_gain_Hz"};
  for (size_t i = 0; i < 3; i++) {
    if (!(options[i] >= 0.0) || !isfinite(options[i])) {
      return sn__fail(err, SN_EINVAL, "ik_velocity: %s is %g, must be finite and >= 0", names[i],
                      options[i]);
    }
  }
  for (size_t j = 0; config->velocity_max != NULL && j < chain->joint_count; j++) {
    if (!(config->velocity_max[j] > 0.0)) {
      return sn__fail(err, SN_EINVAL, "ik_velocity: velocity_max of joint %zu is %g, must be > 0",
                      j, config->velocity_max[j]);
    }
  }
  return SN_OK;
}

sn_status sn_ik_velocity_create(sn_arena *arena, const sn_ik_velocity_config *config,
                                sn_ik_velocity **out, sn_error *err) {
  SN_ASSERT(arena != NULL);
  SN_ASSERT(out != NULL);
  const sn_status status = check(config, err);
  if (status != SN_OK) {
    return status;
  }
  const sn_chain *chain = config->chain;
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_ik_velocity *velocity = SN_NEW(arena, sn_ik_velocity, 1);
  if (velocity == NULL || !create_parts(arena, chain, velocity)) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "ik_velocity: no room in arena '%s'", sn_arena_name(arena));
  }
  const double *lower = config->lower != NULL ? config->lower : chain->lower;
  const double *upper = config->upper != NULL ? config->upper : chain->upper;
  const sn__coords_range range = {velocity->lower, velocity->upper, velocity->task, velocity->rest,
                                  NULL};
  if (!sn__coords_limits(&velocity->serial, velocity->joints, lower, upper, NULL, &range)) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_EINVAL, "ik_velocity: the range of some joint is empty");
  }
  set_speeds(velocity, config->velocity_max);
  velocity->singular_min = config->singular_min > 0.0 ? config->singular_min : 0.05;
  velocity->damping_max = config->damping_max > 0.0 ? config->damping_max : 0.05;
  velocity->nominal_gain_Hz = config->nominal_gain_Hz > 0.0 ? config->nominal_gain_Hz : 1.0;
  *out = velocity;
  return SN_OK;
}

static bool all_finite(size_t n, const double *x) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    sum += 0.0 * x[i]; /* NaN if any is not finite */
  }
  return sum == 0.0;
}

static bool is_finite_query(const sn_ik_velocity *velocity, const sn_ik_velocity_query *query) {
  const sn_spatial t = query->twist;
  const double twist[] = {t.ang.x, t.ang.y, t.ang.z, t.lin.x, t.lin.y, t.lin.z};
  for (size_t k = 0; k < velocity->serial.coord_count; k++) {
    const int entry = velocity->serial.entry[k];
    if (!isfinite(query->q[entry]) ||
        (query->nominal != NULL && !isfinite(query->nominal[entry]))) {
      return false;
    }
  }
  return all_finite(6, twist);
}

/* bit 0 .. 2 of free_axes are x, y, z, bit 3 .. 5 the rotations; spatial vectors are the other way
   round. */
static void to_array(sn_spatial s, unsigned free_axes, double v[6]) {
  const double all[] = {s.ang.x, s.ang.y, s.ang.z, s.lin.x, s.lin.y, s.lin.z};
  for (unsigned i = 0; i < 6; i++) {
    const unsigned bit = i < 3 ? i + 3 : i - 3;
    v[i] = (free_axes >> bit & 1u) != 0 ? 0.0 : all[i];
  }
}

static sn__vec3_pair to_pair(const double v[6]) {
  return sn__vec3_pair_make(sn_vec3_make(v[0], v[1], v[2]), sn_vec3_make(v[3], v[4], v[5]));
}

/* The Jacobian at q, its columns in the axes of the query and without the free ones. */
static void evaluate(sn_ik_velocity *velocity, const sn_ik_velocity_query *query) {
  sn__serial *serial = &velocity->serial;
  sn__serial_data *data = &velocity->data;
  sn__coords_from_q(serial, velocity->joints, query->q, velocity->y);
  sn__serial_forward(serial, &serial->pose_base_first, velocity->y, data);
  sn__serial_jacobian(serial, data);
  const sn_mat3 axes = query->frame == SN_IK_FRAME_TIP ? data->tip.rot : sn_mat3_identity();
  for (size_t k = 0; k < serial->coord_count; k++) {
    const sn_spatial column = sn__vec3_pair_spatial(data->column[k]);
    const sn_spatial turned = {sn_mat3_apply_transposed(axes, column.ang),
                               sn_mat3_apply_transposed(axes, column.lin)};
    double v[6];
    to_array(turned, query->free_axes, v);
    data->column[k] = to_pair(v);
  }
}

static void find_spectrum(const sn_ik_velocity *velocity, tip_spectrum *out) {
  double gram[36] = {0.0};
  for (size_t k = 0; k < velocity->serial.coord_count; k++) {
    double v[6];
    to_array(sn__vec3_pair_spatial(velocity->data.column[k]), 0, v);
    for (size_t i = 0; i < 36 && !velocity->held[k]; i++) {
      gram[i] += v[i / 6] * v[i % 6];
    }
  }
  sn__eigen_symmetric(6, gram, out->singular, out->axes);
  for (size_t i = 0; i < 6; i++) {
    out->singular[i] = sqrt(fmax(out->singular[i], 0.0));
  }
}

/* sum over directions u of u (u . b) / (s^2 + damping^2); a direction without motion is left out.
 * With @p damped false, the plain pseudo-inverse. */
static sn__vec3_pair filter(const sn_ik_velocity *velocity, const tip_spectrum *spectrum,
                            const double *b, bool damped) {
  double x[6] = {0.0};
  for (size_t i = 0; i < 6; i++) {
    const double s = spectrum->singular[i];
    if (s <= singular_zero) {
      continue;
    }
    const double ratio = fmin(s / velocity->singular_min, 1.0);
    const double damping = damped ? velocity->damping_max : 0.0;
    double along = 0.0;
    for (size_t r = 0; r < 6; r++) {
      along += spectrum->axes[r * 6 + i] * b[r];
    }
    along /= s * s + (1.0 - ratio * ratio) * damping * damping;
    for (size_t r = 0; r < 6; r++) {
      x[r] += along * spectrum->axes[r * 6 + i];
    }
  }
  return to_pair(x);
}

/* task = J^+ twist, rest = (1 - J^+ J) way, over the joints that are not held. */
static void solve_parts(sn_ik_velocity *velocity, const tip_spectrum *spectrum,
                        const double *twist) {
  const size_t n = velocity->serial.coord_count;
  const sn__vec3_pair *columns = velocity->data.column;
  sn__vec3_pair moved = sn__vec3_pair_zero();
  for (size_t k = 0; k < n; k++) {
    if (!velocity->held[k]) {
      moved = sn__vec3_pair_add_scaled(moved, velocity->way[k], columns[k]);
    }
  }
  double back[6];
  to_array(sn__vec3_pair_spatial(moved), 0, back);
  const sn__vec3_pair forth = filter(velocity, spectrum, twist, true);
  const sn__vec3_pair undone = filter(velocity, spectrum, back, false);
  for (size_t k = 0; k < n; k++) {
    const bool held = velocity->held[k];
    velocity->task[k] = held ? 0.0 : sn__vec3_pair_dot(columns[k], forth);
    velocity->rest[k] = held ? 0.0 : velocity->way[k] - sn__vec3_pair_dot(columns[k], undone);
  }
}

/* Hold the joints on a limit that would go outwards. @return how many were added */
static size_t hold_outwards(sn_ik_velocity *velocity) {
  size_t count = 0;
  for (size_t k = 0; k < velocity->serial.coord_count; k++) {
    const double speed = velocity->task[k] + velocity->rest[k];
    const bool outwards = (velocity->y[k] <= velocity->lower[k] && speed < 0.0) ||
                          (velocity->y[k] >= velocity->upper[k] && speed > 0.0);
    if (outwards && !velocity->held[k]) {
      velocity->held[k] = true;
      count++;
    }
  }
  return count;
}

/* The fraction of the task that the slowest joint can follow. */
static double task_scale(const sn_ik_velocity *velocity) {
  double scale = 1.0;
  for (size_t k = 0; k < velocity->serial.coord_count; k++) {
    const double speed = fabs(velocity->task[k]);
    scale = speed > velocity->speed_max[k] ? fmin(scale, velocity->speed_max[k] / speed) : scale;
  }
  return scale;
}

/* The fraction of the rest that fits on top of the scaled task: it must not slow the task down. */
static double rest_scale(const sn_ik_velocity *velocity, double scale) {
  double part = 1.0;
  for (size_t k = 0; k < velocity->serial.coord_count; k++) {
    const double task = scale * velocity->task[k], rest = velocity->rest[k];
    const double room = velocity->speed_max[k] - copysign(1.0, rest) * task;
    part = fabs(rest) > room ? fmin(part, fmax(room, 0.0) / fabs(rest)) : part;
  }
  return part;
}

static void write_speeds(const sn_ik_velocity *velocity, double scale, double part, double *qd) {
  const sn__serial *serial = &velocity->serial;
  const sn_tree *tree = &serial->chain->tree;
  for (size_t k = 0; k < serial->coord_count; k++) {
    qd[serial->entry[k]] = serial->unit[k] * (scale * velocity->task[k] + part * velocity->rest[k]);
  }
  for (size_t i = 0; i < serial->body_count; i++) {
    if (tree->coord[i] != (int)i) {
      qd[i] = tree->q_scale[i] * qd[tree->coord[i]];
    }
  }
}

static double missing(const sn_ik_velocity *velocity, const double *twist, double scale,
                      double part) {
  sn__vec3_pair sum = sn__vec3_pair_scale(to_pair(twist), scale);
  for (size_t k = 0; k < velocity->serial.coord_count; k++) {
    const double speed = scale * velocity->task[k] + part * velocity->rest[k];
    sum = sn__vec3_pair_add_scaled(sum, -speed, velocity->data.column[k]);
  }
  sn_spatial rest = sn__vec3_pair_spatial(sum);
  rest.lin = sn_vec3_scale(rest.lin, velocity->serial.length_m);
  return sqrt(sn_spatial_dot(rest, rest));
}

/* The smallest singular value of the rows that count. Zeros from free axes and missing joints are
 * ignored. */
static double smallest(const tip_spectrum *spectrum, unsigned free_axes, size_t coord_count) {
  double sorted[6];
  size_t count = 0;
  for (size_t i = 0; i < 6; i++) {
    size_t j = count++;
    for (; j > 0 && sorted[j - 1] < spectrum->singular[i]; j--) {
      sorted[j] = sorted[j - 1];
    }
    sorted[j] = spectrum->singular[i];
  }
  size_t rows = 6;
  for (unsigned bit = 0; bit < 6; bit++) {
    rows -= free_axes >> bit & 1u;
  }
  const size_t rank = rows < coord_count ? rows : coord_count;
  return rank == 0 ? 0.0 : sorted[rank - 1];
}

static void set_way(sn_ik_velocity *velocity, const double *nominal) {
  const sn__serial *serial = &velocity->serial;
  for (size_t k = 0; k < serial->coord_count; k++) {
    velocity->held[k] = false;
    velocity->way[k] = 0.0;
    if (nominal != NULL) {
      const double way = nominal[serial->entry[k]] / serial->unit[k] - velocity->y[k];
      const bool endless = velocity->lower[k] == -INFINITY && serial->periodic[k];
      velocity->way[k] =
          velocity->nominal_gain_Hz * (endless ? remainder(way, 6.283185307179586) : way);
    }
  }
}

sn_status sn_ik_velocity_solve(sn_ik_velocity *velocity, const sn_ik_velocity_query *query,
                               double *qd, sn_ik_velocity_result *result) {
  const sn__serial *serial = &velocity->serial;
  if (!is_finite_query(velocity, query)) {
    memset(qd, 0, serial->body_count * sizeof *qd);
    return SN_EINVAL;
  }
  evaluate(velocity, query);
  set_way(velocity, query->nominal);
  sn_spatial wanted = query->twist;
  wanted.lin = sn_vec3_scale(wanted.lin, 1.0 / serial->length_m);
  double twist[6];
  to_array(wanted, query->free_axes, twist);
  tip_spectrum spectrum;
  size_t held_count = 0;
  double singular_value = 0.0;
  for (size_t round = 0; round <= serial->coord_count; round++) {
    find_spectrum(velocity, &spectrum);
    if (round == 0) {
      singular_value = smallest(&spectrum, query->free_axes, serial->coord_count);
    }
    solve_parts(velocity, &spectrum, twist);
    const size_t added = hold_outwards(velocity);
    held_count += added;
    if (added == 0) {
      break;
    }
  }
  const double scale = task_scale(velocity);
  const double part = rest_scale(velocity, scale);
  write_speeds(velocity, scale, part, qd);
  if (result != NULL) {
    *result = (sn_ik_velocity_result){.scale = scale,
                                      .singular_value = singular_value,
                                      .missing = missing(velocity, twist, scale, part),
                                      .limited_count = held_count};
  }
  return SN_OK;
}
