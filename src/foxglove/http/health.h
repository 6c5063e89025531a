/** @file
 *  The state of the system for `/health`. Never waits for a lock: the thread that serves the page
 *  also serves the emergency stop. */
#ifndef SN_FOXGLOVE_HTTP_HEALTH_H
#define SN_FOXGLOVE_HTTP_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "sinew/system.h"

enum { SN__HEALTH_ACTIVITIES_MAX = 16, SN__HEALTH_NAMES_MAX = 8 };

/** Whether an activity makes progress. */
typedef struct sn__health_activity {
  const sn_activity *activity; /**< lives as long as the system */
  uint64_t cycles;
  int64_t since_ns; /**< when the count changed */
} sn__health_activity;

/** All zero: not updated yet. */
typedef struct sn__health {
  int64_t update_ns; /**< when the next check of all components is due */
  sn__health_activity activities[SN__HEALTH_ACTIVITIES_MAX];
  size_t activity_count;
  char idle[SN__HEALTH_NAMES_MAX][64]; /**< components with a step that do not run */
  size_t idle_count;                   /**< may exceed SN__HEALTH_NAMES_MAX */
  uint64_t stop_number;                /**< of the stop in force; 0: none */
  int64_t stop_ns;                     /**< when it was first seen */
} sn__health;

/** Call regularly. @param now_ns  of the machine */
void sn__health_update(sn__health *health, sn_system *system, int64_t now_ns);

/** `running`, `stopped` (emergency stop, all obey), `stopping`, `stop not obeyed`, `stalled` (an
 *  activity does not cycle), `degraded` (a component does not run). */
const char *sn__health_state(const sn__health *health, const sn_system *system, int64_t now_ns);

/** Append the state and its reasons to the object that is open. */
void sn__health_write(const sn__health *health, const sn_system *system, int64_t now_ns,
                      sn__buffer *reply);

#endif
