#include "servo/servo_library.h"
#include "servo/servo_store.h"
#include "sn_test.h"

/* The library of servos, and models that name one of it. */

typedef struct fixture {
  sn_arena arena;
  sn_report *report;
} fixture;

static void open_fixture(fixture *f) {
  sn_arena_init_growing(&f->arena, "library", 0);
  assert_int_equal(sn_report_create(&f->arena, &f->report, NULL), SN_OK);
}

static void close_fixture(fixture *f) {
  sn_arena_release(&f->arena);
}

static sn_status read_models(fixture *f, const char *text, sn_servo_list *list) {
  const sn_value *root = NULL;
  assert_int_equal(
      sn_value_parse_yaml(&f->arena, text, strlen(text), "test.yaml", f->report, &root), SN_OK);
  return sn__servo_store_read(&f->arena, root, f->report, list);
}

static bool has_text(const sn_value *about, const char *key) {
  const sn_value *item = sn_value_find(about, key);
  return item != NULL && item->kind == SN_VALUE_TEXT && strlen(item->text) > 3;
}

SN_TEST(every_servo_is_described_and_valid) {
  size_t count;
  const sn__servo_file *files = sn__servo_files(&count);
  assert_true(count >= 3);
  for (size_t i = 0; i < count; i++) {
    fixture f;
    open_fixture(&f);
    const sn_value *root = NULL;
    assert_int_equal(
        sn_value_parse_yaml(&f.arena, files[i].text, files[i].size, files[i].name, f.report, &root),
        SN_OK);
    const sn_value *about = sn_value_find(root, "servo");
    assert_non_null(about);
    assert_true(has_text(about, "title") && has_text(about, "family") &&
                has_text(about, "source") && has_text(about, "validity"));
    sn_servo_list list;
    assert_int_equal(sn__servo_store_read(&f.arena, root, f.report, &list), SN_OK);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.entries[0].name, files[i].name);
    assert_true(list.entries[0].has_alpha && list.entries[0].params.alpha[3] > 0.0);
    close_fixture(&f);
  }
}

SN_TEST(joint_gets_what_it_does_not_state_from_its_servo) {
  fixture f;
  open_fixture(&f);
  sn_servo_list own, list;
  assert_int_equal(read_models(&f, "servo_models: [{name: a, servo: xl330}]", &own), SN_OK);
  assert_int_equal(read_models(&f,
                               "servo_models:\n"
                               "- {name: knee, servo: xl330, gain: 800, kgear: -1, delay: 0}\n"
                               "- {name: hip, kp: 3}\n",
                               &list),
                   SN_OK);
  const sn_servo_params *servo = &own.entries[0].params, *knee = &list.entries[0].params;
  assert_string_equal(list.entries[0].name, "knee");
  sn_assert_near(knee->kp, 2.0 * servo->kp, 1e-12);
  sn_assert_near(knee->kgear, -1.0, 0.0);
  sn_assert_near(knee->ext.delay_s, 0.0, 0.0);
  assert_true(servo->ext.delay_s > 0.0);
  sn_assert_near(knee->ext.load[1], servo->ext.load[1], 0.0);
  assert_true(knee->ext.load[1] > 0.0);
  sn_assert_near(list.entries[1].params.ext.load[1], 0.0, 0.0);
  close_fixture(&f);
}

SN_TEST(wrong_servos_are_reported_with_their_place) {
  static const struct {
    const char *text, *message;
  } cases[] = {{"servo_models: [{name: knee, servo: xl331}]", "unknown servo 'xl331'"},
               {"servo_models: [{name: knee, servo: [xl330]}]", "must be the name of a servo"},
               {"servo_models: [{name: knee, servo: xl330, gain: -3}]", "gain must be a number"},
               {"servo_models: [{name: knee, servo: drs0101, gain: 3}]", "for which gain"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    open_fixture(&f);
    sn_servo_list list;
    assert_int_equal(read_models(&f, cases[i].text, &list), SN_EMODEL);
    sn_assert_contains(sn_report_at(f.report, 0)->message, cases[i].message);
    assert_int_equal(sn_report_at(f.report, 0)->place.line, 1);
    close_fixture(&f);
  }
}

SN_TEST(model_numbers_are_recognised) {
  char name[32];
  assert_true(sn__servo_recognise("dynamixel", 1200, name, sizeof name));
  assert_string_equal(name, "xl330");
  assert_true(sn__servo_recognise("feetech_sts", 2825, name, sizeof name));
  assert_string_equal(name, "sts3250");
  assert_false(sn__servo_recognise("feetech_sts", 1200, name, sizeof name));
  assert_false(sn__servo_recognise("dynamixel", 1190, name, sizeof name));
}
