/* Facts about links and rigid parts that the division into limbs needs. */
#include "model/limb_tree.h"

#include <string.h>

#include "model/limb_words.h"

const sn__urdf_joint *sn__limb_joint(const sn__limb_tree *tree, int link) {
  return &tree->build->robot->joints[tree->build->urdf_joint[link]];
}

static bool is_undriven(const sn_joint *joint) {
  return joint->type == SN_JOINT_FLOATING || joint->type == SN_JOINT_PLANAR;
}

/* The link below the joint that a joint follows in the end. */
static int find_master(const sn__limb_tree *tree, const int *tree_index, int link) {
  const sn__urdf_joint *joints = tree->build->robot->joints;
  int joint = tree->build->urdf_joint[link];
  for (size_t i = 0; i < tree->count && joints[joint].mimic >= 0; i++) {
    joint = joints[joint].mimic;
  }
  return tree_index[joints[joint].child];
}

/* From the root to the tips. */
static void look_down(sn__limb_tree *t, const int *tree_index) {
  t->parent[0] = -1;
  t->child[0] = t->next[0] = t->owner[0] = -1;
  t->pose[0] = sn_pose_identity();
  for (size_t i = 1; i < t->count; i++) {
    const sn__urdf_joint *joint = sn__limb_joint(t, (int)i);
    const int parent = tree_index[joint->parent];
    const sn_vec3 offset = joint->joint.pose_parent_joint.pos;
    t->parent[i] = parent;
    t->leader[i] = joint->joint.type == SN_JOINT_FIXED ? t->leader[parent] : (int)i;
    t->depth[i] = t->depth[parent] + 1;
    t->way_m[i] = t->way_m[parent] + sn_vec3_norm(offset);
    t->pose[i] = sn_pose_mul(t->pose[parent], joint->joint.pose_parent_joint);
    t->master[i] = find_master(t, tree_index, (int)i);
    t->child[i] = t->next[i] = t->owner[i] = -1;
  }
}

/* What a link means for the one above it. */
static void report_up(sn__limb_tree *t, int link, bool *carries, bool *carries_more) {
  const sn_joint *joint = &sn__limb_joint(t, link)->joint;
  const int parent = t->parent[link];
  const int part = t->leader[parent];
  t->end[parent] = t->end[parent] > t->end[link] ? t->end[parent] : t->end[link];
  t->reach_m[parent] =
      t->reach_m[parent] > t->reach_m[link] ? t->reach_m[parent] : t->reach_m[link];
  const unsigned words = sn__words_of(t->build->model->links[link].name);
  const bool is_more = (words & (SN__WORD_TOOL | SN__WORD_FOOT | SN__WORD_HAND)) != 0;
  t->is_sensor[link] =
      (words & SN__WORD_SENSOR) != 0 || (!is_more && carries[link] && !carries_more[link]);
  carries[parent] = true;
  carries_more[parent] =
      carries_more[parent] || !t->is_sensor[link] || joint->type != SN_JOINT_FIXED;
  if (joint->type == SN_JOINT_FIXED || is_undriven(joint)) {
    return;
  }
  t->joints_deep[link]++;
  t->joints_all[link]++;
  t->follows[link] = t->follows[link] && sn__limb_joint(t, link)->mimic >= 0;
  t->next[link] = t->child[part];
  t->child[part] = link;
  t->joints_all[part] += t->joints_all[link];
  t->joints_deep[part] =
      t->joints_deep[part] > t->joints_deep[link] ? t->joints_deep[part] : t->joints_deep[link];
  t->follows[part] = t->follows[part] && t->follows[link];
}

/* From the tips to the root: children before their parents. */
static void look_up(sn__limb_tree *t, bool *carries, bool *carries_more) {
  for (size_t i = 0; i < t->count; i++) {
    t->end[i] = (int)i + 1;
    t->reach_m[i] = t->way_m[i];
    t->follows[i] = true;
  }
  for (size_t i = t->count; i-- > 1;) {
    report_up(t, (int)i, carries, carries_more);
  }
  for (size_t i = 0; i < t->count; i++) {
    t->reach_m[i] -= t->way_m[i];
  }
}

bool sn__limb_tree_survey(sn__build *build, const int *tree_index, sn__limb_tree *t) {
  sn_arena *arena = build->scratch;
  const size_t n = build->model->link_count;
  int *numbers = SN_NEW(arena, int, 10 * n);
  double *lengths = SN_NEW(arena, double, 2 * n);
  bool *flags = SN_NEW(arena, bool, 5 * n);
  sn_pose *poses = SN_NEW(arena, sn_pose, n);
  sn__limb *limbs = SN_NEW(arena, sn__limb, SN_CHAINS_MAX);
  if (numbers == NULL || lengths == NULL || flags == NULL || poses == NULL || limbs == NULL) {
    return false;
  }
  *t = (sn__limb_tree){.build = build,
                       .count = n,
                       .parent = numbers,
                       .leader = numbers + n,
                       .end = numbers + 2 * n,
                       .depth = numbers + 3 * n,
                       .child = numbers + 4 * n,
                       .next = numbers + 5 * n,
                       .joints_deep = numbers + 6 * n,
                       .joints_all = numbers + 7 * n,
                       .master = numbers + 8 * n,
                       .owner = numbers + 9 * n,
                       .way_m = lengths,
                       .reach_m = lengths + n,
                       .pose = poses,
                       .is_sensor = flags,
                       .follows = flags + n,
                       .is_finger = flags + 2 * n,
                       .limbs = limbs};
  look_down(t, tree_index);
  look_up(t, flags + 3 * n, flags + 4 * n);
  return true;
}

/* Rank of a link as the tip: frames named as tips first, then by distance in links. */
static int rank_of(const sn__limb_tree *tree, int link) {
  const char *name = tree->build->model->links[link].name;
  const char *joint = sn__limb_joint(tree, link)->joint.name;
  const unsigned words = sn__words_of(name) | sn__words_of(joint);
  const bool is_named = (words & (SN__WORD_TOOL | SN__WORD_FOOT)) != 0;
  const bool is_tool0 = strstr(name, "tool0") != NULL || strstr(joint, "tool0") != NULL;
  return (is_named ? 1 << 20 : 0) + 2 * tree->depth[link] + (is_tool0 ? 1 : 0);
}

/* A frame named as a tip, otherwise the farthest link that carries no sensor. */
int sn__limb_tip(const sn__limb_tree *tree, const sn__limb *limb) {
  int tip = limb->last;
  int best = -1;
  for (int link = limb->last + 1; !limb->has_more && link < tree->end[limb->last]; link++) {
    if (tree->leader[link] == limb->last && !tree->is_sensor[link]) {
      const int rank = rank_of(tree, link);
      tip = rank >= best ? link : tip;
      best = rank >= best ? rank : best;
    }
  }
  return tip;
}
