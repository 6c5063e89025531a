/* Checks the tables of a component type once, so that all other code can rely on them. */
#include <stdint.h>
#include <string.h>

#include "base/fail.h"
#include "rt/components/component_registry.h"
#include "rt/components/property.h"

static bool is_outside(const sn_component_type *type, size_t offset, size_t size) {
  return offset < sizeof(sn_component) || offset > type->size || size > type->size - offset;
}

static const char *find_port_flaw(const sn_component_type *type, const sn_port *port) {
  static const size_t sizes[] = {[SN_PORT_IN] = sizeof(sn_input),
                                 [SN_PORT_MANY] = sizeof(sn_inputs),
                                 [SN_PORT_OUT] = sizeof(sn_output)};
  for (const sn_port *other = type->ports; other != port; other++) {
    if (strcmp(other->name, port->name) == 0) {
      return "appears twice";
    }
  }
  if (!sn__name_is_good(port->name)) {
    return SN__NAME_FLAW;
  }
  if ((unsigned)port->kind > SN_PORT_OUT) {
    return "is neither input nor output";
  }
  if (port->type == NULL) {
    return "has no message type";
  }
  if (is_outside(type, port->offset, sizes[port->kind])) {
    return "is outside the struct";
  }
  if (port->kind == SN_PORT_OUT && (port->flags & ~(unsigned)SN_PORT_DERIVED) != 0) {
    return "is an output with flags of an input";
  }
  if (port->kind != SN_PORT_OUT && (port->flags & SN_PORT_DERIVED) != 0) {
    return "is an input with a flag of outputs";
  }
  if (port->capacity.item_count > SN_MSG_ITEMS_MAX || port->capacity.text_size > SN_MSG_TEXT_MAX) {
    return "has messages that are too large";
  }
  return NULL;
}

static const char *find_operation_flaw(const sn_component_type *type,
                                       const sn_operation *operation) {
  for (const sn_operation *other = type->operations; other != operation; other++) {
    if (strcmp(other->name, operation->name) == 0) {
      return "appears twice";
    }
  }
  if (!sn__name_is_good(operation->name)) {
    return SN__NAME_FLAW;
  }
  if (operation->run == NULL) {
    return "has no function";
  }
  if ((operation->flags & ~(unsigned)(SN_OWN_THREAD | SN_READ_ONLY | SN_IN_PARTS)) != 0) {
    return "has unknown flags";
  }
  if ((operation->flags & SN_OWN_THREAD) != 0 && (operation->flags & SN_IN_PARTS) != 0) {
    return "runs in its own thread and cannot be SN_IN_PARTS";
  }
  return NULL;
}

static const char *find_service_flaw(const sn_component_type *type, const sn_service *service) {
  for (const sn_service *other = type->services; other != service; other++) {
    if (strcmp(other->name, service->name) == 0) {
      return "appears twice";
    }
  }
  return service->iface == NULL ? "has no function" : NULL;
}

static const char *find_need_flaw(const sn_component_type *type, const sn_need *need) {
  for (const sn_need *other = type->needs; other != need; other++) {
    if (strcmp(other->name, need->name) == 0) {
      return "appears twice";
    }
  }
  if (!sn__name_is_good(need->name)) {
    return SN__NAME_FLAW;
  }
  if ((need->interface == NULL) == (need->operation == NULL)) {
    return "names neither an interface nor an operation, or both";
  }
  const size_t size = need->interface != NULL ? sizeof(sn_requester) : sizeof(sn_caller);
  return is_outside(type, need->offset, size) ? "is outside the struct" : NULL;
}

static sn_status refuse(const sn_component_type *type, const char *what, const char *name,
                        const char *flaw, sn_error *err) {
  return sn__fail(err, SN_EINVAL, "component type '%s': %s '%s' %s", type->name, what, name, flaw);
}

static sn_status check_tables(const sn_component_type *type, sn_error *err) {
  const char *flaw = NULL;
  for (const sn_port *p = type->ports; p != NULL && p->name != NULL; p++) {
    if ((flaw = find_port_flaw(type, p)) != NULL) {
      return refuse(type, "port", p->name, flaw, err);
    }
  }
  for (const sn_operation *o = type->operations; o != NULL && o->name != NULL; o++) {
    if ((flaw = find_operation_flaw(type, o)) != NULL) {
      return refuse(type, "operation", o->name, flaw, err);
    }
  }
  for (const sn_service *s = type->services; s != NULL && s->name != NULL; s++) {
    if ((flaw = find_service_flaw(type, s)) != NULL) {
      return refuse(type, "service", s->name, flaw, err);
    }
  }
  for (const sn_need *n = type->needs; n != NULL && n->name != NULL; n++) {
    if ((flaw = find_need_flaw(type, n)) != NULL) {
      return refuse(type, "need", n->name, flaw, err);
    }
  }
  return SN_OK;
}

/* A property inside the sn_component would let a file overwrite the runtime's data. */
static sn_status check_properties(const sn_component_type *type, sn_error *err) {
  for (const sn_property *p = type->properties; p != NULL && p->name != NULL; p++) {
    if (p->offset < sizeof(sn_component)) {
      return refuse(type, "property", p->name, "is outside the struct", err);
    }
  }
  return sn__property_check_table(type->properties, type->size, type->name, err);
}

sn_status sn__component_type_check(const sn_component_type *type, sn_error *err) {
  if (type->abi != SN_COMPONENT_ABI) {
    return sn__fail(err, SN_EINVAL,
                    "a component type was built for interface %d, this library has %d", type->abi,
                    SN_COMPONENT_ABI);
  }
  if (!sn__name_is_good(type->name)) {
    return sn__fail(err, SN_EINVAL, "component type '%s' %s", type->name == NULL ? "" : type->name,
                    SN__NAME_FLAW);
  }
  if (type->size < sizeof(sn_component)) {
    return sn__fail(err, SN_EINVAL,
                    "component type '%s': its struct has %zu bytes, too few to begin with an "
                    "sn_component",
                    type->name, type->size);
  }
  const sn_status status = check_tables(type, err);
  return status == SN_OK ? check_properties(type, err) : status;
}
