/* <equality>: a joint that follows another one is a mimic joint. */
#include "mjcf/mjcf_context.h"

/* MuJoCo's rule is q1 - ref1 = a0 + a1 (q2 - ref2). */
static void add_mimic(sn__mjcf *m, const sn__xml_node *node, sn__mjcf_joint *follower,
                      const sn__mjcf_joint *master, double multiplier, double offset) {
  sn__xml_node *mimic = sn__mjcf_add(m, follower->urdf, "mimic", node);
  sn__mjcf_set(m, mimic, "joint", master->name);
  sn__mjcf_set_number(m, mimic, "multiplier", multiplier);
  sn__mjcf_set_number(m, mimic, "offset", offset);
  follower->is_mimic = true;
}

static void read_joint(sn__mjcf *m, const sn__xml_node *node) {
  const sn__mjcf_element e = sn__mjcf_element_of(m, node, -1);
  const sn__mjcf_element own = {.node = node, .class_index = -1};
  double a[5] = {0, 1, 0, 0, 0};
  (void)sn__mjcf_numbers(m, &own, "polycoef", 1, 5, a);
  if (!sn__mjcf_flag(m, &e, "active", true)) {
    return;
  }
  sn__mjcf_joint *first = sn__mjcf_joint_find(m, sn__xml_attribute_value(node, "joint1"));
  sn__mjcf_joint *second = sn__mjcf_joint_find(m, sn__xml_attribute_value(node, "joint2"));
  const bool is_line = a[2] == 0.0 && a[3] == 0.0 && a[4] == 0.0;
  if (first == NULL || second == NULL || !is_line || first == second || first->urdf == NULL ||
      second->urdf == NULL) {
    sn__mjcf_problem(m, SN_SEVERITY_WARNING, node, "it is left out",
                     "<equality>: expected two hinges or slides and a straight line as polycoef");
    return;
  }
  const double offset = first->ref + a[0] - a[1] * second->ref;
  const bool is_turned = first->has_drive && !second->has_drive && a[1] != 0.0;
  if ((is_turned ? second : first)->is_mimic) {
    sn__mjcf_problem(m, SN_SEVERITY_WARNING, node, "it is left out",
                     "<equality>: joint '%.80s' follows another joint already",
                     (is_turned ? second : first)->name);
  } else if (is_turned) { /* the one with the drive leads */
    add_mimic(m, node, second, first, 1.0 / a[1], -offset / a[1]);
  } else {
    add_mimic(m, node, first, second, a[1], offset);
  }
}

void sn__mjcf_read_equality(sn__mjcf *m) {
  for (const sn__xml_node *part = m->root->first_child; part != NULL; part = part->next) {
    const sn__xml_node *node = sn__xml_same(part->name, "equality") ? part->first_child : NULL;
    for (; node != NULL; node = node->next) {
      if (sn__xml_same(node->name, "joint")) {
        read_joint(m, node);
      } else {
        sn__mjcf_unknown(m, node, "equality");
      }
    }
  }
}
