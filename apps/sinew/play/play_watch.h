/** @file
 *  An observer of the simulated robot: where its base truly is, how far it tilts, whether it fell,
 *  how far its feet slide. */
#ifndef SINEW_APP_PLAY_WATCH_H
#define SINEW_APP_PLAY_WATCH_H

#include "play/play_setup.h"
#include "sinew/kin.h"
#include "sinew/msg_estimation.h"
#include "sinew/msg_types.h"
#include "sinew/tap.h"

typedef struct play_foot {
  size_t chain;
  const sn_link *link; /**< with the contact */
  sn_vec3 point;       /**< of the contact, in the link */
  bool is_down;        /**< bears weight */
  sn_vec3 anchor;      /**< where it was put down, in the world */
} play_foot;

typedef struct play_watch {
  const sn_model *model;
  sn_kin_data *kin;
  /** NULL: the deployment has no such output */
  sn_tap *base, *measured, *supports, *contacts, *fall;
  double *q;               /**< [pose_size] measured */
  bool *carries, *touches; /**< [chains] as commanded, as measured */
  play_foot *feet;
  size_t foot_count;
  sn_pose pose; /**< of the base in the world */
  bool has_pose;
  double tilt_max, slip_max;
  double low_s; /**< how long the base has been too low */
  bool fell;
  bool reports_fall; /**< the robot itself does, and gives up, however far it tilts then */
  int64_t now_ns;
} play_watch;

/** @return SN_OK, SN_ENOMEM; play_watch_close() it in any case */
sn_status play_watch_open(play_watch *watch, const play_setup *setup, sn_system *system,
                          sn_arena *arena, sn_error *err);
void play_watch_close(play_watch *watch);

/** After each cycle. */
void play_watch_step(play_watch *watch, int64_t now_ns);

#endif
