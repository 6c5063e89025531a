/** @file
 *  The topics of a recording as components with outputs: `/plant/joints_measured` is the output
 *  `joints_measured` of `plant`. */
#ifndef SINEW_APP_VIEW_TOPICS_H
#define SINEW_APP_VIEW_TOPICS_H

#include "sinew/system.h"
#include "view/player.h"

enum { VIEW_NAME_SIZE = 64 };

/** The output that a topic becomes. Topics of other programs, with fewer or more parts, belong to a
 *  component `recording`; characters that names cannot have become `_`. */
typedef struct view_topic {
  char component[VIEW_NAME_SIZE];
  char port[VIEW_NAME_SIZE];
} view_topic;

view_topic view_topic_of(const char *topic);

/** Add a component for each one that the channels name, all stepped by @p activity, and let the
 *  player write their outputs.
 *  @param hidden  the number of topics that cannot be shown
 *  @return SN_OK, SN_ENOMEM, or as sn_system_add() */
sn_status view_topics_add(sn_system *system, sn_activity *activity, sn_arena *arena, player *p,
                          size_t *hidden, sn_error *err);

#endif
