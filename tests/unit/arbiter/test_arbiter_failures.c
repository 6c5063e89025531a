/* The rules of arbiter.h about controllers that fail and about fallbacks. */
#include "rig.h"

enum { A = 1, B = 2, C = 4, D = 8 };

SN_TEST(a_failed_owner_loses_everything_and_fallbacks_take_the_rest) {
  for (int why = SN_ARBITER_DIED; why <= SN_ARBITER_MALFORMED; why++) {
    rig r;
    rig_init(&r, 3, 4);
    r.policies[0].keep_subset = true;
    r.policies[2].keep_subset = true;
    r.fallbacks[0] = 2;
    r.fallbacks[1] = 2;
    r.fallbacks[2] = 1; /* checked below: must keep subsets */
    r.policies[1].keep_subset = true;
    rig_open(&r);
    rig_take(&r, 0, A);
    rig_take(&r, 1, A | B | C | D);
    rig_drain(&r);
    rig_fail(&r, 1, (sn_arbiter_why)why);
    assert_int_equal(sn__arbiter_owner(r.arbiter, 0), 0);    /* returned */
    assert_int_equal(sn__arbiter_owner(r.arbiter, 1), 2);    /* fallback */
    assert_int_equal(sn__arbiter_owner(r.arbiter, 2), NONE); /* is its own fallback */
    assert_int_equal(sn__arbiter_owner(r.arbiter, 3), NONE); /* has none */
    if (why != SN_ARBITER_DIED) {
      const sn_arbiter_action action = rig_expect(&r, 1);
      assert_int_equal(action.lost_why, why);
      assert_int_equal(rig_mask(action.lost), A | B | C | D);
    }
    rig_expect(&r, 0);
    const sn_arbiter_action action = rig_expect(&r, 2);
    assert_int_equal(action.gained_why, SN_ARBITER_FALLBACK);
    assert_int_equal(rig_mask(action.gained), B);
    rig_expect_silence(&r); /* a dead controller gets no action */
    assert_int_equal(sn__arbiter_is_connected(r.arbiter, 1), why != SN_ARBITER_DIED);
    assert_int_equal(rig_ask(&r, 1, B, INT32_MIN, 0, NULL),
                     why == SN_ARBITER_DIED ? SN_ARBITER_INVALID : SN_ARBITER_GRANTED);
    sn__arbiter_connect(r.arbiter, 1, 0);
    assert_int_equal(rig_ask(&r, 1, B, INT32_MIN, 0, NULL), SN_ARBITER_GRANTED);
    sn__arbiter_release_all(r.arbiter, 1, 0);
    assert_int_equal(sn__arbiter_owner(r.arbiter, 1), 2); /* back to the fallback */
    rig_close(&r);
  }
}

SN_TEST(a_fallback_that_connects_late_takes_over_then) {
  rig r;
  rig_init(&r, 2, 1);
  r.policies[1].keep_subset = true;
  r.fallbacks[0] = 1;
  rig_open(&r);
  rig_fail(&r, 1, SN_ARBITER_DIED);
  rig_take(&r, 0, A);
  rig_fail(&r, 0, SN_ARBITER_MALFORMED);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), NONE);
  sn__arbiter_connect(r.arbiter, 1, 0);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), 1);
  rig_close(&r);
}

SN_TEST(a_failed_controller_no_longer_waits) {
  rig r;
  rig_init(&r, 3, 4);
  rig_open(&r);
  rig_ask(&r, 0, A, 9, 0, NULL);
  rig_ask(&r, 1, A, 0, SN_ARBITER_FOREVER, NULL);
  rig_fail(&r, 1, SN_ARBITER_MALFORMED);
  const sn_arbiter_action action = rig_expect(&r, 1);
  assert_int_equal(action.answer, SN_ARBITER_CANCELLED);
  assert_true(action.request_id == r.id);
  sn__arbiter_release_all(r.arbiter, 0, 0);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), NONE);
  rig_close(&r);
}
