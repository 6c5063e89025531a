/** @file
 *  What the kinds of faults have in common. A fault that the system refuses is as good as one that
 *  it takes: both must leave the robot safe. */
#ifndef SINEW_STORM_FAULTS_H
#define SINEW_STORM_FAULTS_H

#include "storm/storm.h"

/** Call an operation; the arguments are freed. @return whether it succeeded */
bool storm_call(storm_run *run, const char *name, json_t *arguments);
/** Set a property; the value is freed. */
void storm_set(storm_run *run, const char *name, json_t *value);

sn_component *storm_any_component(const storm_run *run, sn_random *random);
const char *storm_any_joint(const storm_run *run, sn_random *random);

/** A message of a type, or of none, with random contents. @param depth  0 */
json_t *storm_nonsense(storm_run *run, const sn_msg_type *type, sn_random *random, int depth);

/** Configure and start whatever does not run. */
void storm_start_all(storm_run *run, sn_random *random);
/** End the emergency stop, if the gate agrees. */
void storm_resume(storm_run *run, sn_random *random);

/* ---- storm_clients.c ---- */
void storm_come(storm_run *run, sn_random *random);    /**< a client reads or writes something */
void storm_go(storm_run *run, sn_random *random);      /**< one goes */
void storm_flood(storm_run *run, sn_random *random);   /**< one writes more than can be read */
void storm_operate(storm_run *run, sn_random *random); /**< any operation, any arguments */
void storm_all_go(storm_run *run);

/* ---- storm_world.c ---- */
void storm_push(storm_run *run, sn_random *random);
void storm_push_link(storm_run *run, sn_random *random);
void storm_throw(storm_run *run,
                 sn_random *random); /**< placed anywhere: it falls, or lies there */
void storm_stand(storm_run *run, sn_random *random); /**< put on its feet */
void storm_break_servos(storm_run *run, sn_random *random);
void storm_unplug(storm_run *run, sn_random *random); /**< an adapter, or it is plugged in */
void storm_stall(storm_run *run, sn_random *random);  /**< time passes without a cycle */
/** Remember how the plant is, before the first fault. @return false: out of memory */
bool storm_world_keep(storm_run *run);
/** All that was broken works again: the plant is as it was. */
void storm_mend(storm_run *run);

#endif
