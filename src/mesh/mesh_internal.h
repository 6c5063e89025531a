/** @file
 *  Internal: what the readers of mesh files share: adding points, and words of a text. */
#ifndef SN_MESH_MESH_INTERNAL_H
#define SN_MESH_MESH_INTERNAL_H

#include <stdbool.h>

#include "base/text.h"
#include "mesh/mesh.h"

/** One run of a reader. */
typedef struct sn__mesh_reader {
  const char *name; /**< of the file */
  const char *at, *end;
  unsigned line; /**< of `at`, from 1; 0 in binary files */
  sn__mesh mesh;
  sn_error *err;
} sn__mesh_reader;

/** Part of the text; length 0: nothing left. */
typedef struct sn__mesh_word {
  const char *text;
  size_t length;
} sn__mesh_word;

/** The next word; with @p in_line only of the present line. */
sn__mesh_word sn__mesh_next_word(sn__mesh_reader *reader, bool in_line);

/** Go to the beginning of the next line. */
void sn__mesh_skip_line(sn__mesh_reader *reader);

/** Are they equal, apart from the case of ASCII letters? @p other in lower case. */
bool sn__mesh_word_is(sn__mesh_word word, const char *other);

/** Read three numbers, as words of the text. */
sn_status sn__mesh_read_point(sn__mesh_reader *reader, bool in_line, sn_vec3 *out);

/** Append a corner. @return SN_OK, SN_ESYNTAX (not finite or too far away), SN_ELIMIT, SN_ENOMEM */
sn_status sn__mesh_add(sn__mesh_reader *reader, sn_vec3 point);

/** Count triangles. @return SN_OK or SN_ELIMIT */
sn_status sn__mesh_count_triangles(sn__mesh_reader *reader, size_t count);

/** Fail with "FILE:LINE: " in front of the message. */
sn_status sn__mesh_fail(const sn__mesh_reader *reader, sn_status status, const char *format, ...)
    SN_PRINTF(3, 4);

/** The readers: fill reader->mesh. */
sn_status sn__mesh_read_stl(sn__mesh_reader *reader);
sn_status sn__mesh_read_obj(sn__mesh_reader *reader);
sn_status sn__mesh_read_dae(sn__mesh_reader *reader);

#endif
