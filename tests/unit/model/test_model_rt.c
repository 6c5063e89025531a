#include <stdlib.h>

#include "allocation.h"
#include "model/groups.h"
#include "model/robot_model.h"
#include "robot.h"
#include "sn_test.h"

/* No query of the model touches the heap. Under a sanitizer nothing is counted; the first test
 * shows that the watch works. */

SN_TEST(watch_sees_the_heap) {
  if (!sn_test_heap_is_watched()) {
    skip();
  }
  const size_t calls = sn_test_heap_calls();
  const long live = sn_test_heap_live();
  void *volatile block = malloc(10);
  assert_int_equal(sn_test_heap_live(), live + 1);
  block = realloc(block, 1000);
  free(block);
  block = calloc(3, 5);
  free(block);
  assert_int_equal(sn_test_heap_calls() - calls, 5);
  assert_int_equal(sn_test_heap_live(), live);
  sn_test_heap_fail(2, 1);
  void *volatile first = malloc(1);
  void *volatile second = malloc(1);
  void *volatile third = malloc(1);
  sn_test_heap_fail(1, 0);
  assert_non_null(first);
  assert_null(second);
  assert_non_null(third);
  free(first);
  free(third);
}

SN_TEST(queries_of_the_model_do_not_touch_the_heap) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, sn_test_torso, sn_test_torso_yaml);
  const sn_model *m = robot.model;
  static const char *const joints[] = {"waist", "r_elbow", "unknown"};
  int chains[SN_CHAINS_MAX];
  size_t count = 0;
  sn_vec3 points[8];
  sn_point_buffer buffer = {.points = points, .capacity = 8};
  sn_assert_no_heap({
    sn_model_name(m);
    sn_model_description(m, &count);
    sn_model_link(m, sn_model_link_count(m) - 1);
    sn_model_link_index(m, "l_hand");
    sn_model_joint(m, sn_model_joint_count(m) - 1);
    sn_model_pose_size(m);
    sn_model_dof(m);
    sn_model_joint_names(m);
    sn_model_joint_index(m, "unknown");
    sn_model_chain_names(m);
    sn_model_chain(m, 0, true);
    sn_model_chain_index(m, "right");
    sn_model_chain_default_contact(m, 0);
    sn_model_chain_property(m, 0, "colour");
    sn__model_joints_chains(m, joints, 3, chains, SN_CHAINS_MAX, &count);
    sn_model_contact_names(m);
    sn_model_contact_index(m, "palm");
    sn_model_contact(m, 0);
    sn_model_add_contact_points(m, "palm", &buffer);
    sn__model_group_names(m);
    sn__model_group(m, 0);
    sn_model_tree(m);
  });
  assert_int_equal(count, 2);
  sn_test_robot_free(&robot);
}

SN_TEST(holding_the_service_does_not_touch_the_heap) {
  sn_robot_model *s = NULL;
  assert_int_equal(sn__robot_model_create(&s, NULL), SN_OK);
  for (int configured = 0; configured < 2; configured++) {
    if (configured) {
      assert_int_equal(
          sn__robot_model_configure(s, sn_test_torso, strlen(sn_test_torso), NULL, NULL, NULL),
          SN_OK);
    }
    sn_assert_no_heap({
      sn__robot_model_is_configured(s);
      if (sn__robot_model_hold(s) != NULL) {
        sn__robot_model_release(s);
      }
    });
  }
  sn__robot_model_destroy(s);
}
