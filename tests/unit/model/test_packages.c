/* Where files that a robot refers to are found, and where not. */
#define _GNU_SOURCE /* mkdir(), symlink(), setenv() */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/urdf/package_xml.h"
#include "model/urdf/packages.h"
#include "program.h"
#include "sn_test.h"

/*  ws/src/my-arm/            package arm_description, with the robot urdf/r.urdf
    ws/src/tools/             package gripper_description
    ws/src/plain/             no package.xml
    ws/src/bare/              a package.xml without a name
    far/a/b/hand/             package hand_description
    far/ignored/              package ignored_description, passed over
    install/share/ament_arm/  package.xml and mesh are links into source/ */
static char folder[64];
static char robot[128];

static void make(const char *path, const char *text) {
  char whole[256];
  snprintf(whole, sizeof whole, "%s/%s", folder, path);
  for (char *slash = whole + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
    *slash = '\0';
    (void)mkdir(whole, 0700);
    *slash = '/';
  }
  sn_test_write(folder, path, text);
}

static void make_package(const char *path, const char *name) {
  char file[200], text[200];
  snprintf(file, sizeof file, "%s/package.xml", path);
  snprintf(text, sizeof text, "<package><name>%s</name></package>", name);
  make(file, text);
  snprintf(file, sizeof file, "%s/meshes/m.stl", path);
  make(file, "x");
}

static void make_link(const char *to, const char *from) {
  char a[256], b[256];
  snprintf(a, sizeof a, "%s/%s", folder, to);
  snprintf(b, sizeof b, "%s/%s", folder, from);
  assert_int_equal(symlink(a, b), 0);
}

static int setup(void **state) {
  (void)state;
  unsetenv("ROS_PACKAGE_PATH");
  unsetenv("AMENT_PREFIX_PATH");
  sn_test_folder_create(folder);
  make_package("ws/src/my-arm", "arm_description");
  make_package("ws/src/tools", "gripper_description");
  make("ws/src/plain/meshes/m.stl", "x");
  make("ws/src/bare/package.xml", "<package/>");
  make("ws/src/bare/m.stl", "x");
  make("ws/src/my-arm/urdf/r.urdf", "<robot/>");
  make("ws/src/my-arm/urdf/near.stl", "x");
  make("ws/secret.stl", "x");
  make_package("far/a/b/hand", "hand_description");
  make_package("far/ignored", "ignored_description");
  make("far/ignored/COLCON_IGNORE", "");
  make_package("source/ament_arm", "ament_arm");
  make("install/share/ament_arm/meshes/own.stl", "x");
  make_link("source/ament_arm/package.xml", "install/share/ament_arm/package.xml");
  make_link("source/ament_arm/meshes/m.stl", "install/share/ament_arm/meshes/m.stl");
  make_link("ws/secret.stl", "ws/src/my-arm/meshes/link.stl");
  snprintf(robot, sizeof robot, "%s/ws/src/my-arm/urdf/r.urdf", folder);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  sn_test_folder_remove(folder);
  return 0;
}

/* @param path  below the folder; NULL: none */
static bool is_found(const char *path, const char *uri, const char *expected) {
  char list[512];
  snprintf(list, sizeof list, "%s/nowhere:%s/%s", folder, folder, path == NULL ? "" : path);
  const sn_packages_config config = {.robot_file = robot, .path = path == NULL ? NULL : list};
  sn_arena arena;
  sn_packages *packages = NULL;
  sn_packages_file file;
  sn_arena_init_growing(&arena, "packages", 0);
  assert_int_equal(sn__packages_create(&arena, &config, &packages, NULL), SN_OK);
  const bool found = sn__packages_find(packages, uri, &file);
  if (found) {
    char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", folder, expected);
    assert_string_equal(file.path, whole);
    assert_int_equal(strncmp(file.path, file.root, strlen(file.root)), 0);
  }
  sn_arena_release(&arena);
  return found;
}

SN_TEST(packages_are_found_by_the_name_in_package_xml) {
  assert_true(
      is_found(NULL, "package://arm_description/meshes/m.stl", "ws/src/my-arm/meshes/m.stl"));
  assert_true(is_found(NULL, "model://arm_description/meshes/m.stl", "ws/src/my-arm/meshes/m.stl"));
  assert_true(
      is_found(NULL, "package://gripper_description/meshes/m.stl", "ws/src/tools/meshes/m.stl"));
  assert_true(is_found(NULL, "package://plain/meshes/m.stl", "ws/src/plain/meshes/m.stl"));
  assert_true(is_found(NULL, "package://bare/m.stl", "ws/src/bare/m.stl")); /* states no name */
  assert_true(is_found(NULL, "package:///meshes/m.stl", "ws/src/my-arm/meshes/m.stl"));
  assert_false(
      is_found(NULL, "package://my-arm/meshes/m.stl", NULL)); /* its folder, not its name */
  assert_false(is_found(NULL, "package://arm_description/meshes/none.stl", NULL));
  assert_false(is_found(NULL, "package://arm_description/meshes", NULL));
  assert_false(is_found(NULL, "package://arm_description", NULL));
  assert_false(is_found(NULL, "package://", NULL));
  assert_false(is_found(NULL, "http://localhost/m.stl", NULL));
}

SN_TEST(folders_may_be_named) {
  static const char uri[] = "package://hand_description/meshes/m.stl";
  static const char file[] = "far/a/b/hand/meshes/m.stl";
  assert_false(is_found(NULL, uri, NULL));
  assert_true(is_found("far", uri, file));
  assert_true(is_found("far/a/b/hand", uri, file));
  assert_false(is_found("far", "package://ignored_description/meshes/m.stl", NULL));
  char path[256];
  snprintf(path, sizeof path, ":/nowhere:%s/far", folder);
  assert_int_equal(setenv("ROS_PACKAGE_PATH", path, 1), 0);
  assert_true(is_found(NULL, uri, file));
  unsetenv("ROS_PACKAGE_PATH");
}

/* `colcon build --symlink-install` links files one by one, the package.xml as well. */
SN_TEST(installed_packages_are_found) {
  static const char uri[] = "package://ament_arm/meshes/m.stl";
  assert_false(is_found(NULL, uri, NULL));
  char path[256];
  snprintf(path, sizeof path, "/nowhere:%s/install", folder);
  assert_int_equal(setenv("AMENT_PREFIX_PATH", path, 1), 0);
  assert_true(is_found(NULL, uri, "source/ament_arm/meshes/m.stl"));
  assert_true(is_found(NULL, "package://ament_arm/meshes/own.stl",
                       "install/share/ament_arm/meshes/own.stl"));
  unsetenv("AMENT_PREFIX_PATH");
}

SN_TEST(paths_stay_in_packages) {
  char uri[256];
  assert_true(is_found(NULL, "near.stl", "ws/src/my-arm/urdf/near.stl"));
  assert_true(is_found(NULL, "../meshes/m.stl", "ws/src/my-arm/meshes/m.stl"));
  snprintf(uri, sizeof uri, "file://%s/ws/src/my-arm/meshes/m.stl", folder);
  assert_true(is_found(NULL, uri, "ws/src/my-arm/meshes/m.stl"));
  assert_false(is_found(NULL, "../../../secret.stl", NULL));
  assert_false(is_found(NULL, "package://arm_description/../../secret.stl", NULL));
  assert_false(is_found(NULL, "package://plain/../../secret.stl", NULL));
  assert_false(is_found(NULL, "package:///../../secret.stl", NULL));
  assert_false(is_found(NULL, "package://../secret.stl", NULL));
  assert_false(is_found(NULL, "package://arm_description/meshes/link.stl", NULL)); /* leads out */
  snprintf(uri, sizeof uri, "file://%s/ws/secret.stl", folder);
  assert_false(is_found(NULL, uri, NULL));
  assert_false(is_found(NULL, uri + strlen("file://"), NULL));
}

SN_TEST(searched_places_are_named) {
  const sn_packages_config config = {.robot_file = robot};
  sn_arena arena;
  sn_packages *packages = NULL;
  char text[400];
  sn_arena_init_growing(&arena, "packages", 0);
  assert_int_equal(sn__packages_create(&arena, &config, &packages, NULL), SN_OK);
  sn__packages_explain(packages, "package://moon/a.stl", text, sizeof text);
  sn_assert_contains(text, "no package 'moon' above ");
  sn_assert_contains(text, "/ws/src/my-arm/urdf");
  sn_assert_contains(text, "ROS_PACKAGE_PATH (not set)");
  sn__packages_explain(packages, "package://arm_description/a.stl", text, sizeof text);
  sn_assert_contains(text, "package 'arm_description' is ");
  sn_assert_contains(text, "ws/src/my-arm, and has no file 'a.stl'");
  sn__packages_explain(packages, "a.stl", text, sizeof text);
  sn_assert_contains(text, "neither in ");
  sn__packages_explain(packages, "http://x/a.stl", text, sizeof text);
  sn_assert_contains(text, "this machine only");
  sn_arena_release(&arena);
}

SN_TEST(name_of_a_package_xml_is_read) {
  static const struct {
    const char *text, *name;
  } cases[] = {
      {"<package><name>a_b</name></package>", "a_b"},
      {"<package format='3'>\n  <!-- <name>no</name> --><version/><name>\n a-1 </name>", "a-1"},
      {"<package><name attr='1'>x</name>", "x"},
      {"<package><names>x</names></package>", NULL},
      {"<package><name></name></package>", NULL},
      {"<package><name>a b</name></package>", NULL},
      {"<package><name>../x</name></package>", NULL},
      {"<package><name>unfinished", NULL},
      {"<package><name>much_too_long_a_name</name>", NULL},
      {"<!-- <name>x</name>", NULL},
      {"", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char name[16] = "";
    const bool is_there = sn__package_name(cases[i].text, strlen(cases[i].text), name, sizeof name);
    assert_int_equal(is_there, cases[i].name != NULL);
    if (is_there) {
      assert_string_equal(name, cases[i].name);
    }
  }
}

SN_TEST_GROUP(setup, teardown)
