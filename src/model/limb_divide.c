/* Divides a robot into limbs. A limb is a run of joints: it continues through the one branch that
 * extends it, and ends at a tip, before a gripper, or where the robot forks. Every driven joint
 * belongs to one limb; a mimic joint belongs to the limb of its master. */
#include "base/report_internal.h"
#include "model/limb_tree.h"

enum {
  STUB_JOINTS_MAX =
      2, /* a branch that does not end the limb that carries it, such as a tilting camera */
  TRUNK_JOINTS_MAX = 3, /* a limb this short that carries a whole arm is a trunk */
  ARM_JOINTS_MIN = 6
};

/* Limbs still to visit, the next one last. */
typedef struct waiting {
  int link;   /* leader behind the first joint; of a gripper: its palm */
  int parent; /* limb */
  bool is_gripper;
} waiting;

typedef struct division {
  sn__limb_tree tree;
  waiting *stack; /* [count of links] */
  size_t waiting_count;
  int *list; /* [count of links] branches of the part at hand */
} division;

static bool is_whole_arm(const sn__limb_tree *tree, int branch) {
  return tree->joints_deep[branch] >= ARM_JOINTS_MIN;
}

/* The branch that continues the limb, or -1: the only one, or the only one that is not a stub. */
static int choose_branch(const division *d, size_t count, size_t joint_count) {
  const sn__limb_tree *tree = &d->tree;
  if (count == 1) {
    return d->list[0];
  }
  int chosen = -1;
  for (size_t i = 0; i < count; i++) {
    if (tree->joints_all[d->list[i]] > STUB_JOINTS_MAX) {
      if (chosen >= 0) {
        return -1;
      }
      chosen = d->list[i];
    }
  }
  const bool is_trunk =
      chosen >= 0 && joint_count <= TRUNK_JOINTS_MAX && is_whole_arm(tree, chosen);
  return is_trunk ? -1 : chosen;
}

/* Examine the branches of a part: the limb continues through one, the others are queued.
   @param limb         that reached the part; -1: none, all branches are queued
   @param joint_count  of that limb
   @return the branch, or -1 */
static int branch_off(division *d, int part, int limb, size_t joint_count, double length_m) {
  sn__limb_tree *tree = &d->tree;
  const size_t fingers = sn__limb_find_fingers(tree, part, joint_count, length_m);
  size_t count = 0;
  for (int branch = tree->child[part]; branch >= 0; branch = tree->next[branch]) {
    if (!tree->follows[branch] && !tree->is_finger[branch]) {
      d->list[count++] = branch;
    }
  }
  const int chosen = limb < 0 ? -1 : choose_branch(d, count, joint_count);
  if (limb >= 0) {
    tree->limbs[limb].has_more = chosen < 0 && count > 0;
  }
  while (count-- > 0) {
    if (d->list[count] != chosen) {
      d->stack[d->waiting_count++] = (waiting){.link = d->list[count], .parent = limb};
    }
  }
  if (fingers > 0) {
    d->stack[d->waiting_count++] = (waiting){.link = part, .parent = limb, .is_gripper = true};
  }
  return chosen;
}

static void walk_limb(division *d, const waiting *next, int limb) {
  sn__limb_tree *tree = &d->tree;
  sn__limb *l = &tree->limbs[limb];
  l->first = tree->leader[tree->parent[next->link]];
  l->begin = next->link;
  for (int part = next->link; part >= 0;) {
    tree->owner[part] = limb;
    l->last = part;
    l->joint_count += sn__limb_joint(tree, part)->mimic < 0 ? 1 : 0;
    part = branch_off(d, part, limb, l->joint_count, tree->way_m[part] - tree->way_m[l->first]);
  }
}

/* A gripper has all joints of its fingers; its chain is the first finger. */
static void take_gripper(sn__limb_tree *tree, int palm, int limb) {
  sn__limb *l = &tree->limbs[limb];
  l->is_gripper = true;
  l->begin = -1;
  for (int branch = tree->child[palm]; branch >= 0; branch = tree->next[branch]) {
    if (!tree->is_finger[branch]) {
      continue;
    }
    l->begin = l->begin < 0 ? branch : l->begin;
    l->finger_count++;
    for (int link = branch; link < tree->end[branch]; link++) {
      if (tree->leader[link] == link) {
        tree->owner[link] = limb;
        l->joint_count += sn__limb_joint(tree, link)->mimic < 0 ? 1 : 0;
      }
    }
  }
  l->first = tree->parent[l->begin];
  l->last = l->begin;
  while (tree->child[l->last] >= 0) {
    l->last = tree->child[l->last];
  }
}

/* @return false: there are too many */
static bool walk_all(division *d) {
  sn__limb_tree *tree = &d->tree;
  while (d->waiting_count > 0) {
    const waiting next = d->stack[--d->waiting_count];
    if (tree->limb_count == SN_CHAINS_MAX) {
      sn__report_add(tree->build->report, SN_SEVERITY_WARNING, tree->build->link_place[next.link],
                     "declare the chains you use",
                     "the robot has more than %d limbs, the others have no chain", SN_CHAINS_MAX);
      return false;
    }
    const int limb = (int)tree->limb_count++;
    tree->limbs[limb] = (sn__limb){.parent = next.parent};
    if (next.is_gripper) {
      take_gripper(tree, next.link, limb);
    } else {
      walk_limb(d, &next, limb);
    }
  }
  return true;
}

/* The part behind an undriven joint (floating, planar) is divided like a separate robot. */
static void divide(division *d) {
  sn__limb_tree *tree = &d->tree;
  bool has_room = true;
  for (size_t i = 0; has_room && i < tree->count; i++) {
    const sn_joint_type type =
        i == 0 ? SN_JOINT_FLOATING : sn__limb_joint(tree, (int)i)->joint.type;
    if (type == SN_JOINT_FLOATING || type == SN_JOINT_PLANAR) {
      (void)branch_off(d, (int)i, -1, 0, 0.0);
      has_room = walk_all(d);
    }
  }
  for (size_t i = 1; i < tree->count; i++) {
    if (tree->leader[i] == (int)i && tree->follows[i] && tree->owner[i] < 0 &&
        sn__limb_joint(tree, (int)i)->mimic >= 0) {
      tree->owner[i] = tree->owner[tree->master[i]];
    }
  }
}

/* Which chain owns which joint of the file. */
static bool keep_owners(const sn__limb_tree *tree, sn__layout *layout) {
  const sn__build *build = tree->build;
  int *owner = SN_NEW(build->scratch, int, build->robot->joint_count);
  if (owner == NULL) {
    return false;
  }
  for (size_t i = 0; i < build->robot->joint_count; i++) {
    owner[i] = -1;
  }
  for (size_t i = 1; i < tree->count; i++) {
    owner[build->urdf_joint[i]] = tree->leader[i] == (int)i ? tree->owner[i] : -1;
  }
  layout->owner = owner;
  return true;
}

/* A leg with a foot: it ends freely, has more than one joint, and its tip is not above its first
 * joint. */
static bool ends_in_foot(const sn__limb_tree *tree, const sn__limb *limb, int tip) {
  const double margin_m = 1e-6;
  return limb->is_leg && !limb->has_more && limb->joint_count > 1 &&
         tree->pose[tip].pos.z <= tree->pose[limb->begin].pos.z + margin_m;
}

bool sn__limb_derive(sn__build *build, const int *tree_index, sn__layout *layout) {
  division d = {.stack = SN_NEW(build->scratch, waiting, 2 * build->model->link_count),
                .list = SN_NEW(build->scratch, int, build->model->link_count)};
  sn__chain_plan *plans = SN_NEW(build->scratch, sn__chain_plan, SN_CHAINS_MAX);
  const char **names = SN_NEW(build->scratch, const char *, SN_CHAINS_MAX);
  if (d.stack == NULL || d.list == NULL || plans == NULL || names == NULL ||
      !sn__limb_tree_survey(build, tree_index, &d.tree)) {
    return false;
  }
  divide(&d);
  if (!sn__limb_names(&d.tree, names) || !keep_owners(&d.tree, layout)) {
    return false;
  }
  for (size_t i = 0; i < d.tree.limb_count; i++) {
    const int tip = sn__limb_tip(&d.tree, &d.tree.limbs[i]);
    plans[i] = (sn__chain_plan){.name = names[i],
                                .place = build->link_place[tip],
                                .first_link = d.tree.limbs[i].first,
                                .last_link = tip,
                                .last_link_virtual = -1,
                                .is_leg = ends_in_foot(&d.tree, &d.tree.limbs[i], tip)};
  }
  layout->chains = plans;
  layout->chain_count = d.tree.limb_count;
  return true;
}
