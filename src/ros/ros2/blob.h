/** @file
 *  Internal: DDS topics whose samples are raw bytes. The custom sertype does not interpret samples;
 *  sn_cdr_write() and sn_cdr_read() do. So no code is generated, and a type needs only a name. */
#ifndef SN_ROS_ROS2_BLOB_H
#define SN_ROS_ROS2_BLOB_H

#include <dds/dds.h>
#include <stddef.h>
#include <stdint.h>

#include "ros/bytes.h"

/** The sertype for Cyclone. The caller owns one reference. @return NULL if out of memory */
struct ddsi_sertype *sn__blob_type(const char *name);

/** Create a topic. @return the entity, or a negative DDS code */
dds_entity_t sn__blob_topic(dds_entity_t participant, const char *name, const char *type_name);

/** Write bytes including their CDR header. @return 0 or a negative DDS code
 *  Threads: any. */
dds_return_t sn__blob_write(dds_entity_t writer, const void *bytes, size_t size);

/** Take the next sample. @param out  replaced by its bytes including the CDR header; empty if the
 *  sample has no data
 *  @param publisher  out: handle of the writer
 *  @return 1; 0: no sample, or out of memory; negative: a DDS code */
dds_return_t sn__blob_take(dds_entity_t reader, sn__bytes *out, dds_instance_handle_t *publisher);

#endif
