/* The guard alone: a ball on slides in front of a wall, where all distances are differences. What
   is safe is known in closed form, and tried a little to both sides of each bound. */
#include <string.h>

#include "collision/objects.h"
#include "guard/guard_internal.h"
#include "robot.h"
#include "sinew/random.h"
#include "sn_test.h"

#define SLIDE(name, parent, child, axis)                                                   \
  "<joint name='" name "' type='prismatic'><parent link='" parent "'/><child link='" child \
  "'/><axis xyz='" axis "'/><limit lower='-9' upper='9' effort='1' velocity='1'/></joint>"
static const char GANTRY[] =
    "<robot name='gantry'><link name='base'/><link name='x'/><link name='ball'><collision>"
    "<geometry><sphere radius='0.1'/></geometry></collision></link>" SLIDE(
        "sx", "base", "x", "1 0 0") SLIDE("sy", "x", "ball", "0 1 0") "</robot>";

/* A little more or less than a bound. */
static const double EPS = 1e-6;
static const double MARGIN = 0.01, TOUCHES = 0.4, PERIOD_S = 0.001;

typedef struct bench {
  sn_test_robot robot;
  sn__collision *collision;
  sn__guard *guard;
  sn__guard_limits limits[2];
} bench;

static void add_wall(bench *b, const char *name, double x, double size_x) {
  sn__object wall = {.pose = sn_pose_identity()};
  snprintf(wall.name, sizeof wall.name, "%s", name);
  wall.pose.pos = sn_vec3_make(x, 0, 0);
  sn_error err = {.message = ""};
  const double size[3] = {size_x, 40, 40};
  assert_int_equal(sn__object_shape("box", size, 3, NULL, 0, &wall, &err), SN_OK);
  assert_int_equal(sn__collision_add_object(b->collision, &wall, &err), SN_OK);
}

static void make_guard(bench *b, double margin, double period_max_s) {
  sn_error err = {.message = ""};
  const sn__guard_config config = {
      .margin_m = margin, .period_max_s = period_max_s, .limits = b->limits};
  assert_int_equal(
      sn__guard_create(&b->robot.arena, b->robot.model, b->collision, &config, &b->guard, &err),
      SN_OK);
}

static void open_robot(bench *b, const char *urdf) {
  memset(b, 0, sizeof *b);
  b->limits[0] = b->limits[1] = (sn__guard_limits){5.0, 10.0};
  sn_test_robot_init_good(&b->robot, urdf, NULL);
  sn_error err = {.message = ""};
  const sn__collision_config config = {.object_capacity = 2, .root_floats = true};
  assert_int_equal(
      sn__collision_create(&b->robot.arena, b->robot.model, &config, NULL, &b->collision, &err),
      SN_OK);
}

/* The ball touches a thick wall at x = TOUCHES. */
static void open_bench(bench *b, double brake, double period_max_s) {
  open_robot(b, GANTRY);
  add_wall(b, "wall", TOUCHES + 0.1 + 5.0, 10.0);
  b->limits[0] = b->limits[1] = (sn__guard_limits){5.0, brake};
  make_guard(b, MARGIN, period_max_s);
}

static void close_bench(bench *b) {
  sn_test_robot_free(&b->robot);
}

/* Along x, from a pose to one at a distance from the wall, with a speed there. */
static bool allows(bench *b, double from_q, double distance, double speed) {
  const double q0[2] = {from_q, 0.0}, q1[2] = {TOUCHES - distance, 0.0}, qd[2] = {speed, 0.0};
  const sn__guard_motion from = {q0, qd}, wanted = {q1, qd};
  return sn__guard_allows(b->guard, &from, &wanted, PERIOD_S);
}

static bool admits(bench *b, double from_distance, double distance) {
  const double q0[2] = {TOUCHES - from_distance, 0.0}, q1[2] = {TOUCHES - distance, 0.0};
  static const double rest[2] = {0.0, 0.0};
  const sn__guard_motion from = {q0, rest}, wanted = {q1, rest};
  return sn__guard_admits(b->guard, &from, &wanted, PERIOD_S);
}

static void start_at(bench *b, double distance) {
  const double q[2] = {TOUCHES - distance, 0.0};
  sn__guard_start(b->guard, q);
}

/* ---- braking ---- */

SN_TEST(a_motion_is_safe_if_its_stop_keeps_the_margin) {
  sn_random random;
  sn_random_init(&random, 3);
  size_t safe = 0, unsafe = 0;
  for (size_t i = 0; i < 300; i++) {
    bench b;
    const double brake = sn_random_between(&random, 1.0, 30.0);
    open_bench(&b, brake, 0.0);
    for (size_t k = 0; k < 20; k++) {
      const double speed = sn_random_between(&random, 0.05, 1.5);
      const double way = speed * speed / (2.0 * brake);
      const double more = sn_random_below(&random, 2) == 0 ? EPS : sn_random_between(&random, 0, 1);
      const double distance = MARGIN + way + more;
      const double q = TOUCHES - distance - speed * PERIOD_S;
      assert_true(allows(&b, q, distance, speed));
      assert_true(allows(&b, TOUCHES - MARGIN, MARGIN + EPS, -speed)); /* it leaves */
      const double less = fmin(way + MARGIN, sn_random_below(&random, 2) == 0 ? EPS : more);
      assert_false(allows(&b, q, MARGIN + way - less, speed));
      safe += 2;
      unsafe++;
    }
    close_bench(&b);
  }
  assert_true(safe > 0 && unsafe > 0);
}

/* Braking in steps goes on for half a period longer: that way counts if it is more than the margin.
 */
SN_TEST(half_a_period_of_motion_is_kept_beyond_the_stop) {
  static const double speeds[] = {0.5, 1.0, 2.0};
  for (size_t i = 0; i < 3; i++) {
    bench b;
    open_bench(&b, 100.0, 0.1);
    const double way = speeds[i] * speeds[i] / 200.0, lag = 0.05 * speeds[i];
    const double q = TOUCHES - way - lag - 0.001;
    assert_true(allows(&b, q, way + lag + EPS, speeds[i]));
    assert_false(allows(&b, q, way + lag - EPS, speeds[i]));
    close_bench(&b);
  }
}

/* A joint that is not moved by commands does not brake: its speed is not looked at. */
SN_TEST(a_joint_without_a_brake_only_counts_where_it_is) {
  bench b;
  open_bench(&b, 0.0, 0.0);
  assert_true(allows(&b, TOUCHES - MARGIN - EPS, MARGIN + EPS, 100.0));
  assert_false(allows(&b, TOUCHES - MARGIN - EPS, MARGIN - EPS, 0.0));
  close_bench(&b);
}

/* ---- between two poses ---- */

/* A step that is longer than both distances may have passed through something. Of a pair that was
   far away only its margin is known. */
SN_TEST(a_step_is_not_longer_than_both_distances) {
  bench b;
  open_robot(&b, GANTRY);
  add_wall(&b, "sheet", 0.0, 0.002);
  make_guard(&b, MARGIN, 0.0);
  static const double rest[2] = {0.0, 0.0};
  sn_random random;
  sn_random_init(&random, 5);
  for (size_t i = 0; i < 200; i++) {
    const double distance = sn_random_between(&random, 1.1 * MARGIN, 0.3);
    const double q1 = 0.1 + 0.001 + distance;
    for (int side = 0; side < 2; side++) {
      const double step = MARGIN + distance + (side == 0 ? -EPS : EPS);
      const double to[2] = {q1, 0.0}, near[2] = {q1 - step, 0.0}, along[2] = {q1, step};
      const sn__guard_motion wanted = {to, rest}, from = {near, rest}, beside = {along, rest};
      assert_int_equal(sn__guard_allows(b.guard, &from, &wanted, PERIOD_S), side == 0);
      assert_int_equal(sn__guard_allows(b.guard, &beside, &wanted, PERIOD_S), side == 0);
    }
  }
  /* From one side of the sheet to the other. */
  const double left[2] = {-0.1 - 0.001 - 0.02, 0.0}, right[2] = {0.1 + 0.001 + 0.02, 0.0};
  const sn__guard_motion from = {left, rest}, wanted = {right, rest};
  assert_false(sn__guard_allows(b.guard, &from, &wanted, PERIOD_S));
  sn__guard_start(b.guard, left); /* now the distance is known */
  assert_false(sn__guard_allows(b.guard, &from, &wanted, PERIOD_S));
  close_bench(&b);
}

/* ---- inside of the margin ---- */

/* How much deeper a pair may be by errors of its distance. */
static double slack(double distance) {
  return 1e-8 + 2e-3 * fmax(0.0, -distance);
}

SN_TEST(inside_of_the_margin_a_pair_may_stay_and_part_but_not_come_nearer) {
  static const double starts[] = {0.009, 0.004, 0.001, -0.01, -0.03};
  for (size_t i = 0; i < 5; i++) {
    bench b;
    const double start = starts[i];
    open_bench(&b, 10.0, 0.0);
    start_at(&b, start);
    assert_true(admits(&b, start, start));
    assert_true(admits(&b, start, start - 0.5 * slack(start)));
    start_at(&b, start);
    assert_false(admits(&b, start, start - 1.5 * slack(start)));
    /* What it has gained it keeps. */
    start_at(&b, start);
    const double better = start + 0.0005;
    assert_true(admits(&b, start, better));
    assert_true(admits(&b, better, better - 0.5 * slack(better)));
    assert_false(admits(&b, better, start));
    /* Beyond the margin, the margin counts. */
    start_at(&b, start);
    assert_true(admits(&b, start, MARGIN + EPS));
    assert_false(admits(&b, MARGIN + EPS, MARGIN - EPS));
    close_bench(&b);
  }
}

/* It was at its margin, and was placed nearer, by hand or because the world has changed. */
SN_TEST(a_new_start_forgets_the_old_one) {
  bench b;
  open_bench(&b, 10.0, 0.0);
  start_at(&b, 0.004);
  assert_true(admits(&b, 0.004, 0.006));
  start_at(&b, 0.002);
  assert_true(admits(&b, 0.002, 0.002));
  assert_true(admits(&b, 0.002, 0.003));
  assert_false(admits(&b, 0.003, 0.002));
  start_at(&b, 1.5 * MARGIN);
  assert_true(admits(&b, 1.5 * MARGIN, MARGIN + EPS));
  assert_false(admits(&b, MARGIN + EPS, MARGIN - EPS));
  close_bench(&b);
}

/* A robot that rests is not looked at again before it moves, however slowly. */
SN_TEST(a_robot_that_rests_is_judged_as_soon_as_it_has_a_speed) {
  bench b;
  open_bench(&b, 10.0, 0.0);
  const double q[2] = {TOUCHES - MARGIN - EPS, 0.0}, rest[2] = {0.0, 0.0}, slow[2] = {0.5, 0.0};
  const sn__guard_motion from = {q, rest}, wanted = {q, slow};
  start_at(&b, MARGIN + EPS);
  assert_true(admits(&b, MARGIN + EPS, MARGIN + EPS));
  assert_true(admits(&b, MARGIN + EPS, MARGIN + EPS));
  assert_false(sn__guard_admits(b.guard, &from, &wanted, PERIOD_S));
  close_bench(&b);
}

/* The robot is carried towards the wall: nearer than the margin it may stay, and part. */
SN_TEST(a_robot_that_is_carried_to_an_object_does_not_approach_it) {
  static const double distances[] = {0.006, -0.02, 0.5};
  for (size_t i = 0; i < 3; i++) {
    bench b;
    open_bench(&b, 10.0, 0.0);
    const double q[2] = {TOUCHES - 1.0, 0.0}, d = distances[i];
    sn__guard_start(b.guard, q);
    assert_true(admits(&b, 1.0, 1.0));
    assert_true(admits(&b, 1.0, 1.0)); /* settled */
    sn_pose base = sn_pose_identity();
    base.pos.x = 1.0 - d;
    sn__collision_set_base(b.collision, base);
    sn__guard_world_moved(b.guard, q);
    assert_true(admits(&b, 1.0, 1.0));
    const bool is_inside = d < MARGIN;
    assert_int_equal(admits(&b, 1.0, 1.0 - 1e-4), !is_inside);
    assert_true(admits(&b, 1.0, 1.0 + 1e-4));
    close_bench(&b);
  }
}

/* Two balls, one on a slide, beside a wall. */
#define TWO                                                                               \
  "<robot name='two'><link name='base'/><link name='post'/><link name='left'><collision>" \
  "<geometry><sphere radius='0.1'/></geometry></collision></link>"                        \
  "<link name='right'><collision><geometry><sphere "                                      \
  "radius='0.1'/></geometry></collision></link>" SLIDE("sx", "base", "left", "1 0 0")     \
      SLIDE("sp", "base", "post", "0 0 1") SLIDE("sy", "post", "right", "1 0 0") "</robot>"

/* They overlap at zero, so half of that distance says nothing: they keep the usual margin. */
SN_TEST(links_that_overlap_at_zero_keep_the_margin) {
  bench b;
  open_robot(&b, TWO);
  sn__guard_limits limits[3] = {{5, 10}, {5, 10}, {5, 10}};
  const sn__guard_config config = {.margin_m = MARGIN, .limits = limits};
  sn_error err = {.message = ""};
  assert_int_equal(
      sn__guard_create(&b.robot.arena, b.robot.model, b.collision, &config, &b.guard, &err), SN_OK);
  const size_t left = (size_t)sn_model_joint_index(b.robot.model, "sx");
  static const double rest[3] = {0.0};
  for (int side = 0; side < 2; side++) {
    double q0[3] = {0.0}, q1[3] = {0.0};
    q0[left] = 0.2 + MARGIN + 2 * EPS;
    q1[left] = 0.2 + MARGIN + (side == 0 ? EPS : -EPS);
    const sn__guard_motion from = {q0, rest}, wanted = {q1, rest};
    assert_int_equal(sn__guard_allows(b.guard, &from, &wanted, PERIOD_S), side == 0);
  }
  close_bench(&b);
}

/* The base moves: that brings no link nearer to another one. */
SN_TEST(a_base_that_moves_does_not_excuse_links_that_are_near_each_other) {
  bench b;
  open_robot(&b, TWO);
  sn__guard_limits limits[3] = {{5, 10}, {5, 10}, {5, 10}};
  const sn__guard_config config = {.margin_m = MARGIN, .limits = limits};
  sn_error err = {.message = ""};
  assert_int_equal(
      sn__guard_create(&b.robot.arena, b.robot.model, b.collision, &config, &b.guard, &err), SN_OK);
  const size_t left = (size_t)sn_model_joint_index(b.robot.model, "sx");
  static const double rest[3] = {0.0};
  double near[3] = {0.0}, far[3] = {0.0};
  near[left] = 0.2 + 0.5 * MARGIN;
  far[left] = 0.2 + 2.0 * MARGIN;
  const sn__guard_motion there = {far, rest}, nearer = {near, rest};
  sn__guard_start(b.guard, far);
  assert_true(sn__guard_admits(b.guard, &there, &there, PERIOD_S));
  sn__guard_world_moved(b.guard, near); /* a pose that the command does not have */
  assert_false(sn__guard_allows(b.guard, &nearer, &nearer, PERIOD_S));
  close_bench(&b);
}

/* ---- shares ---- */

static void blend(const double *brake, const double *wanted, const double *share, double more,
                  double *out) {
  for (size_t i = 0; i < 2; i++) {
    const double s = share[i] < 1.0 ? share[i] + more : 1.0;
    out[i] = brake[i] + s * (wanted[i] - brake[i]);
  }
}

/* The share is safe, and one part of 32 more is not. What does not approach keeps all. */
SN_TEST(as_much_as_is_safe_is_kept) {
  sn_random random;
  sn_random_init(&random, 9);
  size_t partly = 0;
  for (size_t i = 0; i < 300; i++) {
    bench b;
    open_bench(&b, 10.0, 0.0);
    const double speed = sn_random_between(&random, 0.2, 1.0), dt = 0.01;
    const double slower = speed - 10.0 * dt < 0.0 ? 0.0 : speed - 10.0 * dt;
    const double distance = MARGIN + slower * slower / 20.0 + slower * dt;
    const double q0[2] = {TOUCHES - distance - sn_random_between(&random, 1e-4, 0.004), 0.0};
    const double qd0[2] = {speed, 0.0};
    const double q_brake[2] = {q0[0] + slower * dt, 0.0}, qd_brake[2] = {slower, 0.0};
    const double up = speed + 5.0 * dt;
    const double q_wanted[2] = {q0[0] + up * dt, 0.3 * dt}, qd_wanted[2] = {up, 0.3};
    const sn__guard_motion from = {q0, qd0}, brake = {q_brake, qd_brake};
    const sn__guard_motion wanted = {q_wanted, qd_wanted};
    if (!sn__guard_admits(b.guard, &from, &wanted, dt)) {
      double q[2], qd[2], share[2];
      memcpy(share, sn__guard_shares(b.guard, &from, &brake, &wanted), sizeof share);
      assert_true(share[1] == 1.0);
      assert_true(share[0] >= 0.0 && share[0] < 1.0);
      assert_true(fmod(32.0 * share[0], 1.0) == 0.0);
      const sn__guard_motion tried = {q, qd};
      blend(q_brake, q_wanted, share, 0.0, q);
      blend(qd_brake, qd_wanted, share, 0.0, qd);
      assert_true(sn__guard_allows(b.guard, &from, &tried, dt));
      const sn__guard_block block = sn__guard_blocked_by(b.guard);
      sn_assert_near(block.distance, TOUCHES - q[0], 1e-9);
      blend(q_brake, q_wanted, share, 1.0 / 32.0, q);
      blend(qd_brake, qd_wanted, share, 1.0 / 32.0, qd);
      assert_false(sn__guard_allows(b.guard, &from, &tried, dt));
      partly += share[0] > 0.0;
    }
    close_bench(&b);
  }
  assert_true(partly > 50);
}

/* Between two walls, both too near: the nearer one is named, whichever was added first. */
SN_TEST(the_nearest_of_several_is_named) {
  for (int swap = 0; swap < 2; swap++) {
    bench b;
    open_robot(&b, GANTRY);
    add_wall(&b, swap ? "far" : "near", swap ? -5.2 : 5.15, 10.0);
    add_wall(&b, swap ? "near" : "far", swap ? 5.15 : -5.2, 10.0);
    make_guard(&b, 0.5, 0.0);
    static const double q[2] = {0.0, 0.0}, rest[2] = {0.0, 0.0}, moved[2] = {0.0, 1e-3};
    const sn__guard_motion from = {q, rest}, wanted = {moved, rest}, brake = {q, rest};
    assert_false(sn__guard_admits(b.guard, &from, &wanted, PERIOD_S));
    (void)sn__guard_shares(b.guard, &from, &brake, &wanted);
    const sn__guard_block block = sn__guard_blocked_by(b.guard);
    sn_assert_near(block.distance, 0.05, 1e-9);
    assert_string_equal(sn__collision_name(b.collision, block.link_a), "ball");
    assert_string_equal(sn__collision_name(b.collision, block.link_b), "near");
    close_bench(&b);
  }
}

/* ---- ways ---- */

SN_TEST(a_way_ends_where_it_comes_near_the_margin) {
  static const double lengths[] = {0.2, 0.39, 0.6, 2.0};
  for (size_t i = 0; i < 4; i++) {
    bench b;
    open_bench(&b, 10.0, 0.0);
    const double from[2] = {0.0, 0.0}, to[2] = {lengths[i], 0.1};
    sn__guard_block block = {.pair = 77};
    bool is_free = false;
    const double share = sn__guard_follow(b.guard, from, to, &block, &is_free);
    const double end = TOUCHES - lengths[i];
    assert_int_equal(is_free, end >= 1.25 * MARGIN);
    if (is_free) {
      assert_true(share == 1.0);
      assert_int_equal(block.pair, 77);
    } else {
      /* Three quarters of the margin, or a little more: it also moves to the side. */
      const double rest = TOUCHES - share * lengths[i];
      assert_true(rest >= 0.75 * MARGIN && rest < 1.25 * MARGIN);
      sn_assert_near(block.distance, rest, 1e-9);
      assert_string_equal(sn__collision_name(b.collision, block.link_b), "wall");
    }
    close_bench(&b);
  }
}

/* Near the margin a way may lead along a wall or away from it, but not nearer. */
SN_TEST(a_way_near_the_margin_leads_along_or_apart) {
  bench b;
  open_bench(&b, 10.0, 0.0);
  const double from[2] = {TOUCHES - 1.1 * MARGIN, 0.0};
  static const struct {
    double x, y;
    bool is_free;
  } ways[] = {{0.0, 0.003, true}, {-0.003, 0.0, true}, {0.0005, 0.0, false}, {-0.2, 0.1, true}};
  for (size_t i = 0; i < 4; i++) {
    double at[2] = {from[0], from[1]};
    const double to[2] = {from[0] + ways[i].x, from[1] + ways[i].y};
    sn__guard_block block;
    bool is_free = true;
    double share = 0.0;
    for (int k = 0; k < 1000 && is_free && share < 1.0; k++) {
      share = sn__guard_follow(b.guard, at, to, &block, &is_free);
      for (size_t j = 0; j < 2; j++) {
        at[j] += share * (to[j] - at[j]);
      }
    }
    assert_int_equal(is_free, ways[i].is_free);
  }
  /* Out of a contact: only the poses count, and each is farther apart than the last. */
  start_at(&b, -0.03);
  double at[2] = {TOUCHES + 0.03, 0.0};
  const double out[2] = {TOUCHES - 0.1, 0.0};
  bool is_out = true;
  double done = 0.0;
  for (int k = 0; k < 1000 && is_out && done < 1.0; k++) {
    sn__guard_block unused;
    done = sn__guard_follow(b.guard, at, out, &unused, &is_out);
    at[0] += done * (out[0] - at[0]);
  }
  assert_true(is_out && done == 1.0);
  /* No way at all is free, even where a longer one would not be. */
  const double inside[2] = {TOUCHES - 0.5 * MARGIN, 0.0};
  sn__guard_block block;
  bool is_free = false;
  assert_true(sn__guard_follow(b.guard, inside, inside, &block, &is_free) == 1.0);
  assert_true(is_free);
  close_bench(&b);
}

/* ---- creation ---- */

/* 5 % of the radius of a link, 1 to 10 mm. */
SN_TEST(margin_without_a_setting_follows_the_size_of_the_links) {
  static const struct {
    const char *radius;
    double margin;
  } cases[] = {{"0.1", 0.005}, {"0.01", 0.001}, {"0.5", 0.01}, {"0.15", 0.0075}};
  for (size_t i = 0; i < 4; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "<robot name='one'><link name='base'/><link name='ball'><collision><geometry><sphere "
             "radius='%s'/></geometry></collision></link>" SLIDE("s", "base", "ball",
                                                                 "1 0 0") "</robot>",
             cases[i].radius);
    bench b;
    open_robot(&b, text);
    make_guard(&b, 0.0, 0.0);
    sn_assert_near(sn__guard_margin(b.guard), cases[i].margin, 1e-12);
    close_bench(&b);
  }
}

SN_TEST(a_guard_needs_all_of_its_memory) {
  static _Alignas(16) unsigned char memory[1 << 14];
  bench b;
  open_bench(&b, 10.0, 0.0);
  sn__guard *guard = NULL;
  const sn__guard_config config = {.margin_m = MARGIN, .limits = b.limits};
  for (size_t size = 0; guard == NULL; size += 8) {
    sn_arena arena;
    sn_error err = {.message = ""};
    assert_true(size <= sizeof memory);
    sn_arena_init(&arena, "little", memory, size);
    const sn_status status =
        sn__guard_create(&arena, b.robot.model, b.collision, &config, &guard, &err);
    assert_int_equal(status, guard != NULL ? SN_OK : SN_ENOMEM);
    assert_true(guard != NULL || (sn_arena_used(&arena) == 0 && strstr(err.message, "little")));
  }
  b.guard = guard; /* it works */
  start_at(&b, 1.5 * MARGIN);
  assert_true(admits(&b, 1.5 * MARGIN, MARGIN + EPS));
  assert_false(admits(&b, MARGIN + EPS, MARGIN - EPS));
  close_bench(&b);
}
