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

/* What the tip can be away from the first joint, at most; halved, it made iterations fewest over
   twenty robots, but anything within a factor of four does. */
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
    } else { /* the body before turns further by `before`, so its points turn back */
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
  data.body_column = SN_NEW(arena, sn_spatial, n);
  data.column = serial->shared ? SN_NEW(arena, sn_spatial, serial->coord_count) : data.body_column;
  *out = data;
  return data.angle != NULL && data.sine != NULL && data.cosine != NULL && data.origin != NULL &&
         data.body_column != NULL && data.column != NULL;
}

/* a c + b s, and b c - a s: how the axes a, b move when a turns towards b. */
static inline void turn(sn_vec3 *a, sn_vec3 *b, double c, double s) {
  const sn_vec3 turned = sn_vec3_add_scaled(sn_vec3_scale(*a, c), s, *b);
  *b = sn_vec3_add_scaled(sn_vec3_scale(*b, c), -s, *a);
  *a = turned;
}

void sn__serial_forward(const sn__serial *serial, sn_pose base, const double *y,
                        sn__serial_data *data) {
  const sn__serial_body *bodies = serial->bodies;
  const size_t n = serial->body_count;
  for (size_t i = 0; i < n; i++) {
    data->angle[i] =
        bodies[i].twist + (bodies[i].prismatic ? 0.0 : bodies[i].scale * y[bodies[i].coord]);
  }
  sn__sincos(n, data->angle, data->sine, data->cosine);
  sn_mat3 r = base.rot;
  sn_vec3 p = base.pos;
  for (size_t i = 0; i < n; i++) {
    const sn__serial_body *body = &bodies[i];
    p = sn_vec3_add(p, sn_mat3_apply(r, body->shift));
    turn(&r.y, &r.z, body->cos_x, body->sin_x);
    if (body->prismatic) {
      p = sn_vec3_add_scaled(p, body->scale * y[body->coord] + body->offset, r.z);
    }
    data->origin[i] = p;
    data->body_column[i].ang = r.z;
    turn(&r.x, &r.y, data->cosine[i], data->sine[i]);
  }
  data->last = (sn_pose){r, p};
  data->tip = sn_pose_mul(data->last, serial->pose_last_tip);
}

void sn__serial_jacobian(const sn__serial *serial, sn__serial_data *data) {
  for (size_t i = 0; i < serial->body_count; i++) {
    sn_spatial *column = &data->body_column[i];
    if (serial->bodies[i].prismatic) {
      column->lin = column->ang;
      column->ang = sn_vec3_make(0.0, 0.0, 0.0);
    } else {
      const sn_vec3 arm = sn_vec3_sub(data->tip.pos, data->origin[i]);
      column->lin = sn_vec3_cross(column->ang, arm);
    }
  }
  if (!serial->shared) {
    return;
  }
  for (size_t k = 0; k < serial->coord_count; k++) {
    data->column[k] = sn_spatial_zero();
  }
  for (size_t i = 0; i < serial->body_count; i++) {
    sn_spatial *sum = &data->column[serial->bodies[i].coord];
    *sum = sn_spatial_add(*sum, sn_spatial_scale(data->body_column[i], serial->bodies[i].scale));
  }
}
