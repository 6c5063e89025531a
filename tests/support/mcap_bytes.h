/** @file
 *  An MCAP file in memory, for tests of writer and reader. */
#ifndef SN_TEST_MCAP_BYTES_H
#define SN_TEST_MCAP_BYTES_H

#include "record/mcap.h"

typedef struct mcap_bytes {
  uint8_t *data;
  size_t size, capacity;
  size_t room;   /**< capacity of the "disk", bytes; SIZE_MAX: unlimited */
  size_t writes; /**< calls of the sink, including the failed one */
} mcap_bytes;

/** An empty file on an unlimited disk. Free its data with mcap_bytes_free(). */
void mcap_bytes_init(mcap_bytes *bytes);
void mcap_bytes_free(mcap_bytes *bytes);

/** A sink that appends; on a full disk it fails with SN_EIO and "disk full" after what fits. */
sn_mcap_sink mcap_bytes_sink(mcap_bytes *bytes);

/** A source of the first @p size bytes. */
sn_mcap_source mcap_bytes_source(mcap_bytes *bytes, size_t size);

#endif
