#include <stdlib.h>

#include "msg/wire/msg_csv.h"
#include "random_msg.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

static sn_arena arena;
static char text[1 << 16];

static int set_up(void **state) {
  (void)state;
  sn_arena_init_growing(&arena, "csv", 0);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sn_arena_release(&arena);
  return 0;
}

static void expect_row(const sn_msg_type *type, const void *msg, size_t row, const char *expected) {
  assert_int_equal(sn__msg_csv_row(type, msg, row, text, sizeof text), strlen(expected));
  assert_string_equal(text, expected);
}

static void expect_names(const sn_msg_type *type, const char *expected) {
  assert_int_equal(sn__msg_csv_names(type, text, sizeof text), strlen(expected));
  assert_string_equal(text, expected);
}

SN_TEST(joint_state_has_a_row_for_each_joint) {
  sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, NULL);
  expect_names(&sn_joint_state_type, "joint,position,velocity,effort");
  assert_int_equal(sn__msg_csv_row_count(&sn_joint_state_type, msg), 1);
  expect_row(&sn_joint_state_type, msg, 0, ",,,");
  sn_msg_names_add(&msg->name, "hip", 3);
  sn_msg_names_add(&msg->name, "knee", 4);
  msg->position.count = 2;
  msg->position.data[0] = 0.1;
  msg->position.data[1] = -0.0;
  msg->effort.count = 1;
  msg->effort.data[0] = 1e300;
  assert_int_equal(sn__msg_csv_row_count(&sn_joint_state_type, msg), 2);
  expect_row(&sn_joint_state_type, msg, 0, "hip,0.1,,1e+300");
  expect_row(&sn_joint_state_type, msg, 1, "knee,-0.0,,");
  expect_names(&sn_joint_state_accel_type, "joint,position,velocity,acceleration,effort");
}

SN_TEST(fields_within_fields_are_columns) {
  sn_limb_state *limbs = sn_msg_create(&arena, &sn_limb_state_type, NULL);
  expect_names(&sn_limb_state_type,
               "frame_id,name,pose.position.x,pose.position.y,pose.position.z,pose.orientation.x,"
               "pose.orientation.y,pose.orientation.z,pose.orientation.w,twist.linear.x,"
               "twist.linear.y,twist.linear.z,twist.angular.x,twist.angular.y,twist.angular.z");
  sn_msg_text_set(&limbs->header.frame_id, "base");
  sn_msg_names_add(&limbs->name, "leg", 3);
  limbs->pose.count = 1;
  limbs->pose.data[0] = (sn_msg_pose){{1, 2, 3}, {.w = 1}};
  expect_row(&sn_limb_state_type, limbs, 0, "base,leg,1,2,3,0,0,0,1,,,,,,");
  sn_servo_model_array *models = sn_msg_create(&arena, &sn_servo_model_array_type, NULL);
  models->models.count = 2;
  sn_msg_text_set(&models->models.data[1].name, "b");
  models->models.data[1].alpha[3] = 0.5;
  expect_names(&sn_servo_model_array_type,
               "frame_id,models.name,models.kp,models.kgear,models.alpha[0],models.alpha[1],"
               "models.alpha[2],models.alpha[3],models.qs,models.delta,models.inertia,"
               "models.load_friction[0],models.load_friction[1],models.has_load_friction");
  expect_row(&sn_servo_model_array_type, models, 1, ",b,0,0,0,0,0,0.5,0,0,0,0,0,0");
  const sn_timer_event event = {.stamp_ns = 5, .period_ns = 1000000, .cycle = UINT64_MAX};
  expect_names(&sn_timer_event_type, "period,cycle");
  expect_row(&sn_timer_event_type, &event, 0, "0.001000000,18446744073709551615");
}

SN_TEST(odd_texts_are_quoted_and_cleaned) {
  static const char *const cases[][2] = {
      {"", ""},
      {"plain é→", "plain é→"},
      {"a,b", "\"a,b\""},
      {"say \"no\"", "\"say \"\"no\"\"\""},
      {" leading", "\" leading\""},
      {"line\nend", "\"line\\x0aend\""},
      {"\033[31m", "\"\\x1b[31m\""},
      {"\x7f\xff\xc2\x85", "\"\\x7f\\xff\\xc2\\x85\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(sn__msg_csv_text(cases[i][0], text, sizeof text), strlen(cases[i][1]));
    assert_string_equal(text, cases[i][1]);
  }
}

SN_TEST(time_has_nine_decimals) {
  sn__msg_csv_time(1700000000123456789, text, sizeof text);
  assert_string_equal(text, "1700000000.123456789");
  sn__msg_csv_time(-1, text, sizeof text);
  assert_string_equal(text, "-0.000000001");
}

static size_t count_cells(const char *line) {
  size_t count = 1;
  bool is_quoted = false;
  for (; *line != '\0'; line++) {
    is_quoted = is_quoted != (*line == '"');
    count += *line == ',' && !is_quoted;
  }
  assert_false(is_quoted);
  return count;
}

/* Of every type, whatever it holds: as many cells as names, one line, and the same if cut. */
SN_TEST(every_row_has_all_columns) {
  const sn_msg_capacity capacity = {.item_count = 6, .text_size = 10};
  const sn_random_msg_config config = {0};
  sn_random random;
  sn_random_init(&random, 51);
  static char cut[sizeof text];
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    const sn_msg_type *type = sn_msg_type_at(t);
    void *msg = sn_msg_create(&arena, type, &capacity);
    sn__msg_csv_names(type, text, sizeof text);
    const size_t columns = count_cells(text);
    for (size_t n = 0; n < sn_test_cases(100); n++) {
      sn_random_msg_fill(type, msg, &config, &random);
      const size_t rows = sn__msg_csv_row_count(type, msg);
      assert_in_range(rows, 1, 6);
      for (size_t row = 0; row < rows; row++) {
        const size_t size = sn__msg_csv_row(type, msg, row, text, sizeof text);
        assert_int_equal(count_cells(text), columns);
        assert_null(strpbrk(text, "\r\n"));
        const size_t room = sn_random_below(&random, size + 1) + 1;
        assert_int_equal(sn__msg_csv_row(type, msg, row, cut, room), size);
        assert_memory_equal(cut, text, room - 1);
        assert_int_equal(cut[room - 1], '\0');
      }
    }
  }
}

SN_TEST(stamp_is_that_of_the_message) {
  sn_joint_state *joints = sn_msg_create(&arena, &sn_joint_state_type, NULL);
  joints->header.stamp_ns = 77;
  assert_int_equal(sn_msg_stamp_ns(&sn_joint_state_type, joints), 77);
  const sn_timer_event event = {.stamp_ns = 5};
  assert_int_equal(sn_msg_stamp_ns(&sn_timer_event_type, &event), 5);
  const sn_vec3 point = {1, 2, 3};
  assert_int_equal(sn_msg_stamp_ns(&sn_point_type, &point), 0);
  const sn_servo_model model = {.kp = 3};
  assert_int_equal(sn_msg_stamp_ns(&sn_servo_model_type, &model), 0);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

SN_TEST_EACH(set_up, tear_down)
