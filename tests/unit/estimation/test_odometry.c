#include "estimation/odometry.h"
#include "math/rotation.h"
#include "sn_test.h"
#include "walker.h"

enum { MEMORY = 1 << 16 };
static const double DT_S = 0.0056;

typedef struct fixture {
  char memory[MEMORY];
  sn_arena arena;
  sn__odometry *odometry;
  sn_random random;
} fixture;

static fixture f;

static void open_one(bool force_z, bool zero_twist) {
  const sn__odometry_config config = {.foot_count = WALKER_FEET,
                                      .points_max = WALKER_POINTS,
                                      .force_contact_z_to_zero = force_z,
                                      .zero_twist_if_no_contacts = zero_twist};
  sn_arena_init(&f.arena, "test", f.memory, sizeof f.memory);
  f.odometry = sn__odometry_create(&f.arena, &config);
  assert_non_null(f.odometry);
  sn_random_init(&f.random, 7);
}

static void feet_of(const walker_truth *truth, sn__foot *feet) {
  for (size_t i = 0; i < WALKER_FEET; i++) {
    feet[i] = (sn__foot){.is_touching = truth->touches[i],
                         .point_count = WALKER_POINTS,
                         .points = truth->feet[i],
                         .velocities = truth->velocities[i]};
  }
}

static sn_vec3 random3(double size) {
  const double x = sn_random_between(&f.random, -size, size);
  const double y = sn_random_between(&f.random, -size, size);
  return sn_vec3_make(x, y, sn_random_between(&f.random, -size, size));
}

/* Velocities of the truth are differences: not where a foot lifts or lands. */
static bool is_same_set(const walker_config *walk, double t_s) {
  const walker_truth a = walker_at(walk, t_s - 2e-4), b = walker_at(walk, t_s + 2e-4);
  return memcmp(a.touches, b.touches, sizeof a.touches) == 0;
}

/* Feet that do not slip determine the base: the truth is the oracle. */
SN_TEST(base_follows_planted_feet) {
  const walker_config walks[] = {{.speed = 0.2, .wobble = 0.05, .slip_foot = -1},
                                 {.speed = 0.1, .turn_rate = 0.5, .wobble = 0.02, .slip_foot = -1},
                                 {.sideways = 0.1, .is_walk = true, .slip_foot = -1},
                                 {.speed = 0.15, .slope_rad = 0.17, .slip_foot = -1}};
  for (size_t k = 0; k < sizeof walks / sizeof *walks; k++) {
    open_one(false, false);
    walker_truth truth = walker_at(&walks[k], 0.0);
    const sn__base_state start = {.pose_world_base = truth.pose_world_base};
    sn__odometry_reset(f.odometry, &start);
    double farthest = 0.0;
    for (int i = 0; i < 2000; i++) {
      truth = walker_at(&walks[k], DT_S * i);
      sn__foot feet[WALKER_FEET];
      feet_of(&truth, feet);
      const sn__base_state *base = sn__odometry_step(f.odometry, feet, DT_S);
      farthest = fmax(farthest, sn_vec3_norm(base->pose_world_base.pos));
      sn_assert_pose_near(base->pose_world_base, truth.pose_world_base, 1e-7);
      if (is_same_set(&walks[k], DT_S * i)) {
        sn_assert_vec3_near(base->twist.lin, truth.twist.lin, 1e-5);
        sn_assert_vec3_near(base->twist.ang, truth.twist.ang, 1e-4);
      }
    }
    assert_true(farthest > 0.3);
  }
}

/* The same without velocities: they are those of the poses. */
SN_TEST(twist_is_the_change_of_the_pose) {
  const walker_config walk = {.speed = 0.2, .turn_rate = 0.4, .slip_foot = -1};
  open_one(false, false);
  const sn__base_state start = {.pose_world_base = walker_at(&walk, 0.0).pose_world_base};
  sn__odometry_reset(f.odometry, &start);
  for (int i = 0; i < 500; i++) {
    const walker_truth truth = walker_at(&walk, 0.001 * i);
    sn__foot feet[WALKER_FEET];
    feet_of(&truth, feet);
    for (size_t k = 0; k < WALKER_FEET; k++) {
      feet[k].velocities = NULL;
    }
    const sn__base_state *base = sn__odometry_step(f.odometry, feet, 0.001);
    if (i > 10) {
      sn_assert_vec3_near(base->twist.lin, truth.twist.lin, 2e-3);
    }
  }
}

/* Feet that contradict each other and contacts that come and go: as long as no foot moves in the
   base, the base does not move either. */
SN_TEST(change_of_contacts_never_moves_the_base) {
  for (size_t round = 0; round < sn_test_cases(300); round++) {
    open_one(false, true);
    sn_random_init(&f.random, 1000 + round);
    const sn__base_state start = {.pose_world_base = {sn__mat3_exp(random3(0.5)), random3(1.0)}};
    sn__odometry_reset(f.odometry, &start);
    sn_vec3 points[WALKER_FEET][WALKER_POINTS];
    sn__foot feet[WALKER_FEET];
    for (size_t i = 0; i < WALKER_FEET; i++) {
      points[i][0] = random3(0.2);
      const sn_vec3 along = sn_mat3_apply(sn__mat3_exp(random3(2.0)), sn_vec3_make(0.04, 0, 0));
      points[i][1] = sn_vec3_add(points[i][0], along);
      feet[i] = (sn__foot){.point_count = 1 + sn_random_below(&f.random, 2), .points = points[i]};
    }
    sn_vec3 first[WALKER_FEET][WALKER_POINTS];
    memcpy(first, points, sizeof first);
    const size_t stay = sn_random_below(&f.random, WALKER_FEET);
    feet[stay].is_touching = true;
    for (int cycle = 0; cycle < 40; cycle++) {
      for (size_t i = 0; i < WALKER_FEET; i++) {
        points[i][0] = sn_vec3_add(first[i][0], random3(0.001));
        points[i][1] = sn_vec3_add(first[i][1], random3(0.001));
      }
      const sn_pose before = sn__odometry_step(f.odometry, feet, DT_S)->pose_world_base;
      /* feet at the same places, other contacts; at least one of the old ones stays */
      for (size_t i = 0; i < WALKER_FEET; i++) {
        const bool stays = feet[i].is_touching && i == stay;
        feet[i].is_touching = stays || sn_random_below(&f.random, 2) == 0;
      }
      const sn_pose after = sn__odometry_step(f.odometry, feet, DT_S)->pose_world_base;
      if (!(sn_test_pose_distance(after, before) < 1e-9)) {
        fail_msg("round %zu, cycle %d: jump of %g", round, cycle,
                 sn_test_pose_distance(after, before));
      }
    }
  }
}

SN_TEST(one_point_foot_leaves_the_rotation) {
  open_one(false, false);
  const sn__base_state start = {.pose_world_base = {sn_mat3_from_rpy(0.1, 0.2, 0.3), {1, 2, 3}}};
  sn__odometry_reset(f.odometry, &start);
  sn_vec3 point = {0.1, 0, -0.2};
  sn__foot feet[WALKER_FEET] = {{.is_touching = true, .point_count = 1, .points = &point}};
  for (size_t i = 1; i < WALKER_FEET; i++) {
    feet[i] = (sn__foot){.point_count = 1, .points = &point};
  }
  (void)sn__odometry_step(f.odometry, feet, DT_S);
  point.x -= 0.01;
  const sn__base_state *base = sn__odometry_step(f.odometry, feet, DT_S);
  const sn_pose expected = {
      start.pose_world_base.rot,
      sn_vec3_add_scaled(start.pose_world_base.pos, 0.01, start.pose_world_base.rot.x)};
  sn_assert_pose_near(base->pose_world_base, expected, 1e-12);
}

SN_TEST(without_contacts_the_twist_stays_or_ends) {
  for (int zero = 0; zero < 2; zero++) {
    open_one(false, zero == 1);
    const sn__base_state start = {.pose_world_base = sn_pose_identity(),
                                  .twist = {{0, 0, 0.5}, {0.2, 0, 0}}};
    sn__odometry_reset(f.odometry, &start);
    static const sn_vec3 point;
    sn__foot feet[WALKER_FEET];
    for (size_t i = 0; i < WALKER_FEET; i++) {
      feet[i] = (sn__foot){.point_count = 1, .points = &point};
    }
    const sn__base_state *base = NULL;
    for (int i = 0; i < 100; i++) {
      base = sn__odometry_step(f.odometry, feet, 0.01);
    }
    const double heading = atan2(base->pose_world_base.rot.x.y, base->pose_world_base.rot.x.x);
    sn_assert_near(base->pose_world_base.pos.x, zero == 1 ? 0.0 : 0.2, 1e-9);
    sn_assert_near(heading, zero == 1 ? 0.0 : 0.5, 1e-9);
  }
}

/* Feet that touch down too high sink to the ground slowly. */
SN_TEST(level_ground_pulls_contacts_to_zero_without_a_jump) {
  open_one(true, false);
  const sn__base_state start = {.pose_world_base = {sn_mat3_identity(), {0, 0, 0.25}}};
  sn__odometry_reset(f.odometry, &start);
  sn_vec3 points[WALKER_FEET];
  sn__foot feet[WALKER_FEET];
  for (size_t i = 0; i < WALKER_FEET; i++) {
    points[i] = sn_vec3_make(i < 2 ? 0.1 : -0.1, i % 2 == 0 ? 0.1 : -0.1, -0.2);
    feet[i] = (sn__foot){.is_touching = true, .point_count = 1, .points = &points[i]};
  }
  double z = 0.25;
  for (int i = 0; i < 1000; i++) {
    const sn__base_state *base = sn__odometry_step(f.odometry, feet, 0.001);
    assert_true(fabs(base->pose_world_base.pos.z - z) <= 0.11 * 0.001);
    z = base->pose_world_base.pos.z;
  }
  sn_assert_near(z, 0.2, 1e-4);
}

SN_TEST(override_moves_base_and_feet) {
  open_one(false, false);
  const walker_config walk = {.speed = 0.2, .slip_foot = -1};
  const sn_pose elsewhere = {sn_mat3_from_rpy(0, 0, 1.0), {3, -2, 0.1}};
  const sn__base_state start = {.pose_world_base = walker_at(&walk, 0.0).pose_world_base};
  sn__odometry_reset(f.odometry, &start);
  for (int i = 0; i < 1000; i++) {
    const walker_truth truth = walker_at(&walk, DT_S * i);
    sn__foot feet[WALKER_FEET];
    feet_of(&truth, feet);
    const sn__base_state *base = sn__odometry_step(f.odometry, feet, DT_S);
    if (i == 500) {
      const sn__base_state moved = {.pose_world_base =
                                        sn_pose_mul(elsewhere, base->pose_world_base)};
      sn__odometry_move(f.odometry, &moved);
    } else if (i > 500) {
      sn_assert_pose_near(base->pose_world_base, sn_pose_mul(elsewhere, truth.pose_world_base),
                          1e-6);
    }
  }
}

SN_TEST(foot_that_is_not_finite_does_not_touch) {
  open_one(false, true);
  sn_vec3 points[2] = {{0.1, 0, -0.2}, {NAN, 0, -0.2}};
  sn__foot feet[WALKER_FEET] = {{true, 1, &points[0], NULL}, {true, 1, &points[1], NULL}};
  feet[2] = feet[3] = (sn__foot){.point_count = 1, .points = &points[0]};
  const sn__base_state *base = NULL;
  for (int i = 0; i < 10; i++) {
    points[0].x += 0.001;
    base = sn__odometry_step(f.odometry, feet, DT_S);
  }
  sn_assert_near(base->pose_world_base.pos.x, -0.009, 1e-12);
}
