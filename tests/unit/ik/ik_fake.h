/** @file
 *  For tests of the IK interface: a small robot, and a solver that offers what the test sets and
 * records the queries. */
#ifndef IK_FAKE_H
#define IK_FAKE_H

#include "sinew/ik.h"
#include "sinew/kin.h"
#include "sn_test.h"

/* base -turn(z)-> a -slide(x)-> b -spin(y, continuous)-> c -fixed-> tip
   beside: a -follow(z, mimics turn)-> d -bend(x)-> side (second tip); root -lift-> base */
#define FAKE_LIMIT(lower, upper) \
  "<limit lower='" lower "' upper='" upper "' effort='1' velocity='1'/>"
#define FAKE_JOINT(name, type, parent, child, xyz, axis, extra)                           \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child \
  "'/><origin xyz='" xyz "' rpy='0.1 0.2 0.3'/><axis xyz='" axis "'/>" extra "</joint>"
static const char fake_urdf[] =
    "<robot name='fake'><link name='root'/><link name='base'/><link name='a'/><link name='b'/>"
    "<link name='c'/><link name='tip'/><link name='d'/><link name='side'/><link name='free'/>"
    "<link name='below'/><link name='f'/>" /* */
    FAKE_JOINT("lift", "prismatic", "root", "base", "0 0 1", "0 0 1",
               FAKE_LIMIT("0", "2")) FAKE_JOINT("turn", "revolute", "base", "a", "0.1 0 0", "0 0 1",
                                                FAKE_LIMIT("-4", "6"))
        FAKE_JOINT("slide", "prismatic", "a", "b", "0.2 0 0", "1 0 0",
                   FAKE_LIMIT("-0.5", "0.5")) FAKE_JOINT("spin", "continuous", "b", "c",
                                                         "0.3 0 0.1", "0 1 0", "")
            FAKE_JOINT("flange", "fixed", "c", "tip", "0 0 0.2", "0 0 1", "") FAKE_JOINT(
                "follow", "revolute", "a", "d", "0 0.2 0", "0 0 1",
                FAKE_LIMIT("-1", "1") "<mimic joint='turn' multiplier='0.5' offset='0.1'/>")
                FAKE_JOINT("bend", "revolute", "d", "side", "0 0.3 0", "1 0 0",
                           FAKE_LIMIT("-2", "2"))
                    FAKE_JOINT("fly", "floating", "root", "free", "0 0 0", "0 0 1", "") FAKE_JOINT(
                        "wag", "revolute", "free", "below", "0 0 0", "0 0 1", FAKE_LIMIT("-1", "1"))
                        FAKE_JOINT(
                            "echo", "revolute", "b", "f", "0 0 0", "0 0 1",
                            FAKE_LIMIT(
                                "-9",
                                "9") "<mimic joint='lift' multiplier='2' offset='0'/>") "</robot>";

enum { FAKE_ROWS = 16, FAKE_JOINTS = 8 };

/** What the solver is to do, and what it saw. */
typedef struct fake_script {
  double offers[FAKE_ROWS][FAKE_JOINTS];
  size_t offer_count;
  sn_ik_code code;                         /**< to return after all offers; 0 means SN_IK_OK */
  const double *approximate;               /**< to report, with error 0.125; NULL for none */
  bool (*reply)(const sn_ik_query *query); /**< called instead of the offers, if not NULL */
  sn_clock *tick;                          /**< advanced by tick_ns in each call, if not NULL */
  int64_t tick_ns;

  size_t call_count;
  size_t joint_count;
  sn_ik_query query; /**< the last one; its pointers are dead */
  double seeds[4096][FAKE_JOINTS];
  double lower[FAKE_JOINTS], upper[FAKE_JOINTS];
  bool locked[FAKE_JOINTS];
  sn_pose target; /**< of the first tip */
  double unit;    /**< first number from the random generator */
} fake_script;

static fake_script fake; /* the ABI gives create() no argument of the user's */

static inline bool fake_supports(const sn_ik_setup *setup, char *reason, size_t size) {
  if (setup->tip_count > 2) {
    snprintf(reason, size, "%zu tips are more than it can count to", setup->tip_count);
    return false;
  }
  return true;
}

static inline sn_status fake_create(sn_arena *arena, const sn_ik_setup *setup, void **state,
                                    sn_error *err) {
  (void)arena;
  (void)err;
  fake.joint_count = setup->joint_count;
  *state = &fake;
  return SN_OK;
}

static inline void fake_note(const sn_ik_query *query) {
  const size_t n = fake.joint_count;
  fake.query = *query;
  if (fake.call_count < sizeof fake.seeds / sizeof fake.seeds[0]) {
    memcpy(fake.seeds[fake.call_count], query->seed, n * sizeof(double));
  }
  memcpy(fake.lower, query->lower, n * sizeof(double));
  memcpy(fake.upper, query->upper, n * sizeof(double));
  memset(fake.locked, 0, sizeof fake.locked);
  if (query->locked != NULL) {
    memcpy(fake.locked, query->locked, n * sizeof(bool));
  }
  fake.target = query->targets[0];
  fake.unit = sn_random_unit(query->random);
  fake.call_count++;
}

static inline sn_ik_code fake_solve(void *state, const sn_ik_query *query) {
  assert_ptr_equal(state, &fake);
  fake_note(query);
  if (fake.tick != NULL) {
    sn_clock_advance(fake.tick, fake.tick_ns);
  }
  if (fake.reply != NULL) {
    return fake.reply(query) ? SN_IK_OK : SN_IK_NO_SOLUTION;
  }
  if (fake.approximate != NULL && query->approximate != NULL) {
    memcpy(query->approximate, fake.approximate, fake.joint_count * sizeof(double));
    *query->approximate_error = 0.125;
  }
  for (size_t i = 0; i < fake.offer_count; i++) {
    if (!query->offer(query->context, fake.offers[i])) {
      return SN_IK_OK;
    }
  }
  return fake.code == 0 ? SN_IK_OK : fake.code;
}

static inline const char *fake_describe(const void *state) {
  (void)state;
  return "offers what the test sets";
}

static const sn_ik_solver fake_solver = {.abi = SN_IK_ABI,
                                         .name = "fake",
                                         .description = "for tests",
                                         .supports = fake_supports,
                                         .create = fake_create,
                                         .solve = fake_solve,
                                         .describe = fake_describe};

/** Everything a test needs; created for each test. */
typedef struct fake_world {
  sn_arena arena;
  const sn_model *model;
  sn_ik_registry registry;
  sn_clock clock;
  sn_ik_config config; /**< base to tip, fake solver, simulated clock */
  sn_ik *ik;
  sn_error err;
} fake_world;

static fake_world world;

static const char *const fake_tip[] = {"tip"};
static const char *const fake_tips[] = {"tip", "side"};

static inline int world_setup(void **state) {
  (void)state;
  memset(&fake, 0, sizeof fake);
  memset(&world, 0, sizeof world);
  sn_arena_init_growing(&world.arena, "world", 1u << 16);
  const sn_status status = sn_model_parse(&world.arena, fake_urdf, sizeof fake_urdf - 1, NULL, NULL,
                                          &world.model, &world.err);
  if (status != SN_OK) {
    print_error("%s\n", world.err.message);
    return -1;
  }
  sn_ik_registry_init(&world.registry);
  sn_clock_init_simulated(&world.clock, 1000);
  world.config = (sn_ik_config){.registry = &world.registry,
                                .solver = "fake",
                                .base_frame = "base",
                                .tip_frames = fake_tip,
                                .tip_count = 1,
                                .clock = &world.clock};
  return sn_ik_registry_add(&world.registry, &fake_solver, NULL);
}

static inline int world_teardown(void **state) {
  (void)state;
  sn_arena_release(&world.arena);
  return 0;
}

/** Create world.ik; the arena is sealed, so that a query that allocates is a fault. */
static inline void world_create(void) {
  if (sn_ik_create(&world.arena, world.model, &world.config, &world.ik, &world.err) != SN_OK) {
    fail_msg("%s", world.err.message);
  }
  sn_arena_seal(&world.arena);
}

/** sn_ik_create() fails with this status and a message that contains the text. */
static inline void assert_create_fails(sn_status status, const char *text) {
  sn_ik *ik = NULL;
  const size_t used = sn_arena_used(&world.arena);
  assert_int_equal(sn_ik_create(&world.arena, world.model, &world.config, &ik, &world.err), status);
  sn_assert_contains(world.err.message, text);
  assert_null(ik);
  assert_int_equal(sn_arena_used(&world.arena), used);
}

/** The last query of world.ik explains itself with this text. */
static inline void assert_explains(const char *text) {
  char reason[256];
  sn_ik_explain(world.ik, reason, sizeof reason);
  sn_assert_contains(reason, text);
}

/** Where a tip is, by the kernel of kinematics. */
static inline sn_pose tip_at(const char *tip, const double *q) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "chain", 1u << 14);
  const sn_chain *chain = NULL;
  assert_int_equal(sn_chain_create(&arena, world.model, "base", tip, &chain, NULL), SN_OK);
  const sn_pose pose = sn_chain_fk(chain, q);
  sn_arena_release(&arena);
  return pose;
}

static inline void fake_offer(const double *q, size_t count) {
  memcpy(fake.offers[fake.offer_count++], q, count * sizeof *q);
}

#endif
