/** @file
 *  The gate between controllers and servos: partial references in, one complete command a cycle
 *  out.
 *
 *  Whatever goes in, what comes out is from the owner of each joint, finite, within the limits of
 *  position, velocity and acceleration, and never so fast that the joint could not stop before its
 *  end. A joint whose reference is missing, late or refused brakes and is held. Nothing jumps at a
 *  hand-over: the command continues from where it is.
 *
 *  This is a plain state machine: sources are numbers, time is an argument, results are counters
 *  and events. Once a cycle: sn__gate_own(), any number of sn__gate_take(), one sn__gate_step().
 * The component `aggregator` does that.
 *
 *  An owner may make a joint limp instead (sn__gate_let_go()). While it is limp its command follows
 *  the measured position, so that the next owner begins where the joint is; without a measured
 *  position the last command is held.
 *
 *  With a checker for collisions no link comes nearer to another one, or to an object of the world,
 *  than the margin (guard/guard.h).
 *
 *  Limits are those of the model. Where it states none: `velocity_default`, and an acceleration
 *  that reaches full speed in `acceleration_time_s`. A joint with a limit of 0 does not move. A
 *  joint that others mimic keeps within their limits, too. */
#ifndef SN_GATE_GATE_H
#define SN_GATE_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guard/guard.h"
#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/msg_types.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_gate sn_gate;

#define SN_GATE_SOURCES_MAX 1024

/** Limits of a joint in place of the model's; 0: that of the model. */
typedef struct sn_gate_joint_limits {
  double velocity;     /**< rad/s or m/s */
  double acceleration; /**< rad/s² or m/s², also for braking */
} sn_gate_joint_limits;

/** Zero-initialise, then set the fields that differ from their default. */
typedef struct sn_gate_config {
  size_t source_count;        /**< 0 .. SN_GATE_SOURCES_MAX */
  double reference_timeout_s; /**< oldest reference that is followed; 0 means 0.5 */
  double acceleration_time_s; /**< from rest to full speed, where the model states no acceleration;
                                   0 means 0.1 */
  double velocity_default;    /**< rad/s or m/s where the model states none; 0 means 1 */
  double period_max_s;        /**< longest time that one step covers; 0 means 0.02 */
  const double *initial_pose; /**< pose_size positions within limits, copied. NaN, or NULL for all:
                                   zero, or the nearest to it that is within limits */
  bool wait_for_measured;     /**< start at the pose of sn__gate_measure(), not at initial_pose */
  double start_tolerance;     /**< how far outside its limits a joint may be measured, rad or m: the
                                 command begins at the limit then; 0 means 0.05 */
  bool stop_limp; /**< an emergency stop makes all joints limp instead of holding them */
  const sn_gate_joint_limits *joint_limits; /**< [pose_size]; NULL: those of the model */
  sn__collision *collision; /**< must outlive the gate, which alone uses it; NULL: links are not
                               kept apart */
  double collision_margin;  /**< that links keep, m; 0: from their size */
} sn_gate_config;

/** Why something was refused, or what else happened to a reference. */
typedef enum sn_gate_reason {
  /* The whole message was refused. */
  SN_GATE_LENGTHS,    /**< sequences differ in length, or positions are missing */
  SN_GATE_NOT_FINITE, /**< it holds NaN or infinity */
  SN_GATE_DUPLICATE,  /**< a joint appears twice */
  SN_GATE_OLD,        /**< its stamp is older than one before it, or than the time-out */
  SN_GATE_FUTURE,     /**< its stamp is later than now by more than the time-out */
  /* One joint of a message was refused. */
  SN_GATE_UNKNOWN,    /**< unknown joint */
  SN_GATE_NOT_OWNER,  /**< the source does not own it */
  SN_GATE_NOT_DRIVEN, /**< it cannot move: its type, or a limit of 0. No event */
  SN_GATE_EARLY,      /**< written before it was owned, before the last resume, or before the start
                           pose was known. No event */
  SN_GATE_STOPPED,    /**< during an emergency stop. No event */
  /* A reference was accepted, but */
  SN_GATE_CLAMPED, /**< it was outside of the limits: the nearest inside is followed */
  /* What happened to a joint. */
  SN_GATE_SILENT,     /**< no reference from its owner for longer than the time-out: held */
  SN_GATE_LOST,       /**< its owner has stopped: held */
  SN_GATE_UNMEASURED, /**< the start waits for its measured position */
  SN_GATE_OUTSIDE,    /**< measured outside of its limits by more than the tolerance: no start */
  SN_GATE_BLIND,      /**< it is limp and nothing is measured: the last command is held */
  SN_GATE_BLOCKED,    /**< slowed down or held because links would collide. No event */
  SN_GATE_REASON_COUNT
} sn_gate_reason;

/** Continues "joint 'x' of source y:"; static. RT: yes. */
const char *sn__gate_reason_text(sn_gate_reason reason) SN_RT;

/** Of one source, or of one joint. */
typedef struct sn_gate_counts {
  uint64_t taken;                         /**< messages, or references of the joint */
  uint64_t reasons[SN_GATE_REASON_COUNT]; /**< messages or joints */
} sn_gate_counts;

#define SN_GATE_NAME_MAX 64

/** Something to log: at most one a second for each reason and source. */
typedef struct sn_gate_event {
  sn_gate_reason reason;
  int source;                  /**< -1: none */
  int joint;                   /**< index in the sorted pose; -1: none, or unknown */
  char name[SN_GATE_NAME_MAX]; /**< of an unknown joint, cleaned and cut; else empty */
  double value;                /**< the position, or the seconds, in question; 0 if none */
  uint64_t count;              /**< how often since the last event of this reason and source */
  int64_t now_ns;
} sn_gate_event;

/** What goes to the servos: complete, in the order of the sorted pose. Valid until the next step.
 */
typedef struct sn_gate_command {
  const double *q;  /**< rad or m */
  const double *qd; /**< rad/s or m/s: the difference of positions, or the velocity of the reference
                       if they agree */
  const double *qdd; /**< rad/s^2 or m/s^2 */
  const double *tau; /**< N·m or N, from the owners, within limits, 0 where they state none; NULL if
                        none does */
  /** The servo must be limp: q is the measured position within limits, and qd the measured
   * velocity, as far as the joint could still stop; without a measurement, the last command, which
   * brakes.
   */
  const bool *limp;
} sn_gate_command;

/** Limits of a joint. */
typedef struct sn_gate_limits {
  double lower, upper; /**< rad or m; infinite if none */
  double velocity;     /**< rad/s or m/s; 0: does not move */
  double acceleration; /**< rad/s^2 or m/s^2, finite */
  double deceleration; /**< likewise */
  double effort;       /**< N·m or N; infinite if none */
} sn_gate_limits;

/** State of the emergency stop. */
typedef struct sn_gate_stop_state {
  bool is_stopped;
  char who[64];        /**< of the present stop, or of the last; cut; empty: there was none */
  char why[192];       /**< likewise */
  int64_t since_ns;    /**< when it took effect */
  char resumed_by[64]; /**< who ended the last one */
  int64_t resumed_ns;  /**< when */
  uint64_t count;      /**< stops so far */
} sn_gate_stop_state;

/** Create a gate at rest, without owners.
 *  @param model  must outlive the gate
 *  @param out    set on success, untouched on failure
 *  @param err    receives the reason on failure; may be NULL
 *  @return SN_OK; SN_EINVAL: a value out of range, an initial pose outside of limits, or a mimic
 *          joint whose limits leave its master no range; SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
sn_status sn__gate_create(sn_arena *arena, const sn_model *model, const sn_gate_config *config,
                          sn_gate **out, sn_error *err);

/** Restart after a pause, at rest: references are dropped, owners and an emergency stop stay.
 *  @param wait_for_measured  start at the pose of sn__gate_measure(); else the last command is held
 *  RT: yes, O(joints).  Threads: owner. */
void sn__gate_restart(sn_gate *gate, bool wait_for_measured, int64_t now_ns) SN_RT;

/** Who may move what from now on. A joint that changes its owner drops its reference and continues
 *  from its present command; the others are not affected.
 *  @param owners  pose_size sources; -1: none, the joint is held
 *  RT: yes, O(joints).  Threads: owner. */
void sn__gate_own(sn_gate *gate, const int *owners, int64_t now_ns) SN_RT;

/** Take a reference: any joints in any order. It is refused as a whole or checked joint by joint.
 *  Stamps are of the same clock as @p now_ns and define the age of a reference. A stamp of 0 means
 *  now.
 *  @param source  0 .. source_count-1
 *  @return SN_OK, also if single joints were refused; SN_EINVAL: refused, for a reason that was
 *          counted
 *  RT: yes, O(joints in the message + pose_size).  Threads: owner. */
sn_status sn__gate_take(sn_gate *gate, size_t source, const sn_joint_state *reference,
                        int64_t now_ns) SN_RT;

/** Make joints limp, or end that: any joints in any order, each with its flag. It is checked like a
 *  reference, and counts as one: it must be repeated, and the last message of the owner about a
 *  joint, reference or flag, is in force.
 *  @param goal  names and flags; without flags nothing is limp; all else is ignored
 *  @return as sn__gate_take()
 *  RT: yes, O(joints in the message + pose_size).  Threads: owner. */
sn_status sn__gate_let_go(sn_gate *gate, size_t source, const sn_servo_goal *goal,
                          int64_t now_ns) SN_RT;

/** The source has stopped: its joints are held at once, without waiting for the time-out.
 *  RT: yes, O(joints).  Threads: owner. */
void sn__gate_lose(sn_gate *gate, size_t source, int64_t now_ns) SN_RT;

/** Measured positions, of all joints or some, with velocities if they are known. They define the
 *  start pose, which follows them until the first cycle that returns a command, and the command of
 *  limp joints. One that is older than the timeout of references no longer counts: the start waits
 *  again.
 *  @return SN_OK or SN_EINVAL: refused like a reference
 *  RT: yes.  Threads: owner. */
sn_status sn__gate_measure(sn_gate *gate, const sn_joint_state *measured, int64_t now_ns) SN_RT;

/** One cycle. The first one returns the start pose; one that is not later than the last returns the
 *  same command again.
 *  @return NULL while the start pose is not known
 *  RT: yes, O(joints).  Threads: owner. */
const sn_gate_command *sn__gate_step(sn_gate *gate, int64_t now_ns) SN_RT;

/** Is the command of every joint at rest? Limp joints do not count. RT: yes. */
bool sn__gate_is_at_rest(const sn_gate *gate) SN_RT;

/** Was any joint limp in the last step? RT: yes. */
bool sn__gate_has_limp(const sn_gate *gate) SN_RT;

/** Emergency stop: from the next step on all joints brake and are held, and no reference is taken
 *  until sn__gate_resume(). With `stop_limp` they become limp instead; a joint that is limp already
 *  stays limp in any case. A second stop changes nothing but the count.
 *  @param who, why  for the log; copied; NULL is an empty text
 *  RT: yes.  Threads: owner. */
void sn__gate_stop(sn_gate *gate, const char *who, const char *why, int64_t now_ns) SN_RT;

/** Add who stopped and why. RT: yes.  Threads: owner. */
void sn__gate_stop_explain(sn_gate *gate, const char *who, const char *why) SN_RT;

/** End the emergency stop. Only references written from now on are followed.
 *  @return SN_OK; SN_EINVAL: it is not stopped; SN_EBUSY: it still brakes
 *  RT: yes.  Threads: owner. */
sn_status sn__gate_resume(sn_gate *gate, const char *who, int64_t now_ns) SN_RT;

const sn_gate_stop_state *sn__gate_stop_now(const sn_gate *gate) SN_RT;

/** The pair that slowed joints down in the last step. @return false if none did. RT: yes.  Threads:
 *  owner. */
bool sn__gate_blocked_by(const sn_gate *gate, sn__guard_block *block) SN_RT;

/** The positions of the last command, [pose_size]. RT: yes.  Threads: owner. */
const double *sn__gate_pose(const sn_gate *gate) SN_RT;

/** In how many steps that was so. RT: yes.  Threads: owner. */
uint64_t sn__gate_blocked_count(const sn_gate *gate) SN_RT;

/** sn__guard_follow() of the guard; all is free while it is off. RT: yes.  Threads: owner. */
double sn__gate_follow(sn_gate *gate, const double *from, const double *to, sn__guard_block *block,
                       bool *is_free) SN_RT;

/** The margin in force, m; 0: no checker. RT: yes.  Threads: owner. */
double sn__gate_collision_margin(const sn_gate *gate) SN_RT;

/** Keep links apart, or not. RT: yes.  Threads: owner. */
void sn__gate_set_guarded(sn_gate *gate, bool is_guarded) SN_RT;

/** Where the root link is in the world: objects of the checker are fixed to the world, not to the
 *  root link. RT: yes.  Threads: owner. */
void sn__gate_set_base(sn_gate *gate, sn_pose pose_world_root) SN_RT;

/** Objects of the checker's world have changed. RT: yes.  Threads: owner. */
void sn__gate_world_changed(sn_gate *gate) SN_RT;

/** @param timeout_s  > 0. RT: yes.  Threads: owner. */
void sn__gate_set_reference_timeout(sn_gate *gate, double timeout_s) SN_RT;

/** Whether an emergency stop makes all joints limp, also the present one. RT: yes.  Threads: owner.
 */
void sn__gate_set_stop_limp(sn_gate *gate, bool stop_limp) SN_RT;

/** The next event that was not read yet. @return false if there is none. RT: yes.  Threads: owner.
 */
bool sn__gate_next_event(sn_gate *gate, sn_gate_event *event) SN_RT;

/** RT: yes.  Threads: owner. */
const sn_gate_counts *sn__gate_source_counts(const sn_gate *gate, size_t source) SN_RT;
const sn_gate_counts *sn__gate_joint_counts(const sn_gate *gate, size_t joint) SN_RT;

SN_END_DECLS

#endif
