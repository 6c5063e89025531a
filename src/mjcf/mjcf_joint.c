/* Joints of bodies. MuJoCo puts any number of joints into a body, each with an anchor in the body's
   frame; URDF has one joint between two links, at the origin of the lower one. So each joint gets a
   link at its anchor, and the body's own link follows behind the last one. */
#include <math.h>
#include <string.h>

#include "mjcf/mjcf_context.h"
#include "sinew/quat.h"

/* A run of links from the parent to the body. */
typedef struct run {
  sn__mjcf *m;
  const char *body;
  const char *at;     /* the link reached so far */
  sn_pose pose;       /* of the body's frame at rest, seen from there */
  sn__xml_node *link; /* element of `at`, if it was made here */
} run;

static sn_pose shift(sn_vec3 by) {
  return (sn_pose){.rot = sn_mat3_identity(), .pos = by};
}

static bool is_zero(sn_vec3 v) {
  return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

/* Links between joints have no mass, which is logged so that users notice. */
static void add_no_mass(sn__mjcf *m, sn__xml_node *link, const sn__xml_node *source) {
  sn__mjcf_add_inertial(m, link, source, (sn_inertia){0});
}

static void read_range(sn__mjcf *m, const sn__mjcf_element *e, sn__mjcf_joint *joint) {
  double range[2] = {0, 0};
  const bool has_range = sn__mjcf_numbers(m, e, "range", 2, 2, range) == 2;
  const bool is_open = range[0] == 0.0 && range[1] == 0.0; /* MuJoCo's way to say none */
  joint->is_limited =
      sn__mjcf_flag(m, e, "limited", m->settings.has_autolimits && has_range && !is_open);
  joint->lower = joint->is_slide ? range[0] : sn__mjcf_angle(m, range[0]);
  joint->upper = joint->is_slide ? range[1] : sn__mjcf_angle(m, range[1]);
  if (joint->is_limited && !(joint->lower < joint->upper)) {
    sn__mjcf_problem(m, SN_SEVERITY_ERROR, e->node, NULL,
                     "joint '%.80s': range is %g %g, the first must be below the second",
                     joint->name, range[0], range[1]);
    joint->is_limited = false;
  }
}

static sn_vec3 read_axis(sn__mjcf *m, const sn__mjcf_element *e, const char *name) {
  double v[3] = {0, 0, 1};
  (void)sn__mjcf_numbers(m, e, "axis", 3, 3, v);
  const sn_vec3 axis = sn_vec3_make(v[0], v[1], v[2]);
  const double length = sn_vec3_norm(axis);
  if (!(length > 1e-14)) {
    sn__mjcf_problem(m, SN_SEVERITY_ERROR, e->node, NULL, "joint '%.80s': the axis is zero", name);
    return sn_vec3_make(0, 0, 1);
  }
  return sn_vec3_scale(axis, 1.0 / length);
}

static void add_friction(sn__mjcf *m, const sn__mjcf_element *e, sn__xml_node *joint) {
  const double damping = sn__mjcf_number(m, e, "damping", 0.0);
  const double friction = sn__mjcf_number(m, e, "frictionloss", 0.0);
  if (damping > 0.0 || friction > 0.0) {
    sn__xml_node *dynamics = sn__mjcf_add(m, joint, "dynamics", e->node);
    sn__mjcf_set_number(m, dynamics, "damping", fmax(0.0, damping));
    sn__mjcf_set_number(m, dynamics, "friction", fmax(0.0, friction));
  }
}

static void warn_of_spring(sn__mjcf *m, const sn__mjcf_element *e, const char *joint) {
  const double stiffness = sn__mjcf_number(m, e, "stiffness", 0.0);
  if (stiffness > 0.0) {
    sn__mjcf_problem(m, SN_SEVERITY_WARNING, e->node, NULL,
                     "joint '%.80s': its spring (stiffness %g) is left out", joint, stiffness);
  }
}

/* The largest force that the drives of a joint may have together. */
static void read_force_range(sn__mjcf *m, const sn__mjcf_element *e, sn__mjcf_joint *joint) {
  double range[2] = {0, 0};
  const bool has_range = sn__mjcf_numbers(m, e, "actuatorfrcrange", 2, 2, range) == 2;
  if (sn__mjcf_flag(m, e, "actuatorfrclimited", m->settings.has_autolimits && has_range)) {
    joint->effort_max = fmax(fabs(range[0]), fabs(range[1]));
  }
}

static sn__mjcf_joint *new_joint(run *r, const sn__xml_node *node, size_t width) {
  sn__mjcf *m = r->m;
  const char *name = sn__xml_attribute_value(node, "name");
  sn__mjcf_joint *joint = &m->joints[m->joint_count++];
  *joint = (sn__mjcf_joint){
      .name =
          name != NULL ? name : sn__mjcf_unique(m, 'j', sn__mjcf_join(m, r->body, "_joint", "")),
      .source = node,
      .qpos_at = m->qpos_count};
  m->qpos_count += width;
  return joint->name == NULL ? NULL : joint;
}

/* Add a link behind a joint, which is the body's own if that is where the body is. */
static const char *next_link(run *r, const sn__xml_node *source, const char *joint, bool is_last) {
  const char *name =
      is_last ? r->body : sn__mjcf_unique(r->m, 'l', sn__mjcf_join(r->m, r->body, "_", joint));
  r->link = name == NULL ? NULL : sn__mjcf_add_link(r->m, source, name);
  if (!is_last) {
    add_no_mass(r->m, r->link, source);
  }
  return name;
}

/* One hinge or slide. Its coordinate is `ref` where the file draws the body; ours is zero where the
   coordinate is, so the joint's frame is moved back by that much. */
static void add_axis(run *r, const sn__xml_node *node, int class_index, bool is_slide,
                     bool is_last) {
  sn__mjcf *m = r->m;
  const sn__mjcf_element e = sn__mjcf_element_of(m, node, class_index);
  sn__mjcf_joint *joint = new_joint(r, node, 1);
  if (joint == NULL) {
    return;
  }
  joint->is_slide = is_slide;
  double pos[3] = {0, 0, 0};
  (void)sn__mjcf_numbers(m, &e, "pos", 3, 3, pos);
  const sn_vec3 anchor = is_slide ? sn_vec3_make(0, 0, 0) : sn_vec3_make(pos[0], pos[1], pos[2]);
  const sn_vec3 axis = read_axis(m, &e, joint->name);
  const double ref = sn__mjcf_number(m, &e, "ref", 0.0);
  joint->ref = is_slide ? ref : sn__mjcf_angle(m, ref);
  const sn_pose back =
      is_slide ? shift(sn_vec3_scale(axis, -joint->ref))
               : (sn_pose){sn_mat3_from_axis_angle(axis, -joint->ref), sn_vec3_make(0, 0, 0)};
  read_range(m, &e, joint);
  read_force_range(m, &e, joint);
  const bool is_body = is_last && is_zero(anchor);
  const char *child = next_link(r, node, joint->name, is_body);
  joint->urdf =
      sn__mjcf_add_joint(m, node, joint->name,
                         is_slide            ? "prismatic"
                         : joint->is_limited ? "revolute"
                                             : "continuous",
                         r->at, child, sn_pose_mul(sn_pose_mul(r->pose, shift(anchor)), back));
  const double direction[3] = {axis.x, axis.y, axis.z};
  sn__mjcf_set_numbers(m, sn__mjcf_add(m, joint->urdf, "axis", node), "xyz", direction, 3);
  add_friction(m, &e, joint->urdf);
  warn_of_spring(m, &e, joint->name);
  r->at = child;
  r->pose = shift(sn_vec3_neg(anchor));
}

static void add_rigid(run *r, const sn__xml_node *source, const char *type, const char *joint) {
  r->link = sn__mjcf_add_link(r->m, source, r->body);
  (void)sn__mjcf_add_joint(r->m, source, joint, type, r->at, r->body, r->pose);
  r->at = r->body;
}

static void add_free(run *r, const sn__xml_node *node) {
  sn__mjcf_joint *joint = new_joint(r, node, 7);
  if (joint != NULL) {
    joint->is_free = true;
    add_rigid(r, node, "floating", joint->name);
  }
}

/* ---- the joints of a body ---- */

static const char *type_of(sn__mjcf *m, const sn__xml_node *node, int class_index) {
  if (sn__xml_same(node->name, "freejoint")) {
    return "free";
  }
  if (!sn__xml_same(node->name, "joint")) {
    return NULL;
  }
  const sn__mjcf_element e = sn__mjcf_element_of(m, node, class_index);
  const char *type = sn__mjcf_text(m, &e, "type");
  return type == NULL ? "hinge" : type;
}

static const sn__xml_node *next_joint(sn__mjcf *m, const sn__xml_node *node, int class_index) {
  while (node != NULL && type_of(m, node, class_index) == NULL) {
    node = node->next;
  }
  return node;
}

static void add_joint(run *r, const sn__xml_node *node, int class_index, bool is_last) {
  const char *type = type_of(r->m, node, class_index);
  const bool is_slide = strcmp(type, "slide") == 0;
  if (is_slide || strcmp(type, "hinge") == 0) {
    add_axis(r, node, class_index, is_slide, is_last);
  } else if (strcmp(type, "free") == 0) {
    add_free(r, node);
  } else {
    sn__mjcf_problem(r->m, SN_SEVERITY_ERROR, node,
                     strcmp(type, "ball") == 0 ? "write three hinges instead" : NULL,
                     "body '%.80s' has a joint of type '%.60s', expected hinge, slide or free",
                     r->body, type);
  }
}

sn__xml_node *sn__mjcf_read_joints(sn__mjcf *m, const sn__xml_node *body, int class_index,
                                   const char *parent, const char *name, sn_pose pose) {
  run r = {.m = m, .body = name, .at = parent, .pose = pose};
  const sn__xml_node *node = next_joint(m, body->first_child, class_index);
  while (node != NULL) {
    const sn__xml_node *after = next_joint(m, node->next, class_index);
    add_joint(&r, node, class_index, after == NULL);
    node = after;
  }
  if (r.at != name) { /* no joint, or one that is not where the body is */
    add_rigid(&r, body, "fixed", sn__mjcf_unique(m, 'j', sn__mjcf_join(m, name, "_fixed", "")));
  }
  return r.link;
}
