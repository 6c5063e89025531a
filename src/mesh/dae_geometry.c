#include "mesh/dae_geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/number.h"

/* ---- words of a text ---- */

/* The next number at *text, which moves behind it. */
static bool next_number(const char **text, double *out) {
  const char *begin = *text;
  while (sn__text_is_blank(*begin)) {
    begin++;
  }
  const char *end = begin;
  while (*end != '\0' && !sn__text_is_blank(*end)) {
    end++;
  }
  *text = end;
  return sn__number_parse(begin, (size_t)(end - begin), out) == SN__NUMBER_OK;
}

static bool is_at_end(const char *text) {
  while (sn__text_is_blank(*text)) {
    text++;
  }
  return *text == '\0';
}

bool sn__dae_numbers(const char *text, size_t count, double *out) {
  for (size_t i = 0; i < count; i++) {
    if (!next_number(&text, &out[i])) {
      return false;
    }
  }
  return is_at_end(text);
}

bool sn__dae_is_target(const sn__xml_node *node, const char *url) {
  const char *id = sn__xml_attribute_value(node, "id");
  return id != NULL && url != NULL && url[0] == '#' && strcmp(id, url + 1) == 0;
}

static sn_status fail_at(const sn__dae *dae, const sn__xml_node *node, const char *text) {
  dae->reader->line = node->place.line;
  return sn__mesh_fail(dae->reader, SN_ESYNTAX, "<%.40s>: %s", node->name, text);
}

/* A whole number of an attribute; @p missing if there is none. @return false if it is not one */
static bool whole_attribute(const sn__xml_node *node, const char *name, size_t missing,
                            size_t *out) {
  const char *text = sn__xml_attribute_value(node, name);
  double number = (double)missing;
  if (text != NULL && !sn__dae_numbers(text, 1, &number)) {
    return false;
  }
  *out = (size_t)fmax(0.0, fmin(number, 1e9));
  return number >= 0.0 && number <= 1e9 && floor(number) == number;
}

/* ---- positions ---- */

/* Positions of one geometry; a primitive marks those that it uses. */
typedef struct dae_positions {
  sn_vec3 *points;
  bool *is_used;
  size_t count, capacity;
} dae_positions;

static sn_status read_floats(sn__dae *dae, const sn__xml_node *array, size_t offset, size_t stride,
                             dae_positions *out) {
  const char *text = array->text;
  double skipped = 0.0;
  for (size_t i = 0; i < offset; i++) {
    if (!next_number(&text, &skipped)) {
      return fail_at(dae, array, "fewer numbers than its accessor's offset");
    }
  }
  while (!is_at_end(text)) {
    double p[3] = {0};
    for (size_t i = 0; i < stride; i++) {
      if (!next_number(&text, i < 3 ? &p[i] : &skipped)) {
        return fail_at(dae, array, "not a list of whole points");
      }
    }
    if (out->count == 3 * SN__MESH_TRIANGLES_MAX) {
      return sn__mesh_fail(dae->reader, SN_ELIMIT, "more than %zu positions", out->count);
    }
    sn_vec3 *grown = sn__list_grow(out->points, &out->capacity, out->count + 1, sizeof *grown);
    if (grown == NULL) {
      return sn__mesh_fail(dae->reader, SN_ENOMEM, "out of memory");
    }
    out->points = grown;
    out->points[out->count++] = sn_vec3_make(p[0], p[1], p[2]);
  }
  return SN_OK;
}

static sn_status read_source(sn__dae *dae, const sn__xml_node *source, dae_positions *out) {
  const sn__xml_node *array = sn__xml_child(source, "float_array");
  const sn__xml_node *technique = sn__xml_child(source, "technique_common");
  const sn__xml_node *accessor = technique == NULL ? NULL : sn__xml_child(technique, "accessor");
  size_t stride = 3, offset = 0;
  if (array == NULL) {
    return fail_at(dae, source, "no <float_array>");
  }
  if (accessor != NULL && (!whole_attribute(accessor, "stride", 3, &stride) ||
                           !whole_attribute(accessor, "offset", 0, &offset) || stride < 3)) {
    return fail_at(dae, accessor, "a stride of at least 3 was expected");
  }
  return read_floats(dae, array, offset, stride, out);
}

/* The source of the positions: `<vertices>` names it. */
static const sn__xml_node *find_source(const sn__xml_node *mesh) {
  const sn__xml_node *vertices = sn__xml_child(mesh, "vertices");
  const char *url = NULL;
  for (const sn__xml_node *input = vertices == NULL ? NULL : vertices->first_child; input != NULL;
       input = input->next) {
    const char *semantic = sn__xml_attribute_value(input, "semantic");
    if (semantic != NULL && strcmp(semantic, "POSITION") == 0) {
      url = sn__xml_attribute_value(input, "source");
    }
  }
  for (const sn__xml_node *node = mesh->first_child; node != NULL; node = node->next) {
    if (sn__xml_same(node->name, "source") && sn__dae_is_target(node, url)) {
      return node;
    }
  }
  return NULL;
}

/* ---- primitives ---- */

/* Where the vertex is among the indices of a corner, and how many there are. */
static bool find_offset(const sn__xml_node *primitive, size_t *offset, size_t *stride) {
  bool is_found = false;
  *stride = 1;
  for (const sn__xml_node *input = primitive->first_child; input != NULL; input = input->next) {
    const char *semantic = sn__xml_attribute_value(input, "semantic");
    size_t at = 0;
    if (!sn__xml_same(input->name, "input") || semantic == NULL) {
      continue;
    }
    if (!whole_attribute(input, "offset", 0, &at) || at > 64) {
      return false;
    }
    *stride = at + 1 > *stride ? at + 1 : *stride;
    if (strcmp(semantic, "VERTEX") == 0) {
      *offset = at;
      is_found = true;
    }
  }
  return is_found;
}

/* Mark the vertices of one `<p>`. */
static sn_status use_indices(sn__dae *dae, const sn__xml_node *p, size_t offset, size_t stride,
                             dae_positions *positions, size_t *corner_count) {
  const char *text = p->text;
  size_t i = 0;
  for (; !is_at_end(text); i++) {
    double index = 0.0;
    if (!next_number(&text, &index) || !(index >= 0.0)) {
      return fail_at(dae, p, "not a list of indices");
    }
    if (i % stride == offset) {
      if (!(index < (double)positions->count)) {
        return fail_at(dae, p, "an index is beyond the positions");
      }
      positions->is_used[(size_t)index] = true;
    }
  }
  *corner_count += i / stride;
  return SN_OK;
}

static bool is_primitive(const sn__xml_node *node) {
  static const char *const names[] = {"triangles", "polylist", "polygons", "tristrips", "trifans"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (sn__xml_same(node->name, names[i])) {
      return true;
    }
  }
  return false;
}

static sn_status read_primitive(sn__dae *dae, const sn__xml_node *primitive,
                                dae_positions *positions, sn__dae_geometry *geometry) {
  size_t offset = 0, stride = 1, corner_count = 0;
  if (!find_offset(primitive, &offset, &stride)) {
    return fail_at(dae, primitive, "no <input> of vertices");
  }
  sn_status status = SN_OK;
  for (const sn__xml_node *p = primitive->first_child; status == SN_OK && p != NULL; p = p->next) {
    if (sn__xml_same(p->name, "p")) {
      status = use_indices(dae, p, offset, stride, positions, &corner_count);
    }
  }
  /* Of triangles a third; for polygons, strips and fans this is on the low side. */
  geometry->triangle_count += corner_count / 3;
  return status;
}

static sn_status keep_used(sn__dae *dae, const dae_positions *positions,
                           sn__dae_geometry *geometry) {
  geometry->first = dae->point_count;
  for (size_t i = 0; i < positions->count; i++) {
    if (!positions->is_used[i]) {
      continue;
    }
    sn_vec3 *grown =
        sn__list_grow(dae->points, &dae->point_capacity, dae->point_count + 1, sizeof *grown);
    if (grown == NULL) {
      return sn__mesh_fail(dae->reader, SN_ENOMEM, "out of memory");
    }
    dae->points = grown;
    dae->points[dae->point_count++] = positions->points[i];
  }
  geometry->count = dae->point_count - geometry->first;
  return SN_OK;
}

static sn_status read_primitives(sn__dae *dae, const sn__xml_node *mesh, dae_positions *positions,
                                 sn__dae_geometry *geometry) {
  sn_status status = SN_OK;
  for (const sn__xml_node *node = mesh->first_child; status == SN_OK && node != NULL;
       node = node->next) {
    if (is_primitive(node)) {
      status = read_primitive(dae, node, positions, geometry);
    }
  }
  return status == SN_OK ? keep_used(dae, positions, geometry) : status;
}

sn_status sn__dae_read_geometry(sn__dae *dae, sn__dae_geometry *geometry) {
  const sn__xml_node *mesh = sn__xml_child(geometry->node, "mesh");
  if (geometry->is_read || mesh == NULL) {
    return SN_OK; /* splines have no <mesh> */
  }
  geometry->is_read = true;
  const sn__xml_node *source = find_source(mesh);
  if (source == NULL) {
    return fail_at(dae, mesh, "its <vertices> name no source of positions");
  }
  dae_positions positions = {0};
  sn_status status = read_source(dae, source, &positions);
  positions.is_used = status == SN_OK ? calloc(positions.count + 1, 1) : NULL;
  if (status == SN_OK) {
    status = positions.is_used == NULL ? sn__mesh_fail(dae->reader, SN_ENOMEM, "out of memory")
                                       : read_primitives(dae, mesh, &positions, geometry);
  }
  free(positions.points);
  free(positions.is_used);
  return status;
}
