/* Filters by name, and their configuration. */
#include "sn_test.h"
#include "traj/smooth.h"

SN_TEST(filters_have_names) {
  assert_string_equal(sn__smooth_find("jerk-limited")->name, "jerk_limited");
  assert_null(sn__smooth_find("jerk"));
  assert_null(sn__smooth_find("jerk_limited_"));
  assert_null(sn__smooth_find(""));
  size_t count = 0;
  for (; sn__smooth_at(count) != NULL; count++) {
    assert_ptr_equal(sn__smooth_find(sn__smooth_at(count)->name), sn__smooth_at(count));
    assert_true(strlen(sn__smooth_at(count)->doc) > 10);
  }
  assert_int_equal(count, 3);
}

SN_TEST(bad_configurations_are_rejected_with_a_reason) {
  static const sn_otg_limits limits[] = {{1, 4, 40}, {2, 8, 50}, {0.5, 9, 200}};
  const double times[] = {1.0, 0.0};
  const struct {
    const char *name;
    sn_smooth_config config;
    sn_status status;
    const char *reason;
  } cases[] = {
      {"nonsense",
       {.joint_count = 1},
       SN_ENOENT,
       "unknown filter 'nonsense', expected transient_exp"},
      {"filter_exp", {.joint_count = 0}, SN_EINVAL, "filter_exp: 0 joints"},
      {"filter_exp", {.joint_count = 1, .transient_time_s = -1.0}, SN_EINVAL, "is -1 s"},
      {"transient_exp",
       {.joint_count = 2, .transient_times_s = times},
       SN_EINVAL,
       "transient_exp: transient time of joint 1 is 0 s"},
      {"jerk_limited", {.joint_count = 1}, SN_EINVAL, "limits are missing"},
  };
  sn_arena arena;
  sn_arena_init_growing(&arena, "smooth", 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_smooth *smooth = NULL;
    sn_error err = {0};
    assert_int_equal(sn__smooth_create(&arena, cases[i].name, &cases[i].config, &smooth, &err),
                     cases[i].status);
    sn_assert_contains(err.message, cases[i].reason);
    assert_null(smooth);
    assert_int_equal(sn_arena_used(&arena), 0);
  }
  /* no size of arena breaks a creation */
  for (size_t type = 0; type < 3; type++) {
    sn_status status = SN_ENOMEM;
    for (size_t size = 0; status == SN_ENOMEM; size += 16) {
      static char bytes[1 << 14];
      sn_arena small;
      sn_arena_init(&small, "small", bytes, size);
      const sn_smooth_config config = {.joint_count = 3, .limits = limits};
      sn_smooth *smooth = NULL;
      status = sn__smooth_create_type(&small, sn__smooth_at(type), &config, &smooth, NULL);
      assert_true((status == SN_OK) == (smooth != NULL));
      assert_true(status == SN_OK || sn_arena_used(&small) == 0);
    }
    assert_int_equal(status, SN_OK);
  }
  sn_arena_release(&arena);
}
