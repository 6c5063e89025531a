/** @file
 *  Internal: non-blocking TCP connections, served by one thread with poll(). A link has a role with
 *  its callbacks; buffers in both directions are bounded, a new link has a deadline for its first
 *  valid data, and hosts are looked up in another thread. */
#ifndef SN_ROS_ROS1_NET_H
#define SN_ROS_ROS1_NET_H

#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "remote/pool.h"
#include "ros/bytes.h"
#include "sinew/status.h"

#define SN__LINKS_MAX 256
#define SN__LINKS_OWN 64 /**< of them, reserved for outgoing connections */
#define SN__HOST_SIZE 256

/* ---- output frames, reference-counted and shared by all receivers; one thread only ---- */

typedef struct sn__frame {
  unsigned users;
  size_t size;
  char data[];
} sn__frame;

/** A frame of @p size bytes with one user, or NULL. */
sn__frame *sn__frame_create(size_t size);
void sn__frame_drop(sn__frame *frame);

/** Frames queued for one receiver. When it is full, the oldest is dropped. */
typedef struct sn__frame_queue {
  sn__frame **ring; /**< [capacity] */
  size_t capacity, first, count;
  size_t bytes;     /**< total size of the queued frames */
  size_t sent;      /**< bytes of the first frame already sent; if not 0 it is not dropped */
  uint64_t dropped; /**< number of dropped frames */
} sn__frame_queue;

#define SN__FRAME_QUEUE_BYTES ((size_t)64 << 20)

/** @return false if out of memory */
bool sn__frame_queue_init(sn__frame_queue *queue, size_t capacity);
/** Append a frame and add a user to it; if the queue is full, the oldest frame is dropped. */
void sn__frame_queue_push(sn__frame_queue *queue, sn__frame *frame);
/** The next bytes to send. @return their number; 0: the queue is empty */
size_t sn__frame_queue_peek(const sn__frame_queue *queue, const char **bytes);
/** Mark @p size bytes as sent. */
void sn__frame_queue_advance(sn__frame_queue *queue, size_t size);
void sn__frame_queue_free(sn__frame_queue *queue);

/* ---- links ---- */

typedef struct sn__link sn__link;
typedef struct sn__net sn__net;

typedef struct sn__link_role {
  /** An outgoing connection is established. */
  void (*connected)(sn__link *link);
  /** `in` has new bytes, or with `has_ended` the last ones: consume what is complete.
   *  @return on failure the connection is closed and counted as refused */
  sn_status (*input)(sn__link *link, sn_error *err);
  /** The link is closed; `failure` has the reason. Its slot is free afterwards. */
  void (*closed)(sn__link *link);
} sn__link_role;

struct sn__link {
  sn__net *net;
  const sn__link_role *role; /**< NULL: free slot */
  void *owner;               /**< belongs to the role */
  int id;                    /**< unique */
  int fd;                    /**< -1 during the host lookup */
  struct sn__dial *dial;     /**< pending host lookup */
  bool is_dialled;           /**< outgoing connection */
  bool is_connecting;
  bool is_paused;         /**< reading is suspended */
  bool has_ended;         /**< the peer has closed its side */
  bool ends_after_output; /**< close when everything is sent */
  bool is_gone;
  int64_t deadline_ns; /**< 0: none */
  sn__bytes in;
  sn__frame_queue out;
  uint64_t received, sent; /**< bytes */
  uint64_t messages;       /**< counted by the role */
  sn_error failure;
};

/** Called for a new connection. @return its role; sets the owner */
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
  struct sn__dial *dials; /**< pending host lookups */
  int64_t now_ns;         /**< of this step, monotonic */
  int64_t accept_ns;      /**< no accept() before: out of descriptors */
  uint64_t refused;       /**< connections closed for invalid data */
  uint64_t timed_out;     /**< connections that timed out */
  uint64_t overcrowded;   /**< connections closed because all slots were in use */
  uint64_t starved;       /**< failed accepts: out of descriptors */
  uint64_t dropped;       /**< messages not delivered on closed connections */
};

/** @param pool  for host lookups; its wake function must call sn__net_wake() */
sn_status sn__net_open(sn__net *net, sn__remote_pool *pool, sn_error *err);
/** Close everything, after the pool has ended. */
void sn__net_close(sn__net *net);

/** Listen on a free port. @param address  local address; INADDR_ANY: all */
sn_status sn__net_listen(sn__net *net, struct in_addr address, sn__net_accept *accept,
                         void *context, sn_error *err);

/** Connect to a host. @return NULL if no slot is free */
sn__link *sn__net_dial(sn__net *net, const char *host, int port, const sn__link_role *role,
                       void *owner);

/** Wait at most @p timeout_ns for events, then handle them. */
void sn__net_step(sn__net *net, int64_t timeout_ns);
/** Complete a host lookup. @return false if the job is something else */
bool sn__net_collect(sn__net *net, sn__remote_job *job);
/** Wake sn__net_step(). Threads: any. */
void sn__net_wake(sn__net *net);

/** Queue @p bytes, or a frame. */
void sn__link_send(sn__link *link, const void *bytes, size_t size);
void sn__link_send_frame(sn__link *link, sn__frame *frame);
/** Increase the capacity of the output queue. */
void sn__link_set_queue(sn__link *link, size_t capacity);
/** Close at the end of this step. */
void sn__link_close(sn__link *link);

/* ---- between net.c and link.c ---- */

void sn__socket_set_options(int fd);
/** Start to connect. */
void sn__link_connect(sn__link *link, struct in_addr address, int port);
/** Read and write, and check the deadline. @param events  of poll() */
void sn__link_handle_events(sn__link *link, int events);
/** Close with this reason, unless it is closed already. */
void sn__link_fail(sn__link *link, sn_status status, const char *what);

/* ---- hosts ---- */

/** Resolve a numeric address or `localhost`. */
bool sn__address_quick(const char *host, struct in_addr *out);
/** Resolve any host; may block. */
bool sn__address_find(const char *host, struct in_addr *out);

#endif
