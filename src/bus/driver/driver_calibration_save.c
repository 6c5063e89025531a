/* The end of a calibration: its readings are checked and saved by the thread of the client, since
   files do not belong into a control cycle. */

#include "base/fail.h"
#include "bus/driver/calibration_file.h"
#include "bus/driver/driver.h"
#include "bus/driver/driver_calibration.h"
#include "msg/msg_names_internal.h"
#include "msg/outcome.h"
#include "msg/table.h"
#include "rt/component_runtime.h"
#include "rt/ports/own_call.h"

static const sn_msg_capacity ROOM = {.item_count = SN__DRIVER_SERVOS_MAX, .text_size = 65536};

static const sn_msg_field fields[] = {
    SN_MSG_FIELD(sn__calibration_state, "active", active, ""),
    SN_MSG_FIELD(sn__calibration_state, "saved", saved, ""),
    SN_MSG_FIELD(sn__calibration_state, "message", message, ""),
    SN_MSG_FIELD(sn__calibration_state, "name", name, ""),
    SN_MSG_FIELD(sn__calibration_state, "position", position, "rad"),
    SN_MSG_FIELD(sn__calibration_state, "min", min, "rad"),
    SN_MSG_FIELD(sn__calibration_state, "max", max, "rad"),
    SN_MSG_FIELD(sn__calibration_state, "zero", zero, "counts"),
    SN_MSG_FIELD(sn__calibration_state, "direction", direction, ""),
    SN_MSG_FIELD(sn__calibration_state, "problem", problem, ""),
};
const sn_msg_type sn__calibration_state_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "Calibration"),
                                                .brief = "What a calibration has measured so far.",
                                                .size = sizeof(sn__calibration_state),
                                                SN__FIELDS(fields)};

static sn_status check_complete(const sn__calibration_state *state, sn_error *err) {
  if (!state->active) {
    return sn__fail(err, SN_EINVAL, "no calibration runs: %.150s", state->message.data);
  }
  for (size_t i = 0; i < state->problem.count; i++) {
    const char *problem = sn_msg_names_at(&state->problem, i);
    if (*problem != '\0') {
      return sn__fail(err, SN_EINVAL, "%s", problem);
    }
  }
  return SN_OK;
}

static sn_status reverse(const sn_msg_names *reversed, const sn__calibration_state *state,
                         sn__servo_range *ranges, sn_error *err) {
  for (size_t i = 0; i < reversed->count; i++) {
    const char *joint = sn_msg_names_at(reversed, i);
    const int index = sn__msg_names_index(&state->name, joint);
    if (index < 0) {
      return sn__fail(err, SN_ENOENT, "no servo of this driver moves a joint '%.80s'", joint);
    }
    const sn__servo_range before = ranges[index];
    ranges[index] = (sn__servo_range){.zero = before.zero,
                                      .direction = -before.direction,
                                      .min = -before.max,
                                      .max = -before.min};
  }
  return SN_OK;
}

static sn_status save(sn__driver *self, const sn_msg_names *reversed,
                      const sn__calibration_state *state, sn_arena *arena, sn_error *err) {
  sn__servo_range *ranges = SN_NEW(arena, sn__servo_range, self->count);
  if (ranges == NULL || state->name.count != self->count) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu servos", self->count);
  }
  for (size_t i = 0; i < self->count; i++) {
    ranges[i] = (sn__servo_range){.zero = state->zero.data[i],
                                  .direction = state->direction.data[i],
                                  .min = state->min.data[i],
                                  .max = state->max.data[i]};
  }
  const sn_status status = reverse(reversed, state, ranges, err);
  return status == SN_OK ? sn__calibration_save(self->calibration_file, self->names, ranges, err)
                         : status;
}

static sn_status finish(sn__driver *self, const sn_msg_names *reversed, sn_arena *arena,
                        sn_error *err) {
  sn__calibration_state *state = sn_msg_create(arena, &sn__calibration_state_type, &ROOM);
  sn_call_outcome *outcome = sn_msg_create(arena, &sn_call_outcome_type, &ROOM);
  if (state == NULL || outcome == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the readings");
  }
  sn_status status = sn__call_own(&self->component, "getCalibration", NULL, state, err);
  status = status == SN_OK ? check_complete(state, err) : status;
  status = status == SN_OK ? save(self, reversed, state, arena, err) : status;
  if (status == SN_OK) {
    atomic_store(&self->calibration.is_saved, true);
    sn_error ignored; /* it is saved, even if it ended meanwhile */
    (void)sn__call_own(&self->component, "cancelCalibration", NULL, outcome, &ignored);
  }
  return status;
}

sn_status sn__driver_finish_calibration(sn_component *component, const void *request,
                                        void *response, sn_error *err) {
  sn__driver *self = (sn__driver *)component;
  if (sn__activity_current != NULL) {
    return sn__fail(err, SN_EDEADLOCK, "it writes a file: not from a control thread");
  }
  if (atomic_exchange(&self->calibration.is_saving, true)) {
    return sn__fail(err, SN_EBUSY, "a calibration is being saved right now");
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "calibration", 0);
  const sn_status status = finish(self, &((const sn_call_names *)request)->names, &arena, err);
  sn_arena_release(&arena);
  atomic_store(&self->calibration.is_saving, false);
  return sn__outcome_put(response, status, err);
}
