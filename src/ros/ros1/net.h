/** @file
 *  Internal: connections that never block, served by one thread with poll(). What a connection is
 *  for is its role; all else is the same for all: bounded buffers both ways, a deadline until it
 * has proved itself, names of hosts looked up by another thread. */
#ifndef SN_ROS_ROS1_NET_H
#define SN_ROS_ROS1_NET_H

#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "remote/pool.h"
#include "ros/bytes.h"
#include "ros/ros1/frame.h"
#include "sinew/status.h"

#define SN__LINKS_MAX 256
#define SN__LINKS_OWN 64 /**< of them, places that only we may take */
#define SN__HOST_SIZE 256

typedef struct sn__link sn__link;
typedef struct sn__net sn__net;

typedef struct sn__link_role {
  /** Whom we called has taken the connection. */
  void (*connected)(sn__link *link);
  /** Bytes came into `in`, or with `has_ended` the last ones have: take what is complete.
   *  @return a failure closes the connection, and counts as refused */
  sn_status (*input)(sn__link *link, sn_error *err);
  /** It is gone, for whatever reason; `failure` says which. Its slot is free afterwards. */
  void (*closed)(sn__link *link);
} sn__link_role;

struct sn__dial;

struct sn__link {
  sn__net *net;
  const sn__link_role *role; /**< NULL: the slot is free */
  void *owner;               /**< whatever the role wants */
  int id;                    /**< unique while the net lives */
  int fd;                    /**< -1 while the host is looked up */
  struct sn__dial *dial;     /**< while the host is looked up */
  bool is_dialled;           /**< we called; else the other side did */
  bool is_connecting;
  bool is_paused;         /**< nothing is read for now */
  bool has_ended;         /**< the other side sends no more */
  bool ends_after_output; /**< close when all is sent */
  bool is_gone;
  int64_t deadline_ns; /**< closed then; 0: never */
  sn__bytes in;
  sn__frame_queue out;
  uint64_t received, sent; /**< bytes */
  uint64_t messages;       /**< sent or received, as the role counts them */
  sn_error failure;
};

/** What a listening socket is for. @return the role of a new connection, with its owner set */
typedef const sn__link_role *sn__net_accept(void *context, sn__link *link);

typedef struct sn__listener {
  int fd, port;
  sn__net_accept *accept;
  void *context;
} sn__listener;

struct sn__net {
  sn__link links[SN__LINKS_MAX];
  sn__listener listeners[2];
  struct pollfd polls[SN__LINKS_MAX + 3];
  int wake_fd;
  int next_id;
  sn__remote_pool *pool;
  struct sn__dial *dials; /**< hosts that are looked up */
  int64_t now_ns;         /**< of this round, monotonic */
  int64_t accept_ns;      /**< not before: no descriptor was left */
  uint64_t refused;       /**< connections closed for what they said */
  uint64_t timed_out;     /**< or did not say in time */
  uint64_t overcrowded;   /**< or because others needed the place */
  uint64_t starved;       /**< times that no descriptor was free for a connection */
  uint64_t dropped;       /**< messages that slow receivers lost, of those that are gone */
};

/** @param pool  looks up hosts; its wake function must call sn__net_wake() */
sn_status sn__net_open(sn__net *net, sn__remote_pool *pool, sn_error *err);
/** Close everything, after the pool has ended. */
void sn__net_close(sn__net *net);

/** Listen at any free port. @param address  of ours; INADDR_ANY: all */
sn_status sn__net_listen(sn__net *net, struct in_addr address, sn__net_accept *accept,
                         void *context, sn_error *err);

/** Call somebody. @return NULL if there is no place */
sn__link *sn__net_dial(sn__net *net, const char *host, int port, const sn__link_role *role,
                       void *owner);

/** One round: wait for at most @p timeout_ns, then let everything move. */
void sn__net_step(sn__net *net, int64_t timeout_ns);
/** A job of the pool is done, if it was one of ours. */
bool sn__net_collect(sn__net *net, sn__remote_job *job);
/** End the wait. Threads: any. */
void sn__net_wake(sn__net *net);

/** Queue @p bytes, or a frame. */
void sn__link_send(sn__link *link, const void *bytes, size_t size);
void sn__link_send_frame(sn__link *link, sn__frame *frame);
/** Another depth of its queue, before anything is in it. */
void sn__link_set_queue(sn__link *link, size_t room);
/** Close at the end of this round. */
void sn__link_close(sn__link *link);

/** An address that needs no look-up: numbers, or `localhost`. */
bool sn__address_quick(const char *host, struct in_addr *out);
/** Any address; may wait long. */
bool sn__address_find(const char *host, struct in_addr *out);

#endif
