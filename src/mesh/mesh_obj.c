/* Wavefront OBJ: `v` and `f`. Everything else is ignored. */
#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/number.h"
#include "mesh/mesh_internal.h"

/* All vertices of the file; only those of faces become part of the mesh. */
typedef struct obj_vertex {
  sn_vec3 point;
  bool is_used;
} obj_vertex;

typedef struct obj_reader {
  sn__mesh_reader *reader;
  obj_vertex *vertices;
  size_t count, capacity;
} obj_reader;

static sn_status read_vertex(obj_reader *obj) {
  obj_vertex vertex = {.is_used = false};
  const sn_status status = sn__mesh_read_point(obj->reader, true, &vertex.point);
  if (status != SN_OK) {
    return status;
  }
  if (obj->count == 3 * SN__MESH_TRIANGLES_MAX) {
    return sn__mesh_fail(obj->reader, SN_ELIMIT, "more than %zu vertices",
                         3 * SN__MESH_TRIANGLES_MAX);
  }
  obj_vertex *grown =
      sn__list_grow(obj->vertices, &obj->capacity, obj->count + 1, sizeof *obj->vertices);
  if (grown == NULL) {
    return sn__mesh_fail(obj->reader, SN_ENOMEM, "out of memory");
  }
  obj->vertices = grown;
  obj->vertices[obj->count++] = vertex;
  return SN_OK;
}

/* Index of a corner such as `7`, `7/1`, `7//3` or `-1`, the last vertex so far. */
static sn_status use_corner(obj_reader *obj, sn__mesh_word word) {
  size_t length = 0;
  while (length < word.length && word.text[length] != '/') {
    length++;
  }
  double number = 0.0;
  const bool is_number = sn__number_parse(word.text, length, &number) == SN__NUMBER_OK;
  const double index = number < 0.0 ? (double)obj->count + number : number - 1.0;
  if (!is_number || !(index >= 0.0 && index < (double)obj->count) || floor(index) != index) {
    return sn__mesh_fail(obj->reader, SN_ESYNTAX, "'%.*s' is not one of the %zu vertices before it",
                         (int)(word.length < 40 ? word.length : 40), word.text, obj->count);
  }
  obj_vertex *vertex = &obj->vertices[(size_t)index];
  if (vertex->is_used) {
    return SN_OK;
  }
  vertex->is_used = true;
  return sn__mesh_add(obj->reader, vertex->point);
}

static sn_status read_face(obj_reader *obj) {
  size_t corner_count = 0;
  for (;; corner_count++) {
    const sn__mesh_word word = sn__mesh_next_word(obj->reader, true);
    if (word.length == 0) {
      break;
    }
    const sn_status status = use_corner(obj, word);
    if (status != SN_OK) {
      return status;
    }
  }
  return corner_count < 3
             ? sn__mesh_fail(obj->reader, SN_ESYNTAX,
                             "a face has %zu corners, at least 3 are needed", corner_count)
             : sn__mesh_count_triangles(obj->reader, corner_count - 2);
}

sn_status sn__mesh_read_obj(sn__mesh_reader *reader) {
  obj_reader obj = {.reader = reader};
  sn_status status = SN_OK;
  while (status == SN_OK && reader->at < reader->end) {
    const sn__mesh_word word = sn__mesh_next_word(reader, true);
    if (sn__mesh_word_is(word, "v")) {
      status = read_vertex(&obj);
    } else if (sn__mesh_word_is(word, "f")) {
      status = read_face(&obj);
    }
    sn__mesh_skip_line(reader);
  }
  free(obj.vertices);
  return status;
}
