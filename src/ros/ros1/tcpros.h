/** @file
 *  Internal: TCPROS, the wire of topics and services of ROS 1: everything is a length of four bytes
 *  and as many bytes; first comes a header of `name=value` fields. Pure; no socket here. */
#ifndef SN_ROS_ROS1_TCPROS_H
#define SN_ROS_ROS1_TCPROS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ros/bytes.h"
#include "sinew/status.h"

#define SN__TCPROS_HEADER_MAX ((size_t)256 << 10)
#define SN__TCPROS_FIELDS_MAX 32

typedef struct sn__tcpros_field {
  const char *name, *value; /**< not ended by NUL */
  size_t name_size, value_size;
} sn__tcpros_field;

/** Fields of a header; they point into its bytes. */
typedef struct sn__tcpros_header {
  size_t count;
  sn__tcpros_field fields[SN__TCPROS_FIELDS_MAX];
} sn__tcpros_header;

/** Is a whole length and what follows it there?
 *  @param size_max  the longest that is taken
 *  @param used      out: bytes of both together
 *  @return SN_OK; SN_EBUSY: more bytes are needed; SN_ELIMIT: a length that nobody means */
sn_status sn__tcpros_frame(const char *bytes, size_t size, size_t size_max, size_t *used,
                           sn_error *err);

/** Read the fields of a header, without the length in front of all of them.
 *  @return SN_OK, SN_ESYNTAX or SN_ELIMIT */
sn_status sn__tcpros_parse(const char *bytes, size_t size, sn__tcpros_header *out, sn_error *err);

/** Copy the value of a field as a text. @return false if there is none, it does not fit or holds a
 *  NUL: @p out is an empty text then */
bool sn__tcpros_get(const sn__tcpros_header *header, const char *name, char *out, size_t size);

/** Begin a header: @return where its length stands, for sn__tcpros_end(). */
size_t sn__tcpros_begin(sn__bytes *out);
void sn__tcpros_put(sn__bytes *out, const char *name, const char *value);
void sn__tcpros_end(sn__bytes *out, size_t start);

#endif
