/* When a hand-over takes effect. The arbiter decides at once; its decisions are shown to the
   controllers and the gate such that every limb has one reference in every cycle.

   Between two cycles, before any controller is stepped, everything is shown: a controller that lost
   a limb no longer commands it, the one that gained it does. In the middle of a cycle some
   controllers have commanded their limbs and others have not. What a controller requests then, and
   gets, it commands in this very step, so that is shown at once. All consequences (what it
   releases, what controllers with the policy all or nothing lose, who gets that) wait for the end
   of the cycle: until then every controller owns and commands what it had. A controller that
   requests limbs from the hook that reports a loss may have been stepped already, so its answer
   waits, too. A model is in tests/models/hand_over.pml: change both. */
#include <string.h>

#include "arbiter/arbiter_msg.h"
#include "arbiter/resources_control.h"
#include "base/sink.h"
#include "base/text.h"

/* ---- what is shown ---- */

static int current_owner(const sn__resources_control *self, size_t resource) {
  for (size_t i = 0; i < self->member_count; i++) {
    if (sn_resource_set_has(&self->members[i].shown, resource)) {
      return (int)i;
    }
  }
  return SN_ARBITER_NONE;
}

sn_status sn__resources_fill(const sn__resources_control *self, const sn_arbiter_action *action,
                             sn_resource_assignment *out) {
  sn_status status = sn__arbiter_fill_assignment(self->arbiter, action, self->now_ns, out);
  sn_msg_names_clear(&out->owners);
  for (size_t i = 0; i < sn_names_count(self->map.resources) && status == SN_OK; i++) {
    const int owner = current_owner(self, i);
    const char *name = owner < 0 ? "" : self->members[owner].name;
    status = sn_msg_names_add(&out->owners, name, strlen(name));
  }
  return status;
}

void sn__resources_publish(sn__resources_control *self, const sn_arbiter_action *action) {
  if (sn__resources_fill(self, action, self->assignment.msg) == SN_OK) {
    (void)sn_output_write(&self->assignment); /* a reader without room is counted there */
  }
}

void sn__resources_refuse(sn__resources_control *self, const sn_resource_request *request,
                          const char *reason) {
  sn_resource_assignment *out = self->assignment.msg;
  if (sn__resources_fill(self, NULL, out) != SN_OK) {
    return;
  }
  char whole[sizeof((sn_error *)0)->message + 16], text[sizeof whole];
  sn__sink sink = {.out = whole, .size = sizeof whole};
  sn__sink_text(&sink, sn__arbiter_answer_text(SN_ARBITER_INVALID));
  sn__sink_text(&sink, ": ");
  sn__sink_text(&sink, reason);
  sn__sink_end(&sink);
  const size_t room = out->reason.capacity + 1;
  (void)sn__text_clean(whole, text, room < sizeof text ? room : sizeof text);
  out->request_id = request->request_id;
  (void)sn_msg_text_set(&out->reason, text);
  if (sn_msg_text_set(&out->name, request->name.count == 0 ? "" : request->name.data) == SN_OK) {
    (void)sn_output_write(&self->assignment);
  }
}

/* The cause: why a controller lost it says more than that another got it back. */
static sn_arbiter_why why_changed(const sn_arbiter_change *change) {
  return change->to < 0 || (change->from >= 0 && change->gained_why != SN_ARBITER_REQUEST)
             ? change->lost_why
             : change->gained_why;
}

static void log_change(sn__resources_control *self, const sn_arbiter_change *change) {
  const sn_names *names = sn__arbiter_controllers(self->arbiter);
  const char *to = change->to < 0 ? "free" : sn_names_at(names, (size_t)change->to);
  const char *from = change->from < 0 ? "free" : sn_names_at(names, (size_t)change->from);
  const sn_log_arg args[] = {
      {.kind = SN_LOG_TEXT,
       .value.text = sn_names_at(self->map.resources, (size_t)change->resource)},
      {.kind = SN_LOG_TEXT, .value.text = from},
      {.kind = SN_LOG_TEXT, .value.text = to},
      {.kind = SN_LOG_TEXT, .value.text = sn__arbiter_why_text(why_changed(change))},
  };
  sn_component_log(&self->component, self->now_ns, SN_LOG_INFO, "{}: {} -> {} ({})", 4, args);
}

/* One table for all joints at once. */
static void show(sn__resources_control *self, const sn_arbiter_action *action) {
  sn_owner_table *table = sn__owners_prepare(self->owners);
  for (size_t j = 0; j < self->map.joint_count; j++) {
    const int resource = self->map.resource_of_joint[j];
    const int owner = resource < 0 ? -1 : current_owner(self, (size_t)resource);
    table->owners[j] = owner < 0 ? NULL : self->members[owner].writer;
  }
  sn__owners_commit(self->owners);
  sn_arbiter_change change;
  while (sn__arbiter_read_change(self->arbiter, &self->change_cursor, &change)) {
    log_change(self, &change);
  }
  sn__resources_publish(self, action);
}

/* ---- between two cycles ---- */

void sn__resources_commit(sn__resources_control *self, const sn_arbiter_action *action) {
  const uint64_t changes = sn__arbiter_count(self->arbiter).changes;
  if (changes == self->committed && !self->is_stale) {
    return;
  }
  self->committed = changes;
  self->is_stale = false;
  for (size_t i = 0; i < self->member_count; i++) {
    self->members[i].shown = sn__arbiter_owned(self->arbiter, (int)i);
  }
  show(self, action);
}

void sn__member_notify(const sn__member *m, const sn_arbiter_action *action) {
  if (sn__member_runs(m) && m->controller != NULL) {
    sn__consumer_handle(m->controller->consumer, action);
  }
}

/* Controllers that know only what is shown, which was not everything. */
static void notify_all(sn__resources_control *self) {
  for (size_t i = 0; i < self->member_count; i++) {
    sn_arbiter_action action;
    sn__arbiter_read_state(self->arbiter, (int)i, &action);
    sn__member_notify(&self->members[i], &action);
    sn__resources_commit(self, &action);
  }
}

/* Controllers that asked too late in the cycle. */
static void answer_claims(sn__resources_control *self) {
  for (size_t i = 0; i < self->member_count; i++) {
    sn__member *m = &self->members[i];
    if (m->has_claim) {
      sn_arbiter_action action;
      m->has_claim = false;
      (void)sn__arbiter_request(self->arbiter, (int)i, &m->claim, self->now_ns, &action);
      sn__member_notify(m, &action);
      sn__resources_commit(self, &action);
    }
  }
}

/* Hooks may ask again: the same loop delivers what they cause, until there is nothing new. */
void sn__resources_deliver(sn__resources_control *self) {
  if (self->is_delivering) {
    return;
  }
  self->is_delivering = true;
  const bool was_stale = self->is_stale;
  sn__resources_commit(self, NULL);
  if (was_stale) {
    notify_all(self);
    answer_claims(self);
  }
  sn_arbiter_action action;
  while (sn__arbiter_next_action(self->arbiter, &action)) {
    sn__member_notify(&self->members[action.controller], &action);
    sn__resources_commit(self, &action);
    if (action.answer != SN_ARBITER_NO_ANSWER) {
      sn__resources_publish(self, &action); /* for the controller that waited */
    }
  }
  self->is_delivering = false;
}

/* ---- in the middle of a cycle ---- */

/* What a controller owns in this cycle, whatever was decided since. */
static void hold_back(const sn__member *m, sn_arbiter_action *action) {
  action->owned = m->shown;
  action->release = sn_resource_set_none();
  action->wanted = sn_resource_set_join(action->wanted, m->shown);
}

static void notify_shown(const sn__member *m) {
  sn_arbiter_action action;
  sn__arbiter_read_state(m->server->arbiter, m->index, &action);
  hold_back(m, &action);
  sn__member_notify(m, &action);
}

/* The controller owns what it got of its claim from now on. The controllers that lose it are
   notified. */
static void give_now(sn__resources_control *self, sn__member *m, const sn_resource_set *claimed) {
  const sn_resource_set got =
      sn_resource_set_common(sn__arbiter_owned(self->arbiter, m->index), *claimed);
  const sn_resource_set gained = sn_resource_set_without(got, m->shown);
  if (sn_resource_set_is_empty(&gained)) {
    return;
  }
  m->shown = sn_resource_set_join(m->shown, gained);
  for (size_t i = 0; i < self->member_count; i++) {
    if (&self->members[i] != m) {
      self->members[i].shown = sn_resource_set_without(self->members[i].shown, gained);
    }
  }
  show(self, NULL);
  self->is_giving = true;
  for (size_t i = 0; i < self->member_count; i++) {
    const sn__member *other = &self->members[i];
    if (other == m || other->controller == NULL || !sn__member_runs(other)) {
      continue;
    }
    const sn_resource_set held = sn__consumer_held(other->controller->consumer);
    if (!sn_resource_set_includes(&other->shown, &held)) {
      notify_shown(other);
    }
  }
  self->is_giving = false;
}

/* Management starts and stops this component while controllers run: none of them reaches the
   arbiter while it is not running. */
static bool is_open(const sn__resources_control *self) {
  return sn_component_state_now(&self->component) == SN_STATE_RUNNING && self->arbiter != NULL;
}

static sn_arbiter_answer request(void *context, const sn_arbiter_claim *claim,
                                 sn_arbiter_action *answer) {
  sn__member *m = context;
  sn__resources_control *self = m->server;
  if (!is_open(self)) {
    return SN_ARBITER_INVALID;
  }
  m->has_claim = self->is_giving;
  if (self->is_giving) {
    m->claim = *claim;
    self->is_stale = true;
    return SN_ARBITER_WAITING;
  }
  const sn_arbiter_answer result =
      sn__arbiter_request(self->arbiter, m->index, claim, self->now_ns, answer);
  if (!self->is_delivering) {
    self->is_stale = true;
    give_now(self, m, &claim->resources);
    hold_back(m, answer);
  }
  return result;
}

static void disown(void *context, const sn_resource_set *resources, sn_arbiter_action *state) {
  sn__member *m = context;
  sn__resources_control *self = m->server;
  if (is_open(self)) {
    sn__arbiter_disown(self->arbiter, m->index, resources, self->now_ns);
    sn__arbiter_read_state(self->arbiter, m->index, state);
    if (!self->is_delivering) {
      self->is_stale = true;
      hold_back(m, state);
    }
  }
}

static void want(void *context, const sn_resource_set *resources, int32_t priority,
                 sn_arbiter_action *state) {
  sn__member *m = context;
  sn__resources_control *self = m->server;
  if (is_open(self)) {
    sn__arbiter_want(self->arbiter, m->index, resources, priority, self->now_ns);
    sn__arbiter_read_state(self->arbiter, m->index, state);
    if (!self->is_delivering) {
      self->is_stale = true;
      hold_back(m, state);
    }
  }
}

static void acknowledge(void *context, const sn_resource_set *resources) {
  const sn__member *m = context;
  if (is_open(m->server)) {
    sn__arbiter_acknowledge(m->server->arbiter, m->index, resources, m->server->now_ns);
    m->server->is_stale = true;
  }
}

sn_consumer_link sn__member_link(sn__member *m) {
  return (sn_consumer_link){
      .context = m, .request = request, .disown = disown, .acknowledge = acknowledge, .want = want};
}
