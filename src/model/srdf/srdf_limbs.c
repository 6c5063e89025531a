/* Limbs from the groups of an SRDF.

   A group becomes a limb if it is a run of joints, or the group of an end effector, and shares no
   joint with a smaller group that is a limb: of `arm`, `hand` and `arm_with_hand` the first two do.
   Derived limbs stay where no group has any of their joints. */
#include <stdio.h>
#include <string.h>

#include "base/report_internal.h"
#include "files/value_make.h"
#include "model/srdf/srdf_groups.h"

typedef struct choice {
  sn__build *build;
  const sn__srdf *srdf;
  sn__layout *layout;
  int *owner;               /* [joints of the file] limb, or -1 */
  sn__chain_plan *plans;    /* [SN_CHAINS_MAX] */
  size_t count;             /* of plans */
  const int *derived_owner; /* [joints of the file] derived limb, or -1 */
} choice;

/* ---- runs ---- */

/* A member that has no other driven member above it. */
static int find_first(const choice *c, const sn__srdf_group *group) {
  for (size_t link = 1; link < c->build->model->link_count; link++) { /* tree order */
    const int joint = c->build->urdf_joint[link];
    if (group->has[joint] && sn__srdf_is_driven(c->build, c->srdf, (size_t)joint)) {
      return (int)link;
    }
  }
  return -1;
}

static bool is_member(const choice *c, const sn__srdf_group *group, int link) {
  return link > 0 && group->has[c->build->urdf_joint[link]];
}

static bool is_fixed(const choice *c, int link) {
  return c->build->robot->joints[c->build->urdf_joint[link]].joint.type == SN_JOINT_FIXED;
}

/* Is a link the next one below @p above, but for fixed joints, which groups need not list? */
static bool hangs_on(const choice *c, int link, int above) {
  link = sn__srdf_link_above(c->build, c->srdf, link);
  while (link > above && is_fixed(c, link)) {
    link = sn__srdf_link_above(c->build, c->srdf, link);
  }
  return link == above;
}

/* The last member below a link that is reached through members, first branches first. */
static int follow(const choice *c, const sn__srdf_group *group, int link) {
  int last = link;
  for (size_t next = (size_t)link + 1; next < c->build->model->link_count; next++) {
    if (is_member(c, group, (int)next) && hangs_on(c, (int)next, last)) {
      last = (int)next;
    }
  }
  return last;
}

/* Driven members between two links. */
static size_t count_between(const choice *c, const sn__srdf_group *group, int first, int last) {
  size_t count = 0;
  for (int link = last; link != first; link = sn__srdf_link_above(c->build, c->srdf, link)) {
    const int joint = c->build->urdf_joint[link];
    count += group->has[joint] && sn__srdf_is_driven(c->build, c->srdf, (size_t)joint) ? 1 : 0;
  }
  return count;
}

/* The ends of a limb. @return whether the group can be one */
static bool find_ends(const choice *c, const sn__srdf_group *group, int *first, int *last) {
  const int begin = find_first(c, group);
  if (begin < 0) {
    return false;
  }
  if (group->base >= 0) {
    *first = group->base;
    *last = group->tip;
    return true;
  }
  *first = sn__srdf_link_above(c->build, c->srdf, begin);
  *last = follow(c, group, begin);
  return group->effector != NULL || count_between(c, group, *first, *last) == group->driven_count;
}

/* The tip of a limb that carries an end effector is the link that it is mounted on, if that is
   fixed to its end. */
static int find_tip(const choice *c, const sn__srdf_group *group, int last) {
  for (size_t i = 0; i < c->srdf->group_count; i++) {
    const sn__xml_node *effector = c->srdf->groups[i].effector;
    const char *parent =
        effector == NULL ? NULL : sn__xml_attribute_value(effector, "parent_group");
    const char *name = effector == NULL ? NULL : sn__xml_attribute_value(effector, "parent_link");
    if (parent == NULL || name == NULL || strcmp(parent, group->name) != 0) {
      continue;
    }
    const int mount = sn_names_index(c->build->model->link_names, name);
    int link = mount;
    while (link > 0 && link != last && is_fixed(c, link)) {
      link = sn__srdf_link_above(c->build, c->srdf, link);
    }
    if (link == last) {
      return mount;
    }
  }
  return last;
}

/* ---- limbs ---- */

static bool is_free(const choice *c, const sn__srdf_group *group) {
  for (size_t i = 0; i < c->build->robot->joint_count; i++) {
    if (group->has[i] && c->owner[i] >= 0 && sn__srdf_is_driven(c->build, c->srdf, i)) {
      return false;
    }
  }
  return true;
}

/* Its properties, as if a property file had declared it. @return NULL: no memory */
static const sn_value *describe(const choice *c, const sn__srdf_group *group, int first, int last) {
  sn_arena *arena = c->build->scratch;
  const sn_link *links = c->build->model->links;
  const sn_place place = group->node->place;
  const sn_value **items = NULL;
  sn_value *bag =
      sn__value_make_room(arena, group->name, group->effector == NULL ? 2 : 3, place, &items);
  if (bag == NULL) {
    return NULL;
  }
  items[0] = sn__value_make_text(arena, "first_link", links[first].name, place);
  items[1] = sn__value_make_text(arena, "last_link", links[last].name, place);
  bool has_room = items[0] != NULL && items[1] != NULL;
  if (group->effector != NULL) {
    const char *name = sn__xml_attribute_value(group->effector, "name");
    items[2] = sn__value_make_text(arena, "end_effector", name == NULL ? "" : name, place);
    has_room = has_room && items[2] != NULL;
  }
  return has_room ? bag : NULL;
}

/* A leg that was derived stays one under its new name. */
static bool was_leg(const choice *c, int last) {
  int link = last;
  while (link > 0 && c->derived_owner[c->build->urdf_joint[link]] < 0) {
    link = sn__srdf_link_above(c->build, c->srdf, link);
  }
  const int limb = link <= 0 ? -1 : c->derived_owner[c->build->urdf_joint[link]];
  return limb >= 0 && c->layout->chains[limb].is_leg;
}

/* Take the joints of a group if it can be a limb. Their owner is the group, for now. */
static void choose(choice *c, size_t index) {
  sn__srdf_group *group = &c->srdf->groups[index];
  int first = -1, last = -1;
  if (group->has_subgroups || !is_free(c, group) || !find_ends(c, group, &first, &last)) {
    return;
  }
  group->chain = 0;
  for (size_t i = 0; i < c->build->robot->joint_count; i++) {
    if (group->has[i] &&
        (sn__srdf_is_driven(c->build, c->srdf, i) || c->build->robot->joints[i].mimic >= 0)) {
      c->owner[i] = (int)index;
    }
  }
}

/* The smallest groups first, equal ones in the order of the file. */
static void choose_all(choice *c) {
  for (size_t size = 1; size <= c->build->robot->joint_count; size++) {
    for (size_t i = 0; i < c->srdf->group_count; i++) {
      if (c->srdf->groups[i].driven_count == size) {
        choose(c, i);
      }
    }
  }
}

/* @return false: no memory */
static bool add_limb(choice *c, sn__srdf_group *group) {
  int first = -1, last = -1;
  (void)find_ends(c, group, &first, &last);
  last = group->base >= 0 ? last : find_tip(c, group, last);
  const sn_value *value = describe(c, group, first, last);
  group->chain = (int)c->count;
  c->plans[c->count++] = (sn__chain_plan){.name = group->name,
                                          .place = group->node->place,
                                          .first_link = first,
                                          .last_link = last,
                                          .last_link_virtual = -1,
                                          .value = value,
                                          .is_leg = was_leg(c, last)};
  return value != NULL;
}

/* The chosen groups become limbs in the order of the file. @return false: no memory */
static bool add_groups(choice *c) {
  choose_all(c);
  for (size_t i = 0; i < c->srdf->group_count; i++) {
    sn__srdf_group *group = &c->srdf->groups[i];
    if (group->chain == 0 && c->count == SN_CHAINS_MAX) {
      group->chain = -1;
    } else if (group->chain == 0 && !add_limb(c, group)) {
      return false;
    }
  }
  for (size_t i = 0; i < c->build->robot->joint_count; i++) {
    c->owner[i] = c->owner[i] < 0 ? -1 : c->srdf->groups[c->owner[i]].chain;
  }
  return true;
}

/* ---- what the groups leave ---- */

static bool is_taken(const choice *c, int limb, bool *is_driven) {
  bool taken = false;
  *is_driven = false;
  for (size_t i = 0; i < c->build->robot->joint_count; i++) {
    if (c->derived_owner[i] == limb && sn__srdf_is_driven(c->build, c->srdf, i)) {
      taken = taken || c->owner[i] >= 0;
      *is_driven = true;
    }
  }
  return taken;
}

static bool is_named(const choice *c, const char *name) {
  for (size_t i = 0; i < c->count; i++) {
    if (strcmp(c->plans[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

/* @return NULL: no memory */
static const char *unique_name(const choice *c, const char *name) {
  char text[300];
  snprintf(text, sizeof text, "%.200s", name);
  for (int i = 2; is_named(c, text); i++) {
    snprintf(text, sizeof text, "%.200s_%d", name, i);
  }
  return sn_arena_text(c->build->scratch, text, strlen(text));
}

/* Derived limbs of which no group has a joint, and that have a drive. @return false: no memory */
static bool keep_derived(choice *c) {
  for (size_t i = 0; i < c->layout->chain_count && c->count < SN_CHAINS_MAX; i++) {
    bool is_driven = false;
    if (is_taken(c, (int)i, &is_driven) || !is_driven) {
      continue;
    }
    sn__chain_plan *plan = &c->plans[c->count];
    *plan = c->layout->chains[i];
    plan->name = unique_name(c, plan->name);
    if (plan->name == NULL) {
      return false;
    }
    for (size_t k = 0; k < c->build->robot->joint_count; k++) {
      if (c->derived_owner[k] == (int)i && !c->srdf->is_passive[k]) {
        c->owner[k] = (int)c->count;
      }
    }
    c->count++;
  }
  return true;
}

/* A mimic joint belongs to the limb of its master. */
static void give_mimics(choice *c) {
  const sn__urdf_robot *robot = c->build->robot;
  for (size_t i = 0; i < robot->joint_count; i++) {
    int master = (int)i;
    for (size_t steps = 0; robot->joints[master].mimic >= 0 && steps < robot->joint_count;
         steps++) {
      master = robot->joints[master].mimic;
    }
    if (master != (int)i && c->owner[i] < 0) {
      c->owner[i] = c->owner[master];
    }
  }
}

static void warn_left_out(const choice *c) {
  for (size_t i = 0; i < c->build->robot->joint_count; i++) {
    if (c->owner[i] < 0 && sn__srdf_is_driven(c->build, c->srdf, i)) {
      sn__report_add(c->build->report, SN_SEVERITY_WARNING, c->srdf->root->place,
                     "add it to a group, or declare chains",
                     "joint '%.80s' is in no limb: the groups divide the one that it would be in",
                     c->build->robot->joints[i].joint.name);
    }
  }
}

bool sn__srdf_limbs(sn__build *build, const sn__srdf *srdf, sn__layout *layout) {
  const size_t n = build->robot->joint_count;
  choice c = {.build = build,
              .srdf = srdf,
              .layout = layout,
              .owner = SN_NEW(build->scratch, int, n),
              .plans = SN_NEW(build->scratch, sn__chain_plan, SN_CHAINS_MAX),
              .derived_owner = layout->owner};
  if (c.owner == NULL || c.plans == NULL) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    c.owner[i] = -1;
  }
  if (!add_groups(&c) || !keep_derived(&c)) {
    return false;
  }
  give_mimics(&c);
  warn_left_out(&c);
  layout->chains = c.plans;
  layout->chain_count = c.count;
  layout->owner = c.owner;
  return true;
}
