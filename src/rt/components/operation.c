/* Calling an operation in the thread of its component. */
#include <string.h>

#include "base/fail.h"
#include "rt/component_runtime.h"
#include "rt/futex.h"
#include "rt/journal/journal.h"
#include "sinew/fault.h"
#include "sinew/tap.h"

static void run_call(sn__job *job) {
  sn__call *call = (sn__call *)job;
  const sn__operation *operation = call->operation;
  call->error.message[0] = '\0';
  if (sn__runtime_state(operation->runtime) != SN_STATE_RUNNING) {
    call->status = SN_ESTOPPED;
    return;
  }
  if (call->is_outside) {
    sn__journal_call(operation->runtime, operation->spec, call->request);
  }
  call->status = operation->spec->run(operation->runtime->component, call->request, call->response,
                                      &call->error);
}

static bool create_copier(sn_arena *arena, const sn_msg_type *type, const sn_msg_copier **out) {
  if (type != NULL) {
    *out = sn__msg_copier_create(arena, type);
  }
  return type == NULL || *out != NULL;
}

sn__operation *sn__operation_create(sn__component_runtime *runtime, const sn_operation *spec) {
  sn__operation *operation = SN_NEW(&runtime->arena, sn__operation, 1);
  if (operation == NULL) {
    return NULL;
  }
  operation->runtime = runtime;
  operation->spec = spec;
  for (size_t i = 0; i < SN__CALLS_MAX; i++) {
    sn__call *call = &operation->calls[i];
    call->job.run = run_call;
    call->operation = operation;
    sn_arena_init_growing(&call->arena, "call", 64);
  }
  const bool is_good = create_copier(&runtime->arena, spec->request, &operation->request_copier) &&
                       create_copier(&runtime->arena, spec->response, &operation->response_copier);
  return is_good ? operation : NULL;
}

void sn__operation_dispose(sn__operation *operation) {
  for (size_t i = 0; operation != NULL && i < SN__CALLS_MAX; i++) {
    sn_arena_release(&operation->calls[i].arena);
  }
}

/* The caller has claimed it. */
static bool make_ready(sn__call *call) {
  const sn_operation *spec = call->operation->spec;
  const sn_msg_capacity *capacity = &call->operation->runtime->system->config.capacity;
  if (spec->request != NULL) {
    call->request = sn_msg_create(&call->arena, spec->request, capacity);
  }
  if (spec->response != NULL) {
    call->response = sn_msg_create(&call->arena, spec->response, capacity);
  }
  call->is_ready = (spec->request == NULL || call->request != NULL) &&
                   (spec->response == NULL || call->response != NULL);
  if (!call->is_ready) {
    sn_arena_release(&call->arena);
  }
  return call->is_ready;
}

bool sn__operation_reserve(sn__operation *operation) {
  if (operation->reserved_count == SN__CALLS_MAX) {
    return true;
  }
  sn__call *call = &operation->calls[operation->reserved_count++];
  if (!sn__job_claim(&call->job)) {
    return true; /* in use, so it is ready */
  }
  const bool is_ready = call->is_ready || make_ready(call);
  sn__job_free(&call->job);
  return is_ready;
}

static sn_status fail_at(const sn_caller *caller, sn_status status, sn_error *err) {
  return sn__fail(err, status, "%s.%s: %s", caller->component->name, caller->own_thread->spec->name,
                  sn_status_text(status));
}

/* Within a cycle memory cannot be allocated: such a caller needs a copy that is ready. Others
   search from the end, so that they take the reserved ones last. */
static sn__call *claim(sn__operation *operation, bool is_outside) {
  for (size_t i = 0; i < SN__CALLS_MAX; i++) {
    sn__call *call = &operation->calls[is_outside ? SN__CALLS_MAX - 1 - i : i];
    if (!sn__job_claim(&call->job)) {
      continue;
    }
    if (call->is_ready || (is_outside && make_ready(call))) {
      call->is_outside = is_outside;
      return call;
    }
    sn__job_free(&call->job);
  }
  return NULL;
}

static sn_status copy(const sn_msg_copier *copier, void *to, const void *from) {
  return copier == NULL ? SN_OK : sn__msg_copier_copy(copier, to, from);
}

/* Does the thread that we are going to wait for wait, directly or through others, for us? Every
   thread publishes whom it waits for before it checks, so that in a loop of threads at least the
   last one sees all others. */
static bool closes_ring(const sn_activity *self, const sn_activity *owner) {
  const sn_activity *at = owner;
  for (size_t i = 0; at != NULL && i <= self->system->activity_count; i++) {
    if (at == self) {
      return true;
    }
    at = atomic_load(&at->waits_for);
  }
  return false;
}

/* The outcome of a call that was pushed. */
static sn_status finish(const sn_caller *caller, sn__call *call, void *response, sn_error *err) {
  if (!sn__job_wait(&call->job, sn__real_now_ns() + caller->timeout_ns)) {
    return fail_at(caller, SN_ETIMEDOUT, err);
  }
  sn_status status = call->status;
  if (status != SN_OK) {
    *err = call->error;
    if (err->message[0] == '\0') {
      (void)fail_at(caller, status, err);
    }
    err->code = status;
  } else if (copy(caller->own_thread->response_copier, response, call->response) != SN_OK) {
    status = sn__fail(err, SN_ENOSPC, "%s.%s: the answer does not fit", caller->component->name,
                      caller->own_thread->spec->name);
  }
  sn__job_free(&call->job);
  return status;
}

static sn_status send_and_wait(const sn_caller *caller, const void *request, void *response,
                               sn_error *err) {
  sn__operation *operation = caller->own_thread;
  sn_activity *owner = operation->runtime->activity;
  sn__call *call = claim(operation, sn__activity_current == NULL);
  if (call == NULL) {
    return fail_at(caller, SN_EBUSY, err);
  }
  if (copy(operation->request_copier, call->request, request) != SN_OK) {
    sn__job_free(&call->job);
    return sn__fail(err, SN_ENOSPC, "%s.%s: the request does not fit", caller->component->name,
                    operation->spec->name);
  }
  sn__jobs_push(&operation->runtime->jobs, &call->job);
  sn__activity_notify(owner);
  /* The activity may have ended just before; then no thread reads the queue any more. */
  if (!atomic_load(&owner->is_live) && sn__job_cancel(&call->job)) {
    return fail_at(caller, SN_ESTOPPED, err);
  }
  return finish(caller, call, response, err);
}

/* Runs in the thread of the component, or in the caller's while the component is not stepped. */
static sn_status run_here(const sn_caller *caller, const void *request, void *response,
                          sn_error *err) {
  err->message[0] = '\0';
  const sn_status status = caller->run(caller->component, request, response, err);
  if (status != SN_OK && err->message[0] == '\0') {
    (void)fail_at(caller, status, err);
  }
  return status;
}

static sn_status run_instead(const sn_caller *caller, const void *request, void *response,
                             sn_error *err) {
  sn_system *system = caller->component->system;
  sn_system_hold(system);
  sn_activity *owner = caller->own_thread->runtime->activity;
  const bool is_live = owner != NULL && atomic_load(&owner->is_live);
  if (!is_live && owner != NULL) {
    sn__activity_look_at_stop(owner); /* the journal has what the operation knows of the stop */
  }
  if (!is_live && sn__activity_current == NULL) {
    sn__journal_call(caller->own_thread->runtime, caller->own_thread->spec, request);
  }
  const sn_status status = is_live ? SN_EBUSY : run_here(caller, request, response, err);
  sn_system_release(system);
  return is_live ? send_and_wait(caller, request, response, err) : status;
}

sn_status sn__call_own_thread(const sn_caller *caller, const void *request, void *response,
                              sn_error *err) {
  if (caller->own_thread == NULL) {
    if (sn__activity_current == NULL && (caller->operation->flags & SN_IN_PARTS) == 0) {
      sn__journal_call(caller->component->runtime, caller->operation, request);
    }
    return caller->run(caller->component, request, response, err);
  }
  const sn__component_runtime *runtime = caller->own_thread->runtime;
  sn_activity *self = sn__activity_current;
  sn_activity *owner = runtime->activity;
  if (sn__runtime_state(runtime) != SN_STATE_RUNNING) {
    return fail_at(caller, SN_ESTOPPED, err);
  }
  if (owner != NULL && owner == self) {
    return run_here(caller, request, response, err);
  }
  if (owner == NULL || !atomic_load(&owner->is_live)) {
    return run_instead(caller, request, response, err);
  }
  if (self == NULL) {
    return send_and_wait(caller, request, response, err);
  }
  atomic_store(&self->waits_for, owner);
  const sn_status status = closes_ring(self, owner) ? fail_at(caller, SN_EDEADLOCK, err)
                                                    : send_and_wait(caller, request, response, err);
  atomic_store(&self->waits_for, NULL);
  return status;
}

sn_status sn_caller_post(const sn_caller *caller, const void *request, sn_error *err) {
  sn__operation *operation = caller->own_thread;
  if (operation == NULL) {
    return caller->operation->response != NULL
               ? sn__fail(err, SN_EINVAL, "%s.%s: its response would be lost",
                          caller->component->name, caller->operation->name)
               : caller->run(caller->component, request, NULL, err);
  }
  sn__call *call = claim(operation, true);
  if (call == NULL) {
    return fail_at(caller, SN_EBUSY, err);
  }
  if (copy(operation->request_copier, call->request, request) != SN_OK) {
    sn__job_free(&call->job);
    return sn__fail(err, SN_ENOSPC, "%s.%s: the request does not fit", caller->component->name,
                    operation->spec->name);
  }
  call->job.is_posted = true;
  sn__jobs_push(&operation->runtime->jobs, &call->job);
  if (operation->runtime->activity != NULL) {
    sn__activity_notify(operation->runtime->activity);
  }
  return SN_OK;
}
