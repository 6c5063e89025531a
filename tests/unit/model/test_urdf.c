#include "robot.h"
#include "sn_test.h"

/* How each element and attribute is read. Errors are in test_urdf_problems.c and, at large, in
 * tests/corpus. */

#define HEAD "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n"
#define ENDS "<parent link='a'/><child link='b'/>"
#define LIMIT "<limit lower='-1' upper='2' effort='3' velocity='4'/>"

/* The one joint of a robot of two links. */
static const sn_joint *read_joint(sn_test_robot *robot, const char *type, const char *inside) {
  char urdf[1024];
  snprintf(urdf, sizeof urdf, HEAD "<joint name='j' type='%s'>" ENDS "%s</joint>\n</robot>", type,
           inside);
  sn_test_robot_init_good(robot, urdf, NULL);
  return sn_model_joint(robot->model, 0);
}

SN_TEST(types_are_read) {
  static const struct {
    const char *text;
    sn_joint_type type;
    size_t pose_size, dof;
  } cases[] = {
      {"fixed", SN_JOINT_FIXED, 0, 0},           {"revolute", SN_JOINT_REVOLUTE, 1, 1},
      {"continuous", SN_JOINT_CONTINUOUS, 1, 1}, {"prismatic", SN_JOINT_PRISMATIC, 1, 1},
      {"floating", SN_JOINT_FLOATING, 1, 0},     {"planar", SN_JOINT_PLANAR, 1, 0},
  };
  for (size_t i = 0; i < 6; i++) {
    sn_test_robot robot;
    const sn_joint *joint = read_joint(&robot, cases[i].text, LIMIT);
    assert_int_equal(joint->type, cases[i].type);
    assert_int_equal(sn_model_pose_size(robot.model), cases[i].pose_size);
    assert_int_equal(sn_model_dof(robot.model), cases[i].dof);
    assert_int_equal(joint->body, cases[i].dof == 1 ? 0 : -1);
    assert_int_equal(sn_model_tree(robot.model)->body_count, cases[i].dof);
    sn_test_robot_free(&robot);
  }
}

SN_TEST(missing_values_have_their_defaults) {
  sn_test_robot robot;
  const sn_joint *joint = read_joint(&robot, "continuous", "");
  assert_string_equal(joint->name, "j");
  sn_assert_pose_near(joint->pose_parent_joint, sn_pose_identity(), 0.0);
  sn_assert_near(joint->axis.x, 1.0, 0.0);
  sn_assert_near(joint->axis.y, 0.0, 0.0);
  sn_assert_near(joint->axis.z, 0.0, 0.0);
  assert_true(joint->lower == -INFINITY && joint->upper == INFINITY);
  assert_true(joint->lower_hard == -INFINITY && joint->upper_hard == INFINITY);
  assert_true(joint->velocity_max == INFINITY && joint->effort_max == INFINITY);
  assert_true(joint->acceleration_max == INFINITY && joint->deceleration_max == INFINITY);
  assert_true(joint->jerk_max == INFINITY);
  sn_assert_near(joint->damping, 0.0, 0.0);
  sn_assert_near(joint->friction, 0.0, 0.0);
  assert_int_equal(joint->mimic, -1);
  assert_int_equal(joint->parent_link, 0);
  assert_int_equal(joint->child_link, 1);
  const sn_link *link = sn_model_link(robot.model, 1);
  assert_false(link->has_inertial);
  sn_assert_near(link->mass_kg, 0.0, 0.0);
  assert_int_equal(link->parent_joint, 0);
  sn_test_robot_free(&robot);
}

SN_TEST(limits_and_dynamics_are_read) {
  sn_test_robot robot;
  const sn_joint *joint =
      read_joint(&robot, "prismatic", LIMIT "<dynamics damping='0.25' friction='0.5'/>");
  sn_assert_near(joint->lower, -1.0, 0.0);
  sn_assert_near(joint->upper, 2.0, 0.0);
  sn_assert_near(joint->lower_hard, -1.0, 0.0);
  sn_assert_near(joint->upper_hard, 2.0, 0.0);
  sn_assert_near(joint->effort_max, 3.0, 0.0);
  sn_assert_near(joint->velocity_max, 4.0, 0.0);
  sn_assert_near(joint->damping, 0.25, 0.0);
  sn_assert_near(joint->friction, 0.5, 0.0);
  assert_true(joint->acceleration_max == INFINITY);
  sn_test_robot_free(&robot);
  /* A missing range is the point 0, as URDF defines it. */
  joint = read_joint(&robot, "revolute", "<limit effort='3' velocity='4'/>");
  sn_assert_near(joint->lower, 0.0, 0.0);
  sn_assert_near(joint->upper, 0.0, 0.0);
  sn_test_robot_free(&robot);
  /* A continuous joint has limits of velocity and effort, but no range. */
  joint = read_joint(&robot, "continuous", LIMIT);
  assert_true(joint->lower == -INFINITY && joint->upper == INFINITY);
  sn_assert_near(joint->effort_max, 3.0, 0.0);
  sn_assert_near(joint->velocity_max, 4.0, 0.0);
  sn_test_robot_free(&robot);
}

/* The effective range is the tighter of hard and soft, considering only given attributes. */
SN_TEST(soft_limits_narrow_the_range) {
  static const struct {
    const char *soft;
    double lower, upper;
    size_t warning_count;
  } cases[] = {
      {"", -1, 2, 0},
      {"<safety_controller k_velocity='1'/>", -1, 2, 0},
      {"<safety_controller k_velocity='1' soft_lower_limit='-0.5'/>", -0.5, 2, 0},
      {"<safety_controller k_velocity='1' soft_upper_limit='0.5'/>", -1, 0.5, 0},
      {"<safety_controller soft_lower_limit='0' soft_upper_limit='1'/>", 0, 1, 0},
      {"<safety_controller soft_lower_limit='0' soft_upper_limit='0'/>", 0, 0, 0},
      {"<safety_controller soft_lower_limit='-1' soft_upper_limit='2'/>", -1, 2, 0},
      {"<safety_controller soft_lower_limit='-3' soft_upper_limit='1'/>", -1, 1, 1},
      {"<safety_controller soft_lower_limit='-3' soft_upper_limit='9'/>", -1, 2, 2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char inside[256];
    snprintf(inside, sizeof inside, "%s%s", LIMIT, cases[i].soft);
    sn_test_robot robot;
    const sn_joint *joint = read_joint(&robot, "revolute", inside);
    sn_assert_near(joint->lower, cases[i].lower, 0.0);
    sn_assert_near(joint->upper, cases[i].upper, 0.0);
    sn_assert_near(joint->lower_hard, -1.0, 0.0);
    sn_assert_near(joint->upper_hard, 2.0, 0.0);
    assert_int_equal(sn_report_warning_count(robot.report) - 1, cases[i].warning_count);
    const sn_chain *chain = sn_model_chain(robot.model, 0, true);
    sn_assert_near(chain->lower[0], cases[i].lower, 0.0);
    sn_assert_near(chain->upper[0], cases[i].upper, 0.0);
    sn_test_robot_free(&robot);
  }
  sn_test_robot robot;
  const sn_joint *joint =
      read_joint(&robot, "continuous",
                 "<safety_controller k_velocity='1' soft_lower_limit='0' soft_upper_limit='1'/>");
  assert_true(joint->lower == -INFINITY && joint->upper == INFINITY);
  sn_test_robot_free(&robot);
}

/* URDF 1.2: limits of acceleration, deceleration and jerk. */
SN_TEST(limits_of_version_1_2_are_read) {
  sn_test_robot robot;
  const sn_joint *joint =
      read_joint(&robot, "continuous",
                 "<limit effort='1' velocity='1' acceleration='5' deceleration='6' jerk='7'/>");
  sn_assert_near(joint->acceleration_max, 5.0, 0.0);
  sn_assert_near(joint->deceleration_max, 6.0, 0.0);
  sn_assert_near(joint->jerk_max, 7.0, 0.0);
  sn_test_robot_free(&robot);
  joint = read_joint(&robot, "continuous", "<limit effort='1' velocity='1' acceleration='5'/>");
  sn_assert_near(joint->deceleration_max, 5.0, 0.0);
  assert_true(joint->jerk_max == INFINITY);
  sn_test_robot_free(&robot);
}

/* URDF 1.1: a rotation as a quaternion. */
SN_TEST(quaternion_of_version_1_1_is_read) {
  static const char text[] =
      "<robot name='r' version='1.1'><link name='a'/><link name='b'/><joint name='j' type='fixed'>"
      "<origin xyz='1 2 3' quat_xyzw='0.1 -0.2 0.3 0.927361849549570'/>" ENDS "</joint></robot>";
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, text, NULL);
  sn_assert_problems(robot.report, "");
  const sn_pose pose = sn_model_joint(robot.model, 0)->pose_parent_joint;
  const sn_quat q = sn_quat_from_mat3(pose.rot);
  sn_assert_near(q.x, 0.1, 1e-15);
  sn_assert_near(q.y, -0.2, 1e-15);
  sn_assert_near(q.z, 0.3, 1e-15);
  sn_assert_near(pose.pos.y, 2.0, 0.0);
  sn_test_robot_free(&robot);
}

SN_TEST(axis_is_made_a_unit_vector) {
  static const struct {
    const char *text;
    sn_vec3 axis;
  } cases[] = {
      {"0 0 1", {0, 0, 1}},     {"0 -3 4", {0, -0.6, 0.8}},       {"1e-200 0 0", {1, 0, 0}},
      {"0 1e200 0", {0, 1, 0}}, {"\t0\n\r 0 \n-2e0", {0, 0, -1}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char inside[128];
    snprintf(inside, sizeof inside, "<axis xyz='%s'/>", cases[i].text);
    sn_test_robot robot;
    const sn_joint *joint = read_joint(&robot, "continuous", inside);
    sn_assert_near(sn_vec3_norm(sn_vec3_sub(joint->axis, cases[i].axis)), 0.0, 1e-15);
    sn_test_robot_free(&robot);
  }
  /* A fixed joint may have any axis: it is ignored. */
  sn_test_robot robot;
  read_joint(&robot, "fixed", "<axis xyz='0 0 0'/>");
  sn_assert_problems(robot.report, "");
  sn_test_robot_free(&robot);
}

SN_TEST(origin_is_fixed_axis_roll_pitch_yaw) {
  sn_test_robot robot;
  const sn_joint *joint =
      read_joint(&robot, "fixed", "<origin xyz='0.5 -1.5 2.5' rpy='0.3 -0.7 2.1'/>");
  /* R(yaw about z) R(pitch about y) R(roll about x), column by column. */
  const double cr = cos(0.3), sr = sin(0.3), cp = cos(-0.7), sp = sin(-0.7);
  const double cy = cos(2.1), sy = sin(2.1);
  const sn_pose expected = {{{cy * cp, sy * cp, -sp},
                             {cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr},
                             {cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr}},
                            {0.5, -1.5, 2.5}};
  sn_assert_pose_near(joint->pose_parent_joint, expected, 1e-15);
  sn_test_robot_free(&robot);
}

/* The inertia turns with the frame it is given in; the root's is kept like any other. */
SN_TEST(inertial_is_read_in_the_axes_of_the_link) {
  static const char text[] =
      "<robot name='r'><link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>"
      "<mass value='4'/><inertia ixx='1' ixy='0.1' ixz='0.2' iyy='2' iyz='0.3' izz='2.5'/>"
      "</inertial></link></robot>";
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, text, NULL);
  sn_assert_problems(robot.report, "");
  const sn_link *link = sn_model_link(robot.model, 0);
  assert_true(link->has_inertial);
  sn_assert_near(link->mass_kg, 4.0, 0.0);
  sn_assert_near(link->com.z, 3.0, 0.0);
  /* A quarter turn about z: x becomes y, y becomes -x. */
  sn_assert_near(link->inertia.xx, 2.0, 1e-15);
  sn_assert_near(link->inertia.yy, 1.0, 1e-15);
  sn_assert_near(link->inertia.zz, 2.5, 1e-15);
  sn_assert_near(link->inertia.xy, -0.1, 1e-15);
  sn_assert_near(link->inertia.xz, -0.3, 1e-15);
  sn_assert_near(link->inertia.yz, 0.2, 1e-15);
  const sn_inertia base = sn_model_tree(robot.model)->base_inertia;
  sn_assert_near(base.mass_kg, 4.0, 0.0);
  sn_assert_near(base.h.y, 8.0, 0.0);
  sn_assert_near(base.tensor.xx, 2.0 + 4.0 * (4 + 9), 1e-13);
  sn_test_robot_free(&robot);
}

/* Unknown elements are skipped with their content. */
SN_TEST(unknown_elements_are_skipped_with_their_content) {
  sn_test_robot robot;
  sn_test_robot_init_good(
      &robot,
      "<robot name='r'><link name='a'><contact><inertial/></contact><sensor name='s'/></link>"
      "<ros2_control name='c' type='system'><joint name='x'><command_interface name='position'/>"
      "</joint></ros2_control><gazebo reference='a'><link name='z'/><joint name='q'/></gazebo>"
      "<transmission name='t'><joint name='t'/><actuator name='m'/></transmission>"
      "<sensor name='s'><parent link='nowhere'/></sensor></robot>",
      NULL);
  sn_assert_problems(robot.report, "");
  assert_int_equal(sn_model_link_count(robot.model), 1);
  assert_int_equal(sn_model_joint_count(robot.model), 0);
  sn_test_robot_free(&robot);
}

SN_TEST(tabs_line_breaks_and_exponents_are_valid_in_numbers) {
  sn_test_robot robot;
  const sn_joint *joint =
      read_joint(&robot, "fixed", "<origin xyz='\n\t1e-1\r\n +2.50E+1\t\t-.5 \n' rpy=' 0 0. 0'/>");
  sn_assert_near(joint->pose_parent_joint.pos.x, 0.1, 0.0);
  sn_assert_near(joint->pose_parent_joint.pos.y, 25.0, 0.0);
  sn_assert_near(joint->pose_parent_joint.pos.z, -0.5, 0.0);
  sn_assert_problems(robot.report, "");
  sn_test_robot_free(&robot);
}

typedef struct mesh_log {
  char uris[256];
  bool answer;
} mesh_log;

static bool note_mesh(void *context, const char *uri) {
  mesh_log *log = context;
  snprintf(log->uris + strlen(log->uris), sizeof log->uris - strlen(log->uris), "%s;", uri);
  return log->answer;
}

SN_TEST(meshes_are_searched_and_missing_ones_warned_about_once) {
  static const char text[] =
      "<robot name='r'><link name='a'><visual><geometry>\n<mesh filename='one.stl'/></geometry>"
      "</visual><collision><geometry><mesh filename='package://p/two.dae' scale='1 1 1'/>"
      "</geometry></collision></link></robot>";
  for (int answer = 0; answer < 2; answer++) {
    sn_test_robot robot;
    sn_test_robot_init_good(&robot, text, NULL); /* does not ask */
    sn_assert_problems(robot.report, "");
    mesh_log log = {.answer = answer != 0};
    const sn_model_config config = {
        .file = "robot.urdf", .mesh_exists = note_mesh, .mesh_context = &log};
    assert_int_equal(
        sn_model_parse(&robot.arena, text, strlen(text), &config, robot.report, &robot.model, NULL),
        SN_OK);
    assert_string_equal(log.uris, "one.stl;package://p/two.dae;");
    sn_assert_problems(robot.report,
                       answer ? ""
                              : "2:1: warning: meshes not found: 'one.stl', 'package://p/two.dae' "
                                "(the robot is shown without them)\n");
    sn_test_robot_free(&robot);
  }
}
