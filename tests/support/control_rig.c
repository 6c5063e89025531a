#define _POSIX_C_SOURCE 200809L /* nanosleep() */

#include "control_rig.h"

#include <stdlib.h>
#include <time.h>

#include "program.h"
#include "rt/system_internal.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

#define PERIOD_NS INT64_C(2000000)

atomic_bool control_rig_gate_closed;
atomic_int control_rig_inside;

typedef struct source {
  sn_component base;
  double gain;
  const char *label;
  sn_reals offsets;
  struct {
    int64_t low, high;
  } range;
  sn_output count;
  sn_output pose;
  uint64_t steps;
} source;

static const sn_property range_table[] = {
    {.name = "low", .kind = SN_PROPERTY_INT, .offset = 0, .initial = "-1"},
    {.name = "high", .kind = SN_PROPERTY_INT, .offset = sizeof(int64_t), .initial = "1"},
    {.name = NULL},
};

static const sn_property source_properties[] = {
    SN_PROPERTY(source, "gain", gain, .flags = SN_PROPERTY_LIVE, .initial = "0.5", .min = 0.0,
                .max = 10.0, .unit = "1/s", .doc = "How fast."),
    SN_PROPERTY(source, "label", label, .initial = "none", .doc = "A text."),
    SN_PROPERTY(source, "offsets", offsets, .flags = SN_PROPERTY_LIVE, .initial = "[0.1, 0.2]"),
    SN_PROPERTY_BAG_OF(source, "range", range, range_table, .flags = SN_PROPERTY_LIVE),
    {.name = NULL},
};

static const sn_port source_ports[] = {
    SN_OUTPUT(source, "count", count, &sn_timer_event_type, .doc = "The steps."),
    SN_OUTPUT(source, "pose", pose, &sn_joint_state_type, .doc = "Written by shout.",
              .capacity = {.item_count = 65536, .text_size = 1}),
    {.name = NULL},
};

static sn_status add(sn_component *component, const void *request, void *response, sn_error *err) {
  (void)err;
  const source *s = (const source *)component;
  const sn_vec3 *in = request;
  *(sn_vec3 *)response = (sn_vec3){in->x + s->gain, in->y + s->gain, in->z + s->gain};
  return SN_OK;
}

static sn_status greet(sn_component *component, const void *request, void *response,
                       sn_error *err) {
  (void)component;
  (void)err;
  const sn_header *in = request;
  sn_header *out = response;
  out->stamp_ns = in->stamp_ns;
  return sn_msg_text_set(&out->frame_id, in->frame_id.count == 0 ? "anonymous" : in->frame_id.data);
}

static sn_status refuse(sn_component *component, const void *request, void *response,
                        sn_error *err) {
  (void)component;
  (void)request;
  (void)response;
  snprintf(err->message, sizeof err->message, "not \"today\"");
  return SN_EBUSY;
}

static sn_status block(sn_component *component, const void *request, void *response,
                       sn_error *err) {
  (void)component;
  (void)request;
  (void)response;
  (void)err;
  atomic_fetch_add(&control_rig_inside, 1);
  while (atomic_load(&control_rig_gate_closed)) {
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  atomic_fetch_sub(&control_rig_inside, 1);
  return SN_OK;
}

static sn_status reset(sn_component *component, const void *request, void *response,
                       sn_error *err) {
  (void)request;
  (void)response;
  (void)err;
  ((source *)component)->steps = 0;
  return SN_OK;
}

/* A message whose JSON has more than a megabyte. */
static sn_status shout(sn_component *component, const void *request, void *response,
                       sn_error *err) {
  (void)request;
  (void)response;
  (void)err;
  source *s = (source *)component;
  sn_joint_state *pose = s->pose.msg;
  pose->position.count = 60000;
  for (size_t i = 0; i < pose->position.count; i++) {
    pose->position.data[i] = 1.0 / 3.0;
  }
  return sn_output_write(&s->pose);
}

static const sn_operation source_operations[] = {
    {"add", SN_OWN_THREAD, &sn_vector3_type, &sn_vector3_type, add, "Adds the gain."},
    {"greet", SN_CLIENT_THREAD, &sn_header_type, &sn_header_type, greet, "Says it back."},
    {"refuse", SN_CLIENT_THREAD, NULL, NULL, refuse, "Never does it."},
    {"block", SN_CLIENT_THREAD, NULL, NULL, block, "Waits for the test."},
    {"reset", SN_OWN_THREAD, NULL, NULL, reset, NULL},
    {"shout", SN_OWN_THREAD, NULL, NULL, shout, "Writes a long pose."},
    {.name = NULL},
};

static sn_status source_step(sn_component *component, int64_t now_ns) {
  source *s = (source *)component;
  s->steps++;
  sn_timer_event *count = s->count.msg;
  count->stamp_ns = now_ns;
  count->cycle = s->steps;
  return sn_output_write(&s->count);
}

static const sn_component_type source_type = {
    .abi = SN_COMPONENT_ABI,
    .name = "Source",
    .doc = "Counts.",
    .size = sizeof(source),
    .properties = source_properties,
    .ports = source_ports,
    .operations = source_operations,
    .step = source_step,
};

typedef struct sink {
  sn_component base;
  sn_input in;
  sn_inputs many;
  sn_requester model;
  sn_caller adder;
} sink;

static const sn_port sink_ports[] = {
    SN_INPUT(sink, "in", in, &sn_timer_event_type, .flags = SN_PORT_REQUIRED),
    SN_INPUTS(sink, "many", many, &sn_timer_event_type, .doc = "More."),
    {.name = NULL},
};

static const sn_need sink_needs[] = {
    {.name = "model",
     .interface = "Model",
     .offset = offsetof(sink, model),
     .is_optional = true,
     .doc = "What it could use."},
    {.name = "adder",
     .operation = "add",
     .request = &sn_vector3_type,
     .response = &sn_vector3_type,
     .offset = offsetof(sink, adder)},
    {.name = NULL},
};

static sn_status sink_step(sn_component *component, int64_t now_ns) {
  (void)now_ns;
  sink *s = (sink *)component;
  (void)sn_input_read(&s->in, NULL);
  return SN_OK;
}

static const sn_component_type sink_type = {
    .abi = SN_COMPONENT_ABI,
    .name = "Sink",
    .size = sizeof(sink),
    .ports = sink_ports,
    .needs = sink_needs,
    .step = sink_step,
};

typedef struct filter {
  sn_component base;
  double width;
} filter;

static const sn_property filter_properties[] = {
    SN_PROPERTY(filter, "width", width, .initial = "3"),
    {.name = NULL},
};

static const sn_component_type filter_type = {
    .abi = SN_COMPONENT_ABI,
    .name = "Filter",
    .size = sizeof(filter),
    .properties = filter_properties,
};

static void good(sn_status status, const sn_error *err) {
  if (status != SN_OK) {
    fail_msg("%s", err->message);
  }
}

static void build(control_rig *rig) {
  const sn_system_config config = {.clock = &rig->clock};
  rig->system = sn_system_create(&config);
  assert_non_null(rig->system);
  sn_error err = {SN_OK, ""};
  sn_component *s = NULL;
  sn_component *k = NULL;
  sn_component *f = NULL;
  sn_activity *activity = NULL;
  const sn_activity_config cycle = {.name = "cycle", .period_ns = PERIOD_NS};
  good(sn_system_add_activity(rig->system, &cycle, &activity, &err), &err);
  good(sn_system_add(rig->system, &source_type, "source", &s, &err), &err);
  good(sn_system_add(rig->system, &filter_type, "source.filter", &f, &err), &err);
  good(sn_system_add(rig->system, &sink_type, "sink", &k, &err), &err);
  /* Long deadlines: a busy machine must not cause the error state. */
  good(sn_system_assign(rig->system, s, activity, INT64_C(60000000000), &err), &err);
  good(sn_system_assign(rig->system, k, activity, INT64_C(60000000000), &err), &err);
  const sn_connection latest = {0};
  good(sn_system_connect(rig->system, "source.count", "sink.in", &latest, &err), &err);
  good(sn__system_require(rig->system, "sink.adder", "source.add", &err), &err);
}

void control_rig_open(control_rig *rig) {
  *rig = (control_rig){.system = NULL};
  sn_clock_init_simulated(&rig->clock, 0);
  build(rig);
  sn_error err = {SN_OK, ""};
  for (size_t i = 0; i < sn_system_component_count(rig->system); i++) {
    sn_component *component = sn_system_component_at(rig->system, i);
    if (sn_component_state_now(component) == SN_STATE_UNCONFIGURED) {
      good(sn_system_configure(rig->system, component, &err), &err);
    }
  }
}

void control_rig_serve(control_rig *rig) {
  *rig = (control_rig){.system = NULL};
  sn_clock_init_monotonic(&rig->clock);
  build(rig);
  sn_test_folder_create(rig->folder);
  snprintf(rig->socket, sizeof rig->socket, "%s/s.sock", rig->folder);
  sn_error err = {SN_OK, ""};
  good(sn_system_begin(rig->system, &err), &err);
  good(sn_system_launch(rig->system, &err), &err);
  good(control_server_start(rig->system, rig->socket, &rig->server, &err), &err);
}

void control_rig_close(control_rig *rig) {
  control_server_stop(rig->server);
  sn_system_destroy(rig->system);
  if (rig->folder[0] != '\0') {
    sn_test_folder_remove(rig->folder);
  }
}

control_rig served;

int control_rig_set_up(void **state) {
  (void)state;
  atomic_store(&control_rig_gate_closed, false);
  control_rig_serve(&served);
  return 0;
}

int control_rig_tear_down(void **state) {
  (void)state;
  atomic_store(&control_rig_gate_closed, false);
  control_rig_close(&served);
  return 0;
}
