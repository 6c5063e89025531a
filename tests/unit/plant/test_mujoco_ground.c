/* The same box on the same ground, moved by both engines: they agree, and with closed forms. */
#include <string.h>

#include "plant/mujoco/mujoco_physics.h"
#include "plant/physics.h"
#include "robot.h"
#include "sinew/quat.h"
#include "sn_test.h"

static const double GRAVITY = 9.81, STEP_S = 0.00025, MASS_KG = 2.0;
/* A quarter of the box sinks in by 25 µm in Sinew's physics. */
static const double SINK_M = 5e-5;
static const double FRICTIONS[] = {0.4, 0.8, 1.2};
enum { OWN, MUJOCO, ENGINES, CORNERS = 8 };
static const sn_vec3 HALF = {0.1, 0.1, 0.03};

static const char BOX[] =
    "<robot name='box'><link name='box'><inertial><mass value='2'/>"
    "<inertia ixx='0.0072667' iyy='0.0072667' izz='0.0133333' ixy='0' ixz='0' iyz='0'/>"
    "</inertial></link></robot>";

/* A base that floats, with its corners as contacts, in both engines. */
typedef struct scene {
  sn_test_robot robot;
  sn_arena arena;
  sn_tree tree;
  sn__contacts contacts[ENGINES];
  sn__physics *physics[ENGINES];
  sn__base_motion base[ENGINES];
  sn__body_push push;
  size_t push_count;
} scene;

static void make_contacts(scene *s, int engine, const sn__ground *ground) {
  sn__contact_place places[CORNERS];
  for (int i = 0; i < CORNERS; i++) {
    places[i] = (sn__contact_place){
        .body = -1,
        .at = {i & 1 ? HALF.x : -HALF.x, i & 2 ? HALF.y : -HALF.y, i & 4 ? HALF.z : -HALF.z}};
  }
  assert_true(sn__contacts_create(&s->arena, places, CORNERS, MASS_KG, &s->contacts[engine]));
  s->contacts[engine].ground = *ground;
}

static void place(scene *s, sn_pose pose) {
  for (int i = 0; i < ENGINES; i++) {
    s->base[i] = (sn__base_motion){.pose_world_base = pose};
    s->physics[i]->reset(s->physics[i], &(sn__joint_motion){0}, &s->base[i]);
  }
}

/* @return false: built without MuJoCo */
static bool scene_open(scene *s, const sn__ground *ground, sn_pose pose) {
  memset(s, 0, sizeof *s);
  sn_test_robot_init_good(&s->robot, BOX, NULL);
  sn_arena_init_growing(&s->arena, "scene", 0);
  s->tree = *sn_model_tree(s->robot.model);
  make_contacts(s, OWN, ground);
  make_contacts(s, MUJOCO, ground);
  sn__rigid *rigid = sn__rigid_create(
      &s->arena,
      &(sn__rigid_config){.tree = &s->tree, .floats = true, .contacts = &s->contacts[OWN]});
  assert_non_null(rigid);
  s->physics[OWN] = sn__rigid_physics(rigid);
  const sn__physics_setup setup = {
      .model = s->robot.model, .floats = true, .contacts = &s->contacts[MUJOCO]};
  sn_error err;
  s->physics[MUJOCO] = sn__mujoco_create(&s->arena, &setup, &err);
  if (s->physics[MUJOCO] == NULL) {
    sn_assert_contains(err.message, "built without MuJoCo");
    return false;
  }
  place(s, pose);
  return true;
}

static void scene_close(scene *s) {
  if (s->physics[MUJOCO] != NULL) {
    s->physics[MUJOCO]->release(s->physics[MUJOCO]);
  }
  sn_arena_release(&s->arena);
  sn_test_robot_free(&s->robot);
}

static void run(scene *s, double time_s) {
  const sn__influences acting = {
      .gravity = {0.0, 0.0, -GRAVITY}, .pushes = &s->push, .push_count = s->push_count};
  for (int k = 0; k < ENGINES; k++) {
    for (long i = lround(time_s / STEP_S); i > 0; i--) {
      s->physics[k]->step(s->physics[k], &acting, STEP_S, &(sn__joint_motion){0}, &s->base[k]);
    }
  }
}

static sn_vec3 sum_of_forces(const scene *s, int engine) {
  sn_vec3 sum = {0, 0, 0};
  for (size_t i = 0; i < CORNERS; i++) {
    sum = sn_vec3_add(sum, s->contacts[engine].points[i].force_N);
  }
  return sum;
}

static sn_pose pose_of(const scene *s, int engine) {
  return s->base[engine].pose_world_base;
}

static sn_pose at_height(double z, double roll, double pitch) {
  return (sn_pose){sn_mat3_from_rpy(roll, pitch, 0.0), {0.0, 0.0, z}};
}

static void assert_vec3_near(sn_vec3 a, sn_vec3 b, double tol) {
  sn_assert_near(a.x, b.x, tol);
  sn_assert_near(a.y, b.y, tol);
  sn_assert_near(a.z, b.z, tol);
}

static void assert_rests_at(const scene *s, double height, double friction) {
  for (int k = 0; k < ENGINES; k++) {
    sn_assert_near(pose_of(s, k).pos.z, height, SINK_M);
    sn_assert_near(pose_of(s, k).rot.z.z, 1.0, 1e-6);
    assert_vec3_near(sum_of_forces(s, k), sn_vec3_make(0, 0, MASS_KG * GRAVITY), 1e-5);
    for (size_t i = 0; i < CORNERS; i++) {
      const sn_vec3 f = s->contacts[k].points[i].force_N;
      assert_true(hypot(f.x, f.y) <= friction * f.z + 1e-9);
      assert_true(s->contacts[k].points[i].is_touching == (f.z > 0.0));
    }
  }
}

/* ---- tests ---- */

SN_TEST(box_drops_and_rests) {
  const sn_pose starts[] = {at_height(0.08, 0.0, 0.0), at_height(0.15, 0.3, 0.2)};
  for (size_t i = 0; i < 3; i++) {
    scene s;
    const sn__ground ground = sn__ground_level(FRICTIONS[i]);
    if (!scene_open(&s, &ground, starts[0])) {
      scene_close(&s);
      skip();
    }
    for (size_t k = 0; k < 2; k++) {
      place(&s, starts[k]);
      run(&s, 1.5);
      assert_rests_at(&s, HALF.z, FRICTIONS[i]);
    }
    scene_close(&s);
  }
}

/* In the air only gravity and the push act. */
SN_TEST(pushed_box_flies_the_same_way) {
  scene s;
  const sn__ground ground = sn__ground_level(0.8);
  if (!scene_open(&s, &ground, at_height(5.0, 0.3, 0.2))) {
    scene_close(&s);
    skip();
  }
  s.push = (sn__body_push){
      .body = -1, .at = {0.05, -0.02, 0.01}, .wrench = {{0.01, 0.02, -0.01}, {1.0, -2.0, 3.0}}};
  s.push_count = 1;
  run(&s, 0.3);
  const sn_vec3 a =
      sn_vec3_add(sn_vec3_make(0, 0, -GRAVITY), sn_vec3_scale(s.push.wrench.lin, 1.0 / MASS_KG));
  const sn_vec3 way = sn_vec3_scale(a, 0.5 * 0.3 * 0.3);
  for (int k = 0; k < ENGINES; k++) {
    assert_vec3_near(pose_of(&s, k).pos, sn_vec3_add(sn_vec3_make(0, 0, 5.0), way), 5e-3);
  }
  const sn_mat3 own = pose_of(&s, OWN).rot, other = pose_of(&s, MUJOCO).rot;
  assert_vec3_near(own.x, other.x, 2e-3);
  assert_vec3_near(own.z, other.z, 2e-3);
  assert_vec3_near(s.base[OWN].twist.ang, s.base[MUJOCO].twist.ang, 0.02);
  assert_vec3_near(s.base[OWN].twist.lin, s.base[MUJOCO].twist.lin, 5e-3);
  scene_close(&s);
}

/* On a slope: speed along it after settling, and half a second later. */
static bool slide(double friction, double tangent, double speed[ENGINES][2]) {
  const double angle = atan(tangent);
  const sn_vec3 normal = {sin(angle), 0.0, cos(angle)};
  const sn__ground ground = {.normal = normal, .friction = friction};
  const sn_pose start = {sn_mat3_from_rpy(0.0, angle, 0.0), sn_vec3_scale(normal, HALF.z)};
  scene s;
  const bool is_there = scene_open(&s, &ground, start);
  for (int i = 0; is_there && i < 2; i++) {
    run(&s, 0.5);
    for (int k = 0; k < ENGINES; k++) {
      speed[k][i] = s.base[k].twist.lin.x;
    }
  }
  scene_close(&s);
  return is_there;
}

/* a = g (sin - mu cos) */
SN_TEST(box_slides_by_coulombs_law) {
  for (size_t i = 0; i < 3; i++) {
    const double friction = FRICTIONS[i], tangent = friction + 0.2;
    double speed[ENGINES][2] = {{0}};
    if (!slide(friction, tangent, speed)) {
      skip();
    }
    const double a = GRAVITY * (tangent - friction) / sqrt(1.0 + tangent * tangent);
    for (int k = 0; k < ENGINES; k++) {
      sn_assert_near((speed[k][1] - speed[k][0]) / 0.5, a, 0.01 * a);
    }
  }
}

SN_TEST(box_holds_below_the_angle_of_friction) {
  for (size_t i = 0; i < 3; i++) {
    double speed[ENGINES][2] = {{0}};
    if (!slide(FRICTIONS[i], 0.95 * FRICTIONS[i], speed)) {
      skip();
    }
    for (int k = 0; k < ENGINES; k++) {
      sn_assert_near(speed[k][1], 0.0, 1e-7);
    }
  }
}

/* Half on a box of the ground, beside its edge, and on a turned one. */
SN_TEST(box_rests_on_boxes_of_the_ground) {
  const sn__ground_box boxes[] = {
      {at_height(0.05, 0.0, 0.0), {0.3, 0.3, 0.05}},
      {{sn_mat3_from_rpy(0.0, 0.0, 0.7), {1.0, 0.0, 0.1}}, {0.2, 0.2, 0.1}}};
  sn__ground ground = sn__ground_level(0.8);
  ground.boxes = boxes;
  ground.box_count = 2;
  scene s;
  if (!scene_open(&s, &ground, at_height(0.16, 0.1, 0.0))) {
    scene_close(&s);
    skip();
  }
  run(&s, 1.5);
  assert_rests_at(&s, 0.1 + HALF.z, 0.8);
  sn_pose above = at_height(0.26, 0.0, 0.1);
  above.pos.x = 1.0;
  place(&s, above);
  run(&s, 1.5);
  assert_rests_at(&s, 0.2 + HALF.z, 0.8);
  scene_close(&s);
}
