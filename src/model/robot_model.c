#include "model/robot_model.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "base/fail.h"
#include "model/groups.h"
#include "sinew/fault.h"

/* The whole state is one word, so every transition is one atomic operation: the phase in the lowest
 * two bits, then the number of holds, then the number of running queries. Holds begin in phase
 * READY only. A query that incremented its count too late decrements it at once. */
enum { PHASE_UNCONFIGURED = 0, PHASE_CHANGING = 1, PHASE_READY = 2, PHASE_MASK = 3 };
#define HOLD_ONE ((uint64_t)1 << 2)
#define HOLD_MASK (((uint64_t)1 << 32) - HOLD_ONE)
#define QUERY_ONE ((uint64_t)1 << 32)

struct sn_robot_model {
  _Atomic uint64_t state;
  sn_arena arena;
  const sn_model *model; /* written only in phase CHANGING, read only in phase READY */
};

static unsigned phase_of(uint64_t state) {
  return (unsigned)(state & PHASE_MASK);
}

sn_status sn__robot_model_create(sn_robot_model **out, sn_error *err) {
  sn_robot_model *service = malloc(sizeof *service);
  if (service == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the robot model");
  }
  atomic_init(&service->state, PHASE_UNCONFIGURED);
  sn_arena_init_growing(&service->arena, "robot model", 64 * 1024);
  service->model = NULL;
  *out = service;
  return SN_OK;
}

void sn__robot_model_destroy(sn_robot_model *service) {
  if (service != NULL) {
    SN_ASSERT((atomic_load(&service->state) & ~(uint64_t)PHASE_MASK) == 0);
    sn_arena_release(&service->arena);
    free(service);
  }
}

/* Begin a query if the model is configured. */
static const sn_model *enter(sn_robot_model *service) {
  if (phase_of(atomic_load(&service->state)) != PHASE_READY) {
    return NULL;
  }
  if (phase_of(atomic_fetch_add(&service->state, QUERY_ONE)) != PHASE_READY) {
    atomic_fetch_sub(&service->state, QUERY_ONE); /* it was cleaned up between the two */
    return NULL;
  }
  return service->model;
}

static void leave(sn_robot_model *service) {
  atomic_fetch_sub(&service->state, QUERY_ONE);
}

/* Change from a phase to CHANGING if the model is not held. @return SN_EBUSY otherwise */
static sn_status begin_change(sn_robot_model *service, unsigned from) {
  uint64_t state = atomic_load(&service->state);
  while (phase_of(state) == from && (state & HOLD_MASK) == 0) {
    const uint64_t changing = (state & ~(uint64_t)PHASE_MASK) | PHASE_CHANGING;
    if (atomic_compare_exchange_weak(&service->state, &state, changing)) {
      return SN_OK;
    }
  }
  return SN_EBUSY;
}

static void end_change(sn_robot_model *service, unsigned to) {
  atomic_fetch_add(&service->state, (uint64_t)to - PHASE_CHANGING); /* counts stay as they are */
}

sn_status sn__robot_model_cleanup(sn_robot_model *service) {
  if (phase_of(atomic_load(&service->state)) == PHASE_UNCONFIGURED) {
    return SN_OK;
  }
  const sn_status status = begin_change(service, PHASE_READY);
  if (status != SN_OK) {
    return status;
  }
  /* Queries that entered before are short and never wait, so this ends. */
  while (atomic_load(&service->state) >= QUERY_ONE) {
    thrd_yield();
  }
  service->model = NULL;
  sn_arena_release(&service->arena);
  end_change(service, PHASE_UNCONFIGURED);
  return SN_OK;
}

sn_status sn__robot_model_configure(sn_robot_model *service, const char *robot_description,
                                    size_t size, const sn_model_config *config, sn_report *report,
                                    sn_error *err) {
  if (sn__robot_model_cleanup(service) != SN_OK ||
      begin_change(service, PHASE_UNCONFIGURED) != SN_OK) {
    return sn__fail(err, SN_EBUSY, "robot_model: the current model is in use");
  }
  const sn_status status = sn_model_parse(&service->arena, robot_description, size, config, report,
                                          &service->model, err);
  end_change(service, status == SN_OK ? PHASE_READY : PHASE_UNCONFIGURED);
  return status;
}

bool sn__robot_model_is_configured(const sn_robot_model *service) {
  return phase_of(atomic_load(&service->state)) == PHASE_READY;
}

/* Unlike a query, this does not increment first and undo later: in between, configure and cleanup
 * would see a hold and fail. A round fails only if another thread's succeeded. */
const sn_model *sn__robot_model_hold(sn_robot_model *service) {
  uint64_t state = atomic_load(&service->state);
  while (phase_of(state) == PHASE_READY) {
    if (atomic_compare_exchange_weak(&service->state, &state, state + HOLD_ONE)) {
      return service->model;
    }
  }
  return NULL;
}

void sn__robot_model_release(sn_robot_model *service) {
  SN_ASSERT((atomic_load(&service->state) & HOLD_MASK) != 0);
  atomic_fetch_sub(&service->state, HOLD_ONE);
}

static sn_status copy_bytes(const char *text, size_t length, char *out, size_t size) {
  if (length >= size) {
    return SN_ENOSPC;
  }
  memcpy(out, text, length + 1);
  return SN_OK;
}

static sn_status copy_text(const char *text, char *out, size_t size) {
  return copy_bytes(text, strlen(text), out, size);
}

/* Copy names by index; all or nothing. */
typedef const char *name_at(const sn_model *model, const void *source, size_t index);

static sn_status copy_names(const sn_model *model, name_at *at, const void *source, size_t count,
                            sn_name_list *list) {
  size_t needed = 0;
  for (size_t i = 0; i < count; i++) {
    needed += strlen(at(model, source, i)) + 1;
  }
  if (needed > list->text_size) {
    return SN_ENOSPC;
  }
  char *out = list->text;
  for (size_t i = 0; i < count; i++) {
    const char *name = at(model, source, i);
    const size_t length = strlen(name) + 1;
    memcpy(out, name, length);
    out += length;
  }
  list->count = count;
  return SN_OK;
}

static const char *name_in_table(const sn_model *model, const void *source, size_t index) {
  (void)model;
  return sn_names_at(source, index);
}

static const char *name_of_chain_joint(const sn_model *model, const void *source, size_t index) {
  const int *joints = source;
  return sn_names_at(sn_model_joint_names(model), (size_t)joints[index]);
}

static const char *name_of_chain(const sn_model *model, const void *source, size_t index) {
  const int *chains = source;
  return sn_names_at(sn_model_chain_names(model), (size_t)chains[index]);
}

sn_status sn__robot_model_joint_index(sn_robot_model *service, const char *joint, int *index) {
  const sn_model *model = enter(service);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  *index = sn_model_joint_index(model, joint);
  leave(service);
  return SN_OK;
}

sn_status sn__robot_model_chain_index(sn_robot_model *service, const char *chain, int *index) {
  const sn_model *model = enter(service);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  *index = sn_model_chain_index(model, chain);
  leave(service);
  return SN_OK;
}

static sn_status list_table(sn_robot_model *service, const sn_names *table(const sn_model *),
                            sn_name_list *list) {
  const sn_model *model = enter(service);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  const sn_names *names = table(model);
  const sn_status status = copy_names(model, name_in_table, names, sn_names_count(names), list);
  leave(service);
  return status;
}

sn_status sn__robot_model_list_chains(sn_robot_model *service, sn_name_list *list) {
  return list_table(service, sn_model_chain_names, list);
}

sn_status sn__robot_model_list_joints(sn_robot_model *service, sn_name_list *list) {
  return list_table(service, sn_model_joint_names, list);
}

sn_status sn__robot_model_list_contacts(sn_robot_model *service, sn_name_list *list) {
  return list_table(service, sn_model_contact_names, list);
}

/* Queries about one chain. */
typedef sn_status chain_query(const sn_model *model, size_t chain, void *context);

static sn_status ask_chain(sn_robot_model *service, const char *name, chain_query *query,
                           void *context) {
  const sn_model *model = enter(service);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  const int chain = sn_model_chain_index(model, name);
  const sn_status status = chain < 0 ? SN_ENOENT : query(model, (size_t)chain, context);
  leave(service);
  return status;
}

static sn_status query_joints(const sn_model *model, size_t chain, void *context) {
  size_t count = 0;
  const int *joints = sn_model_chain_joints(model, chain, &count);
  return copy_names(model, name_of_chain_joint, joints, count, context);
}

sn_status sn__robot_model_chain_joints(sn_robot_model *service, const char *chain,
                                       sn_name_list *list) {
  return ask_chain(service, chain, query_joints, list);
}

typedef struct text_query {
  const char *key;
  char *text;
  size_t size;
} text_query;

static sn_status query_default_contact(const sn_model *model, size_t chain, void *context) {
  const text_query *q = context;
  const int contact = sn_model_chain_default_contact(model, chain);
  const char *name = contact < 0 ? "" : sn_model_contact(model, (size_t)contact)->name;
  return copy_text(name, q->text, q->size);
}

static sn_status query_property(const sn_model *model, size_t chain, void *context) {
  const text_query *q = context;
  const char *value = sn_model_chain_property(model, chain, q->key);
  return value == NULL ? SN_ENOENT : copy_text(value, q->text, q->size);
}

sn_status sn__robot_model_chain_default_contact(sn_robot_model *service, const char *chain,
                                                char *text, size_t size) {
  return ask_chain(service, chain, query_default_contact, &(text_query){NULL, text, size});
}

sn_status sn__robot_model_chain_property(sn_robot_model *service, const char *chain,
                                         const char *key, char *text, size_t size) {
  return ask_chain(service, chain, query_property, &(text_query){key, text, size});
}

sn_status sn__robot_model_joints_chains(sn_robot_model *service, const char *const *joints,
                                        size_t joint_count, sn_name_list *list) {
  const sn_model *model = enter(service);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  int chains[SN_CHAINS_MAX];
  size_t count = 0;
  sn_status status =
      sn__model_joints_chains(model, joints, joint_count, chains, SN_CHAINS_MAX, &count);
  if (status == SN_OK) {
    status = copy_names(model, name_of_chain, chains, count, list);
  }
  leave(service);
  return status;
}

sn_status sn__robot_model_joint_chain(sn_robot_model *service, const char *joint, char *text,
                                      size_t size) {
  const sn_model *model = enter(service);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  const int index = sn_model_joint_index(model, joint);
  const int chain = index < 0 ? -1 : sn_model_joint(model, (size_t)index)->chain;
  const sn_status status = copy_text(chain < 0 ? "" : name_of_chain(model, &chain, 0), text, size);
  leave(service);
  return status;
}

sn_status sn__robot_model_description(sn_robot_model *service, char *text, size_t size) {
  const sn_model *model = enter(service);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  size_t length = 0; /* UTF-16 text contains NULs */
  const char *description = sn_model_description(model, &length);
  const sn_status status = copy_bytes(description, length, text, size);
  leave(service);
  return status;
}

sn_status sn__robot_model_add_contact_points(sn_robot_model *service, const char *contact,
                                             sn_point_buffer *buffer, int *appended) {
  const sn_model *model = enter(service);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  const size_t count_before = buffer->count;
  const sn_status status = sn_model_add_contact_points(model, contact, buffer);
  leave(service);
  if (status == SN_ENOSPC) {
    return SN_ENOSPC;
  }
  *appended = status == SN_OK ? (int)(buffer->count - count_before) : -1;
  return SN_OK;
}
