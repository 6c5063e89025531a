#include "rt/component_runtime.h"

#include <stdlib.h>
#include <string.h>

#include "rt/components/property_access.h"
#include "rt/journal/journal.h"

const sn_port *sn__port_find(const sn_component_type *type, const char *name) {
  for (const sn_port *port = type->ports; port != NULL && port->name != NULL; port++) {
    if (strcmp(port->name, name) == 0) {
      return port;
    }
  }
  return NULL;
}

const sn_operation *sn__operation_find(const sn_component_type *type, const char *name) {
  for (const sn_operation *o = type->operations; o != NULL && o->name != NULL; o++) {
    if (strcmp(o->name, name) == 0) {
      return o;
    }
  }
  return NULL;
}

static size_t count_ports(const sn_component_type *type) {
  size_t count = 0;
  while (type->ports != NULL && type->ports[count].name != NULL) {
    count++;
  }
  return count;
}

static size_t count_operations(const sn_component_type *type) {
  size_t count = 0;
  while (type->operations != NULL && type->operations[count].name != NULL) {
    count++;
  }
  return count;
}

static size_t count_needs(const sn_component_type *type) {
  size_t count = 0;
  while (type->needs != NULL && type->needs[count].name != NULL) {
    count++;
  }
  return count;
}

static size_t count_properties(const sn_component_type *type) {
  size_t count = 0;
  while (type->properties != NULL && type->properties[count].name != NULL) {
    count++;
  }
  return count;
}

static sn_msg_capacity choose_capacity(sn_msg_capacity own, sn_msg_capacity common) {
  return (sn_msg_capacity){
      .item_count = own.item_count > 0 ? own.item_count : common.item_count,
      .text_size = own.text_size > 0 ? own.text_size : common.text_size,
  };
}

static bool create_output(sn__component_runtime *runtime, size_t index) {
  const sn_port *port = &runtime->component->type->ports[index];
  sn_output *output = sn__member(runtime, port->offset);
  sn__output *inner = SN_NEW(&runtime->arena, sn__output, 1);
  if (inner == NULL) {
    return false;
  }
  *inner = (sn__output){
      .runtime = runtime,
      .port = port,
      .checker = sn__msg_checker_create(&runtime->arena, port->type),
      .copier = sn__msg_copier_create(&runtime->arena, port->type),
      .capacity = choose_capacity(port->capacity, runtime->system->config.capacity),
  };
  output->inner = inner;
  output->msg = sn_msg_create(&runtime->arena, port->type, &inner->capacity);
  runtime->outputs[index] = inner;
  return inner->checker != NULL && inner->copier != NULL && output->msg != NULL;
}

static bool create_ports(sn__component_runtime *runtime) {
  const sn_component_type *type = runtime->component->type;
  const size_t count = count_ports(type);
  runtime->outputs = SN_NEW(&runtime->arena, sn__output *, count);
  for (size_t i = 0; runtime->outputs != NULL && i < count; i++) {
    runtime->has_events |= (type->ports[i].flags & SN_PORT_EVENT) != 0;
    if (type->ports[i].kind == SN_PORT_OUT && !create_output(runtime, i)) {
      return false;
    }
  }
  return runtime->outputs != NULL;
}

static bool create_operations(sn__component_runtime *runtime) {
  const sn_component_type *type = runtime->component->type;
  const size_t count = count_operations(type);
  runtime->operations = SN_NEW(&runtime->arena, sn__operation *, count);
  for (size_t i = 0; runtime->operations != NULL && i < count; i++) {
    if ((type->operations[i].flags & SN_OWN_THREAD) != 0) {
      runtime->operations[i] = sn__operation_create(runtime, &type->operations[i]);
      if (runtime->operations[i] == NULL) {
        return false;
      }
    }
  }
  return runtime->operations != NULL;
}

static bool create_properties(sn__component_runtime *runtime) {
  const sn_component_type *type = runtime->component->type;
  const size_t count = count_properties(type);
  runtime->property_arenas = SN_NEW(&runtime->arena, sn_arena, count);
  runtime->property_changes = SN_NEW(&runtime->arena, uint64_t, count);
  for (size_t i = 0; runtime->property_arenas != NULL && i < count; i++) {
    sn_arena_init_growing(&runtime->property_arenas[i], "property", 256);
  }
  return runtime->property_arenas != NULL && runtime->property_changes != NULL &&
         (type->properties == NULL ||
          sn__property_init_values(type->properties, runtime->component, &runtime->arena) == SN_OK);
}

sn__component_runtime *sn__runtime_create(sn_system *system, const sn_component_type *type,
                                          const char *name) {
  sn__component_runtime *runtime = aligned_alloc(alignof(sn__component_runtime), sizeof *runtime);
  if (runtime == NULL) {
    return NULL;
  }
  memset(runtime, 0, sizeof *runtime);
  runtime->system = system;
  sn_arena_init_growing(&runtime->arena, "component", 0);
  sn_arena_init_growing(&runtime->config_arena, "configuration", 0);
  sn__jobs_init(&runtime->jobs);
  runtime->component = sn_arena_alloc(&runtime->arena, type->size, 64);
  char *copy = sn_arena_text(&runtime->arena, name, strlen(name));
  runtime->providers = SN_NEW(&runtime->arena, sn__component_runtime *, count_needs(type));
  if (runtime->component == NULL || copy == NULL || runtime->providers == NULL) {
    sn__runtime_destroy(runtime);
    return NULL;
  }
  *runtime->component =
      (sn_component){.type = type, .name = copy, .system = system, .runtime = runtime};
  if (!create_ports(runtime) || !create_operations(runtime) || !create_properties(runtime)) {
    sn__runtime_destroy(runtime);
    return NULL;
  }
  return runtime;
}

static void free_lists(sn__component_runtime *runtime) {
  const sn_component_type *type = runtime->component->type;
  if (type->dispose != NULL) {
    type->dispose(runtime->component);
  }
  for (size_t i = 0; type->ports != NULL && type->ports[i].name != NULL; i++) {
    const sn_port *port = &type->ports[i];
    if (port->kind == SN_PORT_MANY) {
      sn_inputs *inputs = sn__member(runtime, port->offset);
      free(inputs->items);
    } else if (port->kind == SN_PORT_OUT && runtime->outputs != NULL &&
               runtime->outputs[i] != NULL) {
      free(atomic_load(&runtime->outputs[i]->fanout));
      free(atomic_load(&runtime->outputs[i]->silent));
      sn__latest_abandon(atomic_load(&runtime->outputs[i]->latest));
    }
  }
  for (size_t i = 0; runtime->operations != NULL && i < count_operations(type); i++) {
    sn__operation_dispose(runtime->operations[i]);
  }
  for (size_t i = 0; runtime->property_arenas != NULL && i < count_properties(type); i++) {
    sn_arena_release(&runtime->property_arenas[i]);
  }
}

void sn__runtime_destroy(sn__component_runtime *runtime) {
  if (runtime->component != NULL && runtime->component->type != NULL) {
    free_lists(runtime);
  }
  sn_arena_release(&runtime->config_arena);
  sn_arena_release(&runtime->arena);
  free(runtime);
}
