#include "sinew/controller.h"

#include <string.h>

#include "base/fail.h"
#include "sinew/arbiter_msg.h"

sn_status sn_controller_attach(sn_controller *controller, sn_component *component,
                               const sn_requester *arbiter, bool keep_subset,
                               const sn_consumer_hooks *hooks, sn_error *err) {
  const sn_resource_arbiter *iface = arbiter->iface;
  if (iface == NULL) {
    return sn__fail(err, SN_ENOTCONFIGURED, "nobody decides about limbs: connect '%s'",
                    SN_RESOURCE_ARBITER);
  }
  *controller = (sn_controller){.component = component, .keep_subset = keep_subset};
  if (hooks != NULL) {
    controller->hooks = *hooks;
  }
  return iface->attach(iface->context, controller, err);
}

bool sn_controller_has_joint(const sn_controller *controller, size_t joint) {
  const int resource = controller->map->resource_of_joint[joint];
  return resource >= 0 && sn_consumer_has(&controller->consumer, resource);
}

/* @return the empty set: the name means no resource */
static sn_resource_set find_one(const sn_resource_map *map, const sn_names *joints,
                                const char *name) {
  sn_resource_set set = sn_resource_set_none();
  int resource = sn_names_index(map->resources, name);
  const int alias = resource < 0 ? sn_names_index(map->aliases, name) : -1;
  const int joint = resource < 0 && alias < 0 ? sn_names_index(joints, name) : -1;
  if (joint >= 0) {
    resource = map->resource_of_joint[joint];
  }
  if (resource >= 0) {
    sn_resource_set_add(&set, (size_t)resource);
  }
  return alias >= 0 ? map->alias_sets[alias] : set;
}

sn_status sn_controller_find(const sn_controller *controller, const sn_names *joints,
                             const char *const *names, size_t count, sn_resource_set *set,
                             sn_error *err) {
  sn_resource_set found = sn_resource_set_none();
  for (size_t i = 0; i < count; i++) {
    const sn_resource_set one = find_one(controller->map, joints, names[i]);
    if (sn_resource_set_is_empty(&one)) {
      return sn__fail(err, SN_ENOENT,
                      "'%s' is not a resource, nor a chain, group or joint that belongs to one",
                      names[i]);
    }
    found = sn_resource_set_join(found, one);
  }
  *set = found;
  return SN_OK;
}

sn_controller *sn_controller_of(sn_component *component) {
  for (const sn_service *s = component->type->services; s != NULL && s->name != NULL; s++) {
    if (strcmp(s->name, SN_RESOURCE_CONSUMER) == 0) {
      return (sn_controller *)s->iface(component);
    }
  }
  return NULL;
}

/* The arbiter hears of it: what is let go here goes back to earlier owners. */
sn_status sn_controller_release(sn_component *component, const void *request, void *response,
                                sn_error *err) {
  sn_controller *controller = sn_controller_of(component);
  const sn_resource_request *msg = request;
  sn_call_outcome *outcome = response;
  if (controller == NULL || controller->map == NULL) {
    return sn__fail(err, SN_ENOTCONFIGURED, "%s is no controller yet", component->name);
  }
  sn_resource_set named;
  const sn_status status =
      sn_resource_set_from_msg(controller->map->resources, &msg->resources, &named, err);
  if (status != SN_OK) {
    return status;
  }
  const sn_resource_set held = sn_consumer_held(&controller->consumer);
  const sn_resource_set taken = sn_resource_set_common(held, named);
  if (!sn_resource_set_is_empty(&taken)) {
    sn_consumer_disown(&controller->consumer, controller->keep_subset ? &taken : &held);
  }
  outcome->success = true;
  (void)sn_msg_text_set(&outcome->message, ""); /* an empty text always fits */
  return SN_OK;
}
