/* Every state that an arbiter can get into, and every event in each of them: nothing is broken, and
   a second arbiter, written from the text, comes to the same.

   Controllers with the same policy are alike, and so are resources with the same fallback: of all
   states that differ by such names only, one is visited. */
#include "arbiter_oracle.h"
#include "rig.h"

enum { WAIT_NS = 10, ACKNOWLEDGE_NS = 5, ALIKE_MAX = 24 * 24 };

/* Other names for all. */
typedef struct renaming {
  uint8_t controllers[4], resources[4];
} renaming;

/* States in the order they were found, and a hash table over them. */
typedef struct atlas {
  rig rig;
  size_t state_size;
  uint8_t *states; /* [capacity][state_size] */
  size_t count, capacity;
  uint32_t *slots; /* number of the state + 1; 0: empty */
  size_t slot_count;
  size_t transitions;
  int priorities; /* 0 .. priorities-1 */
  bool waits;
  bool needs_time; /* some controller must be asked */
  sn_arbiter_oracle oracle;
  renaming alike[ALIKE_MAX]; /* after which the configuration is the same */
  size_t alike_count;
} atlas;

static size_t hash_bytes(const uint8_t *bytes, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; i++) {
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  }
  return (size_t)(hash ^ hash >> 29);
}

static const uint8_t *state_at(const atlas *a, size_t i) {
  return a->states + i * a->state_size;
}

static void rehash(atlas *a) {
  a->slot_count *= 2;
  free(a->slots);
  a->slots = calloc(a->slot_count, sizeof *a->slots);
  assert_non_null(a->slots);
  for (size_t i = 0; i < a->count; i++) {
    size_t at = hash_bytes(state_at(a, i), a->state_size) % a->slot_count;
    while (a->slots[at] != 0) {
      at = (at + 1) % a->slot_count;
    }
    a->slots[at] = (uint32_t)i + 1;
  }
}

static size_t controller_count(const atlas *a) {
  return sn_names_count(a->rig.config.controllers);
}

static size_t resource_count(const atlas *a) {
  return sn_names_count(a->rig.config.resources);
}

static bool changes_nothing(const atlas *a, const renaming *n) {
  for (size_t c = 0; c < controller_count(a); c++) {
    const sn_arbiter_controller *before = &a->rig.policies[c];
    const sn_arbiter_controller *after = &a->rig.policies[n->controllers[c]];
    if (before->keep_subset != after->keep_subset ||
        before->acknowledge_ns != after->acknowledge_ns) {
      return false;
    }
  }
  for (size_t r = 0; r < resource_count(a); r++) {
    const int before = a->rig.fallbacks[r];
    const int after = a->rig.fallbacks[n->resources[r]];
    if (after != (before < 0 ? before : n->controllers[before])) {
      return false;
    }
  }
  return true;
}

/* The next order of numbers; false: this was the last one. */
static bool next_order(uint8_t *order, size_t count) {
  for (size_t i = count - 1; i > 0; i--) {
    if (order[i - 1] < order[i]) {
      size_t j = count - 1;
      while (order[j] < order[i - 1]) {
        j--;
      }
      const uint8_t swapped = order[i - 1];
      order[i - 1] = order[j];
      order[j] = swapped;
      for (size_t k = count - 1; i < k; i++, k--) {
        const uint8_t turned = order[i];
        order[i] = order[k];
        order[k] = turned;
      }
      return true;
    }
  }
  return false;
}

static void find_alike(atlas *a) {
  renaming n = {{0, 1, 2, 3}, {0, 1, 2, 3}};
  do {
    for (size_t r = 0; r < 4; r++) {
      n.resources[r] = (uint8_t)r;
    }
    do {
      if (changes_nothing(a, &n)) {
        a->alike[a->alike_count++] = n;
      }
    } while (next_order(n.resources, resource_count(a)));
  } while (next_order(n.controllers, controller_count(a)));
}

/* The present state, by the names that come first. */
static void save(atlas *a, uint8_t bytes[SN_ARBITER_STATE_SIZE]) {
  uint8_t present[SN_ARBITER_STATE_SIZE];
  uint8_t renamed[SN_ARBITER_STATE_SIZE] = {0};
  a->state_size = sn_arbiter_state_save(a->rig.arbiter, present);
  memcpy(bytes, present, sizeof present);
  for (size_t i = 1; i < a->alike_count; i++) { /* the first is the identity */
    const renaming *n = &a->alike[i];
    sn_arbiter_state_rename(present, n->controllers, controller_count(a), n->resources,
                            resource_count(a), renamed);
    if (memcmp(renamed, bytes, a->state_size) < 0) {
      memcpy(bytes, renamed, a->state_size);
    }
  }
}

/* Remember the present state, if it is new. */
static void visit(atlas *a) {
  uint8_t bytes[SN_ARBITER_STATE_SIZE];
  save(a, bytes);
  size_t at = hash_bytes(bytes, a->state_size) % a->slot_count;
  while (a->slots[at] != 0) {
    if (memcmp(state_at(a, a->slots[at] - 1), bytes, a->state_size) == 0) {
      return;
    }
    at = (at + 1) % a->slot_count;
  }
  if (a->count == a->capacity) {
    a->capacity *= 2;
    a->states = realloc(a->states, a->capacity * SN_ARBITER_STATE_SIZE);
    assert_non_null(a->states);
  }
  memcpy(a->states + a->count * a->state_size, bytes, a->state_size);
  a->slots[at] = (uint32_t)++a->count;
  if (2 * a->count > a->slot_count) {
    rehash(a);
  }
}

/* One event has happened, here and there: nothing is broken, both are in the same state, and
   every affected controller gets an action. */
static void arrive(atlas *a, size_t from) {
  const char *broken = sn_arbiter_broken(a->rig.arbiter);
  if (broken == NULL) {
    broken = sn_arbiter_oracle_differs(&a->oracle, a->rig.arbiter);
  }
  if (broken != NULL) {
    fail_msg("from state %zu: %s", from, broken);
  }
  rig_drain(&a->rig);
  a->transitions++;
  visit(a);
}

static void depart(atlas *a, size_t from) {
  sn_arbiter_state_load(a->rig.arbiter, state_at(a, from), WAIT_NS);
  sn_arbiter_oracle_load(&a->oracle, a->rig.arbiter);
}

/* A refusal leaves no trace, a grant is complete. */
static void explore_request(atlas *a, size_t from, int controller, const sn_arbiter_claim *claim) {
  depart(a, from);
  sn_arbiter_action answer;
  const sn_resource_set before = sn__arbiter_owned(a->rig.arbiter, controller);
  const bool had_waited = sn__arbiter_waiting(a->rig.arbiter, controller, NULL);
  const sn_arbiter_answer result =
      sn__arbiter_request(a->rig.arbiter, controller, claim, 0, &answer);
  const sn_resource_set after = sn__arbiter_owned(a->rig.arbiter, controller);
  assert_int_equal(result, sn_arbiter_oracle_request(
                               &a->oracle, controller, (uint32_t)rig_mask(claim->resources),
                               claim->priority, claim->wait_ns, claim->request_id, 0));
  if (result == SN_ARBITER_GRANTED) {
    assert_true(sn_resource_set_includes(&after, &claim->resources));
    const sn_resource_set more = sn_resource_set_without(after, claim->resources);
    assert_true(sn_resource_set_is_empty(&more) || a->rig.fallbacks[0] == controller);
  } else if (result == SN_ARBITER_REFUSED || result == SN_ARBITER_INVALID) {
    uint8_t bytes[SN_ARBITER_STATE_SIZE];
    save(a, bytes);
    assert_memory_equal(bytes, state_at(a, from), a->state_size);
  } else if (!had_waited && claim->priority == a->priorities - 1) {
    /* What is held stays held until the answer, unless the request lowers the priority, or gives up
       an earlier one that protected it. */
    assert_true(sn_resource_set_includes(&after, &before));
  }
  arrive(a, from);
}

static void explore_requests(atlas *a, size_t from, int controller) {
  const uint64_t resource_sets = (uint64_t)1 << resource_count(a);
  for (uint64_t mask = 0; mask < resource_sets; mask++) {
    const int32_t priorities = mask == 0 ? 1 : a->priorities; /* to release needs none */
    for (int32_t priority = 0; priority < priorities; priority++) {
      for (int wait = 0; wait <= (a->waits ? 1 : 0); wait++) {
        const sn_arbiter_claim claim = {
            .resources = rig_set(mask), .priority = priority, .wait_ns = wait * WAIT_NS};
        explore_request(a, from, controller, &claim);
      }
    }
    const sn_resource_set set = rig_set(mask);
    depart(a, from);
    sn__arbiter_disown(a->rig.arbiter, controller, &set, 0);
    sn_arbiter_oracle_disown(&a->oracle, controller, (uint32_t)mask, 0);
    assert_int_equal(rig_owned(&a->rig, controller) & mask, 0);
    arrive(a, from);
    for (int32_t priority = 0; priority < a->priorities; priority++) {
      depart(a, from);
      sn__arbiter_want(a->rig.arbiter, controller, &set, priority, 0);
      sn_arbiter_oracle_want(&a->oracle, controller, (uint32_t)mask, priority, 0);
      arrive(a, from);
    }
    if (a->rig.policies[controller].acknowledge_ns > 0) {
      depart(a, from);
      sn__arbiter_acknowledge(a->rig.arbiter, controller, &set, 0);
      sn_arbiter_oracle_acknowledge(&a->oracle, controller, (uint32_t)mask, 0);
      arrive(a, from);
    }
  }
}

static void explore_failures(atlas *a, size_t from, int controller) {
  for (int why = SN_ARBITER_DIED; why <= SN_ARBITER_HUNG; why++) {
    depart(a, from);
    sn__arbiter_fail(a->rig.arbiter, controller, (sn_arbiter_why)why, 0);
    sn_arbiter_oracle_fail(&a->oracle, controller, why == SN_ARBITER_DIED, 0);
    assert_false(sn__arbiter_waiting(a->rig.arbiter, controller, NULL));
    const sn_resource_set wanted = sn__arbiter_wanted(a->rig.arbiter, controller);
    assert_true(sn_resource_set_is_empty(&wanted));
    arrive(a, from);
  }
  depart(a, from);
  sn__arbiter_connect(a->rig.arbiter, controller, 0);
  sn_arbiter_oracle_connect(&a->oracle, controller, 0);
  arrive(a, from);
}

/* Time ends every wait, every hand-over and every question. */
static void explore_time(atlas *a, size_t from) {
  depart(a, from);
  for (int64_t now_ns = 1000; now_ns <= 4000; now_ns += 1000) {
    /* More than once: what the first one granted may have led to questions. */
    sn__arbiter_tick(a->rig.arbiter, now_ns);
    sn_arbiter_oracle_tick(&a->oracle, now_ns);
  }
  assert_true(sn__arbiter_deadline_ns(a->rig.arbiter) == SN_ARBITER_FOREVER);
  for (int c = 0; c < (int)controller_count(a); c++) {
    assert_false(sn__arbiter_waiting(a->rig.arbiter, c, NULL));
  }
  arrive(a, from);
}

static void explore(atlas *a, const char *what) {
  a->capacity = 1024;
  a->slot_count = 4096;
  a->states = malloc(a->capacity * SN_ARBITER_STATE_SIZE);
  a->slots = calloc(a->slot_count, sizeof *a->slots);
  assert_true(a->states != NULL && a->slots != NULL);
  rig_open(&a->rig);
  sn_arbiter_oracle_init(&a->oracle, &a->rig.config);
  find_alike(a);
  visit(a);
  for (size_t from = 0; from < a->count; from++) {
    for (int c = 0; c < (int)controller_count(a); c++) {
      explore_requests(a, from, c);
      explore_failures(a, from, c);
    }
    explore_time(a, from);
  }
  print_message("%s: %zu states (each by up to %zu names), %zu transitions\n", what, a->count,
                a->alike_count, a->transitions);
  assert_true(a->count > 20);
  free(a->states);
  free(a->slots);
  rig_close(&a->rig);
}

/* What an arbiter is made of. Masks: bit c is controller c. */
typedef struct plan {
  size_t controllers, resources;
  int priorities;
  bool waits;
  unsigned keep_subset, acknowledge;
  bool fallback; /* of the first resource: the first controller */
} plan;

static void explore_plan(const plan *p) {
  atlas a = {.priorities = p->priorities, .waits = p->waits, .needs_time = p->acknowledge != 0};
  rig_init(&a.rig, p->controllers, p->resources);
  for (size_t c = 0; c < p->controllers; c++) {
    a.rig.policies[c].keep_subset = (p->keep_subset >> c & 1) != 0;
    a.rig.policies[c].acknowledge_ns = (p->acknowledge >> c & 1) != 0 ? ACKNOWLEDGE_NS : 0;
  }
  a.rig.fallbacks[0] = p->fallback ? 0 : NONE;
  char what[128];
  snprintf(what, sizeof what, "%zu x %zu, %d priorities%s%s, keep subset %x, acknowledge %x",
           p->controllers, p->resources, p->priorities, p->waits ? ", waiting" : "",
           p->fallback ? ", fallback" : "", p->keep_subset, p->acknowledge);
  explore(&a, what);
}

/* Controllers are alike but for their policy, so only the number of each kind matters. */
SN_TEST(no_state_of_three_controllers_and_three_resources_is_broken) {
  for (unsigned keeping = 0; keeping <= 7; keeping = 2 * keeping + 1) {
    explore_plan(&(plan){3, 3, 2, false, keeping, 0, keeping == 1});
  }
}

SN_TEST(no_state_with_waiting_requests_is_broken) {
  explore_plan(&(plan){3, 2, 2, true, 1, 0, false});
  explore_plan(&(plan){3, 3, 2, true, 0, 0, false});
}

SN_TEST(no_state_with_acknowledgements_is_broken) {
  static const plan plans[] = {
      {2, 2, 2, true, 1, 1, false}, {2, 2, 2, true, 1, 3, true},   {2, 2, 2, true, 0, 3, false},
      {3, 2, 2, false, 1, 1, true}, {3, 2, 2, false, 3, 6, false},
  };
  for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
    explore_plan(&plans[i]);
  }
}

/* Minutes: by SINEW_TEST_SCALE only. With as many priorities as controllers there is every order of
   them. */
SN_TEST(no_state_of_larger_arbiters_is_broken) {
  if (sn_test_cases(1) == 1) {
    skip();
  }
  static const plan plans[] = {
      {3, 3, 2, true, 1, 0, false}, {3, 3, 2, true, 3, 0, false}, {3, 3, 2, true, 7, 0, false},
      {3, 3, 3, false, 7, 0, true}, {3, 3, 3, true, 0, 0, false}, {3, 3, 3, true, 1, 0, false},
      {3, 3, 3, true, 3, 0, false}, {3, 3, 3, true, 7, 0, false}, {3, 3, 2, false, 3, 3, true},
      {2, 2, 2, true, 3, 3, false}, {3, 2, 2, true, 1, 1, false},
  };
  for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
    explore_plan(&plans[i]);
  }
}
