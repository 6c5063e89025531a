/* Where robots touch the ground: shapes, boxes in place of meshes, soles. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp() */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plant/plant.h"
#include "robot.h"
#include "sn_test.h"

static const double GRAVITY = 9.81;

typedef struct rig {
  sn_test_robot robot;
  sn_arena arena;
  sn_plant *plant;
} rig;

static void rig_open_from(rig *r, const char *urdf, const char *yaml, const char *robot_file,
                          const sn_plant_ground *ground) {
  memset(r, 0, sizeof *r);
  sn_test_robot_init(&r->robot, urdf, yaml);
  assert_int_equal(r->robot.status, SN_OK);
  sn_arena_init_growing(&r->arena, "plant", 0);
  sn_error err;
  const sn_plant_config config = {.ground = ground, .robot_file = robot_file};
  if (sn__plant_create(&r->arena, r->robot.model, &config, &r->plant, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
}

static void rig_open(rig *r, const char *urdf, const char *yaml, const sn_plant_ground *ground) {
  rig_open_from(r, urdf, yaml, NULL, ground);
}

static void rig_close(rig *r) {
  sn_arena_release(&r->arena);
  sn_test_robot_free(&r->robot);
}

static void run(rig *r, double time_s) {
  for (long i = lround(time_s * 1000.0); i > 0; i--) {
    sn__plant_step(r->plant, 0.001);
  }
}

#define BODY(inertia, collision)                                                \
  "<robot name='r'><link name='a'><inertial><mass value='2'/><inertia " inertia \
  " ixy='0' ixz='0' iyz='0'/></inertial>" collision "</link></robot>"
#define SHAPE(text) "<collision><geometry>" text "</geometry></collision>"
#define ROUND "ixx='0.008' iyy='0.008' izz='0.008'"

/* Height of a body at rest above the ground, turned about x. */
static double rest_height(const char *urdf, double roll) {
  rig r;
  rig_open(&r, urdf, NULL, &(sn_plant_ground){0});
  const sn_pose pose = {sn_mat3_from_rpy(roll, 0.0, 0.0), sn_vec3_make(0.0, 0.0, 1.0)};
  (void)sn__plant_place(r.plant, NULL, pose, true);
  run(&r, 2.0);
  const double z = sn__plant_base(r.plant, NULL, NULL).pos.z;
  rig_close(&r);
  return z;
}

SN_TEST(shapes_rest_on_their_sides) {
  const double quarter = 1.5707963267948966;
  const char box[] = BODY(ROUND, SHAPE("<box size='0.2 0.4 0.6'/>"));
  const char sphere[] = BODY(ROUND, SHAPE("<sphere radius='0.25'/>"));
  const char capsule[] = BODY(ROUND, SHAPE("<capsule radius='0.1' length='0.3'/>"));
  const char cylinder[] = BODY(ROUND, SHAPE("<cylinder radius='0.2' length='0.1'/>"));
  sn_assert_near(rest_height(box, 0.0), 0.3, 1e-4);
  sn_assert_near(rest_height(box, quarter), 0.2, 1e-4);
  sn_assert_near(rest_height(sphere, 0.3), 0.25, 2e-4);
  sn_assert_near(rest_height(capsule, quarter), 0.1, 1e-4);
  sn_assert_near(rest_height(cylinder, 0.0), 0.05, 1e-4);
}

/* Without a shape the centre of mass rests on the ground. */
SN_TEST(link_without_shapes_rests_on_its_centre_of_mass) {
  sn_assert_near(rest_height(BODY(ROUND, ""), 0.0), 0.0, 2e-4);
}

/* A solid box of 2 kg, 0.2 x 0.4 x 0.6 m. */
SN_TEST(missing_mesh_becomes_the_box_of_its_inertia) {
  const char mesh[] = BODY("ixx='0.0866666667' iyy='0.0666666667' izz='0.0333333333'",
                           SHAPE("<mesh filename='a.stl'/>"));
  rig r;
  rig_open(&r, mesh, NULL, &(sn_plant_ground){0});
  assert_string_equal(sn__plant_boxed_link(r.plant), "a");
  assert_int_equal(sn__plant_contact_count(r.plant), 8);
  rig_close(&r);
  sn_assert_near(rest_height(mesh, 0.0), 0.3, 1e-4);
  sn_assert_near(rest_height(mesh, 1.5707963267948966), 0.2, 1e-4);
}

/* A solid sphere that rolls without slipping down a slope: a = 5/7 g sin(angle). */
SN_TEST(sphere_rolls_down_a_slope) {
  const double slope = 0.1, radius = 0.1;
  rig r;
  rig_open(&r, BODY(ROUND, SHAPE("<sphere radius='0.1'/>")), NULL,
           &(sn_plant_ground){.slope_x = -slope}); /* 2/5 m r^2 = 0.008 */
  const double start = sn__plant_base(r.plant, NULL, NULL).pos.x;
  run(&r, 1.0);
  sn_spatial twist;
  const sn_pose end = sn__plant_base(r.plant, &twist, NULL);
  const double angle = atan(slope);
  const double way = (end.pos.x - start) / cos(angle);
  sn_assert_near(way, 0.5 * 5.0 / 7.0 * GRAVITY * sin(angle), 0.01 * way);
  sn_assert_near(sn_vec3_norm(twist.ang) * radius, sn_vec3_norm(twist.lin), 1e-3);
  rig_close(&r);
}

#define FOOT(name)                                                                 \
  "<link name='" name                                                              \
  "'><inertial><origin xyz='0 0 -0.02'/><mass value='0.1'/>"                       \
  "<inertia ixx='2e-5' iyy='6e-5' izz='7e-5' ixy='0' ixz='0' iyz='0'/></inertial>" \
  "<collision><geometry><mesh filename='foot.stl'/></geometry></collision></link>" \
  "<joint name='j" name "' type='revolute'><parent link='a'/><child link='" name   \
  "'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='50' velocity='2'/>"
static const char walker[] =
    "<robot name='r'><link name='a'><inertial><mass value='2'/><inertia ixx='0.02' iyy='0.02' "
    "izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial></link>" FOOT("left")
    "<origin xyz='0 0.1 -0.3'/></joint>" FOOT("right") "<origin xyz='0 -0.1 -0.3'/></joint></robot>";
static const char walker_yaml[] =
    "kinematics_chains:\n"
    "  left: {first_link: a, last_link: left, default_contact: sole}\n"
    "  right: {first_link: a, last_link: right, default_contact: sole}\n"
    "contacts:\n"
    "  sole: {points: [[0, 0, -0.03], [0, 0, -0.05]]}\n";

/* Contact points on a vertical line state a freedom; the highest is the height of the sole. */
SN_TEST(sole_is_at_the_height_of_the_contact) {
  rig r;
  rig_open(&r, walker, walker_yaml, &(sn_plant_ground){0});
  sn_assert_near(sn__plant_base(r.plant, NULL, NULL).pos.z, 0.33, 1e-6);
  size_t low = 0;
  for (size_t i = 0; i < sn__plant_contact_count(r.plant); i++) {
    const sn_plant_contact contact = sn__plant_contact_at(r.plant, i);
    low += contact.point.z < 1e-6 && contact.chain >= 0;
  }
  assert_int_equal(low, 8);
  run(&r, 3.0);
  sn_assert_near(sn__plant_base(r.plant, NULL, NULL).pos.z, 0.33, 1e-3);
  assert_true(sn__plant_foot_at(r.plant, 0).touches && sn__plant_foot_at(r.plant, 1).touches);
  rig_close(&r);
}

SN_TEST(feet_are_chains_with_contacts_below_the_base) {
  rig r;
  rig_open(&r, walker, walker_yaml, &(sn_plant_ground){0});
  const double upright[2] = {NAN, 0.0};
  assert_true(sn__plant_has_feet(&r.arena, r.robot.model, upright));
  rig_close(&r);
  sn_test_robot arm;
  sn_arena arena;
  sn_arena_init_growing(&arena, "feet", 0);
  sn_test_robot_load(&arm, "arm6"); /* has a contact at its flange */
  const double q[6] = {0};
  assert_false(sn__plant_has_feet(&arena, arm.model, q));
  sn_test_robot_free(&arm);
  sn_arena_release(&arena);
}

/* Sizes whose products overflow. */
SN_TEST(huge_shapes_are_ignored) {
  rig r;
  rig_open(&r, BODY(ROUND, SHAPE("<sphere radius='1e200'/>")), NULL, &(sn_plant_ground){0});
  assert_int_equal(sn__plant_contact_count(r.plant), 1);
  run(&r, 0.1);
  assert_true(isfinite(sn__plant_base(r.plant, NULL, NULL).pos.z));
  rig_close(&r);
}

/* ---- meshes that are found ---- */

/* A box as 12 triangles, in the text form of STL; two corners of it appear in each. */
static void write_box(const char *path, sn_vec3 size) {
  static const int sides[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                   {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                   {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "solid box\n");
  for (int i = 0; i < 12; i++) {
    fprintf(file, "facet normal 0 0 0\nouter loop\n");
    for (int k = 0; k < 3; k++) {
      const int c = sides[i][k];
      fprintf(file, "vertex %g %g %g\n", (c & 1 ? 0.5 : -0.5) * size.x,
              (c & 2 ? 0.5 : -0.5) * size.y, (c & 4 ? 0.5 : -0.5) * size.z);
    }
    fprintf(file, "endloop\nendfacet\n");
  }
  fprintf(file, "endsolid box\n");
  assert_int_equal(fclose(file), 0);
}

/* A folder with a mesh and the file of the robot that names it. */
typedef struct mesh_folder {
  char folder[32], mesh[64], robot[64];
} mesh_folder;

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "%s", text);
  assert_int_equal(fclose(file), 0);
}

static void open_folder(mesh_folder *f) {
  strcpy(f->folder, "/tmp/sinew_places_XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  snprintf(f->mesh, sizeof f->mesh, "%s/box.stl", f->folder);
  snprintf(f->robot, sizeof f->robot, "%s/r.urdf", f->folder);
  write_text(f->robot, "<robot/>"); /* only its folder counts */
}

static void close_folder(const mesh_folder *f) {
  assert_int_equal(remove(f->mesh), 0);
  assert_int_equal(remove(f->robot), 0);
  assert_int_equal(rmdir(f->folder), 0);
}

/* The inertia of a far smaller box: what the mesh would be taken for if it were not read. */
#define SMALL "ixx='0.001' iyy='0.001' izz='0.001'"

/* Dropped askew with a push, the mesh and the primitive move alike, bounces and rest included. */
SN_TEST(box_as_a_mesh_behaves_as_the_box) {
  mesh_folder f;
  open_folder(&f);
  write_box(f.mesh, sn_vec3_make(200.0, 400.0, 600.0)); /* mm */
  rig a, b;
  const sn_plant_ground ground = {.friction = 0.5};
  rig_open_from(&a, BODY(SMALL, SHAPE("<mesh filename='box.stl' scale='1e-3 1e-3 1e-3'/>")), NULL,
                f.robot, &ground);
  rig_open(&b, BODY(SMALL, SHAPE("<box size='0.2 0.4 0.6'/>")), NULL, &ground);
  assert_null(sn__plant_boxed_link(a.plant));
  assert_int_equal(sn__plant_contact_count(a.plant), 8);
  const sn_pose pose = {sn_mat3_from_rpy(0.3, 0.2, 0.1), sn_vec3_make(0.0, 0.0, 1.0)};
  (void)sn__plant_place(a.plant, NULL, pose, true);
  (void)sn__plant_place(b.plant, NULL, pose, true);
  for (int i = 0; i < 20; i++) {
    run(&a, 0.1);
    run(&b, 0.1);
    const sn_pose first = sn__plant_base(a.plant, NULL, NULL);
    const sn_pose second = sn__plant_base(b.plant, NULL, NULL);
    sn_assert_vec3_near(first.pos, second.pos, 1e-6);
    sn_assert_vec3_near(first.rot.z, second.rot.z, 1e-5);
  }
  rig_close(&a);
  rig_close(&b);
  close_folder(&f);
}

/* A file that is not a mesh: the box of the inertia, as if it were missing. */
SN_TEST(mesh_that_cannot_be_read_becomes_the_box_of_its_inertia) {
  mesh_folder f;
  open_folder(&f);
  write_text(f.mesh, "solid box\nfacet normal");
  rig r;
  rig_open_from(&r, BODY(SMALL, SHAPE("<mesh filename='box.stl'/>")), NULL, f.robot,
                &(sn_plant_ground){0});
  assert_string_equal(sn__plant_boxed_link(r.plant), "a");
  assert_int_equal(sn__plant_contact_count(r.plant), 8);
  rig_close(&r);
  close_folder(&f);
}
