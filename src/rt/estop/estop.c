#include "rt/estop/estop.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- texts, which any thread may read while others write ---- */

static void put_words(_Atomic uint64_t *words, size_t count, const void *from) {
  for (size_t i = 0; i < count; i++) {
    uint64_t word = 0;
    memcpy(&word, (const char *)from + i * sizeof word, sizeof word);
    atomic_store_explicit(&words[i], word, memory_order_relaxed);
  }
}

static void get_words(const _Atomic uint64_t *words, size_t count, void *to) {
  for (size_t i = 0; i < count; i++) {
    const uint64_t word = atomic_load_explicit(&words[i], memory_order_relaxed);
    memcpy((char *)to + i * sizeof word, &word, sizeof word);
  }
}

/* A slot is reused only after its stop has ended. */
static void put_text(sn__estop *e, uint64_t number, const char *who, const char *why) {
  sn__estop_slot *slot = &e->slots[number % SN__ESTOP_TEXTS];
  uint64_t state = atomic_load(&slot->state);
  if (state % 2 != 0 || state / 2 > atomic_load(&e->released) ||
      !atomic_compare_exchange_strong(&slot->state, &state, 2 * number + 1)) {
    return;
  }
  atomic_thread_fence(memory_order_release);
  sn__stop_text text = {.who = ""};
  (void)sn__text_clean(who, text.who, sizeof text.who);
  (void)sn__text_clean(why, text.why, sizeof text.why);
  put_words(slot->words, SN__STOP_TEXT_WORDS, &text);
  atomic_store_explicit(&slot->state, 2 * number, memory_order_release);
}

bool sn__estop_text(const sn__estop *e, uint64_t number, sn__stop_text *out) {
  const sn__estop_slot *slot = &e->slots[number % SN__ESTOP_TEXTS];
  if (number == 0 || atomic_load_explicit(&slot->state, memory_order_acquire) != 2 * number) {
    return false;
  }
  sn__stop_text text;
  get_words(slot->words, SN__STOP_TEXT_WORDS, &text);
  atomic_thread_fence(memory_order_acquire);
  if (atomic_load_explicit(&slot->state, memory_order_relaxed) != 2 * number) {
    return false;
  }
  *out = text;
  return true;
}

/* ---- the latch ---- */

static uint64_t latch(sn__estop *e, const char *who, const char *why) {
  const uint64_t number = atomic_fetch_add(&e->requested, 1) + 1;
  put_text(e, number, who, why);
  return number;
}

uint64_t sn__estop_request(sn__estop *e, const char *who, const char *why) {
  const uint64_t number = latch(e, who, why);
  const sn__estop_ring *ring = atomic_load(&e->ring);
  for (size_t i = 0; ring != NULL && i < ring->count; i++) {
    if (ring->members[i] != e && ring->members[i] != NULL) {
      (void)latch(ring->members[i], who, why);
    }
  }
  return number;
}

bool sn__estop_join(sn__estop *const *latches, size_t count) {
  sn__estop_ring *ring = malloc(sizeof *ring + count * sizeof *ring->members);
  bool is_free = ring != NULL;
  for (size_t i = 0; i < count; i++) {
    is_free = is_free && atomic_load(&latches[i]->ring) == NULL;
  }
  if (!is_free) {
    free(ring);
    return false;
  }
  atomic_init(&ring->user_count, count);
  ring->count = count;
  memcpy(ring->members, latches, count * sizeof *latches);
  for (size_t i = 0; i < count; i++) {
    atomic_store(&latches[i]->ring, ring);
  }
  return true;
}

void sn__estop_leave(sn__estop *e) {
  sn__estop_ring *ring = (sn__estop_ring *)atomic_exchange(&e->ring, NULL);
  for (size_t i = 0; ring != NULL && i < ring->count; i++) {
    ring->members[i] = ring->members[i] == e ? NULL : ring->members[i];
  }
  if (ring != NULL && atomic_fetch_sub(&ring->user_count, 1) == 1) {
    free(ring);
  }
}

static void raise_to(_Atomic uint64_t *to, uint64_t number) {
  uint64_t now = atomic_load(to);
  while (now < number && !atomic_compare_exchange_weak(to, &now, number)) {
  }
}

uint64_t sn__estop_request_limp(sn__estop *e, const char *who, const char *why) {
  const uint64_t number = sn__estop_request(e, who, why);
  raise_to(&e->limp, number);
  return number;
}

uint64_t sn__estop_number(const sn__estop *e) {
  return atomic_load(&e->requested);
}

/* `released` is read first, so that it never exceeds `requested`. */
uint64_t sn__estop_latched(const sn__estop *e) {
  const uint64_t released = atomic_load(&e->released);
  const uint64_t requested = atomic_load(&e->requested);
  return requested > released ? requested : 0;
}

void sn__estop_release(sn__estop *e, uint64_t number) {
  const uint64_t newest = atomic_load(&e->requested);
  raise_to(&e->released, number < newest ? number : newest);
}

/* ---- gates and actuators ---- */

int sn__estop_register(sn__estop *e, sn__estop_role role, const char *name) {
  for (int i = 0; i < SN__ESTOP_PARTIES; i++) {
    sn__estop_party *party = &e->parties[i];
    int expected = SN__ESTOP_NOBODY;
    if (atomic_compare_exchange_strong(&party->role, &expected, SN__ESTOP_ENTERING)) {
      char text[sizeof party->name] = "";
      (void)sn__text_clean(name, text, sizeof text);
      put_words(party->name, SN__PARTY_NAME_WORDS, text);
      atomic_store(&party->number, 0);
      atomic_store(&party->rest, 0);
      atomic_store(&party->resumed, 0);
      atomic_store(&party->is_limp, false);
      atomic_store(&party->is_frozen, false);
      atomic_store(&party->role, (int)role);
      return i;
    }
  }
  return -1;
}

void sn__estop_unregister(sn__estop *e, int party) {
  if (party >= 0) {
    atomic_store(&e->parties[party].role, SN__ESTOP_NOBODY);
  }
}

void sn__estop_confirm(sn__estop *e, int actuator, uint64_t number, sn__estop_order order) {
  if (actuator >= 0) {
    atomic_store(&e->parties[actuator].is_frozen, order == SN__ORDER_FREEZE);
    raise_to(&e->parties[actuator].number, number);
  }
}

void sn__estop_gate_ack(sn__estop *e, int gate, uint64_t number, bool is_at_rest) {
  if (gate >= 0) {
    atomic_store(&e->parties[gate].rest, is_at_rest ? number : 0);
    raise_to(&e->parties[gate].number, number);
  }
}

void sn__estop_gate_set_limp(sn__estop *e, int gate, bool is_limp) {
  if (gate >= 0) {
    atomic_store(&e->parties[gate].is_limp, is_limp);
  }
}

void sn__estop_gate_resume(sn__estop *e, int gate, uint64_t number) {
  if (gate < 0) {
    return;
  }
  raise_to(&e->parties[gate].resumed, number);
  const uint64_t released = atomic_load(&e->released);
  uint64_t least = number;
  for (int i = 0; i < SN__ESTOP_PARTIES; i++) {
    const sn__estop_party *party = &e->parties[i];
    const uint64_t resumed = atomic_load(&party->resumed);
    if (atomic_load(&party->role) == SN__ESTOP_GATE && atomic_load(&party->number) > released &&
        resumed < least) {
      least = resumed;
    }
  }
  sn__estop_release(e, least);
}

static sn__estop_gates look_at_gate(const sn__estop_party *gate, uint64_t number) {
  const uint64_t rest = atomic_load(&gate->rest);
  if (atomic_load(&gate->number) < number) {
    return SN__GATES_SILENT;
  }
  return rest < number ? SN__GATES_BRAKING : SN__GATES_AT_REST;
}

sn__estop_view sn__estop_look(const sn__estop *e) {
  const uint64_t released = atomic_load(&e->released);
  const uint64_t requested = atomic_load(&e->requested);
  if (requested <= released) {
    return (sn__estop_view){.gates = SN__GATES_NONE};
  }
  sn__estop_view view = {.number = requested, .first = released + 1, .gates = SN__GATES_NONE};
  view.is_limp = view.wants_limp = atomic_load(&e->limp) >= view.first;
  for (int i = 0; i < SN__ESTOP_PARTIES; i++) {
    const sn__estop_party *party = &e->parties[i];
    const int role = atomic_load(&party->role);
    if (role == SN__ESTOP_ACTUATOR && atomic_load(&party->is_frozen)) {
      view.is_frozen = view.is_frozen || atomic_load(&party->number) >= view.first;
    } else if (role == SN__ESTOP_GATE) {
      const sn__estop_gates state = look_at_gate(party, view.first);
      const bool counts = view.gates != SN__GATES_BRAKING && state > view.gates;
      view.gates = counts || state == SN__GATES_BRAKING ? state : view.gates;
      view.is_limp = view.is_limp || atomic_load(&party->is_limp);
    }
  }
  return view;
}

size_t sn__estop_parties(const sn__estop *e, uint64_t number,
                         sn__estop_party_info list[SN__ESTOP_PARTIES]) {
  size_t count = 0;
  for (int i = 0; i < SN__ESTOP_PARTIES; i++) {
    const sn__estop_party *party = &e->parties[i];
    const int role = atomic_load(&party->role);
    if (role != SN__ESTOP_GATE && role != SN__ESTOP_ACTUATOR) {
      continue;
    }
    sn__estop_party_info *info = &list[count++];
    *info = (sn__estop_party_info){.party = i,
                                   .role = (sn__estop_role)role,
                                   .has_obeyed = atomic_load(&party->number) >= number};
    get_words(party->name, SN__PARTY_NAME_WORDS, info->name);
  }
  return count;
}

static bool is_same(const sn__estop_view *a, const sn__estop_view *b) {
  return a->number == b->number && a->first == b->first && a->gates == b->gates &&
         a->is_limp == b->is_limp && a->wants_limp == b->wants_limp && a->is_frozen == b->is_frozen;
}

bool sn__estop_snapshot_update(sn__estop_snapshot *snapshot, const sn__estop *e) {
  const sn__estop_view view = sn__estop_look(e);
  bool has_changed = !is_same(&view, &snapshot->view);
  if (view.first != snapshot->view.first) {
    snapshot->has_text = false;
    snapshot->text = (sn__stop_text){.who = ""};
  }
  snapshot->view = view;
  if (!snapshot->has_text && sn__estop_text(e, view.first, &snapshot->text)) {
    snapshot->has_text = has_changed = true;
  }
  return has_changed;
}

/* ---- the decision of an actuator ---- */

static sn__estop_order decide(const sn__estop_guard *guard, const sn__estop_view *view,
                              int64_t now_ns, int64_t goal_ns) {
  const int64_t fresh_ns = goal_ns > guard->since_ns ? goal_ns : guard->since_ns;
  const bool is_deserted = now_ns - fresh_ns > SN__ESTOP_PATIENCE_NS;
  const bool is_late = now_ns - guard->since_ns > SN__ESTOP_PATIENCE_NS;
  switch (view->gates) {
    case SN__GATES_NONE:
      return SN__ORDER_FREEZE;
    case SN__GATES_SILENT:
      return is_late ? SN__ORDER_FREEZE : SN__ORDER_WAIT;
    case SN__GATES_BRAKING:
      if (is_deserted) {
        return SN__ORDER_FREEZE;
      }
      return goal_ns >= guard->since_ns ? SN__ORDER_FOLLOW : SN__ORDER_WAIT;
    case SN__GATES_AT_REST:
      break;
  }
  return now_ns - guard->moving_ns > SN__ESTOP_PATIENCE_NS ? SN__ORDER_HOLD : SN__ORDER_FOLLOW;
}

sn__estop_order sn__estop_guard_step(sn__estop_guard *guard, const sn__estop_view *view,
                                     int64_t now_ns, int64_t goal_ns) {
  if (view->number == 0) {
    *guard = (sn__estop_guard){.order = SN__ORDER_NONE};
    return SN__ORDER_NONE;
  }
  if (guard->first != view->first) {
    guard->first = view->first;
    guard->since_ns = guard->moving_ns = now_ns;
  }
  if (view->gates != SN__GATES_AT_REST) {
    guard->moving_ns = now_ns;
  }
  if (guard->order < SN__ORDER_HOLD) {
    guard->order = decide(guard, view, now_ns, goal_ns);
  }
  return guard->order;
}
