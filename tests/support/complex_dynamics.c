#include "complex_dynamics.h"

#include "sn_test.h"

enum { BODIES_MAX = 64 };

typedef double complex number;

/* A body: its frame in the parent's, its motion, the force on it. Angular parts first. */
typedef struct part {
  number rot[3][3], pos[3];
  number v[6], a[6], f[6];
} part;

static void cross(const number *a, const number *b, number *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static void add_cross(const number *a, const number *b, double scale, number *out) {
  number c[3];
  cross(a, b, c);
  for (int k = 0; k < 3; k++) {
    out[k] += scale * c[k];
  }
}

static void place(const sn_tree *tree, size_t i, number value, part *p) {
  const sn_pose pose = tree->pose_parent_joint[i];
  const double x[3] = {pose.rot.x.x, pose.rot.x.y, pose.rot.x.z};
  const double y[3] = {pose.rot.y.x, pose.rot.y.y, pose.rot.y.z};
  const double z[3] = {pose.rot.z.x, pose.rot.z.y, pose.rot.z.z};
  const double at[3] = {pose.pos.x, pose.pos.y, pose.pos.z};
  const number angle = tree->prismatic[i] ? 0.0 : value, slide = tree->prismatic[i] ? value : 0.0;
  for (int k = 0; k < 3; k++) {
    p->rot[k][0] = ccos(angle) * x[k] + csin(angle) * y[k];
    p->rot[k][1] = ccos(angle) * y[k] - csin(angle) * x[k];
    p->rot[k][2] = z[k];
    p->pos[k] = at[k] + slide * z[k];
  }
}

/* From the parent's frame into the body's: rot^T (lin + ang x pos). */
static void motion_in(const part *p, const number *m, number *out) {
  number lin[3] = {m[3], m[4], m[5]};
  add_cross(m, p->pos, 1.0, lin);
  for (int k = 0; k < 3; k++) {
    out[k] = p->rot[0][k] * m[0] + p->rot[1][k] * m[1] + p->rot[2][k] * m[2];
    out[3 + k] = p->rot[0][k] * lin[0] + p->rot[1][k] * lin[1] + p->rot[2][k] * lin[2];
  }
}

static void add_force_out(const part *p, const number *f, number *out) {
  number lin[3];
  for (int k = 0; k < 3; k++) {
    out[k] += p->rot[k][0] * f[0] + p->rot[k][1] * f[1] + p->rot[k][2] * f[2];
    lin[k] = p->rot[k][0] * f[3] + p->rot[k][1] * f[4] + p->rot[k][2] * f[5];
    out[3 + k] += lin[k];
  }
  add_cross(p->pos, lin, 1.0, out);
}

static void momentum(const sn_inertia *i, const number *m, number *out) {
  const number h[3] = {i->h.x, i->h.y, i->h.z};
  const sn_sym3 t = i->tensor;
  out[0] = t.xx * m[0] + t.xy * m[1] + t.xz * m[2];
  out[1] = t.xy * m[0] + t.yy * m[1] + t.yz * m[2];
  out[2] = t.xz * m[0] + t.yz * m[1] + t.zz * m[2];
  add_cross(h, m + 3, 1.0, out);
  for (int k = 0; k < 3; k++) {
    out[3 + k] = i->mass_kg * m[3 + k];
  }
  add_cross(h, m, -1.0, out + 3);
}

/* I a + v x* I v - external */
static void force_of(const sn_inertia *inertia, const sn_spatial *external, part *p) {
  number carried[6];
  momentum(inertia, p->a, p->f);
  momentum(inertia, p->v, carried);
  add_cross(p->v, carried, 1.0, p->f);
  add_cross(p->v + 3, carried + 3, 1.0, p->f);
  add_cross(p->v, carried + 3, 1.0, p->f + 3);
  if (external != NULL) {
    const double e[6] = {external->ang.x, external->ang.y, external->ang.z,
                         external->lin.x, external->lin.y, external->lin.z};
    for (int k = 0; k < 6; k++) {
      p->f[k] -= e[k];
    }
  }
}

static void start(const sn_test_complex_state *s, part *base) {
  const sn_base_state *b = s->world->base;
  const sn_mat3 rot = b != NULL ? b->pose_world_base.rot : sn_mat3_identity();
  const sn_vec3 g = sn_mat3_apply_transposed(rot, s->world->gravity);
  const number gravity[3] = {g.x, g.y, g.z};
  memcpy(base->v, s->twist, sizeof base->v);
  memcpy(base->a, s->acceleration, sizeof base->a);
  for (int k = 0; k < 3; k++) {
    base->a[3 + k] -= gravity[k];
  }
  add_cross(gravity, s->displacement, -1.0, base->a + 3);
  force_of(&s->tree->base_inertia, b != NULL ? &b->force : NULL, base);
}

static void move(const sn_test_complex_state *s, size_t i, const part *parent, part *p) {
  const sn_tree *tree = s->tree;
  const double scale = tree->q_scale[i];
  const int j = tree->coord[i];
  const int axis = tree->prismatic[i] ? 5 : 2;
  number step[6] = {0};
  place(tree, i, scale * s->q[j] + tree->q_offset[i], p);
  motion_in(p, parent->v, p->v);
  motion_in(p, parent->a, p->a);
  step[axis] = scale * s->qd[j];
  p->v[axis] += step[axis];
  p->a[axis] += scale * s->qdd[j];
  add_cross(p->v, step, 1.0, p->a);
  add_cross(p->v, step + 3, 1.0, p->a + 3);
  add_cross(p->v + 3, step, 1.0, p->a + 3);
  force_of(&tree->inertia[i], s->world->forces != NULL ? &s->world->forces[i] : NULL, p);
}

void sn_test_complex_inverse(const sn_test_complex_state *s, double complex *tau,
                             double complex *wrench) {
  const sn_tree *tree = s->tree;
  part parts[BODIES_MAX];
  assert_true(tree->body_count < BODIES_MAX);
  start(s, &parts[0]);
  for (size_t i = 0; i < tree->body_count; i++) {
    move(s, i, &parts[tree->parent[i] + 1], &parts[i + 1]);
  }
  for (size_t j = 0; j < tree->coord_count; j++) {
    tau[j] = 0.0;
  }
  for (size_t i = tree->body_count; i-- > 0;) {
    const part *p = &parts[i + 1];
    tau[tree->coord[i]] += tree->q_scale[i] * p->f[tree->prismatic[i] ? 5 : 2];
    add_force_out(p, p->f, parts[tree->parent[i] + 1].f);
  }
  memcpy(wrench, parts[0].f, sizeof parts[0].f);
}
