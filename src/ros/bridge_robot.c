/* The standard topics of a robot: robot_description, joint_states, tf and tf_static. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ros/bridge.h"
#include "ros/ros_transport.h"
#include "sinew/msg_types.h"
#include "sinew/system.h"

#define POLL_NS INT64_C(500000)
#define IDLE_POLL_NS INT64_C(5000000)

/* ---- frames ---- */

sn_status sn__bridge_set_frame(const sn__bridge *bridge, sn_msg_text *out, const char *frame) {
  const size_t prefix_size = strlen(bridge->frame_prefix);
  const size_t size = strlen(frame);
  if (prefix_size + size > out->capacity) {
    return SN_ELIMIT;
  }
  memcpy(out->data, bridge->frame_prefix, prefix_size);
  memcpy(out->data + prefix_size, frame, size + 1);
  out->count = prefix_size + size;
  return SN_OK;
}

static sn_msg_transform transform_of(sn_pose pose) {
  const sn_msg_pose p = sn_msg_pose_from(pose);
  return (sn_msg_transform){p.position, p.orientation};
}

/* Joints of the pose vector move, the others are fixed. */
static bool is_moving(const sn_model *model, size_t joint) {
  return joint < sn_model_pose_size(model) && sn_model_joint(model, joint)->body >= 0;
}

/* Names are set once; only stamps and transforms change later.
   @return NULL if out of memory */
static sn_tf_message *create_frames(sn__bridge *bridge, bool moving) {
  const sn_model *model = bridge->model;
  const size_t joint_count = sn_model_joint_count(model);
  size_t longest = 1;
  for (size_t i = 0; i < sn_model_link_count(model); i++) {
    const size_t length = strlen(sn_model_link(model, i)->name) + 1;
    longest = length > longest ? length : longest;
  }
  const sn_msg_capacity capacity = {.item_count = joint_count == 0 ? 1 : joint_count,
                                    .text_size = longest + strlen(bridge->frame_prefix)};
  sn_tf_message *frames = sn_msg_create(&bridge->arena, &sn__tf_message_type, &capacity);
  for (size_t j = 0; frames != NULL && j < joint_count; j++) {
    const sn_joint *joint = sn_model_joint(model, j);
    if (is_moving(model, j) == moving) {
      sn_transform_stamped *t = &frames->transforms.data[frames->transforms.count++];
      (void)sn__bridge_set_frame(bridge, &t->header.frame_id,
                                 sn_model_link(model, (size_t)joint->parent_link)->name);
      (void)sn__bridge_set_frame(bridge, &t->child_frame_id,
                                 sn_model_link(model, (size_t)joint->child_link)->name);
      t->transform = transform_of(joint->pose_parent_joint);
    }
  }
  return frames;
}

static void set_stamps(sn_tf_message *frames, int64_t stamp_ns) {
  for (size_t i = 0; i < frames->transforms.count; i++) {
    frames->transforms.data[i].header.stamp_ns = stamp_ns;
  }
}

static void fill_frames(sn__bridge *bridge) {
  sn__bridge_robot *robot = &bridge->robot;
  const sn_model *model = bridge->model;
  sn_kin_update(robot->kin, robot->q);
  size_t i = 0;
  for (size_t j = 0; j < sn_model_joint_count(model); j++) {
    if (is_moving(model, j)) {
      const sn_joint *joint = sn_model_joint(model, j);
      const sn_pose parent =
          sn_kin_link_pose(robot->kin, sn_model_link(model, (size_t)joint->parent_link));
      const sn_pose child =
          sn_kin_link_pose(robot->kin, sn_model_link(model, (size_t)joint->child_link));
      robot->frames->transforms.data[i++].transform = transform_of(sn_pose_between(parent, child));
    }
  }
}

static void publish_frames(sn__bridge *bridge, const sn_joint_state *state) {
  sn__bridge_robot *robot = &bridge->robot;
  size_t known = 0;
  for (size_t i = 0; i < state->position.count; i++) {
    const int j = sn_model_joint_index(bridge->model, sn_msg_names_at(&state->name, i));
    if (j >= 0 && (size_t)j < sn_model_pose_size(bridge->model)) {
      robot->q[j] = state->position.data[i];
      known++;
    }
  }
  robot->has_pose = robot->has_pose || known == sn_model_pose_size(bridge->model);
  if (robot->has_pose) { /* not before all joints are known */
    fill_frames(bridge);
    set_stamps(robot->frames, sn__bridge_graph_time(bridge, state->header.stamp_ns));
    sn__bridge_publish(bridge, robot->tf, &sn__tf_message_type, robot->frames);
  }
}

/* ---- source of the joint states ---- */

static const char *find_output(const sn__bridge *bridge, const char *name, char *out, size_t size) {
  const sn_system *system = bridge->component.system;
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    for (const sn_port *p = component->type->ports; p != NULL && p->name != NULL; p++) {
      if (p->kind == SN_PORT_OUT && p->type == &sn_joint_state_type && strcmp(p->name, name) == 0) {
        snprintf(out, size, "%s.%s", component->name, name);
        return out;
      }
    }
  }
  return NULL;
}

/* Measured joints, otherwise commanded ones. */
static sn_status find_source(sn__bridge *bridge, sn_error *err) {
  char port[SN__GRAPH_NAME_SIZE];
  const char *found = bridge->joint_states;
  if (strcmp(found, "none") == 0) {
    return SN_OK;
  }
  if (*found == '\0') {
    sn_system_hold(bridge->component.system);
    found = find_output(bridge, "joints_measured", port, sizeof port);
    found = found != NULL ? found : find_output(bridge, "joints_sorted", port, sizeof port);
    sn_system_release(bridge->component.system);
  }
  if (found == NULL) {
    sn__bridge_log(bridge, SN_LOG_WARNING, "joint_states is not published: {}",
                   "no component has an output joints_measured or joints_sorted", "");
    return SN_OK;
  }
  bridge->robot.port = sn_arena_text(&bridge->arena, found, strlen(found));
  return bridge->robot.port != NULL ? SN_OK : sn__fail(err, SN_ENOMEM, "out of memory");
}

static sn_status open_tap(sn__bridge *bridge, sn_error *err) {
  sn__bridge_robot *robot = &bridge->robot;
  /* With a rate limit the latest sample is enough: a smaller buffer stays in the cache. */
  const sn_connection connection = {.buffer = bridge->rate_Hz > 0.0 ? 0 : bridge->depth,
                                    .shared = true};
  if (!sn__bridge_hold(bridge)) {
    return SN_EBUSY; /* try again in the next step */
  }
  const sn_status status =
      sn_tap_open(bridge->component.system, robot->port, &connection, &robot->tap, err);
  sn__bridge_release(bridge);
  if (status == SN_OK && sn_tap_type(robot->tap) != &sn_joint_state_type) {
    sn_tap_close(robot->tap);
    robot->tap = NULL;
    return sn__fail(err, SN_EINVAL, "joint_states: %s is not of type JointState", robot->port);
  }
  return status;
}

int64_t sn__bridge_step_robot(sn__bridge *bridge, int64_t now_ns) {
  sn__bridge_robot *robot = &bridge->robot;
  const bool wants_tf = robot->tf != NULL && bridge->transport->subscriber_count(robot->tf) > 0;
  const bool is_wanted = robot->joint_states != NULL &&
                         (wants_tf || bridge->transport->subscriber_count(robot->joint_states) > 0);
  sn_error err = {SN_OK, ""};
  if (!is_wanted) {
    if (robot->tap != NULL && sn__bridge_hold(bridge)) {
      sn_tap_close(robot->tap);
      robot->tap = NULL;
      robot->pending = NULL;
      sn__bridge_release(bridge);
    }
    return IDLE_POLL_NS;
  }
  if (robot->tap == NULL && open_tap(bridge, &err) != SN_OK) {
    return IDLE_POLL_NS;
  }
  for (sn_flow flow = SN_NEW_DATA; flow == SN_NEW_DATA;) {
    if (robot->pending != NULL && sn__throttle_take(&robot->throttle, bridge->rate_Hz, now_ns)) {
      sn__bridge_publish(bridge, robot->joint_states, &sn_joint_state_type, robot->pending);
      if (wants_tf) {
        publish_frames(bridge, robot->pending);
      }
      robot->pending = NULL;
    }
    const void *msg = sn_tap_read(robot->tap, &flow);
    robot->pending = flow == SN_NEW_DATA ? msg : robot->pending;
  }
  return POLL_NS;
}

void sn__bridge_close_robot(sn__bridge *bridge) {
  sn_tap_close(bridge->robot.tap);
  bridge->robot = (sn__bridge_robot){0};
}

/* ---- setup ---- */

static sn_status add_description(sn__bridge *bridge, sn_error *err) {
  char name[SN__GRAPH_NAME_SIZE];
  size_t size = 0;
  const char *text = sn_model_description(bridge->model, &size);
  const sn_msg_capacity capacity = {.item_count = 1, .text_size = size + 1};
  sn_std_string *msg = sn_msg_create(&bridge->arena, &sn__std_string_type, &capacity);
  void *topic = sn__bridge_advertise(bridge, "robot_description", &sn__std_string_type, true);
  if (msg == NULL || topic == NULL || sn_msg_text_set(&msg->data, text) != SN_OK ||
      !sn__graph_name_resolve(&bridge->names, "robot_description", name, sizeof name) ||
      (bridge->transport->set_parameter != NULL &&
       !bridge->transport->set_parameter(bridge->node, name, text))) {
    return sn__fail(err, SN_ENOMEM, "out of memory for the robot description");
  }
  sn__bridge_publish(bridge, topic, &sn__std_string_type, msg);
  return SN_OK;
}

static sn_status add_frames(sn__bridge *bridge, sn_error *err) {
  sn__bridge_robot *robot = &bridge->robot;
  sn_tf_message *fixed = create_frames(bridge, false);
  void *fixed_topic = sn__bridge_advertise(bridge, "/tf_static", &sn__tf_message_type, true);
  robot->tf = sn__bridge_advertise(bridge, "/tf", &sn__tf_message_type, false);
  robot->frames = create_frames(bridge, true);
  robot->q = SN_NEW(&bridge->arena, double, sn_model_pose_size(bridge->model) + 1);
  if (fixed == NULL || fixed_topic == NULL || robot->tf == NULL || robot->frames == NULL ||
      robot->q == NULL) {
    return sn__fail(err, SN_ENOMEM, "out of memory for frames");
  }
  set_stamps(fixed, sn__bridge_graph_now(bridge));
  sn__bridge_publish(bridge, fixed_topic, &sn__tf_message_type, fixed);
  return sn_kin_create(&bridge->arena, sn_model_tree(bridge->model), &robot->kin, err);
}

sn_status sn__bridge_add_robot(sn__bridge *bridge, sn_error *err) {
  bridge->robot = (sn__bridge_robot){0};
  sn_status status = add_description(bridge, err);
  if (status == SN_OK) {
    status = find_source(bridge, err);
  }
  if (status != SN_OK || bridge->robot.port == NULL) {
    return status;
  }
  sn_system_hold(bridge->component.system); /* may take long: the node is not running yet */
  status = open_tap(bridge, err); /* report a wrong port name now, not at the first subscriber */
  sn_system_release(bridge->component.system);
  if (status == SN_OK) {
    bridge->robot.joint_states =
        sn__bridge_advertise(bridge, "joint_states", &sn_joint_state_type, false);
    status = bridge->robot.joint_states != NULL ? SN_OK : sn__fail(err, SN_ENOMEM, "out of memory");
  }
  return status == SN_OK && bridge->has_tf ? add_frames(bridge, err) : status;
}
