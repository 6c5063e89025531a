#include "consumers.h"
#include "sinew/random.h"

enum { A = 1, B = 2, C = 4, D = 8 };

SN_TEST(a_consumer_without_a_link_gets_nothing) {
  group g;
  member m[2];
  rig_init(&g.rig, 2, 2);
  group_open(&g, m);
  m[0].consumer.config.link = (sn_consumer_link){0};
  const sn_resource_set set = rig_set(A);
  assert_false(sn__consumer_request_exclusive(&m[0].consumer, &set));
  assert_int_equal(member_ask(&m[0], A, 0, 5), SN_ARBITER_INVALID);
  sn__consumer_disown(&m[0].consumer, &set);
  assert_int_equal(m[0].acquired_count + m[0].released_count, 0);
  assert_false(sn__consumer_is_operational(&m[0].consumer));
  rig_close(&g.rig);
}

SN_TEST(granted_resources_are_held_and_reported) {
  group g;
  member m[2];
  rig_init(&g.rig, 2, 4);
  group_open(&g, m);
  const sn_resource_set set = rig_set(A | C);
  assert_true(sn__consumer_request_exclusive(&m[0].consumer, &set));
  assert_int_equal(m[0].acquired_count, 1);
  assert_true(sn__consumer_has(&m[0].consumer, 2));
  assert_false(sn__consumer_has(&m[0].consumer, 1));
  assert_false(sn__consumer_has(&m[0].consumer, -1));
  assert_false(sn__consumer_has(&m[0].consumer, 1000));
  const sn_resource_set more = rig_set(D);
  assert_int_equal(sn__consumer_request_more(&m[0].consumer, &more, 0, 0), SN_ARBITER_GRANTED);
  assert_int_equal(member_held(&m[0]), A | C | D);
  const sn_resource_set less = rig_set(A);
  sn__consumer_disown(&m[0].consumer, &less);
  assert_int_equal(member_held(&m[0]), C | D);
  assert_int_equal(rig_owned(&g.rig, 0), C | D);
  assert_true(sn__consumer_is_operational(&m[0].consumer));
  assert_int_equal(member_ask(&m[0], 0, 0, 0), SN_ARBITER_GRANTED);
  assert_int_equal(m[0].view, 0);
  assert_false(sn__consumer_is_operational(&m[0].consumer));
  rig_close(&g.rig);
}

static void take_it_back(member *m, uint64_t lost, uint64_t held) {
  (void)held;
  m->on_released = NULL; /* once */
  assert_int_equal(member_ask(m, lost, 0, 0), SN_ARBITER_GRANTED);
}

/* The loser takes it back from inside its hook, before the winner has its answer. */
SN_TEST(an_answer_that_was_overtaken_is_not_a_success) {
  group g;
  member m[2];
  rig_init(&g.rig, 2, 1);
  group_open(&g, m);
  member_ask(&m[0], A, 0, 0);
  m[0].on_released = take_it_back;
  assert_int_equal(member_ask(&m[1], A, 0, 0), SN_ARBITER_LOST);
  assert_int_equal(member_held(&m[0]), A);
  assert_int_equal(member_held(&m[1]), 0);
  assert_int_equal(m[1].acquired_count, 0); /* it never had it */
  assert_int_equal(sn__arbiter_owner(g.rig.arbiter, 0), 0);
  rig_close(&g.rig);
}

static void give_half(member *m, uint64_t gained, uint64_t held) {
  (void)held;
  const sn_resource_set half = rig_set(gained & B);
  sn__consumer_disown(&m->consumer, &half);
}

SN_TEST(a_controller_may_release_inside_its_own_hook) {
  group g;
  member m[2];
  rig_init(&g.rig, 2, 2);
  g.rig.policies[0].keep_subset = true;
  group_open(&g, m);
  member_ask(&m[0], B, 0, 0);
  m[1].on_acquired = give_half;
  assert_int_equal(member_ask(&m[1], A | B, 0, 0), SN_ARBITER_LOST); /* not all, when it returns */
  assert_int_equal(member_held(&m[1]), A);
  assert_int_equal(member_held(&m[0]), B);
  rig_close(&g.rig);
}

SN_TEST(a_late_answer_is_delivered_and_the_earlier_request_is_dropped) {
  group g;
  member m[2];
  rig_init(&g.rig, 2, 3);
  group_open(&g, m);
  member_ask(&m[0], A | B, 5, 0);
  assert_int_equal(member_ask(&m[1], A, 0, SN_ARBITER_FOREVER), SN_ARBITER_WAITING);
  assert_int_equal(member_ask(&m[1], B | C, 0, SN_ARBITER_FOREVER), SN_ARBITER_WAITING);
  assert_int_equal(member_held(&m[1]), 0);
  assert_int_equal(rig_mask(sn__consumer_requested(&m[1].consumer)), B | C);
  assert_true(sn__consumer_is_operational(&m[1].consumer));
  member_ask(&m[0], 0, 0, 0);
  assert_int_equal(m[1].answer, SN_ARBITER_GRANTED);
  assert_true(m[1].answer_id == 2);
  assert_int_equal(member_held(&m[1]), B | C);
  assert_int_equal(m[1].acquired_count, 1);
  rig_close(&g.rig);
}

SN_TEST(a_consumer_that_is_given_time_releases_and_acknowledges) {
  for (int keep = 0; keep < 2; keep++) {
    group g;
    member m[2];
    rig_init(&g.rig, 2, 2);
    g.rig.policies[0] = (sn_arbiter_controller){keep != 0, 100};
    group_open(&g, m);
    member_ask(&m[0], A | B, 0, 0);
    /* All inside one call: asked, released, acknowledged, granted. */
    assert_int_equal(member_ask(&m[1], A, 0, 0), SN_ARBITER_GRANTED);
    assert_int_equal(m[1].answer, SN_ARBITER_GRANTED);
    assert_int_equal(member_held(&m[1]), A);
    assert_int_equal(member_held(&m[0]), keep ? B : 0);
    assert_int_equal(m[0].released_count, 1);
    rig_close(&g.rig);
  }
}

/* Any traffic, with hooks that ask and give at random: what each consumer holds is what it owns,
   and the calls of its hooks add up to it. */
static sn_random traffic;
static int depth;

static void meddle(member *m, uint64_t changed, uint64_t held) {
  if (depth >= 4 || sn_random_below(&traffic, 3) != 0) {
    return;
  }
  depth++;
  const sn_resource_set set = rig_set((changed | held) & sn_random_bits(&traffic));
  switch (sn_random_below(&traffic, 3)) {
    case 0:
      sn__consumer_disown(&m->consumer, &set);
      break;
    case 1:
      sn__consumer_request_exclusive(&m->consumer, &set);
      break;
    default:
      sn__consumer_request_more(&m->consumer, &set, (int32_t)sn_random_below(&traffic, 3), 50);
      break;
  }
  depth--;
}

static void random_traffic(group *g, member *m, size_t controllers, uint64_t all) {
  member *one = &m[sn_random_below(&traffic, controllers)];
  const uint64_t mask = sn_random_bits(&traffic) & sn_random_bits(&traffic) & all;
  const sn_resource_set set = rig_set(mask);
  const uint64_t kind = sn_random_below(&traffic, 10);
  if (kind < 6) {
    const int64_t wait_ns = (int64_t)sn_random_below(&traffic, 3) * 20;
    const sn_arbiter_answer answer =
        member_ask(one, mask, (int32_t)sn_random_below(&traffic, 3), wait_ns);
    if (answer == SN_ARBITER_GRANTED) {
      assert_int_equal(mask & ~member_held(one), 0);
    }
  } else if (kind < 8) {
    sn__consumer_disown(&one->consumer, &set);
  } else if (kind < 9) {
    g->rig.now_ns += (int64_t)sn_random_below(&traffic, 40);
    sn__arbiter_tick(g->rig.arbiter, g->rig.now_ns);
    group_deliver(g);
  } else {
    sn__arbiter_fail(g->rig.arbiter, one->index, SN_ARBITER_MALFORMED, g->rig.now_ns);
    group_deliver(g);
  }
}

SN_TEST(consumers_and_the_arbiter_always_agree) {
  const size_t count = sn_test_cases(300);
  for (size_t seed = 0; seed < count; seed++) {
    sn_random_init(&traffic, seed);
    group g;
    member m[6];
    rig_init(&g.rig, 6, 8);
    for (size_t i = 0; i < 6; i++) {
      g.rig.policies[i].keep_subset = sn_random_below(&traffic, 2) == 0;
      g.rig.policies[i].acknowledge_ns = sn_random_below(&traffic, 4) == 0 ? 30 : 0;
    }
    group_open(&g, m);
    for (size_t i = 0; i < 6; i++) {
      m[i].on_acquired = meddle;
      m[i].on_released = meddle;
    }
    for (int i = 0; i < 200; i++) {
      random_traffic(&g, m, 6, 255);
      rig_check(&g.rig);
      for (int c = 0; c < 6; c++) {
        sn_arbiter_claim claim = {.priority = 0};
        const bool waits = sn__arbiter_waiting(g.rig.arbiter, c, &claim);
        const uint64_t wanted = rig_mask(sn__arbiter_wanted(g.rig.arbiter, c));
        if (member_held(&m[c]) != rig_owned(&g.rig, c) || m[c].view != rig_owned(&g.rig, c)) {
          fail_msg("seed %zu, event %d, controller %d: owns %llx, holds %llx, was notified of %llx",
                   seed, i, c, (unsigned long long)rig_owned(&g.rig, c),
                   (unsigned long long)member_held(&m[c]), (unsigned long long)m[c].view);
        }
        assert_int_equal(rig_mask(sn__consumer_requested(&m[c].consumer)),
                         wanted | (waits ? rig_mask(claim.resources) : 0));
      }
    }
    rig_close(&g.rig);
  }
}
