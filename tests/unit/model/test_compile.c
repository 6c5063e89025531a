#include "math/inertia.h"
#include "random_tree.h"
#include "robot.h"
#include "sinew/kin.h"
#include "sn_test.h"
#include "urdf_oracle.h"

/* Compares the compiled robot with a second reading of the same text (urdf_oracle.h). More robots
   may be named on the command line; without, those of robots/ are taken. */

static const char *const own_robots[] = {"arm6", "arm7", "arm_ur", "desk_arm", "quadruped"};
enum { OWN_COUNT = sizeof own_robots / sizeof *own_robots };

/* A robot that has what ours lack: fixed joints with offsets at every place, skew axes, masses
   behind fixed joints, mimics of mimics, an undriven joint in the middle. */
static const char crooked[] =
    "<robot name='crooked'>"
    "<link name='base'><inertial><origin xyz='0.1 -0.2 0.3' rpy='0.5 -0.4 0.3'/><mass value='3'/>"
    "<inertia ixx='0.3' ixy='0.01' ixz='-0.02' iyy='0.4' iyz='0.03' izz='0.5'/></inertial></link>"
    "<link name='plate'><inertial><origin xyz='0 0.1 0'/><mass value='0.7'/>"
    "<inertia ixx='0.02' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='0.03'/></inertial></link>"
    "<link name='a'><inertial><origin xyz='0.02 0 -0.1' rpy='1 2 3'/><mass value='1.5'/>"
    "<inertia ixx='0.05' ixy='0.001' ixz='0' iyy='0.04' iyz='0' izz='0.03'/></inertial></link>"
    "<link name='a_box'><inertial><origin xyz='-0.3 0.01 0.2' rpy='0 0.7 0'/><mass value='0.4'/>"
    "<inertia ixx='0.01' ixy='0' ixz='0.002' iyy='0.012' iyz='0' izz='0.009'/></inertial></link>"
    "<link name='a_bolt'><inertial><mass value='0.05'/>"
    "<inertia ixx='0.001' ixy='0' ixz='0' iyy='0.001' iyz='0' izz='0.001'/></inertial></link>"
    "<link name='b'><inertial><origin xyz='0 0 0.2'/><mass value='0.9'/>"
    "<inertia ixx='0.02' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='0.004'/></inertial></link>"
    "<link name='c'><inertial><origin xyz='0.05 0.05 0.05'/><mass value='0.3'/>"
    "<inertia ixx='0.002' ixy='0' ixz='0' iyy='0.002' iyz='0' izz='0.002'/></inertial></link>"
    "<link name='d'><inertial><origin xyz='0.1 0 0'/><mass value='0.2'/>"
    "<inertia ixx='0.001' ixy='0' ixz='0' iyy='0.002' iyz='0' izz='0.002'/></inertial></link>"
    "<link name='raft'><inertial><origin xyz='0 0 1'/><mass value='8'/>"
    "<inertia ixx='2' ixy='0' ixz='0' iyy='2' iyz='0' izz='3'/></inertial></link>"
    "<link name='mast'><inertial><origin xyz='0 1 0'/><mass value='1'/>"
    "<inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial></link>"
    "<joint name='weld' type='fixed'><origin xyz='0.3 0 0.1' rpy='0 0 1'/><parent link='base'/>"
    "<child link='plate'/></joint>"
    "<joint name='ja' type='revolute'><origin xyz='0.1 0.2 0.3' rpy='-0.3 0.2 0.1'/>"
    "<parent link='plate'/><child link='a'/><axis xyz='1 -2 0.5'/>"
    "<limit lower='-3' upper='3' effort='1' velocity='1'/></joint>"
    "<joint name='weld2' type='fixed'><origin xyz='0.2 0 0' rpy='1 0 0'/><parent link='a'/>"
    "<child link='a_box'/></joint>"
    "<joint name='weld3' type='fixed'><origin xyz='0 0.1 0.1' rpy='0 2 0'/><parent link='a_box'/>"
    "<child link='a_bolt'/></joint>"
    "<joint name='jb' type='prismatic'><origin xyz='0 0 0.5' rpy='0.2 0 0'/><parent link='a_bolt'/>"
    "<child link='b'/><axis xyz='0 -3 4'/><mimic joint='ja' multiplier='0.25' offset='-0.1'/>"
    "<limit lower='-3' upper='3' effort='1' velocity='1'/></joint>"
    "<joint name='jc' type='continuous'><origin xyz='0 0.1 0' rpy='0 0 3'/><parent link='b'/>"
    "<child link='c'/><axis xyz='0 0 -1'/><mimic joint='jb' multiplier='-2' offset='0.4'/></joint>"
    "<joint name='jd' type='revolute'><origin xyz='0.1 0 0'/><parent link='base'/>"
    "<child link='d'/><axis xyz='-1 0 0'/>"
    "<limit lower='-3' upper='3' effort='1' velocity='1'/></joint>"
    "<joint name='float' type='floating'><origin xyz='0 2 0' rpy='0.1 0.2 0.3'/>"
    "<parent link='d'/><child link='raft'/></joint>"
    "<joint name='jm' type='revolute'><origin xyz='0 0 2'/><parent link='raft'/>"
    "<child link='mast'/><axis xyz='0 1 0'/>"
    "<limit lower='-3' upper='3' effort='1' velocity='1'/></joint>"
    "</robot>";

static sn_oracle oracle; /* large */

static sn_oracle_frame frame_of(sn_pose p) {
  return (sn_oracle_frame){{{p.rot.x.x, p.rot.y.x, p.rot.z.x, p.pos.x},
                            {p.rot.x.y, p.rot.y.y, p.rot.z.y, p.pos.y},
                            {p.rot.x.z, p.rot.y.z, p.rot.z.z, p.pos.z},
                            {0, 0, 0, 1}}};
}

/* A random sorted pose, and the same values in the oracle's order. */
static void draw_pose(const sn_model *model, sn_random *random, double *q, double *q_oracle) {
  for (int i = 0; i < oracle.joint_count; i++) {
    q_oracle[i] = 0.0;
  }
  for (size_t i = 0; i < sn_model_pose_size(model); i++) {
    q[i] = sn_random_between(random, -3.2, 3.2);
    q_oracle[sn_oracle_find_joint(&oracle, sn_model_joint(model, i)->name)] = q[i];
  }
}

static sn_pose link_pose(const sn_model *model, size_t link, const double *q) {
  const sn_link *l = sn_model_link(model, link);
  return sn_pose_mul(sn_test_body_pose(sn_model_tree(model), l->body, q), l->pose_body_link);
}

static void assert_links_at(const sn_model *model, const double *q, const double *q_oracle) {
  for (size_t i = 0; i < sn_model_link_count(model); i++) {
    const char *name = sn_model_link(model, i)->name;
    const sn_oracle_frame expected =
        sn_oracle_fk(&oracle, sn_oracle_find_link(&oracle, name), q_oracle);
    const double distance = sn_oracle_distance(frame_of(link_pose(model, i, q)), expected);
    if (!(distance < 1e-12)) {
      fail_msg("link '%s' is off by %g", name, distance);
    }
  }
}

static void assert_inertia_at(const sn_model *model, const double *q, const double *q_oracle) {
  const sn_tree *tree = sn_model_tree(model);
  sn_inertia sum = tree->base_inertia;
  for (size_t i = 0; i < tree->body_count; i++) {
    const sn_pose pose = sn_test_body_pose(tree, (int)i, q);
    sum = sn__inertia_add(sum, sn__inertia_out(pose, tree->inertia[i]));
  }
  const sn_oracle_sum e = sn_oracle_inertia(&oracle, q_oracle);
  const double tol = 1e-12 * (1.0 + e.mass * 100.0);
  sn_assert_near(sum.mass_kg, e.mass, tol);
  sn_assert_near(sum.h.x, e.first[0], tol);
  sn_assert_near(sum.h.y, e.first[1], tol);
  sn_assert_near(sum.h.z, e.first[2], tol);
  sn_assert_near(sum.tensor.xx, e.second[0][0], tol);
  sn_assert_near(sum.tensor.yy, e.second[1][1], tol);
  sn_assert_near(sum.tensor.zz, e.second[2][2], tol);
  sn_assert_near(sum.tensor.xy, e.second[0][1], tol);
  sn_assert_near(sum.tensor.xz, e.second[0][2], tol);
  sn_assert_near(sum.tensor.yz, e.second[1][2], tol);
}

/* Every chain, compiled separately, at the values of its joints in the sorted pose. A mimic
   joint whose master is not in the chain is moved by its own entry. */
static void assert_chain_at(const sn_model *model, const sn_chain *chain, const double *q,
                            const double *q_oracle) {
  double q_chain[SN_ORACLE_MAX];
  for (size_t i = 0; i < chain->joint_count; i++) {
    const sn_joint *joint = sn_model_joint(model, (size_t)chain->joints[i]);
    q_chain[i] = q[chain->joints[i]];
    if (joint->mimic >= 0) {
      const sn_joint *master = joint;
      double scale = 1.0;
      double offset = 0.0;
      int index = chain->joints[i];
      for (; master->mimic >= 0; master = sn_model_joint(model, (size_t)index)) {
        offset += scale * master->mimic_offset;
        scale *= master->mimic_multiplier;
        index = master->mimic;
      }
      q_chain[i] = scale * q[index] + offset;
    }
  }
  const sn_oracle_frame first = sn_oracle_fk(
      &oracle, sn_oracle_find_link(&oracle, sn_model_link(model, (size_t)chain->first_link)->name),
      q_oracle);
  const sn_oracle_frame last = sn_oracle_fk(
      &oracle, sn_oracle_find_link(&oracle, sn_model_link(model, (size_t)chain->last_link)->name),
      q_oracle);
  /* first * chain must be last */
  const sn_oracle_frame cut = frame_of(sn_chain_fk(chain, q_chain));
  sn_oracle_frame actual = {{{0}}};
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      for (int k = 0; k < 4; k++) {
        actual.m[i][j] += first.m[i][k] * cut.m[k][j];
      }
    }
  }
  const double distance = sn_oracle_distance(actual, last);
  if (!(distance < 1e-12)) {
    fail_msg("the chain from '%s' to '%s' is off by %g",
             sn_model_link(model, (size_t)chain->first_link)->name,
             sn_model_link(model, (size_t)chain->last_link)->name, distance);
  }
}

static void assert_chains_at(const sn_model *model, const double *q, const double *q_oracle) {
  for (size_t i = 0; i < sn_names_count(sn_model_chain_names(model)); i++) {
    assert_chain_at(model, sn_model_chain(model, i, false), q, q_oracle);
    assert_chain_at(model, sn_model_chain(model, i, true), q, q_oracle);
  }
}

/* The parts of a chain's tree that kinematics does not show: mass of its links only. */
static void assert_chain_mass(const sn_model *model, const sn_chain *chain) {
  double expected = 0.0;
  for (int link = chain->last_link;;) {
    expected += sn_model_link(model, (size_t)link)->mass_kg;
    if (link == chain->first_link) {
      break;
    }
    const int joint = sn_model_link(model, (size_t)link)->parent_joint;
    link = sn_model_joint(model, (size_t)joint)->parent_link;
  }
  double mass = chain->tree.base_inertia.mass_kg;
  for (size_t i = 0; i < chain->tree.body_count; i++) {
    mass += chain->tree.inertia[i].mass_kg;
  }
  sn_assert_near(mass, expected, 1e-12);
  assert_true(chain->tree.is_serial);
  assert_int_equal(chain->tree.coord_count, chain->joint_count);
}

static void compare(const sn_model *model, const char *text, size_t desk) {
  sn_oracle_read(&oracle, text);
  assert_int_equal(oracle.link_count, sn_model_link_count(model));
  assert_int_equal(oracle.joint_count, sn_model_joint_count(model));
  sn_random random;
  sn_random_init(&random, 7);
  double q[SN_ORACLE_MAX];
  double q_oracle[SN_ORACLE_MAX];
  const size_t cases = sn_test_cases(desk);
  for (size_t n = 0; n < cases; n++) {
    draw_pose(model, &random, q, q_oracle);
    assert_links_at(model, q, q_oracle);
    assert_inertia_at(model, q, q_oracle);
    assert_chains_at(model, q, q_oracle);
  }
  for (size_t i = 0; i < sn_names_count(sn_model_chain_names(model)); i++) {
    assert_chain_mass(model, sn_model_chain(model, i, false));
    assert_chain_mass(model, sn_model_chain(model, i, true));
  }
}

static void own_robots_agree_with_a_second_reading(void **state) {
  (void)state;
  for (size_t i = 0; i < OWN_COUNT; i++) {
    sn_test_robot robot;
    sn_test_robot_load(&robot, own_robots[i]);
    compare(robot.model, sn_model_description(robot.model, NULL), 20);
    sn_test_robot_free(&robot);
  }
}

static void crooked_robot_agrees_with_a_second_reading(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, crooked, NULL);
  compare(robot.model, crooked, 200);
  sn_test_robot_free(&robot);
}

static int parent_of(const sn_model *model, int link) {
  const int joint = sn_model_link(model, (size_t)link)->parent_joint;
  return joint < 0 ? -1 : sn_model_joint(model, (size_t)joint)->parent_link;
}

/* Create the chain between every pair of links. */
static void any_two_links_make_a_chain_or_an_error(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, crooked, NULL);
  const sn_model *model = robot.model;
  sn_oracle_read(&oracle, crooked);
  sn_random random;
  sn_random_init(&random, 8);
  double q[SN_ORACLE_MAX];
  double q_oracle[SN_ORACLE_MAX];
  draw_pose(model, &random, q, q_oracle);
  const int n = (int)sn_model_link_count(model);
  for (int base = 0; base < n; base++) {
    for (int tip = 0; tip < n; tip++) {
      int up = tip;
      while (up >= 0 && up != base) {
        up = parent_of(model, up);
      }
      const sn_chain *chain = NULL;
      sn_error err = {0};
      const size_t used = sn_arena_used(&robot.arena);
      const sn_status status =
          sn_chain_create(&robot.arena, model, sn_model_link(model, (size_t)base)->name,
                          sn_model_link(model, (size_t)tip)->name, &chain, &err);
      if (up == base) {
        assert_int_equal(status, SN_OK);
        assert_int_equal(chain->first_link, base);
        assert_int_equal(chain->last_link, tip);
        assert_chain_at(model, chain, q, q_oracle);
        assert_chain_mass(model, chain);
      } else {
        assert_int_equal(status, SN_EINVAL);
        assert_null(chain);
        assert_int_equal(sn_arena_used(&robot.arena), used);
        sn_assert_contains(err.message, "is not below link");
      }
    }
  }
  sn_test_robot_free(&robot);
}

static void error_of_a_chain_states_the_reason(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, crooked, NULL);
  const sn_chain *chain = NULL;
  sn_error err = {0};
  assert_int_equal(sn_chain_create(&robot.arena, robot.model, "unknown", "c", &chain, &err),
                   SN_ENOENT);
  assert_string_equal(err.message, "link 'unknown' does not exist");
  assert_int_equal(sn_chain_create(&robot.arena, robot.model, "base", "ja", &chain, &err),
                   SN_ENOENT);
  assert_string_equal(err.message, "link 'ja' does not exist");
  assert_int_equal(sn_chain_create(&robot.arena, robot.model, "c", "base", &chain, &err),
                   SN_EINVAL);
  assert_string_equal(err.message, "link 'base' is not below link 'c': base and tip are swapped");
  assert_int_equal(sn_chain_create(&robot.arena, robot.model, "c", "d", &chain, &err), SN_EINVAL);
  assert_string_equal(err.message, "link 'd' is not below link 'c'");
  assert_int_equal(sn_chain_create(&robot.arena, robot.model, "c", "d", &chain, NULL), SN_EINVAL);
  assert_null(chain);
  sn_test_robot_free(&robot);
}

static void chain_without_room_leaves_the_arena_as_it_was(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, crooked, NULL);
  static unsigned char memory[64 * 1024];
  sn_status status = SN_ENOMEM;
  size_t refused = 0;
  for (size_t size = 0; status != SN_OK; size += 8) {
    assert_true(size < sizeof memory);
    sn_arena small;
    sn_arena_init(&small, "small", memory, size);
    const sn_chain *chain = NULL;
    sn_error err = {0};
    status = sn_chain_create(&small, robot.model, "base", "c", &chain, &err);
    if (status != SN_OK) {
      assert_int_equal(status, SN_ENOMEM);
      assert_string_equal(err.message, "chain: no room in arena 'small'");
      assert_null(chain);
      assert_int_equal(sn_arena_used(&small), 0);
      refused++;
    }
  }
  assert_true(refused > 100);
  sn_test_robot_free(&robot);
}

/* A chain with a mimic joint and the master of its master, but not the joint between. */
static void mimic_reaches_over_a_master_outside_the_chain(void **state) {
  (void)state;
  static const char text[] =
      "<robot name='r'><link name='base'/><link name='a'/><link name='side'/><link name='b'/>"
      "<joint name='ja' type='continuous'><parent link='base'/><child link='a'/></joint>"
      "<joint name='js' type='continuous'><parent link='a'/><child link='side'/>"
      "<mimic joint='ja' multiplier='3' offset='0.5'/></joint>"
      "<joint name='jb' type='continuous'><origin xyz='0 1 0'/><parent link='a'/><child link='b'/>"
      "<mimic joint='js' multiplier='-2' offset='0.25'/></joint></robot>";
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, text, NULL);
  const sn_chain *chain = NULL;
  assert_int_equal(sn_chain_create(&robot.arena, robot.model, "base", "b", &chain, NULL), SN_OK);
  assert_int_equal(chain->joint_count, 2);
  assert_true(chain->tree.has_mimic);
  assert_int_equal(chain->tree.coord[1], 0);
  sn_assert_near(chain->tree.q_scale[1], -6.0, 0.0);
  sn_assert_near(chain->tree.q_offset[1], -2 * 0.5 + 0.25, 0.0);
  sn_oracle_read(&oracle, text);
  const double q[] = {0.7, 99.0}; /* the second is ignored */
  const double q_oracle[] = {0.7, 0, 0};
  const sn_oracle_frame expected =
      sn_oracle_fk(&oracle, sn_oracle_find_link(&oracle, "b"), q_oracle);
  assert_true(sn_oracle_distance(frame_of(sn_chain_fk(chain, q)), expected) < 1e-14);
  sn_test_robot_free(&robot);
}

/* By hand: `test_compile ROBOT.urdf ...` compares these too. */
static int compare_named(int count, char **paths) {
  for (int i = 1; i < count; i++) {
    sn_arena arena;
    sn_arena_init_growing(&arena, "named", 0);
    const sn_model *model = NULL;
    sn_error err = {0};
    if (sn_model_load(&arena, paths[i], NULL, NULL, &model, &err) == SN_OK) {
      compare(model, sn_model_description(model, NULL), 5);
      printf("%s: agrees\n", paths[i]);
    } else {
      printf("%s\n", err.message);
    }
    sn_arena_release(&arena);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1) {
    return compare_named(argc, argv);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(own_robots_agree_with_a_second_reading),
      cmocka_unit_test(crooked_robot_agrees_with_a_second_reading),
      cmocka_unit_test(any_two_links_make_a_chain_or_an_error),
      cmocka_unit_test(error_of_a_chain_states_the_reason),
      cmocka_unit_test(chain_without_room_leaves_the_arena_as_it_was),
      cmocka_unit_test(mimic_reaches_over_a_master_outside_the_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
