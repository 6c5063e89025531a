/* Controllers and sources that do everything wrong, in a running system: limbs go back, nothing
   jumps, and the log has one line a second. */
#include "faults_rig.h"
#include "sn_test.h"

static const char *owner_of(bench *b, size_t resource) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->r.system, "resources_control.getOwners", &caller, &b->r.err),
                   SN_OK);
  sn_resource_assignment *table = sn_msg_create(&b->r.arena, &sn_resource_assignment_type, NULL);
  assert_int_equal(sn_call(&caller, NULL, table, &b->r.err), SN_OK);
  sn_caller_close(&caller);
  return sn_msg_names_at(&table->owners, resource);
}

SN_TEST(faulty_controller_loses_its_limb_and_the_reason_is_logged) {
  static const struct {
    sickness sick;
    const char *why;
  } cases[] = {{RETURNS_ERROR, "died"}, {WRITES_NAN, "malformed"}, {HANGS, "hung"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench b;
    faults_open(&b);
    faults_begin(&b);
    faults_cycles(&b, 20);
    const sn_resource_set limb = sn_resource_set_first(1);
    assert_true(sn__consumer_request_exclusive(b.patient->controller.consumer, &limb));
    faults_cycles(&b, 100); /* it is on its way */
    assert_string_equal(owner_of(&b, 0), "patient");
    (void)faults_count_lines(&b, "");
    b.patient->sick = cases[i].sick;
    faults_cycles(&b, 7); /* one that hangs takes five of them */
    assert_string_equal(owner_of(&b, 0), "hold");
    char line[64];
    snprintf(line, sizeof line, "patient -> hold (%s)", cases[i].why);
    assert_int_equal(faults_count_lines(&b, line), 1);
    faults_cycles(&b, 300);
    /* It may come back when it is well. */
    b.patient->sick = HEALTHY;
    assert_int_equal(sn_system_recover(b.r.system, &b.patient->controller.component, &b.r.err),
                     SN_OK);
    faults_cycles(&b, 2);
    assert_true(sn__consumer_request_exclusive(b.patient->controller.consumer, &limb));
    faults_cycles(&b, 2);
    assert_string_equal(owner_of(&b, 0), "patient");
    faults_close(&b);
  }
}

/* It had no earlier owner and has no fallback: it brakes and is held. */
SN_TEST(limb_of_a_dead_controller_is_held_if_no_other_wants_it) {
  bench b;
  faults_open(&b);
  rig_set(&b.r, b.hold, "start_operational", "false");
  faults_begin(&b);
  faults_cycles(&b, 5);
  const sn_resource_set limb = sn_resource_set_first(1);
  assert_true(sn__consumer_request_exclusive(b.patient->controller.consumer, &limb));
  faults_cycles(&b, 50);
  const double moving = b.q[1];
  assert_true(moving > 0.0 && moving < 0.2);
  b.patient->sick = RETURNS_ERROR;
  faults_cycles(&b, 500);
  assert_string_equal(owner_of(&b, 0), "");
  const double held = b.q[1];
  faults_cycles(&b, 500);
  assert_true(b.q[1] == held && held < 0.2);
  faults_close(&b);
}

/* It runs and publishes nothing: the time-out of the gate, which is on by default. */
SN_TEST(limb_of_a_silent_controller_is_held_and_the_log_names_both) {
  bench b;
  faults_open(&b);
  faults_begin(&b);
  faults_cycles(&b, 20);
  const sn_resource_set limb = sn_resource_set_first(1);
  assert_true(sn__consumer_request_exclusive(b.patient->controller.consumer, &limb));
  faults_cycles(&b, 20);
  b.patient->sick = FALLS_SILENT;
  faults_cycles(&b, 400);
  assert_int_equal(faults_count_lines(&b, "no reference for"), 0);
  faults_cycles(&b, 3000);
  char line[128];
  snprintf(line, sizeof line, "source 'patient', joint '%s': no reference for 0.5",
           sn_model_joint(b.robot.model, 0)->name);
  assert_int_equal(faults_count_lines(&b, line), 1);
  faults_close(&b);
}

/* By messages, as from outside, with the names of others and unknown names. */
SN_TEST(flood_of_foreign_requests_changes_nothing_and_is_logged_once_a_second) {
  static const char *const names_[] = {"hold", "patient", "stranger", ""};
  bench b;
  faults_open(&b);
  sn_source *requests = NULL;
  const sn_connection queue = {.buffer = 512};
  assert_int_equal(
      sn_source_open(b.r.system, "resources_control.requests", &queue, &requests, &b.r.err), SN_OK);
  faults_begin(&b);
  faults_cycles(&b, 20);
  (void)faults_count_lines(&b, "");
  size_t lines = 0;
  for (int k = 0; k < 3000; k++) {
    for (size_t i = 0; i < 100; i++) {
      sn_resource_request *msg = sn_source_msg(requests);
      sn_msg_reset(&sn_resource_request_type, msg);
      (void)sn_msg_text_set(&msg->name, names_[i % 4]);
      (void)sn_msg_names_add(&msg->resources, "wing", i % 2 == 0 ? 4 : 3);
      assert_int_equal(sn_source_write(requests), SN_OK);
    }
    faults_cycles(&b, 1);
    lines += faults_count_lines(&b, "was refused");
  }
  assert_int_equal(lines, 3);
  assert_string_equal(owner_of(&b, 0), "hold");
  sn_source_close(requests);
  faults_close(&b);
}

/* Between two cycles one releases, and another, from outside, takes something else: both take
   effect.
 */
SN_TEST(request_from_outside_does_not_hide_a_release) {
  bench b;
  faults_open(&b);
  rig_set(&b.r, sn_system_find(b.r.system, "resources_control"), "list_ros", "[remote]");
  faults_begin(&b);
  faults_cycles(&b, 20);
  const sn_resource_set limb = sn_resource_set_first(1);
  assert_true(sn__consumer_request_exclusive(b.patient->controller.consumer, &limb));
  faults_cycles(&b, 5);
  sn__consumer_disown(b.patient->controller.consumer, &limb);
  sn_caller caller = {0};
  assert_int_equal(
      sn_caller_open(b.r.system, "resources_control.requestResources", &caller, &b.r.err), SN_OK);
  sn_resource_request *request = sn_msg_create(&b.r.arena, &sn_resource_request_type, NULL);
  sn_call_outcome *outcome = sn_msg_create(&b.r.arena, &sn_call_outcome_type, NULL);
  const char *other = sn_names_at(b.patient->controller.map->resources, 1);
  assert_int_equal(sn_msg_text_set(&request->name, "remote"), SN_OK);
  assert_int_equal(sn_msg_names_add(&request->resources, other, strlen(other)), SN_OK);
  assert_int_equal(sn_call(&caller, request, outcome, &b.r.err), SN_OK);
  sn_caller_close(&caller);
  assert_true(outcome->success);
  faults_cycles(&b, 1);
  const sn_resource_set held = sn__consumer_held(b.patient->controller.consumer);
  assert_true(sn_resource_set_is_empty(&held));
  assert_string_equal(owner_of(&b, 0), "hold");
  assert_string_equal(owner_of(&b, 1), "remote");
  faults_close(&b);
}

static void release(bench *b, const char *operation, const char *resource, sn_status expected) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->r.system, operation, &caller, &b->r.err), SN_OK);
  sn_resource_request *request = sn_msg_create(&b->r.arena, &sn_resource_request_type, NULL);
  sn_call_outcome *outcome = sn_msg_create(&b->r.arena, &sn_call_outcome_type, NULL);
  assert_int_equal(sn_msg_names_add(&request->resources, resource, strlen(resource)), SN_OK);
  assert_int_equal(sn_call(&caller, request, outcome, &b->r.err), expected);
  sn_caller_close(&caller);
  faults_cycles(b, 1);
}

/* By the policy of the controller; what it releases goes back to the earlier owner. */
SN_TEST(released_limbs_go_back_to_their_earlier_owners) {
  bench b;
  faults_open(&b);
  faults_begin(&b);
  faults_cycles(&b, 20);
  const sn_resource_set limbs = sn_resource_set_first(2);
  assert_true(sn__consumer_request_exclusive(b.patient->controller.consumer, &limbs));
  faults_cycles(&b, 5);
  const sn_names *names_ = b.patient->controller.map->resources;
  release(&b, "patient.releaseResources", sn_names_at(names_, 3), SN_OK); /* not its own */
  assert_string_equal(owner_of(&b, 1), "patient");
  release(&b, "patient.releaseResources", "wing", SN_ENOENT);
  assert_string_equal(owner_of(&b, 1), "patient");
  release(&b, "patient.releaseResources", sn_names_at(names_, 0), SN_OK); /* all or nothing */
  assert_string_equal(owner_of(&b, 0), "hold");
  assert_string_equal(owner_of(&b, 1), "hold");
  release(&b, "hold.releaseResources", sn_names_at(names_, 2), SN_OK); /* keeps the rest */
  assert_string_equal(owner_of(&b, 1), "hold");
  assert_string_equal(owner_of(&b, 2), "");
  faults_close(&b);
}
