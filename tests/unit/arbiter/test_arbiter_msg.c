/* Requests and the owner table as messages; refused requests: test_arbiter_regressions.c. */
#include "arbiter/arbiter_msg.h"
#include "rig.h"

SN_TEST(owner_table_answers_a_request) {
  rig r;
  rig_init(&r, 4, 6);
  sn_resource_request *request = sn_msg_create(&r.arena, &sn_resource_request_type, NULL);
  sn_resource_assignment *table = sn_msg_create(&r.arena, &sn_resource_assignment_type, NULL);
  const sn_msg_capacity tiny = {.item_count = 2, .text_size = 8};
  sn_resource_assignment *small = sn_msg_create(&r.arena, &sn_resource_assignment_type, &tiny);
  rig_open(&r);
  request->request_id = 1;
  assert_int_equal(sn_msg_names_add(&request->resources, "r0", 2), SN_OK);
  assert_int_equal(sn_msg_names_add(&request->resources, "r2", 2), SN_OK);
  sn_arbiter_action action;
  assert_int_equal(sn__arbiter_handle_request(r.arbiter, 1, request, 0, 7, &action, NULL), SN_OK);
  assert_int_equal(rig_owned(&r, 1), 5);
  assert_int_equal(sn__arbiter_fill_assignment(r.arbiter, &action, 7, table), SN_OK);
  assert_true(table->resources.table == r.config.resources);
  assert_int_equal(table->owners.count, 6);
  for (size_t i = 0; i < 6; i++) {
    assert_string_equal(sn_msg_names_at(&table->owners, i), i == 0 || i == 2 ? "c1" : "");
  }
  assert_string_equal(table->name.data, "c1");
  assert_string_equal(table->reason.data, "granted");
  assert_true(table->request_id == 1 && table->header.stamp_ns == 7);
  /* Without an action the table has no cause. */
  assert_int_equal(sn__arbiter_fill_assignment(r.arbiter, NULL, 8, table), SN_OK);
  assert_string_equal(table->name.data, "");
  assert_string_equal(table->reason.data, "");
  assert_int_equal(sn__arbiter_fill_assignment(r.arbiter, NULL, 0, small), SN_ENOSPC);
  rig_close(&r);
}

/* A request for one more limb than it has, of a controller that may wait. */
SN_TEST(request_with_wait_is_granted_later) {
  rig r;
  rig_init(&r, 4, 6);
  sn_resource_request *request = sn_msg_create(&r.arena, &sn_resource_request_type, NULL);
  rig_open(&r);
  sn_arbiter_action action;
  request->priority = 5;
  assert_int_equal(sn_msg_names_add(&request->resources, "r0", 2), SN_OK);
  assert_int_equal(sn__arbiter_handle_request(r.arbiter, 0, request, 0, 0, &action, NULL), SN_OK);
  request->priority = 0;
  assert_int_equal(sn__arbiter_handle_request(r.arbiter, 1, request, 100, 0, &action, NULL), SN_OK);
  assert_int_equal(action.answer, SN_ARBITER_REFUSED); /* it does not ask to wait */
  request->wait = true;
  assert_int_equal(sn__arbiter_handle_request(r.arbiter, 1, request, 100, 0, &action, NULL), SN_OK);
  assert_int_equal(action.answer, SN_ARBITER_WAITING);
  sn_msg_names_clear(&request->resources);
  assert_int_equal(sn__arbiter_handle_request(r.arbiter, 0, request, 0, 0, &action, NULL), SN_OK);
  assert_int_equal(rig_owned(&r, 1), 1);
  rig_close(&r);
}
