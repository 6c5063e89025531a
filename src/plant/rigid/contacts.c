#include "plant/rigid/contacts.h"

#include <math.h>
#include <string.h>

/* Penetration of one point that carries the weight of the robot. */
static const double SINK_M = 1e-4, GRAVITY = 9.81;
/* Of distances in different frames. */
static const double ROUNDING_M = 1e-9;
/* The ground is not softer for lighter robots. */
static const double MASS_MIN_KG = 0.05;

/* Find a sphere around the points of a body. */
static void enclose(sn__contact_body *body, const sn__contact_point *points) {
  for (size_t i = 0; i < body->count; i++) {
    const double share = 1.0 / (double)body->count;
    body->middle = sn_vec3_add_scaled(body->middle, share, points[body->first + i].at);
  }
  for (size_t i = 0; i < body->count; i++) {
    const sn__contact_point *p = &points[body->first + i];
    const double away = sn_vec3_norm(sn_vec3_sub(p->at, body->middle));
    body->radius = fmax(body->radius, away + p->radius);
  }
}

bool sn__contacts_create(sn_arena *arena, const sn__contact_place *places, size_t count,
                         double mass_kg, sn__contacts *out) {
  const double mass = fmax(mass_kg, MASS_MIN_KG), stiffness = mass * GRAVITY / SINK_M;
  *out = (sn__contacts){.ground = sn__ground_level(0.8),
                        .point_count = count,
                        .bodies = SN_NEW(arena, sn__contact_body, count + 1),
                        .points = SN_NEW(arena, sn__contact_point, count + 1),
                        .stiffness = stiffness,
                        .damping = sqrt(stiffness * mass)};
  if (out->bodies == NULL || out->points == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || places[i].body != places[i - 1].body) {
      out->bodies[out->body_count++] = (sn__contact_body){.body = places[i].body, .first = i};
    }
    out->bodies[out->body_count - 1].count++;
    out->points[i] =
        (sn__contact_point){.body = places[i].body, .at = places[i].at, .radius = places[i].radius};
  }
  for (size_t i = 0; i < out->body_count; i++) {
    enclose(&out->bodies[i], out->points);
  }
  return true;
}

void sn__contacts_reset(sn__contacts *contacts) {
  for (size_t i = 0; i < contacts->point_count; i++) {
    sn__contact_point *p = &contacts->points[i];
    *p = (sn__contact_point){.body = p->body, .at = p->at, .radius = p->radius};
  }
  for (size_t i = 0; i < contacts->body_count; i++) {
    contacts->bodies[i].is_near = false;
  }
}

/* ---- a step ---- */

static sn_vec3 along_ground(sn_vec3 v, sn_vec3 normal) {
  return sn_vec3_add_scaled(v, -sn_vec3_dot(v, normal), normal);
}

static void leave(sn__contact_point *p) {
  p->is_near = p->is_touching = false;
  p->normal_N = 0.0;
  p->force_N = sn_vec3_make(0, 0, 0);
}

static void begin_point(const sn__contacts *c, sn__contact_point *p, const sn_pose *world,
                        const sn_pose *pose_base_body, double reach) {
  const sn_vec3 middle = sn_pose_apply(*pose_base_body, p->at);
  const sn_vec3 middle_world = sn_pose_apply(*world, middle);
  sn_vec3 normal;
  p->gap = sn__ground_gap(&c->ground, middle_world, &normal) - p->radius;
  p->is_near = p->gap < reach;
  if (!p->is_near) {
    leave(p);
    return;
  }
  p->normal = sn_mat3_apply_transposed(world->rot, normal);
  p->where = sn_vec3_add_scaled(middle, -p->radius, p->normal);
  const sn_vec3 at = sn_vec3_add_scaled(middle_world, -p->radius, normal);
  if (!p->is_touching) {
    p->anchor = at;
  } else if (p->radius > 0.0) {
    p->anchor = sn_vec3_add(at, p->stretch);
  }
  const sn_vec3 pull = sn_vec3_scale(sn_vec3_sub(p->anchor, at), c->stiffness);
  p->pull = along_ground(sn_mat3_apply_transposed(world->rot, pull), p->normal);
  p->limit = p->is_touching ? c->ground.friction * p->normal_N : 0.0;
}

/* The plane of the ground in the frame of a body: distance of a point x is normal . x + offset. */
typedef struct plane {
  sn_vec3 normal;
  double offset;
} plane;

static plane plane_in(const sn__ground *ground, const sn_pose *world, const sn_pose *body) {
  const sn_vec3 normal = sn_mat3_apply_transposed(world->rot, ground->normal);
  const double height = sn_vec3_dot(ground->normal, world->pos) - ground->height;
  return (plane){sn_mat3_apply_transposed(body->rot, normal),
                 height + sn_vec3_dot(normal, body->pos)};
}

static void begin_body(sn__contacts *contacts, sn__contact_body *body, const sn_pose *world,
                       const sn_pose *pose_base_body, double reach) {
  const bool was_near = body->is_near, has_boxes = contacts->ground.box_count > 0;
  const plane ground = plane_in(&contacts->ground, world, pose_base_body);
  double least = sn_vec3_dot(ground.normal, body->middle) + ground.offset;
  if (has_boxes) {
    const sn_vec3 middle = sn_pose_apply(*world, sn_pose_apply(*pose_base_body, body->middle));
    sn_vec3 normal;
    least = sn__ground_gap(&contacts->ground, middle, &normal);
  }
  body->is_near = false;
  if (least - body->radius >= reach && !was_near) {
    return;
  }
  for (size_t k = body->first; k < body->first + body->count; k++) {
    sn__contact_point *p = &contacts->points[k];
    const double gap = sn_vec3_dot(ground.normal, p->at) + ground.offset - p->radius;
    if (has_boxes || gap < reach + ROUNDING_M) {
      begin_point(contacts, p, world, pose_base_body, reach);
    } else if (p->is_near) {
      leave(p);
    }
    body->is_near = body->is_near || p->is_near;
  }
}

void sn__contacts_begin(sn__contacts *contacts, const sn_pose *pose_world_base,
                        const sn_pose *poses, double h_s, double speed) {
  for (size_t i = 0; i < contacts->body_count; i++) {
    begin_body(contacts, &contacts->bodies[i], pose_world_base, &poses[i], h_s * speed + SINK_M);
  }
}

/* ---- the law ---- */

/* Force on a point that moves with velocity v at the end of the step. */
typedef struct point_force {
  sn_vec3 force;
  double normal_N;
  double normal_slope; /* of the normal force */
  double ground_slope; /* of the force along the ground, across `slip` */
  double slip_slope;   /* the same along `slip` */
  sn_vec3 slip;        /* direction of the force along the ground */
} point_force;

static point_force force_at(const sn__contacts *c, const sn__contact_point *p, sn_vec3 v,
                            double h_s) {
  const double slope = h_s * c->stiffness + c->damping;
  const double push = -c->stiffness * p->gap - slope * sn_vec3_dot(p->normal, v);
  point_force f = {.force = {0, 0, 0}};
  if (push > 0.0) {
    f.normal_N = push;
    f.normal_slope = slope;
    f.force = sn_vec3_scale(p->normal, push);
  }
  if (p->limit > 0.0) {
    const sn_vec3 drag = along_ground(v, p->normal);
    const sn_vec3 pull = sn_vec3_add_scaled(p->pull, -slope, drag);
    const double size = sn_vec3_norm(pull);
    const bool sticks = size <= p->limit;
    const double share = sticks ? 1.0 : p->limit / size;
    f.slip = size > 0.0 ? sn_vec3_scale(pull, 1.0 / size) : sn_vec3_make(0, 0, 0);
    f.ground_slope = share * slope;
    f.slip_slope = sticks ? slope : 0.0;
    f.force = sn_vec3_add_scaled(f.force, share, pull);
  }
  return f;
}

static sn_vec3 velocity_of(const sn__contact_point *p, sn_spatial twist) {
  return sn_vec3_add(twist.lin, sn_vec3_cross(twist.ang, p->where));
}

/* Sums over points whose force resists in all directions alike: k, k r and k r r^T. */
typedef struct sticking {
  double k;
  sn_vec3 first;
  sn_sym3 second;
} sticking;

static void add_sticking(sticking *sum, double k, sn_vec3 r) {
  sum->k += k;
  sum->first = sn_vec3_add_scaled(sum->first, k, r);
  sn_sym3 *s = &sum->second;
  s->xx += k * r.x * r.x;
  s->yy += k * r.y * r.y;
  s->zz += k * r.z * r.z;
  s->xy += k * r.x * r.y;
  s->xz += k * r.x * r.z;
  s->yz += k * r.y * r.z;
}

/* slope += X^T k X, where X takes the twist of the body to the velocity of a point. */
static void add_sums(const sticking *sum, double slope[6][6]) {
  const sn_sym3 s = sum->second;
  const sn_vec3 f = sum->first;
  const double turn[3][3] = {
      {s.yy + s.zz, -s.xy, -s.xz}, {-s.xy, s.xx + s.zz, -s.yz}, {-s.xz, -s.yz, s.xx + s.yy}};
  const double cross[3][3] = {{0, -f.z, f.y}, {f.z, 0, -f.x}, {-f.y, f.x, 0}};
  for (int i = 0; i < 3; i++) {
    slope[i + 3][i + 3] += sum->k;
    for (int j = 0; j < 3; j++) {
      slope[i][j] += turn[i][j];
      slope[i][j + 3] += cross[i][j];
      slope[j + 3][i] += cross[i][j];
    }
  }
}

/* K = ground_slope (1 - n n^T) + (normal_slope) n n^T + (slip_slope - ground_slope) s s^T */
static void fill_stiffness(const sn__contact_point *p, const point_force *f, double k[3][3]) {
  const double n[3] = {p->normal.x, p->normal.y, p->normal.z};
  const double s[3] = {f->slip.x, f->slip.y, f->slip.z};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      k[i][j] = (i == j ? f->ground_slope : 0.0) +
                (f->normal_slope - f->ground_slope) * n[i] * n[j] +
                (f->slip_slope - f->ground_slope) * s[i] * s[j];
    }
  }
}

/* slope += X^T K X */
static void add_slope(const sn__contact_point *p, double k[3][3], double slope[6][6]) {
  const sn_vec3 r = p->where;
  const double x[3][6] = {
      {0, r.z, -r.y, 1, 0, 0}, {-r.z, 0, r.x, 0, 1, 0}, {r.y, -r.x, 0, 0, 0, 1}};
  double kx[3][6];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 6; j++) {
      kx[i][j] = k[i][0] * x[0][j] + k[i][1] * x[1][j] + k[i][2] * x[2][j];
    }
  }
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      slope[i][j] += x[0][i] * kx[0][j] + x[1][i] * kx[1][j] + x[2][i] * kx[2][j];
    }
  }
}

static void add_point_slope(const sn__contact_point *p, const point_force *f, sticking *sums,
                            double slope[6][6]) {
  if (f->ground_slope == f->normal_slope && f->slip_slope == f->normal_slope) {
    add_sticking(sums, f->normal_slope, p->where);
  } else if (f->normal_slope > 0.0 || f->ground_slope > 0.0) {
    double k[3][3];
    fill_stiffness(p, f, k);
    add_slope(p, k, slope);
  }
}

sn__contact_force sn__contacts_force(const sn__contacts *contacts, const sn__contact_body *body,
                                     sn_spatial twist, double h_s) {
  sn__contact_force sum = {.force = sn_spatial_zero()};
  sticking sums = {0};
  for (size_t i = 0; i < body->count; i++) {
    const sn__contact_point *p = &contacts->points[body->first + i];
    if (p->is_near) {
      const point_force f = force_at(contacts, p, velocity_of(p, twist), h_s);
      const sn_spatial wrench = {sn_vec3_cross(p->where, f.force), f.force};
      sum.force = sn_spatial_add(sum.force, wrench);
      add_point_slope(p, &f, &sums, sum.slope);
    }
  }
  add_sums(&sums, sum.slope);
  return sum;
}

sn_spatial sn__contacts_wrench(const sn__contacts *contacts, const sn__contact_body *body,
                               sn_spatial twist, double h_s) {
  sn_spatial sum = sn_spatial_zero();
  for (size_t i = 0; i < body->count; i++) {
    const sn__contact_point *p = &contacts->points[body->first + i];
    if (p->is_near) {
      const sn_vec3 force = force_at(contacts, p, velocity_of(p, twist), h_s).force;
      sum = sn_spatial_add(sum, (sn_spatial){sn_vec3_cross(p->where, force), force});
    }
  }
  return sum;
}

/* A point slides: move its anchor so that the spring force stays within friction. The spring is
   never stretched, which would add energy. */
static void drag_anchor(const sn__contacts *c, sn__contact_point *p, const sn_pose *world,
                        sn_vec3 v, double h_s) {
  const sn_vec3 pull = along_ground(sn_vec3_add_scaled(p->pull, -h_s * c->stiffness, v), p->normal);
  const double size = sn_vec3_norm(pull);
  const double kept = size > p->limit ? p->limit / size : 1.0;
  const sn_vec3 end = sn_vec3_add_scaled(p->where, h_s, v);
  p->anchor = sn_pose_apply(*world, sn_vec3_add_scaled(end, kept / c->stiffness, pull));
}

sn_spatial sn__contacts_end(sn__contacts *contacts, const sn__contact_body *body,
                            const sn_pose *pose_world_base, sn_spatial twist, double h_s) {
  sn_spatial sum = sn_spatial_zero();
  for (size_t i = 0; i < body->count; i++) {
    sn__contact_point *p = &contacts->points[body->first + i];
    if (!p->is_near) {
      continue;
    }
    const sn_vec3 v = velocity_of(p, twist);
    const point_force f = force_at(contacts, p, v, h_s);
    sum = sn_spatial_add(sum, (sn_spatial){sn_vec3_cross(p->where, f.force), f.force});
    p->is_touching = f.normal_N > 0.0;
    p->normal_N = f.normal_N;
    p->force_N = sn_mat3_apply(pose_world_base->rot, f.force);
    if (f.slip_slope == 0.0) {
      drag_anchor(contacts, p, pose_world_base, v, h_s);
    }
    if (p->radius > 0.0) {
      const sn_vec3 end = sn_pose_apply(*pose_world_base, sn_vec3_add_scaled(p->where, h_s, v));
      p->stretch = sn_vec3_sub(p->anchor, end);
    }
  }
  return sum;
}
