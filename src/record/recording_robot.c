/* The name of the robot, for the note about the system. */
#include <stdio.h>
#include <string.h>

#include "model/robot_model.h"
#include "record/recording.h"
#include "sinew/components.h"

static const sn_service *service_of(const sn_component *component) {
  const sn_service *service = component->type->services;
  while (service != NULL && service->name != NULL && strcmp(service->name, SN_ROBOT_MODEL) != 0) {
    service++;
  }
  return service != NULL && service->name != NULL ? service : NULL;
}

/* The interface is const to its user, but holding the model changes a counter in it. */
static sn_robot_model *model_of(const sn_service *service, sn_component *component) {
  union {
    const void *iface;
    sn_robot_model *model;
  } both = {.iface = service->iface(component)};
  return both.model;
}

void sn__recording_find_robot(sn_system *system, char *name, size_t size) {
  name[0] = '\0';
  sn_system_hold(system); /* keeps components from being removed */
  for (size_t i = 0; name[0] == '\0' && i < sn_system_component_count(system); i++) {
    sn_component *component = sn_system_component_at(system, i);
    const sn_service *service = service_of(component);
    sn_robot_model *robot = service == NULL ? NULL : model_of(service, component);
    const sn_model *model = robot == NULL ? NULL : sn__robot_model_hold(robot);
    if (model != NULL) {
      snprintf(name, size, "%s", sn_model_name(model));
      sn__robot_model_release(robot);
    }
  }
  sn_system_release(system);
}
