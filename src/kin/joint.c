#include "kin/joint.h"

/* Every entry moves one body, and both are in the same order. */
static bool is_direct(const sn_tree *tree) {
  bool direct = !tree->has_mimic && tree->coord_count == tree->body_count;
  for (size_t i = 0; direct && i < tree->body_count; i++) {
    direct = tree->coord[i] == (int)i;
  }
  return direct;
}

bool sn__joints_create(sn_arena *arena, const sn_tree *tree, sn__joints *joints) {
  const size_t n = tree->body_count;
  double *numbers = SN_NEW(arena, double, 3 * n);
  *joints = (sn__joints){.direct = is_direct(tree), .gathered = numbers};
  if (numbers != NULL) {
    joints->sine = numbers + n;
    joints->cosine = numbers + 2 * n;
  }
  return numbers != NULL;
}

void sn__joints_update(const sn_tree *tree, const double *q, sn__joints *joints) {
  const size_t n = tree->body_count;
  joints->value = q;
  if (!joints->direct) {
    for (size_t i = 0; i < n; i++) {
      joints->gathered[i] = sn__joint_value(tree, i, q);
    }
    joints->value = joints->gathered;
  }
  sn__sincos(n, joints->value, joints->sine, joints->cosine);
}

void sn__tree_poses(const sn_tree *tree, const sn__joints *joints, sn_pose *pose) {
  const sn_pose identity = sn_pose_identity();
  sn__rows previous = sn__rows_from_pose(&identity);
  for (size_t i = 0; i < tree->body_count; i++) {
    const int parent = tree->parent[i];
    if (parent != (int)i - 1) { /* most often the parent was the last one and is in registers */
      previous = sn__rows_from_pose(parent < 0 ? &identity : &pose[parent]);
    }
    const sn__rows joint = sn__joint_rows(&tree->pose_parent_joint[i], tree->prismatic[i],
                                          joints->value[i], joints->sine[i], joints->cosine[i]);
    previous = sn__rows_mul(&previous, &joint);
    pose[i] = sn__rows_to_pose(&previous);
  }
}
