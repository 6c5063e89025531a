/* The server of the arbiter: who may move which limb. The rules are those of arbiter.h; here they
   meet components. It is stepped before the controllers of its activity, which need its service. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "rt/model_use.h"
#include "sinew/arbiter.h"
#include "sinew/arbiter_msg.h"
#include "sinew/components.h"
#include "sinew/controller.h"
#include "sinew/owners.h"
#include "sinew/system.h"
#include "sinew/tap.h"

struct resources_control;

/* One controller; its place in the list is its identity. */
typedef struct member {
  struct resources_control *server;
  int index;
  const char *name;
  sn_component *component;   /* NULL: it is outside, and comes by messages and calls */
  sn_caller release;         /* its operation releaseResources: it cannot be removed meanwhile */
  sn_controller *controller; /* NULL until it is attached */
  bool is_down;              /* the arbiter was told that it failed */
  int64_t heard_ns;          /* outside: when it was heard of last */
} member;

typedef struct resources_control {
  sn_component component;
  sn_texts list_orocos, list_ros, resources;
  const char *fallback;
  double remote_timeout_s;
  double wait_s;
  sn_input sync;
  sn_inputs requests;
  sn_output assignment;
  sn_requester robot_model;

  const sn_model *model;
  sn_resource_map map;
  sn_resource_arbiter face;
  sn_owners *owners;
  size_t member_count;
  member *members;
  sn_arena_mark configured; /* where the memory of start begins */
  sn_arbiter *arbiter;      /* NULL until started */
  uint64_t change_cursor;
  uint64_t committed; /* changes that the table of owners shows */
  int64_t now_ns;     /* of this cycle */
  bool must_greet;    /* controllers have to hear that nobody owns anything */
  bool is_delivering; /* actions are being told: a request from a hook tells its own */
} resources_control;

static const sn_property properties[] = {
    SN_PROPERTY(resources_control, "list_orocos", list_orocos,
                .doc = "Controllers in this process; empty: all that need the arbiter."),
    SN_PROPERTY(resources_control, "list_ros", list_ros,
                .doc = "Controllers outside, which ask by messages and calls."),
    SN_PROPERTY(resources_control, "resources", resources,
                .doc = "Chains and groups that can be owned; empty: all chains with joints."),
    SN_PROPERTY(resources_control, "fallback", fallback,
                .doc = "The controller that takes what a failed one leaves; empty: none."),
    SN_PROPERTY(resources_control, "remote_timeout", remote_timeout_s, .initial = "1", .unit = "s",
                .min = 0.01, .max = 1e6,
                .doc = "A controller outside that is silent for so long loses its limbs."),
    SN_PROPERTY(resources_control, "wait", wait_s, .initial = "10", .unit = "s", .min = 0,
                .max = 1e6, .doc = "How long a request waits that would rather wait."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(resources_control, "sync", sync, &sn_timer_event_type, .doc = "The tick."),
    SN_INPUTS(resources_control, "requests", requests, &sn_resource_request_type,
              .flags = SN_PORT_FEEDBACK, .doc = "Requests by messages, one input for each."),
    SN_OUTPUT(resources_control, "assignment", assignment, &sn_resource_assignment_type,
              .doc = "Who owns what, whenever it changes."),
    {0}};

/* ---- telling ---- */

static void log_change(resources_control *self, const sn_arbiter_change *change) {
  const sn_names *names = sn_arbiter_controllers(self->arbiter);
  const char *to = change->to < 0 ? "nobody" : sn_names_at(names, (size_t)change->to);
  const char *from = change->from < 0 ? "nobody" : sn_names_at(names, (size_t)change->from);
  const sn_arbiter_why why = change->to < 0 ? change->lost_why : change->gained_why;
  const sn_log_arg args[] = {
      {.kind = SN_LOG_TEXT,
       .value.text = sn_names_at(self->map.resources, (size_t)change->resource)},
      {.kind = SN_LOG_TEXT, .value.text = from},
      {.kind = SN_LOG_TEXT, .value.text = to},
      {.kind = SN_LOG_TEXT, .value.text = sn_arbiter_why_text(why)},
  };
  sn_component_log(&self->component, self->now_ns, SN_LOG_INFO, "{}: {} -> {} ({})", 4, args);
}

static void publish(resources_control *self, const sn_arbiter_action *action) {
  if (sn_arbiter_fill_assignment(self->arbiter, action, self->now_ns, self->assignment.msg) ==
      SN_OK) {
    (void)sn_output_write(&self->assignment); /* a reader without room is counted there */
  }
}

/* The table that the aggregator obeys: all changes since the last commit at once, and told to all.
   @param action  what led to it; NULL: nothing in particular */
static void commit(resources_control *self, const sn_arbiter_action *action) {
  const uint64_t changes = sn_arbiter_count(self->arbiter).changes;
  if (changes == self->committed) {
    return;
  }
  self->committed = changes;
  sn_owner_table *table = sn_owners_prepare(self->owners);
  for (size_t j = 0; j < self->map.joint_count; j++) {
    const int resource = self->map.resource_of_joint[j];
    const int owner = resource < 0 ? -1 : sn_arbiter_owner(self->arbiter, resource);
    table->owners[j] = owner < 0 ? NULL : self->members[owner].component;
  }
  sn_owners_commit(self->owners);
  sn_arbiter_change change;
  while (sn_arbiter_read_change(self->arbiter, &self->change_cursor, &change)) {
    log_change(self, &change);
  }
  publish(self, action);
}

/* One that does not run is not touched: management may be cleaning it up. It hears how things stand
   when it runs again. */
static bool is_running(const member *m) {
  return m->component != NULL && sn_component_state_now(m->component) == SN_STATE_RUNNING;
}

static void tell(const member *m, const sn_arbiter_action *action) {
  if (is_running(m) && m->controller != NULL) {
    sn_consumer_handle(&m->controller->consumer, action);
  }
}

/* Tell everybody what concerns them. Hooks may ask again: what they cause is told by the same loop,
   which is as long as there is something new. */
static void deliver(resources_control *self) {
  if (self->is_delivering) {
    return;
  }
  self->is_delivering = true;
  commit(self, NULL);
  sn_arbiter_action action;
  while (sn_arbiter_next_action(self->arbiter, &action)) {
    tell(&self->members[action.controller], &action);
    commit(self, &action);
    if (action.answer != SN_ARBITER_NO_ANSWER) {
      publish(self, &action); /* to who has waited for it */
    }
  }
  self->is_delivering = false;
}

/* ---- the way of a controller to the arbiter ---- */

/* Management starts and stops this component while controllers run: from the moment that it is not
   running none of them gets at the arbiter. */
static bool is_open(const resources_control *self) {
  return sn_component_state_now(&self->component) == SN_STATE_RUNNING && self->arbiter != NULL;
}

/* Who lets go has commanded its limbs in this cycle, and they are its own to the end of it: others
   hear of it at the beginning of the next one. So no limb is without a reference in between. */
static sn_arbiter_answer request(void *context, const sn_arbiter_claim *claim,
                                 sn_arbiter_action *answer) {
  const member *m = context;
  resources_control *self = m->server;
  if (!is_open(self)) {
    return SN_ARBITER_INVALID;
  }
  const sn_arbiter_answer result =
      sn_arbiter_request(self->arbiter, m->index, claim, self->now_ns, answer);
  if (!sn_resource_set_is_empty(&claim->resources)) {
    deliver(self);
  }
  return result;
}

static void disown(void *context, const sn_resource_set *resources, sn_arbiter_action *state) {
  const member *m = context;
  resources_control *self = m->server;
  if (is_open(self)) {
    sn_arbiter_disown(self->arbiter, m->index, resources, self->now_ns);
    sn_arbiter_tell(self->arbiter, m->index, state);
  }
}

static void acknowledge(void *context, const sn_resource_set *resources) {
  const member *m = context;
  if (is_open(m->server)) {
    sn_arbiter_acknowledge(m->server->arbiter, m->index, resources, m->server->now_ns);
    deliver(m->server);
  }
}

static member *find_member(const resources_control *self, const char *name) {
  for (size_t i = 0; i < self->member_count; i++) {
    if (strcmp(self->members[i].name, name) == 0) {
      return &self->members[i];
    }
  }
  return NULL;
}

static sn_status attach(void *context, sn_controller *controller, sn_error *err) {
  resources_control *self = context;
  sn_component *component = controller->component;
  member *m = find_member(self, component->name);
  if (m == NULL || m->component != component) {
    return sn__fail(err, SN_EINVAL, "'%s' is not in list_orocos of '%s'", component->name,
                    self->component.name);
  }
  if (sn_component_info_of(component).activity != sn_component_info_of(&self->component).activity) {
    return sn__fail(err, SN_EINVAL, "'%s' is not in the activity of '%s'", component->name,
                    self->component.name);
  }
  if (self->arbiter != NULL && m->controller != NULL &&
      m->controller->keep_subset != controller->keep_subset) {
    return sn__fail(err, SN_EBUSY, "'%s' has another policy now: start '%s' again", component->name,
                    self->component.name);
  }
  m->controller = controller;
  controller->map = &self->map;
  const sn_consumer_config config = {
      .name = component->name,
      .resources = self->map.resources,
      .keep_subset = controller->keep_subset,
      .link = {.context = m, .request = request, .disown = disown, .acknowledge = acknowledge},
      .hooks = controller->hooks,
  };
  sn_consumer_init(&controller->consumer, &config);
  return SN_OK;
}

/* ---- configuration ---- */

static bool needs_arbiter(const sn_component_type *type) {
  for (const sn_need *n = type->needs; n != NULL && n->name != NULL; n++) {
    if (n->interface != NULL && strcmp(n->interface, SN_RESOURCE_ARBITER) == 0) {
      return true;
    }
  }
  return false;
}

static sn_status add_member(resources_control *self, const char *name, sn_component *component,
                            sn_error *err) {
  if (find_member(self, name) != NULL) {
    return sn__fail(err, SN_EINVAL, "'%s' stands twice in the lists of controllers", name);
  }
  self->members[self->member_count] = (member){
      .server = self, .index = (int)self->member_count, .name = name, .component = component};
  self->member_count++;
  return SN_OK;
}

static sn_status add_local(resources_control *self, const char *name, sn_error *err) {
  sn_component *component = sn_system_find(self->component.system, name);
  if (component == NULL) {
    return sn__fail(err, SN_ENOENT, "list_orocos: there is no component '%s'", name);
  }
  sn_status status = add_member(self, name, component, err);
  if (status == SN_OK) {
    char operation[160];
    snprintf(operation, sizeof operation, "%s.releaseResources", name);
    status = sn_caller_open(self->component.system, operation,
                            &self->members[self->member_count - 1].release, NULL);
  }
  return status == SN_OK || status == SN_EINVAL
             ? status
             : sn__fail(err, SN_EINVAL, "list_orocos: '%s' (%s) has no operation releaseResources",
                        name, component->type->name);
}

static void let_members_go(resources_control *self) {
  for (size_t i = 0; i < self->member_count; i++) {
    sn_caller_close(&self->members[i].release); /* of one outside: nothing */
  }
  self->member_count = 0;
}

static sn_status add_members(resources_control *self, sn_error *err) {
  sn_system *system = self->component.system;
  const size_t component_count = sn_system_component_count(system);
  self->member_count = 0;
  self->members = SN_NEW(sn_component_arena(&self->component), member,
                         component_count + self->list_orocos.count + self->list_ros.count + 1);
  if (self->members == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for controllers");
  }
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < self->list_orocos.count; i++) {
    status = add_local(self, self->list_orocos.data[i], err);
  }
  for (size_t i = 0; self->list_orocos.count == 0 && status == SN_OK && i < component_count; i++) {
    sn_component *component = sn_system_component_at(system, i);
    if (needs_arbiter(component->type)) {
      status = add_local(self, component->name, err);
    }
  }
  for (size_t i = 0; status == SN_OK && i < self->list_ros.count; i++) {
    status = add_member(self, self->list_ros.data[i], NULL, err);
  }
  if (status == SN_OK && self->member_count == 0) {
    status = sn__fail(err, SN_EINVAL, "there is no controller to decide about");
  }
  return status;
}

/* The joints of a resource: of a chain those that it owns, of a group all of its own. */
static sn_status map_resource(resources_control *self, int *of_joint, size_t resource,
                              const char *name, sn_error *err) {
  const sn_model *model = self->model;
  const int chain = sn_model_chain_index(model, name);
  const int group = sn_names_index(sn_model_group_names(model), name);
  if (chain < 0 && group < 0) {
    return sn__fail(err, SN_ENOENT, "resources: '%s' is no chain and no group of the robot", name);
  }
  for (size_t j = 0; j < self->map.joint_count; j++) {
    bool is_in = chain >= 0 && sn_model_joint(model, j)->chain == chain;
    const sn_group *g = group < 0 ? NULL : sn_model_group(model, (size_t)group);
    for (size_t k = 0; g != NULL && k < g->joint_count && !is_in; k++) {
      is_in = g->joints[k] == (int)j;
    }
    if (is_in && of_joint[j] >= 0) {
      return sn__fail(err, SN_EINVAL, "resources: joint '%s' is in '%s' and in an earlier one",
                      sn_model_joint(model, j)->name, name);
    }
    of_joint[j] = is_in ? (int)resource : of_joint[j];
  }
  return SN_OK;
}

/* All chains that own a joint: one that shares all of its joints with earlier ones moves nothing.
 */
static sn_status name_chains(resources_control *self, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->component);
  const sn_names *chains = sn_model_chain_names(self->model);
  const char **names = SN_NEW(arena, const char *, sn_names_count(chains));
  if (names == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for resources");
  }
  size_t count = 0;
  for (size_t c = 0; c < sn_names_count(chains); c++) {
    bool owns_joint = false;
    for (size_t j = 0; j < self->map.joint_count && !owns_joint; j++) {
      owns_joint = sn_model_joint(self->model, j)->chain == (int)c;
    }
    if (owns_joint) {
      names[count++] = sn_names_at(chains, c);
    }
  }
  return sn_names_create(arena, names, count, &self->map.resources, err);
}

static sn_status make_map(resources_control *self, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->component);
  sn_status status = SN_OK;
  self->map.joint_count = sn_model_pose_size(self->model);
  if (self->resources.count == 0) {
    status = name_chains(self, err);
  } else {
    status = sn_names_create(arena, self->resources.data, self->resources.count,
                             &self->map.resources, err);
  }
  int *of_joint = SN_NEW(arena, int, self->map.joint_count);
  self->owners = sn_owners_create(arena, self->map.joint_count);
  if (status == SN_OK && (of_joint == NULL || self->owners == NULL)) {
    status = sn__fail(err, SN_ENOMEM, "no memory for resources");
  }
  for (size_t j = 0; status == SN_OK && j < self->map.joint_count; j++) {
    of_joint[j] = -1;
  }
  const size_t count = status == SN_OK ? sn_names_count(self->map.resources) : 0;
  for (size_t i = 0; status == SN_OK && i < count; i++) {
    status = map_resource(self, of_joint, i, sn_names_at(self->map.resources, i), err);
  }
  self->map.resource_of_joint = of_joint;
  return status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  resources_control *self = (resources_control *)component;
  self->model = sn__model_hold(&self->robot_model, err);
  self->arbiter = NULL;
  self->face = (sn_resource_arbiter){.context = self, .attach = attach};
  sn_status status = self->model == NULL ? SN_ENOTCONFIGURED : make_map(self, err);
  if (status == SN_OK) {
    status = add_members(self, err);
  }
  if (status == SN_OK && self->fallback[0] != '\0' && find_member(self, self->fallback) == NULL) {
    status = sn__fail(err, SN_ENOENT, "fallback: '%s' is no controller", self->fallback);
  }
  if (status != SN_OK && self->model != NULL) {
    let_members_go(self);
    sn__model_release(&self->robot_model);
  }
  self->configured = sn_arena_save(sn_component_arena(component));
  return status;
}

static void cleanup(sn_component *component) {
  resources_control *self = (resources_control *)component;
  self->arbiter = NULL;
  let_members_go(self);
  sn__model_release(&self->robot_model);
}

/* ---- start: all controllers have attached themselves by now ---- */

static sn_status create_arbiter(resources_control *self, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->component);
  const size_t resource_count = sn_names_count(self->map.resources);
  const char **names = SN_NEW(arena, const char *, self->member_count);
  sn_arbiter_controller *policies = SN_NEW(arena, sn_arbiter_controller, self->member_count);
  int *fallbacks = SN_NEW(arena, int, resource_count);
  if (names == NULL || policies == NULL || fallbacks == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the arbiter");
  }
  for (size_t i = 0; i < self->member_count; i++) {
    const member *m = &self->members[i];
    names[i] = m->name;
    policies[i].keep_subset = m->controller != NULL && m->controller->keep_subset;
  }
  const member *fallback = find_member(self, self->fallback);
  for (size_t i = 0; i < resource_count; i++) {
    fallbacks[i] = fallback == NULL ? SN_ARBITER_NOBODY : fallback->index;
  }
  sn_arbiter_config config = {
      .resources = self->map.resources, .policies = policies, .fallbacks = fallbacks};
  sn_status status = sn_names_create(arena, names, self->member_count, &config.controllers, err);
  return status == SN_OK ? sn_arbiter_create(arena, &config, &self->arbiter, err) : status;
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  resources_control *self = (resources_control *)component;
  for (size_t i = 0; i < self->member_count; i++) {
    member *m = &self->members[i];
    if (m->component != NULL && m->controller == NULL) {
      return sn__fail(err, SN_ENOTCONFIGURED, "controller '%s' is not configured", m->name);
    }
    m->is_down = false;
    m->heard_ns = now_ns;
  }
  sn_arena_restore(sn_component_arena(component), self->configured);
  self->arbiter = NULL;
  self->now_ns = now_ns;
  self->change_cursor = 0;
  self->committed = 0;
  self->must_greet = true;
  return create_arbiter(self, err);
}

/* Nobody may move anything while nobody decides. Controllers go on running and are not touched from
   here: what they still write is refused by the aggregator. */
static void stop(sn_component *component) {
  resources_control *self = (resources_control *)component;
  for (size_t i = 0; i < self->member_count; i++) {
    sn_arbiter_release_all(self->arbiter, self->members[i].index, self->now_ns);
  }
  commit(self, NULL);
  self->arbiter = NULL;
}

/* ---- every cycle ---- */

static sn_arbiter_why why_down(const sn_component *component) {
  const sn_component_info info = sn_component_info_of(component);
  return info.state != SN_STATE_ERROR            ? SN_ARBITER_DIED
         : info.trouble == SN_TROUBLE_OVERRUN    ? SN_ARBITER_HUNG
         : info.trouble == SN_TROUBLE_NOT_FINITE ? SN_ARBITER_MALFORMED
                                                 : SN_ARBITER_DIED;
}

static void watch_local(resources_control *self, member *m) {
  const bool runs = is_running(m);
  if (!runs && !m->is_down) {
    sn_arbiter_fail(self->arbiter, m->index, why_down(m->component), self->now_ns);
  } else if (runs && m->is_down) {
    sn_arbiter_connect(self->arbiter, m->index, self->now_ns);
    sn_arbiter_action action;
    sn_arbiter_tell(self->arbiter, m->index, &action);
    tell(m, &action); /* what it had when it stopped is gone */
  }
  m->is_down = !runs;
}

/* After a start everybody begins anew: what a controller had of an earlier arbiter is void, and the
   numbers of its events as well. */
static void greet(resources_control *self) {
  const sn_resource_set none = sn_resource_set_none();
  for (size_t i = 0; i < self->member_count; i++) {
    const member *m = &self->members[i];
    if (is_running(m) && m->controller != NULL) {
      const sn_consumer_config config = m->controller->consumer.config;
      const sn_resource_set held = sn_consumer_held(&m->controller->consumer);
      sn_consumer_init(&m->controller->consumer, &config);
      if (!sn_resource_set_is_empty(&held) && config.hooks.released != NULL) {
        config.hooks.released(config.hooks.context, &held, &none);
      }
    }
  }
  self->must_greet = false;
}

static void watch_remote(resources_control *self, member *m) {
  const sn_resource_set owned = sn_arbiter_owned(self->arbiter, m->index);
  const double silent_s = 1e-9 * (double)(self->now_ns - m->heard_ns);
  if (!sn_resource_set_is_empty(&owned) && silent_s > self->remote_timeout_s) {
    sn_arbiter_fail(self->arbiter, m->index, SN_ARBITER_HUNG, self->now_ns);
  }
}

/* A request by a message or a call. Components ask through their own connection only, so here their
   names are foreign. */
static sn_status handle_request(resources_control *self, const sn_component *writer,
                                const sn_resource_request *msg, sn_arbiter_answer *answer,
                                sn_error *err) {
  member *m = find_member(self, msg->name.data);
  if (m == NULL) {
    return sn__fail(err, SN_ENOENT, "'%s' is no controller", msg->name.data);
  }
  if (m->component != NULL && m->component != writer) {
    return sn__fail(err, SN_EINVAL, "'%s' is a component: nobody else asks in its name", m->name);
  }
  m->heard_ns = self->now_ns;
  sn_arbiter_action action;
  const sn_status status = sn_arbiter_handle_request(
      self->arbiter, m->index, msg, (int64_t)(1e9 * self->wait_s), self->now_ns, &action, err);
  if (status == SN_OK) {
    *answer = action.answer;
    tell(m, &action);
    commit(self, NULL);
    publish(self, &action);
    deliver(self);
  }
  return status;
}

static void read_requests(resources_control *self) {
  for (size_t i = 0; i < self->requests.count; i++) {
    sn_input *input = &self->requests.items[i];
    sn_flow flow = SN_NO_DATA;
    const sn_resource_request *msg = sn_input_read(input, &flow);
    while (flow == SN_NEW_DATA) { /* as many as the queue is long */
      sn_arbiter_answer answer = SN_ARBITER_INVALID;
      sn_error err;
      if (handle_request(self, sn_input_writer(input), msg, &answer, &err) != SN_OK) {
        const sn_log_arg args[] = {{.kind = SN_LOG_INT, .value.integer = (int64_t)i}};
        sn_component_log(&self->component, self->now_ns, SN_LOG_WARNING,
                         "a request of connection {} was refused: unknown or foreign name", 1,
                         args);
      }
      msg = sn_input_read(input, &flow);
    }
  }
}

static sn_status step(sn_component *component, int64_t now_ns) {
  resources_control *self = (resources_control *)component;
  self->now_ns = now_ns;
  if (self->must_greet) {
    greet(self);
  }
  for (size_t i = 0; i < self->member_count; i++) {
    member *m = &self->members[i];
    if (m->component != NULL) {
      watch_local(self, m);
    } else {
      watch_remote(self, m);
    }
  }
  sn_arbiter_tick(self->arbiter, now_ns);
  read_requests(self);
  deliver(self);
  return SN_OK;
}

/* ---- operations ---- */

static sn_status request_resources(sn_component *component, const void *request_msg, void *response,
                                   sn_error *err) {
  resources_control *self = (resources_control *)component;
  sn_call_outcome *outcome = response;
  sn_arbiter_answer answer = SN_ARBITER_INVALID;
  const sn_status status = handle_request(self, NULL, request_msg, &answer, err);
  if (status == SN_OK) {
    outcome->success = answer == SN_ARBITER_GRANTED;
    (void)sn_msg_text_set(&outcome->message, sn_arbiter_answer_text(answer)); /* short */
  }
  return status;
}

static sn_status get_owners(sn_component *component, const void *request_msg, void *response,
                            sn_error *err) {
  const resources_control *self = (const resources_control *)component;
  (void)request_msg;
  return sn_arbiter_fill_assignment(self->arbiter, NULL, self->now_ns, response) == SN_OK
             ? SN_OK
             : sn__fail(err, SN_ENOSPC, "the table does not fit into the message");
}

static const sn_operation operations[] = {
    {"requestResources", SN_OWN_THREAD, &sn_resource_request_type, &sn_call_outcome_type,
     request_resources, "Ask for limbs, in the name of a controller of list_ros."},
    {"getOwners", SN_OWN_THREAD, NULL, &sn_resource_assignment_type, get_owners,
     "Who owns what now."},
    {0}};

static const void *arbiter_face(sn_component *component) {
  return &((resources_control *)component)->face;
}

static const void *owners_face(sn_component *component) {
  return ((resources_control *)component)->owners;
}

static const sn_service services[] = {
    {SN_RESOURCE_ARBITER, arbiter_face, "Where controllers ask for limbs."},
    {SN_OWNERS, owners_face, "Who owns which joint: for the aggregator."},
    {0}};

static const sn_need needs[] = {{.name = "robot_model",
                                 .interface = SN_ROBOT_MODEL,
                                 .offset = offsetof(resources_control, robot_model),
                                 .doc = "The robot."},
                                {0}};

const sn_component_type sn_resources_control_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "resources_control",
    .doc = "Decides which controller may move which limb.",
    .size = sizeof(resources_control),
    .properties = properties,
    .ports = ports,
    .operations = operations,
    .services = services,
    .needs = needs,
    .configure = configure,
    .start = start,
    .step = step,
    .stop = stop,
    .cleanup = cleanup,
};
