/* Who has which limb: one owner each, who commands every joint of it in every cycle, and who begins
   where the one before has left the joint. */
#include <math.h>
#include <string.h>

#include "model/groups.h"
#include "sinew/msg_types.h"
#include "storm/storm.h"

/* Rounding of references, rad or m. */
static const double ROUNDING = 1e-6;
/* The command of a limp joint is what is measured, with its noise, and a controller that takes over
   knows it one or two cycles late. */
enum { LIMP_CYCLES = 3 };

/* A component that commands joints. */
typedef struct controller {
  const sn_component *component;
  sn_tap *references, *limps; /* NULL: it has no such output */
  bool was_running;
  bool is_rogue; /* of the storm: nothing is expected of it */
} controller;

struct storm_limbs {
  controller *controllers;
  size_t count;
  const char **limb; /* [joint] its chain, or a group of joints without one; NULL: none */
  uint64_t *limp_at; /* [joint] the last cycle in which it was limp, counted from 1 */
  int *owner;        /* [joint] index of a controller; -1: none */
  bool *is_new;      /* [joint] the owner has not commanded it yet */
};

static void open_output(storm_run *run, const char *component, const char *port, sn_tap **tap) {
  char name[200];
  sn_error err;
  snprintf(name, sizeof name, "%s.%s", component, port);
  (void)sn_tap_open(run->app.system, name, NULL, tap, &err);
}

static const char *limb_of(const sn_model *model, size_t joint) {
  const int chain = sn_model_joint(model, joint)->chain;
  for (size_t g = 0; chain < 0 && g < sn_names_count(sn__model_group_names(model)); g++) {
    const sn_group *group = sn__model_group(model, g);
    for (size_t k = 0; k < group->joint_count; k++) {
      if (group->joints[k] == (int)joint) {
        return group->name;
      }
    }
  }
  return chain < 0 ? NULL : sn_names_at(sn_model_chain_names(model), (size_t)chain);
}

bool storm_limbs_create(storm_run *run) {
  const size_t components = sn_system_component_count(run->app.system);
  storm_limbs *l = run->limbs = SN_NEW(&run->arena, storm_limbs, 1);
  if (l == NULL) {
    return false;
  }
  l->controllers = SN_NEW(&run->arena, controller, components);
  l->limb = SN_NEW(&run->arena, const char *, run->joint_count + 1);
  l->owner = SN_NEW(&run->arena, int, run->joint_count + 1);
  l->is_new = SN_NEW(&run->arena, bool, run->joint_count + 1);
  l->limp_at = SN_NEW(&run->arena, uint64_t, run->joint_count + 1);
  if (l->controllers == NULL || l->limb == NULL || l->owner == NULL || l->is_new == NULL ||
      l->limp_at == NULL) {
    return false;
  }
  for (size_t i = 0; i < components; i++) {
    controller *c = &l->controllers[l->count];
    *c = (controller){.component = sn_system_component_at(run->app.system, i)};
    c->is_rogue = strcmp(c->component->type->name, "storm_rogue") == 0;
    open_output(run, c->component->name, "out_joints_ref", &c->references);
    open_output(run, c->component->name, "out_limp", &c->limps);
    l->count += c->references != NULL || c->limps != NULL;
  }
  for (size_t i = 0; i < run->joint_count; i++) {
    l->owner[i] = -1;
    l->limb[i] = limb_of(run->model, i);
  }
  return true;
}

void storm_limbs_close(storm_run *run) {
  for (size_t i = 0; run->limbs != NULL && i < run->limbs->count; i++) {
    sn_tap_close(run->limbs->controllers[i].references);
    sn_tap_close(run->limbs->controllers[i].limps);
  }
}

/* ---- owners ---- */

static size_t count_of(const sn_msg_names *list, const char *name, size_t *at) {
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++) {
    const bool is_it = strcmp(sn_msg_names_at(list, i), name) == 0;
    *at = is_it ? i : *at;
    count += is_it;
  }
  return count;
}

static int controller_of(const storm_limbs *l, const char *name) {
  for (size_t i = 0; i < l->count; i++) {
    if (strcmp(l->controllers[i].component->name, name) == 0) {
      return (int)i;
    }
  }
  return -1;
}

/* Every limb that owns joints has one entry. There may be other resources. */
static bool check_owners(storm_run *run) {
  const sn_resource_assignment *a = sn_tap_read(run->assignment, NULL);
  storm_limbs *l = run->limbs;
  if (a == NULL) {
    return true;
  }
  if (a->owners.count != a->resources.count) {
    return storm_violate(run, "%zu resources have %zu owners", a->resources.count, a->owners.count);
  }
  for (size_t i = 0; i < run->joint_count; i++) {
    size_t at = 0;
    if (l->limb[i] == NULL) {
      continue;
    }
    const size_t count = count_of(&a->resources, l->limb[i], &at);
    if (count != 1) {
      return storm_violate(run, "limb '%s' has %zu owners", l->limb[i], count);
    }
    const int owner = controller_of(l, sn_msg_names_at(&a->owners, at));
    l->is_new[i] = l->is_new[i] || l->owner[i] != owner;
    l->owner[i] = owner;
  }
  return true;
}

/* ---- references ---- */

/* The position of a joint in the references of this cycle. @return false: it is not there */
static bool find_reference(storm_run *run, const controller *c, const char *joint, double *q) {
  const sn_joint_state *m = c->references == NULL ? NULL : sn_tap_read(c->references, NULL);
  size_t at = 0;
  if (m != NULL && m->header.stamp_ns == run->before.stamp_ns &&
      count_of(&m->name, joint, &at) == 1) {
    *q = m->position.data[at];
    return true;
  }
  const sn_servo_goal *limp = c->limps == NULL ? NULL : sn_tap_read(c->limps, NULL);
  *q = NAN; /* limp: where it is measured */
  return limp != NULL && limp->header.stamp_ns == run->before.stamp_ns &&
         count_of(&limp->name, joint, &at) == 1;
}

static bool check_joint(storm_run *run, size_t i, double dt_s) {
  storm_limbs *l = run->limbs;
  const controller *c = &l->controllers[l->owner[i]];
  const char *name = sn_model_joint(run->model, i)->name;
  double q = NAN;
  if (!find_reference(run, c, name, &q)) {
    storm_follow_forget(run, i);
    return l->is_new[i] || storm_violate(run, "joint '%s' has no reference of its owner '%s'", name,
                                         c->component->name);
  }
  /* Where it was commanded, or as far on as it can move. */
  const double way = run->limits[i].speed * dt_s + ROUNDING;
  const double from = run->before.q_last[i];
  const bool was_limp = l->limp_at[i] > 0 && run->cycle + 1 - l->limp_at[i] <= LIMP_CYCLES;
  if (l->is_new[i] && !was_limp && isfinite(q) && fabs(q - from) > way &&
      fabs(q - run->before.q[i]) > way) {
    return storm_violate(run, "'%s' takes over joint '%s' at %.9g, it is at %.9g",
                         c->component->name, name, q, from);
  }
  l->is_new[i] = false;
  if (isfinite(q)) {
    return storm_follow_check(run, i, l->owner[i], q, c->component->name);
  }
  storm_follow_forget(run, i);
  return true;
}

static bool runs(const sn_component *component) {
  return component != NULL && sn_component_state_now(component) == SN_STATE_RUNNING;
}

static bool check_owned(storm_run *run, size_t i, bool is_ticking, double dt_s) {
  storm_limbs *l = run->limbs;
  const int owner = l->owner[i];
  if (run->before.restarts) {
    l->is_new[i] = false; /* its owner goes on from where it was before the stop */
  } else if (owner < 0 || l->controllers[owner].is_rogue || !run->limits[i].is_driven) {
    l->is_new[i] = true;
    if (is_ticking && owner < 0 && run->limits[i].is_driven && l->limb[i] != NULL) {
      return storm_follow_check(run, i, owner, run->before.q_last[i], "");
    }
  } else if (is_ticking && l->controllers[owner].was_running &&
             runs(l->controllers[owner].component)) {
    return check_joint(run, i, dt_s);
  }
  storm_follow_forget(run, i);
  return true;
}

bool storm_limbs_check(storm_run *run, double dt_s) {
  storm_limbs *l = run->limbs;
  if (!check_owners(run)) {
    return false;
  }
  const bool is_ticking = runs(sn_system_find(run->app.system, "timer")) &&
                          runs(sn_system_find(run->app.system, "resources_control"));
  bool good = true;
  for (size_t i = 0; good && i < run->joint_count; i++) {
    l->limp_at[i] = run->before.limp[i] ? run->cycle + 1 : l->limp_at[i];
    good = check_owned(run, i, is_ticking && run->was_ticking, dt_s);
  }
  for (size_t i = 0; i < l->count; i++) {
    l->controllers[i].was_running = runs(l->controllers[i].component);
  }
  run->was_ticking = is_ticking;
  return good;
}
