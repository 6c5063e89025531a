/** @file
 *  Internal: what a gate consists of. */
#ifndef SN_GATE_GATE_DATA_H
#define SN_GATE_GATE_DATA_H

#include <math.h>

#include "gate/limiter.h"
#include "sinew/gate.h"

/** What the owner of a joint wants. */
typedef struct sn__reference {
  bool is_there;     /**< and not too old */
  bool is_fresh;     /**< came since the last step */
  bool was_followed; /**< the last step had a fresh one, too: `before` */
  double q;          /**< within limits */
  double before;     /**< of the last step */
  double qd, tau;
  bool has_qd, has_tau;
  bool is_limp;  /**< no position at all: the joint shall be let go */
  int64_t at_ns; /**< how old it is */
} sn__reference;

/** A joint of the sorted pose. */
typedef struct sn__gate_joint {
  sn__limits limits;
  double effort_max;
  bool is_driven; /**< can move by itself */
  bool turns;     /**< without end: takes the short way round */
  /** The joint that it follows, through others if need be: position = scale * master + offset. -1:
   *  it follows none. */
  int master;
  double scale, offset;
  sn__motion motion;
  int owner;  /**< a source, or -1 */
  int former; /**< who owned it before, until owned_ns; -1: nobody */
  int64_t owned_ns;
  bool is_silent;
  sn__reference reference;
  double measured, measured_qd; /**< velocity 0 if it is not said */
  bool is_measured;             /**< since the last restart */
  int64_t measured_ns;          /**< when */
  bool stays_limp;              /**< it was when the emergency stop came */
  bool is_blind;                /**< limp, and not measured */
  uint64_t seen;                /**< number of the message that had it last */
  size_t seen_at;               /**< and where in it */
  sn_gate_counts counts;
} sn__gate_joint;

typedef struct sn__gate_source {
  int64_t stamp_ns; /**< of the last message taken */
  sn_gate_counts counts;
} sn__gate_source;

/** When people were told last of one reason and one source. */
typedef struct sn__gate_told {
  int64_t at_ns;
  bool was_told;
  uint64_t count; /**< since then */
} sn__gate_told;

struct sn_gate {
  const sn_model *model;
  const sn_names *names; /**< of the sorted pose */
  size_t joint_count, source_count;
  sn__gate_joint *joints;
  sn__gate_source *sources;
  int64_t timeout_ns, period_max_ns;
  double start_tolerance;
  bool stop_limp;
  bool is_started, has_stepped;
  bool is_waiting; /**< for measured positions, before the start */
  int64_t waiting_since_ns;
  int64_t step_ns;    /**< of the last step */
  int64_t resumed_ns; /**< references from before are refused */
  uint64_t message;   /**< number of the message that is looked at */
  bool has_unknown;   /**< there are joints in it that do not exist */
  sn_gate_stop_state stop;
  double *q, *qd, *qdd, *tau; /**< the command */
  bool *limp;                 /**< likewise */
  sn_gate_command command;
  sn__gate_told *told; /**< [reason][source + 1] */
  sn_gate_event *events;
  size_t event_capacity, event_begin, event_count;
};

/** gate_limits.c: fill limits, kinds and masters of all joints. */
sn_status sn__gate_read_limits(sn_gate *gate, const sn_gate_config *config, sn_error *err);

/** gate_step.c: put the start pose into the motions and the command. */
void sn__gate_settle(sn_gate *gate) SN_RT;

/** gate_limp.c: find out what is limp now. */
void sn__gate_mark_limp(sn_gate *gate) SN_RT;

/** Move the command of a limp joint to where it is measured. */
void sn__gate_move_limp(sn_gate *gate, size_t index, double dt_s, int64_t now_ns) SN_RT;

/** The emergency stop begins: what is limp stays so. */
void sn__gate_keep_limp(sn_gate *gate) SN_RT;

/** gate_report.c: count for the source and the joint (-1: none), and tell people unless they were
 *  told within the last second. */
void sn__gate_report(sn_gate *gate, const sn_gate_event *event) SN_RT;

/** The same for what is normal: nobody is told. */
void sn__gate_count(sn_gate *gate, sn_gate_reason reason, int source, int joint) SN_RT;

/** From one position to another; the short way round, if the joint turns without end. */
static inline double sn__gate_way(const sn__gate_joint *joint, double from, double to) {
  return joint->turns ? remainder(to - from, 6.283185307179586) : to - from;
}

/** later - earlier, as far as that can be said. */
static inline int64_t sn__gate_age_ns(int64_t later_ns, int64_t earlier_ns) {
  int64_t age_ns = 0;
  if (__builtin_sub_overflow(later_ns, earlier_ns, &age_ns)) {
    return later_ns > earlier_ns ? INT64_MAX : INT64_MIN;
  }
  return age_ns;
}

#endif
