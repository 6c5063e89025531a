#include <string.h>

#include "base/fail.h"
#include "rt/cell.h"
#include "rt/journal.h"

static void set_state(sn__cell *cell, sn_component_state state) {
  atomic_store(&cell->state, (int)state);
}

/* From now on cycles step it, and an allocation from its arena is a fault. */
static void set_running(sn__cell *cell) {
  cell->refused = 0;
  sn_arena_seal_counting(&cell->config_arena, &cell->refused);
  set_state(cell, SN_STATE_RUNNING);
}

static sn_status refuse_state(const sn__cell *cell, const char *verb, sn_error *err) {
  return sn__fail(err, SN_EINVAL, "%s cannot %s: it is %s", cell->component->name, verb,
                  sn_component_state_text(sn__cell_state(cell)));
}

/* A hook that refuses without a reason is told by its status. */
static sn_status refuse_hook(const sn__cell *cell, const char *verb, sn_status status,
                             const sn_error *reason, sn_error *err) {
  return sn__fail(err, status, "%s did not %s: %s", cell->component->name, verb,
                  reason->message[0] != '\0' ? reason->message : sn_status_text(status));
}

static int64_t now_of(const sn__cell *cell) {
  return sn_clock_now_ns(cell->system->config.clock);
}

/* ---- needs ---- */

static sn_requester *requester_of(const sn__cell *cell, const sn_need *need) {
  return sn__member(cell, need->offset);
}

static void forget_faces(sn__cell *cell) {
  for (const sn_need *need = cell->component->type->needs; need != NULL && need->name != NULL;
       need++) {
    if (need->interface != NULL) {
      requester_of(cell, need)->face = NULL;
    }
  }
}

static const void *face_of(const sn__cell *provider, const char *interface) {
  for (const sn_service *s = provider->component->type->services; s != NULL && s->name != NULL;
       s++) {
    if (strcmp(s->name, interface) == 0) {
      return s->face(provider->component);
    }
  }
  return NULL;
}

static sn_status resolve_need(sn__cell *cell, size_t index, sn_error *err) {
  const sn_need *need = &cell->component->type->needs[index];
  const sn__cell *provider = cell->providers[index];
  if (provider == NULL) {
    return need->is_optional
               ? SN_OK
               : sn__fail(err, SN_ENOENT, "%s needs '%s' (%s), and nobody is connected to it",
                          cell->component->name, need->name,
                          need->interface != NULL ? need->interface : need->operation);
  }
  if (need->interface == NULL) {
    return SN_OK;
  }
  if (sn__cell_state(provider) == SN_STATE_UNCONFIGURED) {
    return sn__fail(err, SN_ENOTCONFIGURED, "%s needs '%s' from %s, which is not configured",
                    cell->component->name, need->name, provider->component->name);
  }
  const void *face = face_of(provider, need->interface);
  if (face == NULL) {
    return sn__fail(err, SN_ENOTCONFIGURED, "%s needs '%s' from %s, which does not give it",
                    cell->component->name, need->name, provider->component->name);
  }
  requester_of(cell, need)->face = face;
  return SN_OK;
}

static sn_status resolve_needs(sn__cell *cell, sn_error *err) {
  const sn_need *needs = cell->component->type->needs;
  for (size_t i = 0; needs != NULL && needs[i].name != NULL; i++) {
    const sn_status status = resolve_need(cell, i, err);
    if (status != SN_OK) {
      forget_faces(cell);
      return status;
    }
  }
  return SN_OK;
}

static bool uses(const sn__cell *user, const sn__cell *provider) {
  const sn_need *needs = user->component->type->needs;
  for (size_t i = 0; needs != NULL && needs[i].name != NULL; i++) {
    if (needs[i].interface != NULL && user->providers[i] == provider &&
        sn_requester_is_ready(requester_of(user, &needs[i]))) {
      return true;
    }
  }
  return false;
}

const sn__cell *sn__cell_user(const sn__cell *cell) {
  const sn_system *system = cell->system;
  for (size_t i = 0; i < system->cell_count; i++) {
    if (uses(system->cells[i], cell)) {
      return system->cells[i];
    }
  }
  return NULL;
}

/* ---- configure, start ---- */

static sn_status configure_services(sn__cell *host, sn_error *err) {
  const sn_system *system = host->system;
  for (size_t i = 0; i < system->cell_count; i++) {
    sn__cell *cell = system->cells[i];
    if (cell->host == host && sn__cell_state(cell) == SN_STATE_UNCONFIGURED) {
      const sn_status status = sn__cell_configure(cell, err);
      if (status != SN_OK) {
        return status;
      }
    }
  }
  return SN_OK;
}

static sn_status check_properties(const sn__cell *cell, sn_error *err) {
  const sn_property *properties = cell->component->type->properties;
  for (size_t i = 0; properties != NULL && properties[i].name != NULL; i++) {
    if ((properties[i].flags & SN_PROPERTY_REQUIRED) != 0 && !cell->property_is_set[i]) {
      return sn__fail(err, SN_EINVAL, "%s: property '%s' has no initial value and must be set",
                      cell->component->name, properties[i].name);
    }
  }
  return SN_OK;
}

sn_status sn__cell_configure(sn__cell *cell, sn_error *err) {
  if (sn__cell_state(cell) != SN_STATE_UNCONFIGURED) {
    return refuse_state(cell, "configure", err);
  }
  sn_status status = configure_services(cell, err);
  if (status == SN_OK) {
    status = check_properties(cell, err);
  }
  if (status == SN_OK) {
    status = resolve_needs(cell, err);
  }
  if (status != SN_OK) {
    return status;
  }
  sn_error reason = {.message = ""};
  if (cell->component->type->configure != NULL) {
    const sn_component *outer = sn__hook_begin(cell, "configure");
    status = cell->component->type->configure(cell->component, &reason);
    sn__hook_end(cell, outer);
  }
  if (status != SN_OK) {
    forget_faces(cell);
    sn_arena_release(&cell->config_arena);
    return refuse_hook(cell, "configure", status, &reason, err);
  }
  cell->must_configure = false;
  set_state(cell, SN_STATE_STOPPED);
  return SN_OK;
}

static sn_status check_start(const sn__cell *cell, sn_error *err) {
  const sn_component_type *type = cell->component->type;
  if (type->step != NULL && cell->activity == NULL) {
    return sn__fail(err, SN_EINVAL, "%s has no activity that would step it", cell->component->name);
  }
  for (const sn_port *port = type->ports; port != NULL && port->name != NULL; port++) {
    if ((port->flags & SN_PORT_REQUIRED) != 0 && !sn__port_is_connected(cell, port)) {
      return sn__fail(err, SN_EINVAL, "%s.%s has no writer, and needs one", cell->component->name,
                      port->name);
    }
  }
  return SN_OK;
}

static void forget(const sn_input *input) {
  if (input->channel != NULL) {
    sn__channel_forget(input->channel);
  }
}

/* What was written before it started is not for it: names in old messages may be those of a robot
   that is gone. */
static void forget_messages(const sn__cell *cell) {
  const sn_port *ports = cell->component->type->ports;
  for (const sn_port *port = ports; port != NULL && port->name != NULL; port++) {
    if (port->kind == SN_PORT_IN) {
      forget(sn__member(cell, port->offset));
    } else if (port->kind == SN_PORT_MANY) {
      const sn_inputs *inputs = sn__member(cell, port->offset);
      for (size_t i = 0; i < inputs->count; i++) {
        forget(&inputs->items[i]);
      }
    }
  }
}

/* Properties were set since it was configured. */
static sn_status configure_again(sn__cell *cell, sn_error *err) {
  const sn_status status = sn__cell_cleanup(cell, err);
  return status == SN_OK ? sn__cell_configure(cell, err) : status;
}

sn_status sn__cell_start(sn__cell *cell, sn_error *err) {
  if (sn__cell_state(cell) != SN_STATE_STOPPED) {
    return refuse_state(cell, "start", err);
  }
  sn_status status = cell->must_configure ? configure_again(cell, err) : SN_OK;
  if (status == SN_OK) {
    status = check_start(cell, err);
  }
  if (status != SN_OK) {
    return status;
  }
  forget_messages(cell);
  sn_error reason = {.message = ""};
  if (cell->component->type->start != NULL) {
    const sn_system *system = cell->system;
    const int64_t now_ns = atomic_load(&system->is_beginning) ? system->begun_ns : now_of(cell);
    const sn_component *outer = sn__hook_begin(cell, "start");
    status = cell->component->type->start(cell->component, now_ns, &reason);
    sn__hook_end(cell, outer);
  }
  if (status != SN_OK) {
    return refuse_hook(cell, "start", status, &reason, err);
  }
  atomic_store(&cell->trouble, SN_TROUBLE_NONE);
  set_running(cell);
  return SN_OK;
}

/* ---- stop, recover, cleanup ---- */

/* From here on no cycle steps it. */
static sn_status wait_until_still(const sn__cell *cell, const char *verb, sn_error *err) {
  if (sn__activity_quiet(cell->activity)) {
    return SN_OK;
  }
  return cell->activity == sn__activity_current
             ? sn__fail(err, SN_EBUSY, "%s cannot %s in its own thread", cell->component->name,
                        verb)
             : sn__fail(err, SN_ETIMEDOUT, "%s cannot %s: a cycle of '%s' does not end",
                        cell->component->name, verb, cell->activity->config.name);
}

sn_status sn__cell_stop(sn__cell *cell, sn_error *err) {
  const sn_component_state state = sn__cell_state(cell);
  if (state != SN_STATE_RUNNING && state != SN_STATE_ERROR) {
    return refuse_state(cell, "stop", err);
  }
  if (cell->activity != NULL && cell->activity == sn__activity_current) {
    return wait_until_still(cell, "stop", err);
  }
  set_state(cell, SN_STATE_STOPPED);
  const sn_status status = wait_until_still(cell, "stop", err);
  if (status != SN_OK) {
    set_state(cell, state);
    return status;
  }
  sn_arena_unseal(&cell->config_arena);
  if (cell->component->type->stop != NULL) {
    const sn_component *outer = sn__hook_begin(cell, "stop");
    cell->component->type->stop(cell->component);
    sn__hook_end(cell, outer);
  }
  return SN_OK;
}

static sn_status recover(sn__cell *cell, sn_error *err) {
  if (sn__cell_state(cell) != SN_STATE_ERROR) {
    return refuse_state(cell, "recover", err);
  }
  sn_status status = wait_until_still(cell, "recover", err);
  if (status != SN_OK) {
    return status;
  }
  sn_arena_unseal(&cell->config_arena);
  sn_error reason = {.message = ""};
  if (cell->component->type->recover != NULL) {
    status = cell->component->type->recover(cell->component, now_of(cell), &reason);
  }
  if (status != SN_OK) {
    return refuse_hook(cell, "recover", status, &reason, err);
  }
  set_running(cell);
  return SN_OK;
}

static void cleanup_services(const sn__cell *host) {
  const sn_system *system = host->system;
  for (size_t i = 0; i < system->cell_count; i++) {
    sn__cell *cell = system->cells[i];
    if (cell->host == host) {
      (void)sn__cell_stop(cell, NULL); /* refused unless it runs, which is what is wanted */
      (void)sn__cell_cleanup(cell, NULL);
    }
  }
}

sn_status sn__cell_cleanup(sn__cell *cell, sn_error *err) {
  if (sn__cell_state(cell) != SN_STATE_STOPPED) {
    return refuse_state(cell, "cleanup", err);
  }
  const sn__cell *user = sn__cell_user(cell);
  if (user != NULL) {
    return sn__fail(err, SN_EBUSY, "%s cannot cleanup: %s uses it", cell->component->name,
                    user->component->name);
  }
  set_state(cell, SN_STATE_UNCONFIGURED);
  if (cell->component->type->cleanup != NULL) {
    const sn_component *outer = sn__hook_begin(cell, "cleanup");
    cell->component->type->cleanup(cell->component);
    sn__hook_end(cell, outer);
  }
  forget_faces(cell);
  sn_arena_release(&cell->config_arena);
  cleanup_services(cell);
  return SN_OK;
}

/* ---- one by one, from outside ---- */

static sn_status do_held(sn_system *system, sn_component *component,
                         sn_status (*hook)(sn__cell *cell, sn_error *err), const char *name,
                         sn_error *err) {
  sn_system_hold(system);
  if (sn__activity_current == NULL) { /* before it takes effect: the next cycle may be affected */
    sn__journal_life(component->cell, name);
  }
  const sn_status status = hook(component->cell, err);
  sn_system_release(system);
  return status;
}

sn_status sn_system_configure(sn_system *system, sn_component *component, sn_error *err) {
  return do_held(system, component, sn__cell_configure, "configure", err);
}

sn_status sn_system_start(sn_system *system, sn_component *component, sn_error *err) {
  sn_status status = do_held(system, component, sn__cell_start, "start", err);
  if (status == SN_OK && atomic_load(&system->is_begun)) {
    status = sn__cell_attend(component->cell, err);
    if (status != SN_OK) {
      (void)do_held(system, component, sn__cell_stop, "stop", NULL);
    }
  }
  return status;
}

sn_status sn_system_stop(sn_system *system, sn_component *component, sn_error *err) {
  sn_status status = sn__cell_leave(component->cell, err);
  if (status == SN_OK) {
    status = do_held(system, component, sn__cell_stop, "stop", err);
  }
  return status == SN_OK ? sn__cell_leave(component->cell, err) /* who came in between */ : status;
}

sn_status sn_system_cleanup(sn_system *system, sn_component *component, sn_error *err) {
  return do_held(system, component, sn__cell_cleanup, "cleanup", err);
}

sn_status sn_system_recover(sn_system *system, sn_component *component, sn_error *err) {
  return do_held(system, component, recover, "recover", err);
}
