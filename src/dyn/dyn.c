#include "sinew/dyn.h"

#include "base/fail.h"
#include "dyn/data.h"
#include "sinew/fault.h"

static sn__mass make_mass(const sn_inertia *inertia) {
  const sn_sym3 t = inertia->tensor;
  const double half = 0.5 * (t.xx + t.yy + t.zz);
  return (sn__mass){
      inertia->mass_kg, inertia->h, {half - t.xx, half - t.yy, half - t.zz, -t.xy, -t.xz, -t.yz}};
}

/* All entries are used, each by one body, unscaled: the mass matrix has the sparsity of the tree.
 */
static bool is_simple(const sn_tree *tree) {
  return !tree->has_mimic && tree->coord_count == tree->body_count;
}

static bool allocate(sn_arena *arena, const sn_tree *tree, sn_dyn_data *data) {
  const size_t n = tree->body_count;
  const size_t size = (n > tree->coord_count ? n : tree->coord_count) + 6;
  data->mass = SN_NEW(arena, sn__mass, n + 1);
  data->motion = SN_NEW(arena, sn__motion, n + 1);
  data->force = SN_NEW(arena, sn_spatial, n + 1);
  data->articulated = SN_NEW(arena, sn__articulated, n + 1);
  data->pose = SN_NEW(arena, sn_pose, n);
  data->composed = SN_NEW(arena, sn_inertia, n);
  data->axis = SN_NEW(arena, sn_spatial, n);
  data->momentum = SN_NEW(arena, sn_spatial, n);
  data->idle = SN_NEW(arena, bool, tree->coord_count);
  data->matrix = SN_NEW(arena, double, size *size);
  data->vector = SN_NEW(arena, double, size);
  return sn__joints_create(arena, tree, &data->joints) && data->mass != NULL &&
         data->motion != NULL && data->force != NULL && data->articulated != NULL &&
         data->pose != NULL && data->composed != NULL && data->axis != NULL &&
         data->momentum != NULL && data->idle != NULL && data->matrix != NULL &&
         data->vector != NULL;
}

sn_status sn_dyn_create(sn_arena *arena, const sn_tree *tree, sn_dyn_data **out, sn_error *err) {
  SN_ASSERT(tree != NULL);
  SN_ASSERT(out != NULL);
  if (tree->massless_link != NULL) {
    return sn__fail(err, SN_EMODEL, "dynamics: link '%s' moves but has no inertia",
                    tree->massless_link);
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_dyn_data *data = SN_NEW(arena, sn_dyn_data, 1);
  if (data == NULL || !allocate(arena, tree, data)) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "dynamics: no room in arena '%s'", sn_arena_name(arena));
  }
  data->tree = tree;
  data->simple = is_simple(tree);
  data->mass[0] = make_mass(&tree->base_inertia);
  for (size_t i = 0; i < tree->body_count; i++) {
    data->mass[i + 1] = make_mass(&tree->inertia[i]);
  }
  for (size_t j = 0; j < tree->coord_count; j++) {
    data->idle[j] = true;
  }
  for (size_t i = 0; i < tree->body_count; i++) {
    data->idle[tree->coord[i]] = false;
  }
  *out = data;
  return SN_OK;
}

sn_dyn_world sn__dyn_world_or_default(const sn_dyn_world *world) {
  return world != NULL ? *world : (sn_dyn_world){.gravity = {0, 0, -9.81}};
}

sn_base_state sn__dyn_base_or_default(const sn_base_state *base) {
  return base != NULL ? *base : (sn_base_state){.pose_world_base = sn_pose_identity()};
}

void sn__dyn_poses(sn_dyn_data *data, const double *q) {
  sn__joints_update(data->tree, q, &data->joints);
  sn__tree_poses(data->tree, &data->joints, data->pose);
}
