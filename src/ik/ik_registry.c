#include "base/fail.h"
#include "ik/solvers.h"
#include "sinew/fault.h"
#include "sinew/ik_solver.h"

void sn_ik_registry_init(sn_ik_registry *registry) {
  *registry = (sn_ik_registry){
      .solvers = {&sn__ik_auto, &sn__ik_analytic, &sn__ik_numeric, &sn__ik_whole_body}, .count = 4};
}

/* Accept whole_body as well as whole-body. */
static bool is_same_name(const char *a, const char *b) {
  for (; *a != '\0' && *b != '\0'; a++, b++) {
    if (*a != *b && !((*a == '-' || *a == '_') && (*b == '-' || *b == '_'))) {
      return false;
    }
  }
  return *a == *b;
}

sn_status sn_ik_registry_add(sn_ik_registry *registry, const sn_ik_solver *solver, sn_error *err) {
  /* The ABI number is the first member, so it can be read whatever the rest of the structure is.
   */
  if (solver->abi != SN_IK_ABI) {
    return sn__fail(err, SN_EINVAL,
                    "ik: the solver was built for interface %u, this library has %u: rebuild it",
                    solver->abi, (unsigned)SN_IK_ABI);
  }
  if (solver->name == NULL || solver->name[0] == '\0') {
    return sn__fail(err, SN_EINVAL, "ik: the solver has no name");
  }
  if (solver->supports == NULL || solver->create == NULL || solver->solve == NULL) {
    return sn__fail(err, SN_EINVAL, "ik: solver '%s' lacks supports, create or solve",
                    solver->name);
  }
  if (sn_ik_registry_find(registry, solver->name) != NULL) {
    return sn__fail(err, SN_EINVAL, "ik: solver '%s' already exists", solver->name);
  }
  if (registry->count == SN_IK_SOLVERS_MAX) {
    return sn__fail(err, SN_ELIMIT, "ik: no room for solver '%s', there are %d already",
                    solver->name, SN_IK_SOLVERS_MAX);
  }
  registry->solvers[registry->count++] = solver;
  return SN_OK;
}

const sn_ik_solver *sn_ik_registry_find(const sn_ik_registry *registry, const char *name) {
  for (size_t i = 0; i < registry->count; i++) {
    if (is_same_name(registry->solvers[i]->name, name)) {
      return registry->solvers[i];
    }
  }
  return NULL;
}

size_t sn_ik_registry_count(const sn_ik_registry *registry) {
  return registry->count;
}

const sn_ik_solver *sn_ik_registry_at(const sn_ik_registry *registry, size_t index) {
  SN_ASSERT(index < registry->count);
  return registry->solvers[index];
}
