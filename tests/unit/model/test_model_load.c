#define _POSIX_C_SOURCE 200809L /* chdir(), mkdir() */

#include <sys/stat.h>
#include <unistd.h>

#include "program.h"
#include "robot.h"
#include "sn_test.h"

/* Reading a robot from a file, and looking for its meshes. */

/*  folder/ws/arm/urdf/r.urdf        the robot
    folder/ws/arm/urdf/near.stl      beside it
    folder/ws/arm/meshes/far.stl     package://arm/meshes/far.stl */
static char folder[64];

static int create_files(void **state) {
  (void)state;
  static const char *const folders[] = {"ws", "ws/arm", "ws/arm/urdf", "ws/arm/meshes"};
  char path[256];
  sn_test_folder_create(folder);
  for (size_t i = 0; i < 4; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
    assert_int_equal(mkdir(path, 0700), 0);
  }
  sn_test_write(folder, "ws/arm/package.xml", "<package><name>arm</name></package>");
  sn_test_write(folder, "ws/arm/urdf/near.stl", "x");
  sn_test_write(folder, "ws/arm/meshes/far.stl", "x");
  return 0;
}

static int remove_files(void **state) {
  (void)state;
  sn_test_folder_remove(folder);
  return 0;
}

/* Is the mesh found when the robot is loaded by this path? */
static bool is_found(const char *path, const char *uri) {
  char text[1024];
  snprintf(text, sizeof text,
           "<robot name='r'><link name='a'><visual><geometry><mesh filename='%s'/></geometry>"
           "</visual></link></robot>",
           uri);
  sn_test_write(folder, "ws/arm/urdf/r.urdf", text);
  sn_arena arena;
  sn_arena notes;
  sn_arena_init_growing(&arena, "model", 0);
  sn_arena_init_growing(&notes, "report", 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&notes, &report, NULL), SN_OK);
  const sn_model *model = NULL;
  assert_int_equal(sn_model_load(&arena, path, NULL, report, &model, NULL), SN_OK);
  assert_string_equal(sn_model_description(model, NULL), text);
  const size_t count = sn_report_count(report);
  if (count > 0) {
    sn_assert_contains(sn_report_at(report, 0)->message, "mesh not found: '");
    assert_string_equal(sn_report_at(report, 0)->place.file, path);
  }
  sn_arena_release(&arena);
  sn_arena_release(&notes);
  return count == 0;
}

SN_TEST(meshes_are_searched_beside_the_file_and_in_packages_above) {
  char path[256];
  char uri[256];
  snprintf(path, sizeof path, "%s/ws/arm/urdf/r.urdf", folder);
  assert_true(is_found(path, "near.stl"));
  assert_true(is_found(path, "./near.stl"));
  assert_true(is_found(path, "file://near.stl"));
  assert_true(is_found(path, "../meshes/far.stl"));
  assert_true(is_found(path, "package://arm/meshes/far.stl"));
  assert_true(is_found(path, "package://ws/arm/meshes/far.stl"));
  assert_false(is_found(path, "package://near.stl"));
  assert_true(is_found(path, "package:///meshes/far.stl"));
  snprintf(uri, sizeof uri, "%s/ws/arm/meshes/far.stl", folder);
  assert_true(is_found(path, uri));
  snprintf(uri, sizeof uri, "file://%s/ws/arm/meshes/far.stl", folder);
  assert_true(is_found(path, uri));
  assert_false(is_found(path, "far.stl"));
  assert_false(is_found(path, "meshes/far.stl"));
  assert_false(is_found(path, "package://leg/meshes/far.stl"));
  assert_false(is_found(path, "package://arm/meshes"));
  assert_false(is_found(path, "../meshes"));
  assert_false(is_found(path, "http://localhost/near.stl"));
  assert_false(is_found(path, "model://arm/near.stl"));
}

/* A relative path works like an absolute one, also for packages above it. */
SN_TEST(relative_paths_find_the_same_meshes) {
  char here[512];
  char inside[256];
  assert_non_null(getcwd(here, sizeof here));
  static const char *const places[][2] = {{"ws/arm/urdf", "r.urdf"},
                                          {"ws/arm", "urdf/r.urdf"},
                                          {"ws", "./arm/urdf/r.urdf"},
                                          {"ws/arm/meshes", "../urdf/r.urdf"}};
  for (size_t i = 0; i < 4; i++) {
    snprintf(inside, sizeof inside, "%s/%s", folder, places[i][0]);
    assert_int_equal(chdir(inside), 0);
    assert_true(is_found(places[i][1], "near.stl"));
    assert_true(is_found(places[i][1], "../meshes/far.stl"));
    assert_false(is_found(places[i][1], "far.stl"));
    assert_true(is_found(places[i][1], "package://arm/meshes/far.stl"));
  }
  assert_int_equal(chdir(here), 0);
}

static bool never(void *context, const char *uri) {
  (void)context, (void)uri;
  return false;
}

SN_TEST(mesh_search_of_the_caller_takes_precedence) {
  char path[256];
  snprintf(path, sizeof path, "%s/ws/arm/urdf/r.urdf", folder);
  assert_true(is_found(path, "near.stl"));
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, "<robot name='r'><link name='a'/></robot>", NULL);
  const sn_model_config config = {.file = "ignored", .mesh_exists = never};
  assert_int_equal(sn_model_load(&robot.arena, path, &config, robot.report, &robot.model, NULL),
                   SN_OK);
  sn_assert_contains(sn_test_problems(robot.report), "urdf/r.urdf:1:");
  sn_assert_contains(sn_test_problems(robot.report), "mesh not found: 'near.stl'");
  sn_test_robot_free(&robot);
}

SN_TEST(unreadable_files_are_reported) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, "<robot name='r'><link name='a'/></robot>", NULL);
  const sn_model *model = NULL;
  sn_error err = {0};
  const size_t used = sn_arena_used(&robot.arena);
  assert_int_equal(sn_model_load(&robot.arena, "no/such.urdf", NULL, robot.report, &model, &err),
                   SN_EIO);
  assert_string_equal(err.message, "no/such.urdf: cannot read the file: No such file or directory");
  assert_int_equal(sn_model_load(&robot.arena, folder, NULL, NULL, &model, &err), SN_EIO);
  sn_assert_contains(err.message, "cannot read the file: Is a directory");
  /* A file that is not regular could block or never end. */
  assert_int_equal(sn_model_load(&robot.arena, "/dev/zero", NULL, NULL, &model, &err), SN_EIO);
  sn_assert_contains(err.message, "it is a device");
  char path[128];
  snprintf(path, sizeof path, "%s/pipe.urdf", folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(sn_model_load(&robot.arena, path, NULL, NULL, &model, &err), SN_EIO);
  sn_assert_contains(err.message, "it is a pipe, expected a regular file");
  snprintf(path, sizeof path, "%s/huge.urdf", folder);
  sn_test_write(folder, "huge.urdf", "<robot/>");
  assert_int_equal(truncate(path, 16777217), 0);
  assert_int_equal(sn_model_load(&robot.arena, path, NULL, robot.report, &model, &err), SN_ELIMIT);
  sn_assert_contains(err.message, "16777216");
  assert_null(model);
  assert_int_equal(sn_arena_used(&robot.arena), used);
  assert_int_equal(sn_report_error_count(robot.report), 2);
  sn_test_robot_free(&robot);
}

SN_TEST_GROUP(create_files, remove_files)
