/* Limits of connections and clients, and which one is closed at the limit. An operator must be able
   to connect and stop the robot, however many idle clients there are. */
#include <string.h>
#include <sys/socket.h>

#include "foxglove/server_internal.h"
#include "remote/peer_uid.h"

#define IDLE_NS \
  (1000 * SN__FOX_MS) /* silence after which a client without subscriptions may be dropped */
#define SILENT_NS (10000 * SN__FOX_MS) /* the same with subscriptions */
#define SOURCE_NS (60000 * SN__FOX_MS) /* the same after publishing */

/* ---- connections ---- */

static sn__fox_connection *find_connection(sn__fox_server *server, const struct lws *wsi) {
  for (size_t i = 0; i < SN__FOX_CONNECTIONS_MAX; i++) {
    if (server->connections[i].wsi == wsi) {
      return &server->connections[i];
    }
  }
  return NULL;
}

sn__fox_connection *sn__fox_connection_of(sn__fox_server *server, const struct lws *wsi) {
  return wsi == NULL ? NULL : find_connection(server, wsi);
}

bool sn__fox_connection_init(sn__fox_connection *connection, int fd, int64_t now_ns) {
  struct sockaddr_storage storage;
  socklen_t size = sizeof storage;
  sn__address peer;
  *connection = (sn__fox_connection){.heard_ns = now_ns};
  if (getpeername(fd, (struct sockaddr *)&storage, &size) != 0 ||
      !sn__address_of(&storage, &peer)) {
    return false;
  }
  uid_t uid = SN__PARTY_NO_USER;
  const bool is_local = sn__address_is_loopback(&peer);
  const bool is_known = is_local && sn__peer_uid(fd, &uid);
  connection->party = sn__party_of(&peer, is_known ? uid : SN__PARTY_NO_USER);
  connection->is_ours = is_known && sn__user_is_ours(uid);
  return true;
}

void sn__fox_connection_add(sn__fox_server *server, const sn__fox_connection *connection,
                            struct lws *wsi) {
  sn__fox_connection *place = find_connection(server, NULL);
  if (place != NULL) { /* there are more entries than connections */
    *place = *connection;
    place->wsi = wsi;
    server->connection_count++;
  }
}

void sn__fox_connection_remove(sn__fox_server *server, const struct lws *wsi) {
  sn__fox_connection *connection = sn__fox_connection_of(server, wsi);
  if (connection != NULL) {
    server->connection_count -= connection->is_over ? 0 : 1;
    *connection = (sn__fox_connection){.wsi = NULL};
  }
}

/* A connection that is being sent a page is busy; one with half a request, or between two, is not.
 */
static bool is_sending(const sn__fox_connection *connection) {
  const sn__fox_page *page = lws_wsi_user(connection->wsi);
  return page != NULL && page->is_open;
}

bool sn__fox_connection_make_room(sn__fox_server *server) {
  sn__fox_connection *victim = NULL;
  bool victim_sends = false;
  if (server->connection_count <
      server->config.clients_max + SN__FOX_STOP_ONLY_MAX + SN__FOX_HTTP_MAX) {
    return true;
  }
  for (size_t i = 0; i < SN__FOX_CONNECTIONS_MAX; i++) {
    sn__fox_connection *connection = &server->connections[i];
    if (connection->wsi == NULL || connection->is_client || connection->is_over) {
      continue;
    }
    const bool sends = is_sending(connection);
    if (victim == NULL || (!sends && victim_sends) ||
        (sends == victim_sends && connection->heard_ns < victim->heard_ns)) {
      victim = connection;
      victim_sends = sends;
    }
  }
  if (victim != NULL) {
    victim->is_over = true;
    server->connection_count--;
    lws_set_timeout(victim->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
  }
  return victim != NULL;
}

/* ---- clients ---- */

static bool has_subscriptions(const sn__fox_client *client) {
  return client->subscription_count > 0;
}

/* Never drop a client that has published lately, and never one that may change something in favour
   of one that may not. */
static bool may_drop(const sn__fox_client *client, bool may_change, int64_t now_ns) {
  const bool is_source = client->published_ns != 0 && now_ns - client->published_ns < SOURCE_NS;
  return !client->is_over && !client->is_stop_only && !is_source &&
         (may_change || !client->may_change);
}

static bool is_silent(const sn__fox_client *client, int64_t now_ns) {
  const bool is_idle = !client->is_working && client->task_count == 0;
  return is_idle && now_ns - client->heard_ns >= (has_subscriptions(client) ? SILENT_NS : IDLE_NS);
}

/* The lowest rank is dropped first: clients that may change nothing, then those without
   subscriptions. */
static int rank(const sn__fox_client *client) {
  return (client->may_change ? 2 : 0) + (has_subscriptions(client) ? 1 : 0);
}

static sn__fox_client *find_silent(const sn__fox_server *server, bool may_change, int64_t now_ns) {
  sn__fox_client *victim = NULL;
  for (sn__fox_client *c = server->clients; c != NULL; c = c->next) {
    if (may_drop(c, may_change, now_ns) && is_silent(c, now_ns) &&
        (victim == NULL || rank(c) < rank(victim) ||
         (rank(c) == rank(victim) && c->heard_ns < victim->heard_ns))) {
      victim = c;
    }
  }
  return victim;
}

static size_t count_party(const sn__fox_server *server, const sn__party *party) {
  size_t count = 0;
  for (const sn__fox_client *c = server->clients; c != NULL; c = c->next) {
    count += !c->is_over && sn__party_equals(&c->party, party);
  }
  return count;
}

/* Of the party with the most clients, the one that has been silent longest: no machine can keep the
   others out, however busy its clients are. */
static sn__fox_client *find_of_largest_party(const sn__fox_server *server,
                                             const sn__fox_connection *newcomer, int64_t now_ns) {
  sn__fox_client *victim = NULL;
  size_t most = count_party(server, &newcomer->party) +
                1; /* otherwise two parties would drop each other's clients in turn */
  for (sn__fox_client *c = server->clients; c != NULL; c = c->next) {
    const size_t count =
        may_drop(c, newcomer->may_change, now_ns) ? count_party(server, &c->party) : 0;
    if (count > most || (victim != NULL && count == most && c->heard_ns < victim->heard_ns)) {
      victim = c;
      most = count;
    }
  }
  return victim;
}

static size_t count_clients(const sn__fox_server *server, bool is_stop_only) {
  size_t count = 0;
  for (const sn__fox_client *c = server->clients; c != NULL; c = c->next) {
    count += !c->is_over && c->is_stop_only == is_stop_only;
  }
  return count;
}

sn__fox_admission sn__fox_client_admit(sn__fox_server *server, const sn__fox_connection *newcomer) {
  const int64_t now_ns = sn_clock_now_ns(&server->clock);
  if (count_clients(server, false) < server->config.clients_max) {
    return SN__FOX_ADMITTED;
  }
  sn__fox_client *victim = find_silent(server, newcomer->may_change, now_ns);
  victim = victim != NULL ? victim : find_of_largest_party(server, newcomer, now_ns);
  if (victim != NULL) {
    sn__fox_warn(server, SN__FOX_WARN_DROPPED,
                 "too many clients: dropped the one that was silent longest");
    sn__fox_client_drop(victim);
    return SN__FOX_ADMITTED;
  }
  return count_clients(server, true) < SN__FOX_STOP_ONLY_MAX ? SN__FOX_STOP_ONLY : SN__FOX_REJECTED;
}
