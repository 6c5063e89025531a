/* Velocity commands of several sources. */
#include <math.h>

#include "sn_test.h"
#include "walk/walk_command.h"

enum { PORT, CALL };
#define S INT64_C(1000000000)

static sn__walk_commands fresh(void) {
  return (sn__walk_commands){.limit = {0.2, 0.1, 1.0}, .timeout_s = 0.5};
}

static sn__walk_velocity now_of(sn__walk_commands *c, int64_t now_ns) {
  sn__walk_velocity v;
  (void)sn__walk_commands_now(c, now_ns, &v);
  return v;
}

SN_TEST(command_is_obeyed_until_its_source_is_silent) {
  sn__walk_commands c = fresh();
  sn__walk_velocity v;
  assert_int_equal(sn__walk_commands_take(&c, PORT, (sn__walk_velocity){0.1, -0.05, 0.3}, S),
                   SN__WALK_TAKEN);
  assert_false(sn__walk_commands_now(&c, S + S / 2, &v));
  assert_true(v.x == 0.1 && v.y == -0.05 && v.turn == 0.3);
  assert_true(sn__walk_commands_now(&c, S + S / 2 + 1, &v));
  assert_true(v.x == 0.0 && v.y == 0.0 && v.turn == 0.0);
  assert_false(sn__walk_commands_now(&c, 2 * S, &v));
}

SN_TEST(silence_after_a_command_of_rest_is_not_reported) {
  sn__walk_commands c = fresh();
  sn__walk_velocity v;
  (void)sn__walk_commands_take(&c, PORT, (sn__walk_velocity){0, 0, 0}, S);
  assert_false(sn__walk_commands_now(&c, 9 * S, &v));
}

SN_TEST(each_component_is_clamped) {
  sn__walk_commands c = fresh();
  assert_int_equal(sn__walk_commands_take(&c, PORT, (sn__walk_velocity){-1e300, 0.05, 7}, S),
                   SN__WALK_CLAMPED);
  const sn__walk_velocity v = now_of(&c, S);
  assert_true(v.x == -0.2 && v.y == 0.05 && v.turn == 1.0);
}

SN_TEST(number_that_is_not_finite_leaves_the_command_as_it_is) {
  sn__walk_commands c = fresh();
  const double bad[] = {NAN, INFINITY, -INFINITY};
  (void)sn__walk_commands_take(&c, PORT, (sn__walk_velocity){0.1, 0, 0}, S);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(sn__walk_commands_take(&c, PORT, (sn__walk_velocity){bad[i], 0, 0}, S),
                     SN__WALK_NOT_FINITE);
    assert_int_equal(sn__walk_commands_take(&c, PORT, (sn__walk_velocity){0, bad[i], 0}, S),
                     SN__WALK_NOT_FINITE);
    assert_int_equal(sn__walk_commands_take(&c, PORT, (sn__walk_velocity){0, 0, bad[i]}, S),
                     SN__WALK_NOT_FINITE);
  }
  assert_true(now_of(&c, S).x == 0.1);
}

SN_TEST(second_source_is_obeyed_when_the_first_rests_or_is_silent) {
  sn__walk_commands c = fresh();
  const sn__walk_velocity go = {0.1, 0, 0}, back = {-0.1, 0, 0}, rest = {0, 0, 0};
  (void)sn__walk_commands_take(&c, PORT, go, S);
  assert_int_equal(sn__walk_commands_take(&c, CALL, back, S + 1), SN__WALK_OTHER);
  assert_int_equal(c.owner, PORT);
  assert_true(now_of(&c, S + 1).x == 0.1);
  (void)sn__walk_commands_take(&c, PORT, rest, S + 2);
  assert_int_equal(sn__walk_commands_take(&c, CALL, back, S + 3), SN__WALK_TAKEN);
  assert_int_equal(sn__walk_commands_take(&c, PORT, go, S + 4), SN__WALK_OTHER);
  assert_int_equal(sn__walk_commands_take(&c, PORT, go, 2 * S), SN__WALK_TAKEN);
  assert_true(now_of(&c, 2 * S).x == 0.1);
}
