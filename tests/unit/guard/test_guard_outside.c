/* What a gate makes of its guard and of its checker, and the memory of both. */
#include "collision/objects.h"
#include "gate/gate_internal.h"
#include "guard/guard_internal.h"
#include "sn_test.h"
#include "two_balls.h"

SN_TEST(a_gate_without_a_guard_answers_as_if_all_was_free) {
  guard_rig rig;
  guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){0}, &QUICK);
  const double from[2] = {0.0, 0.0}, to[2] = {1.4, -1.4};
  sn__guard_block block = {.pair = 77};
  bool is_free = true;
  assert_true(sn__gate_follow(rig.guarded, from, to, &block, &is_free) < 1.0);
  assert_false(is_free);
  block.pair = 77;
  sn__gate_set_guarded(rig.guarded, false);
  sn_gate *gates[2] = {rig.guarded, rig.plain};
  for (size_t i = 0; i < 2; i++) {
    is_free = false;
    assert_true(sn__gate_follow(gates[i], from, to, &block, &is_free) == 1.0);
    assert_true(is_free);
    assert_int_equal(block.pair, 77);
  }
  assert_true(sn__gate_collision_margin(rig.guarded) == 0.01);
  assert_true(sn__gate_collision_margin(rig.plain) == 0.0);
  sn__gate_set_guarded(rig.plain, true); /* there is nothing to switch on */
  sn__gate_set_base(rig.plain, sn_pose_identity());
  assert_non_null(sn__gate_step(rig.plain, rig.now_ns));
  guard_rig_close(&rig);
}

/* The period that one step may cover is that of the gate. */
SN_TEST(guard_knows_the_longest_period_and_the_limits_of_the_gate) {
  guard_rig rig;
  guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){0}, &QUICK);
  const sn__guard *guard = rig.guarded->guard.guard;
  sn_assert_near(guard->lag_s, 0.5 * 0.002, 1e-15);
  for (size_t i = 0; i < 2; i++) {
    sn_assert_near(guard->limits[i].accel, 30.0, 1e-12);
    sn_assert_near(guard->limits[i].brake, 30.0, 1e-12);
  }
  guard_rig_close(&rig);
}

/* A robot on the move: the ball is carried to an object, and keeps away from it. */
SN_TEST(a_base_that_moves_brings_objects_nearer) {
  guard_rig rig;
  const sn__collision_config config = {.object_capacity = 1, .root_floats = true};
  guard_rig_open_text(&rig, TWO_BALLS, &config, &QUICK);
  sn__object wall = {.name = "wall", .pose = sn_pose_identity()};
  sn_error err = {0};
  wall.pose.pos = sn_vec3_make(3.0, 0, 0);
  assert_int_equal(sn__object_shape("box", (double[3]){2, 4, 4}, 3, NULL, 0, &wall, &err), SN_OK);
  assert_int_equal(sn__collision_add_object(rig.collision, &wall, &err), SN_OK);
  sn__gate_world_changed(rig.guarded);
  /* The right ball is at x = 0.5 + 0.8 sin(b), the wall begins at 2. */
  sn_pose base = sn_pose_identity();
  base.pos.x = 2.0 - 0.5 - 0.1 - 0.005;
  (void)go(&rig, (double[2]){0.0, 0.0}, 10);
  sn__gate_set_base(rig.guarded, base); /* 5 mm are left, less than the margin */
  const double *q = sn__gate_pose(rig.guarded);
  const uint64_t before = sn__gate_blocked_count(rig.guarded);
  (void)go(&rig, (double[2]){0.0, -0.5}, 5); /* the way out is open */
  assert_int_equal(sn__gate_blocked_count(rig.guarded), before);
  (void)go(&rig, (double[2]){0.0, 0.5}, 500);
  assert_true(q[1] < 1e-6 && q[1] > -0.01);
  assert_true(sn__gate_blocked_count(rig.guarded) > before);
  base.pos.x -= 0.1;
  sn__gate_set_base(rig.guarded, base); /* 105 mm: 95 of them are free */
  (void)go(&rig, (double[2]){0.0, 0.5}, 1500);
  sn_assert_near(0.8 * sin(q[1]), 0.095, 1e-3);
  sn__gate_set_guarded(rig.guarded, false);
  sn__gate_set_base(rig.guarded, sn_pose_identity());
  (void)go(&rig, (double[2]){0.0, 0.5}, 1500);
  sn_assert_near(q[1], 0.5, 1e-9);
  guard_rig_close(&rig);
}

/* ---- creation ---- */

static bool is_apart(const void *a, size_t size_a, const void *b, size_t size_b) {
  const unsigned char *from_a = a, *from_b = b;
  return from_a + size_a <= from_b || from_b + size_b <= from_a;
}

SN_TEST(a_gate_with_a_guard_needs_all_of_its_memory) {
  static _Alignas(16) unsigned char memory[1 << 16];
  guard_rig rig;
  guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){0}, &QUICK);
  sn_gate *gate = NULL;
  sn_gate_config config = rig.config;
  config.collision = rig.collision;
  for (size_t size = 0; gate == NULL; size += 8) {
    sn_arena arena;
    sn_error err = {.message = ""};
    assert_true(size <= sizeof memory);
    sn_arena_init(&arena, "little", memory, size);
    const sn_status status = sn__gate_create(&arena, rig.model, &config, &gate, &err);
    assert_int_equal(gate != NULL, status == SN_OK);
    assert_true(gate == NULL || gate->guard.is_on);
    assert_true(gate != NULL || (status == SN_ENOMEM && sn_arena_used(&arena) == 0));
  }
  /* Its lists have room for all joints, and share none of it. */
  const sn__gate_guard *g = &gate->guard;
  const double *const lists[] = {g->from_qd,      g->wanted_q,     g->wanted_qd, g->brake_q,
                                 g->brake_qd,     gate->q,         gate->qd,     gate->qdd,
                                 g->guard->still, g->guard->q,     g->guard->qd, g->guard->probe,
                                 g->guard->share, g->guard->slope, gate->tau};
  enum { LISTS = sizeof lists / sizeof *lists, SIZE = 2 * sizeof(double) };
  for (size_t i = 0; i < LISTS; i++) {
    assert_true((const unsigned char *)lists[i] >= memory);
    assert_true(is_apart(lists[i], SIZE, g->before, 2 * sizeof *g->before));
    assert_true(is_apart(lists[i], SIZE, gate->joints, 2 * sizeof *gate->joints));
    assert_true(is_apart(lists[i], SIZE, g->guard, sizeof *g->guard));
    assert_true(is_apart(lists[i], SIZE, g->guard->pairs, sizeof *g->guard->pairs));
    for (size_t k = 0; k < i; k++) {
      assert_true(is_apart(lists[i], SIZE, lists[k], SIZE));
    }
    for (size_t k = 0; k < 3; k++) {
      const sn__name_map *names = k < 2 ? &gate->sources[k].names : &gate->measured_names;
      assert_true(is_apart(lists[i], SIZE, names->at, names->count * sizeof *names->at));
      assert_true(is_apart(lists[i], SIZE, names->text, names->text_capacity));
    }
    assert_true(is_apart(lists[i], SIZE, gate->sources, 2 * sizeof *gate->sources));
    assert_true(is_apart(lists[i], SIZE, gate->limits,
                         SN_GATE_REASON_COUNT * (gate->source_count + 1) * sizeof *gate->limits));
    assert_true(
        is_apart(lists[i], SIZE, gate->events, gate->event_capacity * sizeof *gate->events));
  }
  guard_rig_close(&rig);
}
