#include "ident_component_rig.h"
#include "servo/servo_store.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

/* The property as the servo_models of a file. */
static void read_property(ident_rig *w, sn_servo_list *out) {
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&w->m.r.arena, &report, NULL), SN_OK);
  static char text[1 << 15];
  snprintf(text, sizeof text, "{servo_models: %s}", rig_get(&w->m.r, w->ident, "servo_models"));
  const sn_value *tree = NULL;
  assert_int_equal(
      sn_value_parse_yaml(&w->m.r.arena, text, strlen(text), "property", report, &tree), SN_OK);
  assert_int_equal(sn__servo_store_read(&w->m.r.arena, tree, report, out), SN_OK);
}

SN_TEST(identified_models_go_out_and_into_the_property) {
  for (int variant = 0; variant < 3; variant++) {
    ident_rig w;
    ident_rig_open(&w);
    w.delay = variant == 1 ? 3 : 0;
    w.in_pieces = variant > 0;
    rig_set(&w.m.r, w.ident, "smoothing", "0");
    rig_set(&w.m.r, w.ident, "relaxation_factor", "1");
    rig_set(&w.m.r, w.ident, "control_delay", variant == 1 ? "3" : "0");
    rig_begin(&w.m.r);
    ident_rig_run(&w, 100);
    assert_true(ident_rig_start(&w, ident_component_two, 2));
    ident_rig_run(&w, 5000);
    const sn_ident_servo_state *s = ident_component_state_of(&w, 5);
    assert_true(s->running && s->excited && s->samples > 4000 && s->error < 1e-9);
    ident_component_assert_true_model(&w, 5, s->alpha);
    assert_false(ident_component_state_of(&w, 4)->running);
    const sn_ident_ended *ended = ident_component_end(&w);
    assert_int_equal(ended->names.count, 2); /* in the order of the robot */
    assert_string_equal(sn_msg_names_at(&ended->names, 0), ident_rig_joint(&w, 2));
    assert_string_equal(sn_msg_names_at(&ended->names, 1), ident_rig_joint(&w, 5));
    assert_false(ended->saved);
    sn_assert_contains(ended->message.data, "servo_models_file");
    sn_flow flow = SN_NO_DATA;
    const sn_servo_model_array *models = sn_tap_read(w.models, &flow);
    assert_int_equal(flow, SN_NEW_DATA);
    assert_int_equal(models->models.count, 2);
    assert_string_equal(models->models.data[1].name.data, ident_rig_joint(&w, 5));
    ident_component_assert_true_model(&w, 5, models->models.data[1].alpha);
    assert_true(models->models.data[1].kgear == w.servos[5].params.kgear);
    sn_servo_list list;
    read_property(&w, &list);
    assert_int_equal(list.count, w.n);
    for (size_t i = 0; i < w.n; i++) {
      assert_string_equal(list.entries[i].name, ident_rig_joint(&w, i));
    }
    assert_memory_equal(list.entries[5].params.alpha, models->models.data[1].alpha,
                        sizeof list.entries[5].params.alpha);
    assert_true(list.entries[4].params.alpha[0] == 30.0);
    /* The change of the property by the component itself is not published again. */
    ident_rig_run(&w, 2);
    (void)sn_tap_read(w.models, &flow);
    assert_int_equal(flow, SN_OLD_DATA);
    assert_false(ident_component_state_of(&w, 5)->running);
    ident_rig_close(&w);
  }
}

SN_TEST(velocity_that_is_missing_comes_from_positions) {
  ident_rig w;
  ident_rig_open(&w);
  w.without_velocity = true;
  w.holds_goals = true;
  rig_set(&w.m.r, w.ident, "smoothing", "4");
  rig_set(&w.m.r, w.ident, "position_noise", "1e-9"); /* positions are exact here */
  rig_set(&w.m.r, w.ident, "relaxation_factor", "1");
  rig_begin(&w.m.r);
  assert_true(ident_rig_start(&w, ident_component_two, 2));
  ident_rig_run(&w, 5000);
  for (size_t k = 0; k < 4; k++) {
    const double truth = w.servos[5].params.alpha[k];
    sn_assert_near(ident_component_state_of(&w, 5)->alpha[k], truth, 1e-3 * truth);
  }
  assert_int_equal(ident_component_end(&w)->names.count, 2);
  ident_rig_close(&w);
}

SN_TEST(undo_brings_the_model_of_before) {
  ident_rig w;
  ident_rig_open(&w);
  rig_begin(&w.m.r);
  const void *answer = NULL;
  assert_int_equal(ident_rig_call(&w, "undoIdentification", NULL, &answer), SN_EINVAL);
  sn_assert_contains(w.m.r.err.message, "nothing to undo");
  assert_true(ident_rig_start(&w, ident_component_two, 2));
  ident_rig_run(&w, 5000);
  assert_int_equal(ident_component_end(&w)->names.count, 2);
  assert_true(ident_component_state_of(&w, 5)->alpha[0] != 30.0);
  /* Not while one of them is being identified again. */
  assert_true(ident_rig_start(&w, ident_component_two, 1));
  assert_int_equal(ident_rig_call(&w, "undoIdentification", NULL, &answer), SN_EBUSY);
  assert_int_equal(ident_rig_call(&w, "abortIdentification", NULL, &answer), SN_OK);
  assert_int_equal(ident_rig_call(&w, "undoIdentification", NULL, &answer), SN_OK);
  assert_int_equal(((const sn_ident_ended *)answer)->names.count, 2);
  sn_flow flow = SN_NO_DATA;
  const sn_servo_model_array *models = sn_tap_read(w.models, &flow);
  assert_int_equal(flow, SN_NEW_DATA);
  assert_int_equal(models->models.count, 2);
  assert_true(models->models.data[1].alpha[0] == 30.0);
  assert_true(ident_component_state_of(&w, 5)->alpha[0] == 30.0);
  sn_servo_list list;
  read_property(&w, &list);
  assert_true(list.entries[5].params.alpha[0] == 30.0);
  assert_int_equal(ident_rig_call(&w, "undoIdentification", NULL, &answer), SN_EINVAL);
  ident_rig_close(&w);
}

SN_TEST(start_is_refused_with_its_reason) {
  ident_rig w;
  ident_rig_open(&w);
  rig_set(&w.m.r, w.ident, "servo_models", "[{name: leg1_joint1, kp: 50}]");
  rig_set(&w.m.r, w.ident, "default_servo_model", "{kp: 0}");
  rig_begin(&w.m.r);
  ident_rig_run(&w, 5);
  static const struct {
    const char *names[3];
    const char *reason;
  } cases[] = {{{"leg1_joint1", "missing"}, "the robot has no servo 'missing'"},
               {{"leg1_joint1", "leg1_joint2"}, "nothing is known of servo 'leg1_joint2'"},
               {{"leg1_joint1", "leg1_joint1"}, "named twice"},
               {{NULL}, "no servo is named"}};
  char text[300];
  rig_drain_log(&w.m.r, SN_LOG_ERROR, text, sizeof text);
  for (size_t i = 0; i < 4; i++) {
    sn_call_names *request = sn_msg_create(&w.m.r.arena, &sn_call_names_type, NULL);
    for (size_t k = 0; cases[i].names[k] != NULL; k++) {
      assert_int_equal(
          sn_msg_names_add(&request->names, cases[i].names[k], strlen(cases[i].names[k])), SN_OK);
    }
    const void *answer = NULL;
    assert_int_equal(ident_rig_call(&w, "startIdentification", request, &answer), SN_OK);
    assert_false(((const sn_call_outcome *)answer)->success);
    sn_assert_contains(((const sn_call_outcome *)answer)->message.data, cases[i].reason);
    assert_int_equal(rig_drain_log(&w.m.r, SN_LOG_ERROR, text, sizeof text), 1);
    sn_assert_contains(text, cases[i].reason);
    for (size_t j = 0; j < w.n; j++) {
      assert_false(ident_component_state_of(&w, j)->running);
    }
  }
  const size_t first[] = {0};
  assert_true(ident_rig_start(&w, first, 1));
  assert_false(ident_rig_start(&w, first, 1)); /* it runs */
  ident_rig_close(&w);
}

SN_TEST(end_and_abort_without_start_are_refused) {
  ident_rig w;
  ident_rig_open(&w);
  rig_begin(&w.m.r);
  ident_rig_run(&w, 5);
  const void *answer = NULL;
  assert_int_equal(ident_rig_call(&w, "endIdentification", NULL, &answer), SN_EINVAL);
  sn_assert_contains(w.m.r.err.message, "no identification is running");
  assert_int_equal(ident_rig_call(&w, "abortIdentification", NULL, &answer), SN_OK);
  assert_false(((const sn_call_outcome *)answer)->success);
  ident_rig_close(&w);
}

/* The error began at zero once: no sample looked like a perfect one. */
SN_TEST(end_without_a_sample_accepts_nothing) {
  ident_rig w;
  ident_rig_open(&w);
  rig_begin(&w.m.r);
  assert_true(ident_rig_start(&w, ident_component_two, 2));
  assert_true(isnan(ident_component_state_of(&w, 5)->error));
  const sn_ident_ended *ended = ident_component_end(&w);
  assert_int_equal(ended->names.count, 0);
  sn_assert_contains(ended->message.data, "no model was accepted");
  sn_flow flow = SN_NEW_DATA;
  (void)sn_tap_read(w.models, &flow);
  assert_int_equal(flow, SN_NO_DATA);
  assert_true(ident_component_state_of(&w, 5)->alpha[0] == 30.0);
  ident_rig_close(&w);
}

SN_TEST(one_operation_does_it_all) {
  ident_rig w;
  ident_rig_open(&w);
  rig_begin(&w.m.r);
  ident_rig_run(&w, 5);
  sn_ident_request *request = sn_msg_create(&w.m.r.arena, &sn_ident_request_type, NULL);
  static const struct {
    const char *verb;
    bool success;
    bool is_running;
    size_t names;
  } steps[] = {{"status", true, false, 0}, {"abort", false, false, 0}, {"end", false, false, 0},
               {"undo", false, false, 0},  {"start", true, true, 0},   {"start", false, true, 0},
               {"status", true, true, 0},  {"end", true, false, 1},    {"undo", true, false, 1},
               {"start", true, true, 0},   {"abort", true, false, 0}};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    const void *answer = NULL;
    sn_msg_names_clear(&request->servos);
    assert_int_equal(sn_msg_names_add(&request->servos, "leg1_joint3", 11), SN_OK);
    assert_int_equal(sn_msg_text_set(&request->verb, steps[i].verb), SN_OK);
    assert_int_equal(ident_rig_call(&w, "identification", request, &answer), SN_OK);
    const sn_ident_answer *a = answer;
    assert_int_equal(a->success, steps[i].success);
    assert_int_equal(a->success || a->message.count > 0, true);
    assert_int_equal(a->names.count, steps[i].names);
    assert_int_equal(a->servos.count, w.n);
    assert_string_equal(a->servos.data[2].name.data, "leg1_joint3");
    assert_int_equal(a->servos.data[2].running, steps[i].is_running);
    ident_rig_run(&w, i == 4 ? 5000 : 2);
  }
  assert_int_equal(sn_msg_text_set(&request->verb, "destroy"), SN_OK);
  assert_int_equal(ident_rig_call(&w, "identification", request, NULL), SN_EINVAL);
  sn_assert_contains(w.m.r.err.message, "'destroy', expected start, status");
  ident_rig_close(&w);
}
