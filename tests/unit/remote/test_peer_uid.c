/* The user of a peer: by both methods, for every kind of socket, and unknown when in doubt. */
#define _GNU_SOURCE /* setresuid() */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "remote/peer_uid.h"
#include "sn_test.h"

enum { STRANGER = 65534 };

typedef union endpoint {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
} endpoint;

static endpoint make_endpoint(int family, const char *address, uint16_t port) {
  endpoint e;
  memset(&e, 0, sizeof e);
  e.any.sa_family = (sa_family_t)family;
  if (family == AF_INET) {
    e.v4.sin_port = port;
    assert_int_equal(inet_pton(family, address, &e.v4.sin_addr), 1);
  } else {
    e.v6.sin6_port = port;
    assert_int_equal(inet_pton(family, address, &e.v6.sin6_addr), 1);
  }
  return e;
}

static socklen_t size_of(const endpoint *e) {
  return e->any.sa_family == AF_INET ? sizeof e->v4 : sizeof e->v6;
}

static int listen_at(int family, const char *address, uint16_t *port) {
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  endpoint e = make_endpoint(family, address, 0);
  socklen_t size = size_of(&e);
  const int off = 0;
  if (family == AF_INET6) {
    (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  }
  if (fd < 0 || bind(fd, &e.any, size) != 0) {
    skip(); /* a machine without IPv6 */
  }
  assert_int_equal(listen(fd, 4), 0);
  assert_int_equal(getsockname(fd, &e.any, &size), 0);
  *port = family == AF_INET ? e.v4.sin_port : e.v6.sin6_port;
  return fd;
}

static int connect_to(int family, const char *address, uint16_t port) {
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const endpoint e = make_endpoint(family, address, port);
  return connect(fd, &e.any, size_of(&e)) == 0 ? fd : -1;
}

/* A child of this user connects, and keeps the connection until the parent ends it. */
static pid_t connect_as(uid_t uid, int family, const char *address, uint16_t port,
                        const int hold[2]) {
  const pid_t child = fork();
  if (child == 0) {
    char byte;
    close(hold[1]); /* a test that fails ends it, too */
    const bool is_user = uid == geteuid() || setresuid(uid, uid, uid) == 0;
    const int fd = is_user ? connect_to(family, address, port) : -1;
    (void)!read(hold[0], &byte, 1);
    _exit(fd < 0);
  }
  return child;
}

typedef struct route {
  int server_family, client_family;
  const char *server, *client;
} route;

static const route routes[] = {{AF_INET, AF_INET, "127.0.0.1", "127.0.0.1"},
                               {AF_INET, AF_INET, "0.0.0.0", "127.0.0.2"},
                               {AF_INET6, AF_INET6, "::1", "::1"},
                               {AF_INET6, AF_INET, "::", "127.0.0.1"},
                               {AF_INET, AF_INET6, "127.0.0.1", "::ffff:127.0.0.1"}};

static void try_route(const route *r, uid_t uid) {
  uint16_t port = 0;
  int hold[2];
  const int listener = listen_at(r->server_family, r->server, &port);
  assert_int_equal(pipe(hold), 0);
  const pid_t child = connect_as(uid, r->client_family, r->client, port, hold);
  struct pollfd one = {listener, POLLIN, 0};
  assert_int_equal(poll(&one, 1, 60000), 1);
  const int fd = accept(listener, NULL, NULL);
  assert_true(fd >= 0);
  uid_t by_diag = 12345;
  uid_t by_proc = 12345;
  uid_t found = 12345;
  if (sn__peer_uid_by_diag(fd, &by_diag)) { /* not every kernel has it */
    assert_int_equal(by_diag, uid);
  }
  assert_true(sn__peer_uid_by_proc(fd, &by_proc));
  assert_int_equal(by_proc, uid);
  assert_true(sn__peer_uid(fd, &found));
  assert_int_equal(found, uid);
  assert_int_equal(sn__peer_is_ours(fd), uid == geteuid() || uid == 0);
  int status = 0;
  (void)!write(hold[1], "x", 1);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  close(fd);
  close(listener);
  close(hold[0]);
  close(hold[1]);
}

SN_TEST(own_processes_are_recognised) {
  for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
    try_route(&routes[i], geteuid());
  }
}

SN_TEST(other_user_is_recognised) {
  if (geteuid() != 0) {
    skip();
  }
  for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
    try_route(&routes[i], STRANGER);
  }
}

/* The kernel gives a socket without an owner to root. */
SN_TEST(closed_peer_is_unknown) {
  uint16_t port = 0;
  const int listener = listen_at(AF_INET, "127.0.0.1", &port);
  const int client = connect_to(AF_INET, "127.0.0.1", port);
  const int fd = accept(listener, NULL, NULL);
  assert_true(client >= 0 && fd >= 0);
  assert_int_equal(send(client, "all of it", 9, 0), 9);
  close(client);
  uid_t uid = 12345;
  assert_false(sn__peer_uid_by_diag(fd, &uid));
  assert_false(sn__peer_uid_by_proc(fd, &uid));
  assert_false(sn__peer_uid(fd, &uid));
  assert_false(sn__peer_is_ours(fd));
  close(fd);
  close(listener);
}

SN_TEST(peer_that_has_shut_down_is_unknown) {
  uint16_t port = 0;
  const int listener = listen_at(AF_INET, "127.0.0.1", &port);
  const int client = connect_to(AF_INET, "127.0.0.1", port);
  const int fd = accept(listener, NULL, NULL);
  assert_int_equal(shutdown(client, SHUT_WR), 0);
  assert_false(sn__peer_is_ours(fd));
  close(client);
  close(fd);
  close(listener);
}

SN_TEST(peer_of_a_unix_socket_is_known) {
  int fds[2];
  uid_t uid = 12345;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  assert_true(sn__peer_uid(fds[0], &uid));
  assert_int_equal(uid, geteuid());
  assert_true(sn__peer_is_ours(fds[1]));
  close(fds[0]);
  close(fds[1]);
  assert_false(sn__peer_is_ours(-1));
}
