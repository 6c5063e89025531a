/** @file
 *  Messages that a recording lacks, because they were lost or because of its profile. */
#ifndef SINEW_APP_REPLAY_MISSING_H
#define SINEW_APP_REPLAY_MISSING_H

#include "replay/recording.h"
#include "replay/replay_compare.h"

/** A topic that is not recorded, or that lost messages, is not compared; of one that was thinned,
 *  the messages that there are. Prints a warning if messages were lost. */
void replay_mark_missing(const recording *file, replay_topic *topic);

#endif
