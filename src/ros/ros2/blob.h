/** @file
 *  Internal: topics of DDS whose samples are bytes. Cyclone is given a type of ours that neither
 *  knows nor looks at what is in a sample; sn_cdr_write() and sn_cdr_read() do. So there is no
 *  generated code, and a type costs its name. */
#ifndef SN_ROS_ROS2_BLOB_H
#define SN_ROS_ROS2_BLOB_H

#include <dds/dds.h>
#include <stddef.h>
#include <stdint.h>

#include "ros/bytes.h"

/** What Cyclone is given: it calls this for every sample that comes or goes. One reference is the
 *  caller's. @return NULL: no memory */
struct ddsi_sertype *sn__blob_type(const char *name);

/** A topic of this name and type. @return the entity, or a negative code of DDS */
dds_entity_t sn__blob_topic(dds_entity_t participant, const char *name, const char *type_name);

/** Send bytes with their CDR header. @return 0 or a negative code of DDS
 *  Threads: any. */
dds_return_t sn__blob_write(dds_entity_t writer, const void *bytes, size_t size);

/** Take the next sample: its bytes with their CDR header replace those of @p out.
 *  @param publisher  receives the handle of the writer
 *  @return 1; 0: there is none, or no memory; negative: a code of DDS. A sample without data leaves
 *  @p out empty */
dds_return_t sn__blob_take(dds_entity_t reader, sn__bytes *out, dds_instance_handle_t *publisher);

#endif
