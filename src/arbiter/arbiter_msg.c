#include "arbiter/arbiter_msg.h"

#include <string.h>

#include "base/fail.h"
#include "sinew/fault.h"

sn_status sn__resource_set_from_msg(const sn_names *resources, const sn_msg_names *names,
                                    sn_resource_set *set, sn_error *err) {
  SN_ASSERT(sn_names_count(resources) <= SN_RESOURCES_MAX);
  if (names->table == resources) {
    *set = sn_resource_set_first(names->count);
    return SN_OK;
  }
  sn_resource_set found = sn_resource_set_none();
  for (size_t i = 0; i < names->count; i++) {
    const char *name = sn_msg_names_at(names, i);
    sn_resource_set one;
    const sn_status status = sn__resource_set_find(resources, &name, 1, &one, err);
    if (status != SN_OK) {
      return status;
    }
    found = sn_resource_set_join(found, one);
  }
  *set = found;
  return SN_OK;
}

/* The name in a message is optional, but must be the sender's. */
static sn_status check_name(const sn_arbiter *arbiter, int controller, const sn_msg_text *name,
                            sn_error *err) {
  const char *own = sn_names_at(sn__arbiter_controllers(arbiter), (size_t)controller);
  if (name->count > 0 && strcmp(name->data, own) != 0) {
    return sn__fail(err, SN_EINVAL, "controller '%s' uses the name of '%s'", own, name->data);
  }
  return SN_OK;
}

sn_status sn__arbiter_handle_request(sn_arbiter *arbiter, int controller,
                                     const sn_resource_request *request, int64_t wait_ns,
                                     int64_t now_ns, sn_arbiter_action *answer, sn_error *err) {
  sn_arbiter_claim claim = {.priority = request->priority,
                            .wait_ns = request->wait ? wait_ns : 0,
                            .request_id = request->request_id};
  sn_status status = check_name(arbiter, controller, &request->name, err);
  if (status == SN_OK) {
    status = sn__resource_set_from_msg(sn__arbiter_resources(arbiter), &request->resources,
                                       &claim.resources, err);
  }
  if (status != SN_OK) {
    *answer = (sn_arbiter_action){.controller = controller,
                                  .now_ns = now_ns,
                                  .owned = sn__arbiter_owned(arbiter, controller),
                                  .wanted = sn__arbiter_wanted(arbiter, controller),
                                  .release_ns = SN_ARBITER_FOREVER,
                                  .cause = controller,
                                  .answer = SN_ARBITER_INVALID,
                                  .request_id = request->request_id,
                                  .blocker = SN_ARBITER_NONE};
    return status;
  }
  sn__arbiter_request(arbiter, controller, &claim, now_ns, answer);
  return SN_OK;
}

static const char *reason_text(const sn_arbiter_action *action) {
  if (action == NULL) {
    return "";
  }
  return action->answer != SN_ARBITER_NO_ANSWER     ? sn__arbiter_answer_text(action->answer)
         : action->lost_why != SN_ARBITER_UNCHANGED ? sn__arbiter_why_text(action->lost_why)
                                                    : sn__arbiter_why_text(action->gained_why);
}

sn_status sn__arbiter_fill_assignment(const sn_arbiter *arbiter, const sn_arbiter_action *action,
                                      int64_t now_ns, sn_resource_assignment *assignment) {
  const sn_names *controllers = sn__arbiter_controllers(arbiter);
  const sn_names *resources = sn__arbiter_resources(arbiter);
  assignment->header.stamp_ns = now_ns;
  assignment->request_id = action != NULL ? action->request_id : 0;
  sn_msg_names_share(&assignment->resources, resources);
  sn_msg_names_clear(&assignment->owners);
  const char *name = action != NULL ? sn_names_at(controllers, (size_t)action->controller) : "";
  sn_status status = sn_msg_text_set(&assignment->name, name);
  if (status == SN_OK) {
    status = sn_msg_text_set(&assignment->reason, reason_text(action));
  }
  for (size_t i = 0; i < sn_names_count(resources) && status == SN_OK; i++) {
    const int owner = sn__arbiter_owner(arbiter, (int)i);
    const char *text = owner != SN_ARBITER_NONE ? sn_names_at(controllers, (size_t)owner) : "";
    status = sn_msg_names_add(&assignment->owners, text, strlen(text));
  }
  return status;
}
