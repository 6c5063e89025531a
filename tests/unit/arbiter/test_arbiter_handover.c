/* Hand-overs from controllers that are given time to release. */
#include "rig.h"

enum { A = 1, B = 2, C = 4, D = 8 };

/* 0 and 1 need time (100 and 50 ns), 2 and 3 do not; the mask selects those that keep subsets. */
static void open_rig(rig *r, unsigned keep_subset) {
  rig_init(r, 4, 4);
  for (int c = 0; c < 4; c++) {
    r->policies[c].keep_subset = (keep_subset >> c & 1) != 0;
  }
  r->policies[0].acknowledge_ns = 100;
  r->policies[1].acknowledge_ns = 50;
  rig_open(r);
  r->now_ns = 1000;
}

SN_TEST(the_owner_is_asked_and_stays_the_owner_until_it_releases) {
  rig r;
  open_rig(&r, 1);
  rig_take(&r, 0, A | B);
  assert_int_equal(rig_take(&r, 2, A | C), SN_ARBITER_WAITING);
  assert_int_equal(rig_owned(&r, 0), A | B);
  assert_int_equal(rig_owned(&r, 2), 0); /* C is free, but the request is one whole */
  sn_arbiter_action action = rig_expect(&r, 0);
  assert_int_equal(rig_mask(action.release), A);
  assert_true(action.release_ns == 1100);
  assert_int_equal(action.cause, 2);
  assert_int_equal(rig_mask(action.lost), 0);
  rig_expect_silence(&r);
  rig_acknowledge(&r, 0, B | C); /* not asked for */
  assert_int_equal(rig_owned(&r, 0), A | B);
  rig_acknowledge(&r, 0, A);
  assert_int_equal(rig_owned(&r, 0), B);
  assert_int_equal(rig_owned(&r, 2), A | C);
  action = rig_expect(&r, 2);
  assert_int_equal(action.answer, SN_ARBITER_GRANTED);
  assert_int_equal(rig_mask(action.gained), A | C);
  rig_expect_silence(&r); /* 0 knows what it released */
  sn__arbiter_release_all(r.arbiter, 2, r.now_ns);
  assert_int_equal(rig_owned(&r, 0), A | B);
  rig_close(&r);
}

SN_TEST(all_are_handed_over_at_once_after_the_last_release) {
  rig r;
  open_rig(&r, 7);
  rig_take(&r, 0, A);
  rig_take(&r, 1, B);
  rig_take(&r, 2, C);
  assert_int_equal(rig_take(&r, 3, A | B | C | D), SN_ARBITER_WAITING);
  rig_acknowledge(&r, 0, A);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), NONE); /* reserved: not back to 0 */
  assert_int_equal(sn__arbiter_owner(r.arbiter, 2), 2);    /* needs no time: keeps it until then */
  assert_int_equal(rig_owned(&r, 3), 0);
  rig_acknowledge(&r, 1, B);
  assert_int_equal(rig_owned(&r, 3), A | B | C | D);
  rig_close(&r);
}

SN_TEST(all_or_nothing_is_asked_to_release_all) {
  rig r;
  open_rig(&r, 4);
  rig_take(&r, 2, B); /* keeps subsets: an earlier owner */
  rig_take(&r, 0, A | B);
  rig_drain(&r);
  rig_take(&r, 3, A);
  const sn_arbiter_action action = rig_expect(&r, 0);
  assert_int_equal(rig_mask(action.release), A | B);
  rig_acknowledge(&r, 0, A);
  assert_int_equal(rig_owned(&r, 0), 0);
  assert_int_equal(rig_owned(&r, 2), B);
  assert_int_equal(rig_owned(&r, 3), A);
  rig_close(&r);
}

SN_TEST(an_owner_that_never_releases_loses_everything_at_its_deadline) {
  rig r;
  open_rig(&r, 1);
  rig_take(&r, 0, A | B);
  rig_take(&r, 2, A);
  rig_drain(&r);
  rig_tick(&r, 1099);
  assert_int_equal(rig_owned(&r, 0), A | B);
  rig_tick(&r, 1100);
  assert_int_equal(rig_owned(&r, 0), 0);
  assert_int_equal(rig_owned(&r, 2), A);
  const sn_arbiter_action action = rig_expect(&r, 0);
  assert_int_equal(action.lost_why, SN_ARBITER_HUNG);
  assert_int_equal(rig_mask(action.lost), A | B);
  assert_int_equal(rig_mask(action.wanted), 0);             /* and gets nothing back */
  rig_acknowledge(&r, 0, A);                                /* too late: nothing */
  assert_int_equal(rig_take(&r, 0, B), SN_ARBITER_GRANTED); /* but it may ask again */
  rig_close(&r);
}

SN_TEST(a_hand_over_is_overruled_by_higher_priority_only) {
  rig r;
  open_rig(&r, 0);
  rig_take(&r, 0, A);
  assert_int_equal(rig_ask(&r, 2, A, 1, 0, NULL), SN_ARBITER_WAITING);
  const uint64_t id = r.id;
  rig_drain(&r);
  sn_arbiter_action answer;
  assert_int_equal(rig_ask(&r, 3, A, 1, 0, &answer), SN_ARBITER_REFUSED);
  assert_int_equal(answer.blocker, 2); /* the request it is reserved for */
  assert_int_equal(rig_ask(&r, 3, A, 2, 0, NULL), SN_ARBITER_WAITING);
  const sn_arbiter_action action = rig_expect(&r, 2); /* it would not wait */
  assert_int_equal(action.answer, SN_ARBITER_REFUSED);
  assert_true(action.request_id == id);
  assert_int_equal(action.blocker, 3);
  rig_acknowledge(&r, 0, A);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), 3);
  rig_close(&r);
}

SN_TEST(a_requester_that_dies_leaves_released_resources_to_earlier_owners) {
  rig r;
  open_rig(&r, 3);
  rig_take(&r, 0, A);
  rig_take(&r, 1, B);
  rig_take(&r, 2, A | B);
  rig_acknowledge(&r, 0, A);
  rig_drain(&r);
  rig_fail(&r, 2, SN_ARBITER_DIED);
  assert_int_equal(rig_owned(&r, 0), A);
  const sn_arbiter_action action = rig_expect(&r, 0);
  assert_int_equal(rig_mask(action.gained), A);
  assert_int_equal(action.gained_why, SN_ARBITER_RETURN);
  /* 1 was asked, which is not withdrawn: it releases, and gets it again at once. */
  rig_acknowledge(&r, 1, B);
  assert_int_equal(rig_owned(&r, 1), B);
  assert_int_equal(rig_mask(rig_expect(&r, 1).gained), B);
  rig_close(&r);
}

SN_TEST(a_holder_that_requests_again_and_gets_it_may_keep_it) {
  rig r;
  open_rig(&r, 0);
  rig_take(&r, 0, A | B);
  rig_ask(&r, 2, A, 1, 0, NULL);
  rig_drain(&r);
  assert_int_equal(rig_ask(&r, 0, A | B, 2, 0, NULL), SN_ARBITER_GRANTED);
  rig_tick(&r, 5000);
  assert_int_equal(rig_owned(&r, 0), A | B);
  assert_int_equal(rig_expect(&r, 2).answer, SN_ARBITER_REFUSED);
  rig_close(&r);
}
