/* Objects that come and go by messages, and pairs and a guard that are switched while the robot
   moves. */
#include "collision_bench.h"
#include "msg/base_message.h"

/* ---- changes of the world ---- */

typedef struct world_bench {
  collision_bench b;
  sn_source *changes;
  sn_tap *world;
} world_bench;

static void open_world(world_bench *w, const char *property, const char *value) {
  collision_bench_open(&w->b, property, value);
  rig *r = &w->b.r;
  assert_int_equal(sn_source_open(r->system, "aggregator.in_world", NULL, &w->changes, &r->err),
                   SN_OK);
  assert_int_equal(sn_tap_open(r->system, "aggregator.world", NULL, &w->world, &r->err), SN_OK);
  collision_bench_begin(&w->b);
}

static void close_world(world_bench *w) {
  sn_tap_close(w->world);
  sn_source_close(w->changes);
  collision_bench_close(&w->b);
}

/* Send a change; a box of 0.1 m at x. */
static void change(world_bench *w, const char *operation, const char *name, const char *frame,
                   double x) {
  sn_world_change *msg = sn_source_msg(w->changes);
  sn_msg_reset(&sn_world_change_type, msg);
  assert_int_equal(sn_msg_text_set(&msg->header.frame_id, frame), SN_OK);
  assert_int_equal(sn_msg_text_set(&msg->operation, operation), SN_OK);
  assert_int_equal(sn_msg_text_set(&msg->object.name, name), SN_OK);
  assert_int_equal(sn_msg_text_set(&msg->object.shape, "box"), SN_OK);
  collision_bench_sizes(&msg->object, 3, 0.1, 1, 1);
  msg->object.pose.position = sn_vec3_make(x, 0, 0.7);
  assert_int_equal(sn_source_write(w->changes), SN_OK);
  rig_run(&w->b.r, 3 * (int64_t)MS);
}

static const sn_world_object_list *world_of(world_bench *w) {
  sn_flow flow = SN_NO_DATA;
  const sn_world_object_list *list = sn_tap_read(w->world, &flow);
  assert_int_not_equal(flow, SN_NO_DATA);
  assert_string_equal(list->header.frame_id.data, "base");
  assert_true(list->complete);
  return list;
}

SN_TEST(messages_add_replace_and_remove_objects) {
  world_bench w;
  open_world(&w, "world_objects_max", "2");
  rig_run(&w.b.r, 3 * (int64_t)MS);
  assert_int_equal(world_of(&w)->objects.count, 0);
  change(&w, "add", "wall", "", -1.0);
  assert_int_equal(world_of(&w)->objects.count, 1);
  change(&w, "", "shelf", "base", 3.0);
  const sn_world_object_list *list = world_of(&w);
  assert_int_equal(list->objects.count, 2);
  assert_string_equal(list->objects.data[1].name.data, "shelf");
  sn_assert_near(list->objects.data[1].pose.position.x, 3.0, 0.0);
  /* The wall stops the left arm. */
  w.b.mover->joint = 0;
  w.b.mover->position = -1.2;
  rig_run(&w.b.r, 2000 * (int64_t)MS);
  assert_true(collision_bench_state(&w.b)->blocked);
  assert_string_equal(collision_bench_state(&w.b)->link_b.data, "wall");
  assert_int_equal(collision_bench_state(&w.b)->object_count, 2);
  /* Moved out of the way it does not. */
  change(&w, "add", "wall", "", -3.0);
  rig_run(&w.b.r, 500 * (int64_t)MS);
  assert_false(collision_bench_state(&w.b)->blocked);
  assert_int_equal(world_of(&w)->objects.count, 2);
  change(&w, "remove", "wall", "", 0);
  assert_int_equal(world_of(&w)->objects.count, 1);
  change(&w, "clear", "", "", 0);
  assert_int_equal(world_of(&w)->objects.count, 0);
  close_world(&w);
}

SN_TEST(wrong_changes_are_logged_and_change_nothing) {
  static const struct {
    const char *operation, *name, *frame;
    double x;
    const char *message;
  } cases[] = {{"explode", "wall", "", 0, "operation 'explode', expected add, remove or clear"},
               {"remove", "table", "", 0, "unknown object 'table'"},
               {"add", "left", "", 0, "'left' is a link of the robot"},
               {"add", "wall", "moon", 0, "object 'wall': frame 'moon', expected 'base'"},
               {"add", "wall", "", 1e9, "object 'wall': its place must be finite and within"},
               {"add", "third", "", 0, "there are 2 objects already, which is the limit"}};
  world_bench w;
  open_world(&w, "world_objects_max", "2");
  change(&w, "add", "wall", "", -3.0);
  change(&w, "add", "shelf", "", 3.0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig_run(&w.b.r, 1100 * (int64_t)MS); /* the log is limited to a line per second */
    (void)collision_bench_lines(&w.b, "");
    change(&w, cases[i].operation, cases[i].name, cases[i].frame, cases[i].x);
    assert_int_equal(collision_bench_lines(&w.b, cases[i].message), 1);
    const sn_world_object_list *list = world_of(&w);
    assert_int_equal(list->objects.count, 2);
    for (size_t k = 0; k < 2; k++) {
      const bool is_wall = strcmp(list->objects.data[k].name.data, "wall") == 0;
      sn_assert_near(list->objects.data[k].pose.position.x, is_wall ? -3.0 : 3.0, 0.0);
    }
  }
  close_world(&w);
}

/* Of many objects as many are taken as there is room for; the cycle goes on. */
SN_TEST(a_thousand_objects_are_refused_at_the_limit) {
  world_bench w;
  open_world(&w, "world_objects_max", "32");
  for (size_t i = 0; i < 1000; i++) {
    char name[16];
    snprintf(name, sizeof name, "o%zu", i);
    change(&w, "add", name, "", 3.0 + 0.01 * (double)i);
  }
  assert_int_equal(world_of(&w)->objects.count, 32);
  assert_true(collision_bench_lines(&w.b,
                                    "object 'o32': there are 32 objects already, which is "
                                    "the limit; each adds 2 pairs to every cycle") >= 1);
  close_world(&w);
}

SN_TEST(an_object_in_the_frame_of_the_root_stays_where_it_is_in_the_world) {
  world_bench w;
  collision_bench_open(&w.b, "world_objects_max", "4");
  rig *r = &w.b.r;
  sn_source *base = NULL;
  assert_int_equal(sn_source_open(r->system, "aggregator.in_base", NULL, &base, &r->err), SN_OK);
  assert_int_equal(sn_source_open(r->system, "aggregator.in_world", NULL, &w.changes, &r->err),
                   SN_OK);
  assert_int_equal(sn_tap_open(r->system, "aggregator.world", NULL, &w.world, &r->err), SN_OK);
  collision_bench_begin(&w.b);
  sn_rigid_body_state *msg = sn_source_msg(base);
  assert_int_equal(sn__base_message_prepare(msg, "odom", "base", &r->err), SN_OK);
  static const double places[] = {10.0, 12.0};
  for (size_t i = 0; i < 2; i++) {
    sn_pose pose = sn_pose_identity();
    pose.pos.x = places[i];
    sn__base_message_fill(msg, 0, pose, sn_spatial_zero());
    assert_int_equal(sn_source_write(base), SN_OK);
    rig_run(r, 3 * (int64_t)MS);
    if (i == 0) {
      change(&w, "add", "near", "base", 3.0);  /* at 13 m in the world */
      change(&w, "add", "fixed", "odom", 7.0); /* behind the robot */
    }
    rig_run(r, 60 * (int64_t)MS); /* the list follows 20 times a second */
    const sn_world_object_list *list = world_of(&w);
    assert_int_equal(list->objects.count, 2);
    sn_assert_near(list->objects.data[0].pose.position.x, 13.0 - places[i], 1e-12);
    sn_assert_near(list->objects.data[1].pose.position.x, 7.0 - places[i], 1e-12);
  }
  sn_source_close(base);
  close_world(&w);
}

/* ---- switches ---- */

static double distance_of(collision_bench *b) {
  sn_collision_state *state = sn_msg_create(&b->r.arena, &sn_collision_state_type, NULL);
  assert_int_equal(collision_bench_call(b, "aggregator.getCollision", NULL, state), SN_OK);
  return state->near ? state->distance : INFINITY;
}

static void open_arms(collision_bench *b) {
  collision_bench_open(b, "initial_pose", "{elbow: -0.5}");
  collision_bench_begin(b);
  b->mover->joint = 0;
  b->mover->position = 1.4;
  rig_run(&b->r, 1500 * (int64_t)MS);
  assert_true(collision_bench_state(b)->blocked);
  (void)collision_bench_lines(b, "");
}

SN_TEST(the_guard_is_switched_off_and_on_while_it_blocks) {
  collision_bench b;
  open_arms(&b);
  rig_set(&b.r, b.aggregator, "collision_guard", "false");
  assert_int_equal(collision_bench_lines(&b, "the collision guard is off (collision_guard: false)"),
                   1);
  b.mover->position = 0.8; /* into the other ball, not through it */
  rig_run(&b.r, 1000 * (int64_t)MS);
  assert_false(collision_bench_state(&b)->enabled);
  assert_false(collision_bench_state(&b)->blocked);
  assert_string_equal(collision_bench_state(&b)->reason.data,
                      "the property collision_guard is false");
  const double inside = distance_of(&b);
  assert_true(inside < -0.02);
  /* On again in a contact: not deeper, beyond what a depth is known to, but out. */
  rig_set(&b.r, b.aggregator, "collision_guard", "true");
  assert_int_equal(collision_bench_lines(&b, "the collision guard is on"), 1);
  b.mover->position = 0.72;
  rig_run(&b.r, 1000 * (int64_t)MS);
  assert_true(collision_bench_state(&b)->enabled);
  assert_true(collision_bench_state(&b)->blocked);
  assert_true(distance_of(&b) >= inside + 3e-3 * inside);
  b.mover->position = 1.4;
  rig_run(&b.r, 1000 * (int64_t)MS);
  assert_true(distance_of(&b) > 0.01);
  collision_bench_close(&b);
}

static void set_pair(collision_bench *b, const char *link_a, const char *link_b, bool guarded,
                     sn_status expected) {
  sn_collision_pair *pair = sn_msg_create(&b->r.arena, &sn_collision_pair_type, NULL);
  assert_int_equal(sn_msg_text_set(&pair->link_a, link_a), SN_OK);
  assert_int_equal(sn_msg_text_set(&pair->link_b, link_b), SN_OK);
  pair->guarded = guarded;
  assert_int_equal(collision_bench_call(b, "aggregator.setCollisionPair", pair, NULL), expected);
}

SN_TEST(a_pair_is_switched_off_and_on_while_it_is_blocked) {
  collision_bench b;
  open_arms(&b);
  assert_int_equal(collision_bench_state(&b)->pair_count, 1);
  assert_int_equal(collision_bench_state(&b)->off_count, 0);
  set_pair(&b, "right", "left", false, SN_OK);
  assert_int_equal(collision_bench_lines(&b, "'right' and 'left' may touch (setCollisionPair)"), 1);
  rig_run(&b.r, 1000 * (int64_t)MS);
  const sn_collision_state *seen = collision_bench_state(&b);
  assert_true(seen->enabled && !seen->blocked);
  assert_int_equal(seen->pair_count, 0);
  assert_int_equal(seen->off_count, 1);
  /* Through the other one, and back: now it is in the way from there. */
  set_pair(&b, "left", "right", true, SN_OK);
  assert_int_equal(collision_bench_lines(&b, "'left' and 'right' are kept apart"), 1);
  b.mover->position = -1.0;
  rig_run(&b.r, 2000 * (int64_t)MS);
  seen = collision_bench_state(&b);
  assert_int_equal(seen->pair_count, 1);
  assert_int_equal(seen->off_count, 0);
  assert_true(seen->blocked);
  sn_assert_near(seen->distance, 0.01, 1e-3);
  collision_bench_close(&b);
}

SN_TEST(pairs_that_cannot_be_switched_are_refused_with_the_reason) {
  collision_bench b;
  open_arms(&b);
  set_pair(&b, "left", "nose", false, SN_ENOENT);
  sn_assert_contains(b.r.err.message, "'nose' is neither a link nor an object");
  set_pair(&b, "left", "base", false, SN_ENOENT);
  sn_assert_contains(b.r.err.message, "'left' and 'base' are never checked");
  assert_int_equal(collision_bench_lines(&b, "setCollisionPair"), 0);
  assert_true(collision_bench_state(&b)->blocked);
  collision_bench_close(&b);
}
