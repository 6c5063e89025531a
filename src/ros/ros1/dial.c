#define _GNU_SOURCE /* getaddrinfo() */

#include "ros/ros1/dial.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

bool sn__address_quick(const char *host, struct in_addr *out) {
  if (strcmp(host, "localhost") == 0) {
    out->s_addr = htonl(INADDR_LOOPBACK);
    return true;
  }
  return inet_pton(AF_INET, host, out) == 1;
}

bool sn__address_find(const char *host, struct in_addr *out) {
  if (sn__address_quick(host, out)) {
    return true;
  }
  const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  if (getaddrinfo(host, NULL, &hints, &found) != 0 || found == NULL) {
    return false;
  }
  struct sockaddr_in address;
  memcpy(&address, found->ai_addr, sizeof address);
  *out = address.sin_addr;
  freeaddrinfo(found);
  return true;
}

/* A name server may take its time: that is for the lane of those who wait. */
static bool look_up(sn__remote_job *job, sn__remote_lane lane) {
  sn__dial *dial = (sn__dial *)job;
  if (lane == SN__REMOTE_QUICK) {
    return false;
  }
  dial->is_found = sn__address_find(dial->host, &dial->address);
  return true;
}

bool sn__dial_start(sn__link *link, const char *host, int port) {
  sn__dial *dial = calloc(1, sizeof *dial);
  if (dial == NULL) {
    return false;
  }
  dial->job.run = look_up;
  dial->link = link;
  dial->port = port;
  snprintf(dial->host, sizeof dial->host, "%s", host);
  link->dial = dial;
  dial->next = link->net->dials;
  link->net->dials = dial;
  sn__remote_pool_add(link->net->pool, &dial->job);
  return true;
}

bool sn__dial_is_one(const sn__remote_job *job) {
  return job->run == look_up;
}

void sn__dial_end(sn__net *net, sn__dial *dial) {
  sn__dial **at = &net->dials;
  while (*at != dial) {
    at = &(*at)->next;
  }
  *at = dial->next;
  free(dial);
}

void sn__dial_end_all(sn__net *net) {
  while (net->dials != NULL) {
    sn__dial_end(net, net->dials);
  }
}
