/** @file
 *  Work that may wait for the system: submitted by the socket thread, run by a thread of the pool,
 *  finished by the socket thread. */
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

/** Runs in a thread of the pool: may use the task, the system and what is constant. */
typedef void sn__fox_work(struct sn__fox_server *server, struct sn__fox_task *task);
/** Runs in the socket thread. @param client  NULL: it has gone, or there was none */
typedef void sn__fox_finish(struct sn__fox_server *server, struct sn__fox_client *client,
                            struct sn__fox_task *task);

typedef struct sn__fox_task {
  sn__remote_job job; /**< first: a job is its task */
  struct sn__fox_server *server;
  struct sn__fox_task *next, *previous; /**< in the list of all tasks */
  struct sn__fox_task *following;       /**< in the queue of the client */
  uint64_t client;                      /**< number of the client; 0: none */
  bool is_slow;                         /**< may wait for a component */
  sn__fox_work *work;
  sn__fox_finish *finish;
  void (*undo)(struct sn__fox_task
                   *task); /**< instead of finish, if the server ends: close what was opened */

  /* Arguments and results; each kind of task uses some of these. */
  uint32_t target;  /**< service, channel, input or request */
  uint32_t call_id; /**< of the client */
  json_t *json;
  char *text;
  sn__buffer reply;
  sn__remote_tap *tap;
  sn_source *source;
  bool *watched;        /**< [parameters] */
  char **values;        /**< [parameters] */
  size_t refused_count; /**< parameters */
  sn_error err;
  sn__remote_stop stop;
} sn__fox_task;

typedef struct sn__fox_task_queue {
  sn__fox_task *first, *last;
} sn__fox_task_queue;

/** @return NULL: out of memory */
sn__fox_task *sn__fox_task_create(struct sn__fox_server *server, sn__fox_work *work,
                                  sn__fox_finish *finish);
/** Free a task that was not submitted. */
void sn__fox_task_free(sn__fox_task *task);

/** Queue a task. Those of one client run one after the other.
 *  @param client  NULL: the server itself
 *  @return false: the client has too many, and the task is freed */
bool sn__fox_task_submit(sn__fox_task *task, struct sn__fox_client *client);

/** Run a task in the urgent lane, ahead of all others of the client. */
void sn__fox_task_submit_urgent(sn__fox_task *task, const struct sn__fox_client *client);

/** Finish the tasks that the pool has done. */
void sn__fox_tasks_collect(struct sn__fox_server *server);

/** The client has gone: free its queue. A task that runs is finished without it. */
void sn__fox_tasks_cancel(struct sn__fox_client *client);

/** The pool has ended: free all. */
void sn__fox_tasks_end(struct sn__fox_server *server);

#endif
