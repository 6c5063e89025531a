#include <string.h>

#include "base/arena_internal.h"
#include "base/fail.h"
#include "rt/component_runtime.h"
#include "rt/journal/journal.h"

static void set_state(sn__component_runtime *runtime, sn_component_state state) {
  atomic_store(&runtime->state, (int)state);
}

/* From now on cycles step the component, and an allocation from its arena is a fault. */
static void set_running(sn__component_runtime *runtime) {
  runtime->refused = 0;
  sn__arena_seal_counting(&runtime->config_arena, &runtime->refused);
  set_state(runtime, SN_STATE_RUNNING);
}

static sn_status refuse_state(const sn__component_runtime *runtime, const char *verb,
                              sn_error *err) {
  return sn__fail(err, SN_EINVAL, "%s cannot %s: it is %s", runtime->component->name, verb,
                  sn_component_state_text(sn__runtime_state(runtime)));
}

/* A hook that fails without a message is reported by its status. */
static sn_status refuse_hook(const sn__component_runtime *runtime, const char *verb,
                             sn_status status, const sn_error *reason, sn_error *err) {
  return sn__fail(err, status, "%s did not %s: %s", runtime->component->name, verb,
                  reason->message[0] != '\0' ? reason->message : sn_status_text(status));
}

static int64_t now_of(const sn__component_runtime *runtime) {
  sn_system *system = runtime->system;
  return sn__system_time(system, sn_clock_now_ns(system->config.clock));
}

/* ---- needs ---- */

static sn_requester *requester_of(const sn__component_runtime *runtime, const sn_need *need) {
  return sn__member(runtime, need->offset);
}

static void forget_faces(sn__component_runtime *runtime) {
  for (const sn_need *need = runtime->component->type->needs; need != NULL && need->name != NULL;
       need++) {
    if (need->interface != NULL) {
      requester_of(runtime, need)->iface = NULL;
    }
  }
}

static const void *iface_of(const sn__component_runtime *provider, const char *interface) {
  for (const sn_service *s = provider->component->type->services; s != NULL && s->name != NULL;
       s++) {
    if (strcmp(s->name, interface) == 0) {
      return s->iface(provider->component);
    }
  }
  return NULL;
}

static sn_status resolve_need(sn__component_runtime *runtime, size_t index, sn_error *err) {
  const sn_need *need = &runtime->component->type->needs[index];
  const sn__component_runtime *provider = runtime->providers[index];
  if (provider == NULL) {
    return need->is_optional
               ? SN_OK
               : sn__fail(err, SN_ENOENT, "%s needs '%s' (%s), which is not connected",
                          runtime->component->name, need->name,
                          need->interface != NULL ? need->interface : need->operation);
  }
  if (need->interface == NULL) {
    return SN_OK;
  }
  if (sn__runtime_state(provider) == SN_STATE_UNCONFIGURED) {
    return sn__fail(err, SN_ENOTCONFIGURED, "%s needs '%s' from %s, which is not configured",
                    runtime->component->name, need->name, provider->component->name);
  }
  const void *iface = iface_of(provider, need->interface);
  if (iface == NULL) {
    return sn__fail(err, SN_ENOTCONFIGURED, "%s needs '%s' from %s, which does not provide it",
                    runtime->component->name, need->name, provider->component->name);
  }
  requester_of(runtime, need)->iface = iface;
  return SN_OK;
}

static sn_status resolve_needs(sn__component_runtime *runtime, sn_error *err) {
  const sn_need *needs = runtime->component->type->needs;
  for (size_t i = 0; needs != NULL && needs[i].name != NULL; i++) {
    const sn_status status = resolve_need(runtime, i, err);
    if (status != SN_OK) {
      forget_faces(runtime);
      return status;
    }
  }
  return SN_OK;
}

static bool uses(const sn__component_runtime *user, const sn__component_runtime *provider) {
  const sn_need *needs = user->component->type->needs;
  for (size_t i = 0; needs != NULL && needs[i].name != NULL; i++) {
    if (needs[i].interface != NULL && user->providers[i] == provider &&
        sn_requester_is_ready(requester_of(user, &needs[i]))) {
      return true;
    }
  }
  return false;
}

const sn__component_runtime *sn__runtime_user(const sn__component_runtime *runtime) {
  const sn_system *system = runtime->system;
  for (size_t i = 0; i < system->runtime_count; i++) {
    if (uses(system->runtimes[i], runtime)) {
      return system->runtimes[i];
    }
  }
  return NULL;
}

/* ---- configure, start ---- */

static sn_status configure_services(sn__component_runtime *host, sn_error *err) {
  const sn_system *system = host->system;
  for (size_t i = 0; i < system->runtime_count; i++) {
    sn__component_runtime *runtime = system->runtimes[i];
    if (runtime->host == host && sn__runtime_state(runtime) == SN_STATE_UNCONFIGURED) {
      const sn_status status = sn__runtime_configure(runtime, err);
      if (status != SN_OK) {
        return status;
      }
    }
  }
  return SN_OK;
}

static sn_status check_properties(const sn__component_runtime *runtime, sn_error *err) {
  const sn_property *properties = runtime->component->type->properties;
  for (size_t i = 0; properties != NULL && properties[i].name != NULL; i++) {
    if ((properties[i].flags & SN_PROPERTY_REQUIRED) != 0 && runtime->property_changes[i] == 0) {
      return sn__fail(err, SN_EINVAL, "%s: property '%s' has no initial value and must be set",
                      runtime->component->name, properties[i].name);
    }
  }
  return SN_OK;
}

sn_status sn__runtime_configure(sn__component_runtime *runtime, sn_error *err) {
  if (sn__runtime_state(runtime) != SN_STATE_UNCONFIGURED) {
    return refuse_state(runtime, "configure", err);
  }
  sn_status status = configure_services(runtime, err);
  if (status == SN_OK) {
    status = check_properties(runtime, err);
  }
  if (status == SN_OK) {
    status = resolve_needs(runtime, err);
  }
  if (status != SN_OK) {
    return status;
  }
  sn_error reason = {.message = ""};
  if (runtime->component->type->configure != NULL) {
    const sn_component *outer = sn__hook_begin(runtime, "configure");
    status = runtime->component->type->configure(runtime->component, &reason);
    sn__hook_end(runtime, outer);
  }
  if (status != SN_OK) {
    forget_faces(runtime);
    sn_arena_release(&runtime->config_arena);
    return refuse_hook(runtime, "configure", status, &reason, err);
  }
  runtime->must_configure = false;
  set_state(runtime, SN_STATE_STOPPED);
  return SN_OK;
}

static sn_status check_start(const sn__component_runtime *runtime, sn_error *err) {
  const sn_component_type *type = runtime->component->type;
  if (type->step != NULL && runtime->activity == NULL) {
    return sn__fail(err, SN_EINVAL, "%s has no activity to step it", runtime->component->name);
  }
  for (const sn_port *port = type->ports; port != NULL && port->name != NULL; port++) {
    if ((port->flags & SN_PORT_REQUIRED) != 0 && !sn__port_is_connected(runtime, port)) {
      return sn__fail(err, SN_EINVAL, "%s.%s has no writer but requires one",
                      runtime->component->name, port->name);
    }
  }
  return SN_OK;
}

static void forget(const sn_input *input) {
  if (input->channel != NULL) {
    sn__channel_forget(input->channel);
  }
}

/* Drop messages from before the start: names in them may belong to a robot model that no longer
   exists. */
static void forget_messages(const sn__component_runtime *runtime) {
  const sn_port *ports = runtime->component->type->ports;
  for (const sn_port *port = ports; port != NULL && port->name != NULL; port++) {
    if (port->kind == SN_PORT_IN) {
      forget(sn__member(runtime, port->offset));
    } else if (port->kind == SN_PORT_MANY) {
      const sn_inputs *inputs = sn__member(runtime, port->offset);
      for (size_t i = 0; i < inputs->count; i++) {
        forget(&inputs->items[i]);
      }
    }
  }
}

/* Configure again if properties were set since configure. */
static sn_status configure_again(sn__component_runtime *runtime, sn_error *err) {
  const sn_status status = sn__runtime_cleanup(runtime, err);
  return status == SN_OK ? sn__runtime_configure(runtime, err) : status;
}

sn_status sn__runtime_start(sn__component_runtime *runtime, sn_error *err) {
  if (sn__runtime_state(runtime) != SN_STATE_STOPPED) {
    return refuse_state(runtime, "start", err);
  }
  sn_status status = runtime->must_configure ? configure_again(runtime, err) : SN_OK;
  if (status == SN_OK) {
    status = check_start(runtime, err);
  }
  if (status != SN_OK) {
    return status;
  }
  forget_messages(runtime);
  sn_error reason = {.message = ""};
  if (runtime->component->type->start != NULL) {
    const sn_system *system = runtime->system;
    const int64_t now_ns = atomic_load(&system->is_beginning) ? system->begun_ns : now_of(runtime);
    const sn_component *outer = sn__hook_begin(runtime, "start");
    status = runtime->component->type->start(runtime->component, now_ns, &reason);
    sn__hook_end(runtime, outer);
  }
  if (status != SN_OK) {
    return refuse_hook(runtime, "start", status, &reason, err);
  }
  atomic_store(&runtime->fault, SN_STEP_FAULT_NONE);
  set_running(runtime);
  return SN_OK;
}

/* ---- stop, recover, cleanup ---- */

/* From now on no cycle steps it. */
static sn_status wait_until_still(const sn__component_runtime *runtime, const char *verb,
                                  sn_error *err) {
  if (sn__activity_wait_quiescent(runtime->activity)) {
    return SN_OK;
  }
  return runtime->activity == sn__activity_current
             ? sn__fail(err, SN_EBUSY, "%s cannot %s in its own thread", runtime->component->name,
                        verb)
             : sn__fail(err, SN_ETIMEDOUT, "%s cannot %s: a cycle of '%s' does not end",
                        runtime->component->name, verb, runtime->activity->config.name);
}

sn_status sn__runtime_stop(sn__component_runtime *runtime, sn_error *err) {
  const sn_component_state state = sn__runtime_state(runtime);
  if (state != SN_STATE_RUNNING && state != SN_STATE_ERROR) {
    return refuse_state(runtime, "stop", err);
  }
  if (runtime->activity != NULL && runtime->activity == sn__activity_current) {
    return wait_until_still(runtime, "stop", err);
  }
  set_state(runtime, SN_STATE_STOPPED);
  const sn_status status = wait_until_still(runtime, "stop", err);
  if (status != SN_OK) {
    set_state(runtime, state);
    return status;
  }
  sn__arena_unseal(&runtime->config_arena);
  if (runtime->component->type->stop != NULL) {
    const sn_component *outer = sn__hook_begin(runtime, "stop");
    runtime->component->type->stop(runtime->component);
    sn__hook_end(runtime, outer);
  }
  return SN_OK;
}

static sn_status recover(sn__component_runtime *runtime, sn_error *err) {
  if (sn__runtime_state(runtime) != SN_STATE_ERROR) {
    return refuse_state(runtime, "recover", err);
  }
  sn_status status = wait_until_still(runtime, "recover", err);
  if (status != SN_OK) {
    return status;
  }
  sn__arena_unseal(&runtime->config_arena);
  sn_error reason = {.message = ""};
  if (runtime->component->type->recover != NULL) {
    status = runtime->component->type->recover(runtime->component, now_of(runtime), &reason);
  }
  if (status != SN_OK) {
    return refuse_hook(runtime, "recover", status, &reason, err);
  }
  set_running(runtime);
  return SN_OK;
}

static void cleanup_services(const sn__component_runtime *host) {
  const sn_system *system = host->system;
  for (size_t i = 0; i < system->runtime_count; i++) {
    sn__component_runtime *runtime = system->runtimes[i];
    if (runtime->host == host) {
      (void)sn__runtime_stop(runtime, NULL); /* fails unless it runs, which is fine */
      (void)sn__runtime_cleanup(runtime, NULL);
    }
  }
}

sn_status sn__runtime_cleanup(sn__component_runtime *runtime, sn_error *err) {
  if (sn__runtime_state(runtime) != SN_STATE_STOPPED) {
    return refuse_state(runtime, "cleanup", err);
  }
  const sn__component_runtime *user = sn__runtime_user(runtime);
  if (user != NULL) {
    return sn__fail(err, SN_EBUSY, "%s cannot cleanup: %s uses it", runtime->component->name,
                    user->component->name);
  }
  set_state(runtime, SN_STATE_UNCONFIGURED);
  if (runtime->component->type->cleanup != NULL) {
    const sn_component *outer = sn__hook_begin(runtime, "cleanup");
    runtime->component->type->cleanup(runtime->component);
    sn__hook_end(runtime, outer);
  }
  forget_faces(runtime);
  sn_arena_release(&runtime->config_arena);
  cleanup_services(runtime);
  return SN_OK;
}

/* ---- one by one, from outside ---- */

static sn_status do_held(sn_system *system, sn_component *component,
                         sn_status (*hook)(sn__component_runtime *runtime, sn_error *err),
                         const char *name, sn_error *err) {
  sn_system_hold(system);
  if (sn__activity_current ==
      NULL) { /* before it takes effect, since the next cycle may be affected */
    sn__journal_life(component->runtime, name);
  }
  const sn_status status = hook(component->runtime, err);
  sn_system_release(system);
  return status;
}

sn_status sn_system_configure(sn_system *system, sn_component *component, sn_error *err) {
  return do_held(system, component, sn__runtime_configure, "configure", err);
}

sn_status sn_system_start(sn_system *system, sn_component *component, sn_error *err) {
  sn_status status = do_held(system, component, sn__runtime_start, "start", err);
  if (status == SN_OK && atomic_load(&system->is_begun)) {
    status = sn__component_on_system_started(component->runtime, err);
    if (status != SN_OK) {
      (void)do_held(system, component, sn__runtime_stop, "stop", NULL);
    }
  }
  return status;
}

sn_status sn_system_stop(sn_system *system, sn_component *component, sn_error *err) {
  sn_status status = sn__component_on_system_stopping(component->runtime, err);
  if (status == SN_OK) {
    status = do_held(system, component, sn__runtime_stop, "stop", err);
  }
  return status == SN_OK ? sn__component_on_system_stopping(component->runtime,
                                                            err) /* connected in the meantime */
                         : status;
}

sn_status sn_system_cleanup(sn_system *system, sn_component *component, sn_error *err) {
  return do_held(system, component, sn__runtime_cleanup, "cleanup", err);
}

sn_status sn_system_recover(sn_system *system, sn_component *component, sn_error *err) {
  return do_held(system, component, recover, "recover", err);
}
