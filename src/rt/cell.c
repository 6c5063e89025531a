#include "rt/cell.h"

#include <stdlib.h>
#include <string.h>

#include "rt/journal.h"

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

static bool create_output(sn__cell *cell, size_t index) {
  const sn_port *port = &cell->component->type->ports[index];
  sn_output *output = sn__member(cell, port->offset);
  sn__output *inner = SN_NEW(&cell->arena, sn__output, 1);
  if (inner == NULL) {
    return false;
  }
  *inner = (sn__output){
      .cell = cell,
      .port = port,
      .checker = sn_msg_checker_create(&cell->arena, port->type),
      .capacity = choose_capacity(port->capacity, cell->system->config.capacity),
  };
  output->inner = inner;
  output->msg = sn_msg_create(&cell->arena, port->type, &inner->capacity);
  cell->outputs[index] = inner;
  return inner->checker != NULL && output->msg != NULL;
}

static bool create_ports(sn__cell *cell) {
  const sn_component_type *type = cell->component->type;
  const size_t count = count_ports(type);
  cell->outputs = SN_NEW(&cell->arena, sn__output *, count);
  for (size_t i = 0; cell->outputs != NULL && i < count; i++) {
    cell->has_events |= (type->ports[i].flags & SN_PORT_EVENT) != 0;
    if (type->ports[i].kind == SN_PORT_OUT && !create_output(cell, i)) {
      return false;
    }
  }
  return cell->outputs != NULL;
}

static void run_call(sn__job *job) {
  sn__call *call = (sn__call *)job;
  const sn__operation *operation = call->operation;
  call->error.message[0] = '\0';
  if (sn__cell_state(operation->cell) != SN_STATE_RUNNING) {
    call->status = SN_ESTOPPED;
    return;
  }
  if (call->is_outside) {
    sn__journal_call(operation->cell, operation->spec, call->request);
  }
  call->status =
      operation->spec->run(operation->cell->component, call->request, call->response, &call->error);
}

static bool create_message(sn__cell *cell, const sn_msg_type *type, void **out) {
  if (type != NULL) {
    *out = sn_msg_create(&cell->arena, type, &cell->system->config.capacity);
  }
  return type == NULL || *out != NULL;
}

static bool create_copier(sn__cell *cell, const sn_msg_type *type, const sn_msg_copier **out) {
  if (type != NULL) {
    *out = sn_msg_copier_create(&cell->arena, type);
  }
  return type == NULL || *out != NULL;
}

static bool create_operation(sn__cell *cell, size_t index) {
  const sn_operation *spec = &cell->component->type->operations[index];
  sn__operation *operation = SN_NEW(&cell->arena, sn__operation, 1);
  if (operation == NULL) {
    return false;
  }
  operation->cell = cell;
  operation->spec = spec;
  bool good = create_copier(cell, spec->request, &operation->request_copier) &&
              create_copier(cell, spec->response, &operation->response_copier);
  for (size_t i = 0; good && i < SN__CALLS_MAX; i++) {
    sn__call *call = &operation->calls[i];
    call->job.run = run_call;
    call->operation = operation;
    good = create_message(cell, spec->request, &call->request) &&
           create_message(cell, spec->response, &call->response);
  }
  cell->operations[index] = operation;
  return good;
}

static bool create_operations(sn__cell *cell) {
  const sn_component_type *type = cell->component->type;
  const size_t count = count_operations(type);
  cell->operations = SN_NEW(&cell->arena, sn__operation *, count);
  for (size_t i = 0; cell->operations != NULL && i < count; i++) {
    if ((type->operations[i].flags & SN_OWN_THREAD) != 0 && !create_operation(cell, i)) {
      return false;
    }
  }
  return cell->operations != NULL;
}

static bool create_properties(sn__cell *cell) {
  const sn_component_type *type = cell->component->type;
  const size_t count = count_properties(type);
  cell->property_arenas = SN_NEW(&cell->arena, sn_arena, count);
  cell->property_is_set = SN_NEW(&cell->arena, bool, count);
  for (size_t i = 0; cell->property_arenas != NULL && i < count; i++) {
    sn_arena_init_growing(&cell->property_arenas[i], "property", 256);
  }
  return cell->property_arenas != NULL && cell->property_is_set != NULL &&
         (type->properties == NULL ||
          sn_property_init(type->properties, cell->component, &cell->arena) == SN_OK);
}

sn__cell *sn__cell_create(sn_system *system, const sn_component_type *type, const char *name) {
  sn__cell *cell = aligned_alloc(alignof(sn__cell), sizeof *cell);
  if (cell == NULL) {
    return NULL;
  }
  memset(cell, 0, sizeof *cell);
  cell->system = system;
  sn_arena_init_growing(&cell->arena, "component", 0);
  sn_arena_init_growing(&cell->config_arena, "configuration", 0);
  sn__jobs_init(&cell->jobs);
  cell->component = sn_arena_alloc(&cell->arena, type->size, 64);
  char *copy = sn_arena_text(&cell->arena, name, strlen(name));
  cell->providers = SN_NEW(&cell->arena, sn__cell *, count_needs(type));
  if (cell->component == NULL || copy == NULL || cell->providers == NULL) {
    sn__cell_destroy(cell);
    return NULL;
  }
  *cell->component = (sn_component){.type = type, .name = copy, .system = system, .cell = cell};
  if (!create_ports(cell) || !create_operations(cell) || !create_properties(cell)) {
    sn__cell_destroy(cell);
    return NULL;
  }
  return cell;
}

static void free_lists(sn__cell *cell) {
  const sn_component_type *type = cell->component->type;
  if (type->dispose != NULL) {
    type->dispose(cell->component);
  }
  for (size_t i = 0; type->ports != NULL && type->ports[i].name != NULL; i++) {
    const sn_port *port = &type->ports[i];
    if (port->kind == SN_PORT_MANY) {
      sn_inputs *inputs = sn__member(cell, port->offset);
      free(inputs->items);
    } else if (port->kind == SN_PORT_OUT && cell->outputs != NULL && cell->outputs[i] != NULL) {
      free(atomic_load(&cell->outputs[i]->fanout));
    }
  }
  for (size_t i = 0; cell->property_arenas != NULL && i < count_properties(type); i++) {
    sn_arena_release(&cell->property_arenas[i]);
  }
}

void sn__cell_destroy(sn__cell *cell) {
  if (cell->component != NULL && cell->component->type != NULL) {
    free_lists(cell);
  }
  sn_arena_release(&cell->config_arena);
  sn_arena_release(&cell->arena);
  free(cell);
}
