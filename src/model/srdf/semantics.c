/* What an SRDF says, resolved against the finished model. */
#include "model/srdf/semantics.h"

#include <string.h>

#include "base/number.h"
#include "base/report_internal.h"
#include "model/srdf/srdf_groups.h"

static size_t count_elements(const sn__xml_node *root, const char *name) {
  size_t count = 0;
  for (const sn__xml_node *node = root->first_child; node != NULL; node = node->next) {
    count += sn__xml_same(node->name, name) ? 1 : 0;
  }
  return count;
}

/* An attribute as a text of the model; empty if it is missing. @return NULL: no memory */
static const char *keep_attribute(sn__build *build, const sn__xml_node *node, const char *name) {
  const char *value = sn__xml_attribute_value(node, name);
  return value == NULL ? "" : sn_arena_text(build->arena, value, strlen(value));
}

/* ---- groups and passive joints ---- */

/* The pose indices of joints of the file, ascending. @return false: no memory */
static bool keep_joints(sn__build *build, const bool *has, const int **joints, size_t *count) {
  const sn_model *model = build->model;
  int *list = SN_NEW(build->arena, int, model->pose_size);
  for (size_t i = 0; list != NULL && i < model->pose_size; i++) {
    const int joint = sn_names_index(build->groups->joint_names, model->joints[i].name);
    if (joint >= 0 && has[joint]) {
      list[(*count)++] = (int)i;
    }
  }
  *joints = list;
  return list != NULL;
}

static bool read_groups(sn__build *build, sn__semantics *out) {
  const sn__srdf *srdf = build->groups;
  sn__semantic_group *groups = SN_NEW(build->arena, sn__semantic_group, srdf->group_count);
  if (groups == NULL) {
    return false;
  }
  for (size_t i = 0; i < srdf->group_count; i++) {
    const sn__srdf_group *group = &srdf->groups[i];
    groups[i].name = sn_arena_text(build->arena, group->name, strlen(group->name));
    groups[i].chain = group->chain;
    if (groups[i].name == NULL ||
        !keep_joints(build, group->has, &groups[i].joints, &groups[i].joint_count)) {
      return false;
    }
  }
  out->groups = groups;
  out->group_count = srdf->group_count;
  return keep_joints(build, srdf->is_passive, &out->passive, &out->passive_count);
}

/* ---- states ---- */

/* Why a joint of a state is left out, or NULL. */
static const char *state_problem(const sn_model *model, const sn__xml_node *node, int joint,
                                 double *position) {
  const char *value = sn__xml_attribute_value(node, "value");
  if (joint < 0) {
    return "is not a movable joint of the robot";
  }
  if (value == NULL || sn__number_parse(value, strlen(value), position) != SN__NUMBER_OK) {
    return "has no number as its value";
  }
  const sn_joint *j = &model->joints[joint];
  return *position >= j->lower && *position <= j->upper ? NULL : "is outside its limits";
}

static bool has_joint(const sn__semantic_state *state, int joint) {
  for (size_t i = 0; i < state->count; i++) {
    if (state->joints[i] == joint) {
      return true;
    }
  }
  return false;
}

/* Fixed, floating and planar joints are not part of a pose; MoveIt writes them, too. */
static bool is_silent(const sn__build *build, const char *name) {
  const int of_file = sn_names_index(build->groups->joint_names, name);
  const sn_joint_type type =
      of_file < 0 ? SN_JOINT_REVOLUTE : build->robot->joints[of_file].joint.type;
  return type == SN_JOINT_FIXED || type == SN_JOINT_FLOATING || type == SN_JOINT_PLANAR;
}

static void read_state_joints(sn__build *build, const sn__xml_node *node, sn__semantic_state *state,
                              int *joints, double *positions) {
  for (const sn__xml_node *item = node->first_child; item != NULL; item = item->next) {
    const char *name = sn__xml_attribute_value(item, "name");
    const int joint = name == NULL ? -1 : sn_model_joint_index(build->model, name);
    double position = 0.0;
    if (name != NULL && is_silent(build, name)) {
      continue;
    }
    const char *problem = state_problem(build->model, item, joint, &position);
    problem = problem == NULL && has_joint(state, joint) ? "is there twice" : problem;
    if (problem != NULL) {
      sn__report_add(build->report, SN_SEVERITY_WARNING, item->place, "it is left out",
                     "state '%.80s': joint '%.80s' %s", state->name, name == NULL ? "" : name,
                     problem);
    } else {
      joints[state->count] = joint;
      positions[state->count++] = position;
    }
  }
}

/* @return false: no memory */
static bool read_state(sn__build *build, const sn__xml_node *node, sn__semantic_state *state) {
  size_t count = 0;
  for (const sn__xml_node *item = node->first_child; item != NULL; item = item->next) {
    count++;
  }
  const size_t most = count < build->model->pose_size ? count : build->model->pose_size;
  int *joints = SN_NEW(build->arena, int, most);
  double *positions = SN_NEW(build->arena, double, most);
  *state = (sn__semantic_state){.name = keep_attribute(build, node, "name"),
                                .group = keep_attribute(build, node, "group"),
                                .joints = joints,
                                .positions = positions};
  if (joints == NULL || positions == NULL || state->name == NULL || state->group == NULL) {
    return false;
  }
  if (*state->group != '\0' && sn__srdf_group_find(build->groups, state->group) == NULL) {
    sn__report_add(build->report, SN_SEVERITY_WARNING, node->place, NULL,
                   "state '%.80s': '%.80s' is not a group of this file", state->name, state->group);
  }
  read_state_joints(build, node, state, joints, positions);
  return true;
}

static bool read_states(sn__build *build, sn__semantics *out) {
  sn__semantic_state *states =
      SN_NEW(build->arena, sn__semantic_state, count_elements(build->srdf, "group_state"));
  if (states == NULL) {
    return false;
  }
  for (const sn__xml_node *node = build->srdf->first_child; node != NULL; node = node->next) {
    if (!sn__xml_same(node->name, "group_state")) {
      continue;
    }
    sn__semantic_state *state = &states[out->state_count];
    if (!read_state(build, node, state)) {
      return false;
    }
    if (*state->name == '\0' || state->count == 0) {
      sn__report_add(build->report, SN_SEVERITY_WARNING, node->place, NULL,
                     "state '%.80s' has no %s, it is left out", state->name,
                     *state->name == '\0' ? "name" : "joints");
    } else {
      out->state_count++;
    }
  }
  out->states = states;
  return true;
}

/* ---- end effectors and virtual joints ---- */

static bool read_effector(sn__build *build, const sn__xml_node *node, sn__semantic_effector *out) {
  *out = (sn__semantic_effector){.name = keep_attribute(build, node, "name"),
                                 .group = keep_attribute(build, node, "group")};
  const char *link = sn__xml_attribute_value(node, "parent_link");
  out->parent_link = link == NULL ? -1 : sn_names_index(build->model->link_names, link);
  if (out->parent_link < 0) {
    sn__report_add(build->report, SN_SEVERITY_WARNING, node->place, NULL,
                   "end effector '%.80s': parent_link '%.80s' is not a link of the robot",
                   out->name == NULL ? "" : out->name, link == NULL ? "" : link);
  }
  return out->name != NULL && out->group != NULL;
}

static bool read_virtual(sn__build *build, const sn__xml_node *node, sn__semantic_virtual *out) {
  *out = (sn__semantic_virtual){.name = keep_attribute(build, node, "name"),
                                .type = keep_attribute(build, node, "type"),
                                .parent_frame = keep_attribute(build, node, "parent_frame")};
  const char *link = sn__xml_attribute_value(node, "child_link");
  if (link == NULL || sn_names_index(build->model->link_names, link) != 0) {
    sn__report_add(build->report, SN_SEVERITY_WARNING, node->place, NULL,
                   "virtual joint '%.80s': child_link '%.80s' is not the root link '%.80s'",
                   out->name == NULL ? "" : out->name, link == NULL ? "" : link,
                   build->model->links[0].name);
  }
  return out->name != NULL && out->type != NULL && out->parent_frame != NULL;
}

static bool read_others(sn__build *build, sn__semantics *out) {
  sn__semantic_effector *effectors =
      SN_NEW(build->arena, sn__semantic_effector, count_elements(build->srdf, "end_effector"));
  sn__semantic_virtual *virtuals =
      SN_NEW(build->arena, sn__semantic_virtual, count_elements(build->srdf, "virtual_joint"));
  bool has_room = effectors != NULL && virtuals != NULL;
  for (const sn__xml_node *node = build->srdf->first_child; has_room && node != NULL;
       node = node->next) {
    if (sn__xml_same(node->name, "end_effector")) {
      has_room = read_effector(build, node, &effectors[out->effector_count++]);
    } else if (sn__xml_same(node->name, "virtual_joint")) {
      has_room = read_virtual(build, node, &virtuals[out->virtual_count++]);
    }
  }
  out->effectors = effectors;
  out->virtuals = virtuals;
  return has_room;
}

static void check_name(sn__build *build) {
  const char *name = sn__xml_attribute_value(build->srdf, "name");
  if (name != NULL && strcmp(name, build->model->name) != 0) {
    sn__report_add(build->report, SN_SEVERITY_WARNING, build->srdf->place,
                   "is it the SRDF of another robot?",
                   "the SRDF is of '%.80s', the robot is '%.80s'", name, build->model->name);
  }
}

bool sn__semantics_read(sn__build *build) {
  sn__semantics *out = &build->model->semantics;
  if (build->srdf == NULL) {
    return true;
  }
  check_name(build);
  return read_groups(build, out) && read_states(build, out) && read_others(build, out) &&
         sn__semantics_pairs(build->arena, build->srdf, build->model, build->report, &out->pairs,
                             &out->pair_count);
}
