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

static void assert_not_configured(sn_robot_model *service) {
  assert_false(sn__robot_model_is_configured(service));
  assert_null(sn__robot_model_hold(service));
}

static int joint_index(sn_robot_model *service, const char *joint) {
  const sn_model *model = sn__robot_model_hold(service);
  assert_non_null(model);
  const int index = sn_model_joint_index(model, joint);
  sn__robot_model_release(service);
  return index;
}

SN_TEST(it_can_be_held_only_while_configured) {
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

SN_TEST(configure_again_replaces_the_model) {
  fixture f;
  start(&f);
  configure(&f);
  assert_int_equal(sn__robot_model_configure(f.service, small, strlen(small), NULL, NULL, NULL),
                   SN_OK);
  assert_int_equal(joint_index(f.service, "j"), 0);
  assert_int_equal(joint_index(f.service, "waist"), -1);
  configure(&f);
  assert_int_equal(joint_index(f.service, "waist"), 0);
  finish(&f);
}

SN_TEST(error_leaves_it_unconfigured_and_reusable) {
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

SN_TEST(held_model_stays_until_released) {
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
  sn_assert_fault(sn__robot_model_release(f.service), "HOLD_ONE");
  configure(&f);
  assert_non_null(sn__robot_model_hold(f.service));
  sn_assert_fault(sn__robot_model_destroy(f.service), "HOLD_ONE");
  sn__robot_model_release(f.service);
  finish(&f);
}
