#include "robot_tools/check_semantics.h"

#include <stdio.h>

#include "model/srdf/semantics.h"

static const char *limb_of(const sn_model *model, const sn__semantic_group *group) {
  return group->chain < 0 ? NULL : sn_names_at(sn_model_chain_names(model), (size_t)group->chain);
}

static const char *link_name(const sn_model *model, int link) {
  return link < 0 ? "" : sn_model_link(model, (size_t)link)->name;
}

static size_t count_off(const sn__semantics *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->pair_count; i++) {
    count += s->pairs[i].is_checked ? 0 : 1;
  }
  return count;
}

static void print_groups(const sn_model *model, const sn__semantics *s) {
  for (size_t i = 0; i < s->group_count; i++) {
    const sn__semantic_group *group = &s->groups[i];
    printf("  group   %-12s %s, %zu joint%s\n", group->name,
           group->chain < 0 ? "a set of joints" : "a limb", group->joint_count,
           group->joint_count == 1 ? "" : "s");
  }
  for (size_t i = 0; i < s->passive_count; i++) {
    printf("  passive %s\n", sn_model_joint(model, (size_t)s->passive[i])->name);
  }
}

void semantics_print(const sn_model *model) {
  const sn__semantics *s = sn__model_semantics(model);
  if (s->text == NULL) {
    return;
  }
  printf("  srdf    %s\n", s->text_file);
  print_groups(model, s);
  for (size_t i = 0; i < s->state_count; i++) {
    const sn__semantic_state *state = &s->states[i];
    printf("  pose    %-12s", state->name);
    for (size_t j = 0; j < state->count; j++) {
      printf(" %s=%g", sn_model_joint(model, (size_t)state->joints[j])->name, state->positions[j]);
    }
    putchar('\n');
  }
  for (size_t i = 0; i < s->effector_count; i++) {
    const sn__semantic_effector *effector = &s->effectors[i];
    printf("  gripper %-12s group %s on %s\n", effector->name, effector->group,
           link_name(model, effector->parent_link));
  }
  for (size_t i = 0; i < s->virtual_count; i++) {
    printf("  base    %-12s %s in %s\n", s->virtuals[i].name, s->virtuals[i].type,
           s->virtuals[i].parent_frame);
  }
  printf("  pairs   %zu switched off\n", count_off(s));
}

static json_t *groups_json(const sn_model *model, const sn__semantics *s) {
  json_t *list = json_array();
  for (size_t i = 0; i < s->group_count; i++) {
    const sn__semantic_group *group = &s->groups[i];
    json_t *joints = json_array();
    for (size_t j = 0; j < group->joint_count; j++) {
      json_array_append_new(joints,
                            json_string(sn_model_joint(model, (size_t)group->joints[j])->name));
    }
    json_array_append_new(list, json_pack("{s:s, s:o, s:s?}", "name", group->name, "joints", joints,
                                          "limb", limb_of(model, group)));
  }
  return list;
}

static json_t *states_json(const sn_model *model, const sn__semantics *s) {
  json_t *list = json_array();
  for (size_t i = 0; i < s->state_count; i++) {
    const sn__semantic_state *state = &s->states[i];
    json_t *joints = json_object();
    for (size_t j = 0; j < state->count; j++) {
      json_object_set_new(joints, sn_model_joint(model, (size_t)state->joints[j])->name,
                          json_real(state->positions[j]));
    }
    json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", state->name, "group",
                                          state->group, "joints", joints));
  }
  return list;
}

void semantics_add_json(const sn_model *model, json_t *json) {
  const sn__semantics *s = sn__model_semantics(model);
  if (s->text == NULL) {
    return;
  }
  json_t *passive = json_array(), *effectors = json_array();
  for (size_t i = 0; i < s->passive_count; i++) {
    json_array_append_new(passive, json_string(sn_model_joint(model, (size_t)s->passive[i])->name));
  }
  for (size_t i = 0; i < s->effector_count; i++) {
    json_array_append_new(effectors, json_pack("{s:s, s:s, s:s}", "name", s->effectors[i].name,
                                               "group", s->effectors[i].group, "parent_link",
                                               link_name(model, s->effectors[i].parent_link)));
  }
  json_object_set_new(
      json, "semantics",
      json_pack("{s:s, s:o, s:o, s:o, s:o, s:i}", "file", s->text_file, "groups",
                groups_json(model, s), "states", states_json(model, s), "passive", passive,
                "end_effectors", effectors, "pairs_off", (int)count_off(s)));
}
