/** @file
 *  Internal to the server: what its files share. Everything belongs to the socket thread, except
 *  where marked. */
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

typedef enum sn__fox_warning {
  SN__FOX_WARN_REFUSED,
  SN__FOX_WARN_FULL,
  SN__FOX_WARN_DROPPED,
  SN__FOX_WARN_TOKEN,
  SN__FOX_WARNINGS
} sn__fox_warning;

enum {
  SN__FOX_SUBSCRIPTIONS_MAX = 1024,
  SN__FOX_ADVERTISED_MAX = 64,
  SN__FOX_TASKS_MAX = 32, /**< queued per client */
  SN__FOX_WRONG_TOKENS_MAX = 3,
  SN__FOX_OUT_MAX = 8 << 20,    /**< bytes queued for a client before it is dropped */
  SN__FOX_TICK_US = 16667,      /**< 60 Hz */
  SN__FOX_STOP_ONLY_MAX = 8,    /**< clients beyond clients_max, which can only stop the robot */
  SN__FOX_HTTP_MAX = 64,        /**< connections for pages, besides those of clients */
  SN__FOX_CONNECTIONS_MAX = 512 /**< including those that are being closed */
};

typedef enum sn__fox_state {
  SN__FOX_CLOSED,
  SN__FOX_OPENING, /**< a task is opening it; likewise closing */
  SN__FOX_OPEN,
  SN__FOX_CLOSING
} sn__fox_state;

/** The latest message of a channel, encoded once for all subscribers. */
typedef struct sn__fox_stream {
  const sn__fox_channel *channel;
  sn__fox_state state;
  sn__remote_tap *tap;   /**< of a port */
  uint64_t tap_serial;   /**< of the last message read from it */
  uint64_t idle_written; /**< messages of the port at the last check without a subscriber */
  size_t users;          /**< subscriptions */
  uint64_t serial;       /**< of the message, counted from 1; 0: none yet */
  int64_t stamp_ns;
  sn__buffer bytes; /**< the frame's head, the message's head and the payload */
  int64_t next_ns;  /**< when a periodic message is due */
  bool is_busy;     /**< a task is creating it */
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

/** A queued message. */
typedef struct sn__fox_out {
  struct sn__fox_out *next;
  size_t size;
  bool is_binary;
  unsigned char bytes[]; /**< LWS_PRE, then the message */
} sn__fox_out;

typedef enum sn__fox_admission {
  SN__FOX_REJECTED,
  SN__FOX_ADMITTED,
  SN__FOX_STOP_ONLY /**< beyond clients_max */
} sn__fox_admission;

/** A connection, from accept() to its end. */
typedef struct sn__fox_connection {
  struct lws *wsi;  /**< NULL: free */
  int64_t heard_ns; /**< when it was accepted, or last asked for a page */
  sn__party party;
  bool is_ours;                /**< over loopback, from the user of this process or root */
  bool may_change;             /**< from the handshake on */
  bool is_client;              /**< a WebSocket */
  bool is_over;                /**< is being closed, to make room */
  sn__fox_admission admission; /**< result of the handshake */
} sn__fox_connection;

typedef struct sn__fox_client {
  struct sn__fox_client *next;
  struct sn__fox_server *server;
  struct lws *wsi;
  uint64_t number; /**< unique */
  sn__party party;
  bool may_change;
  bool is_stop_only; /**< beyond clients_max: can only stop the robot */
  int64_t opened_ns;
  int64_t heard_ns;     /**< when its last message arrived */
  int64_t published_ns; /**< when it last published; 0: never */
  bool is_over;         /**< is being closed; nothing more is sent */
  bool is_leaving;      /**< is closed once its queue is empty */
  int wrong_tokens;
  sn__fox_subscription *subscriptions;
  size_t subscription_count, subscription_capacity,
      turn; /**< the subscription that was served last */
  sn__fox_advertised advertised[SN__FOX_ADVERTISED_MAX];
  size_t advertised_count;
  unsigned char *watched;   /**< [parameters of the catalog] */
  sn__fox_task_queue tasks; /**< queued; one at a time runs */
  size_t task_count;
  bool is_working;
  size_t stop_count; /**< emergency stops that wait for confirmation */
  sn__fox_out *out_first, *out_last;
  size_t out_size;
  sn__buffer in;    /**< the message that is being received */
  int64_t asked_ns; /**< since when data wait for the socket; 0: none do */
  int64_t time_ns;  /**< when the next time message is due */
  int64_t warn_ns;
  uint64_t playback_changes; /**< of the state that was sent last, plus 1; 0: none was */
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
  char **values;           /**< [parameters] as JSON, at the last poll; NULL: not polled */
  size_t *watchers;        /**< [parameters] */
  int64_t watch_ns;        /**< when the next poll is due */
  bool watch_is_busy;
  sn__health health;

  struct lws_context *lws;
  struct lws_vhost *vhost;
  struct lws *listener;
  int64_t accept_ns; /**< accept no connection before; 0: no pause */
  sn_log_limit starved;
  lws_sorted_usec_list_t tick;
  int64_t tick_ns;
  uint16_t port;
  size_t connection_count, client_count;
  sn__fox_client *clients;
  uint64_t client_number;
  sn__fox_connection connections[SN__FOX_CONNECTIONS_MAX];
  sn__throttle throttle; /**< of wrong tokens */
  sn_log_limit warnings[SN__FOX_WARNINGS];
  sn_clock clock; /**< of the machine */

  pthread_t thread;
  atomic_bool is_ending;      /**< any thread */
  sn__remote_pool pool;       /**< any thread */
  sn__remote_counts counts;   /**< any thread */
  sn__remote_taps taps;       /**< the pool's quick lane */
  sn__remote_context context; /**< any thread, constant */
  sn__fox_task *tasks;        /**< all that are queued or running */
};

/* ---- client.c ---- */

/** The handshake is done. @param connection  NULL: unknown. @return NULL: refused, or out of memory
 */
sn__fox_client *sn__fox_client_open(sn__fox_server *server, struct lws *wsi,
                                    sn__fox_connection *connection);
void sn__fox_client_close(sn__fox_client *client);
/** Bytes of a message. @return false: close the connection */
bool sn__fox_client_receive(sn__fox_client *client, const void *bytes, size_t size);
/** The socket is writable. @return false: close the connection */
bool sn__fox_client_write(sn__fox_client *client);
/** Once per tick. */
void sn__fox_client_tick(sn__fox_client *client, int64_t now_ns);

/** Queue a message; it is copied. */
void sn__fox_client_send(sn__fox_client *client, bool is_binary, const void *head, size_t head_size,
                         const void *bytes, size_t size);
void sn__fox_client_send_reply(sn__fox_client *client, const sn__buffer *reply);
/** Report a mistake of the client to it; at most 20 a second. */
void sn__fox_client_warn(void *context, const char *message);
/** Close it, once the current callback has returned. */
void sn__fox_client_drop(sn__fox_client *client);
/** Request a callback when the socket is writable. */
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

#define SN__FOX_STOP_ONLY_TEXT \
  "too many clients: this connection can only stop the robot, for 10 s; close another one"

void sn__fox_client_call(void *context, uint32_t service, uint32_t call, bool is_json,
                         const void *bytes, size_t size);
void sn__fox_client_get(void *context, const json_t *names, const char *id);
void sn__fox_client_set(void *context, const json_t *parameters, const char *id);
void sn__fox_client_watch(void *context, const json_t *names, bool is_on);
void sn__fox_client_fetch(void *context, const char *uri, uint32_t request);
/** Poll the watched parameters if that is due. @param now_ns  0: at the next tick */
void sn__fox_parameters_tick(sn__fox_server *server, int64_t now_ns);

/* ---- client_playback.c ---- */

/** The time of messages: that of the system, or of the recording that is played. */
int64_t sn__fox_time_ns(const sn__fox_server *server);
void sn__fox_client_control(void *context, const sn__playback_request *request, const char *id,
                            size_t id_size);
/** Send the state of the playback if it has changed. */
void sn__fox_client_playback_tick(sn__fox_client *client);
/** The range of the recording, for serverInfo. */
void sn__fox_put_playback_range(sn__buffer *reply, const sn__playback *playback);

/* ---- streams.c ---- */

sn_status sn__fox_streams_open(sn__fox_server *server, sn_error *err);
void sn__fox_streams_close(sn__fox_server *server);
/** Read new messages, once per tick. */
void sn__fox_streams_tick(sn__fox_server *server, int64_t now_ns);
void sn__fox_stream_use(sn__fox_server *server, uint32_t channel, int users);
/** Store a message that a task has created, JSON. */
void sn__fox_stream_put(sn__fox_server *server, sn__fox_stream *stream, const void *bytes,
                        size_t size);
/** The next message for one client, ready for lws_write(): with LWS_PRE bytes before it.
 *  @return NULL: nothing new */
unsigned char *sn__fox_stream_next(sn__fox_server *server, sn__fox_subscription *subscription,
                                   size_t *size);
bool sn__fox_stream_is_new(const sn__fox_server *server, const sn__fox_subscription *subscription);

/* ---- http.c ---- */

/** A response that is being sent. */
typedef struct sn__fox_page {
  const unsigned char *bytes; /**< NULL: a file */
  unsigned char *owned;       /**< free() */
  int fd;                     /**< -1: none */
  bool is_open;               /**< being sent */
  int64_t size, sent;
} sn__fox_page;

int sn__fox_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                 size_t size);
/** Check the headers `Host` and `Origin`. @return 0, or the HTTP status that refuses the request */
unsigned sn__fox_check_names(sn__fox_server *server, struct lws *wsi);

/* ---- connections.c ---- */

/** Identify the peer of an accepted connection. @return false: it is closed already */
bool sn__fox_connection_init(sn__fox_connection *connection, int fd, int64_t now_ns);
void sn__fox_connection_add(sn__fox_server *server, const sn__fox_connection *connection,
                            struct lws *wsi);
void sn__fox_connection_remove(sn__fox_server *server, const struct lws *wsi);
/** @return NULL: unknown */
sn__fox_connection *sn__fox_connection_of(sn__fox_server *server, const struct lws *wsi);
/** Make room for one more connection: if there are too many, close the one that has been idle
 *  longest. @return false: none can be closed */
bool sn__fox_connection_make_room(sn__fox_server *server);
/** Admit one more client. At clients_max, drop the one that has been silent longest, else one of
 * the party with the most clients; if there is none, it can only stop the robot. */
sn__fox_admission sn__fox_client_admit(sn__fox_server *server, const sn__fox_connection *newcomer);

/* ---- sockets.c and listen.c ---- */

/** Listen, and start libwebsockets. */
sn_status sn__fox_sockets_open(sn__fox_server *server, sn_error *err);
/** Accept connections again after a pause. */
void sn__fox_sockets_tick(sn__fox_server *server, int64_t now_ns);
/** Listen on a numeric address.
 *  @param port  0: any free one; -1: 8080, or the next free one up to 8099
 *  @param used  the port in use
 *  @return SN_OK, SN_EBUSY (the port is in use), SN_EINVAL (not an address), SN_EIO */
sn_status sn__fox_listen(const char *address, int port, int *fd, uint16_t *used, sn_error *err);
bool sn__fox_has_tls(const sn__fox_config *config);
/** Start libwebsockets, with a certificate and a key if they are configured. */
sn_status sn__fox_tls_start(const sn__fox_config *config, struct lws_context_creation_info *info,
                            struct lws_context **context, struct lws_vhost **vhost, sn_error *err);

/* ---- call.c ---- */

/** Check a token. A wrong one counts against @p party.
 *  @param wait_s  seconds until the next try is allowed; may be NULL */
bool sn__fox_check_token(sn__fox_server *server, const sn__party *party, const char *given,
                         size_t length, unsigned *wait_s);

/* ---- server.c ---- */

/** Log a warning, at most one a second of each kind. */
void sn__fox_warn(sn__fox_server *server, sn__fox_warning which, const char *text);

#endif
