/* The URDF with its file names replaced by URLs, and the files that are served. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "foxglove/http/files.h"
#include "foxglove/shapes.h"
#include "sn_test.h"

static char folder[64];
static char robot[128];

static void write_file(const char *name) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(name, file);
  fclose(file);
}

static int setup(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/sinew-shapes-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(robot, sizeof robot, "%s/r.urdf", folder);
  write_file("r.urdf");
  write_file("a.stl");
  write_file("b c&.STL");
  return 0;
}

static int teardown(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command); /* NOLINT(cert-env33-c): in a folder of the test */
}

/* The page for this URDF. */
static void expect_page(const char *urdf, const char *expected) {
  sn__shapes shapes;
  sn_error err;
  assert_int_equal(sn__shapes_init(&shapes, urdf, robot, NULL, &err), SN_OK);
  sn__buffer_append(&shapes.page, "", 1);
  assert_string_equal(shapes.page.data, expected);
  assert_string_equal(shapes.urdf, urdf);
  sn__shapes_free(&shapes);
}

SN_TEST(only_file_names_are_replaced) {
  expect_page("<robot><mesh filename=\"a.stl\"/></robot>",
              "<robot><mesh filename=\"/mesh/0/a.stl\"/></robot>");
  expect_page(
      "<robot><mesh scale='1' \n filename = 'a.stl' x=\"filename='q'\"></mesh></robot>",
      "<robot><mesh scale='1' \n filename = '/mesh/0/a.stl' x=\"filename='q'\"></mesh></robot>");
  expect_page("<robot><mesh x='filename=\"a.stl\"' filename=\"a.stl\"/></robot>",
              "<robot><mesh x='filename=\"a.stl\"' filename=\"/mesh/0/a.stl\"/></robot>");
  expect_page(
      "<robot><mesh filename=\"a.stl\"/><mesh filename=\"none.stl\"/>"
      "<mesh filename=\"b c&amp;.STL\"/><mesh filename=\"a.stl\"/></robot>",
      "<robot><mesh filename=\"/mesh/0/a.stl\"/><mesh filename=\"/mesh/1/none.stl\"/>"
      "<mesh filename=\"/mesh/2/b%20c%26.STL\"/><mesh filename=\"/mesh/0/a.stl\"/></robot>");
  expect_page("<robot><!-- <mesh filename=\"a.stl\"/> --><other filename=\"a.stl\"/></robot>",
              "<robot><!-- <mesh filename=\"a.stl\"/> --><other filename=\"a.stl\"/></robot>");
}

SN_TEST(text_that_is_not_xml_stays_unchanged) {
  expect_page("", "");
  expect_page("<robot><mesh filename=", "<robot><mesh filename=");
  expect_page("<!DOCTYPE r [<!ENTITY e 'x'>]><robot><mesh filename=\"&e;\"/></robot>",
              "<!DOCTYPE r [<!ENTITY e 'x'>]><robot><mesh filename=\"&e;\"/></robot>");
}

SN_TEST(file_is_found_by_its_index_and_by_its_uri) {
  sn__shapes shapes;
  sn_error err;
  int64_t size = 0;
  assert_int_equal(
      sn__shapes_init(&shapes, "<r><mesh filename=\"b c&amp;.STL\"/></r>", robot, NULL, &err),
      SN_OK);
  int fd = sn__shapes_open(&shapes, "0/b c&.STL", &size);
  assert_true(fd >= 0);
  assert_int_equal(size, strlen("b c&.STL"));
  close(fd);
  fd = sn__shapes_open_uri(&shapes, "b c&.STL", &size);
  assert_true(fd >= 0);
  close(fd);
  const char *const wrong[] = {"",           "0",          "0/",   "0/c.stl",          "0/r.urdf",
                               "0/../a.stl", "1/b c&.STL", "-1/a", "00000000/b c&.STL"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_int_equal(sn__shapes_open(&shapes, wrong[i], &size), -1);
  }
  assert_int_equal(sn__shapes_open_uri(&shapes, "a.stl", &size), -1);
  sn__shapes_free(&shapes);
}

SN_TEST(robot_without_a_file_has_no_meshes) {
  sn__shapes shapes;
  sn_error err;
  const char *const nowhere[] = {NULL, "", "/missing/nothing.urdf"};
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(sn__shapes_init(&shapes, "<r><mesh filename=\"/etc/passwd.stl\"/></r>",
                                     nowhere[i], NULL, &err),
                     SN_OK);
    assert_null(shapes.items[0].path);
    sn__shapes_free(&shapes);
  }
}

/* A mesh names its textures relative to itself: they are served from its package, or, where there
   is none, from its own folder. */
SN_TEST(files_beside_a_mesh_are_served) {
  static const char *const folders[] = {"p", "p/meshes", "p/textures", "q", "q/meshes"};
  char path[200];
  for (size_t i = 0; i < 5; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
    assert_int_equal(mkdir(path, 0700), 0);
  }
  static const char *const files[] = {"p/meshes/m.dae",   "p/meshes/m.png", "p/textures/t.png",
                                      "q/meshes/m.dae",   "q/meshes/m.png", "q/secret.png",
                                      "p/meshes/note.txt"};
  for (size_t i = 0; i < 7; i++) {
    write_file(files[i]);
  }
  snprintf(path, sizeof path, "%s/p/package.xml", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("<package><name>pack</name></package>", file);
  fclose(file);
  sn__shapes shapes;
  sn_error err;
  assert_int_equal(sn__shapes_init(&shapes,
                                   "<r><mesh filename=\"package://pack/meshes/m.dae\"/>"
                                   "<mesh filename=\"q/meshes/m.dae\"/></r>",
                                   robot, NULL, &err),
                   SN_OK);
  sn__buffer_append(&shapes.page, "", 1);
  assert_string_equal(shapes.page.data,
                      "<r><mesh filename=\"/mesh/0/meshes/m.dae\"/>"
                      "<mesh filename=\"/mesh/1/q/meshes/m.dae\"/></r>");
  static const struct {
    const char *place;
    bool is_served;
  } cases[] = {{"0/meshes/m.dae", true},     {"0/meshes/m.png", true},
               {"0/textures/t.png", true},   {"0/meshes/note.txt", false},
               {"0/../q/secret.png", false}, {"1/q/meshes/m.dae", true},
               {"1/q/meshes/m.png", true},   {"1/q/secret.png", false},
               {"1/a.stl", false},           {"0/meshes/none.png", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t size = 0;
    const int fd = sn__shapes_open(&shapes, cases[i].place, &size);
    if ((fd >= 0) != cases[i].is_served) {
      fail_msg("%s", cases[i].place);
    }
    if (fd >= 0) {
      close(fd);
    }
  }
  sn__shapes_free(&shapes);
}

/* The answer for a missing mesh says where it was searched. */
SN_TEST(missing_mesh_is_explained) {
  sn__shapes shapes;
  sn_error err;
  char text[1024];
  assert_int_equal(sn__shapes_init(&shapes,
                                   "<r><mesh filename=\"package://other/meshes/x.stl\"/>"
                                   "<mesh filename=\"a.stl\"/></r>",
                                   robot, NULL, &err),
                   SN_OK);
  assert_true(sn__shapes_explain(&shapes, "0/x.stl", text, sizeof text));
  sn_assert_contains(text, "package://other/meshes/x.stl: no package 'other' above ");
  sn_assert_contains(text, "--package-path DIR");
  assert_true(sn__shapes_explain(&shapes, "1/t.png", text, sizeof text));
  sn_assert_contains(text, "t.png: not in ");
  assert_false(sn__shapes_explain(&shapes, "2/t.png", text, sizeof text));
  sn__shapes_free(&shapes);
}

SN_TEST(media_type_follows_the_file_name) {
  assert_string_equal(sn__file_type("/index.html"), "text/html; charset=utf-8");
  assert_string_equal(sn__file_type("/X.STL"), "model/stl");
  assert_string_equal(sn__file_type("/stl"), "application/octet-stream");
  assert_true(sn__file_is_shape("a.dae"));
  assert_false(sn__file_is_shape("a.html"));
}

SN_TEST_GROUP(setup, teardown)
