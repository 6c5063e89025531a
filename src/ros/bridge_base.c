/* The base in the world, by the conventions of REP 105: nav_msgs/Odometry on `odom`, with the twist
   in the frame of the base, and the frame `odom -> base` on /tf. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ros/bridge.h"
#include "sinew/msg_types.h"
#include "sinew/system.h"

#define TEXT_SIZE 256

typedef struct base {
  sn_odometry *odometry;
  sn_tf_message *frame;
} base;

/* @return false: the message does not hold a body with its pose and twist, or a name is too long */
static bool fill_odometry(const sn__bridge *bridge, const sn_rigid_body_state *state,
                          sn_odometry *out) {
  if (state->name.count == 0 || state->pose.count == 0 || state->twist.count == 0) {
    return false;
  }
  const sn_mat3 rot_odom_base = sn_pose_from_msg(state->pose.data[0]).rot;
  const sn_spatial twist = state->twist.data[0]; /* in the axes of the world */
  out->header.stamp_ns = state->header.stamp_ns;
  out->pose.pose = state->pose.data[0];
  out->twist.twist = (sn_spatial){.ang = sn_mat3_apply_transposed(rot_odom_base, twist.ang),
                                  .lin = sn_mat3_apply_transposed(rot_odom_base, twist.lin)};
  return sn__bridge_set_frame(bridge, &out->header.frame_id, state->header.frame_id.data) ==
             SN_OK &&
         sn__bridge_set_frame(bridge, &out->child_frame_id, sn_msg_names_at(&state->name, 0)) ==
             SN_OK;
}

static void publish_frame(const sn__bridge_output *output, sn_tf_message *frame,
                          const sn_odometry *odometry) {
  sn_transform_stamped *t = &frame->transforms.data[0];
  frame->transforms.count = 1;
  t->header.stamp_ns = sn__bridge_graph_time(output->bridge, odometry->header.stamp_ns);
  t->transform = (sn_msg_transform){odometry->pose.pose.position, odometry->pose.pose.orientation};
  if (sn_msg_text_set(&t->header.frame_id, odometry->header.frame_id.data) == SN_OK &&
      sn_msg_text_set(&t->child_frame_id, odometry->child_frame_id.data) == SN_OK) {
    sn__bridge_publish(output->bridge, output->second_topic, &sn__tf_message_type, frame);
  }
}

static void convert(sn__bridge_output *output, const void *msg) {
  const base *b = output->data;
  if (fill_odometry(output->bridge, msg, b->odometry)) {
    sn__bridge_publish(output->bridge, output->topic, &sn_odometry_type, b->odometry);
    if (output->second_topic != NULL) {
      publish_frame(output, b->frame, b->odometry);
    }
  }
}

/* ---- setup ---- */

static bool has_base(const sn_component *component) {
  for (const sn_port *p = component->type->ports; p != NULL && p->name != NULL; p++) {
    if (p->kind == SN_PORT_OUT && p->type == &sn_rigid_body_state_type &&
        strcmp(p->name, "out_base") == 0) {
      return true;
    }
  }
  return false;
}

/* The estimate, otherwise what another component says. */
static bool find_source(const sn__bridge *bridge, char *port, size_t size) {
  const sn_system *system = bridge->component.system;
  const sn_component *found = NULL;
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    if (has_base(component) &&
        (found == NULL || strcmp(component->type->name, "state_estimator") == 0)) {
      found = component;
    }
  }
  if (found != NULL) {
    snprintf(port, size, "%s.out_base", found->name);
  }
  return found != NULL;
}

static sn_status check_source(const sn__bridge *bridge, const char *port, sn_error *err) {
  sn_tap *tap = NULL;
  sn_status status = sn_tap_open(bridge->component.system, port, NULL, &tap, err);
  if (status == SN_OK && sn_tap_type(tap) != &sn_rigid_body_state_type) {
    status = sn__fail(err, SN_EINVAL, "odometry: %s is not of type RigidBodyState", port);
  }
  sn_tap_close(tap);
  return status;
}

static sn_status add(sn__bridge *bridge, const char *port, sn_error *err) {
  const sn_msg_capacity capacity = {.item_count = 1, .text_size = TEXT_SIZE};
  base *b = SN_NEW(&bridge->arena, base, 1);
  sn__bridge_output *output = sn__bridge_add_port_topic(
      bridge, port, sn__bridge_advertise(bridge, "odom", &sn_odometry_type, false));
  if (b == NULL || output == NULL) {
    return sn__fail(err, SN_ENOMEM, "out of memory for odom");
  }
  b->odometry = sn_msg_create(&bridge->arena, &sn_odometry_type, &capacity);
  b->frame = sn_msg_create(&bridge->arena, &sn__tf_message_type, &capacity);
  output->convert = convert;
  output->data = b;
  if (bridge->has_tf) { /* one publication, shared with the frames of the links */
    output->second_topic = bridge->robot.tf != NULL
                               ? bridge->robot.tf
                               : sn__bridge_advertise(bridge, "/tf", &sn__tf_message_type, false);
  }
  return b->odometry != NULL && b->frame != NULL &&
                 (!bridge->has_tf || output->second_topic != NULL)
             ? SN_OK
             : sn__fail(err, SN_ENOMEM, "out of memory for odom");
}

sn_status sn__bridge_add_base(sn__bridge *bridge, sn_error *err) {
  char port[SN__GRAPH_NAME_SIZE];
  snprintf(port, sizeof port, "%s", bridge->odometry);
  if (strcmp(port, "none") == 0) {
    return SN_OK;
  }
  sn_system_hold(bridge->component.system);
  const bool is_there = *port != '\0' || find_source(bridge, port, sizeof port);
  const sn_status status =
      is_there && *bridge->odometry != '\0' ? check_source(bridge, port, err) : SN_OK;
  sn_system_release(bridge->component.system);
  return is_there && status == SN_OK ? add(bridge, port, err) : status;
}
