/* Which source says how much weight a chain bears: random owners and messages, compared with a
 * table. */
#include "gate/supports.h"
#include "robot.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { CHAINS = 4, SOURCES = 3, JOINTS_MAX = 16 };

/* The last two have no joint of their own. */
static const char properties[] =
    "kinematics_chains:\n"
    "  left: {first_link: base, last_link: l_hand, last_link_virtual: l_virtual, default_contact: "
    "palm}\n"
    "  right: {first_link: base, last_link: r2}\n"
    "  short: {first_link: base, last_link: l2, default_contact: tip}\n"
    "  trunk: {first_link: base, last_link: trunk}\n"
    "contacts:\n"
    "  tip: {points: [[0, 0, 0.5]]}\n"
    "  palm: {points: [[0, 0, 0], [0, 1, 0], [1, 0, 0]]}\n";

static const char *const chains[CHAINS] = {"left", "right", "short", "trunk"};
static const char *const defaults[CHAINS] = {"palm", "", "tip", ""};
/* Joints that count, from the text of sn_test_torso. */
static const char *const joints_of[CHAINS][5] = {
    {"waist", "l_shoulder", "l_elbow", "l_virtual_joint"},
    {"r_shoulder", "r_elbow"},
    {"waist", "l_shoulder", "l_elbow"},
    {"waist"}};

typedef struct bench {
  sn_test_robot robot;
  sn_arena arena;
  sn__supports *supports;
  sn_support_state *in, *out;
  sn_random random;
  int owner[CHAINS], former[CHAINS][2];
  double value[CHAINS];
  const char *contact[CHAINS];
} bench;

static uint64_t below(bench *b, uint64_t count) {
  return sn_random_below(&b->random, count);
}

static void bench_open(bench *b, uint64_t seed) {
  memset(b, 0, sizeof *b);
  sn_random_init(&b->random, seed);
  sn_test_robot_init_good(&b->robot, sn_test_torso, properties);
  sn_arena_init_growing(&b->arena, "supports", 0);
  b->supports = sn__supports_create(&b->arena, b->robot.model);
  assert_non_null(b->supports);
  b->in = sn_msg_create(&b->arena, &sn_support_state_type, NULL);
  b->out = sn_msg_create(&b->arena, &sn_support_state_type, NULL);
  for (int i = 0; i < CHAINS; i++) {
    b->owner[i] = b->former[i][0] = b->former[i][1] = -1;
    b->contact[i] = defaults[i];
  }
}

static void bench_close(bench *b) {
  sn_arena_release(&b->arena);
  sn_test_robot_free(&b->robot);
}

static int owner_of(const bench *b, int chain, const int *owners) {
  const sn_names *names = sn_model_joint_names(b->robot.model);
  const int first = owners[sn_names_index(names, joints_of[chain][0])];
  for (int i = 1; joints_of[chain][i] != NULL; i++) {
    if (owners[sn_names_index(names, joints_of[chain][i])] != first) {
      return -1;
    }
  }
  return first;
}

static void own(bench *b) {
  int owners[JOINTS_MAX];
  const int usual = (int)below(b, SOURCES);
  for (int i = 0; i < JOINTS_MAX; i++) {
    owners[i] = below(b, 8) == 0 ? (int)below(b, SOURCES + 1) - 1 : usual;
  }
  sn__supports_own(b->supports, owners);
  for (int i = 0; i < CHAINS; i++) {
    const int now = owner_of(b, i, owners);
    if (now != b->owner[i]) {
      b->former[i][1] = b->former[i][0];
      b->former[i][0] = b->owner[i];
      b->owner[i] = now;
      b->value[i] = 0.0;
      b->contact[i] = defaults[i];
    }
  }
}

/* One chain of a message. */
static sn_gate_reason take_one(bench *b, int source, int chain, double value, const char *contact) {
  if (b->owner[chain] != source) {
    for (int k = 0; k < 2; k++) {
      if (b->former[chain][k] == source) {
        b->former[chain][k] = -1;
        return SN_GATE_REASON_COUNT;
      }
    }
    return SN_GATE_NOT_OWNER;
  }
  if (strcmp(contact, "knee") == 0) {
    return SN_GATE_UNKNOWN;
  }
  b->contact[chain] = *contact == '\0' ? defaults[chain] : contact;
  b->value[chain] = fmin(1.0, fmax(0.0, value));
  return b->value[chain] == value ? SN_GATE_REASON_COUNT : SN_GATE_CLAMPED;
}

static void add(sn_msg_names *names, const char *text) {
  assert_int_equal(sn_msg_names_add(names, text, strlen(text)), SN_OK);
}

static void take(bench *b) {
  static const char *const contacts[] = {"", "tip", "palm", "knee"};
  const int source = (int)below(b, SOURCES);
  const bool has_contacts = below(b, 2) == 0, is_strange = below(b, 8) == 0;
  sn_gate_reason expected = SN_GATE_REASON_COUNT;
  int refused = -1;
  sn_msg_reset(&sn_support_state_type, b->in);
  for (int i = 0; i < CHAINS; i++) {
    const char *contact = has_contacts ? contacts[below(b, below(b, 4) == 0 ? 4 : 3)] : "";
    const double value = sn_random_between(&b->random, -0.2, 1.2);
    if (below(b, 3) == 0) {
      continue;
    }
    add(&b->in->name, chains[i]);
    if (has_contacts) {
      add(&b->in->contact, contact);
    }
    b->in->support.data[b->in->support.count++] = value;
    const sn_gate_reason one = take_one(b, source, i, value, contact);
    if (one != SN_GATE_REASON_COUNT) {
      expected = one;
      refused = i;
    }
  }
  if (is_strange) {
    add(&b->in->name, "wing");
    if (has_contacts) {
      add(&b->in->contact, "");
    }
    b->in->support.data[b->in->support.count++] = 0.5;
    expected = expected == SN_GATE_REASON_COUNT ? SN_GATE_UNKNOWN : expected;
  }
  int chain = 100;
  assert_int_equal(sn__supports_take(b->supports, source, b->in, &chain), expected);
  assert_int_equal(chain, refused);
}

static void compare(bench *b) {
  assert_int_equal(sn__supports_write(b->supports, b->out), SN_OK);
  assert_int_equal(b->out->name.count, CHAINS);
  assert_int_equal(b->out->contact.count, CHAINS);
  assert_int_equal(b->out->support.count, CHAINS);
  for (size_t i = 0; i < CHAINS; i++) {
    assert_string_equal(sn_msg_names_at(&b->out->name, i), chains[i]);
    assert_string_equal(sn_msg_names_at(&b->out->contact, i), b->contact[i]);
    assert_true(b->out->support.data[i] == b->value[i]);
  }
}

SN_TEST(a_chain_bears_what_the_source_that_owns_all_its_joints_says) {
  static bench b;
  for (uint64_t seed = 0; seed < sn_test_cases(20); seed++) {
    bench_open(&b, sn_test_seed(0) + seed);
    compare(&b);
    for (int i = 0; i < 1000; i++) {
      if (below(&b, 6) == 0) {
        own(&b);
      } else {
        take(&b);
      }
      compare(&b);
    }
    bench_close(&b);
  }
}

static sn_gate_reason take_as_it_is(bench *b, int *chain) {
  *chain = 100;
  return sn__supports_take(b->supports, 0, b->in, chain);
}

SN_TEST(malformed_messages_about_supports_are_refused_whole) {
  static bench b;
  int chain = 0;
  const int owners[JOINTS_MAX] = {0};
  bench_open(&b, 0);
  sn__supports_own(b.supports, owners);
  add(&b.in->name, "left");
  add(&b.in->name, "right");
  b.in->support.count = 1;
  assert_int_equal(take_as_it_is(&b, &chain), SN_GATE_LENGTHS);
  b.in->support.count = 2;
  add(&b.in->contact, "tip");
  assert_int_equal(take_as_it_is(&b, &chain), SN_GATE_LENGTHS); /* one contact for two chains */
  assert_int_equal(chain, -1);
  add(&b.in->contact, "tip");
  b.in->support.data[0] = 1.0;
  b.in->support.data[1] = NAN;
  assert_int_equal(take_as_it_is(&b, &chain), SN_GATE_NOT_FINITE);
  assert_int_equal(chain, 1);
  b.in->support.data[1] = 1.0;
  add(&b.in->name, "left");
  add(&b.in->contact, "tip");
  b.in->support.data[b.in->support.count++] = 1.0;
  assert_int_equal(take_as_it_is(&b, &chain), SN_GATE_DUPLICATE);
  for (int i = 0; i < CHAINS; i++) {
    b.contact[i] = defaults[i];
  }
  compare(&b);
  b.out->support.capacity = CHAINS - 1;
  assert_int_equal(sn__supports_write(b.supports, b.out), SN_ENOSPC);
  b.out->support.capacity = CHAINS;
  assert_int_equal(sn__supports_write(b.supports, b.out), SN_OK);
  bench_close(&b);
}

SN_TEST(supports_need_memory) {
  static bench b;
  static _Alignas(16) unsigned char memory[4096];
  bench_open(&b, 0);
  size_t size = 0;
  for (bool is_there = false; !is_there; size += 8) {
    sn_arena arena;
    assert_true(size <= sizeof memory);
    sn_arena_init(&arena, "little", memory, size);
    is_there = sn__supports_create(&arena, b.robot.model) != NULL;
  }
  assert_true(size > 100);
  bench_close(&b);
}
