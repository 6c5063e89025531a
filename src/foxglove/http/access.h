/** @file
 *  Access rules: which connections are accepted, and which may change something. Pure functions. */
#ifndef SN_FOXGLOVE_HTTP_ACCESS_H
#define SN_FOXGLOVE_HTTP_ACCESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/property.h"

/** An address without its port; IPv4 as IPv4-mapped IPv6. */
typedef struct sn__address {
  struct in6_addr bytes;
} sn__address;

/** Read a numeric address: `127.0.0.1`, `::1`; no names. */
bool sn__address_parse(const char *text, sn__address *out);
/** @return false: not an Internet address */
bool sn__address_of(const struct sockaddr_storage *from, sn__address *out);
bool sn__address_is_loopback(const sn__address *address);

/** To whom a connection is attributed for limits: over loopback a user of this machine, else an
 * IPv4 address or an IPv6 network (64 bits). */
typedef struct sn__party {
  struct in6_addr address;
  uint32_t uid; /**< SN__PARTY_NO_USER: unknown, or another machine */
} sn__party;

#define SN__PARTY_NO_USER UINT32_MAX

sn__party sn__party_of(const sn__address *peer, uint32_t uid);
bool sn__party_equals(const sn__party *a, const sn__party *b);

/** Does a `Host` header name this server? The connection's local address, `localhost` if that is
 *  loopback, or one of @p hosts; each with the port, which may be omitted if it is 80, or 443 with
 *  TLS. This defends against DNS rebinding.
 *  @param local  the local address of the connection */
bool sn__host_is_ours(const char *host, const sn__address *local, uint16_t port, bool has_tls,
                      const sn_texts *hosts);

/** May a page from this origin connect? The server itself under the name @p host, which has been
 *  checked, or one of @p origins. */
bool sn__origin_is_allowed(const char *origin, const char *host, bool has_tls,
                           const sn_texts *origins);

/** Compare in a time that depends only on the length of @p expected. */
bool sn__secret_equals(const char *given, size_t length, const char *expected);

#endif
