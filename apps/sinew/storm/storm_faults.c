/* The kinds of faults, and plans of them. */
#include "storm/storm_faults.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/msg_types.h"

/* The first fault, and the mean time between two. */
#define FIRST_NS INT64_C(100000000)
#define MEAN_NS INT64_C(100000000)

/* ---- through the interface for other processes ---- */

/* Say what a fault of a minimised run has done. */
static void explain(const storm_run *run, const char *name, const json_t *value, sn_status status) {
  if (run->is_explained && status == SN_OK) {
    char *text = value == NULL ? NULL : json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    printf("                %s %.200s\n", name, text == NULL ? "" : text);
    free(text);
  }
}

bool storm_call(storm_run *run, const char *name, json_t *arguments) {
  sn__buffer out = {0};
  sn_error err;
  const sn_status status = sn__remote_call_json(&run->context, name, arguments, 0.0, &out, &err);
  explain(run, name, arguments, status);
  sn__buffer_free(&out);
  json_decref(arguments);
  return status == SN_OK;
}

void storm_set(storm_run *run, const char *name, json_t *value) {
  sn_error err;
  if (value != NULL) {
    explain(run, name, value, sn__remote_set_json(&run->context, name, value, &err));
  }
  json_decref(value);
}

sn_component *storm_any_component(const storm_run *run, sn_random *random) {
  const sn_system *system = run->app.system;
  return sn_system_component_at(system, sn_random_below(random, sn_system_component_count(system)));
}

const char *storm_any_joint(const storm_run *run, sn_random *random) {
  return sn_model_joint(run->model, sn_random_below(random, run->joint_count))->name;
}

/* ---- controllers ---- */

static bool has_operation(const sn_component *component, const char *name) {
  for (const sn_operation *o = component->type->operations; o != NULL && o->name != NULL; o++) {
    if (strcmp(o->name, name) == 0) {
      return true;
    }
  }
  return false;
}

static void request_limbs(storm_run *run, sn_random *random) {
  const sn_component *component = storm_any_component(run, random);
  char name[160];
  if (has_operation(component, "rosSetOperational")) {
    snprintf(name, sizeof name, "%s.rosSetOperational", component->name);
    (void)storm_call(run, name, json_pack("{s:b}", "data", (int)sn_random_below(random, 4) != 0));
  }
}

/* One value of a reference: mostly near the limits, sometimes far beyond, sometimes not a number.
 */
static double wild(const sn_joint *joint, sn_random *random) {
  static const double strange[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e9};
  if (sn_random_below(random, 12) == 0) {
    return strange[sn_random_below(random, sizeof strange / sizeof *strange)];
  }
  const double lower = isfinite(joint->lower) ? joint->lower : -4.0;
  const double upper = isfinite(joint->upper) ? joint->upper : 4.0;
  return sn_random_between(random, lower - 0.5, upper + 0.5);
}

/* A burst of references for some joints, with names that may not exist. */
static void write_references(storm_run *run, sn_random *random) {
  if (run->references == NULL) {
    return;
  }
  const size_t messages = 1 + (size_t)sn_random_below(random, 5);
  for (size_t k = 0; k < messages; k++) {
    sn_joint_state *m = sn_source_msg(run->references);
    sn_msg_names_clear(&m->name);
    m->position.count = m->velocity.count = m->effort.count = 0;
    for (size_t i = 0; i < run->joint_count && m->position.count < m->position.capacity; i++) {
      const sn_joint *joint = sn_model_joint(run->model, i);
      const char *name = sn_random_below(random, 50) == 0 ? "nobody" : joint->name;
      if (sn_random_below(random, 2) == 0 &&
          sn_msg_names_add(&m->name, name, strlen(name)) == SN_OK) {
        m->position.data[m->position.count++] = wild(joint, random);
      }
    }
    if (sn_random_below(random, 10) == 0 && m->position.count > 0) {
      m->position.count--; /* fewer positions than names */
    }
    (void)sn_source_write(run->references);
  }
}

/* ---- properties and life cycles ---- */

static json_t *any_number(const sn_property *p, sn_random *random) {
  const bool is_free = p->min == 0.0 && p->max == 0.0;
  const double lower = is_free ? -10.0 : p->min, upper = is_free ? 10.0 : p->max;
  const uint64_t choice = sn_random_below(random, 4);
  const double value = choice == 0   ? lower
                       : choice == 1 ? upper
                                     : sn_random_between(random, lower, upper);
  return p->kind == SN_PROPERTY_INT ? json_integer((json_int_t)value) : json_real(value);
}

/* A live property becomes any value that its table allows. */
static void set_property(storm_run *run, sn_random *random) {
  const sn_component *component = storm_any_component(run, random);
  const sn_property *table = component->type->properties;
  size_t count = 0;
  while (table != NULL && table[count].name != NULL) {
    count++;
  }
  if (count == 0) {
    return;
  }
  const sn_property *p = &table[sn_random_below(random, count)];
  char name[200];
  snprintf(name, sizeof name, "%s.%s", component->name, p->name);
  if ((p->flags & SN_PROPERTY_LIVE) == 0 || (p->flags & SN_PROPERTY_PATH) != 0) {
    return;
  }
  if (p->kind == SN_PROPERTY_BOOL) {
    storm_set(run, name, json_boolean((int)sn_random_below(random, 2)));
  } else if (p->kind == SN_PROPERTY_INT || p->kind == SN_PROPERTY_REAL) {
    storm_set(run, name, any_number(p, random));
  }
}

/* The gate itself stays: without it there is no command to check. */
static void change_life(storm_run *run, sn_random *random) {
  const sn_component *component = storm_any_component(run, random);
  size_t count = 0;
  while (sn__remote_transitions[count].name != NULL) {
    count++;
  }
  const char *verb = sn__remote_transitions[sn_random_below(random, count)].name;
  char name[160];
  if (strcmp(component->name, "aggregator") != 0) {
    snprintf(name, sizeof name, "%s.%s", component->name, verb);
    run->before.memory_size = SIZE_MAX;
    (void)storm_call(run, name, NULL);
  }
}

/* Everything that was stopped runs again, so that a run does not end as a robot that stands still.
 */
void storm_start_all(storm_run *run, sn_random *random) {
  (void)random;
  static const char *const verbs[] = {"recover", "configure", "start"};
  for (size_t i = 0; i < sn_system_component_count(run->app.system); i++) {
    const sn_component *component = sn_system_component_at(run->app.system, i);
    for (size_t k = 0; k < sizeof verbs / sizeof *verbs; k++) {
      char name[160];
      snprintf(name, sizeof name, "%s.%s", component->name, verbs[k]);
      (void)storm_call(run, name, NULL);
    }
  }
  run->before.memory_size = SIZE_MAX;
}

/* ---- emergency stop ---- */

static void stop(storm_run *run, sn_random *random) {
  (void)random;
  sn__remote_stop_request(run->app.system, "storm", "a fault");
  run->before.is_stopped = true;
}

void storm_resume(storm_run *run, sn_random *random) {
  (void)random;
  if (storm_call(run, "aggregator.resume", json_pack("{s:s}", "name", "storm"))) {
    run->before.may_jump = true; /* a stall may have stopped it, too */
    run->before.is_stopped = false;
  }
}

const storm_kind storm_kinds[] = {{"references", 40, write_references},
                                  {"request", 20, request_limbs},
                                  {"property", 15, set_property},
                                  {"operation", 10, storm_operate},
                                  {"life", 6, change_life},
                                  {"start all", 3, storm_start_all},
                                  {"client comes", 4, storm_come},
                                  {"client goes", 2, storm_go},
                                  {"flood", 1, storm_flood},
                                  {"servos", 6, storm_break_servos},
                                  {"adapter", 3, storm_unplug},
                                  {"push", 3, storm_push},
                                  {"push link", 3, storm_push_link},
                                  {"throw", 1, storm_throw},
                                  {"stand", 1, storm_stand},
                                  {"stall", 3, storm_stall},
                                  {"stop", 2, stop},
                                  {"resume", 6, storm_resume}};
const size_t storm_kind_count = sizeof storm_kinds / sizeof *storm_kinds;

static size_t any_kind(sn_random *random) {
  unsigned sum = 0;
  for (size_t i = 0; i < storm_kind_count; i++) {
    sum += storm_kinds[i].weight;
  }
  uint64_t left = sn_random_below(random, sum);
  size_t kind = 0;
  while (left >= storm_kinds[kind].weight) {
    left -= storm_kinds[kind++].weight;
  }
  return kind;
}

void storm_plan_make(storm_plan *plan, uint64_t seed, double seconds) {
  sn_random random;
  sn_random_init(&random, seed);
  *plan = (storm_plan){.end_ns = (int64_t)(1e9 * seconds), .seed = seed};
  /* On average one in 100 ms: time enough for most to have an effect. */
  int64_t at_ns = FIRST_NS;
  while (plan->count < STORM_FAULTS_MAX) {
    at_ns += (int64_t)sn_random_below(&random, 2 * MEAN_NS);
    if (at_ns >= plan->end_ns) {
      break;
    }
    const size_t kind = any_kind(&random);
    plan->faults[plan->count++] = (storm_fault){at_ns, kind, sn_random_bits(&random)};
  }
}
