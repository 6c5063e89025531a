#include "ik/numeric/seeds.h"
#include "ik/solvers.h"
#include "ik_rig.h"
#include "sn_test.h"

typedef struct fixture {
  sn_rig rig;
  sn__serial serial;
  sn__serial_data data;
  sn__seeds starts;
} fixture;

static void open_fixture(fixture *f, uint64_t seed) {
  const sn_rig_config config = {.joint_count = 5 + seed % 3};
  sn_rig_open(&f->rig, &sn__ik_numeric, &config, seed);
  sn_arena *arena = &f->rig.arena;
  assert_true(sn__serial_create(arena, f->rig.chain, sn__serial_length(f->rig.chain), &f->serial));
  assert_true(sn__serial_data_create(arena, &f->serial, &f->data));
  assert_true(
      sn__seeds_create(arena, &f->serial, &f->data, f->rig.lower, f->rig.upper, &f->starts));
  assert_true(f->starts.usable);
}

static sn_pose tip_at(fixture *f, const double *y) {
  sn__serial_forward(&f->serial, &f->serial.pose_base_first, y, &f->data);
  return f->data.tip;
}

/* A target that is a sample but for the outer joints: the sample comes first, and the outer joints
   come out as they were. */
SN_TEST(sample_finds_itself) {
  for (uint64_t seed = 1; seed <= 10; seed++) {
    static fixture f;
    open_fixture(&f, seed);
    const size_t n = f.serial.coord_count;
    for (size_t k = seed; k < SN__SEEDS_COUNT; k += 7) {
      double y[SN_RIG_JOINTS_MAX], found[SN_RIG_JOINTS_MAX];
      for (size_t i = 0; i < n; i++) {
        y[i] = (double)f.starts.y[k * n + i];
      }
      y[0] = sn_random_between(&f.rig.random, f.rig.lower[0], f.rig.upper[0]);
      y[n - 1] = sn_random_between(&f.rig.random, -3.0, 3.0);
      sn__seeds_set_target(&f.starts, tip_at(&f, y));
      assert_true(sn__seeds_next(&f.starts, found));
      for (size_t i = 0; i < n; i++) {
        sn_assert_near(remainder(found[i] - y[i], 6.283185307179586), 0.0, 1e-5);
      }
    }
    sn_rig_close(&f.rig);
  }
}

/* Whatever the joints between, no small change of the last joint turns the tip nearer. */
SN_TEST(last_joint_is_the_best_for_the_others) {
  static fixture f;
  open_fixture(&f, 3);
  const size_t n = f.serial.coord_count;
  for (size_t c = 0; c < sn_test_cases(100); c++) {
    double q[SN_RIG_JOINTS_MAX], y[SN_RIG_JOINTS_MAX];
    sn_rig_draw(&f.rig, q);
    sn_rig_draw(&f.rig, y);
    const sn_pose target = tip_at(&f, q);
    sn__seeds_set_target(&f.starts, target);
    sn__seeds_align(&f.starts, &f.data, y);
    double trace[3];
    for (int i = 0; i < 3; i++) {
      const double kept = y[n - 1];
      y[n - 1] += 0.01 * (i - 1);
      const sn_mat3 d = sn_pose_between(target, tip_at(&f, y)).rot;
      trace[i] = d.x.x + d.y.y + d.z.z;
      y[n - 1] = kept;
    }
    assert_true(trace[1] >= trace[0] && trace[1] >= trace[2]);
  }
  sn_rig_close(&f.rig);
}

SN_TEST(every_sample_comes_once_the_nearest_first) {
  static fixture f;
  open_fixture(&f, 4);
  double q[SN_RIG_JOINTS_MAX], y[SN_RIG_JOINTS_MAX];
  sn_rig_draw(&f.rig, q);
  sn__seeds_set_target(&f.starts, tip_at(&f, q));
  float before[SN__SEEDS_COUNT];
  memcpy(before, f.starts.distance, sizeof before);
  float last = -INFINITY;
  for (size_t i = 0; i < SN__SEEDS_COUNT; i++) {
    assert_true(sn__seeds_next(&f.starts, y));
    size_t taken = SN__SEEDS_COUNT;
    for (size_t k = 0; k < SN__SEEDS_COUNT; k++) {
      if (before[k] != f.starts.distance[k]) {
        assert_int_equal(taken, SN__SEEDS_COUNT);
        taken = k;
      }
    }
    assert_true(taken < SN__SEEDS_COUNT);
    assert_true(before[taken] >= last);
    last = before[taken];
    before[taken] = f.starts.distance[taken];
  }
  assert_false(sn__seeds_next(&f.starts, y));
  sn_rig_close(&f.rig);
}

SN_TEST(chains_whose_ends_slide_have_no_table) {
  static fixture f;
  const sn_rig_config config = {.joint_count = 6, .prismatic_share = 1.0};
  sn_rig_open(&f.rig, &sn__ik_numeric, &config, 5);
  sn_arena *arena = &f.rig.arena;
  assert_true(sn__serial_create(arena, f.rig.chain, 1.0, &f.serial));
  assert_true(sn__serial_data_create(arena, &f.serial, &f.data));
  assert_true(sn__seeds_create(arena, &f.serial, &f.data, f.rig.lower, f.rig.upper, &f.starts));
  assert_false(f.starts.usable);
  sn_rig_close(&f.rig);
}
