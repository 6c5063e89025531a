/** @file
 *  The user at the other end of a local connection. */
#ifndef SN_REMOTE_PEER_UID_H
#define SN_REMOTE_PEER_UID_H

#include <stdbool.h>
#include <sys/types.h>

/** The user who created the peer's socket: a Unix socket, or TCP over loopback. A peer that has
 * closed its socket is unknown, since the kernel reports such a socket as root's.
 *  @return false: unknown; treat the peer as a stranger
 *  RT: no, calls the kernel.  Threads: any. */
bool sn__peer_uid(int fd, uid_t *out);

/** Is it the user of this process, or root? */
bool sn__user_is_ours(uid_t uid);

/** Does the peer belong to the user of this process, or to root? False if unknown. */
bool sn__peer_is_ours(int fd);

/** The two methods for TCP, which sn__peer_uid() tries in this order: socket diagnosis by netlink,
 * and the table in `/proc/net`, for kernels without it. */
bool sn__peer_uid_by_diag(int fd, uid_t *out);
bool sn__peer_uid_by_proc(int fd, uid_t *out);

#endif
