#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/report_internal.h"
#include "model/urdf/urdf.h"
#include "model/urdf/urdf_values.h"

/* Names with index and place, sorted for look-up and to find duplicates. */
typedef struct entry {
  const char *name;
  int index;
  sn_place place;
} entry;

typedef struct directory {
  entry *entries;
  size_t count;
} directory;

static int compare_entries(const void *a, const void *b) {
  const entry *x = a;
  const entry *y = b;
  const int order = strcmp(x->name, y->name);
  return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static int find(const directory *names, const char *name) {
  size_t low = 0;
  size_t high = names->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (strcmp(names->entries[middle].name, name) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const bool found = low < names->count && strcmp(names->entries[low].name, name) == 0;
  return found ? names->entries[low].index : -1;
}

/* Add a name. A missing name was reported already and is an empty text from here on. */
static const char *add(directory *names, const char *name, size_t index, sn_place place) {
  if (name == NULL) {
    return "";
  }
  names->entries[names->count++] = (entry){name, (int)index, place};
  return name;
}

static void sort(sn__urdf_context *context, directory *names, const char *kind) {
  qsort(names->entries, names->count, sizeof *names->entries, compare_entries);
  for (size_t i = 1; i < names->count; i++) {
    const entry *first = &names->entries[i - 1];
    const entry *second = &names->entries[i];
    if (strcmp(first->name, second->name) == 0) {
      sn__report_add(context->report, SN_SEVERITY_ERROR, second->place, NULL,
                     "%s '%.80s' is defined twice, first in line %u", kind, second->name,
                     first->place.line);
    }
  }
}

static bool list_names(sn__urdf_context *context, sn__urdf_robot *robot, directory *links,
                       directory *joints) {
  links->entries = SN_NEW(context->arena, entry, robot->link_count);
  joints->entries = SN_NEW(context->arena, entry, robot->joint_count);
  if (links->entries == NULL || joints->entries == NULL) {
    return false;
  }
  for (size_t i = 0; i < robot->link_count; i++) {
    sn__urdf_link *link = &robot->links[i];
    link->link.name = add(links, link->link.name, i, link->place);
  }
  for (size_t i = 0; i < robot->joint_count; i++) {
    sn__urdf_joint *joint = &robot->joints[i];
    joint->joint.name = add(joints, joint->joint.name, i, joint->place);
  }
  sort(context, links, "link");
  sort(context, joints, "joint");
  return true;
}

static int find_end(sn__urdf_context *context, const directory *links, const sn__urdf_joint *joint,
                    const char *which, const char *name, sn_place place) {
  if (name == NULL) {
    return -1; /* reported already */
  }
  const int index = find(links, name);
  if (index < 0) {
    sn__report_add(context->report, SN_SEVERITY_ERROR, place, NULL,
                   "joint '%.80s': unknown %s link '%.80s'", joint->joint.name, which, name);
  }
  return index;
}

/* Give every link its parent joint. */
static void connect_joints(sn__urdf_context *context, sn__urdf_robot *robot,
                           const directory *links) {
  for (size_t i = 0; i < robot->link_count; i++) {
    robot->links[i].parent_joint = -1;
  }
  for (size_t i = 0; i < robot->joint_count; i++) {
    sn__urdf_joint *joint = &robot->joints[i];
    joint->parent =
        find_end(context, links, joint, "parent", joint->parent_name, joint->parent_place);
    joint->child = find_end(context, links, joint, "child", joint->child_name, joint->child_place);
    if (joint->child < 0) {
      continue;
    }
    sn__urdf_link *child = &robot->links[joint->child];
    if (joint->parent == joint->child) {
      sn__report_add(context->report, SN_SEVERITY_ERROR, joint->place, NULL,
                     "joint '%.80s' forms a loop: link '%.80s' is its own parent",
                     joint->joint.name, child->link.name);
    } else if (child->parent_joint >= 0) {
      sn__report_add(context->report, SN_SEVERITY_ERROR, joint->place, NULL,
                     "link '%.80s' has two parents: joints '%.80s' and '%.80s'", child->link.name,
                     robot->joints[child->parent_joint].joint.name, joint->joint.name);
      continue;
    }
    child->parent_joint = (int)i;
  }
}

/* Exactly one link has no parent. */
static void find_root(sn__urdf_context *context, sn__urdf_robot *robot) {
  robot->root = -1;
  if (robot->link_count == 0) {
    sn__report_add(context->report, SN_SEVERITY_ERROR, context->robot->place, NULL,
                   "the robot has no links");
    return;
  }
  for (size_t i = 0; i < robot->link_count; i++) {
    if (robot->links[i].parent_joint >= 0) {
      continue;
    }
    if (robot->root < 0) {
      robot->root = (int)i;
    } else {
      sn__report_add(context->report, SN_SEVERITY_ERROR, robot->links[i].place,
                     "join them by a joint",
                     "two roots: no joint leads to link '%.80s', nor to '%.80s'",
                     robot->links[i].link.name, robot->links[robot->root].link.name);
    }
  }
  if (robot->root < 0) {
    sn__report_add(context->report, SN_SEVERITY_ERROR, context->robot->place, NULL,
                   "no root link: the joints form a loop");
  }
}

/* Depth first, children in document order, without recursion: each parent has a list of children,
 * and the stack is the list of siblings still to visit. */
static bool order_links(sn__urdf_context *context, sn__urdf_robot *robot, size_t *visited) {
  const size_t n = robot->link_count;
  int *first_child = SN_NEW(context->arena, int, n);
  int *next_sibling = SN_NEW(context->arena, int, n);
  int *stack = SN_NEW(context->arena, int, n + 1);
  robot->link_order = SN_NEW(context->arena, int, n);
  if (first_child == NULL || next_sibling == NULL || stack == NULL || robot->link_order == NULL) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    first_child[i] = -1;
  }
  for (size_t k = robot->joint_count; k-- > 0;) { /* backwards, so that the lists run forwards */
    const sn__urdf_joint *joint = &robot->joints[k];
    if (joint->parent >= 0 && joint->child >= 0 && joint->parent != joint->child &&
        robot->links[joint->child].parent_joint == (int)k) {
      next_sibling[joint->child] = first_child[joint->parent];
      first_child[joint->parent] = joint->child;
    }
  }
  size_t depth = 0;
  stack[depth++] = robot->root;
  next_sibling[robot->root] = -1;
  while (depth > 0) {
    const int link = stack[depth - 1];
    robot->link_order[(*visited)++] = link;
    if (next_sibling[link] >= 0) {
      stack[depth - 1] = next_sibling[link];
    } else {
      depth--;
    }
    if (first_child[link] >= 0) {
      stack[depth++] = first_child[link];
    }
  }
  return true;
}

/* A link that the root does not reach belongs to a loop or to another root: walk up, and if the
 * walk returns to its own path, it is a loop. */
static bool report_loops(sn__urdf_context *context, const sn__urdf_robot *robot, size_t visited) {
  size_t *track = SN_NEW(context->arena, size_t, robot->link_count);
  if (track == NULL) {
    return false;
  }
  for (size_t i = 0; i < visited; i++) {
    track[robot->link_order[i]] = SIZE_MAX;
  }
  for (size_t i = 0; i < robot->link_count; i++) {
    int link = (int)i;
    while (link >= 0 && track[link] == 0) {
      track[link] = i + 1;
      const int joint = robot->links[link].parent_joint;
      const int parent = joint < 0 ? -1 : robot->joints[joint].parent;
      if (parent == link) {
        break; /* its own parent: reported already */
      }
      link = parent;
      if (link >= 0 && track[link] == i + 1) {
        sn__report_add(context->report, SN_SEVERITY_ERROR, robot->links[link].place, NULL,
                       "link '%.80s' is part of a loop", robot->links[link].link.name);
      }
    }
  }
  return true;
}

static void warn_floating(sn__urdf_context *context, const sn__urdf_robot *robot) {
  for (size_t i = 0; i < robot->joint_count; i++) {
    const sn__urdf_joint *joint = &robot->joints[i];
    const bool is_floating = joint->joint.type == SN_JOINT_FLOATING;
    if ((is_floating || joint->joint.type == SN_JOINT_PLANAR) && joint->parent != robot->root) {
      sn__report_add(context->report, SN_SEVERITY_WARNING, joint->place, NULL,
                     "joint '%.80s': a %s joint outside the root is kept, but not driven",
                     joint->joint.name, is_floating ? "floating" : "planar");
    }
  }
}

static bool follows_in_circle(const sn__urdf_robot *robot, size_t start) {
  int joint = (int)start;
  for (size_t steps = 0; steps <= robot->joint_count; steps++) {
    joint = robot->joints[joint].mimic;
    if (joint < 0) {
      return false;
    }
    if (joint == (int)start) {
      return true;
    }
  }
  return false; /* it leads into a cycle that it is not part of; the cycle is reported elsewhere */
}

/* Why a joint cannot mimic another one, or NULL if it can. */
static const char *mimic_problem(const sn__urdf_robot *robot, size_t joint, int master) {
  if (master < 0) {
    return "which does not exist";
  }
  if (master == (int)joint) {
    return "which is itself";
  }
  switch (robot->joints[master].joint.type) {
    case SN_JOINT_FIXED:
      return "which is fixed";
    case SN_JOINT_FLOATING:
    case SN_JOINT_PLANAR:
      return "which has no single position";
    default:
      return NULL;
  }
}

/* Multipliers of chained mimic joints multiply. */
static void check_multiplier(sn__urdf_context *context, const sn__urdf_robot *robot, size_t joint) {
  double product = 1.0;
  int at = (int)joint;
  for (size_t steps = 0;
       steps < robot->joint_count && robot->joints[at].mimic >= 0 && fabs(product) <= SN__MIMIC_MAX;
       steps++) { /* bounded: it may lead into a cycle */
    product *= robot->joints[at].joint.mimic_multiplier;
    at = robot->joints[at].mimic;
  }
  if (!(fabs(product) <= SN__MIMIC_MAX)) {
    sn__report_add(context->report, SN_SEVERITY_ERROR, robot->joints[joint].mimic_place, NULL,
                   "joint '%.80s': the multipliers of the joints that it mimics are %g together, "
                   "expected at most %g",
                   robot->joints[joint].joint.name, product, SN__MIMIC_MAX);
  }
}

static void connect_mimics(sn__urdf_context *context, sn__urdf_robot *robot,
                           const directory *joints) {
  for (size_t i = 0; i < robot->joint_count; i++) {
    sn__urdf_joint *joint = &robot->joints[i];
    if (joint->mimic_name == NULL) {
      continue;
    }
    const int master = find(joints, joint->mimic_name);
    const char *problem = mimic_problem(robot, i, master);
    if (problem != NULL) {
      sn__report_add(context->report, SN_SEVERITY_ERROR, joint->mimic_place, NULL,
                     "joint '%.80s' mimics '%.80s', %s", joint->joint.name, joint->mimic_name,
                     problem);
    } else {
      joint->mimic = master;
    }
  }
}

/* The joint at the end of a chain of mimics, and the relation to it: scale * position + offset. */
static const sn_joint *find_master(const sn__urdf_robot *robot, size_t joint, double *scale,
                                   double *offset) {
  int at = (int)joint;
  *scale = 1.0;
  *offset = 0.0;
  for (size_t steps = 0; steps < robot->joint_count && robot->joints[at].mimic >= 0; steps++) {
    *offset += *scale * robot->joints[at].joint.mimic_offset;
    *scale *= robot->joints[at].joint.mimic_multiplier;
    at = robot->joints[at].mimic;
  }
  return &robot->joints[at].joint;
}

/* Files in use give a joint that turns the other way the limits of its master: together they leave
   one position. The sign is wrong, for a mechanism that cannot move needs no joint. */
static void mend_mimic_limits(sn__urdf_context *context, sn__urdf_robot *robot, size_t index) {
  sn_joint *joint = &robot->joints[index].joint;
  double scale = 1.0;
  double offset = 0.0;
  const sn_joint *master = find_master(robot, index, &scale, &offset);
  const double lower = offset + scale * master->upper;
  const double upper = offset + scale * master->lower;
  const bool is_mirrored = scale < 0.0 && joint->lower == -upper && joint->upper == -lower;
  if (!is_mirrored || lower == upper || fmax(lower, joint->lower) != fmin(upper, joint->upper)) {
    return;
  }
  sn__report_add(context->report, SN_SEVERITY_WARNING, robot->joints[index].mimic_place, NULL,
                 "joint '%.80s' mimics '%.80s' the other way: its limits %g to %g have the wrong "
                 "sign, %g to %g are used",
                 joint->name, master->name, joint->lower, joint->upper, lower, upper);
  joint->lower = joint->lower_hard = lower;
  joint->upper = joint->upper_hard = upper;
}

static void check_mimics(sn__urdf_context *context, sn__urdf_robot *robot) {
  for (size_t i = 0; i < robot->joint_count; i++) {
    if (follows_in_circle(robot, i)) {
      sn__report_add(context->report, SN_SEVERITY_ERROR, robot->joints[i].mimic_place, NULL,
                     "joint '%.80s' mimics '%.80s' in a cycle", robot->joints[i].joint.name,
                     robot->joints[i].mimic_name);
      continue;
    }
    check_multiplier(context, robot, i);
    if (robot->joints[i].mimic >= 0) {
      mend_mimic_limits(context, robot, i);
    }
  }
}

bool sn__urdf_connect(sn__urdf_context *context, sn__urdf_robot *robot) {
  directory links = {0};
  directory joints = {0};
  if (!list_names(context, robot, &links, &joints)) {
    return false;
  }
  connect_joints(context, robot, &links);
  connect_mimics(context, robot, &joints);
  check_mimics(context, robot);
  find_root(context, robot);
  if (robot->root < 0) {
    return true;
  }
  size_t visited = 0;
  if (!order_links(context, robot, &visited)) {
    return false;
  }
  warn_floating(context, robot);
  return report_loops(context, robot, visited);
}
