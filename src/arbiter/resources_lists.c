/* The lists of resources_control: the controllers that exist. */
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
    return sn__fail(err, SN_EINVAL, "'%s' appears twice in the lists of controllers", name);
  }
  self->members[self->member_count] = (sn__member){
      .server = self,
      .index = (int)self->member_count,
      .name = name,
      .component = component,
      .writer = component != NULL ? component : sn_system_find(self->component.system, name)};
  self->member_count++;
  return SN_OK;
}

static sn_status add_local(sn__resources_control *self, const char *name, sn_error *err) {
  sn_component *component = sn_system_find(self->component.system, name);
  if (component == NULL) {
    return sn__fail(err, SN_ENOENT, "list_orocos: unknown component '%s'", name);
  }
  sn_status status = add_member(self, name, component, err);
  if (status == SN_OK) {
    sn_caller *release = &self->members[self->member_count - 1].release;
    char operation[160];
    snprintf(operation, sizeof operation, "%s.releaseResources", name);
    status = sn_caller_open(self->component.system, operation, release, NULL);
    if (status == SN_ENOENT) { /* the spelling of older systems */
      snprintf(operation, sizeof operation, "%s.releaseResosurces", name);
      status = sn_caller_open(self->component.system, operation, release, NULL);
    }
  }
  return status == SN_OK || status == SN_EINVAL
             ? status
             : sn__fail(err, SN_EINVAL, "list_orocos: '%s' (%s) has no operation releaseResources",
                        name, component->type->name);
}

void sn__members_close(sn__resources_control *self) {
  for (size_t i = 0; i < self->member_count; i++) {
    sn_caller_close(&self->members[i].release); /* nothing for an outside controller */
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
    status = sn__fail(err, SN_EINVAL, "no controllers");
  }
  if (status == SN_OK && self->member_count > SN_ARBITER_CONTROLLERS_MAX) {
    status = sn__fail(err, SN_ELIMIT, "%zu controllers, at most %d are allowed", self->member_count,
                      SN_ARBITER_CONTROLLERS_MAX);
  }
  return status;
}

bool sn__member_runs(const sn__member *m) {
  return m->component != NULL && sn_component_state_now(m->component) == SN_STATE_RUNNING;
}
