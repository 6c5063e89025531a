/** @file
 *  Internal: the component `aggregator`: the gate and its connections. */
#ifndef SN_GATE_GATE_COMPONENT_H
#define SN_GATE_GATE_COMPONENT_H

#include "gate/gate.h"
#include "gate/supports.h"
#include "rt/estop/estop.h"
#include "sinew/component.h"
#include "sinew/model.h"
#include "sinew/msg_calls.h"

enum { SN__SOURCES_MAX = 32, SN__GATE_FRAME_SIZE = 64 };

/** A writer. One from outside has no component, and cannot own anything. */
typedef struct sn__gate_writer {
  const sn_component *component;
  const char *name;
  sn_log_limit support_warnings;
} sn__gate_writer;

/** An item of `joint_limits`. */
typedef struct sn__gate_joint_limit {
  const char *joint;
  double velocity, acceleration;
} sn__gate_joint_limit;

extern const sn_property sn__gate_limit_table[], sn__gate_off_table[];

/** The collision guard: its properties, and what the component needs beside the gate. */
typedef struct sn__gate_collision {
  bool is_wanted; /**< `collision_guard` */
  double margin;
  sn_bags off; /**< of sn__collision_off */
  const char *srdf;
  const sn_value *world;
  int64_t objects_max;
  sn_input base, changes;
  sn_output state, world_out;

  sn__collision *checker; /**< NULL: no geometry */
  const char *missing;    /**< why there is none; static */
  sn_report *report;      /**< what is not checked */
  double *asked;          /**< [joints] the pose of `checkPose` and `checkWay` */
  double *asked_next;     /**< [joints] the next one */
  bool was_blocked;
  int64_t published_ns;
  sn_log_limit log_limit;

  sn_pose pose_world_root;              /**< identity before the first message about the base */
  char base_frame[SN__GATE_FRAME_SIZE]; /**< in which that is; empty: not known */
  bool is_world_new;                    /**< since it was published */
  int64_t world_ns;                     /**< when that was */
  sn_log_limit refused;                 /**< changes */
} sn__gate_collision;

typedef struct sn__gate_component {
  sn_component component;
  bool publish_on_timer, publish_on_event, stop_limp;
  double reference_timeout, acceleration_time, velocity_default, period_max, start_tolerance;
  const sn_value *initial_pose;
  sn_bags joint_limits; /**< of sn__gate_joint_limit */
  sn__gate_collision collision;
  sn_input sync, measured;
  sn_inputs joints, supports, limps;
  sn_output joints_sorted, joints_accel, supports_out, limp_out, stop;
  sn_requester robot_model, owners;

  const sn_model *model; /**< held from configure to cleanup */
  sn_gate *gate;
  sn__supports *support_gate;
  int *joint_owners; /**< [pose_size] */
  bool knows_owners;
  uint64_t owners_version;
  sn__gate_writer sources[SN__SOURCES_MAX];
  size_t source_count;
  /** Of each input. */
  int joints_source[SN__SOURCES_MAX], supports_source[SN__SOURCES_MAX],
      limps_source[SN__SOURCES_MAX];

  int party;            /**< in the emergency stop of the system; -1: not configured */
  uint64_t stops_seen;  /**< number of the newest known stop */
  uint64_t stop_number; /**< of the present stop */
  bool wants_text;      /**< of the present stop: it may arrive later */
  bool is_stopped;      /**< also before the gate is created */
  sn__stop_text stop_text;
  bool stop_changed; /**< since it was published */
  bool was_at_rest;
  int64_t now_ns; /**< of the last step */
} sn__gate_component;

/* ---- gate_component_limits.c ---- */

/** Read `joint_limits`. @param out  [pose_size] zeros. @return SN_OK, SN_ENOENT, SN_EINVAL */
sn_status sn__gate_component_read_limits(const sn__gate_component *a, sn_gate_joint_limits *out,
                                         sn_error *err);

/* ---- gate_component_collision.c ---- */

/** Create the checker, if the robot has geometry. @return SN_OK, also without; SN_EINVAL,
 * SN_ENOENT, SN_ELIMIT: a property is wrong; SN_ENOMEM */
sn_status sn__gate_component_make_checker(sn__gate_component *a, sn_error *err);

/** At the start: what is not guarded. RT: yes */
void sn__gate_component_log_collision(sn__gate_component *a, int64_t now_ns) SN_RT;

/** `collision_guard` has changed. RT: yes */
void sn__gate_component_log_guarded(sn__gate_component *a, int64_t now_ns) SN_RT;

/** Take where the base is. RT: yes */
void sn__gate_component_read_base(sn__gate_component *a) SN_RT;

/** After a cycle: log the pair that is blocked, publish the nearest one. RT: yes */
void sn__gate_component_report_collision(sn__gate_component *a, int64_t now_ns) SN_RT;

sn_operation_function sn__gate_component_get_collision, sn__gate_component_check_pose,
    sn__gate_component_check_way, sn__gate_component_set_pair;

/** A text of a message, or "..." if it is too long. RT: yes */
void sn__gate_component_set_text(sn_msg_text *to, const char *text) SN_RT;

/** The commanded pose with the joints of one of the poses of a message. RT: yes */
sn_status sn__gate_component_read_pose(sn__gate_component *a, const sn_joint_state *msg,
                                       size_t index, double *q, sn_error *err) SN_RT;

/** The objects or the pairs have changed. RT: yes */
void sn__gate_component_world_changed(sn__gate_component *a) SN_RT;

/* ---- gate_component_world.c ---- */

/** Take changes of the world. RT: yes */
void sn__gate_component_read_changes(sn__gate_component *a) SN_RT;

/** Publish the objects if they changed, or if the robot moves among them. RT: yes */
void sn__gate_component_publish_world(sn__gate_component *a, int64_t now_ns) SN_RT;

sn_operation_function sn__gate_component_add_object, sn__gate_component_remove_object,
    sn__gate_component_list_objects;

/* ---- gate_component_input.c ---- */

/** Find the writers. @return SN_OK, SN_ELIMIT, or SN_EINVAL: several, and no arbiter
 */
sn_status sn__gate_component_find_sources(sn__gate_component *a, sn_error *err);

/** Take the table of owners, if it changed. RT: yes */
void sn__gate_component_update_owners(sn__gate_component *a, int64_t now_ns) SN_RT;

/** Read all inputs, each in its order. @return whether there was a reference. RT: yes */
bool sn__gate_component_read(sn__gate_component *a, int64_t now_ns) SN_RT;

/* ---- gate_component_stop.c ---- */

/** Take part in the emergency stop of the system. @return SN_OK, SN_ELIMIT */
sn_status sn__gate_component_join_stop(sn__gate_component *a, sn_error *err);

/** Stop if the system is stopped. RT: yes */
void sn__gate_component_check_stop(sn__gate_component *a, int64_t now_ns) SN_RT;

/** Report to the actuators that the gate brakes, or is at rest. RT: yes */
void sn__gate_component_acknowledge_stop(sn__gate_component *a) SN_RT;

/** Publish the state of the emergency stop if it changed. RT: yes */
void sn__gate_component_publish_stop(sn__gate_component *a, int64_t now_ns) SN_RT;

/** Operations. */
sn_operation_function sn__gate_component_emergency_stop, sn__gate_component_resume,
    sn__gate_component_get_stop;

/* ---- gate_component_report.c ---- */

/** Write the events of the gate to the log. RT: yes */
void sn__gate_component_log_events(sn__gate_component *a) SN_RT;

sn_operation_function sn__gate_component_get_counts;

#endif
