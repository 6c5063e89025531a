#include "movements/movement.h"

#include <stdbool.h>
#include <string.h>

#include "base/fail.h"
#include "files/file.h"
#include "movements/movement_check.h"
#include "msg/wire/msg_json_internal.h"
#include "sinew/fault.h"

/* One row for each kind; a file is of the first kind one of whose fields it has. */
static const struct {
  const char *name;
  const sn_msg_type *type;
  const char *fields[3]; /* that only this kind has */
} kinds[] = {
    [SN__MOVEMENT_JOINT_TRAJECTORY] = {"joint_trajectory",
                                       &sn_trajectory_goal_type,
                                       {"trajectory"}},
    [SN__MOVEMENT_STEP_SEQUENCE] = {"step_sequence",
                                    &sn_step_goal_type,
                                    {"ee_motion", "base_motion"}},
    [SN__MOVEMENT_MOVE_BASE] = {"move_base",
                                &sn_move_base_goal_type,
                                {"base_goal", "ee_goal", "gait_type"}},
    [SN__MOVEMENT_JOINT_STATE] = {"joint_state", &sn_joint_state_type, {"position"}},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

const char *sn__movement_kind_name(sn__movement_kind kind) {
  SN_ASSERT((size_t)kind < KIND_COUNT);
  return kinds[kind].name;
}

const sn_msg_type *sn__movement_type(sn__movement_kind kind) {
  SN_ASSERT((size_t)kind < KIND_COUNT);
  return kinds[kind].type;
}

#if SINEW_JSON
#include <jansson.h>

static sn_status find_kind(const json_t *root, const char *file, sn__movement_kind *out,
                           sn_error *err) {
  for (size_t k = 0; k < KIND_COUNT; k++) {
    for (size_t i = 0; i < 3 && kinds[k].fields[i] != NULL; i++) {
      if (json_object_get(root, kinds[k].fields[i]) != NULL) {
        *out = (sn__movement_kind)k;
        return SN_OK;
      }
    }
  }
  return sn__fail(err, SN_EINVAL,
                  "%s: not a movement: expected an object with 'trajectory', 'ee_motion', "
                  "'base_goal' or 'position'",
                  file);
}

/* The name of the file without folder and ending. */
static const char *name_of(const char *file, sn_arena *arena) {
  const char *slash = strrchr(file, '/');
  const char *name = slash == NULL ? file : slash + 1;
  const bool has_ending = sn__file_has_ending(name, ".json");
  return sn_arena_text(arena, name, strlen(name) - (has_ending ? strlen(".json") : 0));
}

static sn_status read_tree(json_t *root, const char *file, sn_arena *arena, sn__movement *out,
                           sn_error *err) {
  sn_report *warnings = NULL;
  sn__movement movement = {.name = name_of(file, arena)};
  sn_status status = sn_report_create(arena, &warnings, err);
  if (status == SN_OK && movement.name == NULL) {
    status = sn__fail(err, SN_ENOMEM, "%s: no memory", file);
  }
  if (status == SN_OK) {
    status = find_kind(root, file, &movement.kind, err);
  }
  if (status == SN_OK) {
    status = sn__msg_make_from_json_tree(kinds[movement.kind].type, root, file, arena, warnings,
                                         &movement.msg, err);
  }
  if (status == SN_OK) {
    movement.warnings = warnings;
    status = sn__movement_check(&movement, file, warnings, err);
  }
  if (status == SN_OK) {
    *out = movement;
  }
  return status;
}

sn_status sn__movement_parse(const char *text, size_t size, const char *file, sn_arena *arena,
                             sn__movement *out, sn_error *err) {
  const char *copy = sn_arena_text(arena, file, strlen(file)); /* warnings name the file */
  if (copy == NULL) {
    return sn__fail(err, SN_ENOMEM, "%s: no memory", file);
  }
  if (size > SN__MOVEMENT_SIZE_MAX) {
    return sn__fail(err, SN_ELIMIT, "%s: %zu bytes, at most %zu are allowed", file, size,
                    SN__MOVEMENT_SIZE_MAX);
  }
  json_error_t problem;
  json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
  if (root == NULL) {
    return sn__fail(err, SN_ESYNTAX, "%s:%d:%d: %s", file, problem.line, problem.column,
                    problem.text);
  }
  const sn_status status = read_tree(root, copy, arena, out, err);
  json_decref(root);
  return status;
}
#else
sn_status sn__movement_parse(const char *text, size_t size, const char *file, sn_arena *arena,
                             sn__movement *out, sn_error *err) {
  (void)text, (void)size, (void)arena, (void)out;
  return sn__fail(err, SN_EUNSUPPORTED, "%s: built without JSON", file);
}
#endif

sn_status sn__movement_load(const char *path, sn_arena *arena, sn__movement *out, sn_error *err) {
  sn__file file;
  sn_status status = sn__file_read(path, SN__MOVEMENT_SIZE_MAX, NULL, &file, err);
  if (status == SN_OK) {
    status = sn__movement_parse(file.text, file.size, path, arena, out, err);
    sn__file_free(&file);
  }
  return status;
}
