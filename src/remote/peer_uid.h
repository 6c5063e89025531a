/** @file
 *  Which user is at the other end of a connection within this machine. */
#ifndef SN_REMOTE_PEER_UID_H
#define SN_REMOTE_PEER_UID_H

#include <stdbool.h>
#include <sys/types.h>

/** The user who made the socket at the other end of @p fd: a Unix socket, or TCP over loopback.
 *  A peer that has closed its end already counts as unknown: the kernel reports such a socket as
 *  root's.
 *  @return false if it cannot be found out; treat the peer as a stranger then
 *  RT: no, asks the kernel.  Threads: any. */
bool sn__peer_uid(int fd, uid_t *out);

/** Is it the user of this process, or root? */
bool sn__user_is_ours(uid_t uid);

/** Does the peer belong to the user of this process, or to root? False if that is not known. */
bool sn__peer_is_ours(int fd);

/** The two ways for TCP, which sn__peer_uid() tries in this order: socket diagnosis by netlink, one
 *  exact question; and the table in `/proc/net`, for kernels without it. */
bool sn__peer_uid_by_diag(int fd, uid_t *out);
bool sn__peer_uid_by_proc(int fd, uid_t *out);

#endif
