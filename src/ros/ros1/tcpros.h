/** @file
 *  Internal: TCPROS, the ROS 1 protocol of topics and services: frames with a 32-bit length, the
 * first of which is a header of `name=value` fields. Pure, without sockets. */
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
  const char *name, *value; /**< not NUL-terminated */
  size_t name_size, value_size;
} sn__tcpros_field;

/** Fields of a header; they point into its bytes. */
typedef struct sn__tcpros_header {
  size_t count;
  sn__tcpros_field fields[SN__TCPROS_FIELDS_MAX];
} sn__tcpros_header;

/** Check for a complete frame.
 *  @param size_max  largest allowed length
 *  @param used      out: size of the frame with its length field
 *  @return SN_OK; SN_EBUSY: more bytes are needed; SN_ELIMIT: too long */
sn_status sn__tcpros_frame(const char *bytes, size_t size, size_t size_max, size_t *used,
                           sn_error *err);

/** Parse the fields of a header, without its length.
 *  @return SN_OK, SN_ESYNTAX or SN_ELIMIT */
sn_status sn__tcpros_parse(const char *bytes, size_t size, sn__tcpros_header *out, sn_error *err);

/** Copy the value of a field. @return false if it is missing, too long or contains NUL; @p out is
 *  empty then */
bool sn__tcpros_get(const sn__tcpros_header *header, const char *name, char *out, size_t size);

/** Begin a header. @return position of its length, for sn__tcpros_end() */
size_t sn__tcpros_begin(sn__bytes *out);
void sn__tcpros_put(sn__bytes *out, const char *name, const char *value);
void sn__tcpros_end(sn__bytes *out, size_t start);

#endif
