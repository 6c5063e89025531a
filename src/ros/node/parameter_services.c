/* The services by which ROS tools read and set parameters (rcl_interfaces). */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ros/node/parameters.h"
#include "sinew/system.h"

/* ---- list ---- */

typedef struct listing {
  const sn__list_request *request;
  size_t count, text_size;
  sn_msg_names *names; /* NULL: only count */
} listing;

static size_t depth_of(const char *name) {
  size_t depth = 1;
  for (; *name != '\0'; name++) {
    depth += *name == '.';
  }
  return depth;
}

/* As in rclcpp: a prefix is a parameter, or all below it up to the depth. */
static bool is_wanted(const sn__list_request *request, const char *name) {
  if (request->prefixes.count == 0) {
    return request->depth == 0 || depth_of(name) <= request->depth;
  }
  for (size_t i = 0; i < request->prefixes.count; i++) {
    const char *prefix = sn_msg_names_at(&request->prefixes, i);
    const size_t length = strlen(prefix);
    if (strcmp(name, prefix) == 0) {
      return true;
    }
    if (strncmp(name, prefix, length) == 0 && name[length] == '.' &&
        (request->depth == 0 || depth_of(name + length + 1) <= request->depth)) {
      return true;
    }
  }
  return false;
}

static void list_one(void *context, const sn__known_parameter *parameter) {
  listing *l = context;
  if (!is_wanted(l->request, parameter->name)) {
    return;
  }
  const size_t length = strlen(parameter->name);
  if (l->names != NULL) {
    (void)sn_msg_names_add(l->names, parameter->name, length);
  }
  l->count++;
  l->text_size += length + 1;
}

static sn_status list(sn__node_answer *answer, const void *request, void *response, sn_error *err) {
  const sn__bridge *bridge = answer->bridge;
  sn__list_response *out = response;
  listing l = {.request = request};
  (void)err;
  sn_system_hold(bridge->component.system);
  sn__parameter_each(bridge, list_one, &l);
  out->result.names = sn__answer_names(answer, l.count, l.text_size);
  l.names = &out->result.names;
  sn__parameter_each(bridge, list_one, &l);
  sn_system_release(bridge->component.system);
  return SN_OK;
}

/* ---- get ---- */

/* A name that does not exist has no value, as in rclcpp with undeclared parameters. */
static sn_status get(sn__node_answer *answer, const void *request, void *response, sn_error *err) {
  const sn__bridge *bridge = answer->bridge;
  const sn_msg_names *names = &((const sn__names_request *)request)->names;
  sn__get_response *out = response;
  sn_status status = SN_OK;
  out->values.data = sn__answer_alloc(answer, names->count, sizeof *out->values.data);
  sn_system_hold(bridge->component.system);
  for (size_t i = 0; i < names->count && status == SN_OK && !answer->is_out_of_memory; i++) {
    sn__known_parameter parameter;
    if (sn__parameter_find(bridge, sn_msg_names_at(names, i), &parameter)) {
      status = sn__parameter_get(answer, &parameter, &out->values.data[i], err);
    }
    out->values.count = i + 1;
  }
  sn_system_release(bridge->component.system);
  return status;
}

static sn_status get_types(sn__node_answer *answer, const void *request, void *response,
                           sn_error *err) {
  const sn__bridge *bridge = answer->bridge;
  const sn_msg_names *names = &((const sn__names_request *)request)->names;
  sn__types_response *out = response;
  (void)err;
  out->types.data = sn__answer_alloc(answer, names->count, 1);
  sn_system_hold(bridge->component.system);
  for (size_t i = 0; i < names->count && out->types.data != NULL; i++) {
    sn__known_parameter parameter;
    const bool is_known = sn__parameter_find(bridge, sn_msg_names_at(names, i), &parameter);
    out->types.data[i] =
        (uint8_t)(is_known ? sn__parameter_kind_of(&parameter) : SN__PARAMETER_NOT_SET);
    out->types.count = i + 1;
  }
  sn_system_release(bridge->component.system);
  return SN_OK;
}

/* ---- describe ---- */

static int64_t whole(double limit) {
  return limit >= 0x1p63 ? INT64_MAX : limit <= -0x1p63 ? INT64_MIN : (int64_t)limit;
}

static void describe_range(sn__node_answer *answer, const sn_property *property,
                           sn__parameter_descriptor *out) {
  if (property->min == 0.0 && property->max == 0.0) {
    return;
  }
  if (out->type == SN__PARAMETER_INTEGER) {
    sn__integer_range *range = sn__answer_alloc(answer, 1, sizeof *range);
    if (range != NULL) {
      *range = (sn__integer_range){whole(property->min), whole(property->max), 0};
      out->integer_range = (sn__seq_integer_range){.data = range, .count = 1, .capacity = 1};
    }
  } else if (out->type == SN__PARAMETER_DOUBLE) {
    sn__double_range *range = sn__answer_alloc(answer, 1, sizeof *range);
    if (range != NULL) { /* a range of ROS has both ends */
      *range = (sn__double_range){fmax(property->min, -DBL_MAX), fmin(property->max, DBL_MAX), 0.0};
      out->floating_point_range = (sn__seq_double_range){.data = range, .count = 1, .capacity = 1};
    }
  }
}

static void describe_one(sn__node_answer *answer, const sn__known_parameter *parameter,
                         sn__parameter_descriptor *out) {
  const sn_property *p = parameter->property;
  char constraints[400] = "";
  out->name = sn__answer_text(answer, parameter->name);
  out->type = (uint8_t)sn__parameter_kind_of(parameter);
  out->read_only = sn__parameter_is_read_only(parameter);
  if (p == NULL) {
    out->description = sn__answer_text(answer, "Whether the node uses the time of /clock.");
    return;
  }
  const bool has_unit = p->unit != NULL && *p->unit != '\0';
  snprintf(constraints, sizeof constraints, "%s%s%s%s%s", has_unit ? "unit: " : "",
           has_unit ? p->unit : "", has_unit && p->choices != NULL ? ", " : "",
           p->choices != NULL ? "one of " : "", p->choices != NULL ? p->choices : "");
  out->description = sn__answer_text(answer, p->doc == NULL ? "" : p->doc);
  out->additional_constraints = sn__answer_text(answer, constraints);
  describe_range(answer, p, out);
}

static sn_status describe(sn__node_answer *answer, const void *request, void *response,
                          sn_error *err) {
  const sn__bridge *bridge = answer->bridge;
  const sn_msg_names *names = &((const sn__names_request *)request)->names;
  sn__seq_parameter_descriptor *out = &((sn__describe_response *)response)->descriptors;
  (void)err;
  out->data = sn__answer_alloc(answer, names->count, sizeof *out->data);
  sn_system_hold(bridge->component.system);
  for (size_t i = 0; i < names->count && !answer->is_out_of_memory; i++) {
    sn__known_parameter parameter;
    const char *name = sn_msg_names_at(names, i);
    if (sn__parameter_find(bridge, name, &parameter)) {
      describe_one(answer, &parameter, &out->data[i]);
    } else {
      out->data[i].name = sn__answer_text(answer, name);
    }
    out->count = i + 1;
  }
  sn_system_release(bridge->component.system);
  return SN_OK;
}

/* ---- set ---- */

static sn_status set_one(const sn__bridge *bridge, const sn__parameter *p, sn_error *err) {
  sn__known_parameter known;
  return sn__parameter_find(bridge, p->name.data, &known)
             ? sn__parameter_set(bridge, &known, &p->value, err)
             : sn__fail(err, SN_ENOENT,
                        "unknown parameter '%.100s': 'ros2 param list' shows their names",
                        p->name.data);
}

static sn_status set(sn__node_answer *answer, const void *request, void *response, sn_error *err) {
  const sn__bridge *bridge = answer->bridge;
  const sn__seq_parameter *all = &((const sn__set_request *)request)->parameters;
  sn__seq_set_result *out = &((sn__set_response *)response)->results;
  (void)err;
  out->data = sn__answer_alloc(answer, all->count, sizeof *out->data);
  for (size_t i = 0; i < all->count && out->data != NULL; i++) {
    sn_error why = {SN_OK, ""};
    sn_system_hold(bridge->component.system);
    out->data[i].successful = set_one(bridge, &all->data[i], &why) == SN_OK;
    sn_system_release(bridge->component.system);
    out->data[i].reason = sn__answer_text(answer, out->data[i].successful ? "" : why.message);
    out->count = i + 1;
  }
  return SN_OK;
}

/* Set all, or restore those that were set. The system is held, so that no other client sets
   anything meanwhile. */
static sn_status set_all(sn__node_answer *answer, const sn__seq_parameter *all,
                         sn__parameter_value *before, sn_error *err) {
  const sn__bridge *bridge = answer->bridge;
  sn_status status = SN_OK;
  size_t done = 0;
  for (; done < all->count && status == SN_OK; done++) {
    sn__known_parameter known;
    if (sn__parameter_find(bridge, all->data[done].name.data, &known)) {
      status = sn__parameter_get(answer, &known, &before[done], err);
    }
    status = status == SN_OK ? set_one(bridge, &all->data[done], err) : status;
  }
  for (size_t i = status == SN_OK ? 0 : done - 1; i > 0; i--) {
    sn__known_parameter known;
    sn_error ignored = {SN_OK, ""};
    if (sn__parameter_find(bridge, all->data[i - 1].name.data, &known)) {
      (void)sn__parameter_set(bridge, &known, &before[i - 1], &ignored);
    }
  }
  return status;
}

static sn_status set_atomically(sn__node_answer *answer, const void *request, void *response,
                                sn_error *err) {
  const sn__bridge *bridge = answer->bridge;
  const sn__seq_parameter *all = &((const sn__set_request *)request)->parameters;
  sn__set_result *out = &((sn__set_atomically_response *)response)->result;
  sn__parameter_value *before = sn__answer_alloc(answer, all->count, sizeof *before);
  if (before == NULL) {
    return SN_ENOMEM;
  }
  sn_error why = {SN_OK, ""};
  (void)err;
  sn_system_hold(bridge->component.system);
  out->successful = set_all(answer, all, before, &why) == SN_OK;
  sn_system_release(bridge->component.system);
  out->reason = sn__answer_text(answer, out->successful ? "" : why.message);
  return SN_OK;
}

/* ---- setup ---- */

static const sn__node_service readers[] = {
    {"list_parameters", "rcl_interfaces/ListParameters", &sn__list_request_type,
     &sn__list_response_type, list},
    {"get_parameters", "rcl_interfaces/GetParameters", &sn__get_request_type,
     &sn__get_response_type, get},
    {"get_parameter_types", "rcl_interfaces/GetParameterTypes", &sn__types_request_type,
     &sn__types_response_type, get_types},
    {"describe_parameters", "rcl_interfaces/DescribeParameters", &sn__describe_request_type,
     &sn__describe_response_type, describe},
};

static const sn__node_service setters[] = {
    {"set_parameters", "rcl_interfaces/SetParameters", &sn__set_request_type,
     &sn__set_response_type, set},
    {"set_parameters_atomically", "rcl_interfaces/SetParametersAtomically",
     &sn__set_atomically_request_type, &sn__set_atomically_response_type, set_atomically},
};

sn_status sn__node_add_parameters(sn__bridge *bridge, sn_error *err) {
  const sn_status status =
      sn__node_add_services(bridge, readers, sizeof readers / sizeof *readers, err);
  return status == SN_OK && sn__bridge_matches(&bridge->services, "parameters.set")
             ? sn__node_add_services(bridge, setters, sizeof setters / sizeof *setters, err)
             : status;
}
