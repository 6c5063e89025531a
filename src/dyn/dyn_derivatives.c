#include "sinew/dyn_derivatives.h"

#include "base/fail.h"
#include "dyn/partial.h"
#include "sinew/fault.h"

/* The mass matrix has the sparsity of the tree if every body has its own entry; otherwise it is
   dense. The base is a chain of six rows below all others. */
static void fill_system(const sn_dyn_data *dyn, size_t base_rows, int *up, int *entry,
                        sn__system *out) {
  const sn_tree *tree = dyn->tree;
  const size_t size = tree->coord_count + base_rows;
  const int first = (int)base_rows;
  for (size_t row = 0; row < size; row++) {
    up[row] = (int)row - 1;
    entry[row] = (int)row;
    if (dyn->simple && row >= base_rows) {
      const int parent = tree->parent[row - base_rows];
      up[row] = parent < 0 ? first - 1 : parent + first;
      entry[row] = tree->coord[row - base_rows] + first;
    }
  }
  *out = (sn__system){size, up, entry};
}

static bool allocate(sn_arena *arena, const sn_tree *tree, sn_dyn_derivatives *data) {
  const size_t n = tree->coord_count, size = n + 6;
  data->body = SN_NEW(arena, sn__partial, tree->body_count + 1);
  data->mass = SN_NEW(arena, double, size *size);
  data->matrix = SN_NEW(arena, double, size *size);
  data->by[0] = SN_NEW(arena, double, size *size);
  data->by[1] = SN_NEW(arena, double, size *size);
  data->panel = SN_NEW(arena, sn__panel, size);
  data->vector = SN_NEW(arena, double, size);
  int *rows = SN_NEW(arena, int, 4 * size);
  if (data->body == NULL || data->mass == NULL || data->matrix == NULL || data->by[0] == NULL ||
      data->by[1] == NULL || data->panel == NULL || data->vector == NULL || rows == NULL) {
    return false;
  }
  fill_system(data->dyn, 0, rows, rows + size, &data->fixed);
  fill_system(data->dyn, 6, rows + 2 * size, rows + 3 * size, &data->floating);
  return true;
}

sn_status sn_dyn_derivatives_create(sn_arena *arena, const sn_tree *tree, sn_dyn_derivatives **out,
                                    sn_error *err) {
  SN_ASSERT(tree != NULL);
  SN_ASSERT(out != NULL);
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_dyn_data *dyn = NULL;
  const sn_status status = sn_dyn_create(arena, tree, &dyn, err);
  if (status != SN_OK) {
    return status;
  }
  sn_dyn_derivatives *data = SN_NEW(arena, sn_dyn_derivatives, 1);
  if (data != NULL) {
    data->dyn = dyn;
  }
  if (data == NULL || !allocate(arena, tree, data)) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "derivatives: no room in arena '%s'", sn_arena_name(arena));
  }
  *out = data;
  return SN_OK;
}
