#include "rich_table.h"
#include "robot.h"
#include "rt/components/property_access.h"
#include "sn_test.h"

static sn_arena arena;
static sn_arena problems;
static sn_report *report;
static rich object;

static int set_up(void **state) {
  (void)state;
  sn_arena_init_growing(&arena, "values", 0);
  sn_arena_init_growing(&problems, "problems", 0);
  assert_int_equal(sn_report_create(&problems, &report, NULL), SN_OK);
  assert_int_equal(sn__property_init_values(rich_table, &object, &arena), SN_OK);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sn_arena_release(&arena);
  sn_arena_release(&problems);
  return 0;
}

static const sn_value *parse(const char *yaml) {
  const sn_value *value = NULL;
  const sn_status status =
      sn_value_parse_text(&problems, yaml, strlen(yaml), "f.yaml", report, &value);
  if (status != SN_OK) {
    fail_msg("%s\nis no YAML: %s", yaml, sn_test_problems(report));
  }
  return value;
}

static sn_status set(const char *yaml) {
  return sn__property_set_all(rich_table, &object, parse(yaml), "c", &arena, report);
}

static const char *print(void) {
  static char text[8192];
  assert_true(sn__property_print_all(rich_table, &object, text, sizeof text) < sizeof text);
  return text;
}

static const char initial[] =
    "{\"on\":true,\"steps\":3,\"gain\":0.5,\"mode\":\"slow\",\"label\":\"\",\"gains\":[],"
    "\"names\":[\"left\",\"right\"],\"tree\":null,\"limits\":{\"lower\":-1.5,\"upper\":2,"
    "\"count\":0},\"servos\":[]}";

SN_TEST(initial_values_are_those_of_the_table) {
  assert_string_equal(print(), initial);
  assert_true(object.on);
  assert_int_equal(object.steps, 3);
  assert_string_equal(object.label, "");
  assert_int_equal(object.names.count, 2);
  assert_string_equal(object.names.data[1], "right");
  sn_assert_near(object.limits.upper, 2.0, 0.0);
}

SN_TEST(every_kind_can_be_set) {
  assert_int_equal(set("on: 0\n"
                       "steps: -9223372036854775808\n"
                       "gain: 2\n"
                       "mode: careful\n"
                       "label: \"two\\nlines\"\n"
                       "gains: [1, -2.5e0, 10]\n"
                       "names:\n"
                       "tree: {a: [1, {b: x}], c: }\n"
                       "limits: {count: +5}\n"
                       "servos: [{name: hip}, {name: knee, kp: 1e3, alpha: [0, 0, 0, 1]}]\n"),
                   SN_OK);
  sn_assert_problems(report, "");
  assert_string_equal(
      print(),
      "{\"on\":false,\"steps\":-9223372036854775808,\"gain\":2,\"mode\":\"careful\","
      "\"label\":\"two\\u000alines\",\"gains\":[1,-2.5,10],\"names\":[],"
      "\"tree\":{\"a\":[1,{\"b\":\"x\"}],\"c\":\"\"},"
      "\"limits\":{\"lower\":-1.5,\"upper\":2,\"count\":5},"
      "\"servos\":[{\"name\":\"hip\",\"kp\":5.5,\"alpha\":[1,2,3,4]},"
      "{\"name\":\"knee\",\"kp\":1000,\"alpha\":[0,0,0,1]}]}");
  const rich_servo *servos = object.servos.data;
  assert_string_equal(servos[1].name, "knee");
  sn_assert_near(servos[1].alpha.data[3], 1.0, 0.0);
}

/* What was set must not depend on the file any more. */
SN_TEST(values_outlive_the_file) {
  sn_arena file;
  sn_arena_init_growing(&file, "file", 0);
  const sn_value *value = NULL;
  static const char yaml[] = "{label: abc, tree: {x: [1]}, names: [q]}";
  assert_int_equal(sn_value_parse_text(&file, yaml, strlen(yaml), "f", report, &value), SN_OK);
  assert_int_equal(sn__property_set_all(rich_table, &object, value, "c", &arena, report), SN_OK);
  sn_arena_release(&file); /* the address sanitizer watches from here on */
  assert_string_equal(object.label, "abc");
  assert_string_equal(object.names.data[0], "q");
  assert_string_equal(object.tree->items[0]->items[0]->text, "1");
  assert_string_equal(object.tree->place.file, "f");
}

typedef struct bad_case {
  const char *yaml;
  const char *problems;
} bad_case;

static const bad_case bad_cases[] = {
    {"on: maybe", "f.yaml:1:5: error: 'c.on' is 'maybe', expected true or false\n"},
    {"on: [true]", "f.yaml:1:1: error: 'c.on' is a list, expected true or false\n"},
    {"on:", "f.yaml:1:4: error: 'c.on' is empty, expected true or false\n"},
    {"steps: 1.5", "f.yaml:1:8: error: 'c.steps' is '1.5', expected an integer\n"},
    {"steps: 0x10", "f.yaml:1:8: error: 'c.steps' is '0x10', expected an integer\n"},
    {"steps: '-'", "f.yaml:1:8: error: 'c.steps' is '-', expected an integer\n"},
    {"steps: 9223372036854775808",
     "f.yaml:1:8: error: 'c.steps' is '9223372036854775808', expected an integer of 64 bits\n"},
    {"steps: -9223372036854775809",
     "f.yaml:1:8: error: 'c.steps' is '-9223372036854775809', expected an integer of 64 bits\n"},
    {"steps: {a: 1}", "f.yaml:1:1: error: 'c.steps' is a bag of properties, expected an integer\n"},
    {"gain: x", "f.yaml:1:7: error: 'c.gain' is 'x', expected a real number\n"},
    {"gain: .nan", "f.yaml:1:7: error: 'c.gain' is '.nan', expected a real number\n"},
    {"gain: 1e999", "f.yaml:1:7: error: 'c.gain' is 1e999, expected a finite number\n"},
    {"gain: 2.5", "f.yaml:1:7: error: 'c.gain' is 2.5, expected 0 .. 2 1/s\n"},
    {"gain: -1e-300", "f.yaml:1:7: error: 'c.gain' is -1e-300, expected 0 .. 2 1/s\n"},
    {"mode: fats",
     "f.yaml:1:7: error: 'c.mode' is 'fats', expected slow, fast or careful "
     "(did you mean 'fast'?)\n"},
    {"mode: ''", "f.yaml:1:7: error: 'c.mode' is '', expected slow, fast or careful\n"},
    {"label: [a]", "f.yaml:1:1: error: 'c.label' is a list, expected a text\n"},
    {"gains: 1", "f.yaml:1:8: error: 'c.gains' is '1', expected a list of real numbers\n"},
    {"gains: [1, two, [3], 11]",
     "f.yaml:1:12: error: 'c.gains[1]' is 'two', expected a real number\n"
     "f.yaml:1:17: error: 'c.gains[2]' is a list, expected a real number\n"
     "f.yaml:1:22: error: 'c.gains[3]' is 11, expected -10 .. 10\n"},
    {"gains: [0,0,0,0,0,0]", "f.yaml:1:1: error: 'c.gains' has 6 items, expected 0 .. 5\n"},
    {"names: [a, {b: c}]",
     "f.yaml:1:12: error: 'c.names[1]' is a bag of properties, expected a text\n"},
    {"names: {a: b}",
     "f.yaml:1:1: error: 'c.names' is a bag of properties, expected a list of texts\n"},
    {"limits: 5", "f.yaml:1:9: error: 'c.limits' is '5', expected a bag of properties\n"},
    {"limits: {lower: a, count: 6}",
     "f.yaml:1:17: error: 'c.limits.lower' is 'a', expected a real number\n"
     "f.yaml:1:27: error: 'c.limits.count' is 6, expected -5 .. 5\n"},
    {"limits: {uper: 1}",
     "f.yaml:1:10: error: 'c.limits' has no property 'uper' (did you mean 'upper'?)\n"},
    {"servos: [{name: a, kp: -1}, {kp: 2}, 7]",
     "f.yaml:1:24: error: 'c.servos[0].kp' is -1, expected at least 0\n"
     "f.yaml:1:29: error: 'c.servos[1].name' is not set, expected a text (Of the joint.)\n"
     "f.yaml:1:38: error: 'c.servos[2].name' is not set, expected a text (Of the joint.)\n"
     "f.yaml:1:38: error: 'c.servos[2]' is '7', expected a bag of properties\n"},
    {"servos: [{name: a, alpha: [1]}]",
     "f.yaml:1:20: error: 'c.servos[0].alpha' has 1 item, expected 4\n"},
    {"Gain: 1", "f.yaml:1:1: error: 'c' has no property 'Gain' (did you mean 'gain'?)\n"},
    {"whatever: 1",
     "f.yaml:1:1: error: 'c' has no property 'whatever' (known are on, steps, gain, mode, label, "
     "gains, names, tree, limits, servos)\n"},
    {"steps: 4\ngain: 3\nmode: fast\nfoo: 1\nnames: 1",
     "f.yaml:2:7: error: 'c.gain' is 3, expected 0 .. 2 1/s\n"
     "f.yaml:4:1: error: 'c' has no property 'foo' (known are on, steps, gain, mode, label, gains, "
     "names, tree, limits, servos)\n"
     "f.yaml:5:8: error: 'c.names' is '1', expected a list of texts\n"},
    {"[1]", "f.yaml:1:1: error: 'c' is a list, expected a bag of properties\n"},
};

SN_TEST(invalid_values_are_reported_with_place_and_change_nothing) {
  for (size_t i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++) {
    const size_t used = sn_arena_used(&arena);
    assert_int_equal(set(bad_cases[i].yaml), SN_EINVAL);
    sn_assert_problems(report, bad_cases[i].problems);
    assert_string_equal(print(), initial);
    assert_int_equal(sn_arena_used(&arena), used);
    tear_down(state);
    set_up(state);
  }
}

SN_TEST(required_properties_are_asked_for_in_bags_too) {
  typedef struct outer {
    rich_servo servo;
    double x;
  } outer;
  static const sn_property table[] = {
      SN_PROPERTY_BAG_OF(outer, "servo", servo, rich_servo_table, .doc = ""),
      SN_PROPERTY(outer, "x", x, .flags = SN_PROPERTY_REQUIRED),
      {0}};
  const sn_place place = {.file = "p", .line = 7, .column = 3};
  assert_int_equal(sn__property_check_required(table, NULL, "c", place, report), SN_EINVAL);
  assert_int_equal(sn__property_check_required(table, parse("servo: {kp: 1}"), "d", place, report),
                   SN_EINVAL);
  sn_assert_problems(report,
                     "p:7:3: error: 'c.servo.name' is not set, expected a text (Of the joint.)\n"
                     "p:7:3: error: 'c.x' is not set, expected a real number\n"
                     "f.yaml:1:1: error: 'd.servo.name' is not set, expected a text (Of the "
                     "joint.)\n"
                     "p:7:3: error: 'd.x' is not set, expected a real number\n");
  assert_int_equal(
      sn__property_check_required(table, parse("{servo: {name: n}, x: 1}"), "e", place, report),
      SN_OK);
}

SN_TEST(paths_lead_into_bags) {
  size_t offset = 99;
  assert_ptr_equal(sn_property_at(rich_table, "gain", &offset), &rich_table[2]);
  assert_int_equal(offset, 0);
  assert_ptr_equal(sn_property_at(rich_table, "limits.upper", &offset), &rich_limits_table[1]);
  assert_int_equal(offset, offsetof(rich, limits));
  static const char *const none[] = {"",       "gai",       "limits.",  ".gain",
                                     "gain.x", "servos.kp", "limits.x", "limits.upper.x"};
  offset = 99;
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    assert_null(sn_property_at(rich_table, none[i], &offset));
  }
  assert_int_equal(offset, 99);
  assert_null(sn_property_find(NULL, "x"));
}

SN_TEST(one_property_is_set_alone) {
  const sn_property *property = sn_property_find(rich_table, "gain");
  assert_int_equal(sn__property_set(property, &object, parse("1.25"), "c.gain", &arena, report),
                   SN_OK);
  sn_assert_near(object.gain, 1.25, 0.0);
  assert_int_equal(sn__property_set(property, &object, parse("9"), "c.gain", &arena, report),
                   SN_EINVAL);
  sn_assert_problems(report, "f.yaml:1:1: error: 'c.gain' is 9, expected 0 .. 2 1/s\n");
  sn_assert_near(object.gain, 1.25, 0.0);
}

SN_TEST(print_is_cut_and_says_how_much_it_takes) {
  const sn_property *property = sn_property_find(rich_table, "names");
  char text[32];
  for (size_t size = 0; size < sizeof text; size++) {
    memset(text, 'x', sizeof text);
    assert_int_equal(sn__property_print(property, &object, text, size),
                     strlen("[\"left\",\"right\"]"));
    assert_true(size == 0 || strlen(text) == (size <= 16 ? size - 1 : 16));
    assert_true(text[size] == 'x');
  }
}

/* A full arena: nothing is changed, however late the memory ends. */
SN_TEST(without_memory_nothing_changes) {
  static const char yaml[] =
      "{label: text, gains: [1, 2], names: [a, b], tree: {a: [b]}, limits: {lower: 0},\n"
      " servos: [{name: x}, {name: y, alpha: [1, 2, 3, 4]}], steps: 8}";
  const sn_value *value = parse(yaml);
  static unsigned char memory[4096];
  size_t refused = 0;
  for (size_t size = 0; size < sizeof memory; size += 8) {
    sn_arena small;
    sn_arena_init(&small, "small", memory, size);
    const sn_status status = sn__property_set_all(rich_table, &object, value, "c", &small, report);
    if (status == SN_OK) {
      assert_int_equal(object.steps, 8);
      break;
    }
    assert_int_equal(status, SN_ENOMEM);
    assert_int_equal(sn_arena_used(&small), 0);
    assert_string_equal(print(), initial);
    refused++;
  }
  assert_true(refused > 10);
  sn_assert_problems(report, "");
}

SN_TEST(bad_initial_values_are_faults) {
  static const sn_property table[] = {
      SN_PROPERTY(rich, "gain", gain, .initial = "3", .min = 0.0, .max = 2.0), {0}};
  sn_assert_fault(sn__property_init_values(table, &object, &arena), "status != SN_EINVAL");
}

SN_TEST_EACH(set_up, tear_down)
