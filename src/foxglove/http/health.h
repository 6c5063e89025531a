/** @file
 *  What `/health` says: does the system really run? Looked at without waiting for any lock, since
 *  the thread that serves the page serves the emergency stop, too. */
#ifndef SN_FOXGLOVE_HTTP_HEALTH_H
#define SN_FOXGLOVE_HTTP_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "sinew/system.h"

enum { SN__HEALTH_ACTIVITIES_MAX = 16, SN__HEALTH_NAMES_MAX = 8 };

/** A cycle that comes again and again, or not. */
typedef struct sn__pulse {
  const sn_activity *activity; /**< lives as long as the system */
  uint64_t cycles;
  int64_t since_ns; /**< when the count changed */
} sn__pulse;

/** All zero is one that has not looked yet. */
typedef struct sn__health {
  int64_t look_ns; /**< when to look at all components again */
  sn__pulse pulses[SN__HEALTH_ACTIVITIES_MAX];
  size_t pulse_count;
  char idle[SN__HEALTH_NAMES_MAX][64]; /**< components that should step and do not run */
  size_t idle_count;                   /**< may be more than have a name here */
  uint64_t stop_number;                /**< of the stop in force; 0: none */
  int64_t stop_ns;                     /**< when it was first seen */
} sn__health;

/** Look again; now and then. @param now_ns  of the machine.  Waits for nothing. */
void sn__health_look(sn__health *health, sn_system *system, int64_t now_ns);

/** `running`, `stopped` (in an emergency, and all obey), `stopping`, `stop not obeyed`, `stalled`
 * (a cycle does not come), `degraded` (a component does not run). */
const char *sn__health_state(const sn__health *health, const sn_system *system, int64_t now_ns);

/** Members of the object that is open: what is behind the state. */
void sn__health_write(const sn__health *health, const sn_system *system, int64_t now_ns,
                      sn__buffer *reply);

#endif
