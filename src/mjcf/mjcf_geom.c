/* Geoms: shapes of links, and mass where no <inertial> states it. */
#include <math.h>
#include <string.h>

#include "math/inertia.h"
#include "mjcf/mjcf_context.h"

static const double pi = 3.14159265358979323846;

typedef enum geom_kind {
  GEOM_SPHERE,
  GEOM_CAPSULE,
  GEOM_ELLIPSOID,
  GEOM_CYLINDER,
  GEOM_BOX,
  GEOM_MESH,
  GEOM_OTHER
} geom_kind;

static const struct {
  const char *name;
  geom_kind kind;
  size_t size_count; /* numbers of `size`; one less with `fromto` */
} kinds[] = {
    {"sphere", GEOM_SPHERE, 1},     {"capsule", GEOM_CAPSULE, 2}, {"ellipsoid", GEOM_ELLIPSOID, 3},
    {"cylinder", GEOM_CYLINDER, 2}, {"box", GEOM_BOX, 3},         {"mesh", GEOM_MESH, 0},
    {"plane", GEOM_OTHER, 0},       {"hfield", GEOM_OTHER, 0},    {"sdf", GEOM_OTHER, 0}};

/* A geom in the frame of its link. */
typedef struct geom {
  const sn__mjcf_element *e;
  geom_kind kind;
  double size[3]; /* MuJoCo's: half lengths */
  sn_pose pose;
  const sn__xml_node *asset; /* of a mesh */
  const char *file;          /* likewise */
} geom;

/* ---- reading ---- */

static size_t read_kind(sn__mjcf *m, geom *g) {
  const char *type = sn__mjcf_text(m, g->e, "type");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, type == NULL ? "sphere" : type) == 0) {
      g->kind = kinds[i].kind;
      return kinds[i].size_count;
    }
  }
  sn__mjcf_problem(m, SN_SEVERITY_WARNING, g->e->node, NULL,
                   "a geom of type '%.60s' is left out: it is not known here", type);
  g->kind = GEOM_OTHER;
  return 0;
}

/* The two ends of a capsule, cylinder, box or ellipsoid along its z axis. */
static void read_ends(geom *g, const double v[6]) {
  const sn_vec3 from = sn_vec3_make(v[0], v[1], v[2]), to = sn_vec3_make(v[3], v[4], v[5]);
  const sn_vec3 along = sn_vec3_sub(from, to);
  const double half = 0.5 * sn_vec3_norm(along);
  g->pose.pos = sn_vec3_scale(sn_vec3_add(from, to), 0.5);
  g->pose.rot = sn__mjcf_rotation_to(along);
  if (g->kind == GEOM_BOX || g->kind == GEOM_ELLIPSOID) {
    g->size[1] = g->size[0];
    g->size[2] = half;
  } else {
    g->size[1] = half;
  }
}

/* @return whether it has a shape that is known */
static bool read_geom(sn__mjcf *m, geom *g) {
  const size_t size_count = read_kind(m, g);
  double ends[6];
  g->pose = sn__mjcf_pose(m, g->e);
  const size_t given = sn__mjcf_numbers(m, g->e, "size", 0, 3, g->size);
  const bool has_ends = g->kind != GEOM_SPHERE && size_count > 0 &&
                        sn__mjcf_numbers(m, g->e, "fromto", 6, 6, ends) == 6;
  if (has_ends) {
    read_ends(g, ends);
  }
  if (given < (has_ends ? 1 : size_count)) {
    sn__mjcf_problem(m, SN_SEVERITY_ERROR, g->e->node, NULL,
                     "<geom> size has %zu numbers, a %s needs %zu", given, kinds[g->kind].name,
                     has_ends ? 1 : size_count);
    return false;
  }
  for (size_t i = 0; i < size_count; i++) {
    if (g->size[i] < 0.0) {
      sn__mjcf_problem(m, SN_SEVERITY_ERROR, g->e->node, NULL,
                       "<geom> size is %g, must be positive", g->size[i]);
      return false;
    }
  }
  return g->kind != GEOM_OTHER;
}

/* ---- mass ---- */

static double volume_of(const geom *g) {
  const double a = g->size[0], b = g->size[1], c = g->size[2];
  switch (g->kind) {
    case GEOM_SPHERE:
      return 4.0 / 3.0 * pi * a * a * a;
    case GEOM_CAPSULE:
      return pi * a * a * (2.0 * b + 4.0 / 3.0 * a);
    case GEOM_ELLIPSOID:
      return 4.0 / 3.0 * pi * a * b * c;
    case GEOM_CYLINDER:
      return 2.0 * pi * a * a * b;
    case GEOM_BOX:
      return 8.0 * a * b * c;
    default:
      return 0.0;
  }
}

static sn_sym3 diagonal(double xx, double yy, double zz) {
  return (sn_sym3){.xx = xx, .yy = yy, .zz = zz};
}

/* A cylinder and two half balls, each at the distance of its own centre of mass. */
static sn_sym3 capsule_tensor(double mass, double r, double length) {
  const double balls = mass * 4.0 * r / (4.0 * r + 3.0 * length);
  const double rod = mass - balls;
  const double across = rod * (3.0 * r * r + length * length) / 12.0 + balls * 0.4 * r * r +
                        balls * length * (3.0 * r + 2.0 * length) / 8.0;
  return diagonal(across, across, rod * r * r / 2.0 + balls * 0.4 * r * r);
}

/* Of a solid of even density about its centre. */
static sn_sym3 tensor_of(const geom *g, double mass) {
  const double a = g->size[0], b = g->size[1], c = g->size[2];
  switch (g->kind) {
    case GEOM_SPHERE:
      return diagonal(0.4 * mass * a * a, 0.4 * mass * a * a, 0.4 * mass * a * a);
    case GEOM_CAPSULE:
      return capsule_tensor(mass, a, 2.0 * b);
    case GEOM_ELLIPSOID:
      return diagonal(mass / 5.0 * (b * b + c * c), mass / 5.0 * (a * a + c * c),
                      mass / 5.0 * (a * a + b * b));
    case GEOM_CYLINDER:
      return diagonal(mass * (3.0 * a * a + 4.0 * b * b) / 12.0,
                      mass * (3.0 * a * a + 4.0 * b * b) / 12.0, mass * a * a / 2.0);
    case GEOM_BOX:
      return diagonal(mass / 3.0 * (b * b + c * c), mass / 3.0 * (a * a + c * c),
                      mass / 3.0 * (a * a + b * b));
    default:
      return diagonal(0, 0, 0);
  }
}

static void add_mass(sn__mjcf *m, const geom *g, sn_inertia *sum) {
  const double group = sn__mjcf_number(m, g->e, "group", 0.0);
  if (group < m->settings.group_range[0] || group > m->settings.group_range[1]) {
    return;
  }
  const double density = sn__mjcf_number(m, g->e, "density", 1000.0);
  const double volume = volume_of(g);
  const double mass = sn__mjcf_number(m, g->e, "mass", density * volume);
  if (g->kind == GEOM_MESH && density != 0.0 && mass >= 0.0 &&
      (mass > 0.0 || sn__mjcf_text(m, g->e, "mass") == NULL)) {
    sn__mjcf_problem(m, SN_SEVERITY_WARNING, g->e->node, "add an <inertial> to the body",
                     "the mass of a mesh is not computed: it is left out");
    return;
  }
  if (sn__mjcf_flag(m, g->e, "shellinertia", false)) {
    sn__mjcf_problem(m, SN_SEVERITY_WARNING, g->e->node, "add an <inertial> to the body",
                     "shellinertia is ignored: the geom is solid");
  }
  if (!(mass >= 0.0) || mass > 1e15) {
    sn__mjcf_problem(m, SN_SEVERITY_ERROR, g->e->node, NULL, "the mass of the geom is %g kg", mass);
  } else if (mass > 0.0) {
    const sn_inertia own = sn__inertia_from_com(mass, sn_vec3_make(0, 0, 0), tensor_of(g, mass));
    *sum = sn__inertia_add(*sum, sn__inertia_out(g->pose, own));
  }
}

/* ---- shapes ---- */

/* The file of a mesh relative to the document. @return NULL: there is none */
static const char *mesh_file(sn__mjcf *m, const sn__xml_node *asset) {
  const char *file = sn__xml_attribute_value(asset, "file");
  const char *folder = m->settings.mesh_folder;
  if (file == NULL) {
    return NULL;
  }
  const char *slash = strrchr(file, '/');
  file = m->settings.has_strippath && slash != NULL ? slash + 1 : file;
  const size_t length = strlen(folder);
  const bool has_folder = length > 0 && *file != '/';
  return sn__mjcf_join(m, has_folder ? folder : "",
                       has_folder && folder[length - 1] != '/' ? "/" : "", file);
}

/* @return whether the geom's mesh has a file */
static bool find_mesh(sn__mjcf *m, geom *g) {
  const char *name = sn__mjcf_text(m, g->e, "mesh");
  g->asset = name == NULL ? NULL : sn__mjcf_asset_find(m, 'm', name);
  g->file = g->asset == NULL ? NULL : mesh_file(m, g->asset);
  if (g->file == NULL) {
    sn__mjcf_problem(m, SN_SEVERITY_WARNING, g->e->node, "it is left out",
                     "<geom> mesh is '%.80s', which is not an <asset> with a file",
                     name == NULL ? "" : name);
  }
  return g->file != NULL;
}

static void add_mesh(sn__mjcf *m, const geom *g, sn__xml_node *geometry) {
  const sn__mjcf_element e = sn__mjcf_element_of(m, g->asset, -1);
  double scale[3];
  sn__xml_node *mesh = sn__mjcf_add(m, geometry, "mesh", g->e->node);
  sn__mjcf_set(m, mesh, "filename", g->file);
  if (sn__mjcf_numbers(m, &e, "scale", 3, 3, scale) == 3) {
    sn__mjcf_set_numbers(m, mesh, "scale", scale, 3);
  }
}

/* URDF has no ellipsoid: the box around it. */
static void add_primitive(sn__mjcf *m, const geom *g, sn__xml_node *geometry) {
  const double whole[3] = {2.0 * g->size[0], 2.0 * g->size[1], 2.0 * g->size[2]};
  const bool is_box = g->kind == GEOM_BOX || g->kind == GEOM_ELLIPSOID;
  sn__xml_node *shape = sn__mjcf_add(m, geometry, is_box ? "box" : kinds[g->kind].name, g->e->node);
  if (is_box) {
    sn__mjcf_set_numbers(m, shape, "size", whole, 3);
    return;
  }
  sn__mjcf_set_number(m, shape, "radius", g->size[0]);
  if (g->kind != GEOM_SPHERE) {
    sn__mjcf_set_number(m, shape, "length", whole[1]);
  }
}

static void add_colour(sn__mjcf *m, const geom *g, sn__xml_node *visual) {
  const char *material = sn__mjcf_text(m, g->e, "material");
  const sn__xml_node *asset = material == NULL ? NULL : sn__mjcf_asset_find(m, 'c', material);
  const sn__mjcf_element e = asset == NULL ? *g->e : sn__mjcf_element_of(m, asset, -1);
  double rgba[4];
  if (sn__mjcf_numbers(m, &e, "rgba", 4, 4, rgba) != 4) {
    return;
  }
  for (size_t i = 0; i < 4; i++) {
    rgba[i] = fmax(0.0, fmin(1.0, rgba[i]));
  }
  sn__xml_node *element = sn__mjcf_add(m, visual, "material", g->e->node);
  sn__xml_node *colour = sn__mjcf_add(m, element, "color", g->e->node);
  sn__mjcf_set_numbers(m, colour, "rgba", rgba, 4);
  if (colour != NULL && colour->attribute_count > 0) {
    sn__mjcf_set(m, element, "name", sn__mjcf_join(m, "rgba ", colour->attributes[0].value, ""));
  }
}

static void add_shape(sn__mjcf *m, const geom *g, const char *role, sn__xml_node *link) {
  sn__xml_node *shape = sn__mjcf_add(m, link, role, g->e->node);
  sn__mjcf_add_origin(m, shape, g->e->node, g->pose);
  sn__xml_node *geometry = sn__mjcf_add(m, shape, "geometry", g->e->node);
  if (g->kind == GEOM_MESH) {
    add_mesh(m, g, geometry);
  } else {
    add_primitive(m, g, geometry);
  }
  if (sn__xml_same(role, "visual")) {
    add_colour(m, g, shape);
  }
}

void sn__mjcf_read_geom(sn__mjcf *m, const sn__xml_node *node, int class_index,
                        sn_pose pose_link_frame, sn__xml_node *link, bool has_mass,
                        sn_inertia *sum) {
  enum { SHOWN_GROUPS = 3 }; /* MuJoCo's viewer shows groups 0 to 2 */
  const sn__mjcf_element e = sn__mjcf_element_of(m, node, class_index);
  geom g = {.e = &e};
  if (!read_geom(m, &g)) {
    return;
  }
  g.pose = sn_pose_mul(pose_link_frame, g.pose);
  if (has_mass) {
    add_mass(m, &g, sum);
  }
  if (g.kind == GEOM_MESH && !find_mesh(m, &g)) {
    return;
  }
  if (sn__mjcf_number(m, &e, "group", 0.0) < SHOWN_GROUPS) {
    add_shape(m, &g, "visual", link);
  }
  if (sn__mjcf_number(m, &e, "contype", 1.0) != 0.0 ||
      sn__mjcf_number(m, &e, "conaffinity", 1.0) != 0.0) {
    add_shape(m, &g, "collision", link);
  }
}
