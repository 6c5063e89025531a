#include <string.h>

#include "gait/gait.h"
#include "sn_test.h"

/* Front left, front right, hind left, hind right; as robots name them. */
static const sn_vec3 four[] = {{0.1, 0.05, 0}, {0.1, -0.05, 0}, {-0.1, 0.05, 0}, {-0.1, -0.05, 0}};
static const sn_vec3 six[] = {{0.1, 0.05, 0}, {0.1, -0.05, 0}, {0, 0.06, 0},
                              {0, -0.06, 0},  {-0.1, 0.05, 0}, {-0.1, -0.05, 0}};

static size_t in_air(const sn__gait *gait, double phase, bool *air) {
  size_t count = 0;
  for (size_t i = 0; i < gait->leg_count; i++) {
    air[i] = sn__gait_swing_share(gait, i, phase) >= 0.0;
    count += air[i];
  }
  return count;
}

static size_t most_in_air(const sn__gait *gait) {
  bool air[SN__GAIT_LEGS_MAX];
  size_t most = 0;
  for (int k = 0; k < 1000; k++) {
    const size_t count = in_air(gait, 0.001 * k, air);
    most = count > most ? count : most;
  }
  return most;
}

static sn__gait make(const char *name, const sn_vec3 *feet, size_t count) {
  sn__gait gait;
  sn__gait_kind kind;
  bool is_right;
  assert_true(sn__gait_read(name, &kind, &is_right));
  sn__gait_make(kind, is_right, feet, count, &gait);
  return gait;
}

SN_TEST(names_have_a_right_form) {
  sn__gait_kind kind;
  bool is_right;
  assert_true(sn__gait_read("walk_overlap_right", &kind, &is_right));
  assert_int_equal(kind, SN__GAIT_WALK_OVERLAP);
  assert_true(is_right);
  assert_true(sn__gait_read("walk", &kind, &is_right));
  assert_int_equal(kind, SN__GAIT_WALK);
  assert_false(is_right);
  static const char *const unknown[] = {"",      "walk_", "Walk", "walk_left", "trot_right_right",
                                        "gallop"};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    assert_false(sn__gait_read(unknown[i], &kind, &is_right));
  }
}

SN_TEST(a_walk_lifts_one_leg_at_a_time_hind_first) {
  const sn__gait gait = make("walk", four, 4);
  assert_int_equal(most_in_air(&gait), 1);
  assert_true(gait.lift[2] < gait.lift[0]);
  assert_true(gait.lift[0] < gait.lift[3]);
  assert_true(gait.lift[3] < gait.lift[1]);
}

SN_TEST(an_overlapping_walk_never_lifts_both_legs_of_a_side) {
  const sn__gait gait = make("walk_overlap", four, 4);
  assert_int_equal(most_in_air(&gait), 2);
  for (int k = 0; k < 1000; k++) {
    bool air[4];
    (void)in_air(&gait, 0.001 * k, air);
    assert_false(air[0] && air[2]);
    assert_false(air[1] && air[3]);
  }
}

SN_TEST(a_trot_lifts_diagonals_and_a_pace_sides) {
  const sn__gait trot = make("trot", four, 4), pace = make("pace", four, 4);
  assert_true(trot.lift[0] == trot.lift[3]);
  assert_true(trot.lift[1] == trot.lift[2]);
  assert_true(trot.lift[0] != trot.lift[1]);
  assert_true(pace.lift[0] == pace.lift[2]);
  assert_true(pace.lift[0] != pace.lift[1]);
  assert_int_equal(most_in_air(&trot), 2);
  assert_int_equal(most_in_air(&pace), 2);
}

SN_TEST(a_trot_of_six_legs_is_the_tripod_gait) {
  const sn__gait gait = make("trot", six, 6);
  assert_int_equal(most_in_air(&gait), 3);
  assert_true(gait.lift[0] == gait.lift[3]);
  assert_true(gait.lift[0] == gait.lift[4]);
  assert_true(gait.lift[1] == gait.lift[2]);
}

SN_TEST(the_right_form_is_the_mirror_image) {
  static const char *const kinds[] = {"walk", "walk_overlap", "trot", "pace", "pronk"};
  static const size_t mirror[] = {1, 0, 3, 2};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    char name[40];
    snprintf(name, sizeof name, "%s_right", kinds[k]);
    const sn__gait left = make(kinds[k], four, 4), right = make(name, four, 4);
    for (size_t i = 0; i < 4; i++) {
      assert_true(left.lift[i] == right.lift[mirror[i]]);
    }
    assert_true(left.swing == right.swing);
  }
}

SN_TEST(two_legs_never_fly_when_they_walk) {
  const sn__gait a = make("walk", four, 2), b = make("walk_overlap", four, 2);
  assert_int_equal(most_in_air(&a), 1);
  assert_int_equal(most_in_air(&b), 1);
}

SN_TEST(a_pronk_lifts_all_and_a_stand_none) {
  const sn__gait pronk = make("pronk", six, 6), stand = make("stand", six, 6);
  assert_int_equal(most_in_air(&pronk), 6);
  assert_int_equal(most_in_air(&stand), 0);
}

SN_TEST(every_leg_is_in_the_air_for_its_share_of_a_stride) {
  const sn__gait gait = make("walk", six, 6);
  for (size_t i = 0; i < 6; i++) {
    int count = 0;
    for (int k = 0; k < 10000; k++) {
      count += sn__gait_swing_share(&gait, i, 3.0 + 1e-4 * k) >= 0.0;
    }
    sn_assert_near(1e-4 * count, gait.swing, 2e-4);
  }
}
