/** @file
 *  Internal: goals on their way between whoever sends them and the cycle that executes them. A goal
 *  is checked and prepared in the sender's thread, in memory of its own, handed over by one atomic
 *  word, and freed in a sender's thread again: the cycle neither waits nor allocates. */
#ifndef SN_CONTROLLERS_GOALS_H
#define SN_CONTROLLERS_GOALS_H

#include <pthread.h>
#include <stdatomic.h>

#include "sinew/controller.h"
#include "sinew/execute.h"
#include "sinew/msg_trajectory.h"
#include "sinew/resource_set.h"

enum {
  SN__GOALS_MAX = 8 /**< one is executed, one comes after it, the others tell how they ended */
};

/** Whose a goal is; it goes round. */
typedef enum sn__goal_stage {
  SN__GOAL_FREE,  /**< of senders */
  SN__GOAL_READY, /**< of the cycle, which has not seen it yet */
  SN__GOAL_TAKEN, /**< of the cycle */
  SN__GOAL_ENDED  /**< of senders: it tells how it ended, until its place is needed */
} sn__goal_stage;

/** How a goal ended; set by the cycle before it gives it back. */
typedef struct sn__goal_end {
  sn_trajectory_status status;
  sn_trajectory_error error;
  const char *text; /**< static */
  int joint;        /**< place in the goal of who is to blame; -1: none */
} sn__goal_end;

typedef struct sn__goal {
  _Atomic int stage; /**< sn__goal_stage */
  uint64_t id;
  sn_arena arena;
  sn_execute_goal execute;
  sn_resource_set limbs; /**< of its joints */
  int64_t duration_ns;
  _Atomic bool must_cancel;
  _Atomic int status;         /**< sn_trajectory_status, while it is the cycle's */
  _Atomic int64_t elapsed_ns; /**< how much of it is over, as of the last cycle */
  sn__goal_end end;
} sn__goal;

/** What holds where a goal says nothing; 0 where anything is good. */
typedef struct sn__goal_defaults {
  double start_tolerance; /**< rad or m */
  double path_tolerance;  /**< rad or m */
  double goal_tolerance;  /**< rad or m */
  double goal_time_s;
} sn__goal_defaults;

/** Zeros are a good start: nothing is taken then. */
typedef struct sn__goals {
  pthread_mutex_t mutex; /**< among senders; the cycle never takes it */
  bool has_mutex;
  _Atomic bool is_open;
  uint64_t last_id;
  const sn_model *model;
  const sn_controller *controller;
  sn__goal_defaults defaults;
  _Atomic int64_t now_ns; /**< as of the last cycle */
  sn__goal items[SN__GOALS_MAX];
} sn__goals;

/* ---- life: management ---- */

/** Before anything else, as often as one likes; once there is a dispose at the end. */
void sn__goals_init(sn__goals *goals);
void sn__goals_dispose(sn__goals *goals);
/** From now on goals are taken; all else must be set before. */
void sn__goals_open(sn__goals *goals);
/** No more goals are taken, and those that were are forgotten; the cycle must not run. */
void sn__goals_close(sn__goals *goals);

/* ---- senders: any thread but the cycle's ---- */

/** Check and prepare a goal, and hand it over.
 *  @param error  out: what is wrong with it if it is not taken
 *  @return SN_OK; SN_EINVAL or SN_ENOENT: see @p err; SN_EBUSY: too many wait; SN_ESTOPPED */
sn_status sn__goals_send(sn__goals *goals, const sn_trajectory_goal *msg, uint64_t *id,
                         sn_trajectory_error *error, sn_error *err);

/** Ask the cycle to end a goal, or with 0 all. @return whether there was one to end */
bool sn__goals_cancel(sn__goals *goals, uint64_t id);

/** How a goal stands. @return SN_OK or SN_ENOENT: it is not known, or not any more */
sn_status sn__goals_look(sn__goals *goals, uint64_t id, sn_trajectory_state *out, sn_error *err);

/* ---- the cycle ---- */

/** The newest goal that has come, if any; others that have come are ended as replaced.
 *  RT: yes */
sn__goal *sn__goals_take(sn__goals *goals) SN_RT;
/** Give it back. RT: yes */
void sn__goal_end_with(sn__goal *goal, sn__goal_end end) SN_RT;

/* ---- goals_read.c ---- */

/** Fill a goal from a message, in its arena; senders only. */
sn_status sn__goal_read(const sn__goals *goals, const sn_trajectory_goal *msg, sn__goal *goal,
                        sn_trajectory_error *error, sn_error *err);

#endif
