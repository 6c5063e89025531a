#include <math.h>

#include "base/fail.h"
#include "msg/types/msg_plant.h"
#include "plant/plant_component.h"

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
  sn__plant_reset(((sn__plant_component *)component)->plant);
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
  out->lifted = sn__plant_place(self->plant, self->placed_q, pose, wanted->on_ground);
  out->base = sn_msg_pose_from(sn__plant_base(self->plant, NULL, NULL));
  sn__plant_log_lift(self, out->lifted, self->last_ns);
  return SN_OK;
}

const sn_operation sn__plant_operations[] = {
    {"getReport", SN_OWN_THREAD | SN_READ_ONLY, NULL, &sn_plant_report_type, get_report,
     "Counters of accepted, rejected and lost messages."},
    {"place", SN_OWN_THREAD, &sn_plant_place_type, &sn_plant_placed_type, place,
     "Place the robot, at rest; inside the ground it is lifted."},
    {"reset", SN_OWN_THREAD, NULL, NULL, reset, "Return to the start pose, at rest."},
    {0}};
