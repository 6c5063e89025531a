#include <math.h>

#include "model/urdf/urdf.h"
#include "model/urdf/urdf_values.h"

static const struct {
  const char *text;
  sn_joint_type type;
} joint_types[] = {
    {"fixed", SN_JOINT_FIXED},           {"revolute", SN_JOINT_REVOLUTE},
    {"continuous", SN_JOINT_CONTINUOUS}, {"prismatic", SN_JOINT_PRISMATIC},
    {"floating", SN_JOINT_FLOATING},     {"planar", SN_JOINT_PLANAR},
};

static bool has_axis(sn_joint_type type) {
  return type == SN_JOINT_REVOLUTE || type == SN_JOINT_CONTINUOUS || type == SN_JOINT_PRISMATIC ||
         type == SN_JOINT_PLANAR;
}

static bool needs_limits(sn_joint_type type) {
  return type == SN_JOINT_REVOLUTE || type == SN_JOINT_PRISMATIC;
}

/* A joint without a valid type is an error; it is treated as continuous, which has no required
 * elements, so that the rest is still checked. */
static void read_type(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                      sn_joint *joint) {
  joint->type = SN_JOINT_CONTINUOUS;
  const char *text = sn__xml_attribute_value(node, "type");
  const char *hint = "one of fixed, revolute, continuous, prismatic, floating, planar";
  if (text == NULL) {
    sn__urdf_problem(context, SN_SEVERITY_ERROR, node, NULL, hint, "joint '%.80s' has no type",
                     owner.name);
    return;
  }
  for (size_t i = 0; i < sizeof joint_types / sizeof *joint_types; i++) {
    if (sn__xml_same(text, joint_types[i].text)) {
      joint->type = joint_types[i].type;
      return;
    }
  }
  if (!sn__urdf_has_xacro(context, owner, node, "type", text)) {
    sn__urdf_problem(context, SN_SEVERITY_ERROR, node, "type", hint,
                     "joint '%.80s': unknown type '%.60s'", owner.name, text);
  }
}

/* <parent link="..."/> or <child link="..."/>; NULL with an error reported if it is missing. */
static const char *read_end(sn__urdf_context *context, sn__urdf_owner owner,
                            const sn__xml_node *node, const char *which, sn_place *place) {
  const sn__xml_node *end = sn__xml_child(node, which);
  *place = end == NULL ? node->place : end->place;
  const char *name = end == NULL ? NULL : sn__xml_attribute_value(end, "link");
  if (name == NULL || *name == '\0') {
    sn__urdf_problem(context, SN_SEVERITY_ERROR, end == NULL ? node : end, NULL, NULL,
                     "joint '%.80s' has no %s link", owner.name, which);
    return NULL;
  }
  return sn__urdf_has_xacro(context, owner, end, "link", name) ? NULL : name;
}

static void read_axis(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                      sn_joint *joint) {
  joint->axis = sn_vec3_make(1, 0, 0);
  const sn__xml_node *axis = sn__xml_child(node, "axis");
  if (axis == NULL || !has_axis(joint->type)) {
    return; /* the axis of a fixed joint is ignored, even (0 0 0) */
  }
  double v[3];
  if (sn__xml_attribute_value(axis, "xyz") == NULL ||
      !sn__urdf_numbers(context, owner, axis, "xyz", 3, v)) {
    return;
  }
  /* Scaled by the largest entry first to avoid overflow and underflow. */
  const double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
  if (largest == 0.0) {
    sn__urdf_problem(context, SN_SEVERITY_ERROR, axis, "xyz", NULL,
                     "joint '%.80s': the axis is zero", owner.name);
    return;
  }
  const sn_vec3 scaled = sn_vec3_make(v[0] / largest, v[1] / largest, v[2] / largest);
  const double norm = sn_vec3_norm(scaled);
  if (fabs(norm * largest - 1.0) >
      1e-4) { /* an axis rounded to five digits is accepted as a unit vector */
    sn__urdf_problem(context, SN_SEVERITY_WARNING, axis, "xyz", NULL,
                     "joint '%.80s': the axis has length %.6g; it is normalised", owner.name,
                     norm * largest);
  }
  joint->axis = sn_vec3_scale(scaled, 1.0 / norm);
}

/* A limit that must not be negative; zero is allowed, but nothing will move. */
static void read_bound(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *limit,
                       const char *attribute, bool zero_stops, double *out) {
  double value = 0.0;
  if (!sn__urdf_number(context, owner, limit, attribute, &value)) {
    return;
  }
  if (value < 0.0) {
    sn__urdf_problem(context, SN_SEVERITY_ERROR, limit, attribute, NULL,
                     "joint '%.80s': %s is %g, must not be negative", owner.name, attribute, value);
  } else if (value == 0.0 && zero_stops) {
    sn__urdf_problem(context, SN_SEVERITY_WARNING, limit, attribute, NULL,
                     "joint '%.80s': %s is 0, so it cannot move", owner.name, attribute);
  }
  *out = value;
}

static void read_limit(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                       sn_joint *joint) {
  joint->lower_hard = -INFINITY;
  joint->upper_hard = INFINITY;
  joint->velocity_max = joint->effort_max = joint->acceleration_max = joint->jerk_max = INFINITY;
  const sn__xml_node *limit = sn__xml_child(node, "limit");
  if (limit == NULL) {
    if (needs_limits(joint->type)) {
      sn__urdf_problem(context, SN_SEVERITY_ERROR, node, NULL,
                       "add <limit lower=... upper=... effort=... velocity=.../>",
                       "joint '%.80s' has no limits", owner.name);
    }
    joint->deceleration_max = joint->acceleration_max;
    return;
  }
  if (joint->type == SN_JOINT_FIXED) {
    sn__urdf_problem(context, SN_SEVERITY_WARNING, limit, NULL, NULL,
                     "joint '%.80s' is fixed, its limits are ignored", owner.name);
    joint->deceleration_max = joint->acceleration_max;
    return;
  }
  if (needs_limits(joint->type)) {
    joint->lower_hard = joint->upper_hard = 0.0;
    sn__urdf_number(context, owner, limit, "lower", &joint->lower_hard);
    sn__urdf_number(context, owner, limit, "upper", &joint->upper_hard);
    const char *unit = joint->type == SN_JOINT_PRISMATIC ? "m" : "rad";
    if (joint->lower_hard > joint->upper_hard) {
      sn__urdf_problem(context, SN_SEVERITY_ERROR, limit, "lower", NULL,
                       "joint '%.80s': lower %g %s is above upper %g %s", owner.name,
                       joint->lower_hard, unit, joint->upper_hard, unit);
    }
    static const char *const required[] = {"effort", "velocity"};
    for (size_t i = 0; i < 2; i++) {
      if (sn__xml_attribute_value(limit, required[i]) == NULL) {
        sn__urdf_problem(context, SN_SEVERITY_ERROR, limit, NULL, NULL,
                         "joint '%.80s': <limit> has no %s", owner.name, required[i]);
      }
    }
  }
  read_bound(context, owner, limit, "effort", true, &joint->effort_max);
  read_bound(context, owner, limit, "velocity", true, &joint->velocity_max);
  read_bound(context, owner, limit, "acceleration", true, &joint->acceleration_max);
  joint->deceleration_max = joint->acceleration_max;
  read_bound(context, owner, limit, "deceleration", true, &joint->deceleration_max);
  read_bound(context, owner, limit, "jerk", true, &joint->jerk_max);
}

/* The effective limits: the tighter of hard and soft, considering only given attributes. */
static void read_soft_limits(sn__urdf_context *context, sn__urdf_owner owner,
                             const sn__xml_node *node, sn_joint *joint) {
  joint->lower = joint->lower_hard;
  joint->upper = joint->upper_hard;
  const sn__xml_node *safety = sn__xml_child(node, "safety_controller");
  if (safety == NULL || !has_axis(joint->type) || joint->type == SN_JOINT_PLANAR) {
    return;
  }
  double soft_lower = -INFINITY;
  double soft_upper = INFINITY;
  double gain = 0.0;
  sn__urdf_number(context, owner, safety, "soft_lower_limit", &soft_lower);
  sn__urdf_number(context, owner, safety, "soft_upper_limit", &soft_upper);
  sn__urdf_number(context, owner, safety, "k_position", &gain);
  sn__urdf_number(context, owner, safety, "k_velocity", &gain);
  if (joint->type == SN_JOINT_CONTINUOUS) {
    return; /* it has no range that a soft limit could narrow */
  }
  if (isfinite(soft_lower) && soft_lower < joint->lower_hard) {
    sn__urdf_problem(context, SN_SEVERITY_WARNING, safety, "soft_lower_limit", NULL,
                     "joint '%.80s': soft lower limit %g is outside the hard limit %g", owner.name,
                     soft_lower, joint->lower_hard);
  }
  if (isfinite(soft_upper) && soft_upper > joint->upper_hard) {
    sn__urdf_problem(context, SN_SEVERITY_WARNING, safety, "soft_upper_limit", NULL,
                     "joint '%.80s': soft upper limit %g is outside the hard limit %g", owner.name,
                     soft_upper, joint->upper_hard);
  }
  const double lower = fmax(soft_lower, joint->lower_hard);
  const double upper = fmin(soft_upper, joint->upper_hard);
  if (lower > upper && joint->lower_hard <= joint->upper_hard) {
    sn__urdf_problem(context, SN_SEVERITY_ERROR, safety, NULL, NULL,
                     "joint '%.80s': hard and soft limits leave no range: lower %g is above upper "
                     "%g",
                     owner.name, lower, upper);
    return;
  }
  joint->lower = lower;
  joint->upper = upper;
}

static void read_mimic(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                       sn__urdf_joint *joint) {
  joint->joint.mimic_multiplier = 1.0;
  joint->mimic = -1;
  const sn__xml_node *mimic = sn__xml_child(node, "mimic");
  if (mimic == NULL) {
    return;
  }
  sn_joint *j = &joint->joint;
  if (sn__urdf_number(context, owner, mimic, "multiplier", &j->mimic_multiplier)) {
    (void)sn__urdf_within(context, owner, mimic, "multiplier", 1, &j->mimic_multiplier,
                          SN__MIMIC_MAX, "");
  }
  if (sn__urdf_number(context, owner, mimic, "offset", &j->mimic_offset)) {
    (void)sn__urdf_within(context, owner, mimic, "offset", 1, &j->mimic_offset,
                          SN__MIMIC_OFFSET_MAX, "");
  }
  joint->mimic_place = mimic->place;
  joint->mimic_name = sn__xml_attribute_value(mimic, "joint");
  if (joint->mimic_name == NULL) {
    sn__urdf_problem(context, SN_SEVERITY_ERROR, mimic, NULL, NULL,
                     "joint '%.80s': <mimic> names no joint", owner.name);
  } else if (joint->joint.type == SN_JOINT_FIXED) {
    joint->mimic_name = NULL; /* nothing moves, so there is nothing to follow */
  }
}

static void read_dynamics(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                          sn_joint *joint) {
  const sn__xml_node *dynamics = sn__xml_child(node, "dynamics");
  if (dynamics != NULL && joint->type != SN_JOINT_FIXED) {
    read_bound(context, owner, dynamics, "damping", false, &joint->damping);
    read_bound(context, owner, dynamics, "friction", false, &joint->friction);
  }
}

void sn__urdf_read_joint(sn__urdf_context *context, const sn__xml_node *node,
                         sn__urdf_joint *joint) {
  joint->place = node->place;
  joint->joint.name = sn__urdf_name(context, node);
  const sn__urdf_owner owner = {"joint", joint->joint.name == NULL ? "" : joint->joint.name,
                                SN_SEVERITY_ERROR};
  read_type(context, owner, node, &joint->joint);
  joint->parent_name = read_end(context, owner, node, "parent", &joint->parent_place);
  joint->child_name = read_end(context, owner, node, "child", &joint->child_place);
  joint->joint.pose_parent_joint = sn__urdf_origin(context, owner, node);
  read_axis(context, owner, node, &joint->joint);
  read_limit(context, owner, node, &joint->joint);
  read_soft_limits(context, owner, node, &joint->joint);
  read_mimic(context, owner, node, joint);
  read_dynamics(context, owner, node, &joint->joint);
}
