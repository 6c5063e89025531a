/** @file
 *  How a movement begins: the pose of the robot, and the legs that it stands on. */
#ifndef SINEW_APP_PLAY_START_H
#define SINEW_APP_PLAY_START_H

#include "movements/movement.h"
#include "play/play_setup.h"

typedef struct play_start {
  double *q;       /**< [pose_size] within the limits of the joints */
  bool *in_stance; /**< [chains] on this leg */
  bool hangs;      /**< on no leg, ever: the base is fixed */
} play_start;

/** @return false: see the result */
bool play_start_find(const play_setup *setup, const sn__movement *movement, sn_arena *arena,
                     play_start *start, play_result *result);

/** The same for a step sequence. */
bool play_start_steps(const play_setup *setup, const sn_step_goal *steps, sn_arena *arena,
                      play_start *start, play_result *result);

/** Add the settings that place the robot. */
void play_start_set(const play_setup *setup, const play_start *start, sn_arena *arena,
                    text_list *settings);

#endif
