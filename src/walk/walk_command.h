/** @file
 *  Internal: velocity commands from several sources: one is obeyed until it falls silent. */
#ifndef SN_WALK_WALK_COMMAND_H
#define SN_WALK_WALK_COMMAND_H

#include <stdint.h>

#include "walk/walk.h"

/** Verdict on a command. */
typedef enum sn__walk_verdict {
  SN__WALK_TAKEN,
  SN__WALK_CLAMPED,    /**< taken, but beyond the limits */
  SN__WALK_NOT_FINITE, /**< rejected */
  SN__WALK_OTHER       /**< rejected: another source commands */
} sn__walk_verdict;

/** Zero-initialise, then set `limit` and `timeout_s`. */
typedef struct sn__walk_commands {
  sn__walk_velocity limit; /**< of the absolute values */
  double timeout_s;        /**< after which a source is silent */
  bool has_owner;          /**< a source commands */
  int owner;
  int64_t last_ns; /**< its last command */
  sn__walk_velocity command;
} sn__walk_commands;

/** @param source  number of the sender. RT: yes */
sn__walk_verdict sn__walk_commands_take(sn__walk_commands *commands, int source,
                                        sn__walk_velocity wanted, int64_t now_ns) SN_RT;

/** What to do now: the command, or rest if its source is silent.
 *  @return true: the source has fallen silent while it wanted to move. RT: yes */
bool sn__walk_commands_now(sn__walk_commands *commands, int64_t now_ns,
                           sn__walk_velocity *out) SN_RT;

#endif
