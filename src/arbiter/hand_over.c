/* When a hand-over takes effect. The arbiter decides at once; what it has decided is shown, to the
   controllers and to the aggregator, so that every limb has one reference in every cycle.

   Between two cycles, before any controller is stepped, everything is shown: who loses a limb does
   not command it any more, who gains it does. In the midst of a cycle some controllers have
   commanded their limbs and others not yet. What a controller asks for then, and gets, it commands
   in this very step, so that is shown. All else that follows (what it gives up, what those give up
   who keep all or nothing, who gets that) waits for the end of the cycle: until then each has, and
   commands, what it had. A controller that loses something to another, and asks in the hook that
   tells it so, may have been stepped already: its answer waits, too. */
#include <string.h>

#include "arbiter/resources_control.h"
#include "base/sink.h"
#include "sinew/arbiter_msg.h"

/* ---- what is shown ---- */

static int shown_owner(const sn__resources_control *self, size_t resource) {
  for (size_t i = 0; i < self->member_count; i++) {
    if (sn_resource_set_has(&self->members[i].shown, resource)) {
      return (int)i;
    }
  }
  return SN_ARBITER_NOBODY;
}

sn_status sn__resources_fill(const sn__resources_control *self, const sn_arbiter_action *action,
                             sn_resource_assignment *out) {
  sn_status status = sn_arbiter_fill_assignment(self->arbiter, action, self->now_ns, out);
  sn_msg_names_clear(&out->owners);
  for (size_t i = 0; i < sn_names_count(self->map.resources) && status == SN_OK; i++) {
    const int owner = shown_owner(self, i);
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
  char text[sizeof((sn_error *)0)->message + 16] = "";
  const size_t room =
      out->reason.capacity + 1 < sizeof text ? out->reason.capacity + 1 : sizeof text;
  sn__sink sink = {.out = text, .size = room};
  sn__sink_text(&sink, sn_arbiter_answer_text(SN_ARBITER_INVALID));
  sn__sink_text(&sink, ": ");
  sn__sink_text(&sink, reason);
  size_t length = sn__sink_end(&sink);
  if (length >= room) { /* cut, but not in the middle of a letter */
    length = room - 1;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) {
      length--;
    }
    text[length] = '\0';
  }
  out->request_id = request->request_id;
  (void)sn_msg_text_set(&out->reason, text);
  if (sn_msg_text_set(&out->name, request->name.count == 0 ? "" : request->name.data) == SN_OK) {
    (void)sn_output_write(&self->assignment);
  }
}

/* How it came to it: why one lost it says more than that another got it back. */
static sn_arbiter_why why_changed(const sn_arbiter_change *change) {
  return change->to < 0 || (change->from >= 0 && change->gained_why != SN_ARBITER_REQUEST)
             ? change->lost_why
             : change->gained_why;
}

static void log_change(sn__resources_control *self, const sn_arbiter_change *change) {
  const sn_names *names = sn_arbiter_controllers(self->arbiter);
  const char *to = change->to < 0 ? "nobody" : sn_names_at(names, (size_t)change->to);
  const char *from = change->from < 0 ? "nobody" : sn_names_at(names, (size_t)change->from);
  const sn_log_arg args[] = {
      {.kind = SN_LOG_TEXT,
       .value.text = sn_names_at(self->map.resources, (size_t)change->resource)},
      {.kind = SN_LOG_TEXT, .value.text = from},
      {.kind = SN_LOG_TEXT, .value.text = to},
      {.kind = SN_LOG_TEXT, .value.text = sn_arbiter_why_text(why_changed(change))},
  };
  sn_component_log(&self->component, self->now_ns, SN_LOG_INFO, "{}: {} -> {} ({})", 4, args);
}

/* One table, for all joints at once. */
static void show(sn__resources_control *self, const sn_arbiter_action *action) {
  sn_owner_table *table = sn_owners_prepare(self->owners);
  for (size_t j = 0; j < self->map.joint_count; j++) {
    const int resource = self->map.resource_of_joint[j];
    const int owner = resource < 0 ? -1 : shown_owner(self, (size_t)resource);
    table->owners[j] = owner < 0 ? NULL : self->members[owner].voice;
  }
  sn_owners_commit(self->owners);
  sn_arbiter_change change;
  while (sn_arbiter_read_change(self->arbiter, &self->change_cursor, &change)) {
    log_change(self, &change);
  }
  sn__resources_publish(self, action);
}

/* ---- between two cycles ---- */

void sn__resources_commit(sn__resources_control *self, const sn_arbiter_action *action) {
  const uint64_t changes = sn_arbiter_count(self->arbiter).changes;
  if (changes == self->committed && !self->is_behind) {
    return;
  }
  self->committed = changes;
  self->is_behind = false;
  for (size_t i = 0; i < self->member_count; i++) {
    self->members[i].shown = sn_arbiter_owned(self->arbiter, (int)i);
  }
  show(self, action);
}

void sn__member_tell(const sn__member *m, const sn_arbiter_action *action) {
  if (sn__member_runs(m) && m->controller != NULL) {
    sn_consumer_handle(m->controller->consumer, action);
  }
}

/* Those that were told what is shown, which was not all. */
static void tell_all(sn__resources_control *self) {
  for (size_t i = 0; i < self->member_count; i++) {
    sn_arbiter_action action;
    sn_arbiter_tell(self->arbiter, (int)i, &action);
    sn__member_tell(&self->members[i], &action);
    sn__resources_commit(self, &action);
  }
}

/* Those that asked when it was too late in the cycle. */
static void answer_claims(sn__resources_control *self) {
  for (size_t i = 0; i < self->member_count; i++) {
    sn__member *m = &self->members[i];
    if (m->has_claim) {
      sn_arbiter_action action;
      m->has_claim = false;
      (void)sn_arbiter_request(self->arbiter, (int)i, &m->claim, self->now_ns, &action);
      sn__member_tell(m, &action);
      sn__resources_commit(self, &action);
    }
  }
}

/* Hooks may ask again: what they cause is told by the same loop, which is as long as there is
   something new. */
void sn__resources_deliver(sn__resources_control *self) {
  if (self->is_delivering) {
    return;
  }
  self->is_delivering = true;
  const bool was_behind = self->is_behind;
  sn__resources_commit(self, NULL);
  if (was_behind) {
    tell_all(self);
    answer_claims(self);
  }
  sn_arbiter_action action;
  while (sn_arbiter_next_action(self->arbiter, &action)) {
    sn__member_tell(&self->members[action.controller], &action);
    sn__resources_commit(self, &action);
    if (action.answer != SN_ARBITER_NO_ANSWER) {
      sn__resources_publish(self, &action); /* to who has waited for it */
    }
  }
  self->is_delivering = false;
}

/* ---- in the midst of a cycle ---- */

/* What a controller has in this cycle, whatever was decided since. */
static void hold_back(const sn__member *m, sn_arbiter_action *action) {
  action->owned = m->shown;
  action->release = sn_resource_set_none();
  action->wanted = sn_resource_set_join(action->wanted, m->shown);
}

static void tell_what_is_shown(const sn__member *m) {
  sn_arbiter_action action;
  sn_arbiter_tell(m->server->arbiter, m->index, &action);
  hold_back(m, &action);
  sn__member_tell(m, &action);
}

/* Of what it claims a controller has got these: they are its own from now on. Those that lose them
   hear of it. */
static void give_now(sn__resources_control *self, sn__member *m, const sn_resource_set *claimed) {
  const sn_resource_set got =
      sn_resource_set_common(sn_arbiter_owned(self->arbiter, m->index), *claimed);
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
    const sn_resource_set held = sn_consumer_held(other->controller->consumer);
    if (!sn_resource_set_includes(&other->shown, &held)) {
      tell_what_is_shown(other);
    }
  }
  self->is_giving = false;
}

/* Management starts and stops this component while controllers run: from the moment that it is not
   running none of them gets at the arbiter. */
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
    self->is_behind = true;
    return SN_ARBITER_WAITING;
  }
  const sn_arbiter_answer result =
      sn_arbiter_request(self->arbiter, m->index, claim, self->now_ns, answer);
  if (!self->is_delivering) {
    self->is_behind = true;
    give_now(self, m, &claim->resources);
    hold_back(m, answer);
  }
  return result;
}

static void disown(void *context, const sn_resource_set *resources, sn_arbiter_action *state) {
  sn__member *m = context;
  sn__resources_control *self = m->server;
  if (is_open(self)) {
    sn_arbiter_disown(self->arbiter, m->index, resources, self->now_ns);
    sn_arbiter_tell(self->arbiter, m->index, state);
    if (!self->is_delivering) {
      self->is_behind = true;
      hold_back(m, state);
    }
  }
}

static void want(void *context, const sn_resource_set *resources, int32_t priority,
                 sn_arbiter_action *state) {
  sn__member *m = context;
  sn__resources_control *self = m->server;
  if (is_open(self)) {
    sn_arbiter_want(self->arbiter, m->index, resources, priority, self->now_ns);
    sn_arbiter_tell(self->arbiter, m->index, state);
    if (!self->is_delivering) {
      self->is_behind = true;
      hold_back(m, state);
    }
  }
}

static void acknowledge(void *context, const sn_resource_set *resources) {
  const sn__member *m = context;
  if (is_open(m->server)) {
    sn_arbiter_acknowledge(m->server->arbiter, m->index, resources, m->server->now_ns);
    m->server->is_behind = true;
  }
}

sn_consumer_link sn__member_link(sn__member *m) {
  return (sn_consumer_link){
      .context = m, .request = request, .disown = disown, .acknowledge = acknowledge, .want = want};
}
