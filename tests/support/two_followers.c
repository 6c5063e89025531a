#include "two_followers.h"

#include <stdlib.h>
#include <string.h>

#include "loop_rig.h"
#include "msg/msg_names_internal.h"
#include "sinew/components.h"
#include "sinew/controller.h"
#include "sinew/msg_calls.h"

static void set_text(two_followers *b, sn_component *c, const char *path, const char *text) {
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&b->r.arena, &report, NULL), SN_OK);
  const sn_value value = {
      .name = "", .kind = SN_VALUE_TEXT, .text = text, .place = {.file = "test"}};
  assert_int_equal(sn_system_set(b->r.system, c, path, &value, report, &b->r.err), SN_OK);
}

static sn_component *add_follower(two_followers *b, const char *name) {
  sn_component *c = rig_add(&b->r, &sn_follow_joint_state_component, name);
  loop_connect_controller(&b->r, name);
  rig_set(&b->r, c, "activation_delay", "0.01");
  return c;
}

/* Two followers, added before what they need: the order is derived. */
void two_followers_build(two_followers *b) {
  rig_open(&b->r, MS);
  size_t size = 0;
  char *urdf = sn_test_read_file(SINEW_ROBOTS "/quadruped.urdf", &size);
  sn_test_robot_init_good(&b->robot, urdf, NULL); /* one chain for each limb */
  free(urdf);
  b->n = sn_model_pose_size(b->robot.model);
  sn_component *timer = rig_add(&b->r, &sn_timer_component, "timer");
  (void)timer;
  sn_component *model = rig_add_to(&b->r, &sn_robot_model_component, "robot_model", NULL, 0);
  set_text(b, model, "robot_description", sn_model_description(b->robot.model, NULL));
  b->control = rig_add(&b->r, &sn_resources_control_component, "resources_control");
  rig_require(&b->r, "resources_control.robot_model", "robot_model");
  b->a = add_follower(b, "a");
  b->b = add_follower(b, "b");
  rig_set(&b->r, b->a, "stay_operational", "true");
}

void two_followers_open_ends(two_followers *b) {
  sn_error *err = &b->r.err;
  const sn_connection queue = {.buffer = 16};
  assert_int_equal(sn_source_open(b->r.system, "a.in_joints_sorted", NULL, &b->pose_a, err), SN_OK);
  assert_int_equal(sn_source_open(b->r.system, "b.in_joints_sorted", NULL, &b->pose_b, err), SN_OK);
  assert_int_equal(sn_source_open(b->r.system, "a.in_joints_ref", &queue, &b->ref_a, err), SN_OK);
  assert_int_equal(sn_tap_open(b->r.system, "a.out_joints_ref", NULL, &b->out_a, err), SN_OK);
  assert_int_equal(sn_tap_open(b->r.system, "b.out_joints_ref", NULL, &b->out_b, err), SN_OK);
  assert_int_equal(sn_tap_open(b->r.system, "a.out_joints_src_reset", NULL, &b->reset_a, err),
                   SN_OK);
}

void two_followers_send_pose(two_followers *b, double q) {
  sn_source *const sources[] = {b->pose_a, b->pose_b};
  for (size_t i = 0; i < 2; i++) {
    sn_joint_state *msg = sn_source_msg(sources[i]);
    sn_msg_names_share(&msg->name, sn_model_joint_names(b->robot.model));
    msg->position.count = b->n;
    for (size_t j = 0; j < b->n; j++) {
      msg->position.data[j] = q;
    }
    assert_int_equal(sn_source_write(sources[i]), SN_OK);
  }
}

void two_followers_open(two_followers *b) {
  two_followers_build(b);
  rig_begin(&b->r);
  two_followers_open_ends(b);
}

void two_followers_close(two_followers *b) {
  sn_source_close(b->pose_a);
  sn_source_close(b->pose_b);
  sn_source_close(b->ref_a);
  sn_tap_close(b->out_a);
  sn_tap_close(b->out_b);
  sn_tap_close(b->reset_a);
  rig_close(&b->r);
  sn_test_robot_free(&b->robot);
}

/* @return whether it is operational now; the reason in r.err if not */
bool two_followers_switch(two_followers *b, const char *operation, bool on, const char *resource) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->r.system, operation, &caller, &b->r.err), SN_OK);
  void *request = sn_msg_create(&b->r.arena, caller.operation->request, NULL);
  const sn_msg_capacity roomy = {.text_size = 256};
  sn_call_outcome *outcome = sn_msg_create(&b->r.arena, &sn_call_outcome_type, &roomy);
  if (caller.operation->request == &sn_call_switch_type) {
    ((sn_call_switch *)request)->data = on;
  } else {
    sn_set_operational *msg = request;
    msg->operational = on;
    assert_int_equal(sn_msg_names_add(&msg->resources, resource, strlen(resource)), SN_OK);
  }
  assert_int_equal(sn_call(&caller, request, outcome, &b->r.err), SN_OK);
  snprintf(b->r.err.message, sizeof b->r.err.message, "%s", outcome->message.data);
  sn_caller_close(&caller);
  return outcome->success;
}

const char *two_followers_owner(two_followers *b, const char *resource) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->r.system, "resources_control.getOwners", &caller, &b->r.err),
                   SN_OK);
  sn_resource_assignment *table = sn_msg_create(&b->r.arena, &sn_resource_assignment_type, NULL);
  assert_int_equal(sn_call(&caller, NULL, table, &b->r.err), SN_OK);
  sn_caller_close(&caller);
  const int index = sn__msg_names_index(&table->resources, resource);
  assert_true(index >= 0);
  return sn_msg_names_at(&table->owners, (size_t)index);
}

size_t two_followers_count_out(sn_tap *tap) {
  sn_flow flow = SN_NO_DATA;
  const sn_joint_state *msg = sn_tap_read(tap, &flow);
  return flow == SN_NEW_DATA ? msg->name.count : 0;
}
