#include "model/srdf/srdf_groups.h"

#include <string.h>

#include "base/report_internal.h"

static void warn(sn__build *build, const sn__xml_node *node, const char *group, const char *kind,
                 const char *name) {
  sn__report_add(build->report, SN_SEVERITY_WARNING, node->place, "it is left out",
                 "group '%.80s': '%.80s' is not a %s of the robot", group, name == NULL ? "" : name,
                 kind);
}

sn__srdf_group *sn__srdf_group_find(const sn__srdf *srdf, const char *name) {
  for (size_t i = 0; i < srdf->group_count; i++) {
    if (strcmp(srdf->groups[i].name, name) == 0) {
      return &srdf->groups[i];
    }
  }
  return NULL;
}

bool sn__srdf_is_driven(const sn__build *build, const sn__srdf *srdf, size_t joint) {
  const sn__urdf_joint *j = &build->robot->joints[joint];
  const sn_joint_type type = j->joint.type;
  return (type == SN_JOINT_REVOLUTE || type == SN_JOINT_CONTINUOUS || type == SN_JOINT_PRISMATIC) &&
         j->mimic < 0 && !srdf->is_passive[joint];
}

int sn__srdf_link_above(const sn__build *build, const sn__srdf *srdf, int link) {
  const int joint = build->urdf_joint[link];
  return joint < 0 ? -1 : srdf->tree_index[build->robot->joints[joint].parent];
}

static int find_link(sn__build *build, const sn__srdf_group *group, const sn__xml_node *node,
                     const char *attribute) {
  const char *name = sn__xml_attribute_value(node, attribute);
  const int link = name == NULL ? -1 : sn_names_index(build->model->link_names, name);
  if (link < 0) {
    warn(build, node, group->name, "link", name);
  }
  return link;
}

static void take_joint(sn__build *build, const sn__srdf *srdf, sn__srdf_group *group,
                       const sn__xml_node *node) {
  const char *name = sn__xml_attribute_value(node, "name");
  const int joint = name == NULL ? -1 : sn_names_index(srdf->joint_names, name);
  if (joint < 0) {
    warn(build, node, group->name, "joint", name);
  } else {
    group->has[joint] = true;
  }
}

/* The joint above a link. */
static void take_link(sn__build *build, sn__srdf_group *group, const sn__xml_node *node) {
  const int link = find_link(build, group, node, "name");
  if (link >= 0 && build->urdf_joint[link] >= 0) {
    group->has[build->urdf_joint[link]] = true;
  }
}

static void take_chain(sn__build *build, const sn__srdf *srdf, sn__srdf_group *group,
                       const sn__xml_node *node) {
  const int base = find_link(build, group, node, "base_link");
  const int tip = find_link(build, group, node, "tip_link");
  if (base < 0 || tip < 0) {
    return;
  }
  int link = tip;
  while (link >= 0 && link != base) {
    link = sn__srdf_link_above(build, srdf, link);
  }
  if (link < 0) {
    sn__report_add(build->report, SN_SEVERITY_WARNING, node->place, "the chain is left out",
                   "group '%.80s': tip_link '%.80s' is not below base_link '%.80s'", group->name,
                   build->model->links[tip].name, build->model->links[base].name);
    return;
  }
  for (link = tip; link != base; link = sn__srdf_link_above(build, srdf, link)) {
    group->has[build->urdf_joint[link]] = true;
  }
  group->base = base;
  group->tip = tip;
}

static void read_members(sn__build *build, const sn__srdf *srdf, sn__srdf_group *group) {
  size_t element_count = 0;
  for (const sn__xml_node *node = group->node->first_child; node != NULL; node = node->next) {
    element_count++;
    if (sn__xml_same(node->name, "joint")) {
      take_joint(build, srdf, group, node);
    } else if (sn__xml_same(node->name, "link")) {
      take_link(build, group, node);
    } else if (sn__xml_same(node->name, "chain")) {
      take_chain(build, srdf, group, node);
    } else {
      group->has_subgroups = true;
    }
  }
  if (element_count != 1) {
    group->base = group->tip = -1; /* not the chain alone */
  }
}

/* Which group names which; unknown ones are warned of. */
static void read_subgroups(sn__build *build, const sn__srdf *srdf, const sn__srdf_group *group,
                           bool *contains) {
  for (const sn__xml_node *node = group->node->first_child; node != NULL; node = node->next) {
    if (!sn__xml_same(node->name, "group")) {
      continue;
    }
    const char *name = sn__xml_attribute_value(node, "name");
    const sn__srdf_group *other = name == NULL ? NULL : sn__srdf_group_find(srdf, name);
    if (other == NULL) {
      sn__report_add(build->report, SN_SEVERITY_WARNING, node->place, "it is left out",
                     "group '%.80s': '%.80s' is not a group of this file", group->name,
                     name == NULL ? "" : name);
    } else {
      contains[other - srdf->groups] = true;
    }
  }
}

/* Groups may be declared in any order, even in a circle: the transitive closure (Warshall) of which
   contains which, then each gets the joints of all it contains. */
static bool resolve_subgroups(sn__build *build, const sn__srdf *srdf) {
  const size_t n = srdf->group_count, joint_count = build->robot->joint_count;
  bool *contains = SN_NEW(build->scratch, bool, n *n);
  if (contains == NULL) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    read_subgroups(build, srdf, &srdf->groups[i], contains + i * n);
  }
  for (size_t via = 0; via < n; via++) {
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; contains[i * n + via] && j < n; j++) {
        contains[i * n + j] = contains[i * n + j] || contains[via * n + j];
      }
    }
  }
  for (size_t pair = 0; pair < n * n; pair++) {
    bool *has = srdf->groups[pair / n].has;
    const bool *more = srdf->groups[pair % n].has;
    for (size_t k = 0; contains[pair] && k < joint_count; k++) {
      has[k] = has[k] || more[k];
    }
  }
  return true;
}

/* Why a group of this name cannot be added, or NULL. */
static const char *group_problem(const sn__srdf *srdf, const char *name) {
  return name == NULL || *name == '\0'              ? "it has no name"
         : sn__srdf_group_find(srdf, name) != NULL  ? "there are two of this name"
         : srdf->group_count == SN__SRDF_GROUPS_MAX ? "there are too many groups"
                                                    : NULL;
}

/* @return false: no memory */
static bool add_group(sn__build *build, sn__srdf *srdf, const sn__xml_node *node) {
  const char *name = sn__xml_attribute_value(node, "name");
  const char *problem = group_problem(srdf, name);
  if (problem != NULL) {
    sn__report_add(build->report, SN_SEVERITY_WARNING, node->place, "the group is left out",
                   "group '%.80s': %s", name == NULL ? "" : name, problem);
    return true;
  }
  sn__srdf_group *group = &srdf->groups[srdf->group_count++];
  *group = (sn__srdf_group){.name = name,
                            .node = node,
                            .has = SN_NEW(build->scratch, bool, build->robot->joint_count),
                            .base = -1,
                            .tip = -1,
                            .chain = -1};
  if (group->has != NULL) {
    read_members(build, srdf, group);
  }
  return group->has != NULL;
}

static void read_passive(sn__build *build, sn__srdf *srdf, const sn__xml_node *node) {
  const char *name = sn__xml_attribute_value(node, "name");
  const int joint = name == NULL ? -1 : sn_names_index(srdf->joint_names, name);
  if (joint < 0) {
    sn__report_add(build->report, SN_SEVERITY_WARNING, node->place, "it is left out",
                   "<passive_joint> '%.80s' is not a joint of the robot", name == NULL ? "" : name);
  } else {
    srdf->is_passive[joint] = true;
  }
}

static void read_effector(sn__build *build, const sn__srdf *srdf, const sn__xml_node *node) {
  const char *name = sn__xml_attribute_value(node, "group");
  sn__srdf_group *group = name == NULL ? NULL : sn__srdf_group_find(srdf, name);
  if (group == NULL) {
    sn__report_add(build->report, SN_SEVERITY_WARNING, node->place, "the end effector is left out",
                   "<end_effector> group '%.80s' is not a group of this file",
                   name == NULL ? "" : name);
  } else {
    group->effector = node;
  }
}

static const sn_names *name_joints(sn__build *build) {
  const size_t n = build->robot->joint_count;
  const char **names = SN_NEW(build->scratch, const char *, n);
  const sn_names *out = NULL;
  for (size_t i = 0; names != NULL && i < n; i++) {
    names[i] = build->robot->joints[i].joint.name;
  }
  return names != NULL && sn_names_create(build->scratch, names, n, &out, NULL) == SN_OK ? out
                                                                                         : NULL;
}

sn__srdf *sn__srdf_groups_read(sn__build *build, const int *tree_index, const sn__xml_node *root) {
  const size_t n = build->robot->joint_count;
  sn__srdf *srdf = SN_NEW(build->scratch, sn__srdf, 1);
  sn__srdf_group *groups = SN_NEW(build->scratch, sn__srdf_group, SN__SRDF_GROUPS_MAX);
  bool *is_passive = SN_NEW(build->scratch, bool, n);
  const sn_names *joint_names = name_joints(build);
  if (srdf == NULL || groups == NULL || is_passive == NULL || joint_names == NULL) {
    return NULL;
  }
  *srdf = (sn__srdf){.root = root,
                     .joint_names = joint_names,
                     .tree_index = tree_index,
                     .is_passive = is_passive,
                     .groups = groups};
  for (const sn__xml_node *node = root->first_child; node != NULL; node = node->next) {
    if (sn__xml_same(node->name, "passive_joint")) {
      read_passive(build, srdf, node);
    } else if (sn__xml_same(node->name, "group") && !add_group(build, srdf, node)) {
      return NULL;
    }
  }
  if (!resolve_subgroups(build, srdf)) {
    return NULL;
  }
  for (const sn__xml_node *node = root->first_child; node != NULL; node = node->next) {
    if (sn__xml_same(node->name, "end_effector")) {
      read_effector(build, srdf, node);
    }
  }
  for (size_t i = 0; i < srdf->group_count; i++) {
    for (size_t j = 0; j < n; j++) {
      groups[i].driven_count += groups[i].has[j] && sn__srdf_is_driven(build, srdf, j) ? 1 : 0;
    }
  }
  return srdf;
}
