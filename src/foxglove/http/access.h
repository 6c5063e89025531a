/** @file
 *  Who may come in, and who may change something. Pure: texts and addresses in, yes or no out. */
#ifndef SN_FOXGLOVE_HTTP_ACCESS_H
#define SN_FOXGLOVE_HTTP_ACCESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/property.h"

/** An address without its port; IPv4 as the IPv6 addresses that stand for them. */
typedef struct sn__address {
  struct in6_addr bytes;
} sn__address;

/** Read a numeric address: `127.0.0.1`, `::1`; no names. */
bool sn__address_parse(const char *text, sn__address *out);
/** Of one end of a connection. False if it is none of the Internet. */
bool sn__address_of(const struct sockaddr_storage *from, sn__address *out);
bool sn__address_is_loopback(const sn__address *address);

/** Whose connection it is, as far as limits go: a user of this machine over loopback, whichever
 *  address of 127.0.0.0/8 was used; else an IPv4 address, or the 64 bits of an IPv6 network. */
typedef struct sn__party {
  struct in6_addr address;
  uint32_t uid; /**< SN__PARTY_NO_USER: not known, or from another machine */
} sn__party;

#define SN__PARTY_NO_USER UINT32_MAX

sn__party sn__party_of(const sn__address *peer, uint32_t uid);
bool sn__party_is(const sn__party *a, const sn__party *b);

/** Is the value of a `Host` header the name of this server? The address that the connection came
 *  to, `localhost` if that is loopback, or one of @p hosts; each with the port, which may be left
 *  out if it is 80, or 443 with TLS. So a foreign name that was made to point here is refused.
 *  @param local  the address that the connection came to */
bool sn__host_is_ours(const char *host, const sn__address *local, uint16_t port, bool has_tls,
                      const sn_texts *hosts);

/** May a page from this origin connect? The server's own, by the name in @p host, which is ours,
 *  as `https` with TLS, else as `http`; or one of @p origins. */
bool sn__origin_is_welcome(const char *origin, const char *host, bool has_tls,
                           const sn_texts *origins);

/** The same text? In a time that tells nothing about @p expected but its length. */
bool sn__secret_is(const char *given, size_t length, const char *expected);

#endif
