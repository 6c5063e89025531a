#define _GNU_SOURCE /* SOCK_CLOEXEC */

#include "foxglove/http/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fail.h"

/* @return 0, or what the system says */
static int try_port(const char *address, int port, int *fd, uint16_t *used) {
  struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
  const int on = 1;
  const bool is_v4 = inet_pton(AF_INET, address, &v4.sin_addr) == 1;
  if (!is_v4 && inet_pton(AF_INET6, address, &v6.sin6_addr) != 1) {
    return EINVAL;
  }
  struct sockaddr *at = is_v4 ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6;
  socklen_t size = is_v4 ? sizeof v4 : sizeof v6;
  *fd = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (*fd < 0) {
    return errno;
  }
  (void)setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(*fd, at, size) != 0 || listen(*fd, 128) != 0 || getsockname(*fd, at, &size) != 0) {
    const int problem = errno;
    close(*fd);
    return problem;
  }
  *used = ntohs(is_v4 ? v4.sin_port : v6.sin6_port);
  return 0;
}

sn_status sn__fox_listen(const char *address, int port, int *fd, uint16_t *used, sn_error *err) {
  const int first = port < 0 ? SN__FOX_PORT_USUAL : port;
  const int last = port < 0 ? SN__FOX_PORT_LAST : port;
  int problem = EADDRINUSE;
  for (int i = first; i <= last && problem == EADDRINUSE; i++) {
    problem = try_port(address, i, fd, used);
  }
  if (problem == EADDRINUSE && port < 0) {
    return sn__fail(err, SN_EBUSY, "all ports from %d to %d of %s are taken", first, last, address);
  }
  if (problem == EADDRINUSE) {
    return sn__fail(err, SN_EBUSY,
                    "port %d of %s is taken: set another 'port', or 0 for any free one", port,
                    address);
  }
  if (problem != 0) {
    return sn__fail(err, problem == EINVAL ? SN_EINVAL : SN_EIO, "cannot listen at %s, port %d: %s",
                    address, first, strerror(problem));
  }
  return SN_OK;
}
