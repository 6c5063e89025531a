/* Limbs that avoid collisions. */
#include "collision/objects.h"
#include "gate/world_message.h"
#include "robot/kinematics_inv.h"
#include "rt/components/robot_model_client.h"

sn_status sn__kinematics_inv_create_checker(const sn__kinematics_inv *self, sn_arena *arena,
                                            size_t object_capacity, sn__collision **out,
                                            sn_error *err) {
  /* Shapes that overlap at rest are too coarse: the gate leaves them out, too. */
  sn__collision_config config = {.leaves_out_overlaps = true, .object_capacity = object_capacity};
  if (self->collision_srdf != NULL && *self->collision_srdf != '\0') {
    config.srdf_file = self->collision_srdf;
  }
  sn__model_files(&self->robot_model, &config.robot_file, &config.package_path);
  return sn__collision_create(arena, self->model, &config, NULL, out, err);
}

/* ---- the world ---- */

static void log_refused(sn__kinematics_inv *self, int64_t now_ns, const char *why) {
  const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = why};
  sn_component_log_limited(&self->component, &self->world_refused, now_ns, SN_LOG_WARNING,
                           "in_world: {}", 1, &arg);
}

static void take_world(sn__kinematics_inv *self, const sn_world_object_list *list, int64_t now_ns) {
  sn__collision_clear_objects(self->collision);
  for (size_t i = 0; i < list->objects.count; i++) {
    sn__object object;
    sn_error err = {0};
    if (sn__world_message_read(&list->objects.data[i], &object, &err) != SN_OK ||
        sn__collision_add_object(self->collision, &object, &err) != SN_OK) {
      log_refused(self, now_ns, err.message);
    }
  }
  if (!list->complete) {
    log_refused(self, now_ns, "the list is not complete: limbs may be sent into other objects");
  }
  for (size_t i = 0; i < self->chain_count; i++) {
    if (self->limbs[i].check.context != NULL) {
      sn__ik_avoid_world_changed(self->limbs[i].check.context);
    }
  }
}

void sn__kinematics_inv_read_world(sn__kinematics_inv *self, int64_t now_ns) {
  const sn_world_object_list *list = sn_input_newest(&self->world);
  if (list != NULL && self->collision != NULL) {
    take_world(self, list, now_ns);
  }
}

/* ---- limbs ---- */

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
