#define _GNU_SOURCE /* getaddrinfo() */

#include "ros/ros2/discovery_range.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fail.h"

enum { HOST_SIZE = 256 };

static sn_status parse_range(const char *text, sn__ros2_range *out, sn_error *err) {
  static const struct {
    const char *name;
    sn__ros2_range range;
  } names[] = {{"", SN__ROS2_SUBNET},
               {"SUBNET", SN__ROS2_SUBNET},
               {"LOCALHOST", SN__ROS2_LOCALHOST},
               {"OFF", SN__ROS2_OFF},
               {"SYSTEM_DEFAULT", SN__ROS2_SYSTEM_DEFAULT}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(text, names[i].name) == 0) {
      *out = names[i].range;
      return SN_OK;
    }
  }
  return sn__fail(err, SN_EINVAL,
                  "ROS_AUTOMATIC_DISCOVERY_RANGE: '%.60s', expected SUBNET, LOCALHOST, OFF or "
                  "SYSTEM_DEFAULT",
                  text);
}

static bool resolve(const char *host, char *out) {
  const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM};
  struct addrinfo *found = NULL;
  if (getaddrinfo(host, NULL, &hints, &found) != 0 || found == NULL) {
    return false;
  }
  const struct sockaddr_in *address = (const struct sockaddr_in *)(const void *)found->ai_addr;
  const bool is_good = inet_ntop(AF_INET, &address->sin_addr, out, SN__ROS2_ADDRESS_SIZE) != NULL;
  freeaddrinfo(found);
  return is_good;
}

static sn_status add_peer(sn__ros2_discovery *d, const char *text, size_t length, sn_error *err) {
  char host[HOST_SIZE];
  if (length >= sizeof host || d->peer_count == SN__ROS2_STATIC_PEERS_MAX) {
    return sn__fail(err, SN_EINVAL,
                    "ROS_STATIC_PEERS: expected at most %d names of at most %d "
                    "characters, separated by semicolons",
                    SN__ROS2_STATIC_PEERS_MAX, HOST_SIZE - 1);
  }
  memcpy(host, text, length);
  host[length] = '\0';
  if (!resolve(host, d->peers[d->peer_count])) {
    return sn__fail(err, SN_EINVAL,
                    "ROS_STATIC_PEERS: '%.100s' is neither an IPv4 address nor the name of a host "
                    "that has one",
                    host);
  }
  d->peer_count++;
  return SN_OK;
}

static sn_status read_peers(sn__ros2_discovery *d, const char *text, sn_error *err) {
  sn_status status = SN_OK;
  while (status == SN_OK && *text != '\0') {
    const size_t length = strcspn(text, ";");
    status = length > 0 ? add_peer(d, text, length, err) : SN_OK;
    text += length + (text[length] == ';');
  }
  return status;
}

sn_status sn__ros2_discovery_read(const char *local, const char *range, const char *peers,
                                  sn__ros2_discovery *out, sn_error *err) {
  *out = (sn__ros2_discovery){.range = SN__ROS2_LOCALHOST};
  if (strcmp(local, "1") == 0) {
    return SN_OK;
  }
  const sn_status status = parse_range(range, &out->range, err);
  const bool has_peers = out->range == SN__ROS2_SUBNET || out->range == SN__ROS2_LOCALHOST;
  return status == SN_OK && has_peers ? read_peers(out, peers, err) : status;
}

/* ---- Cyclone ---- */

typedef struct text {
  char *at;
  size_t size;
  bool fits;
} text;

static void append(text *t, const char *first, const char *second, const char *third) {
  const int length = snprintf(t->at, t->size, "%s%s%s", first, second, third);
  t->fits = t->fits && length >= 0 && (size_t)length < t->size;
  if (t->fits) {
    t->at += length;
    t->size -= (size_t)length;
  }
}

static void append_peers(text *t, const sn__ros2_discovery *d) {
  append(t, "<Peers>", d->range == SN__ROS2_LOCALHOST ? "<Peer address=\"127.0.0.1\"/>" : "", "");
  for (size_t i = 0; i < d->peer_count; i++) {
    append(t, "<Peer address=\"", d->peers[i], "\"/>");
  }
  append(t, "</Peers>", "", "");
}

/* A participant index puts the node at one of the standard ports of the machine, where others that
   have it as a static peer search for it. A peer that starts later is found by the next
   announcement, which Cyclone would send every 8 s. */
bool sn__ros2_discovery_config(const sn__ros2_discovery *d, const char *interface, bool is_name,
                               char *out, size_t size) {
  text t = {out, size, true};
  const bool is_default = d->range == SN__ROS2_SYSTEM_DEFAULT;
  const bool has_multicast = d->range == SN__ROS2_SUBNET || is_default;
  append(&t, "<CycloneDDS><Domain><General>",
         has_multicast ? "" : "<AllowMulticast>false</AllowMulticast>", "");
  if (*interface != '\0') {
    append(&t, "<Interfaces><NetworkInterface ", is_name ? "name=\"" : "address=\"", interface);
    append(&t, "\"", has_multicast && strcmp(interface, "lo") == 0 ? " multicast=\"true\"" : "",
           "/></Interfaces>");
  }
  append(&t, "</General>", "", "");
  if (!is_default) {
    append(&t, "<Discovery><ParticipantIndex>", d->range == SN__ROS2_OFF ? "none" : "auto",
           "</ParticipantIndex><MaxAutoParticipantIndex>99</MaxAutoParticipantIndex>");
    append_peers(&t, d);
    append(&t, d->peer_count > 0 ? "<SPDPInterval>1 s</SPDPInterval>" : "", "</Discovery>", "");
  }
  append(&t, "</Domain></CycloneDDS>", "", "");
  return t.fits;
}
