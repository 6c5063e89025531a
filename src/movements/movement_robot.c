/* Does a movement fit a robot? */
#include <string.h>

#include "base/fail.h"
#include "movements/movement.h"

#define SUPPORT_PREFIX "support/"

/* What is unknown so far. */
typedef struct unknown {
  const sn_model *model;
  const char *name; /* the first one; NULL: none */
  const char *what;
  size_t count;
  size_t total;
} unknown;

static void note(unknown *u, bool is_known, const char *name, const char *what) {
  u->total++;
  if (is_known) {
    return;
  }
  if (u->count++ == 0) {
    u->name = name;
    u->what = what;
  }
}

static void note_joint(unknown *u, const char *name) {
  const size_t length = strlen(SUPPORT_PREFIX);
  if (strncmp(name, SUPPORT_PREFIX, length) == 0) {
    note(u, sn_model_chain_index(u->model, name + length) >= 0, name + length, "chain");
  } else {
    note(u, sn_model_joint_index(u->model, name) >= 0, name, "movable joint");
  }
}

static void note_chain(unknown *u, const char *name) {
  note(u, sn_model_chain_index(u->model, name) >= 0, name, "chain");
}

static void note_names(unknown *u, const sn_msg_names *names) {
  for (size_t i = 0; i < names->count; i++) {
    note_joint(u, sn_msg_names_at(names, i));
  }
}

static void note_steps(unknown *u, const sn_step_goal *goal) {
  const char *base = goal->base_motion.name.data;
  note(u, *base == '\0' || sn_model_link_index(u->model, base) >= 0, base, "link");
  for (size_t i = 0; i < goal->ee_motion.count; i++) {
    note_chain(u, goal->ee_motion.data[i].name.data);
  }
}

static void note_all(unknown *u, const sn__movement *movement) {
  switch (movement->kind) {
    case SN__MOVEMENT_JOINT_TRAJECTORY:
      if (movement->trajectory->trajectory.points.count > 0) {
        note_names(u, &movement->trajectory->trajectory.joint_names);
      }
      break;
    case SN__MOVEMENT_STEP_SEQUENCE:
      note_steps(u, movement->steps);
      break;
    case SN__MOVEMENT_MOVE_BASE:
      for (size_t i = 0; i < movement->move_base->ee_goal.count; i++) {
        note_chain(u, movement->move_base->ee_goal.data[i].name.data);
      }
      break;
    case SN__MOVEMENT_JOINT_STATE:
      note_names(u, &movement->pose->name);
      break;
  }
}

sn_status sn__movement_check_robot(const sn__movement *movement, const sn_model *model,
                                   sn_error *err) {
  unknown u = {.model = model};
  note_all(&u, movement);
  if (u.count == 0) {
    return SN_OK;
  }
  return sn__fail(err, SN_ENOENT,
                  "%s: '%s' is not a %s of the robot '%s'; %zu of %zu names are unknown",
                  movement->name, u.name, u.what, sn_model_name(model), u.count, u.total);
}
