/** @file
 *  One movement on a simulated robot. */
#ifndef SINEW_APP_PLAY_RUN_H
#define SINEW_APP_PLAY_RUN_H

#include "play/play_setup.h"

/** Play a file. Everything that goes wrong is in the result.
 *  @param record  file to record to; NULL: none */
void play_run(const play_setup *setup, const char *path, const char *record, play_result *result);

#endif
