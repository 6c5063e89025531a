#include "movements/named_poses.h"

#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "model/srdf/semantics.h"
#include "model/srdf/srdf.h"
#include "movements/library.h"

enum { POSES_MAX = 256 };

/* What is being read. */
typedef struct reader {
  sn_arena *arena;
  const sn_model *model;
  sn__named_poses poses;
  size_t own_count; /* poses of the property; they hide those of the file */
  sn_error *err;
} reader;

static sn_status add_pose(reader *r, const char *name, sn__named_pose **out) {
  const size_t n = sn_model_pose_size(r->model);
  if (r->poses.count == POSES_MAX) {
    return sn__fail(r->err, SN_EINVAL, "more than %d poses", (int)POSES_MAX);
  }
  sn__named_pose pose = {.name = sn_arena_text(r->arena, name, strlen(name)),
                         .joints = SN_NEW(r->arena, int, n),
                         .positions = SN_NEW(r->arena, double, n)};
  if (pose.name == NULL || pose.joints == NULL || pose.positions == NULL) {
    return sn__fail(r->err, SN_ENOMEM, "no memory for poses");
  }
  *out = &r->poses.list[r->poses.count++];
  **out = pose;
  return SN_OK;
}

static sn_status add_joint(reader *r, sn__named_pose *pose, sn_place place, const char *name,
                           double position) {
  const char *file = place.file == NULL ? "poses" : place.file;
  const int index = sn_model_joint_index(r->model, name);
  if (index < 0) {
    return sn__fail(r->err, SN_ENOENT,
                    "%s:%u: pose '%.60s': the robot has no movable joint '%.60s'", file, place.line,
                    pose->name, name);
  }
  const sn_joint *joint = sn_model_joint(r->model, (size_t)index);
  if (!(position >= joint->lower && position <= joint->upper)) {
    return sn__fail(r->err, SN_EINVAL,
                    "%s:%u: pose '%.60s': joint '%.60s' at %g, its limits are %g and %g", file,
                    place.line, pose->name, name, position, joint->lower, joint->upper);
  }
  for (size_t i = 0; i < pose->count; i++) {
    if (pose->joints[i] == index) {
      return sn__fail(r->err, SN_EINVAL, "%s:%u: pose '%.60s' has joint '%.60s' twice", file,
                      place.line, pose->name, name);
    }
  }
  pose->joints[pose->count] = index;
  pose->positions[pose->count++] = position;
  return SN_OK;
}

/* ---- of the property ---- */

static sn_status read_bag(reader *r, const sn_value *bag) {
  sn__named_pose *pose = NULL;
  sn_status status = sn__library_check_name(bag->name, r->err);
  status = status == SN_OK ? add_pose(r, bag->name, &pose) : status;
  if (status != SN_OK) {
    return status;
  }
  if (bag->kind != SN_VALUE_BAG || bag->item_count == 0) {
    return sn__fail(r->err, SN_EINVAL, "pose '%.60s': expected joints with positions: {elbow: 1.2}",
                    bag->name);
  }
  for (size_t i = 0; status == SN_OK && i < bag->item_count; i++) {
    double position = 0.0;
    const sn_value *item = bag->items[i];
    if (item->kind != SN_VALUE_TEXT || !sn_value_number(item, &position)) {
      return sn__fail(r->err, SN_EINVAL, "pose '%.60s': the position of '%.60s' is not a number",
                      bag->name, item->name);
    }
    status = add_joint(r, pose, item->place, item->name, position);
  }
  return status;
}

static sn_status read_tree(reader *r, const sn_value *tree) {
  sn_status status = SN_OK;
  const bool is_empty = tree->kind == SN_VALUE_LIST && tree->item_count == 0;
  if (tree->kind != SN_VALUE_BAG && !is_empty) {
    return sn__fail(r->err, SN_EINVAL, "poses: expected names with joints: {home: {elbow: 1.2}}");
  }
  for (size_t i = 0; status == SN_OK && i < tree->item_count; i++) {
    status = read_bag(r, tree->items[i]);
  }
  return status;
}

/* ---- of a file ---- */

static sn_status read_state(reader *r, const sn__xml_node *state, sn__named_pose *pose) {
  sn_status status = SN_OK;
  for (const sn__xml_node *joint = state->first_child; status == SN_OK && joint != NULL;
       joint = joint->next) {
    const char *name = sn__xml_attribute_value(joint, "name");
    const char *value = sn__xml_attribute_value(joint, "value");
    double position = 0.0;
    if (name == NULL || value == NULL ||
        sn__number_parse(value, strlen(value), &position) != SN__NUMBER_OK) {
      return sn__fail(r->err, SN_EINVAL,
                      "%s:%u: state '%.60s': expected <joint name=\"...\" value=\"a number\"/>",
                      joint->place.file, joint->place.line, pose->name);
    }
    if (sn_model_joint_index(r->model, name) >= 0) { /* others may be fixed, or follow one */
      status = add_joint(r, pose, joint->place, name, position);
    }
  }
  return status;
}

static sn_status read_states(reader *r, const sn__xml_node *root) {
  sn_status status = SN_OK;
  const sn__xml_node *state = root->first_child;
  for (; status == SN_OK && state != NULL; state = state->next) {
    const char *name = sn__xml_attribute_value(state, "name");
    if (!sn__xml_same(state->name, "group_state") || name == NULL) {
      continue;
    }
    size_t i = 0;
    while (i < r->poses.count && strcmp(r->poses.list[i].name, name) != 0) {
      i++;
    }
    if (i >= r->own_count) {
      sn__named_pose *pose = &r->poses.list[i];
      status = i < r->poses.count ? SN_OK : add_pose(r, name, &pose);
      status = status == SN_OK ? read_state(r, state, pose) : status;
    }
  }
  return status;
}

static sn_status read_srdf(reader *r, const char *path) {
  sn_arena scratch;
  const sn__xml_node *root = NULL;
  sn_arena_init_growing(&scratch, "srdf", 0);
  sn_status status = sn__srdf_load(&scratch, path, NULL, &root, r->err);
  status = status == SN_OK ? read_states(r, root) : status;
  sn_arena_release(&scratch);
  return status;
}

/* ---- of the robot ---- */

static bool has_joint(const sn__named_pose *pose, int joint) {
  for (size_t i = 0; i < pose->count; i++) {
    if (pose->joints[i] == joint) {
      return true;
    }
  }
  return false;
}

/* States that the model came with; they were checked with it. */
static sn_status read_semantics(reader *r) {
  const sn__semantics *semantics = sn__model_semantics(r->model);
  const size_t own_count = r->poses.count;
  sn_status status = SN_OK;
  for (size_t k = 0; status == SN_OK && k < semantics->state_count; k++) {
    const sn__semantic_state *state = &semantics->states[k];
    const sn__named_pose *known = sn__named_pose_find(&r->poses, state->name);
    const size_t i = known == NULL ? r->poses.count : (size_t)(known - r->poses.list);
    sn__named_pose *pose = &r->poses.list[i];
    if (known != NULL && i < own_count) {
      continue; /* the file that names the pose comes first */
    }
    status = known == NULL ? add_pose(r, state->name, &pose) : SN_OK;
    for (size_t j = 0; status == SN_OK && j < state->count; j++) {
      if (!has_joint(pose, state->joints[j])) {
        pose->joints[pose->count] = state->joints[j];
        pose->positions[pose->count++] = state->positions[j];
      }
    }
  }
  return status;
}

/* ---- interface ---- */

sn_status sn__named_poses_read(sn_arena *arena, const sn_model *model, const sn_value *tree,
                               const char *srdf, sn__named_poses *out, sn_error *err) {
  reader r = {.arena = arena, .model = model, .err = err};
  r.poses.list = SN_NEW(arena, sn__named_pose, POSES_MAX);
  if (r.poses.list == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for poses");
  }
  sn_status status = tree == NULL ? SN_OK : read_tree(&r, tree);
  r.own_count = r.poses.count;
  if (status == SN_OK && srdf != NULL && *srdf != '\0') {
    status = read_srdf(&r, srdf);
  }
  status = status == SN_OK ? read_semantics(&r) : status;
  if (status == SN_OK) {
    *out = r.poses;
  }
  return status;
}

const sn__named_pose *sn__named_pose_find(const sn__named_poses *poses, const char *name) {
  for (size_t i = 0; i < poses->count; i++) {
    if (strcmp(poses->list[i].name, name) == 0) {
      return &poses->list[i];
    }
  }
  return NULL;
}

sn_status sn__named_pose_movement(const sn__named_pose *pose, const sn_model *model,
                                  sn_arena *arena, sn__movement *out, sn_error *err) {
  const sn_msg_capacity room = {.item_count = pose->count, .text_size = 128};
  sn_joint_state *msg = sn_msg_create(arena, &sn_joint_state_type, &room);
  sn_status status = msg == NULL ? SN_ENOMEM : SN_OK;
  for (size_t i = 0; status == SN_OK && i < pose->count; i++) {
    const char *name = sn_model_joint(model, (size_t)pose->joints[i])->name;
    status = sn_msg_names_add(&msg->name, name, strlen(name));
    msg->position.data[i] = pose->positions[i];
  }
  if (status != SN_OK) {
    return sn__fail(err, SN_ENOMEM, "no memory for pose '%s'", pose->name);
  }
  msg->position.count = pose->count;
  *out = (sn__movement){.name = pose->name, .kind = SN__MOVEMENT_JOINT_STATE, .pose = msg};
  return SN_OK;
}
