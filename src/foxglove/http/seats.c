/* Places: who has one, and who makes room when all are taken. The operator must get in to stop the
   robot, however many others are there and do nothing. */
#include <string.h>
#include <sys/socket.h>

#include "foxglove/server_internal.h"
#include "remote/peer_uid.h"

#define IDLE_NS (1000 * SN__FOX_MS) /* without a message: of one that has subscribed to nothing */
#define SILENT_NS (10000 * SN__FOX_MS) /* of one that listens */
#define SOURCE_NS                                                                 \
  (60000 * SN__FOX_MS) /* after a message for a component it counts as its source \
                        */

/* ---- connections ---- */

static sn__fox_seat *find_seat(sn__fox_server *server, const struct lws *wsi) {
  for (size_t i = 0; i < SN__FOX_SEATS_MAX; i++) {
    if (server->seats[i].wsi == wsi) {
      return &server->seats[i];
    }
  }
  return NULL;
}

sn__fox_seat *sn__fox_seat_of(sn__fox_server *server, const struct lws *wsi) {
  return wsi == NULL ? NULL : find_seat(server, wsi);
}

bool sn__fox_seat_init(sn__fox_seat *seat, int fd, int64_t now_ns) {
  struct sockaddr_storage storage;
  socklen_t size = sizeof storage;
  sn__address peer;
  *seat = (sn__fox_seat){.heard_ns = now_ns};
  if (getpeername(fd, (struct sockaddr *)&storage, &size) != 0 ||
      !sn__address_of(&storage, &peer)) {
    return false;
  }
  uid_t uid = SN__PARTY_NO_USER;
  const bool is_local = sn__address_is_loopback(&peer);
  const bool is_known = is_local && sn__peer_uid(fd, &uid);
  seat->party = sn__party_of(&peer, is_known ? uid : SN__PARTY_NO_USER);
  seat->is_ours = is_known && sn__user_is_ours(uid);
  return true;
}

void sn__fox_seat_take(sn__fox_server *server, const sn__fox_seat *seat, struct lws *wsi) {
  sn__fox_seat *place = find_seat(server, NULL);
  if (place != NULL) { /* there are more than connections */
    *place = *seat;
    place->wsi = wsi;
    server->connection_count++;
  }
}

void sn__fox_seat_leave(sn__fox_server *server, const struct lws *wsi) {
  sn__fox_seat *seat = sn__fox_seat_of(server, wsi);
  if (seat != NULL) {
    server->connection_count -= seat->is_over ? 0 : 1;
    *seat = (sn__fox_seat){.wsi = NULL};
  }
}

/* One that sends a page is at work; one that has sent half a request, or waits for the next one, is
   not. */
static bool is_sending(const sn__fox_seat *seat) {
  const sn__fox_page *page = lws_wsi_user(seat->wsi);
  return page != NULL && page->is_open;
}

bool sn__fox_seat_make_room(sn__fox_server *server) {
  sn__fox_seat *victim = NULL;
  bool victim_sends = false;
  if (server->connection_count < server->config.clients_max + SN__FOX_RESERVE + SN__FOX_BESIDE) {
    return true;
  }
  for (size_t i = 0; i < SN__FOX_SEATS_MAX; i++) {
    sn__fox_seat *seat = &server->seats[i];
    if (seat->wsi == NULL || seat->is_client || seat->is_over) {
      continue;
    }
    const bool sends = is_sending(seat);
    if (victim == NULL || (!sends && victim_sends) ||
        (sends == victim_sends && seat->heard_ns < victim->heard_ns)) {
      victim = seat;
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

static bool is_listening(const sn__fox_client *client) {
  return client->subscription_count > 0;
}

/* Never the source of what a component does now, and never one that may change something for one
   that may not. */
static bool may_lose(const sn__fox_client *client, bool may_change, int64_t now_ns) {
  const bool is_source = client->published_ns != 0 && now_ns - client->published_ns < SOURCE_NS;
  return !client->is_over && !client->is_extra && !is_source && (may_change || !client->may_change);
}

static bool is_silent(const sn__fox_client *client, int64_t now_ns) {
  const bool is_idle = !client->is_working && client->task_count == 0;
  return is_idle && now_ns - client->heard_ns >= (is_listening(client) ? SILENT_NS : IDLE_NS);
}

/* Those that may change nothing go first, then those that listen to nothing. */
static int rank(const sn__fox_client *client) {
  return (client->may_change ? 2 : 0) + (is_listening(client) ? 1 : 0);
}

static sn__fox_client *find_silent(const sn__fox_server *server, bool may_change, int64_t now_ns) {
  sn__fox_client *victim = NULL;
  for (sn__fox_client *c = server->clients; c != NULL; c = c->next) {
    if (may_lose(c, may_change, now_ns) && is_silent(c, now_ns) &&
        (victim == NULL || rank(c) < rank(victim) ||
         (rank(c) == rank(victim) && c->heard_ns < victim->heard_ns))) {
      victim = c;
    }
  }
  return victim;
}

static size_t count_of(const sn__fox_server *server, const sn__party *party) {
  size_t count = 0;
  for (const sn__fox_client *c = server->clients; c != NULL; c = c->next) {
    count += !c->is_over && sn__party_is(&c->party, party);
  }
  return count;
}

/* Of the party with the most clients, the one that was silent longest: so no single machine keeps
   the others out, however busy its clients look. */
static sn__fox_client *find_greedy(const sn__fox_server *server, const sn__fox_seat *newcomer,
                                   int64_t now_ns) {
  sn__fox_client *victim = NULL;
  size_t most = count_of(server, &newcomer->party) + 1; /* or they would push out each other */
  for (sn__fox_client *c = server->clients; c != NULL; c = c->next) {
    const size_t count =
        may_lose(c, newcomer->may_change, now_ns) ? count_of(server, &c->party) : 0;
    if (count > most || (victim != NULL && count == most && c->heard_ns < victim->heard_ns)) {
      victim = c;
      most = count;
    }
  }
  return victim;
}

/* Clients with a place of their own. */
static size_t count_full(const sn__fox_server *server, bool is_extra) {
  size_t count = 0;
  for (const sn__fox_client *c = server->clients; c != NULL; c = c->next) {
    count += !c->is_over && c->is_extra == is_extra;
  }
  return count;
}

sn__fox_place sn__fox_client_make_room(sn__fox_server *server, const sn__fox_seat *newcomer) {
  const int64_t now_ns = sn_clock_now_ns(&server->clock);
  if (count_full(server, false) < server->config.clients_max) {
    return SN__FOX_PLACE;
  }
  sn__fox_client *victim = find_silent(server, newcomer->may_change, now_ns);
  victim = victim != NULL ? victim : find_greedy(server, newcomer, now_ns);
  if (victim != NULL) {
    sn__fox_notice_write(server, SN__FOX_NOTICE_DROPPED,
                         "all places are taken: dropped the client that was silent longest ({})");
    sn__fox_client_drop(victim);
    return SN__FOX_PLACE;
  }
  return count_full(server, true) < SN__FOX_RESERVE ? SN__FOX_PLACE_TO_STOP : SN__FOX_NO_PLACE;
}
