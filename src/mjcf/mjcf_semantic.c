/* What becomes an SRDF: keyframes, excluded pairs, joints without a drive. */
#include <stdio.h>
#include <string.h>

#include "mjcf/mjcf_context.h"

static bool has_drives(const sn__mjcf *m) {
  for (size_t i = 0; i < m->joint_count; i++) {
    if (m->joints[i].has_drive) {
      return true;
    }
  }
  return false;
}

/* In a model without any actuator all joints are taken to have one. */
static bool add_passive(sn__mjcf *m) {
  bool has_any = false;
  for (size_t i = 0; has_drives(m) && i < m->joint_count; i++) {
    const sn__mjcf_joint *joint = &m->joints[i];
    if (!joint->has_drive && !joint->is_mimic && !joint->is_free && joint->urdf != NULL) {
      sn__mjcf_set(m, sn__mjcf_add(m, m->srdf, "passive_joint", joint->source), "name",
                   joint->name);
      has_any = true;
    }
  }
  return has_any;
}

/* ---- keyframes ---- */

static void add_state_joint(sn__mjcf *m, const sn__xml_node *key, sn__xml_node *state,
                            const sn__mjcf_joint *joint, double position) {
  if (joint->is_free || joint->is_mimic || joint->urdf == NULL) {
    return;
  }
  if (joint->is_limited && (position < joint->lower || position > joint->upper)) {
    sn__mjcf_problem(m, SN_SEVERITY_WARNING, key, "it is left out of the pose",
                     "keyframe: joint '%.80s' at %g, its limits are %g and %g", joint->name,
                     position, joint->lower, joint->upper);
    return;
  }
  sn__xml_node *item = sn__mjcf_add(m, state, "joint", key);
  sn__mjcf_set(m, item, "name", joint->name);
  sn__mjcf_set_number(m, item, "value", position);
}

static bool add_key(sn__mjcf *m, const sn__xml_node *key, size_t index, double *qpos) {
  const sn__mjcf_element e = {.node = key, .class_index = -1};
  const char *name = sn__xml_attribute_value(key, "name");
  char number[32];
  snprintf(number, sizeof number, "key%zu", index);
  name = name == NULL ? sn_arena_text(m->arena, number, strlen(number)) : name;
  if (sn__xml_attribute_value(key, "qpos") == NULL) {
    return false;
  }
  if (sn__mjcf_numbers(m, &e, "qpos", m->qpos_count, m->qpos_count, qpos) == 0) {
    return false;
  }
  sn__xml_node *state = sn__mjcf_add(m, m->srdf, "group_state", key);
  sn__mjcf_set(m, state, "name", name);
  for (size_t i = 0; i < m->joint_count; i++) {
    add_state_joint(m, key, state, &m->joints[i], qpos[m->joints[i].qpos_at]);
  }
  return true;
}

static bool add_keys(sn__mjcf *m) {
  enum { KEYS_MAX = 64 };
  double *qpos = SN_NEW(m->arena, double, m->qpos_count + 1);
  size_t index = 0;
  bool has_any = false;
  for (const sn__xml_node *part = m->root->first_child; part != NULL; part = part->next) {
    const sn__xml_node *key = sn__xml_same(part->name, "keyframe") ? part->first_child : NULL;
    for (; key != NULL && qpos != NULL; key = key->next) {
      if (index == KEYS_MAX) {
        sn__mjcf_problem(m, SN_SEVERITY_WARNING, key, NULL,
                         "more than %d keyframes, the others are left out", (int)KEYS_MAX);
        return has_any;
      }
      has_any = add_key(m, key, index++, qpos) || has_any;
    }
  }
  m->is_out_of_memory = m->is_out_of_memory || qpos == NULL;
  return has_any;
}

/* ---- pairs ---- */

static bool add_exclude(sn__mjcf *m, const sn__xml_node *node) {
  const char *first = sn__xml_attribute_value(node, "body1");
  const char *second = sn__xml_attribute_value(node, "body2");
  if (first == NULL || second == NULL || !sn__mjcf_is_taken(m, 'l', first) ||
      !sn__mjcf_is_taken(m, 'l', second)) {
    sn__mjcf_problem(m, SN_SEVERITY_WARNING, node, "it is left out",
                     "<exclude>: '%.80s' and '%.80s' are not both bodies of the robot",
                     first == NULL ? "" : first, second == NULL ? "" : second);
    return false;
  }
  sn__xml_node *pair = sn__mjcf_add(m, m->srdf, "disable_collisions", node);
  sn__mjcf_set(m, pair, "link1", first);
  sn__mjcf_set(m, pair, "link2", second);
  return true;
}

static bool add_excludes(sn__mjcf *m) {
  bool has_any = false;
  for (const sn__xml_node *part = m->root->first_child; part != NULL; part = part->next) {
    const sn__xml_node *node = sn__xml_same(part->name, "contact") ? part->first_child : NULL;
    for (; node != NULL; node = node->next) {
      if (sn__xml_same(node->name, "exclude")) {
        has_any = add_exclude(m, node) || has_any;
      } else {
        sn__mjcf_unknown(m, node, "contact");
      }
    }
  }
  return has_any;
}

bool sn__mjcf_read_semantics(sn__mjcf *m) {
  const bool has_passive = add_passive(m);
  const bool has_keys = add_keys(m);
  return add_excludes(m) || has_keys || has_passive;
}
