/* How a controller asks for limbs, and its operations. */
#include <string.h>

#include "arbiter/arbiter_msg.h"
#include "arbiter/controller_internal.h"
#include "base/fail.h"
#include "base/sink.h"
#include "sinew/controller.h"

/* @return the empty set: the name means no resource */
static sn_resource_set find_one(const sn_controller *c, const char *name) {
  const sn__resource_map *map = c->map;
  sn_resource_set set = sn_resource_set_none();
  int resource = sn_names_index(map->resources, name);
  const int alias = resource < 0 ? sn_names_index(map->aliases, name) : -1;
  const int joint = resource < 0 && alias < 0 ? sn_model_joint_index(c->model, name) : -1;
  if (joint >= 0) {
    resource = map->resource_of_joint[joint];
  }
  if (resource >= 0) {
    sn_resource_set_add(&set, (size_t)resource);
  }
  return alias >= 0 ? map->alias_sets[alias] : set;
}

sn_status sn__controller_find(const sn_controller *c, const char *const *names, size_t count,
                              sn_resource_set *set, sn_error *err) {
  sn_resource_set found = sn_resource_set_none();
  if (count == 0) {
    found = sn_resource_set_first(sn_names_count(c->map->resources));
  }
  for (size_t i = 0; i < count; i++) {
    const sn_resource_set one = find_one(c, names[i]);
    if (sn_resource_set_is_empty(&one)) {
      return sn__fail(err, SN_ENOENT,
                      "'%s' is not a resource, nor a chain, group or joint that belongs to one",
                      names[i]);
    }
    found = sn_resource_set_join(found, one);
  }
  *set = found;
  return SN_OK;
}

/* Names of resources: 'leg1', 'head'. */
static const char *list_names(const sn_controller *c, const sn_resource_set *set, char *text,
                              size_t size) {
  sn__sink sink = {.out = text, .size = size};
  for (int i = sn_resource_set_next(set, 0); i >= 0; i = sn_resource_set_next(set, i + 1)) {
    sn__sink_text(&sink, sink.used == 0 ? "'" : ", '");
    sn__sink_text(&sink, sn_names_at(c->map->resources, (size_t)i));
    sn__sink_text(&sink, "'");
  }
  sn__sink_end(&sink);
  return text;
}

/* ---- asking ---- */

static bool reads_pose(const sn_controller *c) {
  for (const sn_port *p = c->component.type->ports; p != NULL && p->name != NULL; p++) {
    if (p->offset == offsetof(sn_controller, in_joints_sorted)) {
      return true;
    }
  }
  return false;
}

static sn_status can_take(const sn_controller *c, sn_error *err) {
  if (c->hooks->can_take != NULL) {
    return c->hooks->can_take(&c->component, err);
  }
  return c->has_pose || !reads_pose(c)
             ? SN_OK
             : sn__fail(err, SN_ENOTCONFIGURED,
                        "%s does not activate: no pose has arrived on in_joints_sorted",
                        c->component.name);
}

static sn_status refuse(const sn_controller *c, sn_arbiter_answer answer, sn_error *err) {
  const sn_resource_set blocked = sn__consumer_blocked(c->consumer);
  char names[120];
  return answer == SN_ARBITER_REFUSED
             ? sn__fail(err, SN_EBUSY, "%s does not activate: a stronger controller holds %s",
                        c->component.name, list_names(c, &blocked, names, sizeof names))
             : sn__fail(err, SN_EBUSY, "%s does not activate: the request was %s",
                        c->component.name, sn__arbiter_answer_text(answer));
}

/* @param missing  out: what it gets later, since a stronger controller holds it */
static sn_status take(sn_controller *c, const char *const *names, size_t count,
                      sn_resource_set *missing, sn_error *err) {
  sn_resource_set set;
  *missing = sn_resource_set_none();
  sn_status status = sn__controller_find(c, names, count, &set, err);
  status = status == SN_OK ? can_take(c, err) : status;
  if (status != SN_OK) {
    return status;
  }
  const int32_t priority = (int32_t)c->priority;
  const sn_arbiter_answer answer =
      c->keep_subset ? sn__consumer_request_available(c->consumer, &set, priority, missing)
                     : sn__consumer_request(c->consumer, &set, priority, 0);
  return answer == SN_ARBITER_GRANTED ? SN_OK : refuse(c, answer, err);
}

sn_status sn_controller_take(sn_controller *c, const char *const *names, size_t count,
                             sn_error *err) {
  sn_resource_set missing;
  return take(c, names, count, &missing, err);
}

void sn_controller_release(sn_controller *c) {
  const sn_resource_set none = sn_resource_set_none();
  (void)sn__consumer_request(c->consumer, &none, 0, 0); /* always granted */
}

bool sn_controller_is_operational(const sn_controller *c) {
  return sn__consumer_is_operational(c->consumer);
}

static void log_text(const sn_controller *c, sn_log_level level, const char *format,
                     const char *text) {
  const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = text}};
  sn_component_log(&c->component, c->now_ns, level, format, 1, args);
}

static void log_missing(const sn_controller *c, const sn_resource_set *missing) {
  if (!sn_resource_set_is_empty(missing)) {
    char names[120];
    log_text(c, SN_LOG_INFO, "active without {}: a stronger controller holds them",
             list_names(c, missing, names, sizeof names));
  }
}

/* Waiting for the first pose is not a refusal, and is not logged. */
void sn__controller_ask(sn_controller *c) {
  sn_resource_set missing;
  sn_error err = {.message = ""};
  const sn_status status =
      take(c, c->controlled_chains.data, c->controlled_chains.count, &missing, &err);
  c->must_start = !sn_controller_is_operational(c);
  if (status == SN_OK) {
    log_missing(c, &missing);
  } else if (status == SN_EBUSY && !c->has_logged) { /* it asks again in the next cycle */
    c->has_logged = true;
    log_text(c, SN_LOG_WARNING, "{}; it keeps asking", err.message);
  }
}

/* ---- operations ---- */

/* A refusal is an answer: the service has a text for it. */
static void fill_outcome(const sn_controller *c, sn_status status, const sn_error *err,
                         const sn_resource_set *missing, sn_call_outcome *outcome) {
  outcome->success = status == SN_OK;
  (void)sn_msg_text_set(&outcome->message, "");
  if (status != SN_OK && sn_msg_text_set(&outcome->message, err->message) != SN_OK) {
    (void)sn_msg_text_set(&outcome->message, sn_status_text(status));
  }
  if (!sn_resource_set_is_empty(missing)) {
    char text[160] = "active without ";
    const size_t length = strlen(text);
    (void)list_names(c, missing, text + length, sizeof text - length);
    if (sn_msg_text_set(&outcome->message, text) != SN_OK) {
      (void)sn_msg_text_set(&outcome->message, "active without some of them");
    }
    log_missing(c, missing);
  }
}

/* @param count  0: the limbs of controlled_chains */
static sn_status set_operational(sn_controller *c, bool on, const char *const *names, size_t count,
                                 sn_call_outcome *outcome, sn_error *err) {
  sn_status status = SN_OK;
  sn_resource_set missing = sn_resource_set_none();
  if (!on) {
    sn_controller_release(c);
    c->must_start = false;
  } else if (count == 0) {
    status = take(c, c->controlled_chains.data, c->controlled_chains.count, &missing, err);
  } else {
    status = take(c, names, count, &missing, err);
  }
  fill_outcome(c, status, err, &missing, outcome);
  return SN_OK;
}

sn_status sn__controller_ros_set_operational(sn_component *component, const void *request,
                                             void *response, sn_error *err) {
  const bool on = ((const sn_call_switch *)request)->data;
  return set_operational((sn_controller *)component, on, NULL, 0, response, err);
}

sn_status sn__controller_set_operational(sn_component *component, const void *request,
                                         void *response, sn_error *err) {
  const sn_set_operational *msg = request;
  const char *names[SN_RESOURCES_MAX];
  if (msg->resources.count > SN_RESOURCES_MAX) {
    return sn__fail(err, SN_ELIMIT, "%zu names, at most %d", msg->resources.count,
                    SN_RESOURCES_MAX);
  }
  for (size_t i = 0; i < msg->resources.count; i++) {
    names[i] = sn_msg_names_at(&msg->resources, i);
  }
  return set_operational((sn_controller *)component, msg->operational, names, msg->resources.count,
                         response, err);
}

/* The arbiter is informed: what is released here goes back to earlier owners. */
sn_status sn__controller_release_resources(sn_component *component, const void *request,
                                           void *response, sn_error *err) {
  const sn_controller *c = (const sn_controller *)component;
  const sn_resource_request *msg = request;
  sn_call_outcome *outcome = response;
  sn_resource_set named;
  const sn_status status =
      sn__resource_set_from_msg(c->map->resources, &msg->resources, &named, err);
  if (status != SN_OK) {
    return status;
  }
  const sn_resource_set held = sn__consumer_held(c->consumer);
  const sn_resource_set taken = sn_resource_set_common(held, named);
  if (!sn_resource_set_is_empty(&taken)) {
    sn__consumer_disown(c->consumer, c->keep_subset ? &taken : &held);
  }
  outcome->success = true;
  (void)sn_msg_text_set(&outcome->message, ""); /* an empty text always fits */
  return SN_OK;
}
