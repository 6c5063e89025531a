/* Outputs and inputs of components as topics. A tap costs the real-time path a copy, so it is open
   only while there are subscribers. An input has one writer, so its source is open only while there
   are publishers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ros/bridge.h"
#include "sinew/msg_types.h"
#include "sinew/system.h"

#define MS_NS INT64_C(1000000)
#define POLL_NS (MS_NS / 2)      /* with subscribers */
#define IDLE_POLL_NS (5 * MS_NS) /* without */
#define LINGER_NS (1000 * MS_NS) /* keep an input after its publishers are gone */
#define BURST 16.0

bool sn__throttle_take(sn__throttle *throttle, double rate_Hz, int64_t now_ns) {
  if (rate_Hz <= 0.0) {
    return true;
  }
  throttle->tokens += 1e-9 * (double)(now_ns - throttle->filled_ns) * rate_Hz;
  throttle->tokens = throttle->tokens < BURST ? throttle->tokens : BURST;
  throttle->filled_ns = now_ns;
  if (throttle->tokens < 1.0) {
    return false;
  }
  throttle->tokens -= 1.0;
  return true;
}

const void *sn__bridge_encode(sn__bridge *bridge, const sn_msg_type *type, const void *msg,
                              size_t *size) {
  sn_status status =
      bridge->transport->write(type, msg, bridge->encoded.data, bridge->encoded.capacity, size);
  if (status == SN_ENOSPC) {
    bridge->encoded.used = 0;
    if (sn__bytes_reserve(&bridge->encoded, *size) == NULL) {
      bridge->encoded.failed = false;
      return NULL;
    }
    status =
        bridge->transport->write(type, msg, bridge->encoded.data, bridge->encoded.capacity, size);
  }
  return status == SN_OK ? bridge->encoded.data : NULL;
}

void sn__bridge_publish(sn__bridge *bridge, void *topic, const sn_msg_type *type, const void *msg) {
  const int64_t stamp_ns = sn_msg_stamp_ns(type, msg);
  size_t size = 0;
  const void *bytes = sn__bridge_encode(bridge, type, msg, &size);
  if (bytes != NULL) {
    bridge->transport->publish(topic, bytes, size,
                               stamp_ns == 0 ? 0 : sn__bridge_graph_time(bridge, stamp_ns));
  }
}

void *sn__bridge_advertise(sn__bridge *bridge, const char *topic, const sn_msg_type *type,
                           bool is_latched) {
  char name[SN__GRAPH_NAME_SIZE];
  return sn__graph_name_resolve(&bridge->names, topic, name, sizeof name)
             ? bridge->transport->advertise(bridge->node, name, type, is_latched)
             : NULL;
}

/* ---- outputs ---- */

static void open_tap(sn__bridge_output *output) {
  const sn_connection connection = {.buffer = output->bridge->depth, .shared = true};
  sn_error err = {SN_OK, ""};
  if (!sn__bridge_hold(output->bridge)) {
    return; /* try again in the next step */
  }
  const sn_status status =
      sn_tap_open(output->bridge->component.system, output->port, &connection, &output->tap, &err);
  sn__bridge_release(output->bridge);
  if (status != SN_OK) {
    output->has_failed = true;
    sn__bridge_log(output->bridge, SN_LOG_WARNING, "{} is not published: {}", output->port,
                   err.message);
  }
}

static void close_tap(sn__bridge_output *output) {
  if (sn__bridge_hold(output->bridge)) { /* otherwise in the next step */
    sn_tap_close(output->tap);
    output->tap = NULL;
    output->pending = NULL;
    sn__bridge_release(output->bridge);
  }
}

static void publish_new(sn__bridge_output *output, int64_t now_ns) {
  sn__bridge *bridge = output->bridge;
  sn_flow flow = SN_NO_DATA;
  for (;;) {
    if (output->pending != NULL && sn__throttle_take(&output->throttle, bridge->rate_Hz, now_ns)) {
      if (output->convert != NULL) {
        output->convert(output, output->pending);
      } else {
        sn__bridge_publish(bridge, output->topic, sn_tap_type(output->tap), output->pending);
      }
      output->pending = NULL;
    }
    const void *msg = sn_tap_read(output->tap, &flow);
    if (flow != SN_NEW_DATA) {
      return;
    }
    output->pending = msg;
  }
}

static bool should_warn(sn__bridge_input *input) {
  uint64_t suppressed;
  return sn_log_limit_pass(&input->warnings, input->bridge->transport->now_ns(input->bridge->node),
                           &suppressed);
}

/* Lost in the node's queue, while this thread was delayed, or in the component's. */
static void report_losses(sn__bridge_input *input) {
  sn__bridge *bridge = input->bridge;
  const uint64_t lost =
      input->dropped +
      (bridge->transport->lost == NULL ? 0 : bridge->transport->lost(input->topic));
  if (lost == input->lost) {
    return;
  }
  input->lost = lost;
  sn__bridge_record_loss(bridge, input->port, lost);
  if (should_warn(input)) {
    char count[32];
    snprintf(count, sizeof count, "%" PRIu64, lost);
    sn__bridge_log(bridge, SN_LOG_WARNING,
                   "messages for {} arrived faster than they were read: {} lost", input->port,
                   count);
  }
}

static bool has_subscribers(const sn__bridge_output *output) {
  const sn__ros_transport *transport = output->bridge->transport;
  return transport->subscriber_count(output->topic) > 0 ||
         (output->second_topic != NULL && transport->subscriber_count(output->second_topic) > 0);
}

int64_t sn__bridge_step_topics(sn__bridge *bridge, int64_t now_ns) {
  int64_t wait_ns = IDLE_POLL_NS;
  for (sn__bridge_output *output = bridge->first_output; output != NULL; output = output->next) {
    const bool is_wanted = has_subscribers(output);
    if (is_wanted && output->tap != NULL) {
      wait_ns = POLL_NS;
    }
    if ((is_wanted || output->is_latched) && output->tap == NULL && !output->has_failed) {
      open_tap(output);
    } else if (!is_wanted && !output->is_latched && output->tap != NULL) {
      close_tap(output);
    }
    output->has_failed = output->has_failed && is_wanted;
    if (output->tap != NULL) {
      publish_new(output, now_ns);
    }
  }
  for (sn__bridge_input *input = bridge->first_input; input != NULL; input = input->next) {
    report_losses(input);
    /* Short-lived publishers are served, too, even if their message precedes their discovery. */
    if (input->source != NULL && bridge->transport->publisher_count(input->topic) == 0 &&
        now_ns - input->taken_ns > LINGER_NS) {
      sn_source_close(input->source);
      input->source = NULL;
    }
  }
  return wait_ns;
}

/* ---- inputs ---- */

static void reject(sn__bridge_input *input, const char *what) {
  sn__bridge *bridge = input->bridge;
  atomic_fetch_add_explicit(&bridge->refused_inputs, 1, memory_order_relaxed);
  if (should_warn(input)) {
    sn__bridge_log(bridge, SN_LOG_WARNING, "message for {} rejected: {}", input->port, what);
  }
}

/* From wall clock to system time; zero stays zero. */
static void translate_stamp(const sn__bridge *bridge, const sn_msg_type *type, void *msg) {
  if (type->field_count > 0 && type->fields[0].nested == &sn_header_type) {
    void *at = (char *)msg + type->fields[0].offset;
    sn_header *header = at;
    if (header->stamp_ns != 0) {
      header->stamp_ns -= bridge->graph_offset_ns;
    }
  }
}

static bool open_source(sn__bridge_input *input, sn_error *err) {
  const sn_connection connection = {.buffer = (size_t)input->bridge->input_depth};
  if (!sn__bridge_hold(input->bridge)) {
    (void)sn__fail(err, SN_EBUSY, "the system is being configured");
    return false;
  }
  const sn_status status = sn_source_open(input->bridge->component.system, input->port, &connection,
                                          &input->source, err);
  sn__bridge_release(input->bridge);
  return status == SN_OK;
}

static void on_message(void *context, const char *caller, const void *bytes, size_t size) {
  sn__bridge_input *input = context;
  sn_error err = {SN_OK, ""};
  (void)caller;
  if (input->source == NULL && !open_source(input, &err)) {
    input->source = NULL;
    reject(input, err.message);
    return;
  }
  input->taken_ns = input->bridge->transport->now_ns(input->bridge->node);
  void *msg = sn_source_msg(input->source);
  if (input->bridge->transport->read(input->type, bytes, size, msg, &err) != SN_OK) {
    reject(input, err.message);
    return;
  }
  translate_stamp(input->bridge, input->type, msg);
  const uint64_t lost_before = sn_source_counts(input->source).lost;
  const sn_status status = sn_source_write(input->source);
  if (status == SN_OK) {
    const uint64_t lost = sn_source_counts(input->source).lost - lost_before;
    input->dropped += lost;
    input->bridge->dropped_inputs += lost;
  } else {
    reject(input, status == SN_EINVAL ? "it contains NaN or infinity" : sn_status_text(status));
  }
}

/* ---- setup ---- */

static bool has_writer(const sn_component *component, const char *port) {
  sn_connection_info list[64];
  const size_t count = sn_component_connections(component, list, sizeof list / sizeof *list);
  for (size_t i = 0; i < count && i < sizeof list / sizeof *list; i++) {
    if (list[i].reader == component && strcmp(list[i].reader_port, port) == 0) {
      return true;
    }
  }
  return false;
}

sn__bridge_output *sn__bridge_add_port_topic(sn__bridge *bridge, const char *port, void *topic) {
  sn__bridge_output *output = SN_NEW(&bridge->arena, sn__bridge_output, 1);
  const char *copy = sn_arena_text(&bridge->arena, port, strlen(port));
  if (output == NULL || copy == NULL || topic == NULL) {
    return NULL;
  }
  *output = (sn__bridge_output){
      .next = bridge->first_output, .bridge = bridge, .port = copy, .topic = topic};
  bridge->first_output = output;
  return output;
}

static sn_status add_output(sn__bridge *bridge, const char *port, const sn_msg_type *type,
                            sn_error *err) {
  char name[SN__GRAPH_NAME_SIZE];
  if (!sn__bridge_matches(&bridge->outputs, port) ||
      !sn__bridge_name(bridge, port, name, sizeof name)) {
    return SN_OK;
  }
  const bool is_latched = sn__bridge_matches(&bridge->latched, port);
  sn__bridge_output *output = sn__bridge_add_port_topic(
      bridge, port, bridge->transport->advertise(bridge->node, name, type, is_latched));
  if (output == NULL) {
    return sn__fail(err, SN_ENOMEM, "out of memory for %s", port);
  }
  output->is_latched = is_latched;
  return SN_OK;
}

static sn_status subscribe(sn__bridge *bridge, const char *port, const char *topic,
                           const sn_msg_type *type, sn_error *err) {
  sn__bridge_input *input = SN_NEW(&bridge->arena, sn__bridge_input, 1);
  const char *copy = sn_arena_text(&bridge->arena, port, strlen(port));
  if (input == NULL || copy == NULL) {
    return sn__fail(err, SN_ENOMEM, "out of memory for %s", port);
  }
  *input =
      (sn__bridge_input){.next = bridge->first_input, .bridge = bridge, .port = copy, .type = type};
  const bool is_best_effort = sn__bridge_matches(&bridge->best_effort, port);
  input->topic =
      bridge->transport->subscribe(bridge->node, topic, type, is_best_effort, on_message, input);
  if (input->topic == NULL) {
    return sn__fail(err, SN_ENOMEM, "out of memory for %s", port);
  }
  bridge->first_input = input;
  return SN_OK;
}

/* The input of a robot that walks has the usual name of a velocity, too. */
static sn_status add_cmd_vel(sn__bridge *bridge, const char *port, sn_error *err) {
  char topic[SN__GRAPH_NAME_SIZE];
  if (bridge->has_cmd_vel ||
      !sn__graph_name_resolve(&bridge->names, "cmd_vel", topic, sizeof topic)) {
    return SN_OK;
  }
  bridge->has_cmd_vel = true;
  return subscribe(bridge, port, topic, &sn_twist_type, err);
}

static sn_status add_input(sn__bridge *bridge, const char *port, const sn_msg_type *type,
                           sn_error *err) {
  char topic[SN__GRAPH_NAME_SIZE];
  if (!sn__bridge_matches(&bridge->inputs, port) ||
      !sn__bridge_name(bridge, port, topic, sizeof topic)) {
    return SN_OK;
  }
  const char *dot = strchr(port, '.');
  const bool is_velocity = type == &sn_twist_type && strcmp(dot, ".in_cmd_vel") == 0;
  const sn_status status = subscribe(bridge, port, topic, type, err);
  return status == SN_OK && is_velocity ? add_cmd_vel(bridge, port, err) : status;
}

/* Timer inputs are not exposed. */
static sn_status add_port(sn__bridge *bridge, const sn_component *component, const sn_port *port,
                          sn_error *err) {
  char name[SN__GRAPH_NAME_SIZE];
  snprintf(name, sizeof name, "%s.%s", component->name, port->name);
  if (port->kind == SN_PORT_OUT) {
    return add_output(bridge, name, port->type, err);
  }
  return port->kind == SN_PORT_IN && port->type != &sn_timer_event_type &&
                 !has_writer(component, port->name)
             ? add_input(bridge, name, port->type, err)
             : SN_OK;
}

sn_status sn__bridge_add_topics(sn__bridge *bridge, sn_error *err) {
  const sn_system *system = bridge->component.system;
  sn_status status = SN_OK;
  sn_system_hold(system);
  for (size_t i = 0; status == SN_OK && i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    for (const sn_port *port = component->type->ports;
         status == SN_OK && port != NULL && port->name != NULL; port++) {
      status = add_port(bridge, component, port, err);
    }
  }
  sn_system_release(system);
  return status;
}

void sn__bridge_close_topics(sn__bridge *bridge) {
  for (sn__bridge_output *output = bridge->first_output; output != NULL; output = output->next) {
    sn_tap_close(output->tap);
  }
  for (sn__bridge_input *input = bridge->first_input; input != NULL; input = input->next) {
    sn_source_close(input->source);
  }
  bridge->first_output = NULL;
  bridge->first_input = NULL;
  bridge->has_cmd_vel = false;
}
