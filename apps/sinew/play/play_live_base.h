/** @file
 *  The base of the robot of a running system: where it is, how far it tilts, whether it fell. */
#ifndef SINEW_APP_PLAY_LIVE_BASE_H
#define SINEW_APP_PLAY_LIVE_BASE_H

#include <jansson.h>

#include "live/control_client.h"
#include "movements/movement.h"
#include "play/play.h"

typedef struct live_base {
  control_client client; /**< of its own: messages come between the answers */
  bool is_open;          /**< the system reports its base */
  sn_pose pose;
  bool has_pose;
  bool has_waited; /**< for the first message */
  double tilt_max_rad;
} live_base;

/** Subscribe to the true base of a simulated robot, or to the estimated one.
 *  @param components  of the system, as the verb `ls` lists them */
void live_base_open(live_base *base, const control_options *options, const json_t *components);
void live_base_close(live_base *base);

/** Take all messages that have arrived; the first call waits for one. */
void live_base_update(live_base *base);

/** Set base, fall, goal and error. @param start  where the movement began */
void live_base_measure(const live_base *base, sn_pose start, const sn__movement *movement,
                       play_result *result);

#endif
