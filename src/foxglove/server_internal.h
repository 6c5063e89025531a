/** @file
 *  Internal to the server: what its parts share. All of it belongs to the thread of the sockets,
 * but for what is marked. */
#ifndef SN_FOXGLOVE_SERVER_INTERNAL_H
#define SN_FOXGLOVE_SERVER_INTERNAL_H

#include <libwebsockets.h>
#include <pthread.h>
#include <stdatomic.h>

#include "foxglove/catalog.h"
#include "foxglove/http/health.h"
#include "foxglove/http/throttle.h"
#include "foxglove/pool_task.h"
#include "foxglove/protocol.h"
#include "foxglove/server.h"
#include "foxglove/shapes.h"
#include "remote/pool.h"
#include "remote/remote.h"
#include "sinew/tap.h"

#define SN__FOX_MS INT64_C(1000000)

enum {
  SN__FOX_SUBSCRIPTIONS_MAX = 1024,
  SN__FOX_ADVERTISED_MAX = 64,
  SN__FOX_TASKS_MAX = 32, /**< of one client that wait */
  SN__FOX_WRONG_TOKENS_MAX = 3,
  SN__FOX_OUT_MAX = 8 << 20, /**< bytes that wait for a client before it is let go */
  SN__FOX_TICK_US = 16667,   /**< 60 Hz */
  SN__FOX_RESERVE = 8,       /**< clients beyond clients_max, who can only stop the robot */
  SN__FOX_BESIDE = 64,       /**< connections of HTTP, beside the clients' */
  SN__FOX_SEATS_MAX = 512    /**< connections, also those that are on their way out */
};

/** A line about clients, at most one a second; the others are counted. */
typedef struct sn__fox_notice {
  int64_t next_ns;
  uint64_t unsaid;
} sn__fox_notice;

typedef enum sn__fox_state {
  SN__FOX_CLOSED,
  SN__FOX_OPENING, /**< a task is about it; so with closing */
  SN__FOX_OPEN,
  SN__FOX_CLOSING
} sn__fox_state;

/** What is sent on a channel: its latest message, the same bytes for all. */
typedef struct sn__fox_stream {
  const sn__fox_channel *channel;
  sn__fox_state state;
  sn__remote_tap *tap;   /**< of a port */
  uint64_t tap_serial;   /**< of the message that was taken from it last */
  uint64_t idle_written; /**< messages of the port at the last look without a user */
  size_t users;          /**< subscriptions */
  uint64_t serial;       /**< of the message, counted from 1; 0: there is none */
  int64_t stamp_ns;
  sn__buffer bytes; /**< room for the head of a frame, for that of a message, and the payload */
  int64_t next_ns;  /**< of what is made from time to time: when */
  bool is_busy;     /**< a task makes it */
} sn__fox_stream;

/** The source of an input that clients publish to. */
typedef struct sn__fox_source {
  sn__fox_state state;
  sn_source *source;
  size_t users;       /**< channels that clients advertise */
  sn__buffer pending; /**< the latest message that came before it was open */
  sn__remote_encoding pending_encoding;
  bool has_pending;
} sn__fox_source;

typedef struct sn__fox_subscription {
  uint32_t id;
  uint32_t channel; /**< place in the catalog */
  uint64_t serial;  /**< sent last; of the log, the number of the line */
} sn__fox_subscription;

typedef struct sn__fox_advertised {
  uint32_t id;
  uint32_t input; /**< place in the catalog */
  sn__remote_encoding encoding;
} sn__fox_advertised;

/** A message on its way out. */
typedef struct sn__fox_out {
  struct sn__fox_out *next;
  size_t size;
  bool is_binary;
  unsigned char bytes[]; /**< LWS_PRE, then the message */
} sn__fox_out;

typedef enum sn__fox_place {
  SN__FOX_NO_PLACE,
  SN__FOX_PLACE,
  SN__FOX_PLACE_TO_STOP /**< one of the reserve */
} sn__fox_place;

/** A connection, from accept() to its end. */
typedef struct sn__fox_seat {
  struct lws *wsi;  /**< NULL: free */
  int64_t heard_ns; /**< when it came, or asked for a page last */
  sn__party party;
  bool is_ours;        /**< over loopback, from the user of this process or root */
  bool may_change;     /**< from the handshake on */
  bool is_client;      /**< a WebSocket */
  bool is_over;        /**< is closed, to make room */
  sn__fox_place place; /**< that the handshake got */
} sn__fox_seat;

typedef struct sn__fox_client {
  struct sn__fox_client *next;
  struct sn__fox_server *server;
  struct lws *wsi;
  uint64_t number; /**< no two clients have the same */
  sn__party party;
  bool may_change;
  bool is_extra; /**< has a place of the reserve: can only stop the robot */
  int64_t opened_ns;
  int64_t heard_ns;     /**< when its last message came */
  int64_t published_ns; /**< when it wrote to a component last; 0: never */
  bool is_over;         /**< is let go; nothing more for it */
  bool is_leaving;      /**< is let go when it has got what is on its way */
  int wrong_tokens;
  sn__fox_subscription *subscriptions;
  size_t subscription_count, subscription_capacity, turn; /**< whose turn it is to be sent */
  sn__fox_advertised advertised[SN__FOX_ADVERTISED_MAX];
  size_t advertised_count;
  unsigned char *watched;   /**< [parameters of the catalog] */
  sn__fox_task_queue tasks; /**< waiting; one at a time is at work */
  size_t task_count;
  bool is_working;
  size_t stop_count; /**< emergency stops whose confirmation is waited for */
  sn__fox_out *out_first, *out_last;
  size_t out_size;
  sn__buffer in;    /**< the message that is being received */
  int64_t asked_ns; /**< since when it is to take something; 0: it has all */
  int64_t time_ns;  /**< when it is told the time again */
  int64_t complain_ns;
} sn__fox_client;

struct sn__fox_server {
  sn__fox_config config;
  sn_system *system;
  char url[96];
  char session[32];
  sn__fox_catalog catalog;
  sn__shapes shapes;
  sn__fox_stream *streams; /**< [channels] */
  sn__fox_source *sources; /**< [inputs] */
  char **values;           /**< [parameters] as JSON, when they were looked at last; NULL: never */
  size_t *watchers;        /**< [parameters] */
  int64_t watch_ns;        /**< when to look again */
  bool watch_is_busy;
  sn_arena stop_arena;
  void *stop_request; /**< the message of an emergency stop */
  sn__health health;

  struct lws_context *lws;
  struct lws_vhost *vhost;
  struct lws *listener;
  int64_t accept_ns; /**< no connection is accepted before; 0: all are */
  sn_log_limit starved;
  lws_sorted_usec_list_t tick;
  int64_t tick_ns;
  uint16_t port;
  size_t connection_count, client_count;
  sn__fox_client *clients;
  uint64_t client_number;
  sn__fox_seat seats[SN__FOX_SEATS_MAX];
  sn__throttle throttle; /**< of wrong tokens */
  sn__fox_notice notices[4];
  sn_clock clock; /**< of the machine */

  pthread_t thread;
  atomic_bool is_ending;      /**< any thread */
  sn__remote_pool pool;       /**< any thread */
  sn__remote_counts counts;   /**< any thread */
  sn__remote_taps taps;       /**< the pool's quick lane */
  sn__remote_context context; /**< any thread, constant */
  sn__fox_task *tasks;        /**< all that are under way */
};

/* ---- client.c ---- */

/** A handshake is done. @param seat  NULL: there is none. @return NULL: no memory, or no seat */
sn__fox_client *sn__fox_client_open(sn__fox_server *server, struct lws *wsi, sn__fox_seat *seat);
void sn__fox_client_close(sn__fox_client *client);
/** Bytes of a message. @return false: it must go */
bool sn__fox_client_receive(sn__fox_client *client, const void *bytes, size_t size);
/** It can take something. @return false: it must go */
bool sn__fox_client_write(sn__fox_client *client);
/** Something has come up: once in a tick. */
void sn__fox_client_tick(sn__fox_client *client, int64_t now_ns);

/** Send a message; it is copied. */
void sn__fox_client_send(sn__fox_client *client, bool is_binary, const void *head, size_t head_size,
                         const void *bytes, size_t size);
void sn__fox_client_send_reply(sn__fox_client *client, const sn__buffer *reply);
/** Tell it about something that is wrong. */
void sn__fox_client_warn(void *context, const char *message);
/** Let it go, as soon as the thread is out of its callbacks. */
void sn__fox_client_drop(sn__fox_client *client);
/** Ask for its turn to be sent something. */
void sn__fox_client_wake(sn__fox_client *client);

/* ---- client_subscriptions.c, client_publish.c, call.c, parameters.c: what a client asks for ----
 */

void sn__fox_client_subscribe(void *context, uint32_t id, uint32_t channel);
void sn__fox_client_unsubscribe(void *context, uint32_t id);
void sn__fox_client_unsubscribe_all(sn__fox_client *client);
void sn__fox_client_advertise(void *context, uint32_t id, const char *topic, const char *encoding);
void sn__fox_client_unadvertise(void *context, uint32_t id);
void sn__fox_client_unadvertise_all(sn__fox_client *client);
void sn__fox_client_publish(void *context, uint32_t id, const void *bytes, size_t size);
/** Close the sources of all inputs. */
void sn__fox_sources_close(sn__fox_server *server);

#define SN__FOX_EXTRA_TEXT \
  "all places are taken: this connection can only stop the robot, for 10 s; close another one"

void sn__fox_client_call(void *context, uint32_t service, uint32_t call, bool is_json,
                         const void *bytes, size_t size);
void sn__fox_client_get(void *context, const json_t *names, const char *id);
void sn__fox_client_set(void *context, const json_t *parameters, const char *id);
void sn__fox_client_watch(void *context, const json_t *names, bool is_on);
void sn__fox_client_fetch(void *context, const char *uri, uint32_t request);
/** All that is watched is looked at again soon. */
void sn__fox_look_at_parameters(sn__fox_server *server, int64_t now_ns);

/* ---- streams.c ---- */

sn_status sn__fox_streams_open(sn__fox_server *server, sn_error *err);
void sn__fox_streams_close(sn__fox_server *server);
/** New messages, once in a tick. */
void sn__fox_streams_tick(sn__fox_server *server, int64_t now_ns);
void sn__fox_stream_use(sn__fox_server *server, uint32_t channel, int users);
/** A message made by a task, which goes into the stream: JSON. */
void sn__fox_stream_put(sn__fox_server *server, sn__fox_stream *stream, const void *bytes,
                        size_t size);
/** Bytes for one client, ready for lws_write(): LWS_PRE before them. The line of the log is the
 *  subscription's next. @return NULL: there is nothing new */
unsigned char *sn__fox_stream_next(sn__fox_server *server, sn__fox_subscription *subscription,
                                   size_t *size);
bool sn__fox_stream_has_news(const sn__fox_server *server,
                             const sn__fox_subscription *subscription);

/* ---- http.c ---- */

/** What is being sent to a client of HTTP. */
typedef struct sn__fox_page {
  const unsigned char *bytes; /**< NULL: a file */
  unsigned char *owned;       /**< free() */
  int fd;                     /**< -1: none */
  bool is_open;               /**< something is being sent */
  int64_t size, sent;
} sn__fox_page;

int sn__fox_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                 size_t size);
/** Is the request's `Host` ours, and its `Origin` one that is welcome?
 *  @return 0, or the status of HTTP that refuses it */
unsigned sn__fox_check_names(sn__fox_server *server, struct lws *wsi);

/* ---- seats.c: who has a place ---- */

/** Find out who is at the other end of an accepted connection. @return false: it is gone */
bool sn__fox_seat_init(sn__fox_seat *seat, int fd, int64_t now_ns);
void sn__fox_seat_take(sn__fox_server *server, const sn__fox_seat *seat, struct lws *wsi);
void sn__fox_seat_leave(sn__fox_server *server, const struct lws *wsi);
/** @return NULL: it has none */
sn__fox_seat *sn__fox_seat_of(sn__fox_server *server, const struct lws *wsi);
/** Room for one more connection; if need be the one that has asked for nothing longest is closed.
 *  @return false: there is none to close */
bool sn__fox_seat_make_room(sn__fox_server *server);
/** Room for one more client. If all places are taken: of the client that was silent longest; else
 *  of one of the party with the most clients; else in the reserve. */
sn__fox_place sn__fox_client_make_room(sn__fox_server *server, const sn__fox_seat *newcomer);

/* ---- sockets.c and tls.c ---- */

/** Listen, and start libwebsockets. */
sn_status sn__fox_sockets_open(sn__fox_server *server, sn_error *err);
/** Accept connections again after a pause. */
void sn__fox_sockets_tick(sn__fox_server *server, int64_t now_ns);
bool sn__fox_has_tls(const sn__fox_config *config);
sn_status sn__fox_tls_start(const sn__fox_config *config, struct lws_context_creation_info *info,
                            struct lws_context **context, struct lws_vhost **vhost, sn_error *err);

/* ---- call.c ---- */

/** Is it the token? A wrong one counts against @p party.
 *  @param wait_s  seconds until it may try again, 0 if it may; NULL: not wanted */
bool sn__fox_check_token(sn__fox_server *server, const sn__party *party, const char *given,
                         size_t length, unsigned *wait_s);

/* ---- server.c ---- */

enum { SN__FOX_NOTICE_REFUSED, SN__FOX_NOTICE_FULL, SN__FOX_NOTICE_DROPPED, SN__FOX_NOTICE_TOKEN };

/** A line for the log, one a second of each kind. @param text  a literal with one `{}` for how
 * often it has happened */
void sn__fox_notice_write(sn__fox_server *server, int which, const char *text);

#endif
