/* Limbs that avoid collisions. */
#include "robot/kinematics_inv.h"
#include "rt/components/robot_model_client.h"

sn_status sn__kinematics_inv_create_checker(const sn__kinematics_inv *self, sn_arena *arena,
                                            sn__collision **out, sn_error *err) {
  /* Shapes that overlap at rest are too coarse: the gate leaves them out, too. */
  sn__collision_config config = {.leaves_out_overlaps = true};
  sn__model_files(&self->robot_model, &config.robot_file, &config.package_path);
  return sn__collision_create(arena, self->model, &config, NULL, out, err);
}

static void begin(void *context, const double *q) {
  sn__ik_avoid_place(context, q);
}

static bool accept(void *context, const sn_pose *poses, const double *solution) {
  (void)poses;
  return sn__ik_avoid_is_free(context, solution);
}

sn_status sn__kinematics_inv_avoid(const sn__kinematics_inv *self, sn_arena *arena,
                                   sn__collision *collision, sn__limb_ik *limb, sn_error *err) {
  sn_ik_avoid *avoid = NULL;
  const sn_status status = sn__ik_avoid_create(arena, self->model, limb->ik, collision,
                                               self->collision_margin_m, &avoid, err);
  if (status == SN_OK) {
    limb->check = (sn__limb_check){.context = avoid, .begin = begin, .accept = accept};
  }
  return status;
}
