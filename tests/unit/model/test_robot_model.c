#include "model/robot_model.h"
#include "robot.h"
#include "sn_test.h"

static const char small[] =
    "<robot name='small'><link name='a'/><link name='b'/><joint name='j' type='continuous'>"
    "<parent link='a'/><child link='b'/></joint></robot>";

/* The service with the torso of robot.h. */
typedef struct fixture {
  sn_arena arena;
  sn_report *report;
  sn_model_config config;
  sn_robot_model *service;
} fixture;

static void start(fixture *f) {
  *f = (fixture){0};
  sn_arena_init_growing(&f->arena, "service", 0);
  assert_int_equal(sn_report_create(&f->arena, &f->report, NULL), SN_OK);
  assert_int_equal(sn_value_parse_yaml(&f->arena, sn_test_torso_yaml, strlen(sn_test_torso_yaml),
                                       "p", f->report, &f->config.properties),
                   SN_OK);
  assert_int_equal(sn__robot_model_create(&f->service, NULL), SN_OK);
}

static void configure(fixture *f) {
  assert_int_equal(sn__robot_model_configure(f->service, sn_test_torso, strlen(sn_test_torso),
                                             &f->config, f->report, NULL),
                   SN_OK);
}

static void finish(fixture *f) {
  sn__robot_model_destroy(f->service);
  sn_arena_release(&f->arena);
}

/* Call every query; each must return the status, and leave its output untouched unless it is SN_OK.
 * Each gets room of the given size. */
static void assert_all_answer(sn_robot_model *service, sn_status expected, size_t room) {
  char text[4096];
  char untouched[4096];
  memset(text, '#', sizeof text);
  memset(untouched, '#', sizeof untouched);
  sn_name_list list = {.text = text, .text_size = room, .count = 77};
  static const char *const joints[] = {"waist"};
  assert_int_equal(sn__robot_model_list_chains(service, &list), expected);
  assert_int_equal(sn__robot_model_list_joints(service, &list), expected);
  assert_int_equal(sn__robot_model_list_contacts(service, &list), expected);
  assert_int_equal(sn__robot_model_chain_joints(service, "left", &list), expected);
  assert_int_equal(sn__robot_model_joints_chains(service, joints, 1, &list), expected);
  assert_int_equal(sn__robot_model_joint_chain(service, "waist", text, room), expected);
  assert_int_equal(sn__robot_model_chain_default_contact(service, "left", text, room), expected);
  assert_int_equal(sn__robot_model_chain_property(service, "left", "colour", text, room), expected);
  assert_int_equal(sn__robot_model_description(service, text, room), expected);
  sn_vec3 point = {-7, -7, -7};
  sn_point_buffer buffer = {.points = &point, .capacity = 0};
  int appended = -77;
  assert_int_equal(sn__robot_model_add_contact_points(service, "palm", &buffer, &appended),
                   expected);
  assert_memory_equal(text, untouched, sizeof text);
  assert_int_equal(list.count, 77);
  assert_int_equal(appended, -77);
  assert_int_equal(buffer.count, 0);
  sn_assert_near(point.x, -7.0, 0.0);
}

static void assert_not_configured(sn_robot_model *service) {
  assert_false(sn__robot_model_is_configured(service));
  assert_null(sn__robot_model_hold(service));
  int index = 77;
  assert_int_equal(sn__robot_model_joint_index(service, "waist", &index), SN_ENOTCONFIGURED);
  assert_int_equal(sn__robot_model_chain_index(service, "left", &index), SN_ENOTCONFIGURED);
  assert_int_equal(index, 77);
  assert_all_answer(service, SN_ENOTCONFIGURED, 4096);
}

static void before_configuration_every_query_fails(void **state) {
  (void)state;
  fixture f;
  start(&f);
  assert_not_configured(f.service);
  assert_int_equal(sn__robot_model_cleanup(f.service), SN_OK); /* nothing to do */
  assert_not_configured(f.service);
  configure(&f);
  assert_true(sn__robot_model_is_configured(f.service));
  assert_int_equal(sn__robot_model_cleanup(f.service), SN_OK);
  assert_not_configured(f.service);
  finish(&f);
  sn__robot_model_destroy(NULL);
}

static void assert_list(const sn_name_list *list, const char *const *expected, size_t count) {
  assert_int_equal(list->count, count);
  const char *at = list->text;
  for (size_t i = 0; i < count; i++) {
    assert_string_equal(at, expected[i]);
    at += strlen(at) + 1;
  }
}

static void queries_return_what_the_model_returns(void **state) {
  (void)state;
  fixture f;
  start(&f);
  configure(&f);
  sn_robot_model *s = f.service;
  char text[4096];
  sn_name_list list = {.text = text, .text_size = sizeof text};
  int index = 77;
  assert_int_equal(sn__robot_model_joint_index(s, "l_elbow", &index), SN_OK);
  assert_int_equal(index, 2);
  assert_int_equal(sn__robot_model_joint_index(s, "unknown", &index), SN_OK);
  assert_int_equal(index, -1);
  assert_int_equal(sn__robot_model_chain_index(s, "right", &index), SN_OK);
  assert_int_equal(index, 1);
  assert_int_equal(sn__robot_model_chain_index(s, "", &index), SN_OK);
  assert_int_equal(index, -1);
  assert_int_equal(sn__robot_model_list_chains(s, &list), SN_OK);
  assert_list(&list, (const char *const[]){"left", "right"}, 2);
  assert_int_equal(sn__robot_model_list_contacts(s, &list), SN_OK);
  assert_list(&list, (const char *const[]){"tip", "palm"}, 2);
  assert_int_equal(sn__robot_model_list_joints(s, &list), SN_OK);
  assert_list(
      &list,
      (const char *const[]){"waist", "l_shoulder", "l_elbow", "l_virtual_joint", "r_shoulder",
                            "r_elbow", "tail_joint", "finger2_joint", "finger1_joint"},
      9);
  assert_int_equal(sn__robot_model_chain_joints(s, "left", &list), SN_OK);
  assert_list(&list, (const char *const[]){"waist", "l_shoulder", "l_elbow", "l_virtual_joint"}, 4);
  static const char *const joints[] = {"r_elbow", "tail_joint", "l_elbow", "waist", "unknown"};
  assert_int_equal(sn__robot_model_joints_chains(s, joints, 5, &list), SN_OK);
  assert_list(&list, (const char *const[]){"right", "left"}, 2);
  assert_int_equal(sn__robot_model_joints_chains(s, joints, 0, &list), SN_OK);
  assert_int_equal(list.count, 0);
  assert_int_equal(sn__robot_model_joint_chain(s, "waist", text, sizeof text), SN_OK);
  assert_string_equal(text, "left");
  assert_int_equal(sn__robot_model_joint_chain(s, "tail_joint", text, sizeof text), SN_OK);
  assert_string_equal(text, "");
  assert_int_equal(sn__robot_model_chain_default_contact(s, "left", text, sizeof text), SN_OK);
  assert_string_equal(text, "palm");
  assert_int_equal(sn__robot_model_chain_default_contact(s, "right", text, sizeof text), SN_OK);
  assert_string_equal(text, "");
  assert_int_equal(sn__robot_model_chain_property(s, "left", "weight", text, sizeof text), SN_OK);
  assert_string_equal(text, "1.50");
  assert_int_equal(sn__robot_model_description(s, text, sizeof text), SN_OK);
  assert_string_equal(text, sn_test_torso);
  sn_vec3 points[3];
  sn_point_buffer buffer = {.points = points, .capacity = 3};
  assert_int_equal(sn__robot_model_add_contact_points(s, "palm", &buffer, &index), SN_OK);
  assert_int_equal(index, 3);
  assert_int_equal(buffer.count, 3);
  assert_int_equal(sn__robot_model_add_contact_points(s, "unknown", &buffer, &index), SN_OK);
  assert_int_equal(index, -1);
  finish(&f);
}

static void unknown_names_are_reported_and_outputs_are_untouched(void **state) {
  (void)state;
  fixture f;
  start(&f);
  configure(&f);
  sn_robot_model *s = f.service;
  char text[16] = "#";
  sn_name_list list = {.text = text, .text_size = sizeof text, .count = 77};
  assert_int_equal(sn__robot_model_chain_joints(s, "unknown", &list), SN_ENOENT);
  assert_int_equal(sn__robot_model_chain_default_contact(s, "unknown", text, sizeof text),
                   SN_ENOENT);
  assert_int_equal(sn__robot_model_chain_property(s, "unknown", "colour", text, sizeof text),
                   SN_ENOENT);
  assert_int_equal(sn__robot_model_chain_property(s, "left", "nothing", text, sizeof text),
                   SN_ENOENT);
  assert_string_equal(text, "#");
  assert_int_equal(list.count, 77);
  /* A joint that does not exist, or does not move, is in no chain. */
  static const char *const joints[] = {"unknown", "l_wrist"};
  for (size_t i = 0; i < 2; i++) {
    text[0] = '#';
    assert_int_equal(sn__robot_model_joint_chain(s, joints[i], text, sizeof text), SN_OK);
    assert_string_equal(text, "");
  }
  finish(&f);
}

static void too_little_room_is_reported_and_outputs_are_untouched(void **state) {
  (void)state;
  fixture f;
  start(&f);
  configure(&f);
  assert_all_answer(f.service, SN_ENOSPC, 0);
  assert_all_answer(f.service, SN_ENOSPC, 1);
  assert_all_answer(f.service, SN_ENOSPC, 3);
  /* Exactly enough. */
  char text[16] = "";
  sn_name_list list = {.text = text, .text_size = sizeof "left" + sizeof "right"};
  assert_int_equal(sn__robot_model_list_chains(f.service, &list), SN_OK);
  list.text_size--;
  assert_int_equal(sn__robot_model_list_chains(f.service, &list), SN_ENOSPC);
  assert_int_equal(sn__robot_model_joint_chain(f.service, "waist", text, 5), SN_OK);
  assert_int_equal(sn__robot_model_joint_chain(f.service, "waist", text, 4), SN_ENOSPC);
  finish(&f);
}

static void configure_again_replaces_the_model(void **state) {
  (void)state;
  fixture f;
  start(&f);
  configure(&f);
  assert_int_equal(sn__robot_model_configure(f.service, small, strlen(small), NULL, NULL, NULL),
                   SN_OK);
  int index = 77;
  assert_int_equal(sn__robot_model_joint_index(f.service, "j", &index), SN_OK);
  assert_int_equal(index, 0);
  assert_int_equal(sn__robot_model_joint_index(f.service, "waist", &index), SN_OK);
  assert_int_equal(index, -1);
  configure(&f);
  assert_int_equal(sn__robot_model_joint_index(f.service, "waist", &index), SN_OK);
  assert_int_equal(index, 0);
  finish(&f);
}

static void error_leaves_it_unconfigured_and_reusable(void **state) {
  (void)state;
  fixture f;
  start(&f);
  configure(&f);
  static const char bad[] = "<robot name='r'><link/></robot>";
  sn_error err = {0};
  assert_int_equal(sn__robot_model_configure(f.service, bad, strlen(bad), NULL, NULL, &err),
                   SN_EMODEL);
  assert_string_equal(err.message, "robot_description:1:17: <link> has no name");
  assert_not_configured(f.service);
  assert_int_equal(sn__robot_model_configure(f.service, "", 0, NULL, NULL, NULL), SN_ESYNTAX);
  assert_not_configured(f.service);
  /* All problems are in the report. */
  assert_int_equal(sn__robot_model_configure(f.service, bad, strlen(bad), NULL, f.report, NULL),
                   SN_EMODEL);
  assert_int_equal(sn_report_error_count(f.report), 1);
  assert_not_configured(f.service);
  assert_int_equal(sn_report_create(&f.arena, &f.report, NULL), SN_OK);
  configure(&f);
  assert_true(sn__robot_model_is_configured(f.service));
  finish(&f);
}

static void held_model_stays_until_released(void **state) {
  (void)state;
  fixture f;
  start(&f);
  configure(&f);
  const sn_model *model = sn__robot_model_hold(f.service);
  assert_non_null(model);
  assert_ptr_equal(sn__robot_model_hold(f.service), model);
  sn_error err = {0};
  assert_int_equal(sn__robot_model_cleanup(f.service), SN_EBUSY);
  assert_int_equal(sn__robot_model_configure(f.service, small, strlen(small), NULL, NULL, &err),
                   SN_EBUSY);
  assert_string_equal(err.message, "robot_model: the current model is in use");
  assert_true(sn__robot_model_is_configured(f.service));
  assert_int_equal(sn_model_joint_index(model, "waist"), 0);
  sn__robot_model_release(f.service);
  assert_int_equal(sn__robot_model_cleanup(f.service), SN_EBUSY); /* one is left */
  sn__robot_model_release(f.service);
  assert_int_equal(sn__robot_model_cleanup(f.service), SN_OK);
  sn_assert_fault(sn__robot_model_release(f.service), "HOLD_MASK");
  configure(&f);
  assert_non_null(sn__robot_model_hold(f.service));
  sn_assert_fault(sn__robot_model_destroy(f.service), "PHASE_MASK");
  sn__robot_model_release(f.service);
  finish(&f);
}

/* UTF-16 holds NUL bytes: the description is copied whole, not up to the first of them. */
static void description_is_copied_whole(void **state) {
  (void)state;
  char wide[2 * sizeof small];
  size_t size = 0;
  wide[size++] = '\xFF';
  wide[size++] = '\xFE';
  for (const char *c = small; *c != '\0'; c++) {
    wide[size++] = *c;
    wide[size++] = '\0';
  }
  fixture f;
  start(&f);
  assert_int_equal(sn__robot_model_configure(f.service, wide, size, NULL, NULL, NULL), SN_OK);
  char text[4 * sizeof small];
  memset(text, '#', sizeof text);
  assert_int_equal(sn__robot_model_description(f.service, text, size), SN_ENOSPC);
  assert_int_equal(text[0], '#');
  assert_int_equal(sn__robot_model_description(f.service, text, size + 1), SN_OK);
  assert_memory_equal(text, wide, size);
  assert_int_equal(text[size], '\0');
  assert_int_equal(text[size + 1], '#');
  finish(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(before_configuration_every_query_fails),
      cmocka_unit_test(queries_return_what_the_model_returns),
      cmocka_unit_test(unknown_names_are_reported_and_outputs_are_untouched),
      cmocka_unit_test(too_little_room_is_reported_and_outputs_are_untouched),
      cmocka_unit_test(configure_again_replaces_the_model),
      cmocka_unit_test(error_leaves_it_unconfigured_and_reusable),
      cmocka_unit_test(held_model_stays_until_released),
      cmocka_unit_test(description_is_copied_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
