#include "ros/service_type.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sinew/msg_calls.h"
#include "sinew/msg_locomotion.h"

bool sn__service_asks_who(const sn_operation *operation) {
  return operation->response == NULL &&
         (operation->request == &sn_call_stop_type ||
          (operation->request == &sn_call_name_type && strcmp(operation->name, "resume") == 0));
}

bool sn__service_is_offered(const sn_operation *operation) {
  return operation->request != &sn_step_goal_type &&
         operation->request != &sn_move_base_goal_type && operation->response != &sn_step_goal_type;
}

const sn_msg_type *sn__service_request(const sn_operation *operation) {
  return sn__service_asks_who(operation) ? NULL : operation->request;
}

const sn_msg_type *sn__service_response(const sn_operation *operation) {
  return sn__service_asks_who(operation) ? &sn_call_outcome_type : operation->response;
}

void sn__service_type(const sn_operation *operation, char *out, size_t size) {
  const bool is_outcome = sn__service_response(operation) == &sn_call_outcome_type;
  if (operation->request == &sn_call_switch_type && is_outcome) {
    snprintf(out, size, "std_srvs/SetBool");
  } else if (sn__service_request(operation) == NULL && is_outcome) {
    snprintf(out, size, "std_srvs/Trigger");
  } else if (operation->request == NULL && operation->response == NULL) {
    snprintf(out, size, "std_srvs/Empty");
  } else {
    snprintf(out, size, "sinew_msgs/%c%s", toupper((unsigned char)operation->name[0]),
             operation->name + 1);
  }
}
