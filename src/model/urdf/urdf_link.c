#include <math.h>
#include <string.h>

#include "math/sym3.h"
#include "model/urdf/urdf.h"
#include "model/urdf/urdf_values.h"

/* Tolerance of the check for positive semi-definite: the rounding of a few digits in a file. */
#define INERTIA_ROUNDING 1e-9 /* kg m^2 */

static void check_inertia(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                          sn_sym3 inertia) {
  const sn_vec3 moments = sn__sym3_eigenvalues(inertia);
  if (moments.x < -INERTIA_ROUNDING) {
    sn__urdf_problem(context, SN_SEVERITY_ERROR, node, NULL,
                     "check the signs and the units (kg m^2)",
                     "%s '%.80s': the inertia is not positive semi-definite: a principal moment "
                     "is %g kg m^2",
                     owner.kind, owner.name, moments.x);
  } else if (moments.x + moments.y < moments.z - INERTIA_ROUNDING - 1e-6 * moments.z) {
    sn__urdf_problem(context, SN_SEVERITY_WARNING, node, NULL,
                     "no real body is like that; check the entries",
                     "%s '%.80s': the inertia breaks the triangle inequality: principal moments "
                     "%g, %g, %g kg m^2",
                     owner.kind, owner.name, moments.x, moments.y, moments.z);
  }
}

/* The six entries of <inertia>; false if one is missing or bad. */
static bool read_tensor(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                        sn_sym3 *out) {
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  double values[6] = {0};
  bool good = true;
  for (size_t i = 0; i < 6; i++) {
    if (sn__xml_attribute_value(node, names[i]) == NULL) {
      sn__urdf_problem(context, SN_SEVERITY_ERROR, node, NULL, NULL,
                       "%s '%.80s': <inertia> has no %s", owner.kind, owner.name, names[i]);
      good = false;
    } else {
      good = sn__urdf_numbers(context, owner, node, names[i], 1, &values[i]) &&
             sn__urdf_within(context, owner, node, names[i], 1, &values[i], SN__INERTIA_MAX,
                             "kg m^2") &&
             good;
    }
  }
  *out = (sn_sym3){values[0], values[1], values[2], values[3], values[4], values[5]};
  return good;
}

static void read_inertial(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                          sn_link *link) {
  link->has_inertial = true;
  const sn_pose pose = sn__urdf_origin(context, owner, node);
  link->com = pose.pos;
  const sn__xml_node *mass = sn__xml_child(node, "mass");
  if (mass == NULL || sn__xml_attribute_value(mass, "value") == NULL) {
    sn__urdf_problem(context, SN_SEVERITY_ERROR, mass == NULL ? node : mass, NULL, NULL,
                     "%s '%.80s': <inertial> has no mass", owner.kind, owner.name);
  } else if (sn__urdf_numbers(context, owner, mass, "value", 1, &link->mass_kg) &&
             sn__urdf_within(context, owner, mass, "value", 1, &link->mass_kg, SN__MASS_MAX_KG,
                             "kg") &&
             link->mass_kg < 0.0) {
    sn__urdf_problem(context, SN_SEVERITY_ERROR, mass, "value", NULL,
                     "%s '%.80s': the mass is %g kg, must not be negative", owner.kind, owner.name,
                     link->mass_kg);
  }
  const sn__xml_node *inertia = sn__xml_child(node, "inertia");
  sn_sym3 tensor;
  if (inertia == NULL) {
    sn__urdf_problem(context, SN_SEVERITY_ERROR, node, NULL, NULL,
                     "%s '%.80s': <inertial> has no <inertia>", owner.kind, owner.name);
  } else if (read_tensor(context, owner, inertia, &tensor)) {
    check_inertia(context, owner, inertia, tensor);
    link->inertia = sn__sym3_rotate(pose.rot, tensor);
  }
}

/* Sizes of primitive shapes: every attribute a positive number. */
typedef struct shape_kind {
  const char *element;
  sn_shape_kind kind;
  const char *attributes[2];
  size_t number_count;
} shape_kind;

static const shape_kind shapes[] = {{"box", SN_SHAPE_BOX, {"size", NULL}, 3},
                                    {"sphere", SN_SHAPE_SPHERE, {"radius", NULL}, 1},
                                    {"cylinder", SN_SHAPE_CYLINDER, {"radius", "length"}, 1},
                                    {"capsule", SN_SHAPE_CAPSULE, {"radius", "length"}, 1}};

static void set_size(sn_shape *out, const double sizes[3], size_t attribute) {
  if (out->kind == SN_SHAPE_BOX) {
    out->size = sn_vec3_make(sizes[0], sizes[1], sizes[2]);
  } else if (attribute == 0) {
    out->radius = sizes[0];
  } else {
    out->length = sizes[0];
  }
}

/* @return whether it is complete */
static bool read_shape(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                       const shape_kind *kind, sn_shape *out) {
  bool is_complete = true;
  out->kind = kind->kind;
  for (size_t i = 0; i < 2 && kind->attributes[i] != NULL; i++) {
    const char *attribute = kind->attributes[i];
    double sizes[3] = {0};
    if (sn__xml_attribute_value(node, attribute) == NULL) {
      sn__urdf_problem(context, SN_SEVERITY_WARNING, node, NULL, NULL,
                       "%s '%.80s': the geometry is incomplete: <%s> has no %s", owner.kind,
                       owner.name, node->name, attribute);
      is_complete = false;
    } else if (sn__urdf_numbers(context, owner, node, attribute, kind->number_count, sizes) &&
               fmin(sizes[0], fmin(sizes[1], sizes[2])) < 0.0) {
      sn__urdf_problem(context, SN_SEVERITY_ERROR, node, attribute, NULL,
                       "%s '%.80s': <%s> %s is '%.60s', must not be negative", owner.kind,
                       owner.name, node->name, attribute, sn__xml_attribute_value(node, attribute));
    }
    set_size(out, sizes, i);
  }
  return is_complete;
}

static bool is_known_missing(const sn__urdf_context *context, const char *uri) {
  for (size_t i = 0; i < context->mesh_missing_count && i < SN__URDF_MESHES_MISSING_MAX; i++) {
    if (strcmp(context->mesh_missing[i], uri) == 0) {
      return true;
    }
  }
  return false;
}

/* @return whether it is complete */
static bool read_mesh(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                      sn_shape *out) {
  const char *uri = sn__xml_attribute_value(node, "filename");
  double scale[3] = {1.0, 1.0, 1.0};
  if (sn__xml_attribute_value(node, "scale") != NULL) {
    sn__urdf_numbers(context, owner, node, "scale", 3, scale);
  }
  if (uri == NULL || *uri == '\0') {
    sn__urdf_problem(context, SN_SEVERITY_WARNING, node, NULL, NULL,
                     "%s '%.80s': the geometry is incomplete: <mesh> has no filename", owner.kind,
                     owner.name);
  } else if (context->config->mesh_exists != NULL && !is_known_missing(context, uri) &&
             !context->config->mesh_exists(context->config->mesh_context, uri)) {
    if (context->mesh_missing_count == 0) {
      context->mesh_place = node->place;
    }
    if (context->mesh_missing_count < SN__URDF_MESHES_MISSING_MAX) {
      context->mesh_missing[context->mesh_missing_count] = uri;
    }
    context->mesh_missing_count++;
  }
  out->kind = SN_SHAPE_MESH;
  out->size = sn_vec3_make(scale[0], scale[1], scale[2]);
  out->mesh = uri;
  return uri != NULL && *uri != '\0';
}

/* @return whether it is a complete shape */
static bool read_geometry(sn__urdf_context *context, sn__urdf_owner owner,
                          const sn__xml_node *parent, sn_shape *out) {
  const sn__xml_node *geometry = sn__xml_child(parent, "geometry");
  const sn__xml_node *node = geometry == NULL ? NULL : geometry->first_child;
  if (node == NULL) {
    sn__urdf_problem(context, SN_SEVERITY_WARNING, geometry == NULL ? parent : geometry, NULL,
                     "expected box, cylinder, sphere, capsule or mesh",
                     "%s '%.80s': the geometry of <%s> is incomplete: no known shape", owner.kind,
                     owner.name, parent->name);
    return false;
  }
  if (sn__xml_same(node->name, "mesh")) {
    return read_mesh(context, owner, node, out);
  }
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    if (sn__xml_same(node->name, shapes[i].element)) {
      return read_shape(context, owner, node, &shapes[i], out);
    }
  }
  return false;
}

static size_t count_children(const sn__xml_node *node, const char *name) {
  size_t count = 0;
  for (const sn__xml_node *child = node->first_child; child != NULL; child = child->next) {
    count += sn__xml_same(child->name, name);
  }
  return count;
}

/* @return false if memory runs out */
static bool read_shapes(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                        sn_link *link) {
  sn_shape *collisions = SN_NEW(context->arena, sn_shape, count_children(node, "collision") + 1);
  sn_shape *visuals = SN_NEW(context->arena, sn_shape, count_children(node, "visual") + 1);
  if (collisions == NULL || visuals == NULL) {
    return false;
  }
  link->shapes = collisions;
  link->visuals = visuals;
  for (const sn__xml_node *child = node->first_child; child != NULL; child = child->next) {
    const bool collides = sn__xml_same(child->name, "collision");
    if (sn__xml_same(child->name, "visual") || collides) {
      sn_shape one = {.pose_link_shape = sn__urdf_origin(context, owner, child)};
      if (read_geometry(context, owner, child, &one)) {
        *(collides ? &collisions[link->shape_count++] : &visuals[link->visual_count++]) = one;
      }
    }
  }
  return true;
}

static void check_second(sn__urdf_context *context, sn__urdf_owner owner,
                         const sn__xml_node *node) {
  for (const sn__xml_node *other = node->next; other != NULL; other = other->next) {
    if (sn__xml_same(other->name, node->name)) {
      sn__urdf_problem(context, SN_SEVERITY_WARNING, other, NULL, NULL,
                       "%s '%.80s': a second <%s> is ignored", owner.kind, owner.name, other->name);
    }
  }
}

bool sn__urdf_read_link(sn__urdf_context *context, const sn__xml_node *node, sn__urdf_link *link) {
  link->place = node->place;
  link->link.name = sn__urdf_name(context, node);
  const sn__urdf_owner owner = {"link", link->link.name == NULL ? "" : link->link.name,
                                SN_SEVERITY_ERROR};
  const sn__xml_node *inertial = sn__xml_child(node, "inertial");
  if (inertial != NULL) {
    read_inertial(context, owner, inertial, &link->link);
    check_second(context, owner, inertial);
  }
  return read_shapes(context, owner, node, &link->link);
}
