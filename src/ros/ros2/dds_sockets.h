/** @file
 *  Sockets of Cyclone DDS. It is told which interface to use, and sends from there, but receives at
 *  all addresses of the machine: what comes from elsewhere is dropped by a filter in the kernel. */
#ifndef SN_ROS_ROS2_DDS_SOCKETS_H
#define SN_ROS_ROS2_DDS_SOCKETS_H

#include <stddef.h>
#include <stdint.h>

#include "sinew/status.h"

enum { SN__DDS_SOCKETS_MAX = 64 };

/** Sockets for UDP that are bound to no address, by the kernel's numbers for them. */
typedef struct sn__dds_sockets {
  uint64_t cookies[SN__DDS_SOCKETS_MAX];
  size_t count;
} sn__dds_sockets;

/** Those that this process has now. */
void sn__dds_sockets_list(sn__dds_sockets *out);

/** The interface with this name or address.
 *  @return its index; 0: there is none */
unsigned sn__dds_interface(const char *text);

/** Let sockets that were not there @p before receive only from one interface and from this machine.
 *  @return SN_OK or SN_EIO */
sn_status sn__dds_sockets_restrict(const sn__dds_sockets *before, unsigned interface,
                                   sn_error *err);

#endif
