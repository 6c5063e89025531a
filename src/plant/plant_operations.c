#include <math.h>

#include "base/fail.h"
#include "msg/types/msg_plant.h"
#include "plant/plant_component.h"
#include "sinew/msg_calls.h"

static sn_status get_report(sn_component *component, const void *request, void *response,
                            sn_error *err) {
  const sn__plant_component *self = (const sn__plant_component *)component;
  const sn_plant_counts *c = sn__plant_counts_now(self->plant);
  sn_plant_report *out = response;
  (void)request;
  (void)err;
  *out = (sn_plant_report){.goals_taken = c->goals[SN_PLANT_TAKEN] + c->goals[SN_PLANT_UNKNOWN],
                           .goals_unknown = c->goals[SN_PLANT_UNKNOWN],
                           .goals_lost = c->goals[SN_PLANT_LOST],
                           .measured = c->measured,
                           .measured_lost = c->measured_lost,
                           .dropouts = c->dropouts};
  for (int i = SN_PLANT_LENGTHS; i <= SN_PLANT_DUPLICATE; i++) {
    out->goals_refused += c->goals[i];
    out->pushes_refused += c->pushes[i];
  }
  return SN_OK;
}

static sn_status reset(sn_component *component, const void *request, void *response,
                       sn_error *err) {
  (void)request;
  (void)response;
  (void)err;
  sn__plant_component *self = (sn__plant_component *)component;
  sn__plant_reset(self->plant);
  self->was_placed = true;
  return SN_OK;
}

static sn_status read_joints(const sn__plant_component *self, const sn_plant_place *request,
                             double *q, sn_error *err) {
  if (request->position.count != request->name.count) {
    return sn__fail(err, SN_EINVAL, "%zu positions for %zu joints", request->position.count,
                    request->name.count);
  }
  for (size_t i = 0; i < request->name.count; i++) {
    const char *name = sn_msg_names_at(&request->name, i);
    const int joint = sn_model_joint_index(self->model, name);
    if (joint < 0) {
      return sn__fail(err, SN_ENOENT, "'%.80s' is not a movable joint", name);
    }
    if (!isfinite(request->position.data[i])) {
      return sn__fail(err, SN_EINVAL, "the position of '%.80s' is not finite", name);
    }
    q[joint] = request->position.data[i];
  }
  return SN_OK;
}

/* @return false: not finite or too far away */
static bool read_base(const sn_msg_pose *base, sn_pose *pose) {
  static const double FAR_M = 1e6;
  const sn_quat o = base->orientation;
  const double size = sqrt(o.x * o.x + o.y * o.y + o.z * o.z + o.w * o.w);
  *pose = (sn_pose){.rot = sn_mat3_identity(), .pos = base->position};
  if (size > 0.0) {
    *pose = sn_pose_from_msg(*base);
  }
  return isfinite(size) && sn_vec3_norm(base->position) <= FAR_M;
}

static sn_status place(sn_component *component, const void *request, void *response,
                       sn_error *err) {
  sn__plant_component *self = (sn__plant_component *)component;
  const sn_plant_place *wanted = request;
  sn_plant_placed *out = response;
  sn_pose pose;
  for (size_t i = 0; i < sn_model_pose_size(self->model); i++) {
    self->placed_q[i] = NAN;
  }
  const sn_status status = read_joints(self, wanted, self->placed_q, err);
  if (status != SN_OK) {
    return status;
  }
  if (!read_base(&wanted->base, &pose)) {
    return sn__fail(err, SN_EINVAL, "base: the pose is not finite, or beyond 1000 km");
  }
  self->was_placed = true;
  out->lifted = sn__plant_place(self->plant, self->placed_q, pose, wanted->on_ground);
  out->base = sn_msg_pose_from(sn__plant_base(self->plant, NULL, NULL));
  sn__plant_log_lift(self, out->lifted, self->last_ns);
  return SN_OK;
}

/* The servos hold the pose until the stop ends; the gates start from it then. */
static void hold_in_stop(sn__plant_component *self) {
  sn__estop *stop = sn__estop_of(self->component.system);
  if (!sn__estop_is_latched(stop)) {
    (void)sn__estop_request(stop, self->component.name, "the robot was put on its feet");
  }
  self->guard = (sn__estop_guard){.first = sn__estop_look(stop).first,
                                  .since_ns = self->last_ns,
                                  .moving_ns = self->last_ns,
                                  .order = SN__ORDER_FREEZE};
}

/* Upright, where it is and with its heading. */
static sn_status put_on_feet(sn_component *component, const void *request, void *response,
                             sn_error *err) {
  sn__plant_component *self = (sn__plant_component *)component;
  sn_call_outcome *out = response;
  (void)request;
  if (self->stance == NULL) {
    return sn__fail(err, SN_EINVAL, "the robot does not stand on feet");
  }
  const sn_pose now = sn__plant_base(self->plant, NULL, NULL);
  const sn_vec3 ahead = {now.rot.x.x, now.rot.x.y, 0.0};
  const double size = sn_vec3_norm(ahead);
  const sn_vec3 x = size > 0.1 ? sn_vec3_scale(ahead, 1.0 / size) : sn_vec3_make(1, 0, 0);
  const sn_pose upright = {{x, sn_vec3_make(-x.y, x.x, 0), sn_vec3_make(0, 0, 1)}, now.pos};
  hold_in_stop(self);
  (void)sn__plant_place(self->plant, self->stance, upright, true);
  self->was_placed = true;
  out->success = true;
  return sn_msg_text_set(&out->message, "to go on: call resume of the aggregator");
}

const sn_operation sn__plant_operations[] = {
    {"getReport", SN_OWN_THREAD | SN_READ_ONLY, NULL, &sn_plant_report_type, get_report,
     "Counters of accepted, rejected and lost messages."},
    {"place", SN_OWN_THREAD, &sn_plant_place_type, &sn_plant_placed_type, place,
     "Place the robot, at rest; inside the ground it is lifted."},
    {"putOnFeet", SN_OWN_THREAD, NULL, &sn_call_outcome_type, put_on_feet,
     "Put the robot on its feet where it is, upright and at rest, in an emergency stop."},
    {"reset", SN_OWN_THREAD, NULL, NULL, reset, "Return to the start pose, at rest."},
    {0}};
