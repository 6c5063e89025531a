/* Both sides by messages only, as between processes. */
#include "arbiter/arbiter_msg.h"
#include "rig.h"
#include "sinew/random.h"

enum { CONTROLLERS = 4, RESOURCES = 6, QUEUE = 64 };

/* A controller that knows the arbiter by assignments only, and late. */
typedef struct remote {
  sn_consumer consumer;
  sn_resource_request *outbox[QUEUE]; /* in order, as a connection keeps it */
  int first, last;
  int acquired_count, released_count;
  sn_arbiter_answer answer;
  uint64_t answer_id;
} remote;

typedef struct net {
  rig rig;
  sn_arena messages;
  sn_resource_assignment *assignment;
  sn_controller_state *state;
  remote remotes[CONTROLLERS];
} net;

static sn_arbiter_answer send_request(void *context, const sn_arbiter_claim *claim,
                                      sn_arbiter_action *answer) {
  (void)answer; /* it comes later */
  remote *r = context;
  assert_int_equal(sn__consumer_fill_request(&r->consumer, claim, 5, r->outbox[r->last++ % QUEUE]),
                   SN_OK);
  return SN_ARBITER_WAITING;
}

static void acquired(void *context, const sn_resource_set *gained, const sn_resource_set *held) {
  (void)gained;
  (void)held;
  ((remote *)context)->acquired_count++;
}

static void released(void *context, const sn_resource_set *lost, const sn_resource_set *held) {
  (void)lost;
  (void)held;
  ((remote *)context)->released_count++;
}

static void answered(void *context, uint64_t request_id, sn_arbiter_answer answer) {
  remote *r = context;
  r->answer = answer;
  r->answer_id = request_id;
}

static void net_open(net *n, unsigned keep_subset) {
  memset(n, 0, sizeof *n);
  rig_init(&n->rig, CONTROLLERS, RESOURCES);
  sn_arena_init_growing(&n->messages, "messages", 1u << 16);
  n->assignment = sn_msg_create(&n->messages, &sn_resource_assignment_type, NULL);
  n->state = sn_msg_create(&n->messages, &sn_controller_state_type, NULL);
  for (size_t i = 0; i < CONTROLLERS; i++) {
    remote *r = &n->remotes[i];
    n->rig.policies[i].keep_subset = (keep_subset >> i & 1) != 0;
    const sn_consumer_config config = {.name = sn_names_at(n->rig.config.controllers, i),
                                       .resources = n->rig.config.resources,
                                       .keep_subset = n->rig.policies[i].keep_subset,
                                       .link = {.context = r, .request = send_request},
                                       .hooks = {r, acquired, released, answered}};
    sn__consumer_init(&r->consumer, &config);
    for (int k = 0; k < QUEUE; k++) {
      r->outbox[k] = sn_msg_create(&n->messages, &sn_resource_request_type, NULL);
    }
  }
  rig_open(&n->rig);
}

static void net_close(net *n) {
  sn_arena_release(&n->messages);
  rig_close(&n->rig);
}

static void broadcast(net *n, const sn_arbiter_action *action) {
  assert_int_equal(sn__arbiter_fill_assignment(n->rig.arbiter, action, 7, n->assignment), SN_OK);
  for (int i = 0; i < CONTROLLERS; i++) {
    assert_int_equal(sn__consumer_handle_assignment(&n->remotes[i].consumer, n->assignment, NULL),
                     SN_OK);
  }
}

/* The arbiter reads one message of a controller, and publishes the result. */
static void net_step(net *n, int c) {
  remote *r = &n->remotes[c];
  if (r->first == r->last) {
    return;
  }
  sn_arbiter_action action;
  assert_int_equal(sn__arbiter_handle_request(n->rig.arbiter, c, r->outbox[r->first++ % QUEUE],
                                              SN_ARBITER_FOREVER, 7, &action, NULL),
                   SN_OK);
  rig_check(&n->rig);
  broadcast(n, &action);
  while (sn__arbiter_next_action(n->rig.arbiter, &action)) {
    broadcast(n, &action);
  }
}

static void net_request(net *n, int c, uint64_t mask, int32_t priority, bool wait) {
  const sn_resource_set set = rig_set(mask);
  sn__consumer_request(&n->remotes[c].consumer, &set, priority, wait ? 1 : 0);
}

static uint64_t net_held(const net *n, int c) {
  return rig_mask(sn__consumer_held(&n->remotes[c].consumer));
}

static void a_request_is_answered_by_the_owner_table(void **state) {
  (void)state;
  net n;
  net_open(&n, 0);
  net_request(&n, 1, 5, 0, false);
  assert_int_equal(net_held(&n, 1), 0);
  net_step(&n, 1);
  assert_int_equal(net_held(&n, 1), 5);
  assert_int_equal(n.remotes[1].answer, SN_ARBITER_GRANTED);
  assert_true(n.remotes[1].answer_id == 1);
  assert_true(n.assignment->resources.table == n.rig.config.resources);
  assert_string_equal(sn_msg_names_at(&n.assignment->owners, 0), "c1");
  assert_string_equal(sn_msg_names_at(&n.assignment->owners, 1), "");
  assert_string_equal(n.assignment->name.data, "c1");
  assert_string_equal(n.assignment->reason.data, "granted");
  assert_true(n.assignment->request_id == 1 && n.assignment->header.stamp_ns == 7);
  net_close(&n);
}

/* Any assignment broadcast, even about another limb, used to reset the reference. */
static void a_table_that_does_not_change_the_own_set_calls_no_hook(void **state) {
  (void)state;
  net n;
  net_open(&n, 0);
  net_request(&n, 0, 1, 0, false);
  net_step(&n, 0);
  for (int i = 0; i < 10; i++) {
    net_request(&n, 1, i % 2 == 0 ? 6 : 0, 0, false);
    net_step(&n, 1);
  }
  broadcast(&n, NULL);
  assert_string_equal(n.assignment->name.data, "");
  assert_string_equal(n.assignment->reason.data, "");
  assert_int_equal(n.remotes[0].acquired_count, 1);
  assert_int_equal(n.remotes[0].released_count, 0);
  net_close(&n);
}

static void a_refusal_and_a_late_grant_arrive(void **state) {
  (void)state;
  net n;
  net_open(&n, 0);
  net_request(&n, 0, 1, 5, false);
  net_step(&n, 0);
  net_request(&n, 1, 3, 0, false);
  net_step(&n, 1);
  assert_int_equal(n.remotes[1].answer, SN_ARBITER_REFUSED);
  net_request(&n, 1, 3, 0, true);
  net_step(&n, 1);
  assert_int_equal(n.remotes[1].answer, SN_ARBITER_REFUSED); /* no news */
  assert_true(sn__consumer_is_operational(&n.remotes[1].consumer));
  net_request(&n, 0, 0, 0, false);
  net_step(&n, 0);
  assert_int_equal(n.remotes[1].answer, SN_ARBITER_GRANTED);
  assert_true(n.remotes[1].answer_id == 2);
  assert_int_equal(net_held(&n, 1), 3);
  net_close(&n);
}

static void the_state_of_a_controller_acknowledges_what_it_released(void **state) {
  (void)state;
  net n;
  net_open(&n, 0);
  sn_arena_release(&n.rig.arena); /* once more, with time for controller 0 */
  rig_init(&n.rig, CONTROLLERS, RESOURCES);
  n.rig.policies[0] = (sn_arbiter_controller){.keep_subset = true, .acknowledge_ns = 100};
  rig_open(&n.rig);
  rig_take(&n.rig, 0, 3);
  rig_take(&n.rig, 1, 1);
  sn_msg_names_add(&n.state->resources, "r0", 2);
  sn_msg_names_add(&n.state->resources, "r1", 2);
  assert_int_equal(sn__arbiter_handle_state(n.rig.arbiter, 0, n.state, 0, NULL), SN_OK);
  assert_int_equal(rig_owned(&n.rig, 0), 3); /* still has it */
  sn_msg_names_clear(&n.state->resources);
  sn_msg_names_add(&n.state->resources, "r1", 2);
  sn_error err;
  sn_msg_text_set(&n.state->name, "c1");
  assert_int_equal(sn__arbiter_handle_state(n.rig.arbiter, 0, n.state, 0, &err), SN_EINVAL);
  sn_msg_text_set(&n.state->name, "c0");
  assert_int_equal(sn__arbiter_handle_state(n.rig.arbiter, 0, n.state, 0, NULL), SN_OK);
  assert_int_equal(rig_owned(&n.rig, 0), 2);
  assert_int_equal(rig_owned(&n.rig, 1), 1);
  net_close(&n);
}

static void a_state_lists_what_is_held_and_wanted(void **state) {
  (void)state;
  net n;
  net_open(&n, 1);
  net_request(&n, 0, 3, 0, false);
  net_step(&n, 0);
  net_request(&n, 1, 2, 0, false);
  net_step(&n, 1);
  assert_int_equal(sn__consumer_fill_state(&n.remotes[0].consumer, 9, n.state), SN_OK);
  assert_string_equal(n.state->name.data, "c0");
  assert_true(n.state->operational && n.state->request_id == 1 && n.state->header.stamp_ns == 9);
  assert_int_equal(n.state->resources.count, 1);
  assert_string_equal(sn_msg_names_at(&n.state->resources, 0), "r0");
  assert_int_equal(n.state->requested.count, 2);
  net_close(&n);
}

static void bad_messages_are_refused_and_small_ones_report_it(void **state) {
  (void)state;
  net n;
  net_open(&n, 0);
  sn_error err;
  sn_msg_names_add(&n.assignment->resources, "r0", 2);
  assert_int_equal(sn__consumer_handle_assignment(&n.remotes[0].consumer, n.assignment, &err),
                   SN_EINVAL);
  sn_assert_contains(err.message, "0 owners of 1 resources");
  sn_msg_names_clear(&n.assignment->resources);
  sn_msg_names_add(&n.assignment->resources, "tail", 4);
  sn_msg_names_add(&n.assignment->owners, "c0", 2);
  assert_int_equal(sn__consumer_handle_assignment(&n.remotes[0].consumer, n.assignment, &err),
                   SN_ENOENT);
  sn_assert_contains(err.message, "'tail'");
  const sn_msg_capacity tiny = {.item_count = 2, .text_size = 8};
  sn_resource_assignment *small = sn_msg_create(&n.messages, &sn_resource_assignment_type, &tiny);
  assert_int_equal(sn__arbiter_fill_assignment(n.rig.arbiter, NULL, 0, small), SN_ENOSPC);
  sn_resource_request *request = sn_msg_create(&n.messages, &sn_resource_request_type, &tiny);
  const sn_arbiter_claim claim = {.resources = rig_set(7)};
  assert_int_equal(sn__consumer_fill_request(&n.remotes[0].consumer, &claim, 0, request),
                   SN_ENOSPC);
  sn_msg_names_add(&request->resources, "tail", 4);
  assert_int_equal(sn__consumer_handle_release(&n.remotes[0].consumer, request, &err), SN_ENOENT);
  net_close(&n);
}

static void a_release_by_message_takes_what_it_names(void **state) {
  (void)state;
  net n;
  net_open(&n, 1);
  net_request(&n, 0, 7, 0, false);
  net_step(&n, 0);
  sn_resource_request *request = n.remotes[1].outbox[0];
  sn_msg_names_add(&request->resources, "r1", 2);
  sn_msg_names_add(&request->resources, "r5", 2);
  assert_int_equal(sn__consumer_handle_release(&n.remotes[0].consumer, request, NULL), SN_OK);
  assert_int_equal(net_held(&n, 0), 5);
  sn_msg_names_share(&request->resources, n.rig.config.resources); /* all */
  assert_int_equal(sn__consumer_handle_release(&n.remotes[0].consumer, request, NULL), SN_OK);
  assert_int_equal(net_held(&n, 0), 0);
  net_close(&n);
}

/* Random requests that lie in queues for a while: when all are read, every consumer holds and wants
   what the arbiter says. */
static void remote_consumers_agree_when_all_messages_are_read(void **state) {
  (void)state;
  const size_t count = sn_test_cases(200);
  for (size_t seed = 0; seed < count; seed++) {
    sn_random random;
    sn_random_init(&random, seed);
    net n;
    net_open(&n, (unsigned)sn_random_below(&random, 16));
    for (int i = 0; i < 100; i++) {
      const int c = (int)sn_random_below(&random, CONTROLLERS);
      if (sn_random_below(&random, 2) == 0 && n.remotes[c].last - n.remotes[c].first < QUEUE) {
        net_request(&n, c, sn_random_bits(&random) & 63, (int32_t)sn_random_below(&random, 3),
                    sn_random_below(&random, 2) == 0);
      } else {
        net_step(&n, c);
      }
    }
    for (int c = 0; c < CONTROLLERS; c++) {
      while (n.remotes[c].first < n.remotes[c].last) {
        net_step(&n, c);
      }
    }
    for (int c = 0; c < CONTROLLERS; c++) {
      assert_int_equal(net_held(&n, c), rig_owned(&n.rig, c));
    }
    net_close(&n);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_request_is_answered_by_the_owner_table),
      cmocka_unit_test(a_table_that_does_not_change_the_own_set_calls_no_hook),
      cmocka_unit_test(a_refusal_and_a_late_grant_arrive),
      cmocka_unit_test(the_state_of_a_controller_acknowledges_what_it_released),
      cmocka_unit_test(a_state_lists_what_is_held_and_wanted),
      cmocka_unit_test(bad_messages_are_refused_and_small_ones_report_it),
      cmocka_unit_test(a_release_by_message_takes_what_it_names),
      cmocka_unit_test(remote_consumers_agree_when_all_messages_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
