/* How `movements` records what a person shows. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "model/groups.h"
#include "movements/movements_component.h"
#include "movements/pace.h"
#include "msg/types/msg_movements.h"
#include "rt/futex.h"

/* ---- limbs that yield ---- */

/* @param by  a controller; empty: that of the property; `none`: none, something else moves them */
static sn_status open_yield(sn__movements *self, const char *by, sn_error *err) {
  char name[160];
  self->yield = (sn_caller){0};
  if (strcmp(by, "none") == 0) {
    return SN_OK;
  }
  const char *controller = *by == '\0' ? self->limp : by;
  snprintf(name, sizeof name, "%.120s.setOperational", controller);
  sn_error why;
  return sn_caller_open(self->component.system, name, &self->yield, &why) == SN_OK
             ? SN_OK
             : sn__fail(err, SN_ENOENT, "'%.80s' cannot make limbs yield: %s", controller,
                        why.message);
}

static sn_status make_yield(sn__movements *self, bool on, const sn_msg_names *resources,
                            sn_error *err) {
  const sn_msg_capacity room = {.item_count = 64, .text_size = 256};
  sn_arena arena;
  if (!sn_caller_is_ready(&self->yield)) {
    return SN_OK;
  }
  sn_arena_init_growing(&arena, "yield", 0);
  sn_set_operational *request = sn_msg_create(&arena, &sn_set_operational_type, &room);
  sn_call_outcome *outcome = sn_msg_create(&arena, &sn_call_outcome_type, &room);
  sn_status status =
      request == NULL || outcome == NULL ? sn__fail(err, SN_ENOMEM, "no memory") : SN_OK;
  for (size_t i = 0; status == SN_OK && resources != NULL && i < resources->count; i++) {
    const char *name = sn_msg_names_at(resources, i);
    status = sn_msg_names_add(&request->resources, name, strlen(name));
  }
  if (status == SN_OK) {
    request->operational = on;
    status = sn_call(&self->yield, request, outcome, err);
  }
  if (status == SN_OK && !outcome->success) {
    status = sn__fail(err, SN_EBUSY, "%s", outcome->message.data);
  }
  sn_arena_release(&arena);
  return status;
}

static void close_yield(sn__movements *self) {
  sn_caller_close(&self->yield);
  self->yield = (sn_caller){0};
}

/* ---- which joints ---- */

static void add_joint(sn__movements *self, int joint) {
  for (size_t i = 0; i < self->take_count; i++) {
    if (self->take_joints[i] == joint) {
      return;
    }
  }
  if (sn_model_joint(self->model, (size_t)joint)->mimic < 0) {
    self->take_joints[self->take_count++] = joint;
  }
}

/* A limb is a chain, a group or a joint. */
static sn_status add_limb(sn__movements *self, const char *name, sn_error *err) {
  const int chain = sn_model_chain_index(self->model, name);
  const int joint = sn_model_joint_index(self->model, name);
  const int index = sn_names_index(sn__model_group_names(self->model), name);
  const sn_group *group = index < 0 ? NULL : sn__model_group(self->model, (size_t)index);
  if (group != NULL) {
    for (size_t i = 0; i < group->joint_count; i++) {
      add_joint(self, group->joints[i]);
    }
  } else if (chain >= 0) {
    size_t count = 0;
    const int *joints = sn_model_chain_joints(self->model, (size_t)chain, &count);
    for (size_t i = 0; i < count; i++) {
      add_joint(self, joints[i]);
    }
  } else if (joint >= 0) {
    add_joint(self, joint);
  } else {
    return sn__fail(err, SN_ENOENT, "the robot has no limb '%.80s'", name);
  }
  return SN_OK;
}

static sn_status find_joints(sn__movements *self, const sn_msg_names *resources, sn_error *err) {
  sn_status status = SN_OK;
  self->take_count = 0;
  for (size_t i = 0; status == SN_OK && i < resources->count; i++) {
    status = add_limb(self, sn_msg_names_at(resources, i), err);
  }
  for (size_t j = 0; resources->count == 0 && j < sn_model_pose_size(self->model); j++) {
    add_joint(self, (int)j);
  }
  return status;
}

/* ---- recordings ---- */

static sn_status check_record(sn__movements *self, const char *name, sn_error *err) {
  const sn_status status = sn__library_check_name(name, err);
  if (self->mode == SN__MOVEMENTS_PLAYING) { /* perhaps it has ended since the last check */
    sn__movements_update(self, sn_clock_now_ns(sn_system_clock(self->component.system)));
  }
  if (status == SN_OK && self->mode != SN__MOVEMENTS_IDLE) {
    return sn__fail(err, SN_EBUSY, "'%s' is %s: stop it first", self->name,
                    self->mode == SN__MOVEMENTS_RECORDING ? "recorded" : "played");
  }
  return status == SN_OK && sn__library_has(self->folder, name, ".json")
             ? sn__fail(err, SN_EINVAL, "there is a movement '%s' already", name)
             : status;
}

static sn_status begin_yield(sn__movements *self, const sn_movement_take *request, sn_error *err) {
  sn_status status = open_yield(self, request->by.data == NULL ? "" : request->by.data, err);
  if (status == SN_OK) {
    status = make_yield(self, true, &request->resources, err);
  }
  if (status != SN_OK) {
    close_yield(self);
  }
  return status;
}

sn_status sn__movements_record(sn__movements *self, const sn_movement_take *request,
                               sn_error *err) {
  const char *name = request->name.data;
  sn_status status = check_record(self, name, err);
  status = status == SN_OK ? find_joints(self, &request->resources, err) : status;
  status = status == SN_OK ? begin_yield(self, request, err) : status;
  if (status != SN_OK) {
    return status;
  }
  sn__hand_recording_reset(&self->take);
  atomic_store(&self->is_full, false);
  atomic_store(&self->sampling, SN__SAMPLING_ON);
  self->mode = SN__MOVEMENTS_RECORDING;
  self->kind = "joint_trajectory";
  self->message[0] = '\0';
  self->start_ns = sn_clock_now_ns(sn_system_clock(self->component.system));
  snprintf(self->name, sizeof self->name, "%s", name);
  return SN_OK;
}

/* The cycle gives the samples back; if it does not run any more, they are free. */
static void end_sampling(sn__movements *self) {
  atomic_store(&self->sampling, SN__SAMPLING_ENDS);
  for (int i = 0; !self->is_simulated && i < 1000; i++) {
    if (atomic_load(&self->sampling) == SN__SAMPLING_OFF ||
        sn_component_state_now(&self->component) != SN_STATE_RUNNING) {
      break;
    }
    sn__real_pause();
  }
  atomic_store(&self->sampling, SN__SAMPLING_OFF);
}

static sn_status save(sn__movements *self, const sn__movement *movement, sn_error *err) {
  char path[SN__LIBRARY_PATH_SIZE];
  sn_status status = sn__library_make(self->folder, err);
  if (status == SN_OK) {
    status = sn__library_path(self->folder, movement->name, ".json", path, err);
  }
  return status == SN_OK ? sn__movement_save(path, movement, err) : status;
}

/* The movement keeps to the limits of the joints: a hand may have been faster. */
static sn_status slow_down(const sn__movements *self, sn_trajectory_goal *goal, sn_arena *arena,
                           sn_error *err) {
  double factor = 0.0;
  const sn_status status = sn__pace_limit(self->model, &goal->trajectory, arena, &factor, err);
  if (status == SN_OK && factor > 1.0) {
    sn__pace_change(&goal->trajectory, factor);
  }
  return status;
}

static sn_status save_take(sn__movements *self, sn_error *err) {
  const sn__hand_cleaning cleaning = {.rest_tolerance = self->record_tolerance,
                                      .smoothing_s = self->record_smoothing};
  sn_arena arena;
  sn_error why = {.message = ""};
  sn_arena_init_growing(&arena, "take", 0);
  sn__movement movement = {.name = self->name, .kind = SN__MOVEMENT_JOINT_TRAJECTORY};
  movement.trajectory = sn__hand_recording_trajectory(&self->take, self->model, self->take_joints,
                                                      self->take_count, &cleaning, &arena, &why);
  sn_status status =
      movement.trajectory == NULL
          ? sn__fail(err, SN_EINVAL, "'%s' is not saved: %s", self->name, why.message)
          : slow_down(self, movement.trajectory, &arena, err);
  status = status == SN_OK ? save(self, &movement, err) : status;
  sn_arena_release(&arena);
  return status;
}

sn_status sn__movements_end_record(sn__movements *self, bool saves, sn_error *err) {
  if (self->mode != SN__MOVEMENTS_RECORDING) {
    return sn__fail(err, SN_EINVAL, "nothing is being recorded");
  }
  sn_error ignored;
  end_sampling(self);
  self->mode = SN__MOVEMENTS_IDLE;
  (void)make_yield(self, false, NULL, &ignored); /* they are held again from where they are */
  close_yield(self);
  const sn_status status = saves ? save_take(self, err) : SN_OK;
  self->success = status == SN_OK && saves;
  snprintf(self->message, sizeof self->message, "%s",
           status != SN_OK               ? err->message
           : atomic_load(&self->is_full) ? "the recording was cut off: it was too long"
                                         : "");
  return status;
}

sn_status sn__movements_save_pose(sn__movements *self, const char *name, sn_error *err) {
  const sn_joint_state *pose = sn_tap_read(self->player.pose, NULL);
  if (pose == NULL) {
    return sn__fail(err, SN_EBUSY, "no pose has arrived yet");
  }
  if (sn__library_has(self->folder, name, ".json")) {
    return sn__fail(err, SN_EINVAL, "there is a movement '%s' already", name);
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "pose", 0);
  const sn_msg_capacity room = {.item_count = pose->name.count, .text_size = 128};
  sn_joint_state *copy = sn_msg_create(&arena, &sn_joint_state_type, &room);
  sn_status status = copy == NULL ? SN_ENOMEM : sn_msg_copy(&sn_joint_state_type, copy, pose);
  if (status == SN_OK) {
    copy->velocity.count = copy->effort.count = 0;
    const sn__movement movement = {.name = name, .kind = SN__MOVEMENT_JOINT_STATE, .pose = copy};
    status = sn__library_check_name(name, err);
    status = status == SN_OK ? save(self, &movement, err) : status;
  } else {
    (void)sn__fail(err, status, "no memory");
  }
  sn_arena_release(&arena);
  return status;
}
