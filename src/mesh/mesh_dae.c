/* Collada: the geometries of the scene, with the transforms of their nodes. Nodes are walked with a
   stack of bounded depth; what they instantiate is bounded, too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/dae_geometry.h"
#include "sinew/pose.h"

static const double RAD_PER_DEG = 0.017453292519943295;

enum { DEPTH_MAX = 64, ELEMENTS_MAX = 1 << 16, VISITS_MAX = 4096 };

/* ---- elements ---- */

static sn__xml_verdict judge(void *context, sn_report *report, const sn__xml_node *parent,
                             const char *name, sn_place place) {
  static const char *const kept[] = {"asset",
                                     "unit",
                                     "library_geometries",
                                     "geometry",
                                     "mesh",
                                     "source",
                                     "float_array",
                                     "technique_common",
                                     "accessor",
                                     "vertices",
                                     "input",
                                     "triangles",
                                     "polylist",
                                     "polygons",
                                     "tristrips",
                                     "trifans",
                                     "p",
                                     "library_visual_scenes",
                                     "visual_scene",
                                     "node",
                                     "matrix",
                                     "translate",
                                     "rotate",
                                     "scale",
                                     "scene",
                                     "instance_geometry",
                                     "instance_node",
                                     "instance_visual_scene",
                                     "library_nodes"};
  (void)report, (void)place;
  size_t *count = context;
  if (parent == NULL) {
    return SN__XML_KEEP;
  }
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    if (sn__xml_same(name, kept[i])) {
      return ++*count > ELEMENTS_MAX ? SN__XML_STOP : SN__XML_KEEP;
    }
  }
  return SN__XML_SKIP;
}

/* Metres per unit; 0 if the file states nonsense. */
static double unit_of(const sn__xml_node *root) {
  const sn__xml_node *asset = sn__xml_child(root, "asset");
  const sn__xml_node *unit = asset == NULL ? NULL : sn__xml_child(asset, "unit");
  const char *text = unit == NULL ? NULL : sn__xml_attribute_value(unit, "meter");
  double metres = 1.0;
  if (text != NULL && !sn__dae_numbers(text, 1, &metres)) {
    return 0.0;
  }
  return metres > 0.0 && metres <= 1e6 ? metres : 0.0;
}

/* The element with this id in a library; NULL if there is none. */
static const sn__xml_node *find_in(const sn__xml_node *root, const char *library, const char *url) {
  const sn__xml_node *parent = sn__xml_child(root, library);
  for (const sn__xml_node *node = parent == NULL ? NULL : parent->first_child; node != NULL;
       node = node->next) {
    if (url == NULL || sn__dae_is_target(node, url)) {
      return node;
    }
  }
  return NULL;
}

static const sn__xml_node *find_scene(const sn__xml_node *root) {
  const sn__xml_node *scene = sn__xml_child(root, "scene");
  const sn__xml_node *instance =
      scene == NULL ? NULL : sn__xml_child(scene, "instance_visual_scene");
  const char *url = instance == NULL ? NULL : sn__xml_attribute_value(instance, "url");
  return find_in(root, "library_visual_scenes", url);
}

/* ---- transforms ---- */

/* One transform of a node as an affine map: a pose whose matrix need not be a rotation. */
static bool read_transform(const sn__xml_node *node, sn_pose *out) {
  double v[16] = {0};
  *out = sn_pose_identity();
  if (sn__xml_same(node->name, "matrix")) {
    const bool is_good = sn__dae_numbers(node->text, 16, v);
    *out = (sn_pose){{{v[0], v[4], v[8]}, {v[1], v[5], v[9]}, {v[2], v[6], v[10]}},
                     {v[3], v[7], v[11]}};
    return is_good;
  }
  if (sn__xml_same(node->name, "translate")) {
    const bool is_good = sn__dae_numbers(node->text, 3, v);
    out->pos = sn_vec3_make(v[0], v[1], v[2]);
    return is_good;
  }
  if (sn__xml_same(node->name, "scale")) {
    const bool is_good = sn__dae_numbers(node->text, 3, v);
    out->rot = (sn_mat3){{v[0], 0, 0}, {0, v[1], 0}, {0, 0, v[2]}};
    return is_good;
  }
  if (sn__xml_same(node->name, "rotate")) {
    const bool is_good = sn__dae_numbers(node->text, 4, v);
    const sn_vec3 axis = sn_vec3_make(v[0], v[1], v[2]);
    const double norm = sn_vec3_norm(axis);
    if (norm > 0.0) {
      out->rot = sn_mat3_from_axis_angle(sn_vec3_scale(axis, 1.0 / norm), v[3] * RAD_PER_DEG);
    }
    return is_good;
  }
  return true;
}

static sn_status transform_of(sn__dae *dae, const sn__xml_node *node, sn_pose *pose) {
  for (const sn__xml_node *child = node->first_child; child != NULL; child = child->next) {
    sn_pose one;
    if (!read_transform(child, &one)) {
      dae->reader->line = child->place.line;
      return sn__mesh_fail(dae->reader, SN_ESYNTAX, "<%.40s> has the wrong count of numbers",
                           child->name);
    }
    *pose = sn_pose_mul(*pose, one);
  }
  return SN_OK;
}

/* ---- the scene ---- */

static sn_status add_geometry(sn__dae *dae, sn__dae_geometry *geometry, sn_pose pose) {
  sn_status status = sn__dae_read_geometry(dae, geometry);
  if (status == SN_OK) {
    status = sn__mesh_count_triangles(dae->reader, geometry->triangle_count);
  }
  for (size_t i = 0; status == SN_OK && i < geometry->count; i++) {
    status = sn__mesh_add(dae->reader, sn_pose_apply(pose, dae->points[geometry->first + i]));
  }
  return status;
}

static sn_status add_instance(sn__dae *dae, const char *url, sn_pose pose) {
  for (size_t i = 0; i < dae->geometry_count; i++) {
    if (sn__dae_is_target(dae->geometries[i].node, url)) {
      return add_geometry(dae, &dae->geometries[i], pose);
    }
  }
  return SN_OK; /* another file, or missing */
}

typedef struct dae_level {
  const sn__xml_node *next; /* child to visit */
  sn_pose pose;
} dae_level;

/* The node that a child enters: itself, or the one that it instantiates; NULL: none. */
static const sn__xml_node *node_of(const sn__dae *dae, const sn__xml_node *child) {
  if (sn__xml_same(child->name, "node")) {
    return child;
  }
  const char *url = sn__xml_attribute_value(child, "url");
  return sn__xml_same(child->name, "instance_node") && url != NULL
             ? find_in(dae->root, "library_nodes", url)
             : NULL;
}

static sn_status walk(sn__dae *dae, const sn__xml_node *scene, double unit) {
  dae_level levels[DEPTH_MAX];
  size_t depth = 1, visit_count = 0;
  sn_status status = SN_OK;
  levels[0] = (dae_level){scene->first_child, sn_pose_identity()};
  levels[0].pose.rot = (sn_mat3){{unit, 0, 0}, {0, unit, 0}, {0, 0, unit}};
  while (status == SN_OK && depth > 0) {
    dae_level *level = &levels[depth - 1];
    const sn__xml_node *child = level->next;
    if (child == NULL) {
      depth--;
      continue;
    }
    level->next = child->next;
    const sn__xml_node *node = node_of(dae, child);
    if (node != NULL) {
      if (depth == DEPTH_MAX || ++visit_count > VISITS_MAX) {
        return sn__mesh_fail(dae->reader, SN_ELIMIT, "more than %d nodes, or nested too deep",
                             VISITS_MAX);
      }
      levels[depth] = (dae_level){node->first_child, level->pose};
      status = transform_of(dae, node, &levels[depth++].pose);
    } else if (sn__xml_same(child->name, "instance_geometry")) {
      status = add_instance(dae, sn__xml_attribute_value(child, "url"), level->pose);
    }
  }
  return status;
}

static sn_status add_all(sn__dae *dae, double unit) {
  const sn_pose pose = {{{unit, 0, 0}, {0, unit, 0}, {0, 0, unit}}, {0, 0, 0}};
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < dae->geometry_count; i++) {
    status = add_geometry(dae, &dae->geometries[i], pose);
  }
  return status;
}

/* ---- the file ---- */

static bool list_geometries(sn__dae *dae, sn_arena *arena) {
  const sn__xml_node *library = sn__xml_child(dae->root, "library_geometries");
  const sn__xml_node *first = library == NULL ? NULL : library->first_child;
  size_t count = 0;
  for (const sn__xml_node *node = first; node != NULL; node = node->next) {
    count++;
  }
  dae->geometries = SN_NEW(arena, sn__dae_geometry, count);
  for (const sn__xml_node *node = first; dae->geometries != NULL && node != NULL;
       node = node->next) {
    dae->geometries[dae->geometry_count++].node = node;
  }
  return dae->geometries != NULL;
}

static sn_status read_tree(sn__mesh_reader *reader, sn_arena *arena, const sn__xml_node *root) {
  sn__dae dae = {.reader = reader, .root = root};
  const double unit = unit_of(root);
  if (!sn__xml_same(root->name, "COLLADA") || unit == 0.0) {
    return sn__mesh_fail(reader, SN_ESYNTAX, "the root is not <COLLADA>, or its unit is invalid");
  }
  if (!list_geometries(&dae, arena)) {
    return sn__mesh_fail(reader, SN_ENOMEM, "out of memory");
  }
  const sn__xml_node *scene = find_scene(root);
  const sn_status status = scene == NULL ? add_all(&dae, unit) : walk(&dae, scene, unit);
  free(dae.points);
  return status;
}

static sn_status parse(sn__mesh_reader *reader, sn_arena *arena) {
  size_t element_count = 0;
  const sn__xml_config config = {.file = reader->name,
                                 .size_max = SN__MESH_SIZE_MAX,
                                 .depth_max = DEPTH_MAX,
                                 .attribute_max = 4096,
                                 .attributes_max = 64,
                                 .keep_text = true,
                                 .judge = judge,
                                 .context = &element_count};
  sn_report *report = NULL;
  sn__xml_node *root = NULL;
  if (sn_report_create(arena, &report, reader->err) != SN_OK) {
    return SN_ENOMEM;
  }
  const sn_status status =
      sn__xml_parse(arena, reader->at, (size_t)(reader->end - reader->at), &config, report, &root);
  if (status == SN_OK && root != NULL) {
    return read_tree(reader, arena, root);
  }
  const sn_problem *problem = sn_report_count(report) == 0 ? NULL : sn_report_at(report, 0);
  reader->line = problem == NULL ? 0 : problem->place.line;
  return sn__mesh_fail(
      reader, status == SN_OK ? SN_ESYNTAX : status, "%s",
      problem == NULL ? "not a Collada file, or too many elements" : problem->message);
}

sn_status sn__mesh_read_dae(sn__mesh_reader *reader) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "dae", 1 << 16);
  const sn_status status = parse(reader, &arena);
  sn_arena_release(&arena);
  return status;
}
