/* The component around the arbiter: tables, lifecycle, cycle. */
#include "arbiter/resources_control.h"

#include <string.h>

#include "arbiter/arbiter_msg.h"
#include "base/fail.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"
#include "sinew/system.h"

static const sn_property properties[] = {
    SN_PROPERTY(sn__resources_control, "list_orocos", list_orocos,
                .doc = "Controllers in this process; empty: all that need the arbiter."),
    SN_PROPERTY(sn__resources_control, "list_ros", list_ros,
                .doc = "Controllers outside of the process, which ask by messages and calls."),
    SN_PROPERTY(sn__resources_control, "resources", resources,
                .doc = "Chains and groups that can be owned; empty: all chains, and the groups "
                       "whose joints no chain has."),
    SN_PROPERTY(sn__resources_control, "other_resources", other_resources,
                .doc = "Resources without joints of the robot: a tail, where the eyes look. They "
                       "are owned and handed over like limbs."),
    SN_PROPERTY(sn__resources_control, "fallback", fallback,
                .doc = "The controller that takes what a failed one leaves; empty: none."),
    SN_PROPERTY(sn__resources_control, "remote_timeout", remote_timeout_s, .initial = "1",
                .unit = "s", .min = 0.01, .max = 1e6,
                .doc = "An outside controller that is silent for longer loses its limbs."),
    SN_PROPERTY(sn__resources_control, "wait", wait_s, .initial = "10", .unit = "s", .min = 0,
                .max = 1e6, .doc = "How long a request with `wait` waits."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(sn__resources_control, "sync", sync, &sn_timer_event_type, .doc = "The tick."),
    SN_INPUTS(sn__resources_control, "requests", requests, &sn_resource_request_type,
              .flags = SN_PORT_FEEDBACK, .doc = "Requests by messages, one input for each writer."),
    SN_OUTPUT(sn__resources_control, "assignment", assignment, &sn_resource_assignment_type,
              .doc = "Who owns what, whenever it changes."),
    {0}};

/* ---- configuration ---- */

static sn_status attach(void *context, sn_controller *controller, const sn_consumer_hooks *hooks,
                        sn_error *err) {
  sn__resources_control *self = context;
  sn_component *component = &controller->component;
  sn__member *m = sn__member_find(self, component->name);
  if (m == NULL || m->component != component) {
    return sn__fail(err, SN_EINVAL, "'%s' is not in list_orocos of '%s'", component->name,
                    self->component.name);
  }
  if (sn_component_info_of(component).activity != sn_component_info_of(&self->component).activity) {
    return sn__fail(err, SN_EINVAL, "'%s' is not in the activity of '%s'", component->name,
                    self->component.name);
  }
  if (strcmp(component->name, self->fallback) == 0 && !controller->keep_subset) {
    /* It would drop every other limb that it holds when one is taken from it. */
    return sn__fail(err, SN_EINVAL, "'%s' is the fallback of '%s' and must stay_operational",
                    component->name, self->component.name);
  }
  m->controller = controller;
  controller->map = &self->map;
  const sn_consumer_config config = {
      .name = component->name,
      .resources = self->map.resources,
      .keep_subset = controller->keep_subset,
      .link = sn__member_link(m),
      .hooks = *hooks,
  };
  sn__consumer_init(controller->consumer, &config);
  atomic_store(&m->is_new, true);
  return SN_OK;
}

static sn_status configure(sn_component *component, sn_error *err) {
  sn__resources_control *self = (sn__resources_control *)component;
  self->model = sn__model_hold(&self->robot_model, err);
  self->arbiter = NULL;
  self->iface = (sn__resource_arbiter){.context = self, .attach = attach};
  sn_status status = self->model == NULL ? SN_ENOTCONFIGURED : sn__resources_map(self, err);
  if (status == SN_OK) {
    status = sn__members_add(self, err);
  }
  if (status == SN_OK && self->fallback[0] != '\0' &&
      sn__member_find(self, self->fallback) == NULL) {
    status = sn__fail(err, SN_ENOENT, "fallback: unknown controller '%s'", self->fallback);
  }
  if (status != SN_OK && self->model != NULL) {
    sn__members_close(self);
    sn__model_release(&self->robot_model);
  }
  self->configured = sn_arena_save(sn_component_arena(component));
  return status;
}

static void cleanup(sn_component *component) {
  sn__resources_control *self = (sn__resources_control *)component;
  self->arbiter = NULL;
  sn__members_close(self);
  sn__model_release(&self->robot_model);
}

/* ---- start: all controllers are attached by now ---- */

static sn_status create_arbiter(sn__resources_control *self, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->component);
  const size_t resource_count = sn_names_count(self->map.resources);
  const char **names = SN_NEW(arena, const char *, self->member_count);
  sn_arbiter_controller *policies = SN_NEW(arena, sn_arbiter_controller, self->member_count);
  int *fallbacks = SN_NEW(arena, int, resource_count);
  if (names == NULL || policies == NULL || fallbacks == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the arbiter");
  }
  for (size_t i = 0; i < self->member_count; i++) {
    const sn__member *m = &self->members[i];
    names[i] = m->name;
    policies[i].keep_subset = m->controller != NULL && m->controller->keep_subset;
  }
  const sn__member *fallback = sn__member_find(self, self->fallback);
  for (size_t i = 0; i < resource_count; i++) {
    fallbacks[i] = fallback == NULL ? SN_ARBITER_NONE : fallback->index;
  }
  sn_arbiter_config config = {
      .resources = self->map.resources, .policies = policies, .fallbacks = fallbacks};
  sn_status status = sn_names_create(arena, names, self->member_count, &config.controllers, err);
  return status == SN_OK ? sn__arbiter_create(arena, &config, &self->arbiter, err) : status;
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  sn__resources_control *self = (sn__resources_control *)component;
  for (size_t i = 0; i < self->member_count; i++) {
    sn__member *m = &self->members[i];
    if (m->component != NULL && m->controller == NULL) {
      return sn__fail(err, SN_ENOTCONFIGURED, "controller '%s' is not configured", m->name);
    }
    m->is_down = false;
    m->requester = NULL;
    atomic_store(&m->is_new, false); /* its policy is read below */
    m->shown = sn_resource_set_none();
    m->has_claim = false;
    m->last_request_ns = now_ns;
  }
  sn_arena_restore(sn_component_arena(component), self->configured);
  self->arbiter = NULL;
  self->now_ns = now_ns;
  self->change_cursor = 0;
  self->committed = 0;
  self->is_stale = false;
  self->refusals = (sn_log_limit){.has_logged = false};
  self->must_reset = true;
  return create_arbiter(self, err);
}

/* No controller may move anything while the arbiter is stopped. Controllers keep running and are
   not touched from here: the gate refuses what they write. */
static void stop(sn_component *component) {
  sn__resources_control *self = (sn__resources_control *)component;
  for (size_t i = 0; i < self->member_count; i++) {
    sn__arbiter_release_all(self->arbiter, self->members[i].index, self->now_ns);
  }
  sn__resources_commit(self, NULL);
  self->arbiter = NULL;
}

/* ---- every cycle ---- */

static sn_arbiter_why why_down(const sn_component *component) {
  const sn_component_info info = sn_component_info_of(component);
  return info.state != SN_STATE_ERROR             ? SN_ARBITER_DIED
         : info.fault == SN_STEP_FAULT_OVERRUN    ? SN_ARBITER_HUNG
         : info.fault == SN_STEP_FAULT_NOT_FINITE ? SN_ARBITER_MALFORMED
                                                  : SN_ARBITER_DIED;
}

/* A controller that was attached again since the last cycle has lost everything, even if it runs
   already. */
static void watch_local(sn__resources_control *self, sn__member *m) {
  const bool runs = sn__member_runs(m);
  const bool is_new = atomic_exchange(&m->is_new, false);
  if ((!runs || is_new) && !m->is_down) {
    sn__arbiter_fail(self->arbiter, m->index, why_down(m->component), self->now_ns);
    m->has_claim = false;
    m->is_down = true;
  }
  if (runs && m->is_down) {
    const sn_arbiter_controller policy = {.keep_subset = m->controller->keep_subset};
    (void)sn__arbiter_set_policy(self->arbiter, m->index, &policy); /* attach() has checked it */
    sn__arbiter_connect(self->arbiter, m->index, self->now_ns);
    sn_arbiter_action action;
    sn__arbiter_read_state(self->arbiter, m->index, &action);
    sn__member_notify(m, &action); /* what it had when it stopped is lost */
    m->is_down = false;
  }
}

/* After a start all controllers begin anew: what they had from an earlier arbiter is void, and so
   are its event numbers. */
static void reset_controllers(sn__resources_control *self) {
  const sn_resource_set none = sn_resource_set_none();
  for (size_t i = 0; i < self->member_count; i++) {
    const sn__member *m = &self->members[i];
    if (sn__member_runs(m) && m->controller != NULL) {
      const sn_consumer_config config = m->controller->consumer->config;
      const sn_resource_set held = sn__consumer_held(m->controller->consumer);
      sn__consumer_init(m->controller->consumer, &config);
      m->controller->renewals++;
      if (!sn_resource_set_is_empty(&held) && config.hooks.released != NULL) {
        config.hooks.released(config.hooks.context, &held, &none);
      }
    }
  }
  self->must_reset = false;
}

static void watch_remote(sn__resources_control *self, sn__member *m) {
  const sn_resource_set owned = sn__arbiter_owned(self->arbiter, m->index);
  const double silent_s = 1e-9 * (double)(self->now_ns - m->last_request_ns);
  if (!sn_resource_set_is_empty(&owned) && silent_s > self->remote_timeout_s) {
    sn__arbiter_fail(self->arbiter, m->index, SN_ARBITER_HUNG, self->now_ns);
  }
}

static sn_status step(sn_component *component, int64_t now_ns) {
  sn__resources_control *self = (sn__resources_control *)component;
  self->now_ns = now_ns;
  if (self->must_reset) {
    reset_controllers(self);
  }
  for (size_t i = 0; i < self->member_count; i++) {
    sn__member *m = &self->members[i];
    if (m->component != NULL) {
      watch_local(self, m);
    } else {
      watch_remote(self, m);
    }
  }
  sn__arbiter_tick(self->arbiter, now_ns);
  sn__resources_deliver(self); /* what was decided in the last cycle */
  sn__resources_read_requests(self);
  sn__resources_deliver(self);
  return SN_OK;
}

/* ---- operations ---- */

static sn_status get_owners(sn_component *component, const void *request_msg, void *response,
                            sn_error *err) {
  const sn__resources_control *self = (const sn__resources_control *)component;
  (void)request_msg;
  return sn__resources_fill(self, NULL, response) == SN_OK
             ? SN_OK
             : sn__fail(err, SN_ENOSPC, "the table does not fit into the message");
}

static const sn_operation operations[] = {
    {"requestResources", SN_OWN_THREAD, &sn_resource_request_type, &sn_call_outcome_type,
     sn__resources_request, "Ask for limbs on behalf of a controller of list_ros."},
    {"getOwners", SN_OWN_THREAD | SN_READ_ONLY, NULL, &sn_resource_assignment_type, get_owners,
     "Who owns what now."},
    {0}};

static const void *arbiter_interface(sn_component *component) {
  return &((sn__resources_control *)component)->iface;
}

static const void *owners_interface(sn_component *component) {
  return ((sn__resources_control *)component)->owners;
}

static const sn_service services[] = {
    {SN_RESOURCE_ARBITER, arbiter_interface, "Where controllers ask for limbs."},
    {SN_OWNERS, owners_interface, "Who owns which joint, for the gate."},
    {0}};

static const sn_need needs[] = {SN_ROBOT_MODEL_NEED(sn__resources_control), {0}};

const sn_component_type sn_resources_control_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "resources_control",
    .doc = "Decides which controller may move which limb.",
    .size = sizeof(sn__resources_control),
    .properties = properties,
    .ports = ports,
    .operations = operations,
    .services = services,
    .needs = needs,
    .example =
        "components:\n"
        "  resources_control:\n"
        "    type: resources_control\n"
        "    properties: {fallback: hold, wait: 5}\n",
    .configure = configure,
    .start = start,
    .step = step,
    .stop = stop,
    .cleanup = cleanup,
};
