#include "rt/ports/own_call.h"

#include <stdio.h>

#include "sinew/tap.h"

sn_status sn__call_own(const sn_component *component, const char *operation, const void *request,
                       void *response, sn_error *err) {
  char path[256];
  sn_caller caller = {0};
  (void)snprintf(path, sizeof path, "%s.%s", component->name, operation);
  sn_status status = sn_caller_open(component->system, path, &caller, err);
  if (status == SN_OK) {
    status = sn_call(&caller, request, response, err);
    sn_caller_close(&caller);
  }
  return status;
}
