/* The two services of ros2_control's controller manager that MoveIt uses: the arbiter's controllers
   as a list, and their activation. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "remote/remote.h"
#include "ros/node/controllers.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_locomotion.h"
#include "sinew/system.h"

#define TIMEOUT_NS INT64_C(5000000000)
#define MESSAGE_SIZE 1024
#define CYCLES_MAX 1000 /* of the arbiter, until a controller has or has released its limbs */

static sn_status list(sn__node_answer *answer, const void *request, void *response, sn_error *err) {
  (void)request;
  return sn__controllers_list(answer, &((sn__list_controllers_response *)response)->controller,
                              err);
}

/* ---- switching ---- */

/* What was asked, and what came of it. */
typedef struct switching {
  sn__bridge *bridge;
  bool is_strict;
  size_t tried, failed;
  char message[MESSAGE_SIZE]; /* why controllers were not switched */
} switching;

static void note_failure(switching *s, const char *name, const char *why) {
  const size_t used = strlen(s->message);
  s->failed++;
  snprintf(s->message + used, sizeof s->message - used, "%s%.100s: %s", used == 0 ? "" : "; ", name,
           why);
}

static sn_status set_operational(const switching *s, const char *name, bool is_on, sn_error *err) {
  char operation[2 * SN__GRAPH_NAME_SIZE];
  sn__remote_call call;
  snprintf(operation, sizeof operation, "%s.setOperational", name);
  sn_status status = sn__remote_call_open(&call, s->bridge->component.system, operation, err);
  if (status != SN_OK) {
    return status;
  }
  ((sn_set_operational *)call.request)->operational = is_on;
  status = sn__remote_call_run(&call, TIMEOUT_NS, err);
  if (status == SN_OK) {
    const sn_call_outcome *outcome = call.response;
    status = outcome->success ? SN_OK : sn__fail(err, SN_EBUSY, "%s", outcome->message.data);
  }
  sn__remote_call_close(&call);
  return status;
}

/* Limbs change hands some cycles after the call. */
static sn_status await(const switching *s, const char *name, bool is_on, sn_error *err) {
  sn_status status = SN_OK;
  bool owns = !is_on;
  for (int i = 0; i < CYCLES_MAX && status == SN_OK && owns != is_on; i++) {
    status = sn__controller_owns_limbs(s->bridge, name, &owns, err);
  }
  return status != SN_OK || owns == is_on
             ? status
             : sn__fail(err, SN_ETIMEDOUT, "%s",
                        is_on ? "it still waits for its limbs" : "it has not released its limbs");
}

static bool is_known(const switching *s, const char *name, bool *is_always_on) {
  sn__known_controller controller;
  sn_system_hold(s->bridge->component.system);
  const bool is_one = sn__controller_by_name(s->bridge, name, &controller);
  *is_always_on = is_one && controller.follows_trajectories;
  sn_system_release(s->bridge->component.system);
  return is_one;
}

static bool switch_one(switching *s, const char *name, bool is_on) {
  bool is_always_on = false;
  sn_error err = {SN_OK, ""};
  s->tried++;
  if (!is_known(s, name, &is_always_on)) {
    note_failure(s, name, "unknown controller");
    return false;
  }
  if (is_on && is_always_on) {
    return true;
  }
  if (set_operational(s, name, is_on, &err) != SN_OK || await(s, name, is_on, &err) != SN_OK) {
    note_failure(s, name, err.message);
    return false;
  }
  return true;
}

/* @return how many of the list were handled; with a strict request the first failure ends it */
static size_t switch_list(switching *s, const sn_msg_names *list, bool is_on) {
  for (size_t i = 0; i < list->count; i++) {
    if (!switch_one(s, sn_msg_names_at(list, i), is_on) && s->is_strict) {
      return i;
    }
  }
  return list->count;
}

static void undo(switching *s, const sn_msg_names *list, size_t count, bool was_on) {
  for (size_t i = count; i > 0; i--) {
    (void)switch_one(s, sn_msg_names_at(list, i - 1), was_on);
  }
}

static void check_names(switching *s, const sn_msg_names *list) {
  bool ignored = false;
  for (size_t i = 0; i < list->count; i++) {
    const char *name = sn_msg_names_at(list, i);
    if (!is_known(s, name, &ignored)) {
      note_failure(s, name, "unknown controller");
    }
  }
}

/* All or nothing. */
static bool switch_strictly(switching *s, const sn__switch_request *request) {
  const sn_msg_names *off = &request->deactivate_controllers;
  const sn_msg_names *on = &request->activate_controllers;
  check_names(s, off);
  check_names(s, on);
  if (s->failed > 0) {
    return false;
  }
  const size_t off_count = switch_list(s, off, false);
  const size_t on_count = s->failed > 0 ? 0 : switch_list(s, on, true);
  if (s->failed > 0) {
    undo(s, on, on_count, false);
    undo(s, off, off_count, true);
    return false;
  }
  return true;
}

static bool switch_what_is_possible(switching *s, const sn__switch_request *request) {
  (void)switch_list(s, &request->deactivate_controllers, false);
  (void)switch_list(s, &request->activate_controllers, true);
  return s->tried == 0 || s->failed < s->tried;
}

/* A controller that is activated takes its limbs from others by itself, so the two automatic kinds
   of strictness are strict ones. */
static sn_status switch_controllers(sn__node_answer *answer, const void *request, void *response,
                                    sn_error *err) {
  const sn__switch_request *asked = request;
  sn__switch_response *out = response;
  switching s = {.bridge = answer->bridge, .is_strict = asked->strictness > SN__BEST_EFFORT};
  (void)err;
  out->ok = s.is_strict ? switch_strictly(&s, asked) : switch_what_is_possible(&s, asked);
  out->message = sn__answer_text(answer, s.message);
  return SN_OK;
}

sn_status sn__node_add_controller_manager(sn__bridge *bridge, sn_error *err) {
  static const sn__node_service services[] = {
      {"/controller_manager/list_controllers", "controller_manager_msgs/ListControllers", NULL,
       &sn__list_controllers_response_type, list},
      {"/controller_manager/switch_controller", "controller_manager_msgs/SwitchController",
       &sn__switch_request_type, &sn__switch_response_type, switch_controllers}};
  const bool may_switch =
      sn__bridge_matches(&bridge->services, "controller_manager.switch_controller");
  return sn__node_add_services(bridge, services, may_switch ? 2 : 1, err);
}
