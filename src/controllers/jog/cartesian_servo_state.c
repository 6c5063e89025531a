#include "controllers/jog/cartesian_servo.h"
#include "msg/arm/msg_jog.h"

/* Shares of the wanted speed below which a motion is called slowed or blocked. */
static const double SLOWED = 0.99;
static const double BLOCKED = 0.02;
/* How long a reason is shown that a single message gave. */
#define REASON_SHOWN_NS INT64_C(500000000)

void sn__servo_explain(sn__cartesian_servo *self, const char *reason) {
  self->reason = reason;
  self->reason_ns = self->controller.now_ns;
}

static const char *status_of(const sn__cartesian_servo *self) {
  if (self->now < 0) {
    return "idle";
  }
  if (!self->command.is_motion) {
    return self->outcome.is_still ? "holding" : "moving";
  }
  return self->outcome.share < BLOCKED  ? "blocked"
         : self->outcome.share < SLOWED ? "slowed"
         : self->is_held                ? "slowed"
                                        : "moving";
}

static const char *reason_of(const sn__cartesian_servo *self) {
  static const char *const names[] = {[SN__JOG_FREE] = "",
                                      [SN__JOG_LIMIT] = "limit",
                                      [SN__JOG_SINGULAR] = "singular",
                                      [SN__JOG_OBSTACLE] = "obstacle",
                                      [SN__JOG_SPEED] = "speed"};
  if (self->reason != NULL && self->controller.now_ns - self->reason_ns < REASON_SHOWN_NS) {
    return self->reason;
  }
  return self->is_held                  ? "obstacle"
         : self->outcome.share < SLOWED ? names[self->outcome.reason]
                                        : "";
}

void sn__servo_publish_state(sn__cartesian_servo *self) {
  const sn_model *model = self->controller.model;
  const sn_chain *chain = self->now < 0 ? NULL : self->tools[self->now].chain;
  sn_jog_state *out = self->state.msg;
  const int joint = chain == NULL ? -1 : self->outcome.joint;
  out->header.stamp_ns = self->controller.now_ns;
  out->share = self->outcome.share;
  out->pose = sn_msg_pose_from(self->outcome.pose);
  out->twist = self->outcome.twist;
  /* Each text fits: outputs have room for the names of the robot. */
  (void)sn_msg_text_set(&out->header.frame_id,
                        chain == NULL ? "" : sn_model_link(model, (size_t)chain->first_link)->name);
  (void)sn_msg_text_set(
      &out->chain,
      chain == NULL ? "" : sn_names_at(sn_model_chain_names(model), (size_t)self->now));
  (void)sn_msg_text_set(&out->status, status_of(self));
  (void)sn_msg_text_set(&out->reason, reason_of(self));
  (void)sn_msg_text_set(&out->joint,
                        joint < 0 ? "" : sn_model_joint(model, (size_t)chain->joints[joint])->name);
  (void)sn_output_write(&self->state); /* what does not fit is counted there */
}
