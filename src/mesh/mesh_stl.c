/* STL, text and binary. Normals, attributes and names are ignored. */
#include <stdint.h>
#include <string.h>

#include "mesh/mesh_internal.h"

enum { HEADER_SIZE = 84, TRIANGLE_SIZE = 50, NORMAL_SIZE = 12, POINT_SIZE = 12 };

/* Little-endian, as the format says. */
static uint32_t read_u32(const char *bytes) {
  const unsigned char *b = (const unsigned char *)bytes;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_f32(const char *bytes) {
  const uint32_t bits = read_u32(bytes);
  float value = 0.0F;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

static sn_status read_triangle(sn__mesh_reader *reader, const char *bytes) {
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < 3; i++) {
    const char *point = bytes + NORMAL_SIZE + i * POINT_SIZE;
    status = sn__mesh_add(reader,
                          sn_vec3_make(read_f32(point), read_f32(point + 4), read_f32(point + 8)));
  }
  return status;
}

static sn_status read_binary(sn__mesh_reader *reader, size_t count) {
  reader->line = 0;
  sn_status status = sn__mesh_count_triangles(reader, count);
  for (size_t i = 0; status == SN_OK && i < count; i++) {
    status = read_triangle(reader, reader->at + HEADER_SIZE + i * TRIANGLE_SIZE);
  }
  return status;
}

static sn_status read_text(sn__mesh_reader *reader) {
  sn_status status = SN_OK;
  for (;;) {
    const sn__mesh_word word = sn__mesh_next_word(reader, false);
    if (word.length == 0 || status != SN_OK) {
      break;
    }
    if (sn__mesh_word_is(word, "solid") || sn__mesh_word_is(word, "endsolid")) {
      sn__mesh_skip_line(reader); /* a name may consist of any words */
    } else if (sn__mesh_word_is(word, "vertex")) {
      sn_vec3 point;
      status = sn__mesh_read_point(reader, false, &point);
      status = status == SN_OK ? sn__mesh_add(reader, point) : status;
    } else if (sn__mesh_word_is(word, "endfacet")) {
      status = sn__mesh_count_triangles(reader, 1);
    }
  }
  if (status == SN_OK && reader->mesh.point_count != 3 * reader->mesh.triangle_count) {
    return sn__mesh_fail(reader, SN_ESYNTAX,
                         "%zu vertices and %zu triangles; is the file truncated?",
                         reader->mesh.point_count, reader->mesh.triangle_count);
  }
  return status;
}

sn_status sn__mesh_read_stl(sn__mesh_reader *reader) {
  const size_t size = (size_t)(reader->end - reader->at);
  const bool is_text = size >= 5 && sn__mesh_word_is((sn__mesh_word){reader->at, 5}, "solid");
  const size_t count = size < HEADER_SIZE ? 0 : read_u32(reader->at + HEADER_SIZE - 4);
  const size_t needed = HEADER_SIZE + count * TRIANGLE_SIZE;
  /* Some binary files begin with "solid", too: their size gives them away. */
  if (size >= HEADER_SIZE && (size == needed || (!is_text && size >= needed))) {
    return read_binary(reader, count);
  }
  if (is_text) {
    return read_text(reader);
  }
  reader->line = 0;
  return size < HEADER_SIZE
             ? sn__mesh_fail(reader, SN_ESYNTAX, "%zu bytes are too few for an STL file", size)
             : sn__mesh_fail(reader, SN_ESYNTAX,
                             "%zu triangles need %zu bytes, the file has %zu; is it truncated?",
                             count, needed, size);
}
