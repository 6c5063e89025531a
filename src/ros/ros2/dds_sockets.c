#define _GNU_SOURCE /* if_nametoindex(), SO_COOKIE */

#include "ros/ros2/dds_sockets.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/filter.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fail.h"

/* @return the socket cookie; 0: not an unbound UDP socket */
static uint64_t cookie_of(int fd) {
  struct sockaddr_storage at = {0};
  socklen_t size = sizeof at;
  int protocol = 0;
  socklen_t protocol_size = sizeof protocol;
  if (getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &protocol_size) != 0 ||
      protocol != IPPROTO_UDP || getsockname(fd, (struct sockaddr *)&at, &size) != 0) {
    return 0;
  }
  const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)&at;
  const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)&at;
  const bool is_any =
      (at.ss_family == AF_INET && v4->sin_addr.s_addr == INADDR_ANY) ||
      (at.ss_family == AF_INET6 && memcmp(&v6->sin6_addr, &in6addr_any, sizeof in6addr_any) == 0);
  uint64_t cookie = 0;
  socklen_t cookie_size = sizeof cookie;
  return is_any && getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &cookie_size) == 0 ? cookie : 0;
}

/* Visit all unbound UDP sockets until @p visit returns false. */
static bool for_each(bool (*visit)(int fd, uint64_t cookie, void *context), void *context) {
  DIR *folder = opendir("/proc/self/fd");
  bool goes_on = folder != NULL;
  const struct dirent *entry = NULL;
  while (goes_on && (entry = readdir(folder)) != NULL) {
    char *end = NULL;
    const long fd = strtol(entry->d_name, &end, 10);
    const uint64_t cookie = end == entry->d_name || *end != '\0' ? 0 : cookie_of((int)fd);
    goes_on = cookie == 0 || visit((int)fd, cookie, context);
  }
  if (folder != NULL) {
    closedir(folder);
  }
  return goes_on;
}

static bool note(int fd, uint64_t cookie, void *context) {
  sn__dds_sockets *list = context;
  (void)fd;
  if (list->count < SN__DDS_SOCKETS_MAX) {
    list->cookies[list->count++] = cookie;
  }
  return true;
}

void sn__dds_sockets_list(sn__dds_sockets *out) {
  out->count = 0;
  (void)for_each(note, out);
}

unsigned sn__dds_interface(const char *text) {
  unsigned index = if_nametoindex(text);
  struct ifaddrs *all = NULL;
  struct in_addr v4;
  struct in6_addr v6;
  const bool is_v4 = inet_pton(AF_INET, text, &v4) == 1;
  const bool is_v6 = inet_pton(AF_INET6, text, &v6) == 1;
  if (index != 0 || (!is_v4 && !is_v6) || getifaddrs(&all) != 0) {
    return index;
  }
  for (const struct ifaddrs *i = all; i != NULL && index == 0; i = i->ifa_next) {
    const int family = i->ifa_addr == NULL ? AF_UNSPEC : i->ifa_addr->sa_family;
    const void *at = i->ifa_addr;
    if ((is_v4 && family == AF_INET &&
         ((const struct sockaddr_in *)at)->sin_addr.s_addr == v4.s_addr) ||
        (is_v6 && family == AF_INET6 &&
         memcmp(&((const struct sockaddr_in6 *)at)->sin6_addr, &v6, sizeof v6) == 0)) {
      index = if_nametoindex(i->ifa_name);
    }
  }
  freeifaddrs(all);
  return index;
}

void sn__dds_interface_address(const char *text, char *out, size_t size) {
  const unsigned index = sn__dds_interface(text);
  struct ifaddrs *all = NULL;
  out[0] = '\0';
  if (index == 0 || getifaddrs(&all) != 0) {
    return;
  }
  for (const struct ifaddrs *i = all; i != NULL && out[0] == '\0'; i = i->ifa_next) {
    if (i->ifa_addr != NULL && i->ifa_addr->sa_family == AF_INET &&
        if_nametoindex(i->ifa_name) == index) {
      const void *at = i->ifa_addr;
      (void)inet_ntop(AF_INET, &((const struct sockaddr_in *)at)->sin_addr, out, (socklen_t)size);
    }
  }
  freeifaddrs(all);
}

typedef struct restriction {
  const sn__dds_sockets *before;
  unsigned interface, loopback;
  int problem;
} restriction;

/* Local traffic to the machine's own addresses arrives on loopback. */
static int filter(int fd, unsigned interface, unsigned loopback) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_IFINDEX)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, interface, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, loopback, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
      BPF_STMT(BPF_RET | BPF_K, 0),
  };
  const struct sock_fprog program = {sizeof code / sizeof *code, code};
  return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) != 0 ? errno : 0;
}

static bool restrict_one(int fd, uint64_t cookie, void *context) {
  restriction *r = context;
  for (size_t i = 0; i < r->before->count; i++) {
    if (r->before->cookies[i] == cookie) {
      return true;
    }
  }
  r->problem = filter(fd, r->interface, r->loopback);
  return r->problem == 0;
}

sn_status sn__dds_sockets_restrict(const sn__dds_sockets *before, unsigned interface,
                                   sn_error *err) {
  restriction r = {
      .before = before, .interface = interface, .loopback = if_nametoindex("lo"), .problem = EIO};
  if (for_each(restrict_one, &r)) {
    return SN_OK;
  }
  return sn__fail(err, SN_EIO, "DDS cannot be restricted to one network: %s", strerror(r.problem));
}
