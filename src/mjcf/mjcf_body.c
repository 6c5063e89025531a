/* Bodies, frames and sites. */
#include <stdio.h>
#include <string.h>

#include "math/inertia.h"
#include "mjcf/mjcf_context.h"

/* Elements that a robot's model does not need. */
static const char *const silent[] = {"camera", "light", "joint", "freejoint", "inertial"};

static bool is_silent(const char *name) {
  for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
    if (sn__xml_same(silent[i], name)) {
      return true;
    }
  }
  return false;
}

/* The class of what is inside a body or a frame. */
static int inner_class(sn__mjcf *m, const sn__xml_node *node, int class_index) {
  const char *name = sn__xml_attribute_value(node, "childclass");
  return name == NULL ? class_index : sn__mjcf_class_find(m, node, name);
}

static sn_pose pose_of(sn__mjcf *m, const sn__xml_node *node) {
  const sn__mjcf_element e = {.node = node, .class_index = -1};
  return sn__mjcf_pose(m, &e);
}

/* A site is a frame: a link without mass. Sites without a name are marks for the eye. */
static void read_site(sn__mjcf *m, const sn__xml_node *node, int class_index, const char *link,
                      sn_pose frame) {
  const char *name = sn__xml_attribute_value(node, "name");
  if (name == NULL) {
    return;
  }
  const sn__mjcf_element e = sn__mjcf_element_of(m, node, class_index);
  const char *own = sn__mjcf_unique(m, 'l', name);
  const char *joint =
      own == NULL ? NULL : sn__mjcf_unique(m, 'j', sn__mjcf_join(m, own, "_site", ""));
  (void)sn__mjcf_add_link(m, node, own);
  (void)sn__mjcf_add_joint(m, node, joint, "fixed", link, own,
                           sn_pose_mul(frame, sn__mjcf_pose(m, &e)));
}

/* What is being read: a body and where its link is. */
typedef struct place {
  const char *link;      /* its name */
  sn__xml_node *element; /* NULL: the world */
  bool needs_mass;       /* from geoms */
  sn_inertia sum;
} place;

static void read_body(sn__mjcf *m, const sn__xml_node *body, int class_index, const char *parent,
                      sn_pose frame);

/* NOLINTNEXTLINE(misc-no-recursion): elements nest to a bound */
static void read_children(sn__mjcf *m, const sn__xml_node *node, int class_index, sn_pose frame,
                          place *p) {
  for (const sn__xml_node *child = node->first_child; child != NULL; child = child->next) {
    if (m->is_out_of_memory || m->is_too_large) {
      return;
    }
    if (sn__xml_same(child->name, "geom")) {
      if (p->element != NULL) { /* those of the world are not part of the robot */
        sn__mjcf_read_geom(m, child, class_index, frame, p->element, p->needs_mass, &p->sum);
      }
    } else if (sn__xml_same(child->name, "site")) {
      read_site(m, child, class_index, p->link, frame);
    } else if (sn__xml_same(child->name, "body")) {
      read_body(m, child, class_index, p->link, frame);
    } else if (sn__xml_same(child->name, "frame")) {
      read_children(m, child, inner_class(m, child, class_index),
                    sn_pose_mul(frame, pose_of(m, child)), p);
    } else if (!is_silent(child->name)) {
      sn__mjcf_unknown(m, child, node->name);
    }
  }
}

static const char *name_body(sn__mjcf *m, const sn__xml_node *body) {
  const char *name = sn__xml_attribute_value(body, "name");
  char number[32];
  if (name == NULL) {
    snprintf(number, sizeof number, "body%zu", m->link_count);
    return sn__mjcf_unique(m, 'l', number);
  }
  return name; /* reserved */
}

/* Inside of a body whose link exists. */
/* NOLINTNEXTLINE(misc-no-recursion): likewise */
static void read_inside(sn__mjcf *m, const sn__xml_node *body, int class_index, const char *name,
                        sn__xml_node *link) {
  const sn__xml_node *inertial = sn__xml_child(body, "inertial");
  const bool is_stated = inertial != NULL && m->settings.inertia_from_geom != SN__MJCF_ALWAYS;
  place p = {.link = name,
             .element = link,
             .needs_mass = !is_stated && m->settings.inertia_from_geom != SN__MJCF_NEVER};
  /* Before those of its children, so that the parent's element is complete first. */
  if (is_stated) {
    sn__mjcf_add_inertial(m, link, inertial, sn__mjcf_read_inertial(m, inertial));
  }
  read_children(m, body, class_index, sn_pose_identity(), &p);
  if (p.sum.mass_kg > 0.0) {
    sn__mjcf_add_inertial(m, link, body, p.sum);
  }
}

/* NOLINTNEXTLINE(misc-no-recursion): likewise */
static void read_body(sn__mjcf *m, const sn__xml_node *body, int class_index, const char *parent,
                      sn_pose frame) {
  const int inside = inner_class(m, body, class_index);
  const char *name = name_body(m, body);
  if (name == NULL) {
    return;
  }
  sn__xml_node *link =
      sn__mjcf_read_joints(m, body, inside, parent, name, sn_pose_mul(frame, pose_of(m, body)));
  if (link != NULL) {
    read_inside(m, body, inside, name, link);
  }
}

/* ---- names ---- */

/* NOLINTNEXTLINE(misc-no-recursion): likewise */
static void count_elements(const sn__xml_node *node, size_t *all, size_t *joints) {
  for (const sn__xml_node *child = node->first_child; child != NULL; child = child->next) {
    *all += 1;
    *joints += sn__xml_same(child->name, "joint") || sn__xml_same(child->name, "freejoint") ? 1 : 0;
    count_elements(child, all, joints);
  }
}

/* Bodies and joints keep their names; sites and what is made here get others if need be. */
/* NOLINTNEXTLINE(misc-no-recursion): likewise */
static void reserve_names(sn__mjcf *m, const sn__xml_node *node) {
  for (const sn__xml_node *child = node->first_child; child != NULL; child = child->next) {
    const bool is_body = sn__xml_same(child->name, "body");
    const bool is_joint =
        sn__xml_same(child->name, "joint") || sn__xml_same(child->name, "freejoint");
    const char *name = is_body || is_joint ? sn__xml_attribute_value(child, "name") : NULL;
    if (name != NULL && !sn__mjcf_reserve(m, is_body ? 'l' : 'j', name)) {
      sn__mjcf_problem(m, SN_SEVERITY_ERROR, child, NULL, "there are two <%s> of the name '%.80s'",
                       is_body ? "body" : "joint", name);
    }
    reserve_names(m, child);
  }
}

/* @return false: no memory */
static bool prepare(sn__mjcf *m) {
  size_t all = 0, joints = 0;
  count_elements(m->root, &all, &joints);
  if (all > SN__MJCF_ELEMENTS_MAX) {
    m->is_too_large = true;
    return false;
  }
  m->name_capacity = 8 * all + 64; /* a joint may need two links and two joints */
  m->names = SN_NEW(m->arena, const char *, m->name_capacity);
  m->joints = SN_NEW(m->arena, sn__mjcf_joint, joints);
  if (m->names == NULL || m->joints == NULL) {
    m->is_out_of_memory = true;
    return false;
  }
  for (const sn__xml_node *node = m->root->first_child; node != NULL; node = node->next) {
    if (sn__xml_same(node->name, "worldbody")) {
      reserve_names(m, node);
    }
  }
  return true;
}

/* ---- the world ---- */

/* NOLINTNEXTLINE(misc-no-recursion): likewise */
static size_t count_bodies(const sn__xml_node *node, const sn__xml_node **body) {
  size_t count = 0;
  for (const sn__xml_node *child = node->first_child; child != NULL; child = child->next) {
    if (sn__xml_same(child->name, "body")) {
      *body = child;
      count++;
    } else if (sn__xml_same(child->name, "frame")) {
      count += count_bodies(child, body);
    }
  }
  return count;
}

static bool is_free(const sn__xml_node *body) {
  const sn__xml_node *joint = sn__xml_child(body, "joint");
  const char *type = joint == NULL ? NULL : sn__xml_attribute_value(joint, "type");
  return sn__xml_child(body, "freejoint") != NULL || (type != NULL && strcmp(type, "free") == 0);
}

/* The only body, free in the world, is the root of the robot: a floating base. */
static void read_root(sn__mjcf *m, const sn__xml_node *body) {
  int class_index = -1;
  for (const sn__xml_node *world = m->root->first_child; world != NULL; world = world->next) {
    if (sn__xml_same(world->name, "worldbody")) {
      class_index = inner_class(m, world, class_index);
    }
  }
  class_index = inner_class(m, body, class_index);
  const char *name = name_body(m, body);
  sn__xml_node *link = name == NULL ? NULL : sn__mjcf_add_link(m, body, name);
  if (link != NULL) {
    m->qpos_count += 7;
    read_inside(m, body, class_index, name, link);
  }
}

void sn__mjcf_read_bodies(sn__mjcf *m) {
  const sn__xml_node *body = NULL, *first = NULL;
  size_t count = 0;
  if (!prepare(m)) {
    return;
  }
  for (const sn__xml_node *node = m->root->first_child; node != NULL; node = node->next) {
    if (sn__xml_same(node->name, "worldbody")) {
      first = first == NULL ? node : first;
      count += count_bodies(node, &body);
    }
  }
  if (count == 0) {
    sn__mjcf_problem(m, SN_SEVERITY_ERROR, first == NULL ? m->root : first, NULL,
                     "the model has no bodies in its <worldbody>");
    return;
  }
  if (count == 1 && is_free(body)) {
    read_root(m, body);
    return;
  }
  place world = {.link = sn__mjcf_unique(m, 'l', "world")};
  (void)sn__mjcf_add_link(m, first, world.link);
  for (const sn__xml_node *node = m->root->first_child; node != NULL; node = node->next) {
    if (sn__xml_same(node->name, "worldbody")) {
      read_children(m, node, inner_class(m, node, -1), sn_pose_identity(), &world);
    }
  }
}
