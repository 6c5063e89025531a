#define _GNU_SOURCE /* SOCK_CLOEXEC */

#include "run/control_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fail.h"
#include "remote/peer_uid.h"

_Static_assert(CONTROL_PATH_SIZE <= sizeof((struct sockaddr_un *)0)->sun_path, "size of a path");

sn_status control_path_folder(char out[CONTROL_PATH_SIZE], sn_error *err) {
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  const int length = runtime != NULL && runtime[0] == '/'
                         ? snprintf(out, CONTROL_PATH_SIZE, "%s/sinew", runtime)
                         : snprintf(out, CONTROL_PATH_SIZE, "/tmp/sinew-%ld", (long)geteuid());
  if (length >= CONTROL_PATH_SIZE) {
    return sn__fail(err, SN_ELIMIT, "XDG_RUNTIME_DIR is too long for a socket");
  }
  return SN_OK;
}

static bool is_name(const char *name) {
  static const char *const letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return name[0] != '\0' && name[0] != '.' && name[strspn(name, letters)] == '\0';
}

sn_status control_path(const char *path, const char *name, char out[CONTROL_PATH_SIZE],
                       sn_error *err) {
  int length = 0;
  if (path != NULL) {
    length = snprintf(out, CONTROL_PATH_SIZE, "%s", path);
  } else {
    name = name == NULL ? "default" : name;
    if (!is_name(name)) {
      return sn__fail(
          err, SN_EINVAL,
          "'%.60s' is not the name of a system: expected letters, digits, '_', '-' and '.'", name);
    }
    char folder[CONTROL_PATH_SIZE];
    const sn_status status = control_path_folder(folder, err);
    if (status != SN_OK) {
      return status;
    }
    length = snprintf(out, CONTROL_PATH_SIZE, "%s/%s.sock", folder, name);
  }
  if (length >= CONTROL_PATH_SIZE || length == 0) {
    return sn__fail(err, SN_ELIMIT, "the path of a socket has 1 to %d bytes, this one %d",
                    CONTROL_PATH_SIZE - 1, length);
  }
  return SN_OK;
}

/* The folder of a socket. @return whether it is the folder of named sockets */
static bool find_folder(const char *path, char out[CONTROL_PATH_SIZE]) {
  char named[CONTROL_PATH_SIZE];
  sn_error unused;
  snprintf(out, CONTROL_PATH_SIZE, "%s", path);
  char *slash = strrchr(out, '/');
  if (slash == NULL) {
    snprintf(out, CONTROL_PATH_SIZE, ".");
  } else {
    slash[slash == out] = '\0';
  }
  return control_path_folder(named, &unused) == SN_OK && strcmp(named, out) == 0;
}

/* Others must not be able to write to the folder: in /tmp another user may have created it. */
static sn_status prepare_folder(const char *folder, bool is_named, sn_error *err) {
  if (is_named && mkdir(folder, 0700) != 0 && errno != EEXIST) {
    return sn__fail(err, SN_EIO, "%s: cannot create the folder: %s", folder, strerror(errno));
  }
  struct stat info;
  if ((is_named ? lstat(folder, &info) : stat(folder, &info)) != 0 || !S_ISDIR(info.st_mode)) {
    return sn__fail(err, SN_EIO, "%s: not a folder", folder);
  }
  if (is_named && (info.st_uid != geteuid() || (info.st_mode & 077) != 0)) {
    return sn__fail(err, SN_EIO, "%s: must belong to this user and be closed to others (chmod 700)",
                    folder);
  }
  if ((info.st_mode & S_IWOTH) != 0 && (info.st_mode & S_ISVTX) == 0) {
    return sn__fail(err, SN_EIO,
                    "%s: everyone can replace files there: choose another folder, or chmod o-w",
                    folder);
  }
  return SN_OK;
}

/* The owner of the folder decides which sockets are in it. */
static sn_status check_named_folder(const char *folder, sn_error *err) {
  struct stat info;
  if (lstat(folder, &info) != 0) {
    return SN_OK; /* connect() will fail and say why */
  }
  if (!S_ISDIR(info.st_mode) || !sn__user_is_ours(info.st_uid) || (info.st_mode & 022) != 0) {
    return sn__fail(err, SN_EINVAL,
                    "%s: belongs to user %ld, mode %03o, expected yours (%ld), mode 700: "
                    "another user may answer there; remove it",
                    folder, (long)info.st_uid, (unsigned)info.st_mode & 0777U, (long)geteuid());
  }
  return SN_OK;
}

static sn_status check_peer(int fd, const char *path, const char *folder, bool is_named,
                            sn_error *err) {
  struct stat info;
  uid_t uid = 0;
  if (!sn__peer_uid(fd, &uid)) {
    return sn__fail(err, SN_EINVAL, "%s: the user of the system that answers there is unknown",
                    path);
  }
  const bool is_asked_by_root = geteuid() == 0 && !is_named && stat(folder, &info) == 0 &&
                                info.st_uid == uid && (info.st_mode & 022) == 0;
  if (!sn__user_is_ours(uid) && !is_asked_by_root) {
    return sn__fail(err, SN_EINVAL,
                    "%s: user %ld answers there, expected you (%ld) or root: this is not "
                    "your system, nothing was sent",
                    path, (long)uid, (long)geteuid());
  }
  return SN_OK;
}

static struct sockaddr_un address_of(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  return address;
}

/* Never waits: EAGAIN if the server accepts no more connections. @return 0 or errno */
static int try_connect(const char *path, int *fd) {
  *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (*fd < 0) {
    return errno;
  }
  const struct sockaddr_un address = address_of(path);
  if (connect(*fd, (const struct sockaddr *)&address, sizeof address) == 0) {
    return 0;
  }
  const int reason = errno;
  close(*fd);
  return reason;
}

sn_status control_path_connect(const char *path, int *fd, sn_error *err) {
  char folder[CONTROL_PATH_SIZE];
  const bool is_named = find_folder(path, folder);
  sn_status status = is_named ? check_named_folder(folder, err) : SN_OK;
  if (status != SN_OK) {
    return status;
  }
  const int reason = try_connect(path, fd);
  if (reason != 0) {
    return sn__fail(err, SN_EIO, "%s: %s", path, strerror(reason));
  }
  status = check_peer(*fd, path, folder, is_named, err);
  if (status != SN_OK) {
    close(*fd);
    *fd = -1;
  }
  return status;
}

/* Check that the path is free, and remove the socket of a system that has crashed. */
static sn_status clear_path(const char *path, sn_error *err) {
  struct stat info;
  if (lstat(path, &info) != 0) {
    return SN_OK;
  }
  if (!S_ISSOCK(info.st_mode)) {
    return sn__fail(err, SN_EIO, "%s: exists and is not a socket", path);
  }
  int fd = -1;
  const int reason = try_connect(path, &fd);
  if (reason == 0) {
    close(fd);
  }
  if (reason == 0 || reason == EAGAIN) {
    return sn__fail(err, SN_EBUSY,
                    "%s: another system answers there; choose another name with --name NAME", path);
  }
  if (reason != ECONNREFUSED) {
    return sn__fail(err, SN_EIO, "%s: %s", path, strerror(reason));
  }
  if (unlink(path) != 0) {
    return sn__fail(err, SN_EIO, "%s: cannot replace the socket: %s", path, strerror(errno));
  }
  return SN_OK;
}

static sn_status bind_and_listen(const char *path, int *out, sn_error *err) {
  sn_status status = clear_path(path, err);
  if (status != SN_OK) {
    return status;
  }
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) {
    return sn__fail(err, SN_EIO, "no socket: %s", strerror(errno));
  }
  const struct sockaddr_un address = address_of(path);
  /* The mode of the descriptor becomes that of the file: others are excluded from the start. */
  if (fchmod(fd, 0600) != 0 || bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
      listen(fd, 128) != 0) {
    status = sn__fail(err, SN_EIO, "%s: %s", path, strerror(errno));
    close(fd);
    return status;
  }
  *out = fd;
  return SN_OK;
}

sn_status control_path_listen(const char *path, int *fd, sn_error *err) {
  char folder[CONTROL_PATH_SIZE];
  const bool is_named = find_folder(path, folder);
  sn_status status = prepare_folder(folder, is_named, err);
  if (status != SN_OK) {
    return status;
  }
  /* Two systems that start at once must not both find the path free. */
  const int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0) {
    return sn__fail(err, SN_EIO, "%s: %s", folder, strerror(errno));
  }
  flock(lock, LOCK_EX);
  status = bind_and_listen(path, fd, err);
  close(lock);
  return status;
}

void control_path_remove(const char *path, int fd) {
  close(fd);
  struct stat info;
  int other = -1;
  if (lstat(path, &info) != 0 || !S_ISSOCK(info.st_mode)) {
    return;
  }
  const int reason = try_connect(path, &other);
  if (reason == ECONNREFUSED) {
    unlink(path);
  } else if (reason == 0) { /* another system has replaced it meanwhile */
    close(other);
  }
}
