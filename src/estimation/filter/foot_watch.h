/** @file
 *  Internal: which feet stand, and which of them can be trusted. Finds feet that slip, and contact
 *  sensors that are stuck: one that reports contact while its foot moves, or none while its foot
 *  carries weight by command and does not move.
 *
 *  RT: yes, all of it.  Threads: one owner. */
#ifndef SN_ESTIMATION_FILTER_FOOT_WATCH_H
#define SN_ESTIMATION_FILTER_FOOT_WATCH_H

#include <stdbool.h>

#include "estimation/filter/base_filter.h"
#include "sinew/api.h"
#include "sinew/vec3.h"

typedef enum sn__foot_fault {
  SN__FOOT_GOOD,
  SN__FOOT_SLIPS,
  SN__FOOT_STUCK_ON, /**< its sensor reports contact while it moves */
  SN__FOOT_STUCK_OFF /**< its sensor reports none while it stands */
} sn__foot_fault;

/** All zero at the start. */
typedef struct sn__foot_watch {
  sn_vec3 velocity; /**< smoothed, in the world, m/s */
  bool has_velocity;
  double stance_s;  /**< since it touched down */
  double slip_s;    /**< since the last slip */
  double moves_s;   /**< for which it moved in contact */
  double missing_s; /**< for which contact was commanded, but not measured */
  sn__foot_fault fault;
} sn__foot_watch;

/** What is known of a foot in a cycle. */
typedef struct sn__foot_evidence {
  bool is_measured;       /**< contact, by its sensor or, without one, by command */
  bool has_command;       /**< both are known */
  bool is_commanded;      /**< contact, by command */
  bool others_touch;      /**< another foot has contact */
  bool has_velocity;      /**< the next is known */
  sn_vec3 velocity_world; /**< of the foot, with the base as estimated */
} sn__foot_evidence;

/** One cycle.
 *  @param slip_speed  from which on a foot slips for certain, m/s
 *  @return whether the foot stands */
bool sn__foot_watch_step(sn__foot_watch *watch, const sn__foot_evidence *evidence,
                         double slip_speed, double dt_s) SN_RT;

/** The filter found that the foot is not where it stood. */
void sn__foot_watch_slipped(sn__foot_watch *watch) SN_RT;

/** How much less than a firm foot it is to be trusted. A low speed does not count: it is relative
 * to the estimated base, whose error would be taken for slips of the feet that stand. */
sn__foot_looseness sn__foot_watch_looseness(const sn__foot_watch *watch, double slip_speed) SN_RT;

#endif
