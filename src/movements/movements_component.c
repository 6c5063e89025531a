/* `movements`: tables, lifecycle and the cycle. */
#include "movements/movements_component.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "movements/pace.h"
#include "msg/outcome.h"
#include "msg/types/msg_movements.h"
#include "rt/components/robot_model_client.h"
#include "sinew/msg_calls.h"

static const sn_property properties[] = {
    SN_PROPERTY(sn__movements, "folder", folder, .initial = "movements", .flags = SN_PROPERTY_PATH,
                .doc = "Folder of the files; created with the first recording."),
    SN_PROPERTY(sn__movements, "trajectories", trajectories, .initial = "[execute]",
                .doc = "Controllers that execute joint trajectories; movements that are played "
                       "together need one each."),
    SN_PROPERTY(sn__movements, "steps", steps, .initial = "[steps]",
                .doc = "Controllers that execute step sequences."),
    SN_PROPERTY(sn__movements, "limp", limp, .initial = "torque_off",
                .doc = "Controller that makes limbs yield to the hand while they are recorded, "
                       "unless the request names one."),
    SN_PROPERTY(sn__movements, "pose", pose, .initial = "aggregator.joints_sorted",
                .doc = "Output with the commanded pose."),
    SN_PROPERTY(sn__movements, "poses", pose_tree,
                .doc = "Poses with names, as joints with their positions: they are listed and "
                       "played as movements."),
    SN_PROPERTY(sn__movements, "srdf", srdf, .flags = SN_PROPERTY_PATH,
                .doc = "SRDF file whose group states are poses, too; empty: none."),
    SN_PROPERTY(sn__movements, "record_interval", record_interval, .initial = "0.02", .unit = "s",
                .min = 0.001, .max = 1, .doc = "Time between samples of a recording."),
    SN_PROPERTY(sn__movements, "record_max", record_max, .initial = "60", .unit = "s", .min = 1,
                .max = 600, .doc = "Longest recording."),
    SN_PROPERTY(sn__movements, "record_tolerance", record_tolerance, .initial = "0.01",
                .unit = "rad or m", .min = 0, .max = 1,
                .doc = "Rests at the ends of a recording, within this, are cut off."),
    SN_PROPERTY(sn__movements, "record_smoothing", record_smoothing, .initial = "0.04", .unit = "s",
                .min = 0, .max = 1,
                .doc = "Width of the bell that the samples of a recording are averaged with."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(sn__movements, "in_joints_measured", joints_measured, &sn_joint_state_type,
             .flags = SN_PORT_FEEDBACK, .doc = "Measured positions, for recordings."),
    {0}};

static const sn_need needs[] = {SN_ROBOT_MODEL_NEED(sn__movements), {0}};

/* ---- lifecycle ---- */

static sn_status create(sn_component *component, sn_error *err) {
  sn__movements *self = (sn__movements *)component;
  sn_arena *arena = sn_component_arena(component);
  const size_t n = sn_model_pose_size(self->model);
  if (*self->folder == '\0') {
    return sn__fail(err, SN_EINVAL, "the folder has no name");
  }
  self->measured = SN_NEW(arena, double, n);
  self->take_joints = SN_NEW(arena, int, n);
  if (self->measured == NULL || self->take_joints == NULL ||
      !sn__name_map_init(&self->measured_names, arena, sn_model_joint_names(self->model)) ||
      !sn__hand_recording_create(arena, n, self->record_interval, self->record_max, &self->take)) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", n);
  }
  const sn_status status =
      sn__named_poses_read(arena, self->model, self->pose_tree, self->srdf, &self->poses, err);
  if (status != SN_OK) {
    return status;
  }
  self->is_simulated = sn_system_clock(component->system)->kind == SN_CLOCK_SIMULATED;
  self->has_measured = false;
  self->mode = SN__MOVEMENTS_IDLE;
  atomic_store(&self->sampling, SN__SAMPLING_OFF);
  pthread_mutex_init(&self->lock, NULL);
  sn_arena_init_growing(&self->script_arena, "script", 0);
  return SN_OK;
}

static sn_status configure(sn_component *component, sn_error *err) {
  sn__movements *self = (sn__movements *)component;
  return sn__configure_with_model(component, &self->robot_model, &self->model, create, err);
}

static void cleanup(sn_component *component) {
  sn__movements *self = (sn__movements *)component;
  pthread_mutex_destroy(&self->lock);
  sn_arena_release(&self->script_arena);
  sn__model_release(&self->robot_model);
}

/* A controller that the deployment lacks is missed when a movement needs it. */
static void add_controllers(sn__movements *self, const sn_texts *names, bool for_steps) {
  for (size_t i = 0; i < names->count; i++) {
    sn_error err;
    if (sn_system_find(self->component.system, names->data[i]) != NULL &&
        sn__player_add(&self->player, self->component.system, names->data[i], for_steps, &err) !=
            SN_OK) {
      const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = names->data[i]};
      sn_component_log(&self->component, 0, SN_LOG_WARNING,
                       "'{}' cannot play movements: it lacks execute, getGoal or cancel", 1, &arg);
    }
  }
}

static void close_all(sn__movements *self) {
  sn__player_close(&self->player);
}

static sn_status on_system_started(sn_component *component, sn_error *err) {
  sn__movements *self = (sn__movements *)component;
  const sn_status status =
      sn__player_open(&self->player, component->system, self->model, self->pose, err);
  if (status != SN_OK) {
    close_all(self);
    return status;
  }
  add_controllers(self, &self->trajectories, false);
  add_controllers(self, &self->steps, true);
  if (!self->is_simulated && !sn__movements_start_thread(self)) {
    close_all(self);
    return sn__fail(err, SN_EIO, "no thread for scripts");
  }
  pthread_mutex_lock(&self->lock);
  self->is_open = true;
  pthread_mutex_unlock(&self->lock);
  return SN_OK;
}

static void on_system_stopping(sn_component *component) {
  sn__movements *self = (sn__movements *)component;
  pthread_mutex_lock(&self->lock);
  sn_error ignored;
  (void)sn__movements_stop(self);
  if (self->mode == SN__MOVEMENTS_RECORDING) {
    (void)sn__movements_end_record(self, false, &ignored);
  }
  self->is_open = false;
  pthread_mutex_unlock(&self->lock);
  sn__movements_end_thread(self);
  close_all(self);
}

/* ---- the cycle ---- */

static void read_measured(sn__movements *self) {
  size_t left = SN_INPUT_BURST_MAX;
  for (const sn_joint_state *msg; (msg = sn_input_next(&self->joints_measured, &left)) != NULL;) {
    if (sn__read_is_good(sn__read_joint_state(&self->measured_names, msg, NULL))) {
      const size_t count = sn__name_map_sort(&self->measured_names, &msg->position, self->measured);
      self->has_measured = self->has_measured || count == sn_model_pose_size(self->model);
    }
  }
}

static void sample(sn__movements *self, int64_t now_ns) {
  const int sampling = atomic_load(&self->sampling);
  if (sampling == SN__SAMPLING_ON && self->has_measured &&
      !sn__hand_recording_take(&self->take, self->measured, now_ns)) {
    atomic_store(&self->is_full, true);
  } else if (sampling == SN__SAMPLING_ENDS) {
    atomic_store(&self->sampling, SN__SAMPLING_OFF);
  }
}

static sn_status step(sn_component *component, int64_t now_ns) {
  sn__movements *self = (sn__movements *)component;
  read_measured(self);
  sample(self, now_ns);
  if (self->is_simulated && self->is_open) { /* no other thread runs meanwhile */
    pthread_mutex_lock(&self->lock);
    sn__movements_update(self, now_ns);
    pthread_mutex_unlock(&self->lock);
  }
  return SN_OK;
}

/* ---- operations ---- */

typedef sn_status movements_operation(sn__movements *self, const void *request, void *response,
                                      sn_error *err);

/* Under the lock, while the system runs. */
static sn_status run_locked(sn_component *component, movements_operation *run, const void *request,
                            void *response, sn_error *err) {
  sn__movements *self = (sn__movements *)component;
  if (sn_component_state_now(component) != SN_STATE_RUNNING) {
    return sn__fail(err, SN_ESTOPPED, "%s does not run", component->name);
  }
  pthread_mutex_lock(&self->lock);
  const sn_status status = self->is_open
                               ? run(self, request, response, err)
                               : sn__fail(err, SN_ESTOPPED, "%s does not run", component->name);
  pthread_mutex_unlock(&self->lock);
  return status;
}

static sn_status play_named(sn__movements *self, const void *request, void *response,
                            sn_error *err) {
  return sn__outcome_put(response, sn__movements_play(self, request, err), err);
}

static sn_status play_text(sn__movements *self, const void *request, void *response,
                           sn_error *err) {
  const sn_movement_text *text = request;
  sn_arena arena;
  sn__movement movement;
  sn_arena_init_growing(&arena, "movement", 0);
  sn_status status = sn__movement_parse(text->text.data, strlen(text->text.data), text->name.data,
                                        &arena, &movement, err);
  if (status == SN_OK) {
    status = sn__pace_set(self->model, &movement, text->speed, text->fastest, &arena, err);
  }
  if (status == SN_OK) {
    status = sn__movements_begin(self, &movement, err);
  }
  sn_arena_release(&arena);
  return sn__outcome_put(response, status, err);
}

static sn_status stop_playing(sn__movements *self, const void *request, void *response,
                              sn_error *err) {
  (void)request;
  const bool was_playing = sn__movements_stop(self);
  const sn_status status = was_playing ? SN_OK : sn__fail(err, SN_EINVAL, "nothing is played");
  return sn__outcome_put(response, status, err);
}

static sn_status start_take(sn__movements *self, const void *request, void *response,
                            sn_error *err) {
  return sn__outcome_put(response, sn__movements_record(self, request, err), err);
}

static sn_status save_take(sn__movements *self, const void *request, void *response,
                           sn_error *err) {
  (void)request;
  return sn__outcome_put(response, sn__movements_end_record(self, true, err), err);
}

static sn_status drop_take(sn__movements *self, const void *request, void *response,
                           sn_error *err) {
  (void)request;
  return sn__outcome_put(response, sn__movements_end_record(self, false, err), err);
}

static sn_status save_pose(sn__movements *self, const void *request, void *response,
                           sn_error *err) {
  const char *name = ((const sn_call_name *)request)->name.data;
  return sn__outcome_put(response, sn__movements_save_pose(self, name, err), err);
}

static sn_status get_pose(sn__movements *self, const void *request, void *response, sn_error *err) {
  const char *name = ((const sn_call_name *)request)->name.data;
  return sn__movements_get_pose(self, name, response, err);
}

static sn_status remove_pose(sn__movements *self, const void *request, void *response,
                             sn_error *err) {
  const char *name = ((const sn_call_name *)request)->name.data;
  return sn__outcome_put(response, sn__movements_remove_pose(self, name, err), err);
}

static sn_status get_state(sn__movements *self, const void *request, void *response,
                           sn_error *err) {
  static const char *const states[] = {[SN__MOVEMENTS_IDLE] = "idle",
                                       [SN__MOVEMENTS_PLAYING] = "playing",
                                       [SN__MOVEMENTS_SCRIPT] = "playing",
                                       [SN__MOVEMENTS_RECORDING] = "recording"};
  sn_movement_state *out = response;
  (void)request;
  (void)err;
  const int64_t now_ns = sn_clock_now_ns(sn_system_clock(self->component.system));
  if (self->mode == SN__MOVEMENTS_PLAYING) {
    sn__movements_update(self, now_ns);
  }
  out->elapsed = self->mode == SN__MOVEMENTS_RECORDING ? 1e-9 * (double)(now_ns - self->start_ns)
                                                       : self->elapsed_s;
  out->duration = self->duration_s;
  out->success = self->success;
  out->error_code = self->error_code;
  /* Long texts are cut to the caller's capacity. */
  (void)sn_msg_text_set(&out->state, states[self->mode]);
  (void)sn_msg_text_set(&out->name, self->name);
  (void)sn_msg_text_set(&out->kind, self->kind == NULL ? "" : self->kind);
  (void)sn_msg_text_set(&out->message, self->message);
  return SN_OK;
}

static sn_status list_files(sn__movements *self, const void *request, void *response,
                            sn_error *err) {
  (void)request;
  return sn__movements_list(self, response, err);
}

#define OPERATION(name, function)                                                     \
  static sn_status name(sn_component *component, const void *request, void *response, \
                        sn_error *err) {                                              \
    return run_locked(component, function, request, response, err);                   \
  }
OPERATION(run_list, list_files)
OPERATION(run_play, play_named)
OPERATION(run_play_text, play_text)
OPERATION(run_stop, stop_playing)
OPERATION(run_state, get_state)
OPERATION(run_start_take, start_take)
OPERATION(run_save_take, save_take)
OPERATION(run_drop_take, drop_take)
OPERATION(run_save_pose, save_pose)
OPERATION(run_get_pose, get_pose)
OPERATION(run_remove_pose, remove_pose)

static const sn_operation operations[] = {
    {"listMovements", SN_CLIENT_THREAD | SN_READ_ONLY, NULL, &sn_movement_list_type, run_list,
     "All poses with names, movements and scripts of the folder."},
    {"playMovement", SN_IN_PARTS, &sn_movement_play_type, &sn_call_outcome_type, run_play,
     "Play a movement or a script of the folder, or go to a pose; it replaces what is played. A "
     "joint trajectory at another speed: 0.1 .. 10 times, within the limits of the joints, or as "
     "fast as they allow."},
    {"playText", SN_IN_PARTS, &sn_movement_text_type, &sn_call_outcome_type, run_play_text,
     "Play a movement that is given as the text of its file."},
    {"stopMovement", SN_IN_PARTS, NULL, &sn_call_outcome_type, run_stop, "Stop what is played."},
    {"getMovement", SN_CLIENT_THREAD | SN_READ_ONLY, NULL, &sn_movement_state_type, run_state,
     "What is played or recorded, or how the last one ended."},
    {"recordMovement", SN_IN_PARTS, &sn_movement_take_type, &sn_call_outcome_type, run_start_take,
     "Make these limbs yield and record how they are moved by hand; or record what else moves "
     "them."},
    {"saveRecording", SN_IN_PARTS, NULL, &sn_call_outcome_type, run_save_take,
     "End the recording and save it; the limbs are held again."},
    {"dropRecording", SN_IN_PARTS, NULL, &sn_call_outcome_type, run_drop_take,
     "End the recording without saving it."},
    {"savePose", SN_CLIENT_THREAD, &sn_call_name_type, &sn_call_outcome_type, run_save_pose,
     "Save the commanded pose under this name."},
    {"getPose", SN_CLIENT_THREAD | SN_READ_ONLY, &sn_call_name_type, &sn_joint_state_type,
     run_get_pose, "The joints of the pose of this name."},
    {"removePose", SN_CLIENT_THREAD, &sn_call_name_type, &sn_call_outcome_type, run_remove_pose,
     "Remove the file of the pose of this name; never another movement."},
    {0}};

const sn_component_type sn_movements_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "movements",
    .doc = "A folder of movements and scripts: lists, plays and records them by name.",
    .size = sizeof(sn__movements),
    .properties = properties,
    .ports = ports,
    .operations = operations,
    .needs = needs,
    .example = "components:\n  movements: {type: movements, properties: {folder: movements}}\n",
    .configure = configure,
    .step = step,
    .cleanup = cleanup,
    .on_system_started = on_system_started,
    .on_system_stopping = on_system_stopping,
};
