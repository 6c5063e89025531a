#include "avoid/ik_avoid.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "collision/path.h"

struct sn_ik_avoid {
  sn__collision *collision;
  double margin_m;
  size_t pose_size, joint_count;
  int *joints;     /* [joint_count] of the group, in the sorted pose */
  bool *is_driven; /* [pose_size] by the group */
  bool *is_moved;  /* [pairs, with room for objects] by the group */
  double *rest;    /* [pose_size] where joints outside the group are unless the caller says */
  double *q;       /* [pose_size] the pose that is checked */
};

static sn_status no_room(const sn_arena *arena, sn_error *err) {
  return sn__fail(err, SN_ENOMEM, "ik_avoid: no room in arena '%s'", sn_arena_name(arena));
}

void sn__ik_avoid_world_changed(sn_ik_avoid *avoid) {
  sn__collision_pairs_moved(avoid->collision, avoid->is_driven, avoid->is_moved);
}

/* What the joints of the group move; a joint that follows one of them has its coordinate. */
static void find_moved(sn_ik_avoid *avoid, const sn_model *model, const sn_ik *ik) {
  for (size_t i = 0; i < avoid->joint_count; i++) {
    avoid->joints[i] = sn_model_joint_index(model, sn_names_at(sn_ik_joint_names(ik), i));
    avoid->is_driven[avoid->joints[i]] = true;
  }
  sn__ik_avoid_world_changed(avoid);
}

sn_status sn__ik_avoid_create(sn_arena *arena, const sn_model *model, const sn_ik *ik,
                              sn__collision *collision, double margin_m, sn_ik_avoid **out,
                              sn_error *err) {
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_ik_avoid *avoid = SN_NEW(arena, sn_ik_avoid, 1);
  const size_t n = sn_model_pose_size(model);
  const size_t pair_count = sn__collision_pair_capacity(collision);
  int *joints = SN_NEW(arena, int, n);
  bool *flags = SN_NEW(arena, bool, n + pair_count);
  double *poses = SN_NEW(arena, double, 2 * n);
  if (avoid == NULL || joints == NULL || flags == NULL || poses == NULL) {
    sn_arena_restore(arena, mark);
    return no_room(arena, err);
  }
  *avoid = (sn_ik_avoid){.collision = collision,
                         .margin_m = margin_m,
                         .pose_size = n,
                         .joint_count = sn_ik_joint_count(ik),
                         .joints = joints,
                         .is_driven = flags,
                         .is_moved = flags + n,
                         .rest = poses,
                         .q = poses + n};
  for (size_t i = 0; i < n; i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    avoid->rest[i] = avoid->q[i] = fmax(joint->lower, fmin(joint->upper, 0.0));
  }
  find_moved(avoid, model, ik);
  *out = avoid;
  return SN_OK;
}

sn_status sn_ik_avoid_create(sn_arena *arena, const sn_model *model, const sn_ik *ik,
                             const sn_ik_avoid_config *config, sn_report *report, sn_ik_avoid **out,
                             sn_error *err) {
  if (!(config->margin_m >= 0.0 && isfinite(config->margin_m))) {
    return sn__fail(err, SN_EINVAL, "ik_avoid: margin_m is %g, must be finite and >= 0",
                    config->margin_m);
  }
  const sn__collision_config shapes = {.robot_file = config->robot_file,
                                       .package_path = config->package_path,
                                       .srdf = config->srdf,
                                       .srdf_size = config->srdf_size,
                                       .srdf_file = config->srdf_file,
                                       .world = config->world};
  const sn_arena_mark mark = sn_arena_save(arena);
  sn__collision *collision = NULL;
  sn_status status = sn__collision_create(arena, model, &shapes, report, &collision, err);
  if (status == SN_OK) {
    status = sn__ik_avoid_create(arena, model, ik, collision, config->margin_m, out, err);
  }
  if (status != SN_OK) {
    sn_arena_restore(arena, mark);
  }
  return status;
}

void sn__ik_avoid_place(sn_ik_avoid *avoid, const double *q) {
  memcpy(avoid->q, q, avoid->pose_size * sizeof *avoid->q);
}

bool sn__ik_avoid_is_free(sn_ik_avoid *avoid, const double *solution) {
  for (size_t i = 0; i < avoid->joint_count; i++) {
    avoid->q[avoid->joints[i]] = solution[i];
  }
  return sn__collision_is_free(avoid->collision, avoid->q, avoid->is_moved, avoid->margin_m);
}

static bool accept(void *context, const sn_pose *poses, const double *solution) {
  (void)poses;
  return sn__ik_avoid_is_free(context, solution);
}

void sn_ik_avoid_use(sn_ik_avoid *avoid, const double *q, sn_ik_options *options) {
  sn__ik_avoid_place(avoid, q != NULL ? q : avoid->rest);
  options->callback = accept;
  options->callback_context = avoid;
}
