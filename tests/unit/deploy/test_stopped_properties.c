/* A property that is set while its component is stopped is used at the next start, or the set or
   the start is refused with the reason: for every property of every type of component. */
#include <stdlib.h>
#include <string.h>

#include "deployed.h"
#include "program.h"
#include "robot.h"
#include "sinew/components.h"
#include "sn_test.h"

static char folder[64];

/* ---- types that count when they take notice of their properties ---- */

enum { TYPES_MAX = 64 };

typedef struct watched {
  const sn_component_type *real;
  sn_component_type type; /* the same with hooks that count */
  size_t configured, changed;
} watched;

static watched all[TYPES_MAX];
static size_t all_count;

static watched *find(const sn_component *component) {
  for (size_t i = 0; i < all_count; i++) {
    if (&all[i].type == component->type) {
      return &all[i];
    }
  }
  fail_msg("%s has an unknown type", component->name);
  return NULL;
}

static sn_status configure(sn_component *component, sn_error *err) {
  watched *w = find(component);
  w->configured++;
  return w->real->configure == NULL ? SN_OK : w->real->configure(component, err);
}

static void changed(sn_component *component, const sn_property *property) {
  watched *w = find(component);
  w->changed++;
  w->real->changed(component, property);
}

static void add_types(sn_deployed *d) {
  sn_component_registry *real = sn_component_registry_create(&d->arena);
  assert_int_equal(sn_components_add(real, &d->err), SN_OK);
  d->registry = sn_component_registry_create(&d->arena);
  all_count = sn_component_registry_count(real);
  assert_true(all_count <= TYPES_MAX);
  for (size_t i = 0; i < all_count; i++) {
    all[i] = (watched){.real = sn_component_registry_at(real, i)};
    all[i].type = *all[i].real;
    all[i].type.configure = configure;
    all[i].type.changed = all[i].real->changed == NULL ? NULL : changed;
    assert_int_equal(sn_component_registry_add(d->registry, &all[i].type, &d->err), SN_OK);
  }
}

/* ---- a system with one component of each type ---- */

static const char deployment[] =
    "include: [standard.yaml]\n"
    "robot: small.urdf\n"
    "kinematics_chains: {leg: {first_link: base, last_link: leg2},\n"
    "                    head: {first_link: base, last_link: nose1}}\n"
    "components:\n"
    "  resources_control: {properties: {list_ros: [relay]}}\n"
    "  relay: {type: relay_joints}\n"
    "  recorder: {properties: {folder: '%s'}}\n"
    "  demo: {type: demo_motion}\n"
    "  reach: {services: {smoothing: {type: filter_exp}}}\n"
    "  execute: {type: execute_joint_trajectory}\n"
    "  extra: {type: FollowJointState, services: {smoothing: {type: transient_exp}}}\n"
    "connections:\n"
    "  - timer.sync -> demo.sync\n"
    "  - timer.sync -> extra.sync\n"
    "  - extra.out_joints_src_reset -> demo.src_reset\n"
    "  - demo.joints_ref -> extra.in_joints_ref\n"
    "  - aggregator.joints_sorted -> extra.in_joints_sorted\n";

static void open_system(sn_deployed *d) {
  char path[128];
  snprintf(path, sizeof path, "%s/d.yaml", folder);
  sn_deployed_init(d);
  add_types(d);
  if (sn_deployed_load(d, path) != SN_OK || sn_system_begin(d->system, &d->err) != SN_OK) {
    fail_msg("%s\n%s", sn_test_problems(d->report), d->err.message);
  }
  sn_deployed_run(d, 0.01);
}

/* Another value for numbers and flags; the same for all else, which goes the same way. */
static void other_value(sn_deployed *d, sn_component *component, const sn_property *p, char *text,
                        size_t size) {
  assert_int_equal(sn_system_get(d->system, component, p->name, text, size, &d->err), SN_OK);
  if (p->kind == SN_PROPERTY_BOOL) {
    snprintf(text, size, "%s", strcmp(text, "true") == 0 ? "false" : "true");
  } else if (p->kind == SN_PROPERTY_INT || p->kind == SN_PROPERTY_REAL) {
    const double now = strtod(text, NULL);
    const double max = p->min == 0.0 && p->max == 0.0 ? 1e6 : p->max;
    const double next = now + 1.0 <= max ? now + 1.0 : p->min;
    snprintf(text, size, p->kind == SN_PROPERTY_INT ? "%.0f" : "%.9g", next);
  }
}

/* @return how many of its properties were used; the others were refused */
static size_t try_property(const char *name, size_t index, char *log, size_t log_size) {
  sn_deployed d;
  open_system(&d);
  sn_component *c = sn_deployed_find(&d, name);
  const sn_property *p = &c->type->properties[index];
  char value[1 << 14];
  other_value(&d, c, p, value, sizeof value);
  if (sn_system_stop(d.system, c, &d.err) != SN_OK) {
    fail_msg("%s does not stop: %s", name, d.err.message);
  }
  watched *w = find(c);
  w->configured = w->changed = 0;
  d.err = (sn_error){.message = ""};
  const bool is_live = (p->flags & SN_PROPERTY_LIVE) != 0;
  bool is_used = false;
  if (sn_deployed_set(&d, name, p->name, value) != SN_OK) {
    assert_true(d.err.message[0] != '\0');
    assert_false(is_live);
  } else if (sn_system_start(d.system, c, &d.err) != SN_OK) {
    assert_true(d.err.message[0] != '\0');
    assert_true(w->configured > 0); /* it took notice: that is why */
  } else {
    is_used = w->configured > 0 || (is_live && (w->real->changed == NULL || w->changed > 0));
    if (!is_used) {
      fail_msg("'%s.%s' was set to %s, and %s never took notice", name, p->name, value, name);
    }
  }
  snprintf(log, log_size, "%s", is_used ? "" : d.err.message);
  sn_deployed_free(&d);
  return is_used ? 1 : 0;
}

SN_TEST(every_property_is_used_at_the_next_start_or_refused) {
  sn_deployed d;
  open_system(&d);
  static struct {
    char name[80];
    size_t count;
  } parts[64];
  size_t part_count = 0;
  for (size_t i = 0; i < sn_system_component_count(d.system); i++) {
    const sn_component *c = sn_system_component_at(d.system, i);
    snprintf(parts[part_count].name, sizeof parts[0].name, "%s", c->name);
    while (c->type->properties != NULL &&
           c->type->properties[parts[part_count].count].name != NULL) {
      parts[part_count].count++;
    }
    part_count++;
  }
  sn_deployed_free(&d);
  size_t used = 0;
  size_t refused = 0;
  for (size_t i = 0; i < part_count; i++) {
    for (size_t k = 0; k < parts[i].count; k++) {
      char log[256];
      const size_t is_used = try_property(parts[i].name, k, log, sizeof log);
      used += is_used;
      refused += 1 - is_used;
    }
  }
  print_message("%zu components: %zu properties used, %zu refused\n", part_count, used, refused);
  assert_true(used > 60 && refused > 0);
}

/* ---- what the rule means ---- */

SN_TEST(policy_set_while_stopped_counts_at_the_next_start) {
  sn_deployed d;
  open_system(&d);
  sn_component *hold = sn_deployed_find(&d, "hold");
  assert_int_equal(sn_system_stop(d.system, hold, &d.err), SN_OK);
  assert_int_equal(sn_deployed_set(&d, "hold", "controlled_chains", "[leg]"), SN_OK);
  assert_int_equal(sn_system_start(d.system, hold, &d.err), SN_OK);
  sn_deployed_run(&d, 0.01);
  assert_string_equal(sn_deployed_owner(&d, "leg"), "hold");
  assert_string_equal(sn_deployed_owner(&d, "head"), "");
  /* A value that is wrong is noticed at the start, not before a limb is wanted. */
  assert_int_equal(sn_system_stop(d.system, hold, &d.err), SN_OK);
  assert_int_equal(sn_deployed_set(&d, "hold", "controlled_chains", "[lge]"), SN_OK);
  assert_int_not_equal(sn_system_start(d.system, hold, &d.err), SN_OK);
  sn_assert_contains(d.err.message, "'lge' is not a resource");
  sn_deployed_free(&d);
}

SN_TEST(property_of_one_that_others_use_is_refused) {
  sn_deployed d;
  open_system(&d);
  sn_component *control = sn_deployed_find(&d, "resources_control");
  assert_int_equal(sn_system_stop(d.system, control, &d.err), SN_OK);
  assert_int_equal(sn_deployed_set(&d, "resources_control", "wait", "3"), SN_EBUSY);
  sn_assert_contains(d.err.message, "uses resources_control: stop and clean up");
  sn_deployed_free(&d);
}

SN_TEST(property_of_a_service_counts_when_its_host_starts) {
  sn_deployed d;
  open_system(&d);
  sn_component *host = sn_deployed_find(&d, "extra");
  sn_component *service = sn_deployed_find(&d, "extra.smoothing");
  assert_int_equal(sn_system_stop(d.system, service, &d.err), SN_OK);
  assert_int_equal(sn_deployed_set(&d, "extra.smoothing", "transient_time", "2"), SN_EBUSY);
  assert_int_equal(sn_system_stop(d.system, host, &d.err), SN_OK);
  assert_int_equal(sn_deployed_set(&d, "extra.smoothing", "transient_time", "2"), SN_OK);
  watched *w = find(host);
  const size_t before = w->configured;
  assert_int_equal(sn_system_start(d.system, host, &d.err), SN_OK);
  assert_int_equal(w->configured, before + 1);
  sn_deployed_free(&d);
}

static int set_up(void **state) {
  (void)state;
  sn_test_folder_create(folder);
  sn_test_write(folder, "small.urdf", sn_deployed_robot);
  char text[2048];
  snprintf(text, sizeof text, deployment, folder); /* a property may start a recording */
  sn_test_write(folder, "d.yaml", text);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sn_test_folder_remove(folder);
  return 0;
}

SN_TEST_GROUP(set_up, tear_down)
