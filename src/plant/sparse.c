#include "plant/sparse.h"

/* From the tips: an entry is eliminated with the last body that it moves. Entries that move nothing
   come first. */
static void order_entries(const sn_tree *tree, size_t n, int *place) {
  size_t row = 0;
  for (size_t j = 0; j < n; j++) {
    bool moves = false;
    for (size_t i = 0; tree != NULL && i < tree->body_count; i++) {
      moves = moves || tree->coord[i] == (int)j;
    }
    if (!moves) {
      place[row++] = (int)j;
    }
  }
  for (size_t i = tree == NULL ? 0 : tree->body_count; i-- > 0;) {
    bool is_last = true;
    for (size_t k = i + 1; k < tree->body_count; k++) {
      is_last = is_last && tree->coord[k] != tree->coord[i];
    }
    if (is_last) {
      place[row++] = tree->coord[i];
    }
  }
}

/* Joints are coupled if they lie on one path from a tip to the base. */
static void mark_coupled(const sn_tree *tree, size_t n, const int *row_of, bool *full) {
  for (size_t i = 0; tree != NULL && i < tree->body_count; i++) {
    for (int j = (int)i; j >= 0; j = tree->parent[j]) {
      const size_t a = (size_t)row_of[tree->coord[i]], b = (size_t)row_of[tree->coord[j]];
      full[a * n + b] = full[b * n + a] = true;
    }
  }
}

/* Every row that moves a body is coupled to the base; the rows of the base are coupled. */
static void mark_base(const sn_tree *tree, size_t n, const int *row_of, bool *full) {
  for (size_t b = n - 6; b < n; b++) {
    for (size_t i = 0; tree != NULL && i < tree->body_count; i++) {
      const size_t a = (size_t)row_of[tree->coord[i]];
      full[a * n + b] = full[b * n + a] = true;
    }
    for (size_t a = n - 6; a < n; a++) {
      full[a * n + b] = true;
    }
  }
}

/* Eliminating row k couples all its neighbours. @return entries right of the diagonal */
static size_t mark_filled(size_t n, bool *full) {
  size_t count = 0;
  for (size_t k = 0; k < n; k++) {
    for (size_t i = k + 1; i < n; i++) {
      count += full[k * n + i];
      for (size_t j = k + 1; full[k * n + i] && j < n; j++) {
        full[i * n + j] = full[i * n + j] || full[k * n + j];
      }
    }
  }
  return count;
}

bool sn__sparse_create(sn_arena *arena, const sn_tree *tree, size_t entries, bool floats,
                       sn__sparse *out) {
  const size_t n = entries + (floats ? 6 : 0);
  *out = (sn__sparse){
      .count = n, .place = SN_NEW(arena, int, n), .start = SN_NEW(arena, size_t, n + 1)};
  int *row_of = SN_NEW(arena, int, n);
  bool *full = SN_NEW(arena, bool, n *n);
  if (out->place == NULL || out->start == NULL || row_of == NULL || full == NULL) {
    return false;
  }
  order_entries(tree, entries, out->place);
  for (size_t k = 0; k < entries; k++) {
    row_of[out->place[k]] = (int)k;
  }
  mark_coupled(tree, n, row_of, full);
  if (floats) {
    for (size_t k = entries; k < n; k++) {
      out->place[k] = (int)k - (int)n;
    }
    mark_base(tree, n, row_of, full);
  }
  out->above = SN_NEW(arena, int, mark_filled(n, full) + 1);
  size_t count = 0;
  for (size_t k = 0; out->above != NULL && k < n; k++) {
    out->start[k] = count;
    for (size_t i = k + 1; i < n; i++) {
      if (full[k * n + i]) {
        out->above[count++] = (int)i;
      }
    }
  }
  out->start[n] = count;
  return out->above != NULL;
}

void sn__sparse_factor(const sn__sparse *s, double *a) {
  const size_t n = s->count;
  for (size_t k = 0; k < n; k++) {
    double *row = a + k * n;
    const int *end = s->above + s->start[k + 1];
    /* The pivot; the original entry is at least the inertia of a rotor. */
    row[k] = row[k] > 1e-12 ? row[k] : 1e-12;
    const double inverse = 1.0 / row[k];
    for (const int *i = s->above + s->start[k]; i < end; i++) {
      const double factor = row[*i] * inverse;
      for (const int *j = i; j < end; j++) {
        a[(size_t)*i * n + (size_t)*j] -= factor * row[*j];
      }
    }
    for (const int *i = s->above + s->start[k]; i < end; i++) {
      row[*i] *= inverse;
    }
  }
}

void sn__sparse_solve(const sn__sparse *s, const double *a, double *x) {
  const size_t n = s->count;
  for (size_t k = 0; k < n; k++) {
    const double *row = a + k * n;
    for (size_t i = s->start[k]; i < s->start[k + 1]; i++) {
      x[s->above[i]] -= row[s->above[i]] * x[k];
    }
  }
  for (size_t k = n; k-- > 0;) {
    const double *row = a + k * n;
    x[k] /= row[k];
    for (size_t i = s->start[k]; i < s->start[k + 1]; i++) {
      x[k] -= row[s->above[i]] * x[s->above[i]];
    }
  }
}

void sn__sparse_apply(const sn__sparse *s, const double *a, const double *x, double *y) {
  const size_t n = s->count;
  for (size_t k = 0; k < n; k++) {
    y[k] = a[k * n + k] * x[k];
  }
  for (size_t k = 0; k < n; k++) {
    const double *row = a + k * n;
    for (size_t i = s->start[k]; i < s->start[k + 1]; i++) {
      const size_t j = (size_t)s->above[i];
      y[k] += row[j] * x[j];
      y[j] += row[j] * x[k];
    }
  }
}
