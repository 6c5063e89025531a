#include "controllers/limbs.h"

#include <string.h>

#include "base/fail.h"
#include "base/sink.h"

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

/* Names of resources for people: 'leg1', 'head'. */
static const char *list_names(const sn__limbs *limbs, const sn_resource_set *set, char *text,
                              size_t size) {
  sn__sink sink = {.out = text, .size = size};
  for (int i = sn_resource_set_next(set, 0); i >= 0; i = sn_resource_set_next(set, i + 1)) {
    sn__sink_text(&sink, sink.used == 0 ? "'" : ", '");
    sn__sink_text(&sink, sn_names_at(limbs->controller.map->resources, (size_t)i));
    sn__sink_text(&sink, "'");
  }
  sn__sink_end(&sink);
  return text;
}

static sn_status refuse(const sn__limbs *limbs, sn_arbiter_answer answer, sn_error *err) {
  const sn_resource_set blocked = sn_consumer_blocked(&limbs->controller.consumer);
  char names[120];
  return answer == SN_ARBITER_REFUSED
             ? sn__fail(err, SN_EBUSY, "%s does not activate: a stronger controller holds %s",
                        component_of(limbs)->name, list_names(limbs, &blocked, names, sizeof names))
             : sn__fail(err, SN_EBUSY, "%s does not activate: the request was %s",
                        component_of(limbs)->name, sn_arbiter_answer_text(answer));
}

/* @param missing  out: what it gets later, since a stronger controller holds it */
static sn_status take(sn__limbs *limbs, const char *const *names, size_t count,
                      sn_resource_set *missing, sn_error *err) {
  sn_resource_set set;
  *missing = sn_resource_set_none();
  sn_status status = find(limbs, names, count, &set, err);
  if (status == SN_OK && limbs->can_take != NULL) {
    status = limbs->can_take(component_of(limbs), err);
  }
  if (status != SN_OK) {
    return status;
  }
  sn_consumer *consumer = &limbs->controller.consumer;
  const int32_t priority = (int32_t)limbs->priority;
  const sn_arbiter_answer answer =
      limbs->controller.keep_subset
          ? sn_consumer_request_available(consumer, &set, priority, missing)
          : sn_consumer_request(consumer, &set, priority, 0);
  return answer == SN_ARBITER_GRANTED ? SN_OK : refuse(limbs, answer, err);
}

static void log_text(const sn__limbs *limbs, int64_t now_ns, sn_log_level level, const char *format,
                     const char *text) {
  const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = text}};
  sn_component_log(component_of(limbs), now_ns, level, format, 1, args);
}

static void log_missing(const sn__limbs *limbs, int64_t now_ns, const sn_resource_set *missing) {
  if (!sn_resource_set_is_empty(missing)) {
    char names[120];
    log_text(limbs, now_ns, SN_LOG_INFO, "active without {}: a stronger controller holds them",
             list_names(limbs, missing, names, sizeof names));
  }
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

bool sn__limbs_move(const sn__limbs *limbs) {
  const sn_resource_map *map = limbs->controller.map;
  for (size_t j = 0; j < map->joint_count; j++) {
    if (sn_controller_has_joint(&limbs->controller, j)) {
      return true;
    }
  }
  return false;
}

void sn__limbs_start(sn__limbs *limbs) {
  limbs->must_start = limbs->start_operational;
  limbs->has_logged = false;
  limbs->renewals = limbs->controller.renewals;
}

/* A controller that waits for its first pose is not refused by anybody: that is not logged. */
static void start_operational(sn__limbs *limbs, int64_t now_ns) {
  sn_resource_set missing;
  sn_error err = {.message = ""};
  const sn_status status =
      take(limbs, limbs->controlled_chains.data, limbs->controlled_chains.count, &missing, &err);
  limbs->must_start = !sn__limbs_are_wanted(limbs);
  if (status == SN_OK) {
    log_missing(limbs, now_ns, &missing);
  } else if (status == SN_EBUSY && !limbs->has_logged) { /* asked again in the next cycle */
    limbs->has_logged = true;
    log_text(limbs, now_ns, SN_LOG_WARNING, "{}; it keeps asking", err.message);
  }
}

void sn__limbs_begin_step(sn__limbs *limbs, int64_t now_ns) {
  limbs->now_ns = now_ns;
  if (limbs->renewals != limbs->controller.renewals) {
    sn__limbs_start(limbs); /* the arbiter started again: nothing is held or wanted any more */
  }
  if (limbs->must_start) {
    start_operational(limbs, now_ns);
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

/* A resource may be a group, or have no joints: what bears weight is a chain. It is under control
   if all joints that belong to it are. */
static bool controls_chain(const sn__limbs *limbs, size_t chain) {
  bool has_joint = false;
  for (size_t j = 0; j < sn_model_pose_size(limbs->model); j++) {
    if (sn_model_joint(limbs->model, j)->chain == (int)chain) {
      has_joint = true;
      if (!sn_controller_has_joint(&limbs->controller, j)) {
        return false;
      }
    }
  }
  return has_joint;
}

void sn__limbs_fill_supports(const sn__limbs *limbs, sn_support_state *supports) {
  const sn_names *chains = sn_model_chain_names(limbs->model);
  sn_msg_names_clear(&supports->name);
  for (size_t c = 0; c < sn_names_count(chains); c++) {
    if (controls_chain(limbs, c)) {
      const char *name = sn_names_at(chains, c);
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
  sn_resource_set missing = sn_resource_set_none();
  if (on) {
    status = take(limbs, names, count, &missing, err);
  } else {
    const sn_resource_set none = sn_resource_set_none();
    (void)sn_consumer_request(&limbs->controller.consumer, &none, 0, 0); /* always granted */
    limbs->must_start = false;
  }
  outcome->success = status == SN_OK;
  /* The shape of the service has a text for this: a refusal is an answer. */
  (void)sn_msg_text_set(&outcome->message, "");
  if (!sn_resource_set_is_empty(&missing)) {
    char text[160] = "active without ";
    const size_t length = strlen(text);
    (void)list_names(limbs, &missing, text + length, sizeof text - length);
    if (sn_msg_text_set(&outcome->message, text) != SN_OK) {
      (void)sn_msg_text_set(&outcome->message, "active without some of them");
    }
    log_missing(limbs, limbs->now_ns, &missing);
  }
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
