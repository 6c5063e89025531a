/** @file
 *  Paths of control sockets: `$XDG_RUNTIME_DIR/sinew/NAME.sock`, without that variable
 *  `/tmp/sinew-UID/NAME.sock`. */
#ifndef SINEW_APP_CONTROL_PATH_H
#define SINEW_APP_CONTROL_PATH_H

#include <stddef.h>

#include "sinew/status.h"

/** Bytes of a path, with the NUL: the limit of the kernel. */
#define CONTROL_PATH_SIZE 108

/** The path of a system.
 *  @param path  given by the user; NULL: by name
 *  @param name  letters, digits, `_`, `-` and `.`, not first; NULL: `default`
 *  @return SN_OK, SN_EINVAL (a bad name), SN_ELIMIT (too long) */
sn_status control_path(const char *path, const char *name, char out[CONTROL_PATH_SIZE],
                       sn_error *err);

/** The folder of named sockets. */
sn_status control_path_folder(char out[CONTROL_PATH_SIZE], sn_error *err);

/** Listen at @p path, for this user only. The folder of named sockets is created if necessary and
 * must belong to this user alone; any other folder must not be writable by everyone. A stale socket
 * is replaced.
 *  @return SN_OK, SN_EBUSY (another system answers there), SN_EIO */
sn_status control_path_listen(const char *path, int *fd, sn_error *err);

/** Remove the socket, unless another system has replaced it. */
void control_path_remove(const char *path, int fd);

/** Connect to @p path, if its server and the folder of named sockets belong to this user or root.
 * Root may also name the socket of another user, who must own its folder. Nothing is sent to anyone
 *  else.
 *  @return SN_OK, SN_EIO with the system's reason, SN_EINVAL (another user may answer there) */
sn_status control_path_connect(const char *path, int *fd, sn_error *err);

#endif
