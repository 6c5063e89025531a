/* <compiler> and <default>: how the rest is to be read. */
#include <math.h>
#include <string.h>

#include "mjcf/mjcf_context.h"

/* ---- <compiler> ---- */

static void read_euler_order(sn__mjcf *m, const sn__mjcf_element *e) {
  const char *text = sn__mjcf_text(m, e, "eulerseq");
  if (text == NULL) {
    return;
  }
  if (strlen(text) == 3 && strspn(text, "xyzXYZ") == 3) {
    memcpy(m->settings.euler_order, text, 4);
  } else {
    sn__mjcf_problem(m, SN_SEVERITY_ERROR, e->node, NULL,
                     "<compiler> eulerseq is '%.60s', expected three of x, y, z, X, Y, Z", text);
  }
}

static void read_inertia_source(sn__mjcf *m, const sn__mjcf_element *e) {
  const char *text = sn__mjcf_text(m, e, "inertiafromgeom");
  if (text != NULL) {
    m->settings.inertia_from_geom = strcmp(text, "true") == 0    ? SN__MJCF_ALWAYS
                                    : strcmp(text, "false") == 0 ? SN__MJCF_NEVER
                                                                 : SN__MJCF_AUTO;
  }
  (void)sn__mjcf_numbers(m, e, "inertiagrouprange", 2, 2, m->settings.group_range);
  m->settings.mass_min_kg = fmax(0.0, sn__mjcf_number(m, e, "boundmass", m->settings.mass_min_kg));
  m->settings.inertia_min =
      fmax(0.0, sn__mjcf_number(m, e, "boundinertia", m->settings.inertia_min));
}

/* What would change the robot, but is not supported. */
static void check_others(sn__mjcf *m, const sn__mjcf_element *e) {
  const char *coordinate = sn__mjcf_text(m, e, "coordinate");
  if (coordinate != NULL && strcmp(coordinate, "global") == 0) {
    sn__mjcf_problem(m, SN_SEVERITY_ERROR, e->node,
                     "save the model with MuJoCo, which writes local ones",
                     "<compiler> coordinate is 'global', expected 'local'");
  }
  if (sn__mjcf_number(m, e, "settotalmass", -1.0) > 0.0) {
    sn__mjcf_problem(m, SN_SEVERITY_WARNING, e->node, "write the masses of the bodies",
                     "<compiler> settotalmass is ignored");
  }
  if (sn__mjcf_flag(m, e, "balanceinertia", false)) {
    sn__mjcf_problem(m, SN_SEVERITY_WARNING, e->node, "write the inertias that it leads to",
                     "<compiler> balanceinertia is ignored");
  }
}

void sn__mjcf_read_settings(sn__mjcf *m) {
  sn__mjcf_settings *s = &m->settings;
  *s = (sn__mjcf_settings){.is_degree = true,
                           .has_autolimits = true,
                           .euler_order = "xyz",
                           .inertia_from_geom = SN__MJCF_AUTO,
                           .group_range = {0, 5},
                           .mesh_folder = ""};
  for (const sn__xml_node *node = m->root->first_child; node != NULL; node = node->next) {
    if (!sn__xml_same(node->name, "compiler")) {
      continue;
    }
    const sn__mjcf_element e = {.node = node, .class_index = -1};
    const char *angle = sn__mjcf_text(m, &e, "angle");
    const char *assets = sn__mjcf_text(m, &e, "assetdir");
    const char *meshes = sn__mjcf_text(m, &e, "meshdir");
    s->is_degree = angle == NULL ? s->is_degree : strcmp(angle, "radian") != 0;
    s->mesh_folder = meshes != NULL ? meshes : assets != NULL ? assets : s->mesh_folder;
    s->has_autolimits = sn__mjcf_flag(m, &e, "autolimits", s->has_autolimits);
    s->has_strippath = sn__mjcf_flag(m, &e, "strippath", s->has_strippath);
    read_euler_order(m, &e);
    read_inertia_source(m, &e);
    check_others(m, &e);
  }
}

/* ---- <default> ---- */

enum { CLASS_ELEMENTS_MAX = 64 }; /* there are fewer kinds; look-up takes as long as there are */

static bool is_too_long(const sn__xml_node *node) {
  size_t count = 0;
  for (const sn__xml_node *child = node->first_child; child != NULL; child = child->next) {
    count += sn__xml_same(child->name, "default") ? 0 : 1;
  }
  return count > CLASS_ELEMENTS_MAX;
}

/* NOLINTNEXTLINE(misc-no-recursion): elements nest to a bound */
static void add_class(sn__mjcf *m, const sn__xml_node *node, int parent) {
  const char *name = sn__xml_attribute_value(node, "class");
  if (m->class_count == SN__MJCF_CLASSES_MAX || is_too_long(node)) {
    sn__mjcf_problem(m, SN_SEVERITY_ERROR, node, NULL,
                     "more than %d classes of defaults, or more than %d elements in one",
                     (int)SN__MJCF_CLASSES_MAX, (int)CLASS_ELEMENTS_MAX);
    return;
  }
  if (parent >= 0 && name == NULL) {
    sn__mjcf_problem(m, SN_SEVERITY_ERROR, node, NULL, "a <default> inside another has no class");
    return;
  }
  const int index = (int)m->class_count++;
  m->classes[index] = (sn__mjcf_class){parent < 0 ? "main" : name, parent, node};
  for (const sn__xml_node *child = node->first_child; child != NULL; child = child->next) {
    if (sn__xml_same(child->name, "default")) {
      add_class(m, child, index);
    }
  }
}

void sn__mjcf_read_defaults(sn__mjcf *m) {
  m->classes = SN_NEW(m->arena, sn__mjcf_class, SN__MJCF_CLASSES_MAX);
  if (m->classes == NULL) {
    m->is_out_of_memory = true;
    return;
  }
  for (const sn__xml_node *node = m->root->first_child; node != NULL; node = node->next) {
    if (sn__xml_same(node->name, "default")) {
      add_class(m, node, -1);
    }
  }
}

int sn__mjcf_class_find(sn__mjcf *m, const sn__xml_node *node, const char *name) {
  for (size_t i = 0; i < m->class_count; i++) {
    const char *stated = sn__xml_attribute_value(m->classes[i].node, "class");
    if (strcmp(m->classes[i].name, name) == 0 || (stated != NULL && strcmp(stated, name) == 0)) {
      return (int)i;
    }
  }
  if (strcmp(name, "main") != 0) {
    sn__mjcf_problem(m, SN_SEVERITY_ERROR, node, NULL, "<%.60s>: unknown default class '%.80s'",
                     node->name, name);
  }
  return -1;
}

sn__mjcf_element sn__mjcf_element_of(sn__mjcf *m, const sn__xml_node *node, int class_index) {
  const char *own = sn__xml_attribute_value(node, "class");
  const int main_class = m->class_count > 0 ? 0 : -1;
  const int inherited = class_index < 0 ? main_class : class_index;
  return (sn__mjcf_element){
      .node = node,
      .tag = node->name,
      .class_index = own == NULL ? inherited : sn__mjcf_class_find(m, node, own)};
}
