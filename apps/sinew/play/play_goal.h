/** @file
 *  A movement as the goal of a controller. */
#ifndef SINEW_APP_PLAY_GOAL_H
#define SINEW_APP_PLAY_GOAL_H

#include "movements/movement.h"
#include "play/play_setup.h"
#include "sinew/tap.h"

typedef struct play_goal {
  sn_caller send, look;
  sn_trajectory_answer *answer;
  sn_trajectory_state *state;
  const void *msg; /**< what is sent */
} play_goal;

/** Prepare a movement for its controller. @param at  [pose_size] where the robot is
 *  @return false: see the result. play_goal_close() it in any case */
bool play_goal_open(play_goal *goal, const play_setup *setup, sn_system *system,
                    const sn__movement *movement, const double *at, sn_arena *arena,
                    play_result *result);
void play_goal_close(play_goal *goal);

/** Send it. @return false: rejected, see the result */
bool play_goal_send(play_goal *goal, play_result *result);

/** Look how it is. @return whether it has ended; then the result has error, duration and success */
bool play_goal_has_ended(play_goal *goal, play_result *result);

/** Set the base goal of a movement that has one: of a request, or the last base point of a step
 *  sequence. A request with free coordinates has no single goal.
 *  @param start  of the base, in the world */
void play_goal_set_base(const sn__movement *movement, sn_pose start, play_result *result);

/** Set the errors of the base against its goal. */
void play_goal_measure(play_result *result);

/** Its length, s. */
double play_goal_length(const sn__movement *movement);

#endif
