/** @file
 *  What a gate has to do, written a second time from gate.h: it keeps all that was said, and looks
 *  through it when a step comes. Only the motion of a single joint within its limits is that of
 *  gate/limiter.h, which has its own tests. For gate_robot, whose joints it knows. */
#ifndef SN_GATE_ORACLE_H
#define SN_GATE_ORACLE_H

#include "gate/limiter.h"
#include "gate_rig.h"

enum { ORACLE_SOURCES = 3, ORACLE_EVENTS = 64, NEVER = -1000 };

/** What the owner of a joint said last. */
typedef struct oracle_word {
  bool is_there, is_limp, has_qd, has_tau;
  double q, qd, tau;
  int64_t written_ns;
  int step; /**< it arrived before this step; NEVER: it does not count as an arrival */
} oracle_word;

typedef struct oracle_joint {
  sn__limits limits;
  sn__motion motion;
  int owner;
  int lost[2]; /**< by whom at owned_ns, the latest first */
  int64_t owned_ns;
  bool is_silent, was_limp, is_blind, is_measured;
  double measured, measured_qd;
  int64_t measured_ns;
  oracle_word word, before; /**< the present one, and that of the last step */
  sn_gate_counts counts;
} oracle_joint;

typedef struct gate_oracle {
  oracle_joint joints[GATE_JOINTS];
  sn_gate_counts sources[ORACLE_SOURCES];
  int64_t source_ns[ORACLE_SOURCES];
  int64_t timeout_ns, resumed_ns, step_ns;
  bool has_stepped, is_stopped, stop_limp, is_started, starts_measured, is_waiting;
  int64_t waiting_ns;
  int step;
  double q[GATE_JOINTS], qd[GATE_JOINTS], qdd[GATE_JOINTS], tau[GATE_JOINTS];
  bool limp[GATE_JOINTS], has_tau;
  sn_gate_event events[ORACLE_EVENTS];
  size_t event_count;
  struct {
    bool is_there;
    int64_t at_ns;
    uint64_t left_out;
  } said[SN_GATE_REASON_COUNT][ORACLE_SOURCES + 1];
} gate_oracle;

/** At the start pose of the gate, which is given. */
void gate_oracle_init(gate_oracle *o, const double *pose, bool is_started);

void gate_oracle_own(gate_oracle *o, const int *owners, int64_t now_ns);
void gate_oracle_lose(gate_oracle *o, int source, int64_t now_ns);
void gate_oracle_measure(gate_oracle *o, const int *joints, const double *q, const double *qd,
                         size_t count, int64_t now_ns);
/** A message whose lengths differ; source -1: a measurement. */
void gate_oracle_refuse(gate_oracle *o, int source, int64_t now_ns);

void gate_oracle_stop(gate_oracle *o);
sn_status gate_oracle_resume(gate_oracle *o, int64_t now_ns);
void gate_oracle_restart(gate_oracle *o, bool wait, int64_t now_ns);

/** A reference or limp flags: each joint of the list with its word. Joint GATE_JOINTS is unknown.
 */
typedef struct oracle_message {
  int source;
  int64_t stamp_ns, now_ns;
  size_t count;
  int joints[GATE_JOINTS + 1];
  oracle_word words[GATE_JOINTS + 1];
} oracle_message;

sn_status gate_oracle_take(gate_oracle *o, const oracle_message *msg);

/** @return false: there is no command yet */
bool gate_oracle_step(gate_oracle *o, int64_t now_ns);

bool gate_oracle_is_at_rest(const gate_oracle *o);

#endif
