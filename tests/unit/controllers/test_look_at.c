/* LookAt in the standard deployment. */
#include <math.h>
#include <string.h>

#include "cartesian_rig.h"
#include "msg/msg_names_internal.h"
#include "program.h"
#include "sn_test.h"

static double angle_to(cartesian_rig *b, sn_vec3 point) {
  const sn_pose head = cartesian_link(b, "head_link4");
  const sn_vec3 way = sn_vec3_sub(point, head.pos);
  return acos(fmin(1.0, sn_vec3_dot(head.rot.x, way) / sn_vec3_norm(way)));
}

SN_TEST(head_looks_at_a_point_in_every_frame) {
  cartesian_rig b;
  cartesian_open(&b, "look", "");
  const sn_pose base = {sn_mat3_from_rpy(0, 0, 2.0), {1, 2, 0.3}};
  cartesian_write_body(b.in_base, "odom", "base_link", base);
  assert_int_equal(sn_source_write(b.in_base), SN_OK);
  assert_true(sn_deployed_switch(&b.d, "look", true, NULL));
  cartesian_cycles(&b, 5);
  static const sn_vec3 points[] = {{2, 0.8, 0.5}, {1, -0.6, 0.0}, {3, 0, 1.0}};
  for (size_t i = 0; i < 3; i++) {
    const char *frame = i == 0 ? "odom" : i == 1 ? "" : "base_link";
    cartesian_want_point(&b, frame, i == 0 ? sn_pose_apply(base, points[i]) : points[i]);
    cartesian_cycles(&b, 2000);
    sn_assert_near(angle_to(&b, points[i]), 0.0, 2e-3);
    sn_assert_near(cartesian_link(&b, "head_link4").rot.y.z, 0.0, 2e-3); /* upright */
  }
  memcpy(b.last, b.q, sizeof b.last);
  cartesian_want_point(&b, "moon", points[0]);
  cartesian_cycles(&b, 1);
  assert_int_equal(sn_deployed_count_log(&b.d, "its frame is unknown"), 1);
  cartesian_cycles(&b, 500);
  for (size_t j = 0; j < b.n; j++) {
    sn_assert_near(b.q[j], b.last[j], 1e-4);
  }
  cartesian_want_point(&b, "", (sn_vec3){-5, 1, 0});
  cartesian_cycles(&b, 2000);
  assert_int_equal(sn_deployed_count_log(&b.d, "the limb cannot turn that far"), 1);
  cartesian_close(&b);
}

/* The neck may turn little: the eyes get the rest. */
SN_TEST(eyes_get_what_is_left_of_the_angle) {
  sn_deployed d;
  char folder[64], path[128];
  sn_test_folder_create(folder);
  sn_test_write(
      folder, "bust.urdf",
      "<robot name='bust'><link name='base'/><link name='neck'/><link name='head'/>"
      "<link name='eyes1'/><link name='eyes2'/>"
      "<joint name='turn' type='revolute'><parent link='base'/><child link='neck'/>"
      "<origin xyz='0 0 0.3'/><axis xyz='0 0 1'/>"
      "<limit lower='-0.3' upper='0.3' effort='1' velocity='5'/></joint>"
      "<joint name='nod' type='revolute'><parent link='neck'/><child link='head'/>"
      "<axis xyz='0 1 0'/><limit lower='-0.2' upper='0.2' effort='1' velocity='5'/></joint>"
      "<joint name='eye_y' type='revolute'><parent link='head'/><child link='eyes1'/>"
      "<axis xyz='0 0 -1'/><limit lower='-0.5' upper='0.5' effort='1' velocity='5'/></joint>"
      "<joint name='eye_p' type='revolute'><parent link='eyes1'/><child link='eyes2'/>"
      "<axis xyz='0 1 0'/><limit lower='-0.5' upper='0.5' effort='1' velocity='5'/></joint>"
      "</robot>");
  sn_test_write(folder, "d.yaml",
                "include: [standard.yaml]\nrobot: bust.yaml\ncomponents:\n"
                "  look: {properties: {controlled_chains: [head, eyes], eye_pitch: eye_p, "
                "eye_yaw: eye_y}}\n");
  sn_test_write(folder, "bust.yaml",
                "robot: bust.urdf\nkinematics_chains:\n"
                "  head: {first_link: base, last_link: head}\n"
                "  eyes: {first_link: head, last_link: eyes2}\n");
  snprintf(path, sizeof path, "%s/d.yaml", folder);
  sn_deployed_open(&d, path);
  sn_deployed_run(&d, 0.05);
  if (!sn_deployed_switch(&d, "look", true, NULL)) {
    fail_msg("%s", d.err.message);
  }
  sn_source *point = NULL;
  sn_tap *pose = NULL;
  assert_int_equal(sn_source_open(d.system, "look.in_point_ref", NULL, &point, &d.err), SN_OK);
  assert_int_equal(sn_tap_open(d.system, "aggregator.joints_sorted", NULL, &pose, &d.err), SN_OK);
  sn_deployed_run(&d, 0.01);
  sn_point_stamped *msg = sn_source_msg(point);
  msg->point =
      (sn_vec3){cos(0.6), sin(0.6), 0.3}; /* 0.6 rad to the left, at the height of the eyes */
  assert_int_equal(sn_source_write(point), SN_OK);
  sn_deployed_run(&d, 2.0);
  const sn_joint_state *now = sn_tap_read(pose, NULL);
  const double turn = now->position.data[sn__msg_names_index(&now->name, "turn")];
  const double eye = now->position.data[sn__msg_names_index(&now->name, "eye_y")];
  const double pitch = now->position.data[sn__msg_names_index(&now->name, "eye_p")];
  sn_assert_near(turn, 0.3, 1e-3);
  sn_assert_near(eye, -0.3, 1e-2); /* its axis points down */
  sn_assert_near(pitch, 0.0, 1e-2);
  sn_source_close(point);
  sn_tap_close(pose);
  sn_deployed_free(&d);
  sn_test_folder_remove(folder);
}
