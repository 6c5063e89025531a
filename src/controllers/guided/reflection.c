#include "controllers/guided/reflection.h"

#include <math.h>

#include "base/fail.h"

sn_status sn__reflection_create(sn__reflection *reflection, sn_arena *arena, const sn_model *model,
                                sn_error *err) {
  const sn_names *joints = sn_model_joint_names(model);
  reflection->measured = SN_NEW(arena, double, sn_names_count(joints));
  reflection->needed = SN_NEW(arena, double, sn_names_count(joints));
  reflection->has_measured = reflection->has_needed = false;
  const bool is_good = reflection->measured != NULL && reflection->needed != NULL &&
                       sn__name_map_init(&reflection->measured_names, arena, joints) &&
                       sn__name_map_init(&reflection->needed_names, arena, joints);
  return is_good ? SN_OK : sn__fail(err, SN_ENOMEM, "no memory");
}

/* @return whether the efforts of all joints are known */
static bool read_efforts(sn__name_map *names, sn_input *input, double *efforts, bool was_known) {
  const sn_joint_state *msg = sn_input_newest(input);
  if (msg == NULL || !sn__read_is_good(sn__read_joint_state(names, msg, NULL))) {
    return was_known;
  }
  return sn__name_map_sort(names, &msg->effort, efforts) == names->count || was_known;
}

void sn__reflection_read(sn__reflection *r, sn_input *measured, sn_input *needed) {
  r->has_measured = read_efforts(&r->measured_names, measured, r->measured, r->has_measured);
  r->has_needed = read_efforts(&r->needed_names, needed, r->needed, r->has_needed);
}

double sn__reflection_torque(const sn__reflection *r, size_t joint, double scale) {
  if (!r->has_measured || !r->has_needed || r->share == 0.0) {
    return 0.0;
  }
  /* The joint delivers less than its motion takes: something else helps, in that direction. */
  const double external = r->needed[joint] - r->measured[joint];
  const double felt = fmax(0.0, fabs(external) - r->threshold);
  const double torque = r->share * scale * copysign(felt, external);
  return fmax(-r->torque_max, fmin(torque, r->torque_max));
}
