/** @file
 *  Internal: movements as goals of the controllers of a running system. Calls come from outside of
 *  the cycle, or between cycles of simulated time. */
#ifndef SN_MOVEMENTS_PLAYER_H
#define SN_MOVEMENTS_PLAYER_H

#include "movements/movement.h"
#include "sinew/system.h"
#include "sinew/tap.h"

enum { SN__PLAYER_CONTROLLERS_MAX = 8 };

/** A controller with the operations execute, getGoal and cancel. */
typedef struct sn__player_controller {
  const char *name;
  bool for_steps; /**< else for joint trajectories */
  sn_caller execute, look, cancel;
  uint64_t goal_id; /**< the last one; 0: none */
} sn__player_controller;

typedef struct sn__player {
  const sn_model *model;
  sn_tap *pose; /**< the commanded pose */
  sn__player_controller controllers[SN__PLAYER_CONTROLLERS_MAX];
  size_t count;
  sn_arena arena; /**< of the messages below */
  sn_trajectory_answer *answer;
  sn_trajectory_state *state;
} sn__player;

/** State of something that was played. */
typedef struct sn__player_view {
  bool has_ended, success;
  int32_t error_code;
  double elapsed_s, duration_s;
  const char *message; /**< valid until the next call */
} sn__player_view;

/** @param pose  output with the commanded pose, `component.port`
 *  @return SN_OK, SN_ENOENT (no such output), SN_ENOMEM; sn__player_close() it in any case */
sn_status sn__player_open(sn__player *player, sn_system *system, const sn_model *model,
                          const char *pose, sn_error *err);
void sn__player_close(sn__player *player);

/** @return SN_OK; SN_ENOENT: it does not exist or lacks an operation; SN_ELIMIT */
sn_status sn__player_add(sn__player *player, sn_system *system, const char *name, bool for_steps,
                         sn_error *err);

/** Play a movement. A trajectory that begins elsewhere is preceded by a way to its first point.
 *  @param movement    its stamps and times are changed
 *  @param must_wait   only by a controller that is free; else the first one, whose goal is replaced
 *  @param controller  out: for sn__player_look()
 *  @return SN_OK; SN_EBUSY; SN_ENOENT: no controller for it, or not of this robot; SN_EINVAL:
 *          rejected by the controller; SN_EUNSUPPORTED: this kind is not played */
sn_status sn__player_play(sn__player *player, const sn__movement *movement, bool must_wait,
                          size_t *controller, sn_error *err);

void sn__player_look(sn__player *player, size_t controller, sn__player_view *view);

/** Cancel what this controller plays. */
void sn__player_cancel(sn__player *player, size_t controller);

#endif
