#include "plant/rigid/articulated.h"

#include "sinew/dense.h"

/* ---- creation ---- */

static size_t bodies_of(const sn_tree *tree, int entry) {
  size_t count = 0;
  for (size_t i = 0; i < tree->body_count; i++) {
    count += tree->coord[i] == entry;
  }
  return count;
}

static bool allocate(sn__articulated_tree *t, sn_arena *arena) {
  const size_t rows = t->row_count + 1, shared = t->shared_count;
  t->branches = SN_NEW(arena, sn__branch, t->branch_count);
  t->force = SN_NEW(arena, sn__vec6, t->branch_count);
  t->twist = SN_NEW(arena, sn__vec6, t->branch_count);
  t->forces = SN_NEW(arena, sn_spatial, t->branch_count);
  t->twists = SN_NEW(arena, sn_spatial, t->branch_count);
  t->composed = SN_NEW(arena, sn_inertia, t->branch_count);
  t->composed_slope = SN_NEW(arena, sn__sym6, t->branch_count);
  t->has_slope = SN_NEW(arena, bool, t->branch_count);
  t->shared = SN_NEW(arena, int, shared + 1);
  t->columns = SN_NEW(arena, double, shared *rows + 1);
  t->square = SN_NEW(arena, double, shared *shared + 1);
  t->side = SN_NEW(arena, double, shared + 1);
  t->diagonal = SN_NEW(arena, double, rows);
  t->product = SN_NEW(arena, double, rows);
  t->unit = SN_NEW(arena, double, rows);
  return t->branches != NULL && t->force != NULL && t->twist != NULL && t->forces != NULL &&
         t->twists != NULL && t->composed != NULL && t->composed_slope != NULL &&
         t->has_slope != NULL && t->shared != NULL && t->columns != NULL && t->square != NULL &&
         t->side != NULL && t->diagonal != NULL && t->product != NULL && t->unit != NULL;
}

static void connect(sn__articulated_tree *t) {
  const sn_tree *tree = t->tree;
  t->branches[0] = (sn__branch){.row = -1};
  for (size_t i = 0; tree != NULL && i < tree->body_count; i++) {
    t->branches[i + 1] = (sn__branch){.row = tree->coord[i],
                                      .parent = tree->parent[i] + 1,
                                      .is_shared = bodies_of(tree, tree->coord[i]) > 1};
  }
  size_t count = 0;
  for (size_t k = 0; tree != NULL && k < t->entry_count; k++) {
    if (bodies_of(tree, (int)k) > 1) {
      t->shared[count++] = (int)k;
    }
  }
}

bool sn__articulated_create(sn_arena *arena, const sn_tree *tree, size_t entries, bool floats,
                            sn__articulated_tree *out) {
  *out = (sn__articulated_tree){.tree = tree,
                                .floats = floats,
                                .entry_count = entries,
                                .row_count = entries + (floats ? 6 : 0),
                                .branch_count = 1 + (tree == NULL ? 0 : tree->body_count)};
  for (size_t k = 0; tree != NULL && k < entries; k++) {
    out->shared_count += bodies_of(tree, (int)k) > 1;
  }
  if ((tree != NULL && sn__dyn_create_small(arena, tree, &out->dyn, NULL) != SN_OK) ||
      !allocate(out, arena)) {
    return false;
  }
  connect(out);
  return true;
}

/* ---- a step ---- */

void sn__articulated_update(sn__articulated_tree *t, const double *q) {
  const sn_tree *tree = t->tree;
  t->branches[0].slope = NULL;
  if (tree == NULL) {
    return;
  }
  sn_dyn_data *dyn = t->dyn;
  sn__joints_update(tree, q, &dyn->joints);
  t->branches[0].inertia = dyn->inertia[0];
  sn__rows pose = sn__rows_identity();
  for (size_t i = 0; i < tree->body_count; i++) {
    pose = sn__tree_step(tree, &dyn->joints, i, &pose, dyn->pose);
    dyn->pose[i] = pose;
    const sn__moment_sum sum = sn__dyn_moments(&dyn->body[i + 1], &pose);
    sn__branch *b = &t->branches[i + 1];
    b->inertia = sn__moment_sum_inertia(&sum);
    b->axis = sn_spatial_scale(sn__dyn_axis(&pose, tree->prismatic[i]), tree->q_scale[i]);
    b->slope = NULL;
  }
}

static sn_spatial base_of(const sn__articulated_tree *t, const double *x) {
  const double *v = x + t->entry_count;
  const sn_spatial at_rest = {{0, 0, 0}, {0, 0, 0}};
  return t->floats ? (sn_spatial){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}} : at_rest;
}

void sn__articulated_twists(const sn__articulated_tree *t, const double *x, sn_spatial *twists) {
  twists[0] = base_of(t, x);
  for (size_t i = 1; i < t->branch_count; i++) {
    const sn__branch *b = &t->branches[i];
    twists[i] = sn_spatial_add(twists[b->parent], sn_spatial_scale(b->axis, x[b->row]));
  }
}

static void add_base(const sn__articulated_tree *t, sn_spatial force, double *rows) {
  if (t->floats) {
    double *to = rows + t->entry_count;
    to[0] += force.ang.x;
    to[1] += force.ang.y;
    to[2] += force.ang.z;
    to[3] += force.lin.x;
    to[4] += force.lin.y;
    to[5] += force.lin.z;
  }
}

void sn__articulated_gather(const sn__articulated_tree *t, sn_spatial *forces, double *rows) {
  for (size_t i = t->branch_count; i-- > 1;) {
    const sn__branch *b = &t->branches[i];
    rows[b->row] += sn_spatial_dot(b->axis, forces[i]);
    forces[b->parent] = sn_spatial_add(forces[b->parent], forces[i]);
  }
  add_base(t, forces[0], rows);
}

void sn__articulated_apply(sn__articulated_tree *t, const double *x, double *y) {
  sn__articulated_twists(t, x, t->twists);
  for (size_t i = 0; i < t->branch_count; i++) {
    const sn__branch *b = &t->branches[i];
    t->forces[i] = sn_inertia_apply(b->inertia, t->twists[i]);
    if (b->slope != NULL) {
      sn_spatial more;
      sn__vec6_store(sn__sym6_apply(b->slope, sn__vec6_load(&t->twists[i])), &more);
      t->forces[i] = sn_spatial_add(t->forces[i], more);
    }
  }
  for (size_t k = 0; k < t->row_count; k++) {
    y[k] = t->diagonal[k] * x[k];
  }
  sn__articulated_gather(t, t->forces, y);
}

/* ---- composed bodies ---- */

static sn_inertia add_inertia(sn_inertia a, sn_inertia b) {
  const sn_sym3 s = a.tensor, t = b.tensor;
  return (sn_inertia){
      a.mass_kg + b.mass_kg,
      sn_vec3_add(a.h, b.h),
      {s.xx + t.xx, s.yy + t.yy, s.zz + t.zz, s.xy + t.xy, s.xz + t.xz, s.yz + t.yz}};
}

static void carry_slope(sn__articulated_tree *t, size_t from, size_t to) {
  if (t->has_slope[from] && t->has_slope[to]) {
    for (int k = 0; k < 6; k++) {
      sn__vec6 *column = &t->composed_slope[to].column[k];
      *column = sn__vec6_add(*column, t->composed_slope[from].column[k]);
    }
  } else if (t->has_slope[from]) {
    t->composed_slope[to] = t->composed_slope[from];
    t->has_slope[to] = true;
  }
}

double sn__articulated_change(const sn__articulated_tree *t, size_t i, sn_spatial more) {
  const sn_spatial axis = t->branches[i].axis;
  double sum = sn_spatial_dot(axis, sn_inertia_apply(t->composed[i], more));
  if (t->has_slope[i]) {
    const sn__vec6 force = sn__sym6_apply(&t->composed_slope[i], sn__vec6_load(&more));
    sum += sn__vec6_dot(sn__vec6_load(&axis), force);
  }
  return sum;
}

/* The rows of the base. */
static void add_whole(const sn__articulated_tree *t, double *out) {
  const sn_inertia whole = t->composed[0];
  double slope[36] = {0};
  if (t->has_slope[0]) {
    memcpy(slope, &t->composed_slope[0], sizeof slope);
  }
  const sn_spatial base = {
      {whole.tensor.xx + slope[0], whole.tensor.yy + slope[7], whole.tensor.zz + slope[14]},
      {whole.mass_kg + slope[21], whole.mass_kg + slope[28], whole.mass_kg + slope[35]}};
  add_base(t, base, out);
}

/* Entries that move several bodies: by the product with a unit vector. */
static void find_shared(sn__articulated_tree *t, double *out) {
  for (size_t j = 0; j < t->shared_count; j++) {
    t->unit[t->shared[j]] = 1.0;
    sn__articulated_apply(t, t->unit, t->product);
    out[t->shared[j]] = t->product[t->shared[j]];
    t->unit[t->shared[j]] = 0.0;
  }
}

void sn__articulated_compose(sn__articulated_tree *t, double *diagonal) {
  memcpy(diagonal, t->diagonal, t->row_count * sizeof *diagonal);
  for (size_t i = 0; i < t->branch_count; i++) {
    const sn__branch *b = &t->branches[i];
    t->composed[i] = b->inertia;
    t->has_slope[i] = b->slope != NULL;
    if (b->slope != NULL) {
      t->composed_slope[i] = *b->slope;
    }
  }
  for (size_t i = t->branch_count; i-- > 1;) {
    const sn__branch *b = &t->branches[i];
    diagonal[b->row] += sn__articulated_change(t, i, b->axis);
    t->composed[b->parent] = add_inertia(t->composed[b->parent], t->composed[i]);
    carry_slope(t, i, (size_t)b->parent);
  }
  add_whole(t, diagonal);
  find_shared(t, diagonal);
}

/* ---- solution ---- */

/* A pivot that rounding made too small is raised; with exact arithmetic it is at least the inertia
   of a rotor. */
static double inverse_of(double pivot) {
  return 1.0 / (pivot > 1e-12 ? pivot : 1e-12);
}

static void factor_root(sn__articulated_tree *t) {
  if (t->floats) {
    memcpy(t->root, &t->branches[0].articulated, sizeof t->root); /* symmetric */
    for (size_t k = 0; k < 6; k++) {
      t->root[7 * k] += t->diagonal[t->entry_count + k];
    }
    (void)sn_cholesky_factor(6, t->root);
  }
}

/* Articulated bodies, from the tips. */
static void factor(sn__articulated_tree *t, const bool *is_locked, const double *extra) {
  for (size_t i = 0; i < t->branch_count; i++) {
    sn__branch *b = &t->branches[i];
    b->articulated = sn__sym6_from_inertia(&b->inertia);
    for (int k = 0; b->slope != NULL && k < 6; k++) {
      b->articulated.column[k] = sn__vec6_add(b->articulated.column[k], b->slope->column[k]);
    }
  }
  for (size_t i = t->branch_count; i-- > 1;) {
    sn__branch *b = &t->branches[i];
    const sn__vec6 axis = sn__vec6_load(&b->axis);
    b->is_locked = b->is_shared || is_locked[b->row];
    b->pull = sn__sym6_apply(&b->articulated, axis);
    b->resistance = sn__vec6_dot(axis, b->pull) + t->diagonal[b->row];
    b->inverse = b->is_locked ? 0.0 : inverse_of(b->resistance + extra[b->row]);
    sn__sym6_add_reduced(&t->branches[b->parent].articulated, &b->articulated, b->inverse, b->pull);
  }
  factor_root(t);
}

static void solve_root(sn__articulated_tree *t, double *x) {
  double *base = x + t->entry_count;
  if (t->floats) {
    double carried[6];
    memcpy(carried, &t->force[0], sizeof carried);
    for (size_t k = 0; k < 6; k++) {
      base[k] -= carried[k];
    }
    sn_cholesky_solve(6, t->root, base);
  }
}

/* Solve with the factors; entries that move several bodies are locked.
   @param x in: right-hand side or the given value; out: solution */
static void substitute(sn__articulated_tree *t, double *x) {
  memset(t->force, 0, t->branch_count * sizeof *t->force);
  for (size_t i = t->branch_count; i-- > 1;) {
    sn__branch *b = &t->branches[i];
    const double own = x[b->row];
    b->given = b->is_locked ? own : own - sn__vec6_dot(sn__vec6_load(&b->axis), t->force[i]);
    const sn__vec6 passed =
        sn__vec6_add_scaled(t->force[i], b->is_locked ? own : b->given * b->inverse, b->pull);
    t->force[b->parent] = sn__vec6_add(t->force[b->parent], passed);
  }
  solve_root(t, x);
  const sn_spatial base = base_of(t, x);
  t->twist[0] = sn__vec6_load(&base);
  for (size_t i = 1; i < t->branch_count; i++) {
    const sn__branch *b = &t->branches[i];
    const sn__vec6 carried = t->twist[b->parent];
    const double v =
        b->is_locked ? b->given : b->inverse * (b->given - sn__vec6_dot(b->pull, carried));
    t->twist[i] = sn__vec6_add_scaled(carried, v, sn__vec6_load(&b->axis));
    x[b->row] = v;
  }
}

/* Rows without bodies: the matrix is diagonal there. */
static void solve_bodiless(const sn__articulated_tree *t, const bool *is_locked,
                           const double *extra, double *x) {
  for (size_t k = 0; t->tree == NULL && k < t->entry_count; k++) {
    x[k] = is_locked[k] ? x[k] : x[k] * inverse_of(t->diagonal[k] + extra[k]);
  }
}

/* The solution with unit value of shared entry j and zero elsewhere, and its product with A. */
static void solve_unit(sn__articulated_tree *t, size_t j, const bool *is_locked,
                       const double *extra) {
  double *column = t->columns + j * t->row_count;
  memset(column, 0, t->row_count * sizeof *column);
  column[t->shared[j]] = 1.0;
  substitute(t, column);
  sn__articulated_apply(t, column, t->product);
  for (size_t i = 0; i < t->shared_count; i++) {
    const int row = t->shared[i];
    t->square[i * t->shared_count + j] =
        is_locked[row] ? 0.0 : t->product[row] + (i == j ? extra[row] : 0.0);
  }
}

/* Entries that move several bodies: x is linear in them. */
static void solve_shared(sn__articulated_tree *t, const bool *is_locked, const double *extra,
                         double *x) {
  const size_t n = t->shared_count;
  for (size_t j = 0; j < n; j++) {
    const int row = t->shared[j];
    t->side[j] = is_locked[row] ? 0.0 : x[row];
    x[row] = is_locked[row] ? x[row] : 0.0;
  }
  substitute(t, x);
  sn__articulated_apply(t, x, t->product);
  for (size_t j = 0; j < n; j++) {
    t->side[j] -= is_locked[t->shared[j]] ? 0.0 : t->product[t->shared[j]];
  }
  for (size_t j = 0; j < n; j++) {
    if (!is_locked[t->shared[j]]) {
      solve_unit(t, j, is_locked, extra);
    }
  }
  for (size_t j = 0; j < n; j++) {
    if (is_locked[t->shared[j]]) { /* a row and a column of the identity */
      for (size_t i = 0; i < n; i++) {
        t->square[i * n + j] = t->square[j * n + i] = i == j ? 1.0 : 0.0;
      }
    }
  }
  (void)sn_cholesky_factor(n, t->square);
  sn_cholesky_solve(n, t->square, t->side);
  for (size_t j = 0; j < n; j++) {
    const double *column = t->columns + j * t->row_count;
    for (size_t k = 0; !is_locked[t->shared[j]] && k < t->row_count; k++) {
      x[k] += t->side[j] * column[k];
    }
  }
}

void sn__articulated_solve(sn__articulated_tree *t, const bool *is_locked, const double *extra,
                           double *x) {
  factor(t, is_locked, extra);
  if (t->shared_count == 0) {
    substitute(t, x);
  } else {
    solve_shared(t, is_locked, extra, x);
  }
  solve_bodiless(t, is_locked, extra, x);
}
