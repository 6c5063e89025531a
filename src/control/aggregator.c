/* The gate as a component: who writes to which input, when to publish, and the emergency stop from
   any thread. What is safe is decided in gate.c. */
#include <string.h>

#include "base/fail.h"
#include "control/gate_log.h"
#include "control/stop_box.h"
#include "control/supports.h"
#include "sinew/clock.h"
#include "sinew/components.h"
#include "sinew/gate.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_stop.h"
#include "sinew/owners.h"
#include "sinew/robot_model.h"
#include "sinew/system.h"

enum {
  SOURCES_MAX = 32,
  /* Messages of one source in one cycle; the others wait in its queue. A source that writes 100 000
     in a second is kept up with at 100 Hz. */
  BURST_MAX = 1024,
  OUT_ITEMS = 512,
  TOLD_AGAIN_NS = 1000000000
};

/* Somebody who writes. One from outside has no component, and cannot own anything. */
typedef struct source {
  const sn_component *component;
  const char *name;
  int64_t told_ns; /* of supports that were refused */
  bool was_told;
} source;

typedef struct aggregator {
  sn_component component;
  bool publish_on_timer, publish_on_event;
  double reference_timeout, acceleration_time, velocity_default, period_max, start_tolerance;
  const sn_prop *initial_pose;
  sn_input sync, measured;
  sn_inputs joints, supports;
  sn_output joints_sorted, joints_accel, supports_out, stop;
  sn_requester robot_model, owners;

  const sn_model *model; /* held from configure to cleanup */
  sn_gate *gate;
  sn__supports *support_gate;
  int *joint_owners; /* [pose_size] */
  bool knows_owners;
  uint64_t owners_version;
  source sources[SOURCES_MAX];
  size_t source_count;
  int joints_source[SOURCES_MAX], supports_source[SOURCES_MAX]; /* of each input */

  sn__stop_box stops;
  uint64_t stops_seen;  /* by the last step */
  uint64_t stop_number; /* of the present stop */
  bool wants_text;      /* of the present stop: it may come a little later */
  bool is_stopped;      /* also while there is no gate */
  sn__stop_text stop_text;
  bool stop_changed; /* since it was published */
  bool was_at_rest;
  sn__gate_log log;
} aggregator;

/* ---- configure ---- */

static sn_status read_pose_entry(const aggregator *a, const sn_prop *entry, double *pose,
                                 sn_error *err) {
  const int joint = sn_model_joint_index(a->model, entry->name);
  if (joint < 0) {
    return sn__fail(err, SN_ENOENT, "initial_pose: there is no movable joint '%.80s'", entry->name);
  }
  if (!sn_prop_number(entry, &pose[joint])) {
    return sn__fail(err, SN_EINVAL, "initial_pose: '%.80s' is no number", entry->name);
  }
  return SN_OK;
}

/* Joints that the property does not name start at zero, or at the nearest limit. */
static sn_status read_pose(const aggregator *a, double *pose, sn_error *err) {
  for (size_t i = 0; i < sn_model_pose_size(a->model); i++) {
    const sn_joint *joint = sn_model_joint(a->model, i);
    pose[i] = joint->lower > 0.0 ? joint->lower : joint->upper < 0.0 ? joint->upper : 0.0;
  }
  if (a->initial_pose->kind != SN_PROP_BAG) {
    return sn__fail(err, SN_EINVAL, "initial_pose: must be joints with their positions");
  }
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < a->initial_pose->item_count; i++) {
    status = read_pose_entry(a, a->initial_pose->items[i], pose, err);
  }
  return status;
}

static sn_status make_gate(aggregator *a, sn_error *err) {
  sn_arena *arena = sn_component_arena(&a->component);
  const size_t n = sn_model_pose_size(a->model);
  double *pose = SN_NEW(arena, double, n);
  a->joint_owners = SN_NEW(arena, int, n);
  a->support_gate = sn__supports_create(arena, a->model);
  if (pose == NULL || a->joint_owners == NULL || a->support_gate == NULL ||
      sn__gate_log_keep(&a->log, sn_model_joint_names(a->model)) != SN_OK) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", n);
  }
  if (a->initial_pose != NULL) {
    const sn_status status = read_pose(a, pose, err);
    if (status != SN_OK) {
      return status;
    }
  }
  const double period_s = 1e-9 * (double)sn_component_period_ns(&a->component);
  const sn_gate_config config = {
      .source_count = SOURCES_MAX,
      .reference_timeout_s = a->reference_timeout,
      .acceleration_time_s = a->acceleration_time,
      .velocity_default = a->velocity_default,
      .period_max_s = a->period_max > 0.0 ? a->period_max : 2.0 * period_s,
      .initial_pose = a->initial_pose == NULL ? NULL : pose,
      .start_tolerance = a->start_tolerance};
  return sn_gate_create(arena, a->model, &config, &a->gate, err);
}

static void let_model_go(aggregator *a) {
  sn_robot_model_release((sn_robot_model *)a->robot_model.face);
  a->model = NULL;
  a->gate = NULL;
}

static sn_status configure(sn_component *component, sn_error *err) {
  aggregator *a = (aggregator *)component;
  a->model = sn_robot_model_hold((sn_robot_model *)a->robot_model.face);
  if (a->model == NULL) {
    return sn__fail(err, SN_ENOTCONFIGURED, "the robot model is not configured");
  }
  const size_t n = sn_model_pose_size(a->model);
  const size_t room = ((sn_joint_state *)a->joints_sorted.msg)->position.capacity;
  const sn_status status =
      n > room ? sn__fail(err, SN_ENOSPC, "%zu joints, %zu fit into a message", n, room)
               : make_gate(a, err);
  if (status != SN_OK) {
    let_model_go(a);
  }
  return status;
}

static void cleanup(sn_component *component) {
  let_model_go((aggregator *)component);
}

static void dispose(sn_component *component) {
  sn__gate_log_release(&((aggregator *)component)->log);
}

/* ---- start ---- */

/* The number of who writes to an input; one component is one source, whatever it writes to. */
static int add_source(aggregator *a, const sn_input *input) {
  const sn_component *writer = sn_input_writer(input);
  for (size_t i = 0; writer != NULL && i < a->source_count; i++) {
    if (a->sources[i].component == writer) {
      return (int)i;
    }
  }
  if (a->source_count == SOURCES_MAX) {
    return -1;
  }
  a->sources[a->source_count] =
      (source){.component = writer, .name = writer == NULL ? "outside" : writer->name};
  return (int)a->source_count++;
}

static bool add_sources(aggregator *a, const sn_inputs *inputs, int *numbers) {
  bool is_good = inputs->count <= SOURCES_MAX;
  for (size_t i = 0; is_good && i < inputs->count; i++) {
    numbers[i] = add_source(a, &inputs->items[i]);
    is_good = numbers[i] >= 0;
  }
  return is_good;
}

static sn_status find_sources(aggregator *a, sn_error *err) {
  a->source_count = 0;
  if (!add_sources(a, &a->joints, a->joints_source)) {
    return sn__fail(err, SN_ELIMIT, "more than %d sources", SOURCES_MAX);
  }
  /* Two who both move everything, with nobody to decide, is how robots shake. */
  if (!sn_requester_is_ready(&a->owners) && (a->source_count > 1 || a->supports.count > 1)) {
    return sn__fail(err, SN_EINVAL,
                    "%zu sources are connected and nobody decides who moves what: connect "
                    "'owners', or one source only",
                    a->source_count > 1 ? a->source_count : a->supports.count);
  }
  return add_sources(a, &a->supports, a->supports_source)
             ? SN_OK
             : sn__fail(err, SN_ELIMIT, "more than %d sources", SOURCES_MAX);
}

static void begin(aggregator *a, int64_t now_ns) {
  sn_gate_restart(a->gate, sn_input_is_connected(&a->measured), now_ns);
  if (a->is_stopped && !sn_gate_stop_now(a->gate)->is_stopped) {
    sn_gate_stop(a->gate, a->stop_text.who, a->stop_text.why, now_ns); /* configured anew */
  }
  a->knows_owners = false;
  a->stop_changed = true;
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  aggregator *a = (aggregator *)component;
  const sn_status status = find_sources(a, err);
  if (status != SN_OK) {
    return status;
  }
  if (!sn_requester_is_ready(&a->owners) && a->source_count == 1) {
    const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = a->sources[0].name};
    sn_component_log(component, now_ns, SN_LOG_WARNING,
                     "nobody decides who moves what: '{}' moves everything", 1, &arg);
  }
  begin(a, now_ns);
  return SN_OK;
}

static sn_status recover(sn_component *component, int64_t now_ns, sn_error *err) {
  (void)err;
  begin((aggregator *)component, now_ns);
  return SN_OK;
}

static void changed(sn_component *component, const sn_property *property) {
  aggregator *a = (aggregator *)component;
  (void)property;
  sn_gate_set_reference_timeout(a->gate, a->reference_timeout);
}

/* ---- one cycle ---- */

static void heed_stops(aggregator *a, int64_t now_ns) {
  const uint64_t count = sn__stop_box_count(&a->stops);
  sn__stop_text text;
  if (count != a->stops_seen) {
    if (!sn_gate_stop_now(a->gate)->is_stopped) {
      sn_gate_stop(a->gate, "", "", now_ns);
      sn_component_log(&a->component, now_ns, SN_LOG_ERROR, "emergency stop", 0, NULL);
      a->stop_number = a->stops_seen;
      a->stop_text = (sn__stop_text){.who = ""};
      a->is_stopped = a->wants_text = true;
    }
    a->stops_seen = count;
    a->stop_changed = true;
  } else if (!a->wants_text) {
    return;
  }
  if (sn__stop_box_take(&a->stops, a->stop_number, &text) && a->wants_text) {
    sn_gate_stop_explain(a->gate, text.who, text.why);
    a->stop_text = text;
    a->wants_text = false;
    a->stop_changed = true;
  }
}

static int source_of(const aggregator *a, const sn_component *component) {
  for (size_t i = 0; component != NULL && i < a->source_count; i++) {
    if (a->sources[i].component == component) {
      return (int)i;
    }
  }
  return -1;
}

static void heed_owners(aggregator *a, int64_t now_ns) {
  const sn_owner_table *table =
      sn_requester_is_ready(&a->owners) ? sn_owners_now((sn_owners *)a->owners.face) : NULL;
  if (a->knows_owners && (table == NULL || table->version == a->owners_version)) {
    return;
  }
  for (size_t i = 0; i < sn_model_pose_size(a->model); i++) {
    /* Without a table there is one source at most. */
    a->joint_owners[i] = table != NULL         ? source_of(a, table->owners[i])
                         : a->joints.count > 0 ? 0
                                               : -1;
  }
  sn_gate_own(a->gate, a->joint_owners, now_ns);
  sn__supports_own(a->support_gate, a->joint_owners);
  a->knows_owners = true;
  a->owners_version = table == NULL ? 0 : table->version;
}

static void read_measured(aggregator *a, int64_t now_ns) {
  sn_flow flow = SN_NO_DATA;
  const sn_joint_state *msg = sn_input_read(&a->measured, &flow);
  if (flow == SN_NEW_DATA) {
    (void)sn_gate_measure(a->gate, msg, now_ns);
  }
}

/* Everything that came, in its order. @return whether something did */
static bool read_joints(aggregator *a, int64_t now_ns) {
  bool is_new = false;
  for (size_t i = 0; i < a->joints.count; i++) {
    sn_flow flow = SN_NEW_DATA;
    for (int k = 0; k < BURST_MAX && flow == SN_NEW_DATA; k++) {
      const sn_joint_state *msg = sn_input_read(&a->joints.items[i], &flow);
      if (flow == SN_NEW_DATA) {
        (void)sn_gate_take(a->gate, (size_t)a->joints_source[i], msg, now_ns);
        is_new = true;
      }
    }
  }
  return is_new;
}

/* One that does not run any more, or was disconnected, is not waited for. */
static void lose_the_dead(aggregator *a, int64_t now_ns) {
  for (size_t i = 0; i < a->joints.count; i++) {
    const size_t number = (size_t)a->joints_source[i];
    const sn_component *expected = a->sources[number].component;
    const sn_component *writer = sn_input_writer(&a->joints.items[i]);
    if (writer != expected ||
        (writer != NULL && sn_component_state_now(writer) != SN_STATE_RUNNING)) {
      sn_gate_lose(a->gate, number, now_ns);
    }
  }
}

static void tell_about_supports(aggregator *a, source *from, sn_gate_reason reason, int chain,
                                int64_t now_ns) {
  if (from->was_told && now_ns - from->told_ns < TOLD_AGAIN_NS) {
    return;
  }
  from->was_told = true;
  from->told_ns = now_ns;
  const sn_log_arg args[] = {
      {.kind = SN_LOG_TEXT, .value.text = from->name},
      {.kind = SN_LOG_INT, .value.integer = chain},
      {.kind = SN_LOG_TEXT, .value.text = sn_gate_reason_text(reason)},
  };
  sn_component_log(&a->component, now_ns, SN_LOG_WARNING,
                   "source '{}', support of chain number {}: {}", 3, args);
}

static void read_supports(aggregator *a, int64_t now_ns) {
  for (size_t i = 0; i < a->supports.count; i++) {
    sn_flow flow = SN_NEW_DATA;
    for (int k = 0; k < BURST_MAX && flow == SN_NEW_DATA; k++) {
      const sn_support_state *msg = sn_input_read(&a->supports.items[i], &flow);
      if (flow != SN_NEW_DATA) {
        break;
      }
      const int number = a->supports_source[i];
      int chain = -1;
      const sn_gate_reason reason = sn__supports_take(
          a->support_gate, sn_requester_is_ready(&a->owners) ? number : 0, msg, &chain);
      if (reason != SN_GATE_REASON_COUNT) {
        tell_about_supports(a, &a->sources[number], reason, chain, now_ns);
      }
    }
  }
}

static void set_numbers(sn_seq_f64 *to, const double *from, size_t count) {
  to->count = from == NULL ? 0 : count;
  if (from != NULL) {
    memcpy(to->data, from, count * sizeof *from);
  }
}

/* A reader that is too small has been counted; it is no reason for the gate to fail. */
static void publish(aggregator *a, const sn_gate_command *command, int64_t now_ns) {
  const size_t n = sn_model_pose_size(a->model);
  sn_joint_state *sorted = a->joints_sorted.msg;
  sorted->header.stamp_ns = now_ns;
  sn_msg_names_share(&sorted->name, sn_model_joint_names(a->model));
  set_numbers(&sorted->position, command->q, n);
  set_numbers(&sorted->velocity, command->qd, n);
  set_numbers(&sorted->effort, command->tau, n);
  (void)sn_output_write(&a->joints_sorted);
  if (sn_output_is_connected(&a->joints_accel)) {
    sn_joint_state_accel *accel = a->joints_accel.msg;
    accel->header.stamp_ns = now_ns;
    sn_msg_names_share(&accel->name, sn_model_joint_names(a->model));
    set_numbers(&accel->position, command->q, n);
    set_numbers(&accel->velocity, command->qd, n);
    set_numbers(&accel->acceleration, command->qdd, n);
    set_numbers(&accel->effort, command->tau, n);
    (void)sn_output_write(&a->joints_accel);
  }
  sn_support_state *supports = a->supports_out.msg;
  supports->header.stamp_ns = now_ns;
  if (sn_output_is_connected(&a->supports_out) &&
      sn__supports_write(a->support_gate, supports) == SN_OK) {
    (void)sn_output_write(&a->supports_out);
  }
}

static void set_text(sn_msg_text *to, const char *text) {
  if (sn_msg_text_set(to, text) != SN_OK) {
    (void)sn_msg_text_set(to, "...");
  }
}

static void describe_stop(aggregator *a, int64_t now_ns, sn_stop_state *out) {
  const sn_gate_stop_state *stop = sn_gate_stop_now(a->gate);
  out->header.stamp_ns = now_ns;
  out->stopped = stop->is_stopped;
  out->at_rest = sn_gate_is_at_rest(a->gate);
  out->since_ns = stop->since_ns;
  out->resumed_ns = stop->resumed_ns;
  out->count = a->stops_seen;
  set_text(&out->who, stop->who);
  set_text(&out->why, stop->why);
  set_text(&out->resumed_by, stop->resumed_by);
}

static void publish_stop(aggregator *a, int64_t now_ns) {
  const bool is_at_rest = sn_gate_is_at_rest(a->gate);
  if (!a->stop_changed && is_at_rest == a->was_at_rest) {
    return;
  }
  a->stop_changed = false;
  a->was_at_rest = is_at_rest;
  describe_stop(a, now_ns, a->stop.msg);
  (void)sn_output_write(&a->stop);
}

static void tell_events(aggregator *a) {
  sn_gate_event event;
  while (sn_gate_next_event(a->gate, &event)) {
    sn__gate_log_write(&a->log, &a->component, &event,
                       event.source < 0 ? "measured" : a->sources[event.source].name);
  }
}

static sn_status step(sn_component *component, int64_t now_ns) {
  aggregator *a = (aggregator *)component;
  sn_flow tick = SN_NO_DATA;
  (void)sn_input_read(&a->sync, &tick);
  heed_stops(a, now_ns);
  heed_owners(a, now_ns);
  read_measured(a, now_ns);
  const bool is_new = read_joints(a, now_ns);
  lose_the_dead(a, now_ns);
  read_supports(a, now_ns);
  /* What moves is never left alone, whatever the properties say: it has to come to a stop. */
  const bool on_timer =
      tick == SN_NEW_DATA && (a->publish_on_timer || !sn_gate_is_at_rest(a->gate));
  if (on_timer || (is_new && a->publish_on_event)) {
    const sn_gate_command *command = sn_gate_step(a->gate, now_ns);
    if (command != NULL) {
      publish(a, command, now_ns);
    }
  }
  publish_stop(a, now_ns);
  tell_events(a);
  return SN_OK;
}

/* ---- operations ---- */

static sn_status emergency_stop(sn_component *component, const void *request, void *response,
                                sn_error *err) {
  const sn_call_stop *call = request;
  (void)response;
  (void)err;
  sn__stop_box_put(&((aggregator *)component)->stops, call->who.data, call->why.data);
  return SN_OK;
}

static sn_status resume(sn_component *component, const void *request, void *response,
                        sn_error *err) {
  aggregator *a = (aggregator *)component;
  (void)response;
  /* A stop that came since the last cycle is one that nobody can have meant to end. */
  if (sn__stop_box_count(&a->stops) != a->stops_seen) {
    return sn__fail(err, SN_EBUSY, "an emergency stop has just come in");
  }
  const int64_t now_ns = sn_clock_now_ns(sn_system_clock(component->system));
  const sn_status status =
      sn_gate_resume(a->gate, ((const sn_call_name *)request)->name.data, now_ns);
  if (status != SN_OK) {
    return sn__fail(err, status,
                    status == SN_EBUSY ? "the robot still brakes" : "there is no emergency stop");
  }
  a->is_stopped = a->wants_text = false;
  a->stop_changed = true;
  sn_component_log(component, now_ns, SN_LOG_WARNING, "resumed after an emergency stop", 0, NULL);
  return SN_OK;
}

static sn_status get_stop(sn_component *component, const void *request, void *response,
                          sn_error *err) {
  (void)request;
  (void)err;
  describe_stop((aggregator *)component, sn_clock_now_ns(sn_system_clock(component->system)),
                response);
  return SN_OK;
}

/* ---- tables ---- */

static const sn_property properties[] = {
    SN_PROPERTY(aggregator, "publish_on_timer", publish_on_timer, .initial = "true",
                .flags = SN_PROPERTY_LIVE,
                .doc = "A pose at every tick; what moves is published at every tick anyway."),
    SN_PROPERTY(aggregator, "publish_on_event", publish_on_event, .initial = "false",
                .flags = SN_PROPERTY_LIVE, .doc = "A pose whenever a reference arrives."),
    SN_PROPERTY(aggregator, "reference_timeout", reference_timeout, .initial = "0.5", .unit = "s",
                .min = 0.001, .max = 60, .flags = SN_PROPERTY_LIVE,
                .doc = "A joint whose owner is silent for longer is slowed down and held."),
    SN_PROPERTY(aggregator, "acceleration_time", acceleration_time, .initial = "0.1", .unit = "s",
                .min = 0.001, .max = 60,
                .doc = "From rest to full speed, where the robot states no acceleration."),
    SN_PROPERTY(aggregator, "velocity_default", velocity_default, .initial = "1",
                .unit = "rad/s or m/s", .min = 0.001, .max = 1000,
                .doc = "Full speed where the robot states none."),
    SN_PROPERTY(aggregator, "period_max", period_max, .initial = "0", .unit = "s", .min = 0,
                .max = 1,
                .doc = "The longest time that one cycle makes up for; 0: twice the period of the "
                       "activity, or 0.02 s if it has none."),
    SN_PROPERTY(aggregator, "start_tolerance", start_tolerance, .initial = "0.05",
                .unit = "rad or m", .min = 0.0001, .max = 1,
                .doc = "How far outside of its limits a joint may be measured at the start."),
    SN_PROPERTY(aggregator, "initial_pose", initial_pose,
                .doc = "Joints and where they start, if nothing is measured; others start at zero "
                       "or at the limit that is nearest to it."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(aggregator, "sync", sync, &sn_timer_event_type,
             .flags = SN_PORT_EVENT | SN_PORT_REQUIRED,
             .doc = "The tick: without it nothing could be slowed down in time."),
    SN_INPUTS(aggregator, "in_joints", joints, &sn_joint_state_type, .flags = SN_PORT_EVENT,
              .doc = "References of controllers: any joints in any order."),
    SN_INPUTS(aggregator, "in_supports", supports, &sn_support_state_type,
              .doc = "Which chains carry the robot, as controllers say."),
    SN_INPUT(aggregator, "in_joints_measured", measured, &sn_joint_state_type,
             .flags = SN_PORT_FEEDBACK,
             .doc = "If connected, the robot starts where it is, and not before that is known."),
    SN_OUTPUT(aggregator, "joints_sorted", joints_sorted, &sn_joint_state_type,
              .capacity = {.item_count = OUT_ITEMS}, .doc = "The command: all joints, sorted."),
    SN_OUTPUT(aggregator, "joints_accel", joints_accel, &sn_joint_state_accel_type,
              .capacity = {.item_count = OUT_ITEMS}, .doc = "The same with accelerations."),
    SN_OUTPUT(aggregator, "supports", supports_out, &sn_support_state_type,
              .capacity = {.item_count = SN_CHAINS_MAX},
              .doc = "All chains, and how much each carries."),
    SN_OUTPUT(aggregator, "stop", stop, &sn_stop_state_type, .capacity = {.text_size = 256},
              .doc = "The emergency stop, whenever it changes."),
    {0}};

static const sn_need needs[] = {
    {.name = "robot_model",
     .interface = SN_ROBOT_MODEL,
     .offset = offsetof(aggregator, robot_model),
     .doc = "The robot."},
    {.name = "owners",
     .interface = SN_OWNERS,
     .offset = offsetof(aggregator, owners),
     .is_optional = true,
     .doc = "Who may move what; without it one source only may be connected."},
    {0}};

static const sn_operation operations[] = {
    {"emergencyStop", SN_CLIENT_THREAD, &sn_call_stop_type, NULL, emergency_stop,
     "Brake all joints and hold them, from the next cycle until somebody resumes."},
    {"resume", SN_OWN_THREAD, &sn_call_name_type, NULL, resume,
     "End the emergency stop; references from before it are forgotten."},
    {"getStop", SN_OWN_THREAD, NULL, &sn_stop_state_type, get_stop,
     "The emergency stop as it is: who, why, since when."},
    {0}};

const sn_component_type sn_aggregator_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "aggregator",
    .doc = "The gate to the servos: references of the owners in, one safe and complete pose out.",
    .size = sizeof(aggregator),
    .properties = properties,
    .ports = ports,
    .operations = operations,
    .needs = needs,
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = cleanup,
    .recover = recover,
    .dispose = dispose,
    .changed = changed,
};
