/* The same tetrahedron in every format, and files that are wrong. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh.h"
#include "sn_test.h"

static const char STL_TEXT[] =
    "solid a vertex in its name\n"
    "facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 0 1 0\n  vertex 1 0 0\n endloop\n"
    "endfacet\n"
    "facet normal 0 0 1\n OUTER LOOP\n  VERTEX 0 0 0\n  vertex 1e0 0 0\n  vertex 0 0 1.\n endloop\n"
    "endfacet\nendsolid\n";

static const char OBJ[] =
    "# comment\nmtllib x.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0 0.5 0.5 0.5\nv 0 0 1\nv 99 99 99\nvn 0 0 "
    "1\n"
    "vt 0 0\nf 1//1 2//1 3//1\nf -5/1 -2 2\n";

#define DAE_GEOMETRY                                                                               \
  "<library_geometries><geometry id='g'><mesh><source id='p'><float_array id='a' count='15'>"      \
  "0 0 0 1 0 0 0 1 0 0 0 1 99 99 99</float_array><technique_common><accessor source='#a' "         \
  "count='5' stride='3'/></technique_common></source><vertices id='v'><input "                     \
  "semantic='POSITION' source='#p'/></vertices><triangles count='2'><input semantic='VERTEX' "     \
  "source='#v' offset='1'/><input semantic='NORMAL' source='#n' offset='0'/><p>7 0 7 1 7 2 7 0 7 " \
  "3 7 1</p></triangles></mesh></geometry></library_geometries>"

static const char DAE[] = "<COLLADA>" DAE_GEOMETRY "</COLLADA>";

static sn__mesh parse(const char *name, const char *text, size_t size) {
  sn__mesh mesh = {0};
  sn_error err = {0};
  if (sn__mesh_parse(name, text, size, &mesh, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  return mesh;
}

static void assert_fails(const char *name, const char *text, size_t size, sn_status status,
                         const char *message) {
  sn__mesh mesh = {0};
  sn_error err = {0};
  assert_int_equal(sn__mesh_parse(name, text, size, &mesh, &err), status);
  assert_string_equal(err.message, message);
  assert_null(mesh.points);
}

/* The largest coordinate sum: 1 for the tetrahedron of this file. */
static double reach(const sn__mesh *mesh) {
  double most = -1.0;
  for (size_t i = 0; i < mesh->point_count; i++) {
    most = fmax(most, mesh->points[i].x + mesh->points[i].y + mesh->points[i].z);
  }
  return most;
}

static void check_tetrahedron(const char *name, const char *text, size_t size) {
  sn__mesh mesh = parse(name, text, size);
  assert_int_equal(mesh.triangle_count, 2);
  sn_assert_near(reach(&mesh), 1.0, 0.0);
  sn__mesh_free(&mesh);
}

static size_t write_binary(char *out, const float (*points)[3], uint32_t count) {
  memset(out, ' ', 80);
  memcpy(out, "solid", 5); /* as some exporters do */
  memcpy(out + 80, &count, 4);
  for (size_t i = 0; i < count; i++) {
    memset(out + 84 + 50 * i, 0, 50);
    memcpy(out + 84 + 50 * i + 12, points[3 * i], 36);
  }
  return 84 + 50 * (size_t)count;
}

static const float POINTS[6][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0},
                                   {0, 0, 0}, {1, 0, 0}, {0, 0, 1}};

SN_TEST(all_formats_give_the_same_points) {
  char binary[84 + 100];
  check_tetrahedron("a.stl", STL_TEXT, strlen(STL_TEXT));
  check_tetrahedron("a.STL", binary, write_binary(binary, POINTS, 2));
  check_tetrahedron("a.obj", OBJ, strlen(OBJ));
  check_tetrahedron("a.dae", DAE, strlen(DAE));
}

SN_TEST(collada_transforms_and_units_apply_in_order) {
  static const char text[] =
      "<COLLADA><asset><unit meter='0.001' name='mm'/><up_axis>Z_UP</up_axis></asset>" DAE_GEOMETRY
      "<library_nodes><node id='shared'><translate>0 0 5</translate><instance_geometry url='#g'/>"
      "</node></library_nodes><library_visual_scenes><visual_scene id='s'><node>"
      "<translate>10 0 0</translate><rotate>0 0 1 90</rotate><scale>2 2 2</scale>"
      "<instance_node url='#shared'/></node></visual_scene></library_visual_scenes>"
      "<scene><instance_visual_scene url='#s'/></scene></COLLADA>";
  sn__mesh mesh = parse("a.dae", text, strlen(text));
  assert_int_equal(mesh.point_count, 4);
  /* (0 1 0): up by 5, twice as large, turned, moved, in millimetres */
  sn_assert_near(mesh.points[2].x, 0.001 * (10.0 - 2.0), 1e-15);
  sn_assert_near(mesh.points[2].y, 0.0, 1e-15);
  sn_assert_near(mesh.points[2].z, 0.001 * 10.0, 1e-15);
  sn__mesh_free(&mesh);
}

/* The page draws the same file with the same result: web/tests/browser/meshes.test.mjs. */
SN_TEST(a_box_in_millimetres_has_the_same_place_whatever_axis_is_up) {
  char path[600], text[4096];
  snprintf(path, sizeof path, "%s/box.dae", SINEW_TEST_ROBOTS);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  const size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = '\0';
  char *axis = strstr(text, ">Z_UP<");
  assert_non_null(axis);
  for (const char *name = "XYZ"; *name != '\0'; name++) {
    axis[1] = *name;
    sn__mesh mesh = parse("box.dae", text, size);
    sn_vec3 low = mesh.points[0], high = mesh.points[0];
    for (size_t i = 0; i < mesh.point_count; i++) {
      const sn_vec3 p = mesh.points[i];
      low = sn_vec3_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
      high = sn_vec3_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    assert_int_equal(mesh.triangle_count, 12);
    sn_assert_near(sn_vec3_norm(sn_vec3_sub(low, sn_vec3_make(0, 0, 0.05))), 0.0, 1e-15);
    sn_assert_near(sn_vec3_norm(sn_vec3_sub(high, sn_vec3_make(0.1, 0.2, 0.35))), 0.0, 1e-15);
    sn__mesh_free(&mesh);
  }
}

SN_TEST(a_matrix_of_collada_is_written_by_rows) {
  static const char text[] = "<COLLADA>" DAE_GEOMETRY
                             "<library_visual_scenes><visual_scene><node><matrix>1 0 0 7  0 1 0 8  "
                             "0 0 1 9  0 0 0 1</matrix><instance_geometry url='#g'/></node>"
                             "</visual_scene></library_visual_scenes></COLLADA>";
  sn__mesh mesh = parse("a.dae", text, strlen(text));
  sn_assert_near(mesh.points[0].x, 7.0, 0.0);
  sn_assert_near(mesh.points[0].y, 8.0, 0.0);
  sn_assert_near(mesh.points[0].z, 9.0, 0.0);
  sn__mesh_free(&mesh);
}

SN_TEST(nodes_that_instantiate_each_other_are_rejected) {
  static const char text[] =
      "<COLLADA>" DAE_GEOMETRY
      "<library_nodes><node id='a'><instance_node url='#a'/></node></library_nodes>"
      "<library_visual_scenes><visual_scene><instance_node url='#a'/></visual_scene>"
      "</library_visual_scenes></COLLADA>";
  assert_fails("a.dae", text, strlen(text), SN_ELIMIT,
               "a.dae:1: more than 4096 nodes, or nested too deep");
}

SN_TEST(wrong_files_are_rejected_with_their_place) {
  static const struct {
    const char *name, *text;
    sn_status status;
    const char *message;
  } cases[] = {
      {"a.ply", "ply", SN_EUNSUPPORTED, "a.ply: a mesh must end in .stl, .obj or .dae"},
      {"a.stl", "", SN_ESYNTAX, "a.stl: 0 bytes are too few for an STL file"},
      {"a.stl", "solid x\nendsolid\n", SN_ESYNTAX, "a.stl: the mesh has no triangles"},
      {"a.stl", "solid x\nfacet\nvertex 1 2 x\n", SN_ESYNTAX, "a.stl:3: 'x' is not a coordinate"},
      {"a.stl", "solid x\nvertex 1 2 3\nendfacet\n", SN_ESYNTAX,
       "a.stl:4: 1 vertices and 1 triangles; is the file truncated?"},
      {"a.stl", "solid x\nvertex 1 2 1e300\n", SN_ESYNTAX,
       "a.stl:2: the point (1, 2, 1e+300) is not finite or too far away"},
      {"a.obj", "v 0 0 0\nf 1 2 3\n", SN_ESYNTAX,
       "a.obj:2: '2' is not one of the 1 vertices before it"},
      {"a.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", SN_ESYNTAX,
       "a.obj:3: a face has 2 corners, at least 3 are needed"},
      {"a.obj", "v 0 0\n", SN_ESYNTAX, "a.obj:1: '' is not a coordinate"},
      {"a.obj", "v 0 0 0\n", SN_ESYNTAX, "a.obj: the mesh has no triangles"},
      {"a.dae", "<COLLADA>", SN_ESYNTAX, "a.dae:1: the file ends before its end tag"},
      {"a.dae", "<robot/>", SN_ESYNTAX,
       "a.dae:1: the root is not <COLLADA>, or its unit is invalid"},
      {"a.dae", "<a/><b/>", SN_ESYNTAX, "a.dae:1: there is more after the root element <a>"},
      {"a.dae", "<COLLADA/>", SN_ESYNTAX, "a.dae: the mesh has no triangles"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_fails(cases[i].name, cases[i].text, strlen(cases[i].text), cases[i].status,
                 cases[i].message);
  }
}

SN_TEST(a_truncated_binary_file_is_rejected) {
  char binary[84 + 100];
  const size_t size = write_binary(binary, POINTS, 2);
  memset(binary, ' ', 5);
  assert_fails("a.stl", binary, size - 1, SN_ESYNTAX,
               "a.stl: 2 triangles need 184 bytes, the file has 183; is it truncated?");
}

SN_TEST(a_million_triangles_are_read_and_more_are_rejected) {
  const size_t most = SN__MESH_TRIANGLES_MAX;
  char *binary = calloc(84 + 50 * (most + 1), 1);
  assert_non_null(binary);
  const uint32_t counts[] = {(uint32_t)most, (uint32_t)most + 1};
  memcpy(binary + 80, &counts[0], 4);
  sn__mesh mesh = parse("a.stl", binary, 84 + 50 * most);
  assert_int_equal(mesh.triangle_count, most);
  sn__mesh_free(&mesh);
  memcpy(binary + 80, &counts[1], 4);
  assert_fails("a.stl", binary, 84 + 50 * (most + 1), SN_ELIMIT,
               "a.stl: the mesh has more than 1048576 triangles; simplify it");
  free(binary);
}

SN_TEST(a_missing_file_is_reported) {
  sn__mesh mesh = {0};
  sn_error err = {0};
  assert_int_equal(sn__mesh_load("/missing/a.stl", &mesh, &err), SN_EIO);
}
