/* Connecting the needs of components to their providers. */
#include <string.h>

#include "base/fail.h"
#include "rt/component_runtime.h"
#include "rt/system_internal.h"

typedef struct open_need {
  sn__component_runtime *runtime;
  size_t index;
  const sn_need *need;
} open_need;

static sn_status find_need(const sn_system *system, const char *path, open_need *out,
                           sn_error *err) {
  const char *dot = strrchr(path, '.');
  sn__component_runtime *runtime =
      dot == NULL ? NULL : sn__system_find_part(system, path, (size_t)(dot - path));
  if (runtime == NULL) {
    return sn__fail(err, SN_ENOENT, "'%s': unknown component", path);
  }
  const sn_need *needs = runtime->component->type->needs;
  for (size_t i = 0; needs != NULL && needs[i].name != NULL; i++) {
    if (strcmp(needs[i].name, dot + 1) == 0) {
      *out = (open_need){runtime, i, &needs[i]};
      return SN_OK;
    }
  }
  return sn__fail(err, SN_ENOENT, "component '%s' (%s) has no need '%s'", runtime->component->name,
                  runtime->component->type->name, dot + 1);
}

static bool offers(const sn_component_type *type, const char *interface) {
  for (const sn_service *s = type->services; s != NULL && s->name != NULL; s++) {
    if (strcmp(s->name, interface) == 0) {
      return true;
    }
  }
  return false;
}

static sn_status satisfy_by_service(const open_need *open, sn__component_runtime *peer,
                                    sn_error *err) {
  if (!offers(peer->component->type, open->need->interface)) {
    return sn__fail(err, SN_EINVAL, "component '%s' (%s) has no service '%s'",
                    peer->component->name, peer->component->type->name, open->need->interface);
  }
  sn_requester *requester = sn__member(open->runtime, open->need->offset);
  requester->peer = peer->component;
  return SN_OK;
}

static sn_status satisfy_by_operation(const open_need *open, const sn_operation *operation,
                                      sn__component_runtime *peer, sn_error *err) {
  if (operation->request != open->need->request || operation->response != open->need->response) {
    return sn__fail(err, SN_EINVAL, "operation '%s.%s' has other arguments than '%s.%s' needs",
                    peer->component->name, operation->name, open->runtime->component->name,
                    open->need->name);
  }
  sn_caller *caller = sn__member(open->runtime, open->need->offset);
  sn__operation *own_thread = peer->operations[operation - peer->component->type->operations];
  if (own_thread != NULL && !sn__operation_reserve(own_thread)) {
    return sn__fail(err, SN_ENOMEM, "no memory to call '%s.%s'", peer->component->name,
                    operation->name);
  }
  *caller = (sn_caller){
      .run = operation->run,
      .component = peer->component,
      .operation = operation,
      .own_thread = own_thread,
      .timeout_ns = SN_CALL_TIMEOUT_NS,
  };
  return SN_OK;
}

/* The peer is `component`, or `component.operation` where the operation has another name. */
static sn_status satisfy(const sn_system *system, const open_need *open, const char *peer,
                         sn__component_runtime **provider, sn_error *err) {
  const sn_need *need = open->need;
  const char *operation_name = need->operation;
  sn__component_runtime *runtime = sn__system_find_part(system, peer, strlen(peer));
  const char *dot = strrchr(peer, '.');
  if (runtime == NULL && dot != NULL && need->interface == NULL) {
    runtime = sn__system_find_part(system, peer, (size_t)(dot - peer));
    operation_name = dot + 1;
  }
  if (runtime == NULL) {
    return sn__fail(err, SN_ENOENT, "unknown component '%s'", peer);
  }
  *provider = runtime;
  if (need->interface != NULL) {
    return satisfy_by_service(open, runtime, err);
  }
  const sn_operation *operation = sn__operation_find(runtime->component->type, operation_name);
  return operation == NULL
             ? sn__fail(err, SN_ENOENT, "component '%s' (%s) has no operation '%s'",
                        runtime->component->name, runtime->component->type->name, operation_name)
             : satisfy_by_operation(open, operation, runtime, err);
}

sn_status sn__system_require(sn_system *system, const char *need, const char *peer, sn_error *err) {
  open_need open = {0};
  sn__component_runtime *provider = NULL;
  sn_system_hold(system);
  sn_status status = find_need(system, need, &open, err);
  if (status == SN_OK && open.runtime->providers[open.index] != NULL) {
    status = sn__fail(err, SN_EINVAL, "'%s' is already connected to '%s'", need,
                      open.runtime->providers[open.index]->component->name);
  }
  if (status == SN_OK && sn__runtime_state(open.runtime) != SN_STATE_UNCONFIGURED) {
    status = sn__fail(err, SN_EBUSY, "'%s' is configured: its needs cannot change",
                      open.runtime->component->name);
  }
  if (status == SN_OK) {
    status = satisfy(system, &open, peer, &provider, err);
  }
  if (status == SN_OK) {
    open.runtime->providers[open.index] = provider;
    provider->holders++;
  }
  sn_system_release(system);
  return status;
}
