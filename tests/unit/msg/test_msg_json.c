#include <jansson.h>
#include <locale.h>
#include <stdlib.h>

#include "msg/msg_text.h"
#include "msg/wire/msg_json_internal.h"
#include "random_msg.h"
#include "sinew/msg_types.h"
#include "sinew/msg_wire.h"
#include "sn_test.h"

static const sn_msg_capacity capacity = {.item_count = 6, .text_size = 16};

static char *to_json(const sn_msg_type *type, const void *msg) {
  const size_t length = sn_msg_to_json(type, msg, NULL, 0);
  char *text = malloc(length + 1);
  assert_non_null(text);
  assert_int_equal(sn_msg_to_json(type, msg, text, length + 1), length);
  return text;
}

static void round_trip(void) {
  sn_random random;
  sn_random_init(&random, 21);
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    const sn_msg_type *type = sn_msg_type_at(t);
    sn_arena arena;
    sn_arena_init_growing(&arena, "json", 0);
    const char *const texts[] = {"a", "b", "\t\""};
    sn_random_msg_config config = {.is_valid_time = true, .is_json = true};
    assert_int_equal(sn_names_create(&arena, texts, 3, &config.table, NULL), SN_OK);
    void *from = sn_msg_create(&arena, type, &capacity);
    void *to = sn_msg_create(&arena, type, &capacity);
    for (size_t n = 0; n < sn_test_cases(100); n++) {
      sn_random_msg_fill(type, from, &config, &random);
      sn_random_msg_fill(type, to, &config, &random); /* nothing of it may stay */
      char *text = to_json(type, from);
      sn_error err = {SN_OK, ""};
      sn_msg_from_json(type, text, strlen(text), to, &err);
      assert_string_equal(err.message, "");
      assert_true(sn__msg_equal(type, from, to));
      free(text);
    }
    sn_arena_release(&arena);
  }
}

SN_TEST(every_type_survives_a_round_trip) {
  round_trip();
}

SN_TEST(locale_of_the_process_does_not_matter) {
  if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
    skip();
  }
  round_trip();
  setlocale(LC_ALL, "C");
}

SN_TEST(one_line_with_the_names_of_the_fields_is_written) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "json", 0);
  sn_joint_state *joints = sn_msg_create(&arena, &sn_joint_state_type, NULL);
  joints->header.stamp_ns = 12000000034;
  assert_int_equal(sn_msg_text_set(&joints->header.frame_id, "b\xff\n"), SN_OK);
  assert_int_equal(sn_msg_names_add(&joints->name, "hip", 3), SN_OK);
  joints->position.count = 3;
  joints->position.data[0] = 0.1;
  joints->position.data[1] = -0.0;
  joints->position.data[2] = INFINITY;
  char *text = to_json(&sn_joint_state_type, joints);
  assert_string_equal(text,
                      "{\"header\":{\"stamp\":{\"sec\":12,\"nanosec\":34},"
                      "\"frame_id\":\"b\\ufffd\\u000a\"},\"name\":[\"hip\"],"
                      "\"position\":[0.1,-0.0,null],\"velocity\":[],\"effort\":[]}");
  free(text);
  sn_arena_release(&arena);
}

SN_TEST(fields_that_are_missing_become_empty) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "json", 0);
  sn_joint_state *joints = sn_msg_create(&arena, &sn_joint_state_type, NULL);
  const sn_joint_state *empty = sn_msg_create(&arena, &sn_joint_state_type, NULL);
  const char *text = "{\"header\": {\"stamp\": {\"nsec\": 5}}, \"position\": [1, 2.5, null]}";
  joints->effort.count = 3;
  assert_int_equal(sn_msg_from_json(&sn_joint_state_type, text, strlen(text), joints, NULL), SN_OK);
  assert_true(joints->header.stamp_ns == 5);
  assert_int_equal(joints->position.count, 3);
  assert_true(joints->position.data[0] == 1.0 && joints->position.data[1] == 2.5);
  assert_true(isnan(joints->position.data[2]));
  assert_int_equal(joints->effort.count, 0);
  assert_int_equal(sn_msg_from_json(&sn_joint_state_type, "{}", 2, joints, NULL), SN_OK);
  assert_true(sn__msg_equal(&sn_joint_state_type, joints, empty));
  sn_arena_release(&arena);
}

SN_TEST(times_may_have_the_names_of_ros_1) {
  static const char *const texts[] = {"{\"stamp\":{\"sec\":7,\"nanosec\":9}}",
                                      "{\"stamp\":{\"secs\":7,\"nsecs\":9}}",
                                      "{\"stamp\":{\"sec\":7,\"nsec\":9}}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    sn_timer_event event = {0};
    assert_int_equal(
        sn_msg_from_json(&sn_timer_event_type, texts[i], strlen(texts[i]), &event, NULL), SN_OK);
    assert_true(event.stamp_ns == 7000000009);
  }
}

/* Every type, through a file: `seq` and the names of times are those of ROS 1. */
SN_TEST(message_that_is_made_equals_the_one_that_was_written) {
  sn_random random;
  sn_random_init(&random, 27);
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    const sn_msg_type *type = sn_msg_type_at(t);
    sn_arena arena;
    sn_arena_init_growing(&arena, "made", 0);
    void *msg = sn_msg_create(&arena, type, &capacity);
    const sn_random_msg_config config = {.is_finite = true, .is_valid_time = true, .is_json = true};
    sn_random_msg_fill(type, msg, &config, &random);
    char *text = malloc(sn__msg_to_json_ros1(type, msg, NULL, 0) + 1);
    assert_non_null(text);
    sn__msg_to_json_ros1(type, msg, text, sn__msg_to_json_ros1(type, msg, NULL, 0) + 1);
    sn_report *warnings = NULL;
    assert_int_equal(sn_report_create(&arena, &warnings, NULL), SN_OK);
    json_t *root = json_loads(text, 0, NULL);
    void *made = NULL;
    sn_error err = {SN_OK, ""};
    if (sn__msg_make_from_json_tree(type, root, "file", &arena, warnings, &made, &err) != SN_OK) {
      fail_msg("%s: %s", type->name, err.message);
    }
    assert_true(sn__msg_equal(type, made, msg));
    assert_int_equal(sn_report_count(warnings), 0);
    json_decref(root);
    free(text);
    sn_arena_release(&arena);
  }
}

SN_TEST(integers_are_read_up_to_63_bits) {
  sn_timer_event event = {0};
  const char *text = "{\"cycle\": 9223372036854775807}";
  assert_int_equal(sn_msg_from_json(&sn_timer_event_type, text, strlen(text), &event, NULL), SN_OK);
  assert_true(event.cycle == INT64_MAX);
  event.cycle = UINT64_MAX;
  char *all = to_json(&sn_timer_event_type, &event);
  sn_assert_contains(all, "\"cycle\":18446744073709551615}");
  assert_int_equal(sn_msg_from_json(&sn_timer_event_type, all, strlen(all), &event, NULL),
                   SN_ESYNTAX);
  free(all);
}

SN_TEST(bad_json_is_refused_with_its_reason) {
  static const struct {
    const sn_msg_type *type;
    const char *text;
    sn_status status;
    const char *reason;
  } cases[] = {
      {&sn_joint_state_type, "", SN_ESYNTAX, "JSON, line 1"},
      {&sn_joint_state_type, "{\"name\":[}", SN_ESYNTAX, "column 10"},
      {&sn_joint_state_type, "{} {}", SN_ESYNTAX, "end of file expected"},
      {&sn_joint_state_type, "{\"name\":[],\"name\":[]}", SN_ESYNTAX, "duplicate"},
      {&sn_joint_state_type, "{\"name\":[\"\\u0000\"]}", SN_ESYNTAX, "\\u0000"},
      {&sn_joint_state_type, "{\"name\":[\"\xff\"]}", SN_ESYNTAX, "0xff"},
      {&sn_joint_state_type, "[]", SN_EINVAL, "JointState: the JSON is an array"},
      {&sn_joint_state_type, "{\"positon\":[]}", SN_EINVAL, "JointState: unknown field 'positon'"},
      {&sn_joint_state_type, "{\"header\":{\"seq\":1}}", SN_EINVAL,
       "JointState: unknown field 'header.seq'"},
      {&sn_joint_state_type, "{\"header\":1}", SN_EINVAL,
       "'header' is an integer, expected an object"},
      {&sn_joint_state_type, "{\"position\":1}", SN_EINVAL,
       "'position' is an integer, expected an array"},
      {&sn_joint_state_type, "{\"position\":[\"1\"]}", SN_EINVAL,
       "'position[0]' is a text, expected a number or null"},
      {&sn_joint_state_type, "{\"name\":[1]}", SN_EINVAL,
       "'name[0]' is an integer, expected a text"},
      {&sn_joint_state_type, "{\"position\":[0,0,0,0,0,0,0]}", SN_ENOSPC,
       "'position' has 7 items, there is room for 6"},
      {&sn_joint_state_type, "{\"name\":[\"\",\"\",\"\",\"\",\"\",\"\",\"\"]}", SN_ENOSPC,
       "'name' has 7 names, there is room for 6"},
      {&sn_joint_state_type,
       "{\"name\":[\"0123456789012345678901234567890123456789\","
       "\"0123456789012345678901234567890123456789\",\"01234567890123\"]}",
       SN_ENOSPC, "there is room for 96"},
      {&sn_joint_state_type, "{\"header\":{\"frame_id\":\"0123456789abcdef\"}}", SN_ENOSPC,
       "'header.frame_id' has 16 bytes, there is room for 15"},
      {&sn_joint_state_type, "{\"header\":{\"stamp\":1.5}}", SN_EINVAL, "sec and nanosec"},
      {&sn_joint_state_type, "{\"header\":{\"stamp\":{\"s\":1}}}", SN_EINVAL, "nothing but sec"},
      {&sn_joint_state_type, "{\"header\":{\"stamp\":{\"sec\":4294967296}}}", SN_EINVAL,
       "'header.stamp' is 4294967296, expected -2147483648 .. 4294967295"},
      {&sn_joint_state_type, "{\"header\":{\"stamp\":{\"nanosec\":1000000000}}}", SN_EINVAL,
       "expected 0 .. 999999999"},
      {&sn_battery_state_type, "{\"present\":1}", SN_EINVAL, "expected true or false"},
      {&sn_battery_state_type, "{\"power_supply_status\":256}", SN_EINVAL, "expected 0 .. 255"},
      {&sn_battery_state_type, "{\"voltage\":1e39}", SN_EINVAL,
       "expected one that fits into 32 bits"},
      {&sn_resource_request_type, "{\"priority\":-2147483649}", SN_EINVAL,
       "expected -2147483648 .. 2147483647"},
      {&sn_resource_request_type, "{\"priority\":1.0}", SN_EINVAL,
       "a real number, expected an integer"},
      {&sn_resource_request_type, "{\"request_id\":-1}", SN_EINVAL, "expected 0 .."},
      {&sn_servo_model_type, "{\"alpha\":[1,2,3]}", SN_EINVAL, "'alpha' has 3 items, expected 4"},
      {&sn_servo_model_array_type, "{\"models\":[{},{\"kp\":true}]}", SN_EINVAL,
       "ServoModelArray: 'models[1].kp' is true"},
      {&sn_servo_model_array_type, "{\"models\":[{\"name\":\"0123456789abcdef\"}]}", SN_ENOSPC,
       "ServoModelArray: 'models[0].name' has 16 bytes"},
  };
  sn_random random;
  sn_random_init(&random, 22);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sn_arena arena;
    sn_arena_init_growing(&arena, "json", 0);
    void *msg = sn_msg_create(&arena, cases[i].type, &capacity);
    void *before = sn_msg_create(&arena, cases[i].type, &capacity);
    sn_random_msg_fill(cases[i].type, msg, &(sn_random_msg_config){0}, &random);
    assert_int_equal(sn_msg_copy(cases[i].type, before, msg), SN_OK);
    sn_error err = {SN_OK, ""};
    const sn_status status =
        sn_msg_from_json(cases[i].type, cases[i].text, strlen(cases[i].text), msg, &err);
    sn_assert_contains(err.message, cases[i].reason);
    assert_int_equal(status, cases[i].status);
    assert_true(sn__msg_equal(cases[i].type, msg, before)); /* nothing half-read */
    sn_arena_release(&arena);
  }
}

SN_TEST(endless_json_is_refused_before_it_is_read) {
  const size_t size = SN_MSG_JSON_SIZE_MAX + 1;
  char *text = malloc(size);
  assert_non_null(text);
  memset(text, ' ', size);
  memcpy(text, "{}", 2);
  sn_timer_event event = {.cycle = 7};
  assert_int_equal(sn_msg_from_json(&sn_timer_event_type, text, size, &event, NULL), SN_ELIMIT);
  assert_true(event.cycle == 7);
  assert_int_equal(sn_msg_from_json(&sn_timer_event_type, text, size - 1, &event, NULL), SN_OK);
  memset(text, '[', size - 1); /* a million arrays in each other */
  assert_int_equal(sn_msg_from_json(&sn_timer_event_type, text, size - 1, &event, NULL),
                   SN_ESYNTAX);
  free(text);
}
