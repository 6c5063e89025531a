/* Who has which limb: one owner each, who commands every joint of it in every cycle, and who begins
   where the one before has left the joint. */
#include <math.h>
#include <string.h>

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

bool storm_limbs_create(storm_run *run) {
  const size_t components = sn_system_component_count(run->app.system);
  storm_limbs *l = run->limbs = SN_NEW(&run->arena, storm_limbs, 1);
  if (l == NULL) {
    return false;
  }
  l->controllers = SN_NEW(&run->arena, controller, components);
  l->owner = SN_NEW(&run->arena, int, run->joint_count + 1);
  l->is_new = SN_NEW(&run->arena, bool, run->joint_count + 1);
  l->limp_at = SN_NEW(&run->arena, uint64_t, run->joint_count + 1);
  if (l->controllers == NULL || l->owner == NULL || l->is_new == NULL || l->limp_at == NULL) {
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

static bool owns_joints(const storm_run *run, size_t chain) {
  for (size_t i = 0; i < run->joint_count; i++) {
    if (sn_model_joint(run->model, i)->chain == (int)chain) {
      return true;
    }
  }
  return false;
}

static int controller_of(const storm_limbs *l, const char *name) {
  for (size_t i = 0; i < l->count; i++) {
    if (strcmp(l->controllers[i].component->name, name) == 0) {
      return (int)i;
    }
  }
  return -1;
}

static void own(storm_run *run, size_t chain, int owner) {
  storm_limbs *l = run->limbs;
  for (size_t i = 0; i < run->joint_count; i++) {
    if (sn_model_joint(run->model, i)->chain == (int)chain) {
      l->is_new[i] = l->is_new[i] || l->owner[i] != owner;
      l->owner[i] = owner;
    }
  }
}

/* Every limb that owns joints has one entry. There may be other resources. */
static bool check_owners(storm_run *run) {
  const sn_resource_assignment *a = sn_tap_read(run->assignment, NULL);
  if (a == NULL) {
    return true;
  }
  if (a->owners.count != a->resources.count) {
    return storm_violate(run, "%zu resources have %zu owners", a->resources.count, a->owners.count);
  }
  const sn_names *chains = sn_model_chain_names(run->model);
  for (size_t i = 0; i < sn_names_count(chains); i++) {
    const char *name = sn_names_at(chains, i);
    size_t at = 0;
    const size_t count = count_of(&a->resources, name, &at);
    if (count != 1 && owns_joints(run, i)) {
      return storm_violate(run, "limb '%s' has %zu owners", name, count);
    }
    if (count == 1) {
      own(run, i, controller_of(run->limbs, sn_msg_names_at(&a->owners, at)));
    }
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
  return true;
}

static bool runs(const sn_component *component) {
  return component != NULL && sn_component_state_now(component) == SN_STATE_RUNNING;
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
    const int owner = l->owner[i];
    if (run->before.restarts) {
      l->is_new[i] = false; /* its owner goes on from where it was before the stop */
    } else if (owner < 0 || l->controllers[owner].is_rogue || !run->limits[i].is_driven) {
      l->is_new[i] = true;
    } else if (is_ticking && run->was_ticking && l->controllers[owner].was_running &&
               runs(l->controllers[owner].component)) {
      good = check_joint(run, i, dt_s);
    }
  }
  for (size_t i = 0; i < l->count; i++) {
    l->controllers[i].was_running = runs(l->controllers[i].component);
  }
  run->was_ticking = is_ticking;
  return good;
}
