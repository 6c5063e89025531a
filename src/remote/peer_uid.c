#define _GNU_SOURCE /* struct ucred */

#include "remote/peer_uid.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ESTABLISHED = 1, LINE_SIZE = 512 };

/* The peer's socket as the kernel lists it: from the peer to this process. An IPv4 address is one
   word; addresses and ports are in network order. */
typedef struct tuple {
  int family;
  size_t words;
  uint32_t source[4], target[4];
  uint16_t source_port, target_port;
} tuple;

static bool take_end(const struct sockaddr_storage *end, uint32_t *address, uint16_t *port,
                     size_t *words) {
  if (end->ss_family == AF_INET) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)end;
    address[0] = v4->sin_addr.s_addr;
    *port = v4->sin_port;
    *words = 1;
    return true;
  }
  if (end->ss_family != AF_INET6) {
    return false;
  }
  const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)end;
  const bool is_mapped = IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr);
  *words = is_mapped ? 1 : 4;
  memcpy(address, &v6->sin6_addr.s6_addr[is_mapped ? 12 : 0], 4 * *words);
  *port = v6->sin6_port;
  return true;
}

static bool find_tuple(int fd, tuple *out) {
  struct sockaddr_storage peer = {0};
  struct sockaddr_storage local = {0};
  socklen_t peer_size = sizeof peer;
  socklen_t local_size = sizeof local;
  size_t words = 0;
  *out = (tuple){0};
  const bool is_found = getpeername(fd, (struct sockaddr *)&peer, &peer_size) == 0 &&
                        getsockname(fd, (struct sockaddr *)&local, &local_size) == 0 &&
                        take_end(&peer, out->source, &out->source_port, &out->words) &&
                        take_end(&local, out->target, &out->target_port, &words);
  out->family = out->words == 1 ? AF_INET : AF_INET6;
  return is_found && words == out->words;
}

/* ---- netlink ---- */

typedef struct question {
  struct nlmsghdr head;
  struct inet_diag_req_v2 body;
} question;

/* Without an exact match the kernel may answer with a listener, so the answer is compared. */
static bool is_answer(const struct inet_diag_msg *m, const tuple *t) {
  return m->idiag_family == t->family && m->idiag_state == ESTABLISHED && m->idiag_inode != 0 &&
         m->id.idiag_sport == t->source_port && m->id.idiag_dport == t->target_port &&
         memcmp(m->id.idiag_src, t->source, 4 * t->words) == 0 &&
         memcmp(m->id.idiag_dst, t->target, 4 * t->words) == 0;
}

/* @param in_any_state  accept any answer */
static bool ask(int netlink, const tuple *t, uid_t *out, bool in_any_state) {
  question q = {.head = {.nlmsg_len = sizeof q,
                         .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                         .nlmsg_flags = NLM_F_REQUEST},
                .body = {.sdiag_family = (uint8_t)t->family,
                         .sdiag_protocol = IPPROTO_TCP,
                         .idiag_states = 1U << ESTABLISHED,
                         .id = {.idiag_sport = t->source_port,
                                .idiag_dport = t->target_port,
                                .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}}};
  memcpy(q.body.id.idiag_src, t->source, 4 * t->words);
  memcpy(q.body.id.idiag_dst, t->target, 4 * t->words);
  union {
    struct nlmsghdr head;
    char bytes[4096];
  } answer;
  if (send(netlink, &q, sizeof q, 0) != (ssize_t)sizeof q) {
    return false;
  }
  /* The kernel answers during send(). */
  const ssize_t size = recv(netlink, &answer, sizeof answer, MSG_DONTWAIT);
  const size_t least = NLMSG_LENGTH(sizeof(struct inet_diag_msg));
  if (size < (ssize_t)least || answer.head.nlmsg_len < least ||
      answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY) {
    return false;
  }
  struct inet_diag_msg m;
  memcpy(&m, answer.bytes + NLMSG_HDRLEN, sizeof m);
  *out = m.idiag_uid;
  /* An IPv6 socket that uses IPv4 is reported with its own family. */
  tuple seen = *t;
  if (t->family == AF_INET && m.idiag_family == AF_INET6) {
    seen = (tuple){.family = AF_INET6,
                   .words = 4,
                   .source = {0, 0, htonl(0xffff), t->source[0]},
                   .target = {0, 0, htonl(0xffff), t->target[0]},
                   .source_port = t->source_port,
                   .target_port = t->target_port};
  }
  return in_any_state || is_answer(&m, &seen);
}

/* @param works  out: the kernel supports this query, since it finds this process's own socket; then
   a peer that it does not find is unknown */
static bool ask_for_peer(int fd, uid_t *out, bool *works) {
  tuple t;
  uid_t own = 0;
  const int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  const bool can_ask = netlink >= 0 && find_tuple(fd, &t);
  const bool is_found = can_ask && ask(netlink, &t, out, false);
  *works = is_found;
  if (can_ask && !is_found) {
    tuple ours = t;
    memcpy(ours.source, t.target, sizeof ours.source);
    memcpy(ours.target, t.source, sizeof ours.target);
    ours.source_port = t.target_port;
    ours.target_port = t.source_port;
    *works = ask(netlink, &ours, &own, true);
  }
  if (netlink >= 0) {
    close(netlink);
  }
  return is_found;
}

bool sn__peer_uid_by_diag(int fd, uid_t *out) {
  bool works = false;
  return ask_for_peer(fd, out, &works);
}

/* ---- /proc/net ---- */

/* `0100007F:1F90`, an address in words of host order; @p prefix precedes an IPv4 address in the
   IPv6 table. */
static void print_end(const char *prefix, const uint32_t *address, size_t words, uint16_t port,
                      char *out, size_t size) {
  int used = snprintf(out, size, "%s", prefix);
  for (size_t i = 0; i < words; i++) {
    used += snprintf(out + used, size - (size_t)used, "%08" PRIX32, address[i]);
  }
  snprintf(out + used, size - (size_t)used, ":%04X", ntohs(port));
}

static bool search(const char *path, const char *prefix, const tuple *t, uid_t *out) {
  char source[64];
  char target[64];
  print_end(prefix, t->source, t->words, t->source_port, source, sizeof source);
  print_end(prefix, t->target, t->words, t->target_port, target, sizeof target);
  FILE *file = fopen(path, "re");
  char line[LINE_SIZE];
  bool is_found = false;
  while (file != NULL && !is_found && fgets(line, sizeof line, file) != NULL) {
    char from[64];
    char to[64];
    unsigned state = 0;
    unsigned uid = 0;
    unsigned long inode = 0;
    is_found = sscanf(line, " %*d: %63s %63s %x %*s %*s %*s %u %*s %lu", from, to, &state, &uid,
                      &inode) == 5 &&
               state == ESTABLISHED && inode != 0 && strcmp(from, source) == 0 &&
               strcmp(to, target) == 0;
    *out = is_found ? (uid_t)uid : *out;
  }
  if (file != NULL) {
    fclose(file);
  }
  return is_found;
}

bool sn__peer_uid_by_proc(int fd, uid_t *out) {
  static const char mapped[] = "0000000000000000FFFF0000";
  tuple t;
  if (!find_tuple(fd, &t)) {
    return false;
  }
  return t.family == AF_INET
             ? search("/proc/net/tcp", "", &t, out) || search("/proc/net/tcp6", mapped, &t, out)
             : search("/proc/net/tcp6", "", &t, out);
}

/* ---- both ---- */

bool sn__peer_uid(int fd, uid_t *out) {
  int domain = 0;
  socklen_t size = sizeof domain;
  if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0) {
    return false;
  }
  if (domain != AF_UNIX) {
    /* The table lists all connections of the machine: read it only if netlink does not work. */
    bool works = false;
    return ask_for_peer(fd, out, &works) || (!works && sn__peer_uid_by_proc(fd, out));
  }
  struct ucred who;
  size = sizeof who;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 || who.uid == (uid_t)-1) {
    return false;
  }
  *out = who.uid;
  return true;
}

bool sn__user_is_ours(uid_t uid) {
  return uid == geteuid() || uid == 0;
}

bool sn__peer_is_ours(int fd) {
  uid_t uid = 0;
  return sn__peer_uid(fd, &uid) && sn__user_is_ours(uid);
}
