/** @file
 *  Who may come in, and who may change something. Pure: texts and addresses in, yes or no out. */
#ifndef SN_FOXGLOVE_ACCESS_H
#define SN_FOXGLOVE_ACCESS_H

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

/** Is the value of a `Host` header the name of this server? The address that the connection came
 *  to, `localhost` if that is loopback, or one of @p hosts; each with the port, which may be left
 *  out if it is 80. So a foreign name that was made to point here is refused.
 *  @param local  the address that the connection came to */
bool sn__host_is_ours(const char *host, const sn__address *local, uint16_t port,
                      const sn_texts *hosts);

/** May a page from this origin connect? The server's own, by the name in @p host, which is ours;
 *  or one of @p origins. */
bool sn__origin_is_welcome(const char *origin, const char *host, const sn_texts *origins);

/** The same text? In a time that tells nothing about @p expected but its length. */
bool sn__secret_is(const char *given, size_t length, const char *expected);

#endif
