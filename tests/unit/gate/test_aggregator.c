/* The gate in a system: connections, owners, the tick, the emergency stop. */
#include "aggregator_rig.h"
#include "msg/types/msg_counts.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

SN_TEST(every_cycle_has_one_complete_pose_in_the_same_cycle) {
  bench b;
  aggregator_open(&b, 2, true);
  aggregator_begin(&b);
  aggregator_own(&b, GATE_SHOULDER, b.movers[0]);
  aggregator_own(&b, GATE_WHEEL, b.movers[1]);
  b.movers[0]->joint = GATE_SHOULDER;
  b.movers[0]->velocity = 0.01;
  b.movers[1]->joint = GATE_WHEEL;
  b.movers[1]->position = 1.0;
  aggregator_run(&b, 1000);
  assert_int_equal(b.poses, 1000);
  sn_assert_near(aggregator_at(&b, GATE_SHOULDER), b.movers[0]->position,
                 1e-9); /* not a cycle late */
  sn_assert_near(aggregator_at(&b, GATE_WHEEL), 1.0, 1e-9);
  aggregator_close(&b);
}

/* Earlier systems accepted every source. */
SN_TEST(only_the_owner_moves_a_joint_and_the_log_names_both) {
  bench b;
  aggregator_open(&b, 2, true);
  aggregator_begin(&b);
  aggregator_own(&b, GATE_SHOULDER, b.movers[0]);
  b.movers[1]->joint = GATE_SHOULDER; /* without any claim */
  b.movers[1]->position = 1.0;
  (void)rig_drain_log(&b.r, SN_LOG_DEBUG, NULL, 0);
  aggregator_run(&b, 3000);
  assert_true(aggregator_at(&b, GATE_SHOULDER) == 0.0);
  char line[200] = "";
  sn_log_record record;
  size_t logged = 0;
  while (sn_log_read(b.r.log, &record)) {
    sn_log_format(&record, line, sizeof line);
    logged += strstr(line, "source 'berta', joint 'shoulder': the source does not own it") != NULL;
  }
  assert_int_equal(logged, 3); /* once a second */
  aggregator_close(&b);
}

static uint64_t count_of(bench *b, const char *asked, const char *name, const char *what) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->r.system, "aggregator.getCounts", &caller, &b->r.err), SN_OK);
  sn_call_name *request = sn_msg_create(&b->r.arena, &sn_call_name_type, NULL);
  sn_gate_count_list *list = sn_msg_create(&b->r.arena, &sn_gate_count_list_type, NULL);
  assert_int_equal(sn_msg_text_set(&request->name, asked), SN_OK);
  const sn_status status = sn_call(&caller, request, list, &b->r.err);
  sn_caller_close(&caller);
  assert_int_equal(status, SN_OK);
  assert_true(list->complete);
  for (size_t i = 0; i < list->counts.count; i++) {
    const sn_gate_count *row = &list->counts.data[i];
    assert_true(row->count > 0);
    if (strcmp(row->name.data, name) == 0 && strcmp(row->what.data, what) == 0) {
      return row->count;
    }
  }
  return 0;
}

SN_TEST(counters_show_what_was_refused_and_why) {
  bench b;
  aggregator_open(&b, 2, true);
  aggregator_begin(&b);
  aggregator_own(&b, GATE_WHEEL, b.movers[0]);
  b.movers[0]->joint = b.movers[1]->joint = GATE_WHEEL;
  aggregator_run(&b, 100);
  const char *refused = sn__gate_reason_text(SN_GATE_NOT_OWNER);
  assert_true(count_of(&b, "", "anna", "taken") == 100);
  assert_true(count_of(&b, "", "anna", refused) == 0);
  assert_true(count_of(&b, "", "berta", refused) == 100);
  assert_true(count_of(&b, "wheel", "wheel", refused) == 100);
  assert_true(count_of(&b, "wheel", "wheel", "taken") == 100);
  assert_true(count_of(&b, "wheel", "berta", refused) == 0); /* not asked for */
  assert_true(count_of(&b, "berta", "berta", refused) == 100);
  aggregator_close(&b);
}

SN_TEST(hand_over_takes_effect_in_the_cycle_and_nothing_jumps) {
  bench b;
  aggregator_open(&b, 3, true);
  aggregator_begin(&b);
  for (int i = 0; i < 3; i++) {
    b.movers[i]->joint = GATE_SHOULDER;
    b.movers[i]->position = 0.9 * i - 0.8; /* each from another place */
  }
  for (int k = 0; k < 30; k++) {
    aggregator_own(&b, GATE_SHOULDER, k % 4 == 3 ? NULL : (void *)b.movers[k % 4]);
    aggregator_run(&b, 130);
  }
  aggregator_own(&b, GATE_SHOULDER, b.movers[2]);
  aggregator_run(&b, 2000);
  sn_assert_near(aggregator_at(&b, GATE_SHOULDER), 1.0, 1e-9);
  aggregator_close(&b);
}

SN_TEST(owner_that_fails_is_held_at_once) {
  bench b;
  aggregator_open(&b, 1, true);
  aggregator_begin(&b);
  aggregator_own(&b, GATE_WHEEL, b.movers[0]);
  b.movers[0]->joint = GATE_WHEEL;
  b.movers[0]->velocity = 4.0;
  aggregator_run(&b, 500);
  assert_true(fabs(b.judge.qd[GATE_WHEEL]) > 3.9);
  b.movers[0]->fails = true;
  aggregator_run(&b, 51); /* 4 rad/s at 80 rad/s^2 */
  assert_true(b.judge.qd[GATE_WHEEL] == 0.0);
  const double held = aggregator_at(&b, GATE_WHEEL);
  aggregator_run(&b, 1000);
  assert_true(aggregator_at(&b, GATE_WHEEL) == held);
  assert_int_equal(sn_component_state_now(b.aggregator), SN_STATE_RUNNING);
  aggregator_close(&b);
}

SN_TEST(owner_that_is_silent_is_held_after_the_timeout) {
  bench b;
  aggregator_open(&b, 1, true);
  aggregator_begin(&b);
  aggregator_own(&b, GATE_SPINNER, b.movers[0]);
  b.movers[0]->joint = GATE_SPINNER;
  b.movers[0]->position = 3.0;
  aggregator_run(&b, 100);
  b.movers[0]->joint = -1;
  rig_set(&b.r, b.aggregator, "reference_timeout", "0.2"); /* live */
  aggregator_run(&b, 150);
  assert_true(b.judge.qd[GATE_SPINNER] > 0.9);
  aggregator_run(&b, 200);
  assert_true(b.judge.qd[GATE_SPINNER] == 0.0);
  sn_assert_near(aggregator_at(&b, GATE_SPINNER), 0.3, 0.01);
  aggregator_close(&b);
}

/* Earlier systems read ten messages and dropped the eleventh. */
SN_TEST(burst_is_read_to_its_end) {
  bench b;
  aggregator_open(&b, 0, false);
  b.movers[0] = rig_add(&b.r, &aggregator_mover_type, "anna");
  const sn_connection queue = {.buffer = 64};
  assert_int_equal(
      sn_system_connect(b.r.system, "anna.out", "aggregator.in_joints", &queue, &b.r.err), SN_OK);
  aggregator_begin(&b);
  b.movers[0]->joint = GATE_SHOULDER;
  b.movers[0]->position = 0.5;
  b.movers[0]->burst = 11;
  aggregator_run(&b, 1000);
  sn_assert_near(aggregator_at(&b, GATE_SHOULDER), 0.5, 1e-9);
  sn_connection_info info[8];
  const size_t count = sn_component_connections(&b.movers[0]->component, info, 8);
  assert_int_equal(count, 1);
  assert_int_equal(info[0].waiting, 0);
  assert_int_equal(info[0].counts.written, 11000);
  assert_int_equal(info[0].counts.lost, 0);
  aggregator_close(&b);
}

SN_TEST(flood_from_outside_does_not_cost_a_pose) {
  bench b;
  aggregator_open(&b, 0, false);
  sn_source *source = NULL;
  const sn_connection queue = {.buffer = 4096};
  assert_int_equal(sn_source_open(b.r.system, "aggregator.in_joints", &queue, &source, &b.r.err),
                   SN_OK);
  aggregator_begin(&b);
  sn_joint_state *msg = sn_source_msg(source);
  (void)sn_msg_names_add(&msg->name, "shoulder", 8);
  msg->position.count = 1;
  for (int k = 0; k < 500; k++) { /* 100 in each millisecond */
    for (int i = 0; i < 100; i++) {
      msg->position.data[0] = i == 99 ? 0.7 : (double)i - 50.0;
      assert_int_equal(sn_source_write(source), SN_OK);
    }
    aggregator_run(&b, 1);
  }
  assert_int_equal(b.poses, 500);
  aggregator_run(&b, 400);
  sn_assert_near(aggregator_at(&b, GATE_SHOULDER), 0.7, 1e-9);
  sn_source_close(source);
  aggregator_close(&b);
}

SN_TEST(without_an_arbiter_two_sources_do_not_start) {
  bench b;
  aggregator_open(&b, 2, false);
  assert_int_equal(sn_system_begin(b.r.system, &b.r.err), SN_EINVAL);
  sn_assert_contains(b.r.err.message, "2 sources are connected without an arbiter");
  aggregator_close(&b);
  aggregator_open(&b, 1, false);
  aggregator_begin(&b);
  char line[200] = "";
  assert_int_equal(rig_drain_log(&b.r, SN_LOG_WARNING, line, sizeof line), 2);
  sn_assert_contains(line, "'anna' may move everything");
  aggregator_close(&b);
}
