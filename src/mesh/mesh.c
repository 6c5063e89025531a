#include "mesh/mesh.h"

#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/number.h"
#include "files/file.h"
#include "mesh/mesh_internal.h"

sn_status sn__mesh_fail(const sn__mesh_reader *reader, sn_status status, const char *format, ...) {
  char text[160];
  va_list args;
  va_start(args, format);
  (void)sn__text_format(text, sizeof text, format, args);
  va_end(args);
  if (reader->line == 0) {
    return sn__fail(reader->err, status, "%s: %s", reader->name, text);
  }
  return sn__fail(reader->err, status, "%s:%u: %s", reader->name, reader->line, text);
}

/* ---- words ---- */

sn__mesh_word sn__mesh_next_word(sn__mesh_reader *reader, bool in_line) {
  while (reader->at < reader->end && sn__text_is_blank(*reader->at)) {
    if (*reader->at == '\n') {
      if (in_line) {
        break;
      }
      reader->line++;
    }
    reader->at++;
  }
  const char *begin = reader->at;
  while (reader->at < reader->end && !sn__text_is_blank(*reader->at)) {
    reader->at++;
  }
  return (sn__mesh_word){begin, (size_t)(reader->at - begin)};
}

void sn__mesh_skip_line(sn__mesh_reader *reader) {
  while (reader->at < reader->end && *reader->at != '\n') {
    reader->at++;
  }
  if (reader->at < reader->end) {
    reader->at++;
    reader->line++;
  }
}

bool sn__mesh_word_is(sn__mesh_word word, const char *other) {
  size_t i = 0;
  for (; i < word.length && other[i] != '\0'; i++) {
    const char c = word.text[i];
    if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != other[i]) {
      return false;
    }
  }
  return i == word.length && other[i] == '\0';
}

sn_status sn__mesh_read_point(sn__mesh_reader *reader, bool in_line, sn_vec3 *out) {
  double values[3] = {0};
  for (size_t i = 0; i < 3; i++) {
    const sn__mesh_word word = sn__mesh_next_word(reader, in_line);
    if (sn__number_parse(word.text, word.length, &values[i]) != SN__NUMBER_OK) {
      return sn__mesh_fail(reader, SN_ESYNTAX, "'%.*s' is not a coordinate",
                           (int)(word.length < 40 ? word.length : 40), word.text);
    }
  }
  *out = sn_vec3_make(values[0], values[1], values[2]);
  return SN_OK;
}

/* ---- points ---- */

sn_status sn__mesh_add(sn__mesh_reader *reader, sn_vec3 point) {
  sn__mesh *mesh = &reader->mesh;
  const double largest = fmax(fabs(point.x), fmax(fabs(point.y), fabs(point.z)));
  if (!isfinite(point.x + point.y + point.z) || !(largest <= SN__MESH_COORDINATE_MAX)) {
    return sn__mesh_fail(reader, SN_ESYNTAX, "the point (%g, %g, %g) is not finite or too far away",
                         point.x, point.y, point.z);
  }
  if (mesh->point_count == 3 * SN__MESH_TRIANGLES_MAX) {
    return sn__mesh_fail(reader, SN_ELIMIT, "the mesh has more than %zu points",
                         3 * SN__MESH_TRIANGLES_MAX);
  }
  sn_vec3 *grown = sn__list_grow(mesh->points, &mesh->point_capacity, mesh->point_count + 1,
                                 sizeof *mesh->points);
  if (grown == NULL) {
    return sn__mesh_fail(reader, SN_ENOMEM, "out of memory");
  }
  mesh->points = grown;
  mesh->points[mesh->point_count++] = point;
  return SN_OK;
}

sn_status sn__mesh_count_triangles(sn__mesh_reader *reader, size_t count) {
  if (count > SN__MESH_TRIANGLES_MAX - reader->mesh.triangle_count) {
    return sn__mesh_fail(reader, SN_ELIMIT, "the mesh has more than %zu triangles; simplify it",
                         SN__MESH_TRIANGLES_MAX);
  }
  reader->mesh.triangle_count += count;
  return SN_OK;
}

/* ---- files ---- */

static sn_status read_kind(sn__mesh_reader *reader) {
  static const struct {
    const char *lower, *upper;
    sn_status (*read)(sn__mesh_reader *reader);
  } kinds[] = {{".stl", ".STL", sn__mesh_read_stl},
               {".obj", ".OBJ", sn__mesh_read_obj},
               {".dae", ".DAE", sn__mesh_read_dae}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (sn__file_has_ending(reader->name, kinds[i].lower) ||
        sn__file_has_ending(reader->name, kinds[i].upper)) {
      return kinds[i].read(reader);
    }
  }
  reader->line = 0;
  return sn__mesh_fail(reader, SN_EUNSUPPORTED, "a mesh must end in .stl, .obj or .dae");
}

sn_status sn__mesh_parse(const char *name, const char *bytes, size_t size, sn__mesh *out,
                         sn_error *err) {
  sn__mesh_reader reader = {.name = name, .at = bytes, .end = bytes + size, .line = 1, .err = err};
  sn_status status = SN_OK;
  if (size > SN__MESH_SIZE_MAX) {
    status = sn__mesh_fail(&reader, SN_ELIMIT, "the file has %zu bytes, at most %zu are allowed",
                           size, SN__MESH_SIZE_MAX);
  } else {
    status = read_kind(&reader);
  }
  if (status == SN_OK && (reader.mesh.triangle_count == 0 || reader.mesh.point_count == 0)) {
    reader.line = 0;
    status = sn__mesh_fail(&reader, SN_ESYNTAX, "the mesh has no triangles");
  }
  if (status == SN_OK) {
    *out = reader.mesh;
  } else {
    sn__mesh_free(&reader.mesh);
  }
  return status;
}

sn_status sn__mesh_load(const char *path, sn__mesh *out, sn_error *err) {
  sn__file file = {0};
  const sn_status status = sn__file_read(path, SN__MESH_SIZE_MAX, NULL, &file, err);
  if (status != SN_OK) {
    return status;
  }
  const sn_status parsed = sn__mesh_parse(path, file.text, file.size, out, err);
  sn__file_free(&file);
  return parsed;
}

void sn__mesh_free(sn__mesh *mesh) {
  free(mesh->points);
  *mesh = (sn__mesh){0};
}
