#define _GNU_SOURCE /* strcasecmp() */

#include "foxglove/http/access.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

static void map_v4(const struct in_addr *v4, sn__address *out) {
  memset(out, 0, sizeof *out);
  out->bytes.s6_addr[10] = 0xff;
  out->bytes.s6_addr[11] = 0xff;
  memcpy(&out->bytes.s6_addr[12], v4, 4);
}

bool sn__address_parse(const char *text, sn__address *out) {
  struct in_addr v4;
  if (inet_pton(AF_INET, text, &v4) == 1) {
    map_v4(&v4, out);
    return true;
  }
  return inet_pton(AF_INET6, text, &out->bytes) == 1;
}

bool sn__address_of(const struct sockaddr_storage *from, sn__address *out) {
  if (from->ss_family == AF_INET) {
    map_v4(&((const struct sockaddr_in *)(const void *)from)->sin_addr, out);
  } else if (from->ss_family == AF_INET6) {
    out->bytes = ((const struct sockaddr_in6 *)(const void *)from)->sin6_addr;
  }
  return from->ss_family == AF_INET || from->ss_family == AF_INET6;
}

bool sn__address_is_loopback(const sn__address *address) {
  return IN6_IS_ADDR_LOOPBACK(&address->bytes) ||
         (IN6_IS_ADDR_V4MAPPED(&address->bytes) && address->bytes.s6_addr[12] == 127);
}

sn__party sn__party_of(const sn__address *peer, uint32_t uid) {
  sn__party party = {.uid = SN__PARTY_NO_USER};
  if (sn__address_is_loopback(peer)) {
    party.uid = uid;
    return party;
  }
  const size_t size = IN6_IS_ADDR_V4MAPPED(&peer->bytes) ? 16 : 8;
  memcpy(&party.address, &peer->bytes, size);
  return party;
}

bool sn__party_equals(const sn__party *a, const sn__party *b) {
  return a->uid == b->uid && memcmp(&a->address, &b->address, sizeof a->address) == 0;
}

static bool is_in(const char *text, const sn_texts *list) {
  for (size_t i = 0; i < list->count; i++) {
    if (strcasecmp(text, list->data[i]) == 0) {
      return true;
    }
  }
  return false;
}

/* `name:port` or `[address]:port` -> name without brackets, and port if there is one. */
static bool split(const char *host, char *name, size_t size, long *port) {
  const bool has_brackets = host[0] == '[';
  const char *begin = has_brackets ? host + 1 : host;
  const char *end = has_brackets ? strchr(begin, ']') : begin + strcspn(begin, ":");
  if (end == NULL || end == begin || (size_t)(end - begin) >= size) {
    return false;
  }
  memcpy(name, begin, (size_t)(end - begin));
  name[end - begin] = '\0';
  const char *rest = has_brackets ? end + 1 : end;
  if (*rest == '\0') {
    return true;
  }
  const size_t digits = strspn(rest + 1, "0123456789");
  if (*rest != ':' || digits == 0 || digits > 5 || rest[1 + digits] != '\0') {
    return false;
  }
  *port = strtol(rest + 1, NULL, 10);
  return true;
}

bool sn__host_is_ours(const char *host, const sn__address *local, uint16_t port, bool has_tls,
                      const sn_texts *hosts) {
  char name[256];
  long given = has_tls ? 443 : 80;
  if (!split(host, name, sizeof name, &given) || given != port) {
    return false;
  }
  sn__address address;
  if (sn__address_parse(name, &address)) {
    return memcmp(&address, local, sizeof address) == 0;
  }
  return (sn__address_is_loopback(local) && strcasecmp(name, "localhost") == 0) ||
         is_in(name, hosts);
}

bool sn__origin_is_allowed(const char *origin, const char *host, bool has_tls,
                           const sn_texts *origins) {
  const char *scheme = has_tls ? "https://" : "http://";
  const size_t length = strlen(scheme);
  return (strncasecmp(origin, scheme, length) == 0 && strcasecmp(origin + length, host) == 0) ||
         is_in(origin, origins);
}

bool sn__secret_equals(const char *given, size_t length, const char *expected) {
  const size_t size = strlen(expected);
  volatile unsigned difference = length == size ? 0 : 1;
  for (size_t i = 0; i < size; i++) {
    const char c = i < length ? given[i] : '\0';
    difference |= (unsigned)(unsigned char)(c ^ expected[i]);
  }
  return difference == 0 && size > 0;
}
