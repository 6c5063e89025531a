/** @file
 *  A system that replaces the recorded one: its robot model, components with the recorded outputs
 *  and nothing else, and the cockpit. It has no controllers, no plant and no driver. */
#ifndef SINEW_APP_VIEW_SYSTEM_H
#define SINEW_APP_VIEW_SYSTEM_H

#include "replay/recording.h"
#include "sinew/log.h"
#include "sinew/system.h"
#include "view/player.h"
#include "view/view_files.h"

/** Must not be moved. */
typedef struct view_system {
  recording file;
  sn_arena arena;
  sn_clock clock;
  sn_log *log;
  sn_system *system;
  sn_component *cockpit;
  player player;
  sn__playback playback;
  size_t hidden; /**< topics whose types are unknown */
  bool has_robot;
} view_system;

/** Read a recording and build its system.
 *  @param port   of the cockpit; negative: 8080, or the next free one
 *  @param files  the recordings beside it; must outlive the system
 *  @return false: a message was printed. Free it in any case */
bool view_system_open(view_system *v, const char *path, int port, view_files *files);
void view_system_free(view_system *v);

#endif
