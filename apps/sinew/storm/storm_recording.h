/** @file
 *  A recording of a run: whole, or with a disk that is full, slow, or not there. */
#ifndef SINEW_STORM_RECORDING_H
#define SINEW_STORM_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "record/recorder.h"
#include "sinew/random.h"

typedef struct storm_run storm_run;

typedef enum storm_recording_kind {
  STORM_RECORDING_WHOLE, /**< it is replayed at the end */
  STORM_RECORDING_FULL,
  STORM_RECORDING_SLOW,
  STORM_RECORDING_NO_FOLDER,
  STORM_RECORDING_NONE,
  STORM_RECORDING_GIVEN /**< of a failing seed, kept */
} storm_recording_kind;

typedef struct storm_recording {
  storm_recording_kind kind;
  sn_recorder *recorder; /**< NULL: none */
  sn_random random;
  bool is_limited, has_failed;
  char path[256];
} storm_recording;

/** Before the system begins.
 *  @param path  of a recording that stays; NULL: the seed decides whether there is one
 *  @return false: a violation */
bool storm_recording_begin(storm_run *run, storm_recording *r, const char *path, uint64_t seed);
bool storm_recording_cycle(storm_run *run, storm_recording *r);
/** Close it, and compare what it has with what it says. */
bool storm_recording_end(storm_run *run, storm_recording *r);

#endif
