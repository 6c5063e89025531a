#include "control/limbs.h"

#include <string.h>

#include "base/fail.h"

static const sn_component *component_of(const sn__limbs *limbs) {
  return limbs->controller.component;
}

/* ---- asking ---- */

static sn_status find(const sn__limbs *limbs, const char *const *names, size_t count,
                      sn_resource_set *set, sn_error *err) {
  if (count == 0) {
    *set = sn_resource_set_first(sn_names_count(limbs->controller.map->resources));
    return SN_OK;
  }
  return sn_controller_find(&limbs->controller, sn_model_joint_names(limbs->model), names, count,
                            set, err);
}

static sn_status take(sn__limbs *limbs, const char *const *names, size_t count, sn_error *err) {
  sn_resource_set set;
  sn_status status = find(limbs, names, count, &set, err);
  if (status == SN_OK && limbs->can_take != NULL) {
    status = limbs->can_take(component_of(limbs), err);
  }
  if (status != SN_OK) {
    return status;
  }
  const sn_arbiter_answer answer =
      sn_consumer_request(&limbs->controller.consumer, &set, (int32_t)limbs->priority, 0);
  return answer == SN_ARBITER_GRANTED
             ? SN_OK
             : sn__fail(err, SN_EBUSY, "%s does not activate: the request was %s",
                        component_of(limbs)->name, sn_arbiter_answer_text(answer));
}

sn_status sn__limbs_attach(sn__limbs *limbs, sn_component *component, const sn_model *model,
                           const sn_consumer_hooks *hooks, sn_error *err) {
  sn_resource_set set;
  limbs->model = model;
  const sn_status status = sn_controller_attach(&limbs->controller, component, &limbs->arbiter,
                                                limbs->stay_operational, hooks, err);
  return status == SN_OK
             ? find(limbs, limbs->controlled_chains.data, limbs->controlled_chains.count, &set, err)
             : status;
}

/* ---- every cycle ---- */

bool sn__limbs_are_wanted(const sn__limbs *limbs) {
  return sn_consumer_is_operational(&limbs->controller.consumer);
}

bool sn__limbs_are_held(const sn__limbs *limbs) {
  const sn_resource_set held = sn_consumer_held(&limbs->controller.consumer);
  return !sn_resource_set_is_empty(&held);
}

void sn__limbs_start(sn__limbs *limbs) {
  limbs->must_start = limbs->start_operational;
}

void sn__limbs_begin_step(sn__limbs *limbs) {
  if (limbs->must_start) {
    /* Refused by a stronger one: asked again in the next cycle. */
    (void)take(limbs, limbs->controlled_chains.data, limbs->controlled_chains.count, NULL);
    limbs->must_start = !sn__limbs_are_wanted(limbs);
  }
}

void sn__limbs_name_joints(const sn__limbs *limbs, sn_msg_names *names, bool *owned) {
  sn_msg_names_clear(names);
  for (size_t j = 0; j < sn_model_pose_size(limbs->model); j++) {
    const bool is_owned = sn_controller_has_joint(&limbs->controller, j);
    if (is_owned) {
      const char *name = sn_model_joint(limbs->model, j)->name;
      (void)sn_msg_names_add(names, name, strlen(name));
    }
    if (owned != NULL) {
      owned[j] = is_owned;
    }
  }
}

void sn__limbs_fill_supports(const sn__limbs *limbs, sn_support_state *supports) {
  const sn_names *resources = limbs->controller.map->resources;
  sn_msg_names_clear(&supports->name);
  for (size_t i = 0; i < sn_names_count(resources); i++) {
    if (sn_consumer_has(&limbs->controller.consumer, (int)i)) {
      const char *name = sn_names_at(resources, i);
      (void)sn_msg_names_add(&supports->name, name, strlen(name));
    }
  }
  supports->support.count = supports->name.count;
  for (size_t i = 0; i < supports->support.count; i++) {
    supports->support.data[i] = 0.0;
  }
}

/* ---- operations ---- */

static sn__limbs *limbs_of(sn_component *component) {
  sn_controller *controller = sn_controller_of(component);
  return (sn__limbs *)(void *)((char *)controller - offsetof(sn__limbs, controller));
}

static sn_status set_operational(sn__limbs *limbs, bool on, const char *const *names, size_t count,
                                 sn_call_outcome *outcome, sn_error *err) {
  sn_status status = SN_OK;
  if (on) {
    status = take(limbs, names, count, err);
  } else {
    const sn_resource_set none = sn_resource_set_none();
    (void)sn_consumer_request(&limbs->controller.consumer, &none, 0, 0); /* always granted */
    limbs->must_start = false;
  }
  outcome->success = status == SN_OK;
  /* The shape of the service has a text for this: a refusal is an answer. */
  (void)sn_msg_text_set(&outcome->message, "");
  if (status != SN_OK && sn_msg_text_set(&outcome->message, err->message) != SN_OK) {
    (void)sn_msg_text_set(&outcome->message, sn_status_text(status));
  }
  return SN_OK;
}

sn_status sn__limbs_ros_set_operational(sn_component *component, const void *request,
                                        void *response, sn_error *err) {
  sn__limbs *limbs = limbs_of(component);
  return set_operational(limbs, ((const sn_call_switch *)request)->data,
                         limbs->controlled_chains.data, limbs->controlled_chains.count, response,
                         err);
}

sn_status sn__limbs_set_operational(sn_component *component, const void *request, void *response,
                                    sn_error *err) {
  sn__limbs *limbs = limbs_of(component);
  const sn_set_operational *msg = request;
  const char *names[SN_RESOURCES_MAX];
  if (msg->resources.count > SN_RESOURCES_MAX) {
    return sn__fail(err, SN_ELIMIT, "%zu names, at most %d", msg->resources.count,
                    SN_RESOURCES_MAX);
  }
  for (size_t i = 0; i < msg->resources.count; i++) {
    names[i] = sn_msg_names_at(&msg->resources, i);
  }
  if (msg->resources.count == 0) {
    return set_operational(limbs, msg->operational, limbs->controlled_chains.data,
                           limbs->controlled_chains.count, response, err);
  }
  return set_operational(limbs, msg->operational, names, msg->resources.count, response, err);
}
