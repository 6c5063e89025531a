#include "model/robot_model.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/fail.h"
#include "sinew/fault.h"

/* The whole state is one word, so every transition is one atomic operation: the phase in the lowest
   two bits, then the number of holds. Holds begin in phase READY only. */
enum { PHASE_UNCONFIGURED = 0, PHASE_CHANGING = 1, PHASE_READY = 2, PHASE_MASK = 3 };
#define HOLD_ONE ((uint64_t)1 << 2)

struct sn_robot_model {
  _Atomic uint64_t state;
  sn_arena arena;
  const sn_model *model; /* written only in phase CHANGING, read only in phase READY */
  const char *robot_file, *package_path;
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
  service->robot_file = service->package_path = NULL;
  *out = service;
  return SN_OK;
}

void sn__robot_model_destroy(sn_robot_model *service) {
  if (service != NULL) {
    SN_ASSERT(atomic_load(&service->state) < HOLD_ONE);
    sn_arena_release(&service->arena);
    free(service);
  }
}

/* Change from a phase to CHANGING if the model is not held. @return SN_EBUSY otherwise */
static sn_status begin_change(sn_robot_model *service, unsigned from) {
  uint64_t state = atomic_load(&service->state);
  while (phase_of(state) == from && state < HOLD_ONE) {
    if (atomic_compare_exchange_weak(&service->state, &state, PHASE_CHANGING)) {
      return SN_OK;
    }
  }
  return SN_EBUSY;
}

sn_status sn__robot_model_cleanup(sn_robot_model *service) {
  if (phase_of(atomic_load(&service->state)) == PHASE_UNCONFIGURED) {
    return SN_OK;
  }
  const sn_status status = begin_change(service, PHASE_READY);
  if (status != SN_OK) {
    return status;
  }
  service->model = NULL;
  sn_arena_release(&service->arena);
  atomic_store(&service->state, PHASE_UNCONFIGURED);
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
  atomic_store(&service->state, status == SN_OK ? PHASE_READY : PHASE_UNCONFIGURED);
  return status;
}

static const char *text_or_null(const char *text) {
  return text == NULL || *text == '\0' ? NULL : text;
}

void sn__robot_model_set_files(sn_robot_model *service, const char *robot_file,
                               const char *package_path) {
  service->robot_file = text_or_null(robot_file);
  service->package_path = text_or_null(package_path);
}

void sn__robot_model_files(const sn_robot_model *service, const char **robot_file,
                           const char **package_path) {
  *robot_file = service->robot_file;
  *package_path = service->package_path;
}

bool sn__robot_model_is_configured(const sn_robot_model *service) {
  return phase_of(atomic_load(&service->state)) == PHASE_READY;
}

/* Incrementing first and undoing it later would make configure and cleanup fail in between. A round
   fails only if another thread's succeeded. */
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
  SN_ASSERT(atomic_load(&service->state) >= HOLD_ONE);
  atomic_fetch_sub(&service->state, HOLD_ONE);
}
