#include "math/inertia.h"
#include "math/rotation.h"
#include "model/model_data.h"

/* The arrays of a tree while they are being filled. */
typedef struct tree_arrays {
  int *parent;
  bool *prismatic;
  sn_pose *pose_parent_joint;
  sn_inertia *inertia;
  int *coord;
  double *q_scale;
  double *q_offset;
} tree_arrays;

static bool is_driven(sn_joint_type type) {
  return type == SN_JOINT_REVOLUTE || type == SN_JOINT_CONTINUOUS || type == SN_JOINT_PRISMATIC;
}

static bool allocate(sn_arena *arena, size_t n, tree_arrays *a) {
  *a = (tree_arrays){
      .parent = SN_NEW(arena, int, n),
      .prismatic = SN_NEW(arena, bool, n),
      .pose_parent_joint = SN_NEW(arena, sn_pose, n),
      .inertia = SN_NEW(arena, sn_inertia, n),
      .coord = SN_NEW(arena, int, n),
      .q_scale = SN_NEW(arena, double, n),
      .q_offset = SN_NEW(arena, double, n),
  };
  return a->parent != NULL && a->prismatic != NULL && a->pose_parent_joint != NULL &&
         a->inertia != NULL && a->coord != NULL && a->q_scale != NULL && a->q_offset != NULL;
}

/* The entry of the tree's vector that belongs to a joint, -1 if it has none. */
static int find_coord(const sn__tree_plan *plan, int pose_index) {
  return plan->coord == NULL ? pose_index : plan->coord[pose_index];
}

/* The entry that moves the joint. A mimic joint follows its master, and the master's master, up to
 * the last one that has an entry; masters without an entry are skipped. Cycles were rejected
 * before. */
static void connect_coord(const sn_model *model, const sn__tree_plan *plan, int pose_index,
                          tree_arrays *a, size_t body) {
  a->coord[body] = find_coord(plan, pose_index);
  a->q_scale[body] = 1.0;
  double scale = 1.0;
  double offset = 0.0;
  for (const sn_joint *joint = &model->joints[pose_index]; joint->mimic >= 0;
       joint = &model->joints[joint->mimic]) {
    offset += scale * joint->mimic_offset;
    scale *= joint->mimic_multiplier;
    const int master = find_coord(plan, joint->mimic);
    if (master >= 0) {
      a->coord[body] = master;
      a->q_scale[body] = scale;
      a->q_offset[body] = offset;
    }
  }
}

/* Attach one link: a new body if its joint is driven, otherwise a part of its parent's body. */
static void place_link(const sn_model *model, const sn__tree_plan *plan, int link,
                       const sn__placed_link *parent, tree_arrays *a, sn_tree *tree,
                       sn__placed_link *out) {
  const int joint_index = model->links[link].parent_joint;
  const sn_joint *joint = &model->joints[joint_index];
  const sn_pose pose = sn_pose_mul(parent->pose_body_link, joint->pose_parent_joint);
  if (!is_driven(joint->type)) {
    *out = (sn__placed_link){.body = parent->body, .pose_body_link = pose};
    return;
  }
  const size_t body = tree->body_count++;
  const sn_pose align = {sn__mat3_with_z(joint->axis), {0, 0, 0}};
  a->parent[body] = parent->body;
  a->prismatic[body] = joint->type == SN_JOINT_PRISMATIC;
  a->pose_parent_joint[body] = sn_pose_mul(pose, align);
  connect_coord(model, plan, joint_index, a, body);
  tree->has_mimic = tree->has_mimic || a->coord[body] != find_coord(plan, joint_index);
  tree->is_serial = tree->is_serial && parent->body == (int)body - 1;
  *out = (sn__placed_link){.body = (int)body, .pose_body_link = sn_pose_inverse(align)};
}

/* The motion of a body without mass at or below it is undetermined. */
static const char *find_massless(const sn_model *model, const sn__tree_plan *plan,
                                 const sn__placed_link *placed, const sn_tree *tree,
                                 bool *has_mass) {
  for (size_t i = 0; i < plan->link_count; i++) {
    if (placed[i].body >= 0 && model->links[plan->links[i]].has_inertial) {
      has_mass[placed[i].body] = true;
    }
  }
  for (size_t body = tree->body_count; body-- > 0;) {
    if (has_mass[body] && tree->parent[body] >= 0) {
      has_mass[tree->parent[body]] = true;
    }
  }
  for (size_t i = 0; i < plan->link_count; i++) {
    const int link = plan->links[i];
    if (placed[i].body >= 0 && !has_mass[placed[i].body] && !model->is_virtual[link]) {
      return model->links[link].name;
    }
  }
  return NULL;
}

bool sn__tree_compile(sn_arena *arena, const sn_model *model, const sn__tree_plan *plan,
                      sn__placed_link *placed, sn_tree *tree) {
  tree_arrays a;
  bool *has_mass = SN_NEW(arena, bool, plan->link_count);
  if (!allocate(arena, plan->link_count, &a) || has_mass == NULL) {
    return false;
  }
  *tree = (sn_tree){.coord_count = plan->coord_count, .is_serial = true};
  placed[0] = (sn__placed_link){.body = -1, .pose_body_link = sn_pose_identity()};
  for (size_t i = 0; i < plan->link_count; i++) {
    const sn_link *link = &model->links[plan->links[i]];
    if (i > 0) {
      const size_t parent = plan->parent == NULL ? i - 1 : (size_t)plan->parent[i];
      place_link(model, plan, plan->links[i], &placed[parent], &a, tree, &placed[i]);
    }
    const sn_inertia inertia = sn__inertia_out(
        placed[i].pose_body_link, sn__inertia_from_com(link->mass_kg, link->com, link->inertia));
    sn_inertia *carrier = placed[i].body < 0 ? &tree->base_inertia : &a.inertia[placed[i].body];
    *carrier = sn__inertia_add(*carrier, inertia);
  }
  tree->parent = a.parent;
  tree->prismatic = a.prismatic;
  tree->pose_parent_joint = a.pose_parent_joint;
  tree->inertia = a.inertia;
  tree->coord = a.coord;
  tree->q_scale = a.q_scale;
  tree->q_offset = a.q_offset;
  tree->massless_link = find_massless(model, plan, placed, tree, has_mass);
  return true;
}
