/** @file
 *  Internal: the state of a gate. gate_input.c writes what arrives (references, measurements) into
 *  the joints, gate_step.c makes the command of it, gate.c holds owners, the emergency stop, counts
 *  and events. */
#ifndef SN_GATE_GATE_INTERNAL_H
#define SN_GATE_GATE_INTERNAL_H

#include <math.h>

#include "gate/gate.h"
#include "gate/limiter.h"
#include "msg/name_map.h"
#include "sinew/log.h"

/** What the owner of a joint asks for. */
typedef struct sn__reference {
  bool is_there;     /**< and not too old */
  bool is_fresh;     /**< arrived since the last step */
  bool was_followed; /**< the last step had a fresh one, too: `before` */
  double q;          /**< within limits */
  double before;     /**< of the last step */
  double qd, tau;
  bool has_qd, has_tau;
  bool is_limp;  /**< no position: the joint is to be limp */
  int64_t at_ns; /**< when it was written */
} sn__reference;

/** A joint of the sorted pose. */
typedef struct sn__gate_joint {
  sn__limits limits;
  double effort_max;
  bool is_driven; /**< has an actuator: not a mimic joint, and one axis */
  bool turns;     /**< without limits: takes the shorter way round */
  /** The joint that it mimics, through others if need be: position = scale * master + offset; -1:
   *  none. */
  int master;
  double scale, offset;
  sn__motion motion;
  int owner;     /**< a source, or -1 */
  int former[2]; /**< those that lost it at owned_ns, the last one first; -1: none */
  int64_t owned_ns;
  bool is_silent;
  sn__reference reference;
  double measured, measured_qd; /**< velocity 0 if the message has none */
  bool is_measured;             /**< since the last restart */
  int64_t measured_ns;          /**< when */
  bool stays_limp;              /**< it was limp when the emergency stop began */
  bool is_blind;                /**< limp, and not measured */
  bool was_limp;                /**< in the last cycle */
  sn_gate_counts counts;
} sn__gate_joint;

typedef struct sn__gate_source {
  int64_t stamp_ns; /**< of the last message taken */
  sn__name_map names;
  sn_gate_counts counts;
} sn__gate_source;

/** Keeps links apart; without a checker `guard` is NULL. */
typedef struct sn__gate_guard {
  sn__guard *guard;
  sn__collision *collision;
  bool is_on;
  bool is_blocked; /**< in the last step */
  uint64_t blocked_count;
  sn__motion *before;           /**< [joint] of the last step */
  double *from_qd;              /**< [joint], as the four below */
  double *wanted_q, *wanted_qd; /**< at the end of this step */
  double *brake_q, *brake_qd;   /**< likewise if all joints brake */
} sn__gate_guard;

struct sn_gate {
  const sn_model *model;
  const sn_names *names; /**< of the sorted pose */
  size_t joint_count, source_count;
  sn__gate_joint *joints;
  sn__gate_source *sources;
  sn__name_map measured_names;
  int64_t timeout_ns, period_max_ns;
  double start_tolerance;
  bool stop_limp;
  bool is_started, has_stepped;
  bool starts_measured; /**< where the joints are measured, not at the initial pose */
  bool is_waiting;      /**< for measured positions, before the start */
  int64_t waiting_since_ns;
  int64_t step_ns;    /**< of the last step */
  int64_t resumed_ns; /**< references from before are refused */
  sn_gate_stop_state stop;
  double *q, *qd, *qdd, *tau; /**< the command */
  bool *limp;                 /**< likewise */
  sn_gate_command command;
  sn__gate_guard guard;
  sn_log_limit *limits; /**< [reason][source + 1] of events */
  sn_gate_event *events;
  size_t event_capacity, event_begin, event_count;
};

/** gate_limits.c: limits, kinds and masters of all joints. */
sn_status sn__gate_read_limits(sn_gate *gate, const sn_gate_config *config, sn_error *err);

/** gate_step.c: put the start pose into the command. */
void sn__gate_settle(sn_gate *gate) SN_RT;

/** gate_step.c: the emergency stop begins; what is limp stays limp. */
void sn__gate_keep_limp(sn_gate *gate) SN_RT;

/** gate_guard.c: create the guard. */
sn_status sn__gate_guard_create(sn_arena *arena, sn_gate *gate, const sn_gate_config *config,
                                sn_error *err);

/** gate_guard.c: the joints are about to move. */
void sn__gate_guard_begin(sn_gate *gate) SN_RT;

/** gate_guard.c: the joints have moved; slow down those that would make links collide. */
void sn__gate_guard_end(sn_gate *gate, double dt_s) SN_RT;

/** gate.c: count for the source and the joint (-1: none), and queue an event unless one with this
 *  reason and source was queued within the last second. */
void sn__gate_report(sn_gate *gate, const sn_gate_event *event) SN_RT;

/** gate.c: count without an event, for what is normal. */
void sn__gate_count(sn_gate *gate, sn_gate_reason reason, int source, int joint) SN_RT;

/** From one position to another; the shorter way round if the joint turns without limits. */
static inline double sn__gate_way(const sn__gate_joint *joint, double from, double to) {
  return joint->turns ? remainder(to - from, 6.283185307179586) : to - from;
}

/** later - earlier, saturated. */
static inline int64_t sn__gate_age_ns(int64_t later_ns, int64_t earlier_ns) {
  int64_t age_ns = 0;
  if (__builtin_sub_overflow(later_ns, earlier_ns, &age_ns)) {
    return later_ns > earlier_ns ? INT64_MAX : INT64_MIN;
  }
  return age_ns;
}

/** Is it known where the joint is? A measurement that is too old does not count. */
static inline bool sn__gate_is_placed(const sn_gate *gate, const sn__gate_joint *joint,
                                      int64_t now_ns) {
  return joint->is_measured && sn__gate_age_ns(now_ns, joint->measured_ns) <= gate->timeout_ns;
}

#endif
