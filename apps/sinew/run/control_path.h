/** @file
 *  Where control sockets lie, and how one is taken: `$XDG_RUNTIME_DIR/sinew/NAME.sock`, without
 *  that variable `/tmp/sinew-UID/NAME.sock`. */
#ifndef SINEW_APP_CONTROL_PATH_H
#define SINEW_APP_CONTROL_PATH_H

#include <stddef.h>

#include "sinew/status.h"

/** Bytes of a path, with the NUL: what the system takes. */
#define CONTROL_PATH_SIZE 108

/** The path of a system.
 *  @param path  given by the user, taken as it is; NULL: by name
 *  @param name  letters, digits, `_`, `-` and `.`, not first; NULL: `default`
 *  @return SN_OK, SN_EINVAL (a bad name), SN_ELIMIT (too long) */
sn_status control_path(const char *path, const char *name, char out[CONTROL_PATH_SIZE],
                       sn_error *err);

/** The folder in which sockets have their names. */
sn_status control_path_folder(char out[CONTROL_PATH_SIZE], sn_error *err);

/** Listen at @p path: for nobody but this user. The folder of names is made if it is the one, and
 *  must belong to this user alone; no other folder may be open to everybody. A socket that nobody
 *  listens at is replaced.
 *  @return SN_OK, SN_EBUSY (another system answers there), SN_EIO */
sn_status control_path_listen(const char *path, int *fd, sn_error *err);

/** Remove the socket, unless it is another's by now. */
void control_path_remove(const char *path, int fd);

/** Connect to @p path, if it is the right one who answers there: this user or root, and the folder
 *  of names belongs to one of them, too. Root may also name the socket of another user, who then
 *  must own its folder. Nothing is sent to anybody else.
 *  @return SN_OK, SN_EIO with the system's reason, SN_EINVAL (an impostor may answer there) */
sn_status control_path_connect(const char *path, int *fd, sn_error *err);

#endif
