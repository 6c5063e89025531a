#include "allocation.h"
#include "follow_rig.h"
#include "sinew/random.h"
#include "sn_test.h"

SN_TEST(joint_stays_until_its_delay_is_over_then_follows) {
  bench b;
  follow_rig_open(&b, 1.0, NULL);
  follow_rig_own_and_step(&b, 0, 6, 0);
  follow_rig_mention(&b, 2, 0.3);
  assert_int_equal(follow_rig_take(&b, 500 * MS), SN_FOLLOW_EARLY);
  assert_true(sn__follow_step(b.follow, 999 * MS, b.q, b.qd));
  assert_true(b.q[2] == b.pose[2]);
  /* An earlier reference is not executed later: the source has to repeat it. */
  assert_false(sn__follow_step(b.follow, 1000 * MS, b.q, b.qd));
  assert_true(b.q[2] == b.pose[2]);
  follow_rig_mention(&b, 2, 0.3);
  assert_int_equal(follow_rig_take(&b, 1000 * MS), SN_FOLLOW_GOOD);
  assert_false(sn__follow_step(b.follow, 1000 * MS, b.q, b.qd));
  assert_true(b.q[2] == 0.3);
  assert_true(b.q[3] == b.pose[3]); /* never mentioned */
  follow_rig_close(&b);
}

SN_TEST(only_what_is_newly_owned_begins_anew) {
  bench b;
  follow_rig_open(&b, 0.5, NULL);
  follow_rig_own_and_step(&b, 0, 6, 0);
  follow_rig_mention(&b, 1, 0.2);
  assert_int_equal(follow_rig_take(&b, 600 * MS), SN_FOLLOW_GOOD);
  follow_rig_own_and_step(&b, 0, 6, 700 * MS); /* the same set again: nothing happens */
  assert_false(sn__follow_step(b.follow, 700 * MS, b.q, b.qd));
  assert_true(b.q[1] == 0.2);
  follow_rig_own_and_step(&b, 0, 12, 800 * MS); /* another limb comes */
  assert_true(sn__follow_step(b.follow, 800 * MS, b.q, b.qd));
  assert_true(b.q[1] == 0.2); /* the old one goes on */
  assert_true(b.q[7] == b.pose[7]);
  follow_rig_mention(&b, 1, 0.1);
  follow_rig_mention(&b, 7, 0.1);
  assert_int_equal(follow_rig_take(&b, 900 * MS), SN_FOLLOW_GOOD);
  sn__follow_step(b.follow, 900 * MS, b.q, b.qd);
  assert_true(b.q[1] == 0.1);
  assert_true(b.q[7] == b.pose[7]); /* still waits */
  follow_rig_close(&b);
}

SN_TEST(missing_velocity_or_one_of_a_silent_source_is_zero) {
  bench b;
  follow_rig_open(&b, 0.0, NULL);
  follow_rig_own_and_step(&b, 0, 6, 0);
  follow_rig_mention(&b, 1, 0.2);
  b.ref->velocity.count = 1;
  b.ref->velocity.data[0] = 0.7;
  assert_int_equal(follow_rig_take(&b, MS), SN_FOLLOW_GOOD);
  sn__follow_step(b.follow, MS, b.q, b.qd);
  assert_true(b.qd[1] == 0.7);
  sn__follow_step(b.follow, 501 * MS, b.q, b.qd);
  assert_true(b.qd[1] == 0.7);
  sn__follow_step(b.follow, 502 * MS, b.q, b.qd); /* 0.5 s of silence */
  assert_true(b.qd[1] == 0.0);
  follow_rig_mention(&b, 1, 0.2);
  b.ref->velocity.count = 1;
  b.ref->velocity.data[0] = 0.7;
  assert_int_equal(follow_rig_take(&b, 600 * MS), SN_FOLLOW_GOOD);
  follow_rig_mention(&b, 1, 0.21);
  assert_int_equal(follow_rig_take(&b, 601 * MS), SN_FOLLOW_GOOD);
  sn__follow_step(b.follow, 601 * MS, b.q, b.qd);
  assert_true(b.qd[1] == 0.0);
  follow_rig_close(&b);
}

SN_TEST(bad_message_is_refused_whole) {
  bench b;
  follow_rig_open(&b, 0.0, NULL);
  follow_rig_own_and_step(&b, 0, b.n, 0);
  follow_rig_mention(&b, 1, 0.1);
  assert_int_equal(follow_rig_take(&b, MS), SN_FOLLOW_GOOD);
  follow_rig_mention(&b, 1, 0.2);
  follow_rig_mention(&b, 2, NAN);
  assert_int_equal(follow_rig_take(&b, MS), SN_FOLLOW_NOT_FINITE);
  follow_rig_mention(&b, 1, 0.2);
  follow_rig_mention(&b, 2, 0.2);
  b.ref->position.count = 1;
  assert_int_equal(follow_rig_take(&b, MS), SN_FOLLOW_LENGTHS);
  follow_rig_mention(&b, 1, 0.2);
  b.ref->velocity.count = 2;
  assert_int_equal(follow_rig_take(&b, MS), SN_FOLLOW_LENGTHS);
  follow_rig_mention(&b, 1, 0.2);
  follow_rig_mention(&b, 2, 0.2);
  follow_rig_mention(&b, 1, 0.3);
  const sn_follow_verdict twice = sn__follow_take(b.follow, b.ref, MS);
  assert_int_equal(twice.fault, SN_FOLLOW_DUPLICATE);
  assert_int_equal(twice.joint, 1);
  sn_msg_reset(&sn_joint_state_type, b.ref);
  sn__follow_step(b.follow, MS, b.q, b.qd);
  assert_true(b.q[1] == 0.1);
  assert_true(b.q[2] == b.pose[2]);
  /* Unknown joints are allowed. */
  assert_int_equal(sn_msg_names_add(&b.ref->name, "wing", 4), SN_OK);
  b.ref->position.data[b.ref->position.count++] = 9.0;
  follow_rig_mention(&b, 2, 0.25);
  assert_int_equal(follow_rig_take(&b, MS), SN_FOLLOW_GOOD);
  sn__follow_step(b.follow, MS, b.q, b.qd);
  assert_true(b.q[2] == 0.25);
  follow_rig_close(&b);
}

SN_TEST(message_older_than_the_last_is_refused) {
  bench b;
  follow_rig_open(&b, 0.0, NULL);
  follow_rig_own_and_step(&b, 0, 6, 0);
  static const struct {
    int64_t stamp_ns;
    sn_follow_fault fault;
  } cases[] = {{1000, SN_FOLLOW_GOOD}, {2000, SN_FOLLOW_GOOD}, {1500, SN_FOLLOW_OLD},
               {0, SN_FOLLOW_GOOD},    {1999, SN_FOLLOW_OLD},  {2000, SN_FOLLOW_GOOD}};
  for (size_t i = 0; i < 6; i++) {
    follow_rig_mention(&b, 1, 0.01 * (double)i);
    b.ref->header.stamp_ns = cases[i].stamp_ns;
    assert_int_equal(follow_rig_take(&b, MS), cases[i].fault);
  }
  /* After it has owned nothing, another source may have another clock. */
  follow_rig_own_and_step(&b, 0, 0, 2 * MS);
  follow_rig_own_and_step(&b, 0, 6, 3 * MS);
  follow_rig_mention(&b, 1, 0.1);
  b.ref->header.stamp_ns = 10;
  assert_int_equal(follow_rig_take(&b, 4 * MS), SN_FOLLOW_GOOD);
  follow_rig_close(&b);
}

SN_TEST(reference_beyond_the_limits_is_clamped_and_named) {
  bench b;
  follow_rig_open(&b, 0.0, NULL);
  follow_rig_own_and_step(&b, 0, b.n, 0);
  const sn_joint *joint = sn_model_joint(b.robot.model, 3);
  follow_rig_mention(&b, 3, joint->upper + 5.0);
  const sn_follow_verdict verdict = sn__follow_take(b.follow, b.ref, MS);
  assert_int_equal(verdict.fault, SN_FOLLOW_CLAMPED);
  assert_int_equal(verdict.joint, 3);
  sn__follow_step(b.follow, MS, b.q, b.qd);
  assert_true(b.q[3] == joint->upper);
  follow_rig_close(&b);
}

/* Whatever comes: finite, inside the limits, joints that are not owned stay at the pose; no heap.
 */
SN_TEST(random_messages_never_lead_outside) {
  static const char *const filters[] = {NULL, "filter_exp", "transient_exp"};
  for (size_t f = 0; f < 3; f++) {
    bench b;
    follow_rig_open(&b, 0.01, filters[f]);
    sn_random random;
    sn_random_init(&random, 17 + f);
    for (size_t k = 0; k < sn_test_cases(20000); k++) {
      const int64_t now_ns = (int64_t)k * MS;
      if (sn_random_below(&random, 50) == 0) {
        follow_rig_own_and_step(&b, sn_random_below(&random, b.n), sn_random_below(&random, b.n),
                                now_ns);
      }
      for (uint64_t i = sn_random_below(&random, 5); i > 0; i--) {
        const double wild[] = {NAN, INFINITY, 1e300, -1e300, 0.5, -0.5};
        follow_rig_mention(&b, sn_random_below(&random, b.n), wild[sn_random_below(&random, 6)]);
      }
      b.ref->velocity.count = sn_random_below(&random, 3) == 0 ? b.ref->position.count : 0;
      sn_assert_no_heap((void)follow_rig_take(&b, now_ns));
      sn_assert_no_heap(sn__follow_step(b.follow, now_ns, b.q, b.qd));
      for (size_t j = 0; j < b.n; j++) {
        const sn_joint *joint = sn_model_joint(b.robot.model, j);
        assert_true(isfinite(b.q[j]) && isfinite(b.qd[j]));
        assert_true(b.q[j] >= joint->lower && b.q[j] <= joint->upper);
        assert_true(b.owned[j] || (b.q[j] == b.pose[j] && b.qd[j] == 0.0));
      }
    }
    follow_rig_close(&b);
  }
}
