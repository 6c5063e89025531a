/* Getting and setting properties: directly while a component is stopped, in its own thread while
   it runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "rt/component_runtime.h"
#include "rt/components/property.h"
#include "rt/components/property_access.h"
#include "rt/futex.h"
#include "rt/journal/journal.h"

static const int64_t patience_ns = SN_CALL_TIMEOUT_NS;

/* The table entry of the first part of a path; `rest` is what follows the dot, or NULL. */
static const sn_property *find_first(const sn__component_runtime *runtime, const char *path,
                                     const char **rest) {
  char first[128];
  const size_t length = strcspn(path, ".");
  snprintf(first, sizeof first, "%.*s", (int)length, path);
  *rest = path[length] == '.' ? path + length + 1 : NULL;
  const sn_property *table = runtime->component->type->properties;
  return table == NULL ? NULL : sn_property_find(table, first);
}

static sn_status refuse_unknown(const sn__component_runtime *runtime, const char *path,
                                sn_error *err) {
  return sn__fail(err, SN_ENOENT, "component '%s' (%s) has no property '%s'",
                  runtime->component->name, runtime->component->type->name, path);
}

/* ---- get ---- */

sn_status sn_system_get(sn_system *system, sn_component *component, const char *path, char *out,
                        size_t size, sn_error *err) {
  const sn_property *table = component->type->properties;
  sn_system_hold(system);
  sn_status status = SN_OK;
  size_t length = 0;
  if (path == NULL) {
    length = sn__property_print_all(table, component, out, size);
  } else {
    size_t offset = 0;
    const sn_property *property = sn_property_at(table, path, &offset);
    if (property == NULL) {
      status = refuse_unknown(component->runtime, path, err);
    } else {
      length = sn__property_print(property, (const char *)component + offset, out, size);
    }
  }
  sn_system_release(system);
  if (status == SN_OK && length >= size) {
    status =
        sn__fail(err, SN_ENOSPC, "the value takes %zu bytes, there is room for %zu", length, size);
  }
  return status;
}

/* ---- set ---- */

/* Wrap a value in bags, so that `bag.property` is set like `{property: value}`. */
static const sn_value *wrap(sn_arena *arena, const char *rest, const sn_value *value) {
  if (rest == NULL) {
    return value;
  }
  const char *dot = strrchr(rest, '.');
  const char *last = dot == NULL ? rest : dot + 1;
  sn_value *named = SN_NEW(arena, sn_value, 1);
  sn_value *bag = SN_NEW(arena, sn_value, 1);
  const sn_value **items = SN_NEW(arena, const sn_value *, 1);
  char *outer = sn_arena_text(arena, rest, dot == NULL ? 0 : (size_t)(dot - rest));
  if (named == NULL || bag == NULL || items == NULL || outer == NULL) {
    return NULL;
  }
  *named = *value;
  named->name = last;
  items[0] = named;
  *bag = (sn_value){
      .name = "", .kind = SN_VALUE_BAG, .item_count = 1, .items = items, .place = value->place};
  return wrap(arena, dot == NULL ? NULL : outer, bag); /* as deep as the path has dots */
}

/* Copy the present value. Lists and texts that a change does not touch must not point into
   memory that the change frees. */
static sn_status copy_value(const sn__component_runtime *runtime, const sn_property *property,
                            void *object, sn_arena *arena, sn_arena *scratch) {
  const size_t size = sn__property_print(property, runtime->component, NULL, 0) + 1;
  char *text = sn_arena_alloc(scratch, size, 1);
  sn_report *report = NULL;
  const sn_value *tree = NULL;
  if (text == NULL || sn_report_create(scratch, &report, NULL) != SN_OK) {
    return SN_ENOMEM;
  }
  sn__property_print(property, runtime->component, text, size);
  const sn_status status = sn_value_parse_text(scratch, text, size - 1, "value", report, &tree);
  return status == SN_OK ? sn__property_set(property, object, tree, "", arena, report) : status;
}

static void exchange(sn__component_runtime *runtime, const sn_property *property, void *value,
                     size_t size) {
  unsigned char *member = sn__member(runtime, property->offset);
  unsigned char *other = value;
  for (size_t i = 0; i < size; i++) {
    const unsigned char byte = member[i];
    member[i] = other[i];
    other[i] = byte;
  }
}

static void run_change(sn__job *job) {
  const sn__change *change = (const sn__change *)job;
  exchange(change->runtime, change->property, change->value, change->size);
  sn__journal_set(change->runtime, change->property);
  sn_component *component = change->runtime->component;
  if (component->type->changed != NULL) {
    component->type->changed(component, change->property);
  }
}

/* The component is not stepped. A live property takes effect as in its thread; for all others
   the component is configured again before it starts. */
static void note_change(sn__component_runtime *runtime, const sn_property *property) {
  sn_component *component = runtime->component;
  if (sn__runtime_state(runtime) == SN_STATE_UNCONFIGURED) {
    return;
  }
  if ((property->flags & SN_PROPERTY_LIVE) == 0) {
    runtime->must_configure = true;
    if (runtime->host != NULL && sn__runtime_state(runtime->host) == SN_STATE_STOPPED) {
      runtime->host->must_configure =
          true; /* it got the service's interface when it was configured */
    }
  } else if (component->type->changed != NULL) {
    component->type->changed(component, property);
  }
}

/* Check whether a property that is not live may change now. */
static sn_status check_idle(const sn__component_runtime *runtime, const sn_property *property,
                            sn_error *err) {
  const char *name = runtime->component->name;
  const sn_component_state state = sn__runtime_state(runtime);
  if (state == SN_STATE_RUNNING || state == SN_STATE_ERROR) {
    return sn__fail(err, SN_EBUSY, "'%s.%s' cannot change while %s %s: stop it first", name,
                    property->name, name, state == SN_STATE_RUNNING ? "runs" : "is in error");
  }
  const sn__component_runtime *user = state == SN_STATE_STOPPED ? sn__runtime_user(runtime) : NULL;
  if (user != NULL && (user != runtime->host || sn__runtime_state(user) != SN_STATE_STOPPED)) {
    return sn__fail(err, SN_EBUSY,
                    "'%s.%s' cannot change while %s uses %s: stop and clean up %s first", name,
                    property->name, user->component->name, name, user->component->name);
  }
  return SN_OK;
}

/* Store the new value: at once if the component is not stepped, else in its own thread. */
static sn_status commit(sn__component_runtime *runtime, const sn_property *property, void *value,
                        size_t size, sn_error *err) {
  sn__change *change = &runtime->change;
  const bool is_running = sn__runtime_state(runtime) == SN_STATE_RUNNING;
  if (!is_running) {
    exchange(runtime, property, value, size);
    sn__journal_set(runtime, property);
    note_change(runtime, property);
    return SN_OK;
  }
  if (!sn__job_claim(&change->job)) {
    return sn__fail(err, SN_EBUSY, "an earlier change of '%s' still waits for its next cycle",
                    runtime->component->name);
  }
  change->job.run = run_change;
  change->runtime = runtime;
  change->property = property;
  change->value = value;
  change->size = size;
  if (runtime->activity == NULL || !atomic_load(&runtime->activity->is_live)) {
    run_change(&change->job);
    sn__job_free(&change->job);
    return SN_OK;
  }
  sn__jobs_push(&runtime->jobs, &change->job);
  sn__activity_notify(runtime->activity);
  if (!sn__job_finish(&change->job, sn__real_now_ns() + patience_ns)) {
    return sn__fail(err, SN_ETIMEDOUT, "'%s' had no cycle in time", runtime->component->name);
  }
  return SN_OK;
}

typedef struct setting {
  sn__component_runtime *runtime;
  const sn_property *property;
  const char *path, *rest; /* all of it, and what follows the first dot */
  const sn_value *value;
  sn_report *report;
} setting;

static sn_status make_value(const setting *s, void *shadow, sn_arena *arena, sn_arena *scratch) {
  const sn_property *property = s->property;
  char path[256];
  snprintf(path, sizeof path, "%s.%s", s->runtime->component->name, property->name);
  memcpy((char *)shadow + property->offset, sn__member(s->runtime, property->offset),
         sn__property_size(property));
  sn_status status = SN_OK;
  if (property->kind == SN_PROPERTY_BAG) {
    status = copy_value(s->runtime, property, shadow, arena, scratch);
  }
  const sn_value *value = wrap(scratch, s->rest, s->value);
  if (value == NULL) {
    return SN_ENOMEM;
  }
  return status == SN_OK ? sn__property_set(property, shadow, value, path, arena, s->report)
                         : status;
}

static sn_status set_held(const setting *s, sn_arena *scratch, sn_error *err) {
  sn__component_runtime *runtime = s->runtime;
  const sn_property *property = s->property;
  if ((property->flags & SN_PROPERTY_LIVE) == 0 && check_idle(runtime, property, err) != SN_OK) {
    return SN_EBUSY;
  }
  if (s->rest != NULL && property->kind != SN_PROPERTY_BAG) {
    return refuse_unknown(runtime, s->path, err);
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "property", 256);
  void *shadow = sn_arena_alloc(scratch, runtime->component->type->size, 64);
  sn_status status = shadow == NULL ? SN_ENOMEM : make_value(s, shadow, &arena, scratch);
  if (status == SN_OK) {
    status = commit(runtime, property, (char *)shadow + property->offset,
                    sn__property_size(property), err);
  } else {
    (void)sn__fail(err, status, "'%s.%s' was not set", runtime->component->name, s->path);
  }
  if (status == SN_OK) { /* frees the memory of the old value */
    const size_t index = (size_t)(property - runtime->component->type->properties);
    const sn_arena old = runtime->property_arenas[index];
    runtime->property_arenas[index] = arena;
    runtime->property_changes[index] = atomic_fetch_add(&runtime->system->change_count, 1) + 1;
    arena = old;
  }
  sn_arena_release(&arena);
  return status;
}

sn_status sn_system_set(sn_system *system, sn_component *component, const char *path,
                        const sn_value *value, sn_report *report, sn_error *err) {
  setting s = {.runtime = component->runtime, .path = path, .value = value, .report = report};
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "setting", 0);
  sn_system_hold(system);
  s.property = find_first(s.runtime, path, &s.rest);
  const sn_status status =
      s.property == NULL ? refuse_unknown(s.runtime, path, err) : set_held(&s, &scratch, err);
  sn_system_release(system);
  sn_arena_release(&scratch);
  return status;
}

uint64_t sn__system_change(const sn_system *system) {
  return atomic_load(&system->change_count);
}

uint64_t sn__property_change(const sn_component *component, const sn_property *property) {
  return component->runtime->property_changes[property - component->type->properties];
}
