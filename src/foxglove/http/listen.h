/** @file
 *  The socket that the server listens at. */
#ifndef SN_FOXGLOVE_HTTP_LISTEN_H
#define SN_FOXGLOVE_HTTP_LISTEN_H

#include <stdint.h>

#include "sinew/status.h"

#define SN__FOX_PORT_USUAL 8080
#define SN__FOX_PORT_LAST 8099

/** Listen at a numeric address.
 *  @param port  0: any free one; -1: SN__FOX_PORT_USUAL, or the next free one up to
 *               SN__FOX_PORT_LAST
 *  @param used  the port that it is
 *  @return SN_OK, SN_EBUSY (the port is taken), SN_EINVAL (no address), SN_EIO */
sn_status sn__fox_listen(const char *address, int port, int *fd, uint16_t *used, sn_error *err);

#endif
