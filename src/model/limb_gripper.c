/* Finds the branches at the end of a limb that are fingers of a gripper. Structure decides first:
 * fingers are short compared to the limb that carries them, and move together (mimic), slide
 * towards each other, or are alike. Names decide only ambiguous cases: one jaw at the end of an arm
 * looks like a wrist, a pair of ears like two fingers. */
#include <math.h>

#include "model/limb_tree.h"
#include "model/limb_words.h"

enum { FINGER_JOINTS_MAX = 5 };

/* Facts about the branches of a part. */
typedef struct evidence {
  size_t fingers; /* short driven branches */
  size_t sliding, named, features;
  bool is_coupled, is_alike;
} evidence;

static unsigned words_of_branch(const sn__limb_tree *tree, int branch) {
  return sn__words_of(sn__limb_joint(tree, branch)->joint.name) |
         sn__words_of(tree->build->model->links[branch].name);
}

static bool is_short(const sn__limb_tree *tree, int branch, size_t joint_count, double length_m) {
  return tree->joints_deep[branch] <= FINGER_JOINTS_MAX &&
         (joint_count == 0 || tree->reach_m[branch] <= 0.5 * length_m);
}

/* Does a branch that only follows others follow a joint of this one? */
static bool is_followed(const sn__limb_tree *tree, int part, int branch) {
  for (int other = tree->child[part]; other >= 0; other = tree->next[other]) {
    const int master = tree->master[other];
    if (tree->follows[other] && master >= branch && master < tree->end[branch]) {
      return true;
    }
  }
  return false;
}

static bool is_near(double a, double b) {
  return fabs(a - b) <= 0.1 * fmax(a, b) + 1e-3;
}

/* Equal joints at equal distances, all with limits: wheels have none. */
static bool are_alike(const sn__limb_tree *tree, int a, int b) {
  if (tree->joints_all[a] != tree->joints_all[b]) {
    return false;
  }
  while (a >= 0 && b >= 0) {
    const sn_joint *ja = &sn__limb_joint(tree, a)->joint, *jb = &sn__limb_joint(tree, b)->joint;
    if (ja->type != jb->type || ja->type == SN_JOINT_CONTINUOUS ||
        !is_near(tree->reach_m[a], tree->reach_m[b]) ||
        !is_near(ja->upper_hard - ja->lower_hard, jb->upper_hard - jb->lower_hard)) {
      return false;
    }
    a = tree->child[a];
    b = tree->child[b];
  }
  return a < 0 && b < 0;
}

static evidence look_at(const sn__limb_tree *tree, int part, size_t joint_count, double length_m) {
  evidence e = {0};
  for (int branch = tree->child[part]; branch >= 0; branch = tree->next[branch]) {
    if (tree->follows[branch] || !is_short(tree, branch, joint_count, length_m)) {
      continue;
    }
    const unsigned words = words_of_branch(tree, branch);
    const bool slides = sn__limb_joint(tree, branch)->joint.type == SN_JOINT_PRISMATIC;
    e.fingers++;
    e.sliding += slides ? 1 : 0;
    e.named += (words & SN__WORD_FINGER) != 0 && (words & SN__WORD_TURN) == 0 ? 1 : 0;
    e.features += (words & SN__WORD_FEATURE) != 0 ? 1 : 0;
    e.is_coupled = e.is_coupled || is_followed(tree, part, branch);
    for (int other = tree->next[branch]; other >= 0 && !e.is_alike; other = tree->next[other]) {
      e.is_alike = !tree->follows[other] && are_alike(tree, branch, other);
    }
  }
  return e;
}

static bool is_gripper(const evidence *e, size_t joint_count, double length_m) {
  if (e->fingers == 0 || e->features > 0) {
    return false;
  }
  if (e->named > 0 && (e->is_coupled || e->fingers > 1)) {
    return true;
  }
  if (e->fingers == 1) { /* one jaw, or one that drives the other */
    return joint_count > 0 && (e->is_coupled || (e->named > 0 && joint_count > 1));
  }
  return (joint_count > 0 && (e->is_coupled || e->sliding == e->fingers)) ||
         (joint_count > 1 && length_m > 0.0 && e->is_alike);
}

size_t sn__limb_find_fingers(const sn__limb_tree *tree, int part, size_t joint_count,
                             double length_m) {
  const evidence e = look_at(tree, part, joint_count, length_m);
  if (!is_gripper(&e, joint_count, length_m)) {
    return 0;
  }
  for (int branch = tree->child[part]; branch >= 0; branch = tree->next[branch]) {
    tree->is_finger[branch] =
        !tree->follows[branch] && is_short(tree, branch, joint_count, length_m);
  }
  return e.fingers;
}
