/** @file
 *  Movements in a running system, through its control socket and its component `movements`. */
#ifndef SINEW_APP_PLAY_LIVE_H
#define SINEW_APP_PLAY_LIVE_H

#include "play/play.h"

/** Play all movements one after the other, and print their results. @return an exit code */
int play_live(const play_arguments *arguments);

#endif
