/** @file
 *  Internal: sockets of DDS. Both implementations send from the configured interface but receive on
 *  all addresses; a kernel socket filter drops packets from other interfaces. */
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

/** The IPv4 address of an interface by name or address. @param out  out: empty if there is none */
void sn__dds_interface_address(const char *text, char *out, size_t size);

/** Restrict all sockets that are not in @p before to one interface and loopback.
 *  @return SN_OK or SN_EIO */
sn_status sn__dds_sockets_restrict(const sn__dds_sockets *before, unsigned interface,
                                   sn_error *err);

#endif
