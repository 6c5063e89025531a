#include "parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sinew/system.h"

/* ---- source ---- */

static const sn_property source_properties[] = {
    SN_PROPERTY(part_source, "width", width, .initial = "3", .min = 1, .max = 60,
                .doc = "How many positions."),
    SN_PROPERTY(part_source, "scale", scale, .initial = "1", .flags = SN_PROPERTY_LIVE,
                .unit = "rad", .min = -100, .max = 100, .doc = "What a step adds."),
    {0}};

static const sn_port source_ports[] = {
    SN_OUTPUT(part_source, "out", out, &sn_joint_state_type, .doc = "The positions."), {0}};

static sn_status source_step(sn_component *component, int64_t now_ns) {
  part_source *source = (part_source *)component;
  sn_joint_state *msg = source->out.msg;
  msg->header.stamp_ns = now_ns;
  msg->position.count = (size_t)source->width;
  for (size_t i = 0; i < msg->position.count; i++) {
    msg->position.data[i] = source->scale * (double)source->steps;
  }
  source->steps++;
  return sn_output_write(&source->out);
}

const sn_component_type part_source_type = {
    .abi = SN_COMPONENT_ABI,
    .name = "part_source",
    .doc = "Writes joint states.",
    .size = sizeof(part_source),
    .properties = source_properties,
    .ports = source_ports,
    .step = source_step,
};

/* ---- gain ---- */

static const sn_property gain_properties[] = {
    SN_PROPERTY(part_gain, "gain", gain, .initial = "2", .doc = "The factor."), {0}};

static const sn_port gain_ports[] = {
    SN_INPUT(part_gain, "in", in, &sn_joint_state_type, .flags = SN_PORT_EVENT, .doc = "Before."),
    SN_OUTPUT(part_gain, "out", out, &sn_joint_state_type, .doc = "After."),
    {0}};

static sn_status gain_step(sn_component *component, int64_t now_ns) {
  part_gain *gain = (part_gain *)component;
  (void)now_ns;
  gain->steps++;
  const sn_joint_state *in = sn_input_read(&gain->in, NULL);
  if (in == NULL) {
    return SN_OK;
  }
  sn_joint_state *out = gain->out.msg;
  out->header.stamp_ns = in->header.stamp_ns;
  out->position.count = in->position.count;
  for (size_t i = 0; i < in->position.count; i++) {
    out->position.data[i] = gain->gain * in->position.data[i];
  }
  return sn_output_write(&gain->out);
}

const sn_component_type part_gain_type = {
    .abi = SN_COMPONENT_ABI,
    .name = "part_gain",
    .doc = "Multiplies joint states.",
    .size = sizeof(part_gain),
    .properties = gain_properties,
    .ports = gain_ports,
    .step = gain_step,
};

/* ---- sink ---- */

static const sn_port sink_ports[] = {
    SN_INPUT(part_sink, "in", in, &sn_joint_state_type, .doc = "One."),
    SN_INPUTS(part_sink, "many", many, &sn_joint_state_type, .doc = "Several."),
    {0}};

static void sink_take(part_sink *sink, sn_input *input) {
  sn_flow flow = SN_NO_DATA;
  const sn_joint_state *msg = sn_input_read(input, &flow);
  sink->new_count += flow == SN_NEW_DATA;
  sink->old_count += flow == SN_OLD_DATA;
  sink->none_count += flow == SN_NO_DATA;
  if (flow == SN_NEW_DATA && msg->position.count > 0) {
    sink->last = msg->position.data[0];
    sink->sum += msg->position.data[0];
  }
}

static sn_status sink_step(sn_component *component, int64_t now_ns) {
  part_sink *sink = (part_sink *)component;
  (void)now_ns;
  sink->steps++;
  sink_take(sink, &sink->in);
  for (size_t i = 0; i < sink->many.count; i++) {
    sink_take(sink, &sink->many.items[i]);
  }
  return SN_OK;
}

const sn_component_type part_sink_type = {
    .abi = SN_COMPONENT_ABI,
    .name = "part_sink",
    .doc = "Reads joint states.",
    .size = sizeof(part_sink),
    .ports = sink_ports,
    .step = sink_step,
};

/* ---- faulty ---- */

static const sn_property faulty_properties[] = {
    SN_PROPERTY(part_faulty, "fail_at", fail_at, .initial = "-1", .doc = "Step that fails."),
    SN_PROPERTY(part_faulty, "kind", kind, .min = 0, .max = 5, .doc = "How it fails."),
    SN_PROPERTY(part_faulty, "overrun", overrun_s, .unit = "s", .doc = "How long it takes."),
    SN_PROPERTY(part_faulty, "refuse", refuse, .doc = "Hook that refuses."),
    {0}};

static const sn_port faulty_ports[] = {
    SN_OUTPUT(part_faulty, "out", out, &sn_joint_state_type, .doc = "Zeros."), {0}};

static sn_status faulty_hook(part_faulty *faulty, const char *hook, uint64_t *count,
                             sn_error *err) {
  *count += 1;
  if (strcmp(faulty->refuse, hook) != 0) {
    return SN_OK;
  }
  snprintf(err->message, sizeof err->message, "set to refuse");
  return SN_EINVAL;
}

static sn_status faulty_configure(sn_component *component, sn_error *err) {
  part_faulty *faulty = (part_faulty *)component;
  return faulty_hook(faulty, "configure", &faulty->configured, err);
}

static sn_status faulty_start(sn_component *component, int64_t now_ns, sn_error *err) {
  part_faulty *faulty = (part_faulty *)component;
  (void)now_ns;
  return faulty_hook(faulty, "start", &faulty->started, err);
}

static sn_status faulty_recover(sn_component *component, int64_t now_ns, sn_error *err) {
  part_faulty *faulty = (part_faulty *)component;
  (void)now_ns;
  return faulty_hook(faulty, "recover", &faulty->recovered, err);
}

static void faulty_stop(sn_component *component) {
  ((part_faulty *)component)->stopped++;
}

static void faulty_cleanup(sn_component *component) {
  ((part_faulty *)component)->cleaned++;
}

static sn_status faulty_step(sn_component *component, int64_t now_ns) {
  part_faulty *faulty = (part_faulty *)component;
  sn_joint_state *msg = faulty->out.msg;
  const bool fails = (int64_t)faulty->steps == faulty->fail_at;
  faulty->steps++;
  (void)now_ns;
  msg->position.count = 1;
  msg->position.data[0] = fails && faulty->kind == PART_NAN ? NAN : 0.0;
  (void)sn_output_write(&faulty->out);
  if (fails && faulty->kind == PART_OVERRUN) {
    sn_clock_advance(sn_system_clock(component->system), (int64_t)(1e9 * faulty->overrun_s));
  }
  if (fails && faulty->kind == PART_ALLOCATE) {
    faulty->got = sn_arena_alloc(sn_component_arena(component), 64, 8);
  }
  return fails && faulty->kind == PART_FAIL ? SN_EIO : SN_OK;
}

const sn_component_type part_faulty_type = {
    .abi = SN_COMPONENT_ABI,
    .name = "part_faulty",
    .doc = "Fails on request.",
    .size = sizeof(part_faulty),
    .properties = faulty_properties,
    .ports = faulty_ports,
    .configure = faulty_configure,
    .start = faulty_start,
    .step = faulty_step,
    .stop = faulty_stop,
    .cleanup = faulty_cleanup,
    .recover = faulty_recover,
};

/* ---- answer ---- */

static const sn_msg_field number_fields[] = {SN_MSG_FIELD(part_number, "value", value, "")};

const sn_msg_type part_number_type = {
    SN_MSG_TYPE_NAMES("sinew_test", "Number"),
    .brief = "A number.",
    .size = sizeof(part_number),
    .is_flat = true,
    .fields = number_fields,
    .field_count = 1,
};

static const sn_property answer_bag[] = {
    SN_PROPERTY(part_bag, "inner", inner, .doc = "A number in a bag."),
    SN_PROPERTY(part_bag, "label", label, .doc = "A text in a bag."),
    {0}};

static const sn_property answer_properties[] = {
    SN_PROPERTY(part_answer, "number", number, .initial = "1.5", .flags = SN_PROPERTY_LIVE,
                .min = -10, .max = 10, .doc = "A number."),
    SN_PROPERTY(part_answer, "words", words, .flags = SN_PROPERTY_LIVE, .doc = "Some words."),
    SN_PROPERTY_BAG_OF(part_answer, "bag", bag, answer_bag, .flags = SN_PROPERTY_LIVE,
                       .doc = "A bag."),
    {0}};

static sn_status answer_twice(sn_component *component, const void *request, void *response,
                              sn_error *err) {
  const part_number *number = request;
  part_answer *answer = (part_answer *)component;
  answer->twice_count++;
  if (number->value < 0) {
    snprintf(err->message, sizeof err->message, "%g is negative", number->value);
    return SN_EINVAL;
  }
  ((part_number *)response)->value = 2 * number->value;
  return SN_OK;
}

static sn_status answer_here(sn_component *component, const void *request, void *response,
                             sn_error *err) {
  (void)component;
  (void)err;
  ((part_number *)response)->value = ((const part_number *)request)->value + 1;
  return SN_OK;
}

static sn_status answer_relay(sn_component *component, const void *request, void *response,
                              sn_error *err) {
  return sn_call(&((part_answer *)component)->peer, request, response, err);
}

static const sn_operation answer_operations[] = {
    {"twice", SN_OWN_THREAD, &part_number_type, &part_number_type, answer_twice, "Doubles."},
    {"here", SN_CLIENT_THREAD, &part_number_type, &part_number_type, answer_here, "Adds one."},
    {"relay", SN_OWN_THREAD, &part_number_type, &part_number_type, answer_relay, "Asks its peer."},
    {0}};

static const void *answer_face(sn_component *component) {
  return &((part_answer *)component)->number;
}

static const sn_service answer_services[] = {{"part_number", answer_face, "Its number."}, {0}};

static const sn_need answer_needs[] = {{.name = "other",
                                        .interface = "part_number",
                                        .offset = offsetof(part_answer, other),
                                        .is_optional = true,
                                        .doc = "Another's number."},
                                       {.name = "peer",
                                        .operation = "twice",
                                        .request = &part_number_type,
                                        .response = &part_number_type,
                                        .offset = offsetof(part_answer, peer),
                                        .is_optional = true,
                                        .doc = "Who is asked by relay."},
                                       {0}};

static void answer_changed(sn_component *component, const sn_property *property) {
  (void)property;
  ((part_answer *)component)->changed_count++;
}

static sn_status answer_step(sn_component *component, int64_t now_ns) {
  (void)now_ns;
  ((part_answer *)component)->steps++;
  return SN_OK;
}

const sn_component_type part_answer_type = {
    .abi = SN_COMPONENT_ABI,
    .name = "part_answer",
    .doc = "Answers calls.",
    .size = sizeof(part_answer),
    .properties = answer_properties,
    .operations = answer_operations,
    .services = answer_services,
    .needs = answer_needs,
    .step = answer_step,
    .changed = answer_changed,
};
