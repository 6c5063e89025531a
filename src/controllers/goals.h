/** @file
 *  Internal: goals of actions between their senders and the cycle that executes them. A goal
 *  is checked and prepared in the sender's thread, in memory of its own, handed over by one atomic
 *  word, and freed in a sender's thread again: the cycle neither waits nor allocates. */
#ifndef SN_CONTROLLERS_GOALS_H
#define SN_CONTROLLERS_GOALS_H

#include <pthread.h>
#include <stdatomic.h>

#include "arbiter/resource_set.h"
#include "sinew/controller.h"
#include "sinew/msg_calls.h"

enum {
  SN__GOALS_MAX = 8 /**< one in execution, one next, the others keep how they ended */
};

/** Which side owns a goal; each goal passes through all stages in turn. */
typedef enum sn__goal_stage {
  SN__GOAL_FREE,  /**< of senders */
  SN__GOAL_READY, /**< of the cycle, not yet seen */
  SN__GOAL_TAKEN, /**< of the cycle */
  SN__GOAL_ENDED  /**< of senders: keeps how it ended until the slot is needed */
} sn__goal_stage;

/** How a goal ended; set by the cycle before it returns the goal. */
typedef struct sn__goal_end {
  sn_trajectory_status status;
  int32_t error;    /**< code of the action; 0: success */
  const char *text; /**< static, or in the arena of the goal */
  const char *name; /**< static, or of the model: what failed; NULL: nothing in particular */
} sn__goal_end;

typedef struct sn__goal {
  _Atomic int stage; /**< sn__goal_stage */
  uint64_t id;
  sn_arena arena;
  void *content;         /**< in the arena; as the reader of the goals made it */
  sn_resource_set limbs; /**< that it needs */
  int64_t duration_ns;
  _Atomic bool must_cancel;
  _Atomic int status;         /**< sn_trajectory_status, while the cycle owns it */
  _Atomic int64_t elapsed_ns; /**< elapsed time, as of the last cycle */
  sn__goal_end end;
} sn__goal;

/** Fill content, limbs and duration of a goal from a message, in its arena.
 *  @param context  of sn__goals
 *  @param error    out: code of the action, if it is not accepted
 *  @return as sn__goals_send(); SN_OK: accepted */
typedef sn_status sn__goal_reader(void *context, const void *msg, sn__goal *goal, int32_t *error,
                                  sn_error *err);

/** Zero-initialise; it is closed then. */
typedef struct sn__goals {
  pthread_mutex_t mutex; /**< among senders; the cycle never takes it */
  bool has_mutex;
  _Atomic bool is_open;
  uint64_t last_id;
  sn__goal_reader *reader; /**< runs in the threads of senders, one at a time */
  void *context;           /**< of the reader */
  sn_system *system;       /**< while its emergency stop is set no goal is accepted */
  _Atomic int64_t now_ns;  /**< as of the last cycle */
  sn__goal items[SN__GOALS_MAX];
} sn__goals;

/* ---- lifecycle: management ---- */

/** Call it first; calling it again does nothing. sn__goals_dispose() comes last. */
void sn__goals_init(sn__goals *goals);
void sn__goals_dispose(sn__goals *goals);
/** Accept goals from now on; all else must be set before. */
void sn__goals_open(sn__goals *goals, sn_system *system);
/** Accept no more goals and drop all; the cycle must not run. */
void sn__goals_close(sn__goals *goals);

/* ---- senders: any thread but the cycle's ---- */

/** Check and prepare a goal, and hand it over.
 *  @param error  out: the reason if it is not accepted
 *  @return SN_OK; SN_EINVAL or SN_ENOENT: see @p err; SN_EBUSY: too many wait; SN_ESTOPPED */
sn_status sn__goals_send(sn__goals *goals, const void *msg, uint64_t *id, int32_t *error,
                         sn_error *err);

/** The operations `execute`, `cancel` and `getGoal` of an action: a rejection is an answer.
 *  @param invalid  code for a goal that is rejected before it is read
 *  @return SN_OK, or SN_ENOSPC */
sn_status sn__goals_run_execute(sn__goals *goals, const void *msg, int32_t invalid,
                                sn_trajectory_answer *answer, sn_error *err);
sn_status sn__goals_run_cancel(sn__goals *goals, const sn_trajectory_id *request,
                               sn_call_outcome *outcome);

/** Keep other senders away, to use what the reader uses; sn__goals_leave() lets them in again.
 *  @return false: not running, and there is nothing to leave */
bool sn__goals_enter(sn__goals *goals);
void sn__goals_leave(sn__goals *goals);

/** Ask the cycle to cancel a goal; 0: all. @return whether there was one */
bool sn__goals_cancel(sn__goals *goals, uint64_t id);

/** The state of a goal. @return SN_OK or SN_ENOENT: unknown, or dropped */
sn_status sn__goals_read_state(sn__goals *goals, uint64_t id, sn_trajectory_state *out,
                               sn_error *err);

/* ---- the cycle ---- */

/** The newest goal, if any; older ones end as replaced.
 *  RT: yes */
sn__goal *sn__goals_take(sn__goals *goals) SN_RT;
/** Take the limbs of a goal.
 *  @param is_goals_limbs  set if the controller had none before: it may release them afterwards
 *  @return NULL: it owns all of them; else the reason; static.  RT: yes */
const char *sn__goal_take_limbs(const sn__goal *goal, sn_controller *controller,
                                bool *is_goals_limbs) SN_RT;
/** Does the controller still own the limbs of a goal? RT: yes */
bool sn__goal_is_owned(const sn__goal *goal, const sn_controller *controller) SN_RT;

/** Return it to the senders. RT: yes */
void sn__goal_end_with(sn__goal *goal, sn__goal_end end) SN_RT;

#endif
