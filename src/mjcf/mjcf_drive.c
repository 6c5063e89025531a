/* Actuators say which joints have a drive, and how strong it is. */
#include <math.h>
#include <string.h>

#include "mjcf/mjcf_context.h"

/* MuJoCo knows no limit of speed, and a drive without a limit of force is endlessly strong. A robot
   needs both: these are for joints of which the file says nothing. */
#define SPEED_RAD_S 3.141592653589793
#define SPEED_M_S 0.5
#define EFFORT_DEFAULT 100.0 /* N m or N */
#define SLIDE_MAX_M 100.0

sn__mjcf_joint *sn__mjcf_joint_find(const sn__mjcf *m, const char *name) {
  for (size_t i = 0; name != NULL && i < m->joint_count; i++) {
    if (m->joints[i].name != NULL && strcmp(m->joints[i].name, name) == 0) {
      return m->joints[i].is_free ? NULL : &m->joints[i];
    }
  }
  return NULL;
}

/* ---- actuators ---- */

/* All kinds share one set of defaults, which <general> may give as well. */
static bool read_range(sn__mjcf *m, const sn__mjcf_element *e, const char *range, const char *flag,
                       double *largest) {
  double v[2] = {0, 0};
  const sn__mjcf_element general = {e->node, "general", e->class_index};
  const bool has_range = sn__mjcf_numbers(m, e, range, 2, 2, v) == 2 ||
                         sn__mjcf_numbers(m, &general, range, 2, 2, v) == 2;
  const bool otherwise = sn__mjcf_flag(m, &general, flag, m->settings.has_autolimits && has_range);
  *largest = fmax(fabs(v[0]), fabs(v[1]));
  return has_range && sn__mjcf_flag(m, e, flag, otherwise);
}

/* What an actuator can do to its joint or tendon; 0: not stated. */
typedef struct strength {
  double effort, velocity;
} strength;

static strength read_strength(sn__mjcf *m, const sn__mjcf_element *e) {
  double gear[6] = {1}, gain[10] = {1}, force = 0.0, control = 0.0;
  (void)sn__mjcf_numbers(m, e, "gear", 0, 6, gear);
  const bool is_motor = sn__xml_same(e->node->name, "motor");
  const char *bias = sn__mjcf_text(m, e, "biastype");
  const bool is_force = is_motor || (sn__xml_same(e->node->name, "general") &&
                                     (bias == NULL || strcmp(bias, "none") == 0));
  const bool has_control = read_range(m, e, "ctrlrange", "ctrllimited", &control);
  if (!is_motor) {
    (void)sn__mjcf_numbers(m, e, "gainprm", 0, 10, gain);
  }
  strength s = {0};
  if (read_range(m, e, "forcerange", "forcelimited", &force)) {
    s.effort = force * fabs(gear[0]);
  } else if (is_force && has_control) {
    s.effort = control * fabs(gain[0]) * fabs(gear[0]);
  }
  if (sn__xml_same(e->node->name, "velocity") && has_control && gear[0] != 0.0) {
    s.velocity = control / fabs(gear[0]);
  }
  return s;
}

static void drive(sn__mjcf_joint *joint, strength s, double share) {
  joint->has_drive = true;
  joint->effort += s.effort * share;
  joint->velocity = fmax(joint->velocity, share > 0.0 ? s.velocity / share : 0.0);
}

/* The joints that a fixed tendon pulls. @return whether there is such a tendon */
static bool drive_tendon(sn__mjcf *m, const char *name, strength s) {
  for (const sn__xml_node *part = m->root->first_child; part != NULL; part = part->next) {
    const sn__xml_node *tendon = sn__xml_same(part->name, "tendon") ? part->first_child : NULL;
    for (; tendon != NULL; tendon = tendon->next) {
      const char *own = sn__xml_attribute_value(tendon, "name");
      if (own == NULL || strcmp(own, name) != 0 || !sn__xml_same(tendon->name, "fixed")) {
        continue;
      }
      for (const sn__xml_node *item = tendon->first_child; item != NULL; item = item->next) {
        const sn__mjcf_element e = {.node = item, .class_index = -1};
        sn__mjcf_joint *joint = sn__mjcf_joint_find(m, sn__xml_attribute_value(item, "joint"));
        if (joint != NULL) {
          drive(joint, s, fabs(sn__mjcf_number(m, &e, "coef", 1.0)));
        }
      }
      return true;
    }
  }
  return false;
}

static void read_actuator(sn__mjcf *m, const sn__xml_node *node) {
  static const char *const kinds[] = {"motor",  "position", "velocity", "intvelocity",
                                      "damper", "cylinder", "muscle",   "general"};
  bool is_known = false;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    is_known = is_known || sn__xml_same(node->name, kinds[i]);
  }
  if (!is_known) {
    sn__mjcf_unknown(m, node, "actuator");
    return;
  }
  const sn__mjcf_element e = sn__mjcf_element_of(m, node, -1);
  const char *name = sn__mjcf_text(m, &e, "joint");
  name = name == NULL ? sn__mjcf_text(m, &e, "jointinparent") : name;
  const char *tendon = sn__mjcf_text(m, &e, "tendon");
  sn__mjcf_joint *joint = sn__mjcf_joint_find(m, name);
  const strength s = read_strength(m, &e);
  if (joint != NULL) {
    drive(joint, s, 1.0);
  } else if (tendon == NULL || !drive_tendon(m, tendon, s)) {
    sn__mjcf_problem(m, SN_SEVERITY_WARNING, node, "it is left out",
                     "<%s> drives '%.80s', which is neither a hinge or slide nor a fixed tendon",
                     node->name,
                     name != NULL     ? name
                     : tendon != NULL ? tendon
                                      : "");
  }
}

void sn__mjcf_read_drives(sn__mjcf *m) {
  for (const sn__xml_node *part = m->root->first_child; part != NULL; part = part->next) {
    const sn__xml_node *node = sn__xml_same(part->name, "actuator") ? part->first_child : NULL;
    for (; node != NULL; node = node->next) {
      read_actuator(m, node);
    }
  }
}

/* ---- limits ---- */

static double effort_of(const sn__mjcf_joint *joint) {
  const double effort = joint->effort > 0.0 && joint->effort_max > 0.0
                            ? fmin(joint->effort, joint->effort_max)
                            : fmax(joint->effort, joint->effort_max);
  return effort > 0.0 ? effort : EFFORT_DEFAULT;
}

static void write_limit(sn__mjcf *m, const sn__mjcf_joint *joint) {
  sn__xml_node *limit = sn__mjcf_add(m, joint->urdf, "limit", joint->source);
  if (joint->is_limited || joint->is_slide) {
    sn__mjcf_set_number(m, limit, "lower", joint->is_limited ? joint->lower : -SLIDE_MAX_M);
    sn__mjcf_set_number(m, limit, "upper", joint->is_limited ? joint->upper : SLIDE_MAX_M);
  }
  const double speed = joint->is_slide ? SPEED_M_S : SPEED_RAD_S;
  sn__mjcf_set_number(m, limit, "effort", effort_of(joint));
  sn__mjcf_set_number(m, limit, "velocity", joint->velocity > 0.0 ? joint->velocity : speed);
}

void sn__mjcf_write_limits(sn__mjcf *m) {
  for (size_t i = 0; i < m->joint_count; i++) {
    const sn__mjcf_joint *joint = &m->joints[i];
    if (joint->urdf == NULL || joint->is_free) {
      continue;
    }
    if (joint->is_slide && !joint->is_limited) {
      sn__mjcf_problem(m, SN_SEVERITY_WARNING, joint->source, "give it a range",
                       "joint '%.80s' slides without limits, %g m to both sides are taken",
                       joint->name, SLIDE_MAX_M);
    }
    write_limit(m, joint);
  }
}
