/* What `movements` has in its folder. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "movements/movements_component.h"
#include "msg/types/msg_movements.h"

static sn_status add(sn_movement_list *out, const char *name, const char *kind, double duration_s) {
  sn_status status = sn_msg_names_add(&out->name, name, strlen(name));
  if (status == SN_OK) {
    status = sn_msg_names_add(&out->kind, kind, strlen(kind));
  }
  if (status == SN_OK && out->duration.count < out->duration.capacity) {
    out->duration.data[out->duration.count++] = duration_s;
    return SN_OK;
  }
  return SN_ENOSPC;
}

/* A file that cannot be played is in the list, too: a name that is missing is harder to explain. */
static sn_status add_movement(const sn__movements *self, const char *name, sn_movement_list *out) {
  char path[SN__LIBRARY_PATH_SIZE];
  sn__movement movement;
  sn_arena arena;
  sn_arena_init_growing(&arena, "list", 0);
  const bool is_good = sn__library_path(self->folder, name, ".json", path, NULL) == SN_OK &&
                       sn__movement_load(path, &arena, &movement, NULL) == SN_OK &&
                       sn__movement_check_robot(&movement, self->model, NULL) == SN_OK;
  const sn_status status = is_good ? add(out, name, sn__movement_kind_name(movement.kind),
                                         sn__movement_duration(&movement))
                                   : add(out, name, "invalid", 0.0);
  sn_arena_release(&arena);
  return status;
}

/* Poses that are stated with the robot: they have no file here. A file of the same name hides them.
 */
static void add_poses(const sn__movements *self, sn_movement_list *out) {
  sn_status status = SN_OK;
  for (size_t i = 0; i < self->poses.count && status == SN_OK; i++) {
    const char *name = self->poses.list[i].name;
    if (!sn__library_has(self->folder, name, ".json")) {
      status = add(out, name, "pose", 0.0);
    }
  }
}

sn_status sn__movements_list(const sn__movements *self, sn_movement_list *out, sn_error *err) {
  static const char *const endings[] = {".json", ".yaml"};
  sn_arena arena;
  sn_status status = SN_OK;
  sn_msg_reset(&sn_movement_list_type, out);
  sn_arena_init_growing(&arena, "names", 0);
  add_poses(self, out);
  for (size_t e = 0; e < 2 && status == SN_OK; e++) {
    const char **names = NULL;
    size_t count = 0;
    status = sn__library_list(self->folder, endings[e], &arena, &names, &count, err);
    for (size_t i = 0; i < count && status == SN_OK; i++) {
      /* What does not fit into the answer is left out. */
      if ((e == 0 ? add_movement(self, names[i], out) : add(out, names[i], "script", 0.0)) !=
          SN_OK) {
        break;
      }
    }
  }
  sn_arena_release(&arena);
  return status;
}

/* ---- poses ---- */

/* Load a movement that must be a pose, into @p arena. */
static sn_status load_pose(const sn__movements *self, const char *name, sn_arena *arena,
                           sn__movement *out, sn_error *err) {
  const sn_status status = sn__movements_load(self, name, arena, out, err);
  return status != SN_OK || out->kind == SN__MOVEMENT_JOINT_STATE
             ? status
             : sn__fail(err, SN_EINVAL, "'%s' is a %s, expected a pose", name,
                        sn__movement_kind_name(out->kind));
}

sn_status sn__movements_get_pose(const sn__movements *self, const char *name, sn_joint_state *out,
                                 sn_error *err) {
  sn__movement movement;
  sn_arena arena;
  sn_arena_init_growing(&arena, "pose", 0);
  sn_status status = load_pose(self, name, &arena, &movement, err);
  if (status == SN_OK && sn_msg_copy(&sn_joint_state_type, out, movement.pose) != SN_OK) {
    status = sn__fail(err, SN_ENOSPC, "'%s' has %zu joints: too many for an answer", name,
                      movement.pose->name.count);
  }
  sn_arena_release(&arena);
  return status;
}

sn_status sn__movements_remove_pose(const sn__movements *self, const char *name, sn_error *err) {
  char path[SN__LIBRARY_PATH_SIZE];
  sn__movement movement;
  sn_arena arena;
  sn_status status = sn__library_path(self->folder, name, ".json", path, err);
  if (status == SN_OK && !sn__library_has(self->folder, name, ".json")) {
    status = sn__fail(err, SN_EINVAL, "'%s' is not a file of the folder", name);
  }
  if (status != SN_OK) {
    return status;
  }
  sn_arena_init_growing(&arena, "pose", 0);
  status = load_pose(self, name, &arena, &movement, err); /* never removes anything else */
  sn_arena_release(&arena);
  if (status == SN_OK && remove(path) != 0) {
    status = sn__fail(err, SN_EIO, "cannot remove '%.150s': %s", path, strerror(errno));
  }
  return status;
}
