#include <math.h>
#include <string.h>

#include "base/report_internal.h"
#include "files/value_read.h"
#include "model/limb_tree.h"
#include "model/model_data.h"
#include "model/srdf/srdf_groups.h"
#include "model/urdf/xacro_load.h"

/* The link that a chain's key names; -1 with an error reported if there is none. */
static int read_link(sn__build *build, const sn_value *chain, const char *key, bool required) {
  const sn_value *value = sn_value_find(chain, key);
  if (value == NULL) {
    if (required) {
      sn__report_add(build->report, SN_SEVERITY_ERROR, chain->place, NULL,
                     "chain '%.80s' has no %s", chain->name, key);
    }
    return -1;
  }
  const char *text = sn__value_expect_text(build->report, value);
  const int link = text == NULL ? -1 : sn_names_index(build->model->link_names, text);
  if (text != NULL && link < 0) {
    sn__report_add(build->report, SN_SEVERITY_ERROR, value->place, NULL,
                   "chain '%.80s': %s '%.80s' is not a link of the robot", chain->name, key, text);
  }
  return link;
}

/* Movable joints from link down to tip; -1 if tip is not below link. */
static int joints_between(const sn__build *build, const int *tree_index, int link, int tip) {
  int count = 0;
  while (tip != link) {
    const int joint = build->urdf_joint[tip];
    if (joint < 0) {
      return -1;
    }
    count += build->robot->joints[joint].joint.type != SN_JOINT_FIXED ? 1 : 0;
    tip = tree_index[build->robot->joints[joint].parent];
  }
  return count;
}

static bool read_chain(sn__build *build, const int *tree_index, const sn_value *value,
                       sn__chain_plan *plan) {
  if (!sn__value_expect(build->report, value, SN_VALUE_BAG)) {
    return false;
  }
  *plan = (sn__chain_plan){.name = value->name,
                           .place = value->place,
                           .first_link = read_link(build, value, "first_link", true),
                           .last_link = read_link(build, value, "last_link", true),
                           .last_link_virtual = read_link(build, value, "last_link_virtual", false),
                           .value = value};
  if (plan->first_link < 0 || plan->last_link < 0) {
    return false;
  }
  const sn_link *links = build->model->links;
  int joint_count = joints_between(build, tree_index, plan->first_link, plan->last_link);
  if (joint_count < 0) {
    sn__report_add(build->report, SN_SEVERITY_ERROR, value->place, NULL,
                   "chain '%.80s': last_link '%.80s' is not below first_link '%.80s'", value->name,
                   links[plan->last_link].name, links[plan->first_link].name);
    return false;
  }
  if (plan->last_link_virtual >= 0) {
    const int more = joints_between(build, tree_index, plan->last_link, plan->last_link_virtual);
    if (more < 0) {
      sn__report_add(build->report, SN_SEVERITY_ERROR, value->place, NULL,
                     "chain '%.80s': last_link_virtual '%.80s' is not below last_link '%.80s'",
                     value->name, links[plan->last_link_virtual].name, links[plan->last_link].name);
      return false;
    }
    joint_count += more;
  }
  if (joint_count == 0) {
    sn__report_add(build->report, SN_SEVERITY_ERROR, value->place, NULL,
                   "chain '%.80s' has no movable joint", value->name);
    return false;
  }
  return true;
}

static bool read_chains(sn__build *build, const int *tree_index, const sn_value *bag,
                        sn__layout *layout) {
  if (!sn__value_expect(build->report, bag, SN_VALUE_BAG)) {
    return true;
  }
  if (bag->item_count > SN_CHAINS_MAX) {
    sn__report_add(build->report, SN_SEVERITY_ERROR, bag->place, NULL,
                   "%zu chains, at most %d are allowed", bag->item_count, SN_CHAINS_MAX);
    return true;
  }
  sn__chain_plan *plans = SN_NEW(build->scratch, sn__chain_plan, bag->item_count);
  if (plans == NULL) {
    return false;
  }
  for (size_t i = 0; i < bag->item_count; i++) {
    if (read_chain(build, tree_index, bag->items[i], &plans[layout->chain_count])) {
      layout->chain_count++;
    }
  }
  layout->chains = plans;
  return true;
}

/* Report every unknown key at the top level, such as a mistyped one. */
static void check_keys(sn__build *build, const sn_value *properties) {
  static const char *const keys[] = {"kinematics_chains",
                                     "chains",
                                     "contacts",
                                     "groups",
                                     "poses",
                                     "joint_limits",
                                     "robot",
                                     "robot_description",
                                     SN__XACRO_ARGUMENTS_KEY};
  for (size_t i = 0; i < properties->item_count; i++) {
    const sn_value *item = properties->items[i];
    bool is_known = false;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
      is_known = is_known || strcmp(item->name, keys[k]) == 0;
    }
    if (!is_known) {
      sn__report_add(build->report, SN_SEVERITY_ERROR, item->place,
                     "known are kinematics_chains (or chains), contacts, groups, poses and "
                     "joint_limits",
                     "unknown property '%.80s'", item->name);
    }
  }
}

bool sn__layout_read(sn__build *build, const sn_value *properties, sn__layout *layout) {
  const sn__urdf_robot *robot = build->robot;
  int *tree_index = SN_NEW(build->scratch, int, robot->link_count);
  if (tree_index == NULL) {
    return false;
  }
  for (size_t i = 0; i < robot->link_count; i++) {
    tree_index[robot->link_order[i]] = (int)i;
  }
  *layout = (sn__layout){0};
  const sn_value *chains = NULL;
  if (properties != NULL) {
    check_keys(build, properties);
    layout->contacts = sn_value_find(properties, "contacts");
    layout->groups = sn_value_find(properties, "groups");
    layout->limits = sn_value_find(properties, "joint_limits");
    chains = sn_value_find(properties, "kinematics_chains");
    const sn_value *alias = sn_value_find(properties, "chains");
    if (chains != NULL && alias != NULL) {
      sn__report_add(build->report, SN_SEVERITY_ERROR, alias->place, NULL,
                     "'chains' and 'kinematics_chains' are the same property, given twice");
    }
    chains = chains == NULL ? alias : chains;
    layout->declared = chains;
  }
  if (build->srdf != NULL) {
    build->groups = sn__srdf_groups_read(build, tree_index, build->srdf);
    if (build->groups == NULL) {
      return false;
    }
  }
  if (chains != NULL) {
    return read_chains(build, tree_index, chains, layout);
  }
  return sn__limb_derive(build, tree_index, layout) &&
         (build->groups == NULL || sn__srdf_limbs(build, build->groups, layout));
}

/* ---- limits of joints ---- */

/* Why a limit does not fit a joint; NULL: it does. The robot's own ones are safe: these are
 * smaller. */
static const char *find_misfit(const sn_joint *joint, const char *key, double value) {
  const bool is_range = strcmp(key, "lower") == 0 || strcmp(key, "upper") == 0;
  if (is_range && joint->type == SN_JOINT_CONTINUOUS) {
    return "the joint turns without end";
  }
  if (is_range) {
    return value >= joint->lower && value <= joint->upper
               ? NULL
               : "it must be within the limits of the robot, and lower must not exceed upper";
  }
  const double most = strcmp(key, "velocity") == 0 ? joint->velocity_max : joint->acceleration_max;
  return value > 0.0 && value <= most ? NULL
                                      : "it must be more than 0 and at most that of the robot";
}

static void set_limit(sn_joint *joint, const char *key, double value) {
  if (strcmp(key, "lower") == 0) {
    joint->lower = value;
  } else if (strcmp(key, "upper") == 0) {
    joint->upper = value;
  } else if (strcmp(key, "velocity") == 0) {
    joint->velocity_max = value;
  } else {
    joint->acceleration_max = value;
    joint->deceleration_max = fmin(joint->deceleration_max, value);
  }
}

static void read_limit(sn__build *build, sn_joint *joint, const sn_value *item) {
  static const char *const keys[] = {"lower", "upper", "velocity", "acceleration"};
  double value = 0.0;
  bool is_known = false;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    is_known = is_known || strcmp(item->name, keys[i]) == 0;
  }
  if (!is_known) {
    sn__report_add(build->report, SN_SEVERITY_ERROR, item->place,
                   "known are lower, upper, velocity and acceleration",
                   "joint_limits of '%.80s': unknown property '%.80s'", joint->name, item->name);
    return;
  }
  const bool is_number = item->kind == SN_VALUE_TEXT && sn_value_number(item, &value);
  const char *misfit =
      is_number ? find_misfit(joint, item->name, value) : "expected a number in rad or m";
  if (misfit != NULL) {
    sn__report_add(build->report, SN_SEVERITY_ERROR, item->place, NULL,
                   "joint_limits of '%.80s': %s '%.40s': %s", joint->name, item->name,
                   item->kind == SN_VALUE_TEXT ? item->text : "", misfit);
    return;
  }
  set_limit(joint, item->name, value);
}

void sn__joint_limits_read(sn__build *build, const sn__layout *layout) {
  const sn_value *bag = layout->limits;
  if (bag == NULL || !sn__value_expect(build->report, bag, SN_VALUE_BAG)) {
    return;
  }
  for (size_t i = 0; i < bag->item_count; i++) {
    const sn_value *item = bag->items[i];
    const int joint = sn_names_index(build->model->joint_names, item->name);
    if (joint < 0) {
      sn__report_add(build->report, SN_SEVERITY_ERROR, item->place, NULL,
                     "joint_limits: '%.80s' is not a movable joint", item->name);
    } else if (sn__value_expect(build->report, item, SN_VALUE_BAG)) {
      for (size_t k = 0; k < item->item_count; k++) {
        read_limit(build, &build->joints[joint], item->items[k]);
      }
    }
  }
}
