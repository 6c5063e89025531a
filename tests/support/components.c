#include "components.h"

#include <math.h>
#include <stdio.h>

#include "sinew/msg_types.h"

/* ---- Source ---- */

typedef struct limits {
  double low, high;
} limits;

typedef struct source {
  sn_component component;
  sn_output out;
  double amplitude;
  sn_texts names;
  limits limits;
  uint64_t steps;
} source;

static const sn_property limits_table[] = {
    SN_PROPERTY(limits, "low", low, .initial = "-1", .unit = "m"),
    SN_PROPERTY(limits, "high", high, .initial = "1", .unit = "m"),
    {0}};
static const sn_property source_properties[] = {
    SN_PROPERTY(source, "amplitude", amplitude, .flags = SN_PROPERTY_LIVE, .initial = "1",
                .max = 10.0, .unit = "m", .doc = "Of y."),
    SN_PROPERTY(source, "names", names, .doc = "Not used."),
    SN_PROPERTY_BAG_OF(source, "limits", limits, limits_table, .doc = "Not used."),
    {0}};
static const sn_port source_ports[] = {
    SN_OUTPUT(source, "out", out, &sn_vector3_type, .doc = "What it makes."), {0}};

static sn_status source_reset(sn_component *component, const void *request, void *response,
                              sn_error *err) {
  (void)request, (void)response, (void)err;
  ((source *)component)->steps = 0;
  return SN_OK;
}

static const sn_operation source_operations[] = {
    {.name = "reset", .flags = SN_OWN_THREAD, .run = source_reset, .doc = "Count anew."}, {0}};

static sn_status source_step(sn_component *component, int64_t now_ns) {
  (void)now_ns;
  source *self = (source *)component;
  sn_vec3 *out = self->out.msg;
  out->x = (double)self->steps++;
  out->y = self->amplitude * sin(12.9898 * out->x);
  return sn_output_write(&self->out);
}

static const sn_component_type source_type = {.abi = SN_COMPONENT_ABI,
                                              .name = "Source",
                                              .doc = "Writes numbers.",
                                              .size = sizeof(source),
                                              .properties = source_properties,
                                              .ports = source_ports,
                                              .operations = source_operations,
                                              .step = source_step};

/* ---- Scale ---- */

typedef struct scale {
  sn_component component;
  double factor;
} scale;

static const sn_property scale_properties[] = {
    SN_PROPERTY(scale, "factor", factor, .initial = "1", .doc = "What it is."), {0}};

static const void *scale_iface(sn_component *component) {
  return &((scale *)component)->factor;
}

static const sn_service scale_services[] = {{.name = "Scaler", .iface = scale_iface}, {0}};

static const sn_component_type scale_type = {.abi = SN_COMPONENT_ABI,
                                             .name = "Scale",
                                             .doc = "Gives a factor.",
                                             .size = sizeof(scale),
                                             .properties = scale_properties,
                                             .services = scale_services};

/* ---- Gain ---- */

typedef struct gain {
  sn_component component;
  sn_input in;
  sn_output out;
  sn_requester scaler;
  double gain;
  const char *mode;
} gain;

static const sn_property gain_properties[] = {
    SN_PROPERTY(gain, "gain", gain, .flags = SN_PROPERTY_LIVE, .initial = "2", .doc = "Factor."),
    SN_PROPERTY(gain, "mode", mode, .initial = "on", .choices = "off|on", .doc = "Does it work?"),
    {0}};
static const sn_port gain_ports[] = {
    SN_INPUT(gain, "in", in, &sn_vector3_type, .flags = SN_PORT_REQUIRED),
    SN_OUTPUT(gain, "out", out, &sn_vector3_type, .doc = "The product."),
    {0}};
static const sn_need gain_needs[] = {{.name = "scaler",
                                      .interface = "Scaler",
                                      .offset = offsetof(gain, scaler),
                                      .is_optional = true},
                                     {0}};

static sn_status gain_step(sn_component *component, int64_t now_ns) {
  (void)now_ns;
  gain *self = (gain *)component;
  const sn_vec3 *in = sn_input_read(&self->in, NULL);
  if (in == NULL) {
    return SN_OK;
  }
  const double *scaler = self->scaler.iface;
  const double factor = self->gain * (scaler == NULL ? 1.0 : *scaler);
  sn_vec3 *out = self->out.msg;
  *out = (sn_vec3){factor * in->x, factor * in->y, factor * in->z};
  return sn_output_write(&self->out);
}

static const sn_component_type gain_type = {.abi = SN_COMPONENT_ABI,
                                            .name = "Gain",
                                            .doc = "Multiplies.",
                                            .size = sizeof(gain),
                                            .properties = gain_properties,
                                            .ports = gain_ports,
                                            .needs = gain_needs,
                                            .step = gain_step};

/* ---- Sink ---- */

typedef struct sink {
  sn_component component;
  sn_inputs in;
  sn_input back, tick;
  sn_output out;
  sn_caller reset;
  const char *label;
} sink;

static const sn_property sink_properties[] = {
    SN_PROPERTY(sink, "label", label, .flags = SN_PROPERTY_REQUIRED, .doc = "For the log."), {0}};
static const sn_port sink_ports[] = {
    SN_INPUTS(sink, "in", in, &sn_vector3_type, .doc = "All that comes."),
    SN_INPUT(sink, "back", back, &sn_vector3_type, .flags = SN_PORT_FEEDBACK),
    SN_INPUT(sink, "tick", tick, &sn_timer_event_type, .flags = SN_PORT_EVENT),
    SN_OUTPUT(sink, "out", out, &sn_vector3_type, .doc = "The sum."),
    {0}};
static const sn_need sink_needs[] = {
    {.name = "reset", .operation = "reset", .offset = offsetof(sink, reset)}, {0}};

static sn_status sink_start(sn_component *component, int64_t now_ns, sn_error *err) {
  (void)err;
  sink *self = (sink *)component;
  const sn_log_arg label = {.kind = SN_LOG_TEXT, .value.text = self->label};
  sn_component_log(component, now_ns, SN_LOG_INFO, "{} starts", 1, &label);
  return SN_OK;
}

static sn_status sink_step(sn_component *component, int64_t now_ns) {
  (void)now_ns;
  sink *self = (sink *)component;
  sn_vec3 *out = self->out.msg;
  for (size_t i = 0; i < self->in.count; i++) {
    const sn_vec3 *in = sn_input_read(&self->in.items[i], NULL);
    out->x += in == NULL ? 0.0 : in->x;
  }
  return sn_output_write(&self->out);
}

static const sn_component_type sink_type = {.abi = SN_COMPONENT_ABI,
                                            .name = "Sink",
                                            .doc = "Adds up.",
                                            .size = sizeof(sink),
                                            .properties = sink_properties,
                                            .ports = sink_ports,
                                            .needs = sink_needs,
                                            .start = sink_start,
                                            .step = sink_step};

/* ---- Faulty ---- */

typedef struct faulty {
  sn_component component;
  sn_output out;
  int64_t after;
} faulty;

static const sn_property faulty_properties[] = {
    SN_PROPERTY(faulty, "after", after, .initial = "10", .max = 1e6, .doc = "Good steps."), {0}};
static const sn_port faulty_ports[] = {
    SN_OUTPUT(faulty, "out", out, &sn_vector3_type, .doc = "Nothing."), {0}};

static sn_status faulty_configure(sn_component *component, sn_error *err) {
  const faulty *self = (const faulty *)component;
  if (self->after == 0) {
    snprintf(err->message, sizeof err->message, "it would not run at all");
  }
  return self->after == 0 ? SN_EINVAL : SN_OK;
}

static sn_status faulty_step(sn_component *component, int64_t now_ns) {
  (void)now_ns;
  return ((faulty *)component)->after-- > 0 ? SN_OK : SN_EIO;
}

static const sn_component_type faulty_type = {.abi = SN_COMPONENT_ABI,
                                              .name = "Faulty",
                                              .doc = "Fails after a while.",
                                              .size = sizeof(faulty),
                                              .properties = faulty_properties,
                                              .ports = faulty_ports,
                                              .configure = faulty_configure,
                                              .step = faulty_step};

const sn_component_type *const sn_test_components[] = {&source_type, &scale_type,  &gain_type,
                                                       &sink_type,   &faulty_type, NULL};
