#include "rt/components/robot_model_client.h"

#include "base/fail.h"

/* The interface is const to its user, but holding the model changes a counter in it. */
static sn_robot_model *service_of(const sn_requester *requester) {
  union {
    const void *iface;
    sn_robot_model *service;
  } both = {.iface = requester->iface};
  return both.service;
}

const sn_model *sn__model_hold(const sn_requester *requester, sn_error *err) {
  const sn_model *model =
      requester->iface == NULL ? NULL : sn__robot_model_hold(service_of(requester));
  if (model == NULL) {
    (void)sn__fail(err, SN_ENOTCONFIGURED, "the robot model is not configured");
  }
  return model;
}

void sn__model_release(const sn_requester *requester) {
  sn__robot_model_release(service_of(requester));
}

void sn__model_files(const sn_requester *requester, const char **robot_file,
                     const char **package_path) {
  sn__robot_model_files(service_of(requester), robot_file, package_path);
}

sn_status sn__configure_with_model(sn_component *component, const sn_requester *requester,
                                   const sn_model **model,
                                   sn_status (*create)(sn_component *component, sn_error *err),
                                   sn_error *err) {
  *model = sn__model_hold(requester, err);
  if (*model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  const sn_status status = create(component, err);
  if (status != SN_OK) {
    sn__model_release(requester);
  }
  return status;
}

sn_status sn__fits(size_t count, size_t capacity, const char *what, sn_error *err) {
  return count <= capacity ? SN_OK
                           : sn__fail(err, SN_ENOSPC,
                                      "the robot has %zu %s, a message has room for %zu: raise "
                                      "'capacity.items'",
                                      count, what, capacity);
}
