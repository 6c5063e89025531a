/** @file
 *  What the server has done by the pool, since it may wait for the system: begun in the thread of
 * the sockets, run in one of the pool's, ended in the first again. */
#ifndef SN_FOXGLOVE_POOL_TASK_H
#define SN_FOXGLOVE_POOL_TASK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "remote/pool.h"
#include "remote/remote.h"
#include "sinew/status.h"
#include "sinew/tap.h"

struct sn__fox_server;
struct sn__fox_client;
struct sn__fox_task;

/** Runs in a thread of the pool: touches the task, the system and what is constant. */
typedef void sn__fox_work(struct sn__fox_server *server, struct sn__fox_task *task);
/** Runs in the thread of the sockets. @param client  NULL: it is gone, or there was none */
typedef void sn__fox_finish(struct sn__fox_server *server, struct sn__fox_client *client,
                            struct sn__fox_task *task);

typedef struct sn__fox_task {
  sn__remote_job job; /**< first: a job is its task */
  struct sn__fox_server *server;
  struct sn__fox_task *next, *previous; /**< of all */
  struct sn__fox_task *following;       /**< of the same client */
  uint64_t client;                      /**< number of the client; 0: none */
  bool is_slow;                         /**< may wait for a component */
  sn__fox_work *work;
  sn__fox_finish *finish;
  void (*undo)(struct sn__fox_task *task); /**< it is never finished: close what was opened */

  /* What it is about; each kind of task uses some of these. */
  json_t *json;
  uint32_t a, b;
  char *text;
  sn__buffer reply;
  sn__remote_tap *tap;
  sn_source *source;
  bool *wanted;  /**< [parameters] */
  char **values; /**< [parameters] */
  sn_error err;
  sn__remote_stop stop;
} sn__fox_task;

typedef struct sn__fox_task_queue {
  sn__fox_task *first, *last;
} sn__fox_task_queue;

/** @return NULL: no memory */
sn__fox_task *sn__fox_task_create(struct sn__fox_server *server, sn__fox_work *work,
                                  sn__fox_finish *finish);
/** Free what never began. */
void sn__fox_task_free(sn__fox_task *task);

/** Have it done. Of one client, one after the other.
 *  @param client  NULL: the server's own
 *  @return false, and freed: too many wait */
bool sn__fox_task_begin(sn__fox_task *task, struct sn__fox_client *client);

/** Have it done now, in the urgent lane, whatever else the client waits for. */
void sn__fox_task_begin_urgent(sn__fox_task *task, const struct sn__fox_client *client);

/** Finish those that are done. */
void sn__fox_tasks_collect(struct sn__fox_server *server);

/** The client is gone: what waits is freed, what is at work ends without it. */
void sn__fox_tasks_forget(struct sn__fox_client *client);

/** The pool has ended: free all. */
void sn__fox_tasks_end(struct sn__fox_server *server);

#endif
