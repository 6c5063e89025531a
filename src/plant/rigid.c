/* Our physics: rigid bodies, and a servo with dry friction on each joint, advanced by an implicit
   step (time stepping after Moreau, with the velocity at the end as the unknown).

       (M + J) (v' - v) = h (drive(q + h v') - damping v' - friction(v') + stops - bias + push)

   Drive, damping, friction and stops act by the velocity v' that they lead to, so that no stiffness
   is too stiff, a joint at rest is at rest exactly, and nothing passes a stop. Only M, the velocity
   products and gravity are taken from the beginning of the step.

   What acts on each joint falls with its own v' and nothing else, hence v' is the one minimum of a
   convex function. It is found by guessing for each joint the piece of its law that holds (sticks,
   slides, drives at its limit, ...), solving the linear equations that are left and checking the
   guess: mostly the first is right, and one solution is enough. Guesses that go round in circles
   are taken as a direction only, and the lowest point in it is the next place to guess from. */
#include <string.h>

#include "plant/physics.h"
#include "plant/sparse.h"
#include "sinew/dyn.h"

enum { BOLD_MAX = 3, GUESSES_MAX = 40, HALVINGS_MAX = 40 };

/* No joint turns faster: the velocity products, which are explicit, would not be kept in check by
   anything if the servos had no friction at all. */
static const double SPEED_BOUND = 1000.0;

struct sn__rigid {
  sn__physics physics;
  sn_dyn_data *dyn; /* NULL: each joint by itself */
  sn__sparse shape;
  bool *has_mass; /* [count] of the pose: moves something with mass */
  double *inertias;
  /* of the pose */
  double *mass; /* [count][count] */
  double *bias;
  /* in the order of elimination */
  double *a, *factors; /* [count][count] */
  double *v, *b, *av;
  double *from, *way, *a_way; /* where a search begins, and where it goes */
  double *lower, *upper;      /* of velocities */
  sn__axle_mode *modes;
  sn__rigid_counts counts;
};

/* ---- creation ---- */

static bool allocate(sn__rigid *r, sn_arena *arena, size_t n) {
  r->has_mass = SN_NEW(arena, bool, n);
  r->inertias = SN_NEW(arena, double, n);
  r->mass = SN_NEW(arena, double, n *n);
  r->bias = SN_NEW(arena, double, n);
  r->a = SN_NEW(arena, double, n *n);
  r->factors = SN_NEW(arena, double, n *n);
  r->v = SN_NEW(arena, double, n);
  r->b = SN_NEW(arena, double, n);
  r->av = SN_NEW(arena, double, n);
  r->from = SN_NEW(arena, double, n);
  r->way = SN_NEW(arena, double, n);
  r->a_way = SN_NEW(arena, double, n);
  r->lower = SN_NEW(arena, double, n);
  r->upper = SN_NEW(arena, double, n);
  r->modes = SN_NEW(arena, sn__axle_mode, n);
  return r->has_mass != NULL && r->inertias != NULL && r->mass != NULL && r->bias != NULL &&
         r->a != NULL && r->factors != NULL && r->v != NULL && r->b != NULL && r->av != NULL &&
         r->from != NULL && r->way != NULL && r->a_way != NULL && r->lower != NULL &&
         r->upper != NULL && r->modes != NULL;
}

void sn__find_massive(const sn_tree *tree, bool *has_mass) {
  for (size_t i = 0; i < tree->body_count; i++) {
    const sn_inertia *one = &tree->inertia[i];
    const sn_sym3 t = one->tensor;
    for (int j = (int)i; j >= 0 && (one->mass_kg > 0.0 || t.xx + t.yy + t.zz > 0.0);
         j = tree->parent[j]) {
      has_mass[tree->coord[j]] = true;
    }
  }
}

static void step(sn__physics *physics, const sn__axle *axles, sn_vec3 gravity, double h,
                 sn__joint_motion *motion);
static void reset(sn__physics *physics, const sn__joint_motion *motion);

sn__rigid *sn__rigid_create(sn_arena *arena, const sn_tree *tree, size_t n,
                            const double *inertias) {
  sn__rigid *r = SN_NEW(arena, sn__rigid, 1);
  if (r == NULL || !allocate(r, arena, n) || !sn__sparse_create(arena, tree, n, &r->shape)) {
    return NULL;
  }
  if (tree == NULL) {
    memcpy(r->inertias, inertias, n * sizeof *inertias);
  } else if (sn_dyn_create(arena, tree, &r->dyn, NULL) != SN_OK) {
    return NULL;
  } else {
    sn__find_massive(tree, r->has_mass);
  }
  r->physics = (sn__physics){.step = step, .reset = reset};
  reset(&r->physics, NULL);
  return r;
}

sn__physics *sn__rigid_physics(sn__rigid *rigid) {
  return &rigid->physics;
}

const sn__rigid_counts *sn__rigid_counts_now(const sn__rigid *rigid) {
  return &rigid->counts;
}

static void reset(sn__physics *physics, const sn__joint_motion *motion) {
  sn__rigid *r = (sn__rigid *)physics;
  (void)motion;
  for (size_t k = 0; k < r->shape.count; k++) {
    r->modes[k] = (sn__axle_mode){.is_pinned = true, .offset = 0.0};
  }
}

/* ---- a step ---- */

/* The matrix M + J in the order of elimination; the bias in that of the pose. */
static void fill_matrix(sn__rigid *r, const sn__axle *axles, sn_vec3 gravity,
                        const sn__joint_motion *m) {
  const size_t n = r->shape.count;
  if (r->dyn != NULL) {
    const sn_dyn_world world = {.gravity = gravity};
    sn_dyn_mass_matrix(r->dyn, m->q, r->mass);
    sn_dyn_inverse(r->dyn, &world, m->q, m->qd, NULL, r->bias, NULL);
  }
  for (size_t k = 0; k < n; k++) {
    const size_t place = (size_t)r->shape.place[k];
    const double *row = r->mass + place * n;
    const double own = r->dyn == NULL ? r->inertias[place] : r->has_mass[place] ? row[place] : 0.0;
    r->a[k * n + k] = axles[place].moves ? own + axles[place].inertia : 1.0;
    for (size_t i = r->shape.start[k]; i < r->shape.start[k + 1]; i++) {
      const size_t j = (size_t)r->shape.above[i];
      const double entry = row[r->shape.place[j]];
      r->a[k * n + j] = r->a[j * n + k] = entry;
    }
  }
}

/* Momentum and impulse; bounds that keep the joint within its stops, or from going further out. */
static void fill_sides(sn__rigid *r, const sn__axle *axles, double h, const sn__joint_motion *m) {
  for (size_t k = 0; k < r->shape.count; k++) {
    const size_t place = (size_t)r->shape.place[k];
    r->v[k] = axles[place].moves ? m->qd[place] : 0.0;
  }
  sn__sparse_apply(&r->shape, r->a, r->v, r->b);
  for (size_t k = 0; k < r->shape.count; k++) {
    const size_t place = (size_t)r->shape.place[k];
    const sn__axle *axle = &axles[place];
    if (axle->moves) {
      r->b[k] += h * (axle->push - r->bias[place]);
      r->lower[k] = sn__clamp((axle->lower - m->q[place]) / h, -SPEED_BOUND, 0.0);
      r->upper[k] = sn__clamp((axle->upper - m->q[place]) / h, 0.0, SPEED_BOUND);
    }
  }
}

/* Solve as if each joint stayed on the piece of its law that its mode says. */
static void solve_modes(sn__rigid *r) {
  const sn__sparse *s = &r->shape;
  const size_t n = s->count;
  for (size_t k = 0; k < n; k++) {
    r->v[k] = r->modes[k].is_pinned ? 0.0 : r->b[k] + r->modes[k].offset;
  }
  for (size_t k = 0; k < n; k++) {
    const bool is_pinned = r->modes[k].is_pinned;
    r->factors[k * n + k] = is_pinned ? 1.0 : r->a[k * n + k] + r->modes[k].slope;
    for (size_t i = s->start[k]; i < s->start[k + 1]; i++) {
      const size_t j = (size_t)s->above[i];
      const double entry = r->a[k * n + j];
      r->factors[k * n + j] = is_pinned || r->modes[j].is_pinned ? 0.0 : entry;
      r->v[j] -= is_pinned && !r->modes[j].is_pinned ? entry * r->modes[k].offset : 0.0;
      r->v[k] -= !is_pinned && r->modes[j].is_pinned ? entry * r->modes[j].offset : 0.0;
    }
  }
  for (size_t k = 0; k < n; k++) {
    r->v[k] = r->modes[k].is_pinned ? r->modes[k].offset : r->v[k];
  }
  sn__sparse_factor(s, r->factors);
  sn__sparse_solve(s, r->factors, r->v);
}

static bool is_same(const sn__axle_mode *a, const sn__axle_mode *b) {
  return a->is_pinned == b->is_pinned && a->slope == b->slope && a->offset == b->offset;
}

/* The velocity of row k changes: so does what all feel that are coupled to it. */
static void change(sn__rigid *r, size_t k, double by) {
  const size_t n = r->shape.count;
  r->v[k] += by;
  for (size_t j = 0; j < n; j++) { /* entries outside of the shape are 0 */
    r->av[j] += r->a[k * n + j] * by;
  }
}

/* The best of one joint while the others keep their velocities. */
static double best_of(const sn__rigid *r, const sn__axle *axles, const double *q, double h,
                      size_t k, sn__axle_mode *mode) {
  const size_t place = (size_t)r->shape.place[k];
  const double own = r->a[k * r->shape.count + k];
  return sn__axle_solve(&axles[place], own, r->b[k] - (r->av[k] - own * r->v[k]), q[place], h,
                        r->lower[k], r->upper[k], mode);
}

/* The pieces that joints would be on if the others went on as they do. */
static void guess(sn__rigid *r, const sn__axle *axles, const double *q, double h) {
  sn__sparse_apply(&r->shape, r->a, r->v, r->av);
  for (size_t k = 0; k < r->shape.count; k++) {
    if (axles[r->shape.place[k]].moves) {
      (void)best_of(r, axles, q, h, k, &r->modes[k]);
    }
  }
}

/* Bring each joint to its own optimum, one after the other, starting from v.
   @param all  also those whose mode is as before
   @return the largest change of a velocity; 0: v is the solution */
static double sweep(sn__rigid *r, const sn__axle *axles, const double *q, double h, bool all) {
  double largest = 0.0;
  sn__sparse_apply(&r->shape, r->a, r->v, r->av);
  for (size_t k = 0; k < r->shape.count; k++) {
    if (!axles[r->shape.place[k]].moves) {
      continue;
    }
    sn__axle_mode mode;
    const double v = best_of(r, axles, q, h, k, &mode);
    if (all || !is_same(&mode, &r->modes[k])) {
      largest = fmax(largest, fabs(v - r->v[k]));
      r->modes[k] = mode;
      change(r, k, v - r->v[k]);
    }
  }
  return largest;
}

/* How steeply the function rises at a share of the way. */
static double steepness(const sn__rigid *r, const sn__axle *axles, const double *q, double h,
                        double share) {
  double sum = 0.0;
  for (size_t k = 0; k < r->shape.count; k++) {
    const size_t place = (size_t)r->shape.place[k];
    if (axles[place].moves && r->way[k] != 0.0) {
      const double v = r->from[k] + share * r->way[k];
      const double own = sn__axle_resistance(&axles[place], q[place], v, h, r->way[k]);
      sum += r->way[k] * (r->av[k] + share * r->a_way[k] - r->b[k] + h * own);
    }
  }
  return sum;
}

/* Go from `from` towards v, as far as it leads down and no bound is passed. */
static void search(sn__rigid *r, const sn__axle *axles, const double *q, double h) {
  const size_t n = r->shape.count;
  double most = 1.0;
  for (size_t k = 0; k < n; k++) {
    const double way = r->v[k] - r->from[k], end = way > 0.0 ? r->upper[k] : r->lower[k];
    const bool is_stuck = (end - r->from[k]) * way <= 0.0;
    r->way[k] = is_stuck ? 0.0 : way;
    most = is_stuck ? most : fmin(most, (end - r->from[k]) / way);
  }
  sn__sparse_apply(&r->shape, r->a, r->from, r->av);
  sn__sparse_apply(&r->shape, r->a, r->way, r->a_way);
  double low = 0.0, high = most;
  for (int i = 0; i < HALVINGS_MAX && steepness(r, axles, q, h, high) > 0.0; i++) {
    const double middle = 0.5 * (low + high);
    if (steepness(r, axles, q, h, middle) > 0.0) {
      high = middle;
    } else {
      low = middle;
      if (high - low < 1e-6 * high) {
        break;
      }
    }
  }
  const double share = steepness(r, axles, q, h, high) > 0.0 ? low : high;
  for (size_t k = 0; k < n; k++) {
    r->v[k] = sn__clamp(r->from[k] + share * r->way[k], r->lower[k], r->upper[k]);
  }
}

static void solve(sn__rigid *r, const sn__axle *axles, const double *q, double h) {
  const size_t size = r->shape.count * sizeof *r->v;
  r->counts.steps++;
  guess(r, axles, q, h);
  for (int i = 0; i < GUESSES_MAX; i++) {
    r->counts.solves++;
    memcpy(r->from, r->v, size);
    solve_modes(r);
    memcpy(r->way, r->v, size);
    if (sweep(r, axles, q, h, false) <= 1e-12) {
      return;
    }
    if (i >= BOLD_MAX) {
      memcpy(r->v, r->way, size);
      search(r, axles, q, h);
      (void)sweep(r, axles, q, h, true);
    }
  }
  r->counts.failures++;
}

static void finish(sn__rigid *r, const sn__axle *axles, double h, sn__joint_motion *m) {
  const size_t n = r->shape.count;
  for (size_t k = 0; k < n; k++) {
    const size_t place = (size_t)r->shape.place[k];
    const double v = axles[place].moves ? sn__clamp(r->v[k], r->lower[k], r->upper[k]) : 0.0;
    m->qdd[place] = (v - m->qd[place]) / h;
    m->qd[place] = v;
    r->b[k] = m->qdd[place];
  }
  sn__sparse_apply(&r->shape, r->a, r->b, r->av);
  for (size_t k = 0; k < n; k++) {
    const size_t place = (size_t)r->shape.place[k];
    const sn__axle *axle = &axles[place];
    m->load[place] = 0.0;
    if (axle->moves) {
      m->load[place] = r->av[k] - axle->inertia * m->qdd[place] + r->bias[place] - axle->push;
      const double q = m->q[place], next = q + h * m->qd[place];
      m->q[place] = sn__clamp(next, fmin(axle->lower, q), fmax(axle->upper, q));
    }
  }
}

static void step(sn__physics *physics, const sn__axle *axles, sn_vec3 gravity, double h,
                 sn__joint_motion *motion) {
  sn__rigid *r = (sn__rigid *)physics;
  fill_matrix(r, axles, gravity, motion);
  fill_sides(r, axles, h, motion);
  solve(r, axles, motion->q, h);
  finish(r, axles, h, motion);
}
