/* A robot's base for tests of the ROS bridges: it moves on a circle, repeats what it reads, and
   pretends to execute step sequences. */
#include <math.h>
#include <string.h>

#include "sinew/sinew.h"

#define RATE 0.5   /* of the yaw, rad/s */
#define RADIUS 2.0 /* m */

typedef struct base {
  sn_component component;
  sn_input in_imu, in_pose, in_point;
  sn_output out_base, out_imu, out_pose, out_point, step_state;
  int64_t now_ns;
  uint64_t goal; /* number of the goal; 0: none so far */
  sn_trajectory_status status;
  int64_t begin_ns, duration_ns;
} base;

static const sn_port ports[] = {
    SN_INPUT(base, "in_imu", in_imu, &sn_imu_type, .doc = "Repeated on out_imu."),
    SN_INPUT(base, "in_pose", in_pose, &sn_pose_stamped_type, .doc = "Repeated on out_pose."),
    SN_INPUT(base, "in_point", in_point, &sn_point_stamped_type, .doc = "Repeated on out_point."),
    SN_OUTPUT(base, "out_base", out_base, &sn_rigid_body_state_type, .doc = "On a circle."),
    SN_OUTPUT(base, "out_imu", out_imu, &sn_imu_type, .doc = "What came on in_imu."),
    SN_OUTPUT(base, "out_pose", out_pose, &sn_pose_stamped_type, .doc = "What came on in_pose."),
    SN_OUTPUT(base, "out_point", out_point, &sn_point_stamped_type,
              .doc = "What came on in_point."),
    SN_OUTPUT(base, "step_state", step_state, &sn_trajectory_state_type, .doc = "Of the goal."),
    {0}};

static sn_status repeat(sn_input *input, sn_output *output, const sn_msg_type *type) {
  sn_flow flow = SN_NO_DATA;
  const void *msg = sn_input_read(input, &flow);
  if (flow != SN_NEW_DATA) {
    return SN_OK;
  }
  const sn_status status = sn_msg_copy(type, output->msg, msg);
  return status == SN_OK ? sn_output_write(output) : status;
}

static sn_status write_base(base *self) {
  sn_rigid_body_state *msg = self->out_base.msg;
  const double yaw = RATE * 1e-9 * (double)(self->now_ns % INT64_C(1000000000000));
  msg->header.stamp_ns = self->now_ns;
  msg->pose.count = msg->twist.count = 1;
  msg->pose.data[0] = (sn_msg_pose){.position = {RADIUS * sin(yaw), RADIUS * (1.0 - cos(yaw)), 0.2},
                                    .orientation = {.z = sin(yaw / 2.0), .w = cos(yaw / 2.0)}};
  msg->twist.data[0] = (sn_spatial){
      .ang = {0.0, 0.0, RATE}, .lin = {RATE * RADIUS * cos(yaw), RATE * RADIUS * sin(yaw), 0.0}};
  return sn_output_write(&self->out_base);
}

static void fill_state(const base *self, sn_trajectory_state *state) {
  state->header.stamp_ns = self->now_ns;
  state->goal_id = self->goal;
  state->state = (uint8_t)self->status;
  state->error_code = 0;
  state->time_from_start_ns = self->now_ns - self->begin_ns;
  state->duration_ns = self->duration_ns;
}

static sn_status configure(sn_component *component, sn_error *err) {
  base *self = (base *)component;
  static const char *const name = "base_link";
  const sn_names *names = NULL;
  sn_rigid_body_state *msg = self->out_base.msg;
  sn_status status = sn_names_create(sn_component_arena(component), &name, 1, &names, err);
  sn_msg_names_share(&msg->name, names);
  return status == SN_OK ? sn_msg_text_set(&msg->header.frame_id, "odom") : status;
}

static sn_status step(sn_component *component, int64_t now_ns) {
  base *self = (base *)component;
  self->now_ns = now_ns;
  if (self->status == SN_TRAJECTORY_EXECUTING && now_ns - self->begin_ns >= self->duration_ns) {
    self->status = SN_TRAJECTORY_SUCCEEDED;
  }
  fill_state(self, self->step_state.msg);
  sn_status status = self->goal == 0 ? SN_OK : sn_output_write(&self->step_state);
  status = status == SN_OK ? write_base(self) : status;
  status = status == SN_OK ? repeat(&self->in_imu, &self->out_imu, &sn_imu_type) : status;
  status =
      status == SN_OK ? repeat(&self->in_pose, &self->out_pose, &sn_pose_stamped_type) : status;
  return status == SN_OK ? repeat(&self->in_point, &self->out_point, &sn_point_stamped_type)
                         : status;
}

/* ---- step sequences ---- */

static sn_status execute(sn_component *component, const void *request, void *response,
                         sn_error *err) {
  base *self = (base *)component;
  const sn_step_goal *goal = request;
  sn_trajectory_answer *answer = response;
  (void)err;
  const size_t count = goal->time_from_start.count;
  answer->accepted = count > 0 && goal->ee_motion.count > 0 &&
                     strcmp(goal->ee_motion.data[0].name.data, "leg1") == 0 &&
                     goal->ee_motion.data[0].points.count == count;
  answer->error_code = answer->accepted ? SN_STEP_SUCCESSFUL : SN_STEP_INVALID_END_EFFECTOR;
  if (!answer->accepted) {
    return sn_msg_text_set(&answer->message, "expected the limb leg1");
  }
  self->begin_ns = self->now_ns;
  self->duration_ns = (int64_t)(1e9 * goal->time_from_start.data[count - 1]);
  self->status = SN_TRAJECTORY_EXECUTING;
  answer->goal_id = ++self->goal;
  return sn_msg_text_set(&answer->message, "");
}

static sn_status cancel(sn_component *component, const void *request, void *response,
                        sn_error *err) {
  base *self = (base *)component;
  sn_call_outcome *outcome = response;
  (void)err;
  outcome->success = ((const sn_trajectory_id *)request)->goal_id == self->goal &&
                     self->status == SN_TRAJECTORY_EXECUTING;
  if (outcome->success) {
    self->status = SN_TRAJECTORY_CANCELED;
  }
  return sn_msg_text_set(&outcome->message, "");
}

static sn_status get_goal(sn_component *component, const void *request, void *response,
                          sn_error *err) {
  const base *self = (const base *)component;
  sn_trajectory_state *state = response;
  (void)err;
  fill_state(self, state);
  state->goal_id = ((const sn_trajectory_id *)request)->goal_id;
  if (state->goal_id < self->goal) {
    state->state = SN_TRAJECTORY_CANCELED;
    return sn_msg_text_set(&state->message, "replaced");
  }
  return sn_msg_text_set(&state->message, "");
}

static const sn_operation operations[] = {
    {"execute", SN_OWN_THREAD, &sn_step_goal_type, &sn_trajectory_answer_type, execute, "Begin."},
    {"cancel", SN_OWN_THREAD, &sn_trajectory_id_type, &sn_call_outcome_type, cancel, "End."},
    {"getGoal", SN_OWN_THREAD, &sn_trajectory_id_type, &sn_trajectory_state_type, get_goal,
     "State of a goal."},
    {0}};

static const sn_component_type base_type = {.abi = SN_COMPONENT_ABI,
                                            .name = "Base",
                                            .doc = "A base on a circle.",
                                            .size = sizeof(base),
                                            .ports = ports,
                                            .operations = operations,
                                            .configure = configure,
                                            .step = step};

SN_API extern const sn_component_type *const sn_component_plugin[];
const sn_component_type *const sn_component_plugin[] = {&base_type, NULL};
