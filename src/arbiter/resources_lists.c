/* The lists of resources_control: controllers that exist, resources and their joints. */
#include <stdio.h>
#include <string.h>

#include "arbiter/resources_control.h"
#include "base/fail.h"
#include "sinew/system.h"

sn__member *sn__member_find(const sn__resources_control *self, const char *name) {
  for (size_t i = 0; i < self->member_count; i++) {
    if (strcmp(self->members[i].name, name) == 0) {
      return &self->members[i];
    }
  }
  return NULL;
}

static bool needs_arbiter(const sn_component_type *type) {
  for (const sn_need *n = type->needs; n != NULL && n->name != NULL; n++) {
    if (n->interface != NULL && strcmp(n->interface, SN_RESOURCE_ARBITER) == 0) {
      return true;
    }
  }
  return false;
}

static sn_status add_member(sn__resources_control *self, const char *name, sn_component *component,
                            sn_error *err) {
  if (sn__member_find(self, name) != NULL) {
    return sn__fail(err, SN_EINVAL, "'%s' stands twice in the lists of controllers", name);
  }
  self->members[self->member_count] = (sn__member){
      .server = self,
      .index = (int)self->member_count,
      .name = name,
      .component = component,
      .voice = component != NULL ? component : sn_system_find(self->component.system, name)};
  self->member_count++;
  return SN_OK;
}

static sn_status add_local(sn__resources_control *self, const char *name, sn_error *err) {
  sn_component *component = sn_system_find(self->component.system, name);
  if (component == NULL) {
    return sn__fail(err, SN_ENOENT, "list_orocos: there is no component '%s'", name);
  }
  sn_status status = add_member(self, name, component, err);
  if (status == SN_OK) {
    char operation[160];
    snprintf(operation, sizeof operation, "%s.releaseResources", name);
    status = sn_caller_open(self->component.system, operation,
                            &self->members[self->member_count - 1].release, NULL);
  }
  return status == SN_OK || status == SN_EINVAL
             ? status
             : sn__fail(err, SN_EINVAL, "list_orocos: '%s' (%s) has no operation releaseResources",
                        name, component->type->name);
}

void sn__members_let_go(sn__resources_control *self) {
  for (size_t i = 0; i < self->member_count; i++) {
    sn_caller_close(&self->members[i].release); /* of one outside: nothing */
  }
  self->member_count = 0;
}

sn_status sn__members_add(sn__resources_control *self, sn_error *err) {
  sn_system *system = self->component.system;
  const size_t component_count = sn_system_component_count(system);
  self->member_count = 0;
  self->members = SN_NEW(sn_component_arena(&self->component), sn__member,
                         component_count + self->list_orocos.count + self->list_ros.count + 1);
  if (self->members == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for controllers");
  }
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < self->list_orocos.count; i++) {
    status = add_local(self, self->list_orocos.data[i], err);
  }
  for (size_t i = 0; self->list_orocos.count == 0 && status == SN_OK && i < component_count; i++) {
    sn_component *component = sn_system_component_at(system, i);
    if (needs_arbiter(component->type)) {
      status = add_local(self, component->name, err);
    }
  }
  for (size_t i = 0; status == SN_OK && i < self->list_ros.count; i++) {
    status = add_member(self, self->list_ros.data[i], NULL, err);
  }
  if (status == SN_OK && self->member_count == 0) {
    status = sn__fail(err, SN_EINVAL, "there is no controller to decide about");
  }
  return status;
}

/* The joints of a resource: of a chain those that it owns, of a group all of its own. */
static sn_status map_resource(sn__resources_control *self, int *of_joint, size_t resource,
                              const char *name, sn_error *err) {
  const sn_model *model = self->model;
  const int chain = sn_model_chain_index(model, name);
  const int group = sn_names_index(sn_model_group_names(model), name);
  if (chain < 0 && group < 0) {
    return sn__fail(err, SN_ENOENT, "resources: '%s' is no chain and no group of the robot", name);
  }
  for (size_t j = 0; j < self->map.joint_count; j++) {
    bool is_in = chain >= 0 && sn_model_joint(model, j)->chain == chain;
    const sn_group *g = group < 0 ? NULL : sn_model_group(model, (size_t)group);
    for (size_t k = 0; g != NULL && k < g->joint_count && !is_in; k++) {
      is_in = g->joints[k] == (int)j;
    }
    if (is_in && of_joint[j] >= 0) {
      return sn__fail(err, SN_EINVAL, "resources: joint '%s' is in '%s' and in an earlier one",
                      sn_model_joint(model, j)->name, name);
    }
    of_joint[j] = is_in ? (int)resource : of_joint[j];
  }
  return SN_OK;
}

/* All chains that own a joint: one that shares all of its joints with earlier ones moves nothing.
 */
static sn_status name_chains(sn__resources_control *self, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->component);
  const sn_names *chains = sn_model_chain_names(self->model);
  const char **names = SN_NEW(arena, const char *, sn_names_count(chains));
  if (names == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for resources");
  }
  size_t count = 0;
  for (size_t c = 0; c < sn_names_count(chains); c++) {
    bool owns_joint = false;
    for (size_t j = 0; j < self->map.joint_count && !owns_joint; j++) {
      owns_joint = sn_model_joint(self->model, j)->chain == (int)c;
    }
    if (owns_joint) {
      names[count++] = sn_names_at(chains, c);
    }
  }
  return sn_names_create(arena, names, count, &self->map.resources, err);
}

sn_status sn__resources_map(sn__resources_control *self, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->component);
  sn_status status = SN_OK;
  self->map.joint_count = sn_model_pose_size(self->model);
  if (self->resources.count == 0) {
    status = name_chains(self, err);
  } else {
    status = sn_names_create(arena, self->resources.data, self->resources.count,
                             &self->map.resources, err);
  }
  int *of_joint = SN_NEW(arena, int, self->map.joint_count);
  self->owners = sn_owners_create(arena, self->map.joint_count);
  if (status == SN_OK && (of_joint == NULL || self->owners == NULL)) {
    status = sn__fail(err, SN_ENOMEM, "no memory for resources");
  }
  for (size_t j = 0; status == SN_OK && j < self->map.joint_count; j++) {
    of_joint[j] = -1;
  }
  const size_t count = status == SN_OK ? sn_names_count(self->map.resources) : 0;
  for (size_t i = 0; status == SN_OK && i < count; i++) {
    status = map_resource(self, of_joint, i, sn_names_at(self->map.resources, i), err);
  }
  self->map.resource_of_joint = of_joint;
  return status;
}

bool sn__member_runs(const sn__member *m) {
  return m->component != NULL && sn_component_state_now(m->component) == SN_STATE_RUNNING;
}
