#include "sinew/dyn.h"

#include "base/fail.h"
#include "dyn/data.h"
#include "math/inertia.h"
#include "sinew/fault.h"

/* All entries are used, each by one body that has or carries mass, unscaled: the mass matrix has
   the sparsity of the tree. */
static bool is_simple(const sn_dyn_data *data) {
  bool has_weightless = false;
  for (size_t j = 0; j < data->tree->coord_count; j++) {
    has_weightless = has_weightless || data->idle[j];
  }
  return !data->tree->has_mimic && data->tree->coord_count == data->tree->body_count &&
         !has_weightless;
}

static bool has_inertia(const sn_inertia *i) {
  return i->mass_kg > 0.0 || i->tensor.xx > 0.0 || i->tensor.yy > 0.0 || i->tensor.zz > 0.0;
}

/* From the tips: a body is weightless until it or one that it carries has mass. An entry is idle if
   it moves only such bodies, or none. */
static void find_weightless(sn_dyn_data *data) {
  const sn_tree *tree = data->tree;
  for (size_t i = 0; i < tree->body_count; i++) {
    data->body[i + 1].weightless = true;
  }
  for (size_t j = 0; j < tree->coord_count; j++) {
    data->idle[j] = true;
  }
  for (size_t i = tree->body_count; i-- > 0;) {
    sn__body *body = &data->body[i + 1];
    body->weightless = body->weightless && !has_inertia(&tree->inertia[i]);
    if (!body->weightless) {
      data->body[tree->parent[i] + 1].weightless = false;
      data->idle[tree->coord[i]] = false;
    }
  }
}

static bool allocate(sn_arena *arena, const sn_tree *tree, bool with_matrix, sn_dyn_data *data) {
  const size_t n = tree->body_count;
  const size_t size = (n > tree->coord_count ? n : tree->coord_count) + 6;
  data->body = SN_NEW(arena, sn__body, n + 1);
  data->inertia = SN_NEW(arena, sn_inertia, n + 1);
  data->motion = SN_NEW(arena, sn__motion, n + 1);
  data->force = SN_NEW(arena, sn__vec3_pair, n + 1);
  data->acceleration = SN_NEW(arena, sn__vec6, n + 1);
  data->articulated = SN_NEW(arena, sn__articulated, n + 1);
  data->pose = SN_NEW(arena, sn__rows, n);
  data->composed = SN_NEW(arena, sn__moment_sum, n);
  data->axis = SN_NEW(arena, sn_spatial, n);
  data->momentum = SN_NEW(arena, sn_spatial, n);
  data->idle = SN_NEW(arena, bool, tree->coord_count);
  data->matrix = with_matrix ? SN_NEW(arena, double, size *size) : NULL;
  data->vector = SN_NEW(arena, double, size);
  return sn__joints_create(arena, tree, &data->joints) && data->body != NULL &&
         data->inertia != NULL && data->motion != NULL && data->force != NULL &&
         data->acceleration != NULL && data->articulated != NULL && data->pose != NULL &&
         data->composed != NULL && data->axis != NULL && data->momentum != NULL &&
         data->idle != NULL && (data->matrix != NULL || !with_matrix) && data->vector != NULL;
}

static sn_inertia subtract(sn_inertia a, sn_inertia b) {
  const sn_inertia negative = {
      -b.mass_kg,
      sn_vec3_neg(b.h),
      {-b.tensor.xx, -b.tensor.yy, -b.tensor.zz, -b.tensor.xy, -b.tensor.xz, -b.tensor.yz}};
  return sn__inertia_add(a, negative);
}

/* From the tips, so that what a body passes on includes what it received. */
static void fill_bodies(sn_dyn_data *data) {
  const sn_tree *tree = data->tree;
  for (size_t i = 0; i < tree->body_count; i++) {
    data->inertia[i + 1] = tree->inertia[i];
    const sn_pose *pose = &tree->pose_parent_joint[i];
    const sn_vec3 zero = {0, 0, 0};
    data->body[i + 1] =
        (sn__body){.rot = sn__rot_pair_make(pose->rot),
                   .lever = {sn__vec3_pair_make(sn_vec3_cross(pose->pos, pose->rot.x), zero),
                             sn__vec3_pair_make(sn_vec3_cross(pose->pos, pose->rot.y), zero),
                             sn__vec3_pair_make(sn_vec3_cross(pose->pos, pose->rot.z), zero)},
                   .pos = pose->pos,
                   .scale = tree->q_scale[i],
                   .parent = tree->parent[i],
                   .coord = tree->coord[i],
                   .slides = tree->prismatic[i]};
  }
  data->inertia[0] = tree->base_inertia;
  for (size_t i = tree->body_count; i-- > 0;) {
    sn_inertia *own = &data->inertia[i + 1], *parent = &data->inertia[tree->parent[i] + 1];
    if (!tree->prismatic[i]) {
      const sn_inertia axial = sn__moments_on_axis(own);
      *own = subtract(*own, axial);
      *parent = sn__inertia_add(*parent, sn__inertia_out(tree->pose_parent_joint[i], axial));
    }
    data->body[i + 1].moments = sn__moments_make(own);
    if (!tree->prismatic[i]) { /* exactly, not to rounding */
      data->body[i + 1].moments.z.zp = sn__pair_both(0.0);
      data->body[i + 1].moments.w.zp = sn__pair_both(0.0);
    }
  }
  data->body[0].moments = sn__moments_make(&data->inertia[0]);
}

static sn_status create(sn_arena *arena, const sn_tree *tree, bool with_matrix, sn_dyn_data **out,
                        sn_error *err) {
  SN_ASSERT(tree != NULL);
  SN_ASSERT(out != NULL);
  if (tree->massless_link != NULL) {
    return sn__fail(err, SN_EMODEL, "dynamics: link '%s' moves but has no inertia",
                    tree->massless_link);
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_dyn_data *data = SN_NEW(arena, sn_dyn_data, 1);
  if (data == NULL || !allocate(arena, tree, with_matrix, data)) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "dynamics: no room in arena '%s'", sn_arena_name(arena));
  }
  data->tree = tree;
  fill_bodies(data);
  find_weightless(data);
  data->simple = is_simple(data);
  for (size_t i = 0; i < tree->body_count; i++) {
    if (tree->parent[i] != (int)i - 1) {
      data->body[tree->parent[i] + 1].branches = true;
    }
  }
  *out = data;
  return SN_OK;
}

sn_status sn_dyn_create(sn_arena *arena, const sn_tree *tree, sn_dyn_data **out, sn_error *err) {
  return create(arena, tree, true, out, err);
}

sn_status sn__dyn_create_small(sn_arena *arena, const sn_tree *tree, sn_dyn_data **out,
                               sn_error *err) {
  return create(arena, tree, false, out, err);
}

const sn_dyn_world *sn__dyn_world_or_default(const sn_dyn_world *world) {
  static const sn_dyn_world earth = {.gravity = {0, 0, -9.81}};
  return world != NULL ? world : &earth;
}

const sn_base_state *sn__dyn_base_or_default(const sn_base_state *base) {
  static const sn_base_state fixed = {
      .pose_world_base = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}}};
  return base != NULL ? base : &fixed;
}
