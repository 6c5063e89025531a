/* The gate as a component: tables, lifecycle, when it publishes. gate*.c decide what is safe. */
#include "gate/gate_component.h"

#include <math.h>
#include <string.h>

#include "arbiter/owners.h"
#include "base/fail.h"
#include "collision/objects.h"
#include "msg/types/msg_collision.h"
#include "msg/types/msg_counts.h"
#include "rt/component_tables.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"

/* ---- configure ---- */

static sn_status read_pose_entry(const sn__gate_component *a, const sn_value *entry, double *pose,
                                 sn_error *err) {
  const int joint = sn_model_joint_index(a->model, entry->name);
  if (joint < 0) {
    return sn__fail(err, SN_ENOENT, "initial_pose: '%.80s' is not a movable joint", entry->name);
  }
  if (!sn_value_number(entry, &pose[joint])) {
    return sn__fail(err, SN_EINVAL, "initial_pose: '%.80s' is not a number", entry->name);
  }
  return SN_OK;
}

static sn_status read_pose(const sn__gate_component *a, double *pose, sn_error *err) {
  for (size_t i = 0; i < sn_model_pose_size(a->model); i++) {
    pose[i] = NAN; /* the gate's default */
  }
  if (a->initial_pose->kind != SN_VALUE_BAG) {
    return sn__fail(err, SN_EINVAL, "initial_pose: must be joints with their positions");
  }
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < a->initial_pose->item_count; i++) {
    status = read_pose_entry(a, a->initial_pose->items[i], pose, err);
  }
  return status;
}

static sn_status make_gate(sn__gate_component *a, sn_error *err) {
  sn_arena *arena = sn_component_arena(&a->component);
  const size_t n = sn_model_pose_size(a->model);
  double *pose = SN_NEW(arena, double, n);
  sn_gate_joint_limits *limits = SN_NEW(arena, sn_gate_joint_limits, n);
  a->joint_owners = SN_NEW(arena, int, n);
  a->support_gate = sn__supports_create(arena, a->model);
  if (pose == NULL || limits == NULL || a->joint_owners == NULL || a->support_gate == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", n);
  }
  for (size_t i = 0; i < n; i++) {
    a->joint_owners[i] = -1;
  }
  sn_status status = sn__gate_component_read_limits(a, limits, err);
  if (status == SN_OK && a->initial_pose != NULL) {
    status = read_pose(a, pose, err);
  }
  status = status == SN_OK ? sn__gate_component_make_checker(a, err) : status;
  if (status != SN_OK) {
    return status;
  }
  const double period_s = 1e-9 * (double)sn_component_period_ns(&a->component);
  const sn_gate_config config = {
      .source_count = SN__SOURCES_MAX,
      .reference_timeout_s = a->reference_timeout,
      .acceleration_time_s = a->acceleration_time,
      .velocity_default = a->velocity_default,
      .period_max_s = a->period_max > 0.0 ? a->period_max : 2.0 * period_s,
      .initial_pose = a->initial_pose == NULL ? NULL : pose,
      .start_tolerance = a->start_tolerance,
      .stop_limp = a->stop_limp,
      .joint_limits = limits,
      .collision = a->collision.checker,
      .collision_margin = a->collision.margin};
  status = sn__gate_create(arena, a->model, &config, &a->gate, err);
  if (status == SN_OK) {
    sn__gate_set_guarded(a->gate, a->collision.is_wanted);
  }
  return status;
}

static void let_model_go(sn__gate_component *a) {
  sn__estop_unregister(sn__estop_of(a->component.system), a->party);
  a->party = -1;
  sn__model_release(&a->robot_model);
  a->model = NULL;
  a->gate = NULL;
}

static sn_status configure(sn_component *component, sn_error *err) {
  sn__gate_component *a = (sn__gate_component *)component;
  a->model = sn__model_hold(&a->robot_model, err);
  a->party = -1;
  if (a->model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  const size_t n = sn_model_pose_size(a->model);
  const size_t room = ((sn_joint_state *)a->joints_sorted.msg)->position.capacity;
  sn_status status = sn__fits(n, room, "joints", err);
  if (status == SN_OK) {
    status = make_gate(a, err);
  }
  if (status == SN_OK) {
    status = sn__gate_component_find_sources(
        a, err); /* start does it again; `sinew check` only configures */
  }
  if (status == SN_OK) {
    status = sn__gate_component_join_stop(a, err);
  }
  if (status != SN_OK) {
    let_model_go(a);
  }
  return status;
}

static void cleanup(sn_component *component) {
  let_model_go((sn__gate_component *)component);
}

/* ---- start ---- */

static void begin(sn__gate_component *a, int64_t now_ns) {
  sn__gate_restart(a->gate, sn_input_is_connected(&a->measured), now_ns);
  if (a->is_stopped && !sn__gate_stop_now(a->gate)->is_stopped) {
    sn__gate_stop(a->gate, a->stop_text.who, a->stop_text.why, now_ns); /* configured again */
  }
  a->now_ns = now_ns;
  a->knows_owners = false;
  a->stop_changed = true;
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  sn__gate_component *a = (sn__gate_component *)component;
  const sn_status status = sn__gate_component_find_sources(a, err);
  if (status != SN_OK) {
    return status;
  }
  sn__gate_component_log_collision(a, now_ns);
  if (!sn_requester_is_ready(&a->owners) && a->source_count == 1) {
    const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = a->sources[0].name};
    sn_component_log(component, now_ns, SN_LOG_WARNING, "no arbiter: '{}' may move everything", 1,
                     &arg);
  }
  begin(a, now_ns);
  return SN_OK;
}

static sn_status recover(sn_component *component, int64_t now_ns, sn_error *err) {
  (void)err;
  begin((sn__gate_component *)component, now_ns);
  return SN_OK;
}

static void changed(sn_component *component, const sn_property *property) {
  sn__gate_component *a = (sn__gate_component *)component;
  sn__gate_set_reference_timeout(a->gate, a->reference_timeout);
  sn__gate_set_stop_limp(a->gate, a->stop_limp);
  if (property->offset == offsetof(sn__gate_component, collision.is_wanted)) {
    sn__gate_set_guarded(a->gate, a->collision.is_wanted);
    sn__gate_component_log_guarded(a, a->now_ns);
  }
  sn__estop_gate_set_limp(sn__estop_of(component->system), a->party, a->stop_limp);
}

/* ---- one cycle ---- */

static void set_numbers(sn_seq_f64 *to, const double *from, size_t count) {
  to->count = from == NULL ? 0 : count;
  if (from != NULL) {
    memcpy(to->data, from, count * sizeof *from);
  }
}

static void publish_limp(sn__gate_component *a, const bool *limp, int64_t now_ns) {
  const size_t n = sn_model_pose_size(a->model);
  sn_servo_goal *out = a->limp_out.msg;
  out->header.stamp_ns = now_ns;
  sn_msg_names_share(&out->name, sn_model_joint_names(a->model));
  memcpy(out->limp.data, limp, n * sizeof *limp);
  out->limp.count = n;
  (void)sn_output_write(&a->limp_out);
}

/* A reader with too little room is counted; the gate does not fail. */
static void publish(sn__gate_component *a, const sn_gate_command *command, int64_t now_ns) {
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
  if (sn_output_is_connected(&a->limp_out)) {
    publish_limp(a, command->limp, now_ns);
  }
  sn_support_state *supports = a->supports_out.msg;
  supports->header.stamp_ns = now_ns;
  if (sn_output_is_connected(&a->supports_out) &&
      sn__supports_write(a->support_gate, supports) == SN_OK) {
    (void)sn_output_write(&a->supports_out);
  }
}

static sn_status step(sn_component *component, int64_t now_ns) {
  sn__gate_component *a = (sn__gate_component *)component;
  sn_flow tick = SN_NO_DATA;
  a->now_ns = now_ns;
  (void)sn_input_read(&a->sync, &tick);
  sn__gate_component_check_stop(a, now_ns);
  sn__gate_component_update_owners(a, now_ns);
  sn__gate_component_read_base(a);
  sn__gate_component_read_changes(a);
  const bool is_new = sn__gate_component_read(a, now_ns);
  /* A joint in motion is always stepped, whatever the properties say: it must come to a stop. Limp
     joints may move at any time. */
  const bool on_timer =
      tick == SN_NEW_DATA &&
      (a->publish_on_timer || !sn__gate_is_at_rest(a->gate) || sn__gate_has_limp(a->gate));
  if (on_timer || (is_new && a->publish_on_event)) {
    const sn_gate_command *command = sn__gate_step(a->gate, now_ns);
    if (command != NULL) {
      publish(a, command, now_ns);
    }
  }
  sn__gate_component_acknowledge_stop(a);
  sn__gate_component_publish_stop(a, now_ns);
  sn__gate_component_report_collision(a, now_ns);
  sn__gate_component_publish_world(a, now_ns);
  sn__gate_component_log_events(a);
  return SN_OK;
}

/* ---- tables ---- */

static const sn_property properties[] = {
    SN_PROPERTY(sn__gate_component, "publish_on_timer", publish_on_timer, .initial = "true",
                .flags = SN_PROPERTY_LIVE,
                .doc = "Publish a pose at every tick; joints in motion are always published."),
    SN_PROPERTY(sn__gate_component, "publish_on_event", publish_on_event, .initial = "false",
                .flags = SN_PROPERTY_LIVE, .doc = "Publish a pose whenever a reference arrives."),
    SN_PROPERTY(sn__gate_component, "reference_timeout", reference_timeout, .initial = "0.5",
                .unit = "s", .min = 0.001, .max = 60, .flags = SN_PROPERTY_LIVE,
                .doc = "A joint whose owner is silent for longer brakes and is held."),
    SN_PROPERTY(sn__gate_component, "acceleration_time", acceleration_time, .initial = "0.1",
                .unit = "s", .min = 0.001, .max = 60,
                .doc = "From rest to full speed, where the robot states no acceleration."),
    SN_PROPERTY(sn__gate_component, "velocity_default", velocity_default, .initial = "1",
                .unit = "rad/s or m/s", .min = 0.001, .max = 1000,
                .doc = "Full speed where the robot states none."),
    SN_PROPERTY_BAGS_OF(sn__gate_component, "joint_limits", joint_limits, sn__gate_joint_limit,
                        sn__gate_limit_table,
                        .doc = "Limits of joints in place of those that the robot states, for "
                               "example those of their servos."),
    SN_PROPERTY(sn__gate_component, "period_max", period_max, .initial = "0", .unit = "s", .min = 0,
                .max = 1,
                .doc = "Longest time that one cycle covers; 0: twice the period of the activity, "
                       "or 0.02 s if it has none."),
    SN_PROPERTY(sn__gate_component, "start_tolerance", start_tolerance, .initial = "0.05",
                .unit = "rad or m", .min = 0.0001, .max = 1,
                .doc = "How far outside its limits a joint may be measured at the start."),
    SN_PROPERTY(sn__gate_component, "stop_limp", stop_limp, .initial = "false",
                .flags = SN_PROPERTY_LIVE,
                .doc = "An emergency stop makes all joints limp instead of holding them."),
    SN_PROPERTY(sn__gate_component, "collision_guard", collision.is_wanted, .initial = "true",
                .flags = SN_PROPERTY_LIVE,
                .doc = "Keep links apart from each other and from the objects of the world."),
    SN_PROPERTY(sn__gate_component, "collision_margin", collision.margin, .initial = "0",
                .unit = "m", .min = 0, .max = 1,
                .doc = "Distance that links keep; 0: 5 % of their mean radius, 1 to 10 mm."),
    SN_PROPERTY_BAGS_OF(sn__gate_component, "collision_off", collision.off, sn__collision_off,
                        sn__gate_off_table,
                        .doc = "Pairs of links, or of a link and an object, that may touch."),
    SN_PROPERTY(sn__gate_component, "collision_srdf", collision.srdf,
                .flags = SN_PROPERTY_PATH | SN_PROPERTY_INPUT,
                .doc = "SRDF file whose `disable_collisions` name pairs of links that may touch."),
    SN_PROPERTY(sn__gate_component, "world", collision.world,
                .doc = "Objects that the robot must not touch (docs/collision.md)."),
    SN_PROPERTY(sn__gate_component, "world_objects_max", collision.objects_max, .initial = "32",
                .unit = "objects", .min = 0, .max = SN__COLLISION_OBJECTS_MAX,
                .doc = "Room for objects; each adds a pair for every moving link to each cycle."),
    SN_PROPERTY(sn__gate_component, "initial_pose", initial_pose,
                .doc =
                    "Start positions by joint, if nothing is measured; others start at zero or at "
                    "the nearest limit."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(sn__gate_component, "sync", sync, &sn_timer_event_type,
             .flags = SN_PORT_EVENT | SN_PORT_REQUIRED,
             .doc = "The tick; required, because joints brake in time."),
    SN_INPUTS(sn__gate_component, "in_joints", joints, &sn_joint_state_type, .flags = SN_PORT_EVENT,
              .doc = "References of controllers: any joints in any order."),
    SN_INPUTS(sn__gate_component, "in_supports", supports, &sn_support_state_type,
              .doc = "Which chains carry the robot, from controllers."),
    SN_INPUTS(sn__gate_component, "in_limp", limps, &sn_servo_goal_type, .flags = SN_PORT_EVENT,
              .doc = "Joints that controllers make limp: names and flags."),
    SN_INPUT(sn__gate_component, "in_joints_measured", measured, &sn_joint_state_type,
             .flags = SN_PORT_FEEDBACK,
             .doc = "If connected, the robot starts at its measured pose, and limp joints are "
                    "commanded where they are measured."),
    SN_INPUT(sn__gate_component, "in_base", collision.base, &sn_rigid_body_state_type,
             .flags = SN_PORT_FEEDBACK,
             .doc = "The root link in the world; if connected, objects are fixed to the world, not "
                    "to the root link."),
    SN_INPUT(sn__gate_component, "in_world", collision.changes, &sn_world_change_type,
             .flags = SN_PORT_FEEDBACK, .doc = "Objects that are added, moved or removed."),
    SN_OUTPUT(sn__gate_component, "joints_sorted", joints_sorted, &sn_joint_state_type,
              .doc = "The command: all joints, sorted."),
    SN_OUTPUT(sn__gate_component, "joints_accel", joints_accel, &sn_joint_state_accel_type,
              .flags = SN_PORT_DERIVED, .doc = "The same with accelerations."),
    SN_OUTPUT(sn__gate_component, "supports", supports_out, &sn_support_state_type,
              .flags = SN_PORT_DERIVED, .doc = "All chains, and how much each carries."),
    SN_OUTPUT(sn__gate_component, "limp", limp_out, &sn_servo_goal_type, .flags = SN_PORT_DERIVED,
              .doc = "Which joints are limp, sorted."),
    SN_OUTPUT(sn__gate_component, "stop", stop, &sn_stop_state_type, .capacity = {.text_size = 256},
              .doc = "The emergency stop, whenever it changes."),
    SN_OUTPUT(sn__gate_component, "collision", collision.state, &sn_collision_state_type,
              .capacity = {.text_size = 256},
              .doc = "The nearest pair of links 20 times a second, and at once when one is blocked "
                     "or no longer is."),
    SN_OUTPUT(sn__gate_component, "world", collision.world_out, &sn_world_object_list_type,
              .capacity = {.item_count = SN__OBJECT_POINTS_MAX},
              .doc =
                  "The first 48 objects, in the frame of the root link: whenever they change, and "
                  "20 times a second if the base moves."),
    {0}};

static const sn_need needs[] = {
    SN_ROBOT_MODEL_NEED(sn__gate_component),
    {.name = "owners",
     .interface = SN_OWNERS,
     .offset = offsetof(sn__gate_component, owners),
     .is_optional = true,
     .doc = "Who may move what; without it only one source may be connected."},
    {0}};

static const sn_operation operations[] = {
    {"emergencyStop", SN_CLIENT_THREAD, &sn_call_stop_type, NULL, sn__gate_component_emergency_stop,
     "Brake all joints and hold them, from the next cycle until `resume`."},
    {"resume", SN_OWN_THREAD, &sn_call_name_type, NULL, sn__gate_component_resume,
     "End the emergency stop; earlier references are dropped."},
    {"getStop", SN_OWN_THREAD | SN_READ_ONLY, NULL, &sn_stop_state_type,
     sn__gate_component_get_stop, "State of the emergency stop: who, why, since when."},
    {"getCounts", SN_OWN_THREAD | SN_READ_ONLY, &sn_call_name_type, &sn_gate_count_list_type,
     sn__gate_component_get_counts,
     "What was accepted and refused, and why, of one source or joint, or of all."},
    {"getCollision", SN_OWN_THREAD | SN_READ_ONLY, NULL, &sn_collision_state_type,
     sn__gate_component_get_collision, "The nearest pair of links, and whether it is blocked."},
    {"checkPose", SN_OWN_THREAD, &sn_joint_state_type, &sn_collision_state_type,
     sn__gate_component_check_pose,
     "The nearest pair of links with these joints, others as commanded; blocked: they touch."},
    {"checkWay", SN_OWN_THREAD, &sn_joint_state_type, &sn_checked_way_type,
     sn__gate_component_check_way,
     "How far the way through these poses is free, others as commanded: positions of all named "
     "joints, pose after pose."},
    {"setCollisionPair", SN_OWN_THREAD, &sn_collision_pair_type, NULL, sn__gate_component_set_pair,
     "Keep two links, or a link and an object, apart, or let them touch."},
    {"addObject", SN_OWN_THREAD, &sn_world_object_type, NULL, sn__gate_component_add_object,
     "Add an object that the robot must not touch."},
    {"removeObject", SN_OWN_THREAD, &sn_call_name_type, NULL, sn__gate_component_remove_object,
     "Remove an object."},
    {"listObjects", SN_OWN_THREAD | SN_READ_ONLY, NULL, &sn_world_object_list_type,
     sn__gate_component_list_objects, "All objects."},
    {0}};

const sn_component_type sn_aggregator_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "aggregator",
    .doc = "The gate to the servos: references of the owners in, one safe and complete pose out.",
    .size = sizeof(sn__gate_component),
    SN__COMPONENT_TABLES,
    .example =
        "components:\n"
        "  aggregator:\n"
        "    type: aggregator\n"
        "    properties: {reference_timeout: 0.2, stop_limp: true}\n",
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = cleanup,
    .recover = recover,
    .changed = changed,
};
