/** @file
 *  Internal: sockets of Cyclone DDS. Cyclone sends from the configured interface but receives on
 * all addresses; a kernel socket filter drops packets from other interfaces. */
#ifndef SN_ROS_ROS2_DDS_SOCKETS_H
#define SN_ROS_ROS2_DDS_SOCKETS_H

#include <stddef.h>
#include <stdint.h>

#include "sinew/status.h"

enum { SN__DDS_SOCKETS_MAX = 64 };

/** UDP sockets bound to the wildcard address, by socket cookie. */
typedef struct sn__dds_sockets {
  uint64_t cookies[SN__DDS_SOCKETS_MAX];
  size_t count;
} sn__dds_sockets;

/** List those of this process. */
void sn__dds_sockets_list(sn__dds_sockets *out);

/** Find an interface by name or address. @return its index; 0: none */
unsigned sn__dds_interface(const char *text);

/** Restrict all sockets that are not in @p before to one interface and loopback.
 *  @return SN_OK or SN_EIO */
sn_status sn__dds_sockets_restrict(const sn__dds_sockets *before, unsigned interface,
                                   sn_error *err);

#endif
