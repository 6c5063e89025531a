/* For ppoll and flock. */
#define _GNU_SOURCE

#include "bus/serial_port.h"

#include <asm/termbits.h> /* termios2: <termios.h> lacks custom baud rates */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/serial.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "bus/serial_sysfs.h"
#include "sinew/fault.h"

static sn_status fail_missing(const char *path, sn_error *err) {
  sn_serial_info ports[SN_SERIAL_PORTS_MAX];
  const size_t count = sn__serial_list(ports);
  char known[120] = "";
  size_t used = 0;
  for (size_t i = 0; i < count && used < sizeof known - 70; i++) {
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ",
                             ports[i].path);
  }
  return count == 0 ? sn__fail(err, SN_ENOENT,
                               "no port '%s', and this machine shows no serial port at all", path)
                    : sn__fail(err, SN_ENOENT, "no port '%s'; there are: %s", path, known);
}

static sn_status fail_permission(const char *path, sn_error *err) {
  struct stat info;
  const struct group *group = stat(path, &info) == 0 ? getgrgid(info.st_gid) : NULL;
  if (group == NULL) {
    return sn__fail(err, SN_EIO, "no permission to open '%s'", path);
  }
  return sn__fail(err, SN_EIO,
                  "no permission to open '%s': it is for the group '%s'; 'sudo usermod -a -G %s "
                  "$USER', then log in again",
                  path, group->gr_name, group->gr_name);
}

static sn_status fail_open(const char *path, int code, sn_error *err) {
  switch (code) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
      return fail_missing(path, err);
    case EACCES:
    case EPERM:
      return fail_permission(path, err);
    case EBUSY:
      return sn__fail(err, SN_EBUSY, "'%s' is in use by another program", path);
    default:
      return sn__fail(err, SN_EIO, "cannot open '%s': %s", path, strerror(code));
  }
}

static sn_status set_line(int fd, const char *path, int64_t baud, sn_error *err) {
  struct termios2 line;
  if (ioctl(fd, TCGETS2, &line) != 0) {
    return sn__fail(err, SN_EIO, "'%s' is not a serial port", path);
  }
  line.c_iflag = 0;
  line.c_oflag = 0;
  line.c_lflag = 0;
  line.c_cflag = CS8 | CREAD | CLOCAL | BOTHER | BOTHER << IBSHIFT;
  line.c_ispeed = line.c_ospeed = (speed_t)baud;
  line.c_cc[VMIN] = 0;
  line.c_cc[VTIME] = 0;
  if (ioctl(fd, TCSETS2, &line) != 0 || ioctl(fd, TCGETS2, &line) != 0) {
    return sn__fail(err, SN_EINVAL, "'%s' cannot do %lld baud", path, (long long)baud);
  }
  /* A receiver tolerates about 3 % of difference, and servos are not exact either. */
  const int64_t off = (int64_t)line.c_ospeed - baud;
  if (off * 50 > baud || -off * 50 > baud) {
    return sn__fail(err, SN_EINVAL, "'%s' cannot do %lld baud, the nearest is %u", path,
                    (long long)baud, line.c_ospeed);
  }
  return SN_OK;
}

/* FTDI adapters buffer bytes for 16 ms by default. Other adapters reject this request. */
static void set_latency(int fd) {
  struct serial_struct serial;
  if (ioctl(fd, TIOCGSERIAL, &serial) == 0) {
    serial.flags = (int)((unsigned)serial.flags | ASYNC_LOW_LATENCY);
    (void)ioctl(fd, TIOCSSERIAL, &serial);
  }
}

static sn_status claim(int fd, const char *path, sn_error *err) {
  /* The lock excludes other Sinew processes even as root, which TIOCEXCL does not stop. */
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    return fail_open(path, EBUSY, err);
  }
  (void)ioctl(fd, TIOCEXCL);
  return SN_OK;
}

sn_status sn__serial_open(const char *path, int64_t baud, sn_serial_port *out, sn_error *err) {
  if (baud < 1200 || baud > 12000000) {
    return sn__fail(err, SN_EINVAL, "%lld baud, must be 1200 .. 12000000", (long long)baud);
  }
  const int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    return fail_open(path, errno, err);
  }
  sn_status status = claim(fd, path, err);
  if (status == SN_OK) {
    status = set_line(fd, path, baud, err);
  }
  if (status != SN_OK) {
    close(fd);
    return status;
  }
  set_latency(fd);
  (void)ioctl(fd, TCFLSH, TCIOFLUSH);
  *out = (sn_serial_port){.fd = fd, .latency_ms = sn__serial_latency_ms(path)};
  return SN_OK;
}

void sn__serial_close(sn_serial_port *port) {
  if (port->fd >= 0) {
    (void)ioctl(port->fd, TIOCNXCL);
    (void)flock(port->fd,
                LOCK_UN); /* the guard process may keep the descriptor open a little longer */
    close(port->fd);
    port->fd = -1;
  }
}

static long result_of(ssize_t count) {
  if (count >= 0) {
    return (long)count;
  }
  return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

long sn__serial_read(sn_serial_port *port, uint8_t *out, size_t size) {
  return result_of(read(port->fd, out, size));
}

long sn__serial_write(sn_serial_port *port, const uint8_t *bytes, size_t count) {
  return result_of(write(port->fd, bytes, count));
}

bool sn__serial_wait(const sn_serial_port *port, int wake_fd, int64_t wait_ns) {
  struct pollfd fds[2] = {{.fd = port->fd, .events = POLLIN}, {.fd = wake_fd, .events = POLLIN}};
  const int64_t wait = wait_ns > 0 ? wait_ns : 0;
  const struct timespec timeout = {.tv_sec = (time_t)(wait / 1000000000),
                                   .tv_nsec = (long)(wait % 1000000000)};
  const int count = ppoll(fds, 2, &timeout, NULL);
  return count <= 0 || (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) == 0;
}
