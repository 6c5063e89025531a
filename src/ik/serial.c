#include "ik/serial.h"

#include <math.h>

#include "math/sincos.h"

/* R = Rz(before) Rx(.) Rz(behind); the angle about x is in 0 .. pi. */
typedef struct euler_zxz {
  double before, cos_x, sin_x, behind;
} euler_zxz;

static euler_zxz euler_from_mat3(sn_mat3 r) {
  const double sin_x = hypot(r.z.x, r.z.y);
  if (sin_x < 1e-12) { /* the two outer axes coincide: only their sum or difference matters */
    const double cos_x = copysign(1.0, r.z.z);
    return (euler_zxz){0.0, cos_x, 0.0, atan2(cos_x * r.x.y, r.x.x)};
  }
  return (euler_zxz){atan2(r.z.x, -r.z.y), r.z.z, sin_x, atan2(r.x.z, r.y.z)};
}

/* Half the largest distance of the tip from the first joint; this needed the fewest iterations over
 * 16 chains of 13 robots, but any value within a factor of four works. */
double sn__serial_length(const sn_chain *chain) {
  double reach_m = sn_vec3_norm(chain->pose_body_tip.pos);
  for (size_t i = 1; i < chain->joint_count; i++) {
    reach_m += sn_vec3_norm(chain->tree.pose_parent_joint[i].pos);
  }
  return reach_m > 0.0 ? 0.5 * reach_m : 1.0;
}

static sn_mat3 turn_z(double angle_rad) {
  return sn_mat3_from_axis_angle(sn_vec3_make(0.0, 0.0, 1.0), angle_rad);
}

static void compile_placements(const sn_chain *chain, sn__serial *serial) {
  const double scale = 1.0 / serial->length_m;
  serial->pose_base_first = sn_pose_identity();
  serial->pose_last_tip = chain->pose_body_tip;
  serial->pose_last_tip.pos = sn_vec3_scale(chain->pose_body_tip.pos, scale);
  for (size_t i = 0; i < serial->body_count; i++) {
    const sn_pose placement = chain->tree.pose_parent_joint[i];
    const euler_zxz euler = euler_from_mat3(placement.rot);
    const sn_vec3 shift = sn_vec3_scale(placement.pos, scale);
    sn__serial_body *body = &serial->bodies[i];
    body->cos_x = euler.cos_x;
    body->sin_x = euler.sin_x;
    body->twist = euler.behind;
    if (i == 0) {
      serial->pose_base_first = (sn_pose){turn_z(euler.before), shift};
    } else { /* the previous body turns further by `before`, so its points turn back */
      serial->bodies[i - 1].twist += euler.before;
      body->shift = sn_mat3_apply_transposed(turn_z(euler.before), shift);
    }
  }
}

/* Which entries of the chain's vector move bodies, and how. */
static void compile_coordinates(const sn_chain *chain, sn__serial *serial, int *entry, double *unit,
                                bool *periodic, int *coord_of_entry) {
  const sn_tree *tree = &chain->tree;
  for (size_t i = 0; i < serial->body_count; i++) {
    coord_of_entry[i] = -1;
  }
  for (size_t i = 0; i < serial->body_count; i++) {
    const int place = tree->coord[i];
    if (coord_of_entry[place] < 0) {
      const size_t k = serial->coord_count++;
      coord_of_entry[place] = (int)k;
      entry[k] = place;
      unit[k] = tree->prismatic[place] ? serial->length_m : 1.0;
      periodic[k] = true;
    }
  }
  for (size_t i = 0; i < serial->body_count; i++) {
    sn__serial_body *body = &serial->bodies[i];
    const int k = coord_of_entry[tree->coord[i]];
    const bool own = tree->coord[i] == (int)i && tree->q_scale[i] == 1.0;
    body->coord = k;
    body->prismatic = tree->prismatic[i];
    const double length = body->prismatic ? serial->length_m : 1.0;
    body->scale = tree->q_scale[i] * unit[k] / length;
    body->offset = tree->q_offset[i] / length;
    if (!body->prismatic) {
      body->turn_scale = body->scale;
      body->twist += body->offset;
    }
    periodic[k] = periodic[k] && own && !body->prismatic;
    serial->shared = serial->shared || !own;
  }
}

bool sn__serial_create(sn_arena *arena, const sn_chain *chain, double length_m, sn__serial *out) {
  const size_t n = chain->joint_count;
  sn__serial serial = {.body_count = n, .length_m = length_m, .chain = chain};
  serial.bodies = SN_NEW(arena, sn__serial_body, n);
  int *entry = SN_NEW(arena, int, n);
  int *coord_of_entry = SN_NEW(arena, int, n);
  double *unit = SN_NEW(arena, double, n);
  bool *periodic = SN_NEW(arena, bool, n);
  if (serial.bodies == NULL || entry == NULL || coord_of_entry == NULL || unit == NULL ||
      periodic == NULL) {
    return false;
  }
  compile_placements(chain, &serial);
  compile_coordinates(chain, &serial, entry, unit, periodic, coord_of_entry);
  serial.entry = entry;
  serial.unit = unit;
  serial.periodic = periodic;
  *out = serial;
  return true;
}

bool sn__serial_data_create(sn_arena *arena, const sn__serial *serial, sn__serial_data *out) {
  const size_t n = serial->body_count;
  sn__serial_data data = {.tip = sn_pose_identity(), .last = sn_pose_identity()};
  data.angle = SN_NEW(arena, double, n);
  data.sine = SN_NEW(arena, double, n);
  data.cosine = SN_NEW(arena, double, n);
  data.origin = SN_NEW(arena, sn_vec3, n);
  data.axis = SN_NEW(arena, sn_vec3, n);
  data.body_column = SN_NEW(arena, sn__vec3_pair, n);
  data.column =
      serial->shared ? SN_NEW(arena, sn__vec3_pair, serial->coord_count) : data.body_column;
  *out = data;
  return data.angle != NULL && data.sine != NULL && data.cosine != NULL && data.origin != NULL &&
         data.axis != NULL && data.body_column != NULL && data.column != NULL;
}

/* A vector in registers. */
typedef struct vec {
  sn__pair xy;
  double z;
} vec;

static inline vec vec_make(sn_vec3 v) {
  const vec made = {{v.x, v.y}, v.z};
  return made;
}

static inline sn_vec3 vec_vec3(vec v) {
  return sn_vec3_make(v.xy[0], v.xy[1], v.z);
}

/* a + k b */
static inline vec add_scaled(vec a, double k, vec b) {
  const vec sum = {a.xy + k * b.xy, a.z + k * b.z};
  return sum;
}

/* How the axes a and b move when a turns towards b. */
static inline void turn(vec *a, vec *b, double c, double s) {
  const vec turned = {c * a->xy + s * b->xy, c * a->z + s * b->z};
  const vec left = {c * b->xy - s * a->xy, c * b->z - s * a->z};
  *a = turned;
  *b = left;
}

void sn__serial_forward(const sn__serial *serial, const sn_pose *base, const double *y,
                        sn__serial_data *data) {
  const sn__serial_body *bodies = serial->bodies;
  const size_t n = serial->body_count;
  for (size_t i = 0; i < n; i++) {
    data->angle[i] = bodies[i].twist + bodies[i].turn_scale * y[bodies[i].coord];
  }
  sn__sincos(n, data->angle, data->sine, data->cosine);
  vec rx = vec_make(base->rot.x), ry = vec_make(base->rot.y), rz = vec_make(base->rot.z);
  vec p = vec_make(base->pos);
  for (size_t i = 0; i < n; i++) {
    const sn__serial_body *body = &bodies[i];
    p = add_scaled(p, body->shift.x, rx);
    p = add_scaled(p, body->shift.y, ry);
    p = add_scaled(p, body->shift.z, rz);
    turn(&ry, &rz, body->cos_x, body->sin_x);
    if (body->prismatic) {
      p = add_scaled(p, body->scale * y[body->coord] + body->offset, rz);
    }
    data->origin[i] = vec_vec3(p);
    data->axis[i] = vec_vec3(rz);
    turn(&rx, &ry, data->cosine[i], data->sine[i]);
  }
  data->last = (sn_pose){{vec_vec3(rx), vec_vec3(ry), vec_vec3(rz)}, vec_vec3(p)};
  data->tip = sn_pose_mul(data->last, serial->pose_last_tip);
}

void sn__serial_jacobian(const sn__serial *serial, sn__serial_data *data) {
  const sn_vec3 tip = data->tip.pos;
  for (size_t i = 0; i < serial->body_count; i++) {
    const sn_vec3 axis = data->axis[i];
    const sn_vec3 arm = sn_vec3_sub(tip, data->origin[i]);
    data->body_column[i] = serial->bodies[i].prismatic
                               ? sn__vec3_pair_make(sn_vec3_make(0.0, 0.0, 0.0), axis)
                               : sn__vec3_pair_make(axis, sn_vec3_cross(axis, arm));
  }
  if (!serial->shared) {
    return;
  }
  for (size_t k = 0; k < serial->coord_count; k++) {
    data->column[k] = sn__vec3_pair_zero();
  }
  for (size_t i = 0; i < serial->body_count; i++) {
    sn__vec3_pair *sum = &data->column[serial->bodies[i].coord];
    *sum = sn__vec3_pair_add_scaled(*sum, serial->bodies[i].scale, data->body_column[i]);
  }
}
