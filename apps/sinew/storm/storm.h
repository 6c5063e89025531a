/** @file
 *  `sinew storm`: whole systems in simulated time under random faults. A seed determines
 * everything: the robot, the deployment, the faults and their times. Faults are planned before the
 * run and have seeds of their own, so that leaving one out does not change the others. */
#ifndef SINEW_STORM_H
#define SINEW_STORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/app_system.h"
#include "common/robot.h"
#include "remote/remote.h"
#include "sinew/random.h"
#include "sinew/tap.h"
#include "storm/storm_recording.h"

enum { STORM_FAULTS_MAX = 800, STORM_REASON_SIZE = 256, STORM_CLIENTS_MAX = 12 };

/** One event of a plan. */
typedef struct storm_fault {
  int64_t at_ns; /**< it happens before the first cycle that is not earlier */
  size_t kind;   /**< index of storm_kinds */
  uint64_t seed;
} storm_fault;

typedef struct storm_plan {
  storm_fault faults[STORM_FAULTS_MAX]; /**< by time */
  size_t count;
  int64_t end_ns; /**< length of the run */
  uint64_t seed;  /**< of the deployment */
} storm_plan;

/** What a joint may do, from the robot and the settings of the gate. */
typedef struct storm_limits {
  double lower, upper, speed, acceleration, braking;
  bool is_driven; /**< by a command of its own: it mimics no other and has one axis */
} storm_limits;

/** What the checks remember of the last cycle. */
typedef struct storm_memory {
  double *q, *v;            /**< [joint_count] commanded */
  double *q_last, *v_last;  /**< [joint_count] the command before */
  double passed_s;          /**< between the last two commands */
  double step_s;            /**< of it, what the last command covers */
  unsigned char *limp_left; /**< [joint_count] cycles until it is checked again */
  double *measured;         /**< [joint_count] until the cycle before */
  bool *limp;               /**< [joint_count] */
  int64_t stamp_ns;         /**< of the command; INT64_MIN: none yet */
  bool is_stopped; /**< an emergency stop was requested, and no resume has succeeded since */
  bool may_jump;   /**< a resume has just succeeded: the command may restart where the joints are */
  bool restarts;   /**< it did in this cycle */
  size_t memory_size; /**< of all components; SIZE_MAX: unknown */
} storm_memory;

/** What the checks know of links, of controllers and of the log; each in its own file. */
typedef struct storm_contact storm_contact;
typedef struct storm_limbs storm_limbs;
typedef struct storm_follow storm_follow;
typedef struct storm_lines storm_lines;

/** Reads an output, or writes to an input; neither: it is not there. */
typedef struct storm_client {
  sn_tap *tap;
  sn_source *source;
} storm_client;

/** A run. */
typedef struct storm_run {
  app_system app;
  const sn_model *model; /**< of the deployment, for the checks */
  size_t joint_count;
  storm_limits *limits; /**< [joint_count] */
  int64_t period_ns;    /**< of a cycle of the gate */
  double period_max_s;  /**< that one cycle covers */
  sn_arena arena;       /**< of the checks */
  sn__remote_context context;
  sn__remote_taps taps;
  sn_source *references;        /**< of the controller `follow`; NULL: it has none */
  sn_source *push, *push_links; /**< of the plant; NULL: it has none */
  json_t *plant_before;         /**< its live properties before the first fault */
  storm_client clients[STORM_CLIENTS_MAX];
  sn_tap *command, *measured, *limp, *assignment, *goals;
  uint64_t cycle, fault_count; /**< so far */
  bool is_guarded;             /**< the property of the gate, in this cycle and in the one before */
  bool was_ticking;
  bool is_explained; /**< each fault is printed */
  storm_memory before;
  storm_contact *contact;
  storm_limbs *limbs;
  storm_follow *follow;
  storm_lines *lines;
  storm_recording recording;
  uint64_t hash;                     /**< of all commands */
  char violation[STORM_REASON_SIZE]; /**< empty: none */
  const char *rule;                  /**< that it violates: the format of its text */
} storm_run;

/** A kind of fault. */
typedef struct storm_kind {
  const char *name;
  unsigned weight; /**< how often, relative to the others */
  void (*apply)(storm_run *run, sn_random *random);
} storm_kind;

extern const storm_kind storm_kinds[];
extern const size_t storm_kind_count;

/** Plan the faults of a seed. */
void storm_plan_make(storm_plan *plan, uint64_t seed, double seconds);

/** What a run ended with; all that a worker sends to its parent. */
typedef struct storm_result {
  bool is_built;  /**< false: the robot could not be loaded, `violation` says why */
  double seconds; /**< simulated */
  uint64_t hash;
  char violation[STORM_REASON_SIZE]; /**< empty: none */
  const char *rule;                  /**< storm_run::rule; the same address in each child */
} storm_result;

/** A robot, or a deployment with one. */
typedef struct storm_robot {
  const char *path;
  const robot_options *options;
} storm_robot;

/** Run a plan.
 *  @param record        file of a recording; NULL: none
 *  @param is_explained  print each fault */
void storm_run_plan(const storm_robot *r, const storm_plan *plan, const char *record,
                    bool is_explained, storm_result *result);

/** Load a robot in a deployment that the seed determines; a deployment as it is.
 *  @return as app_system_load() */
bool storm_deploy(const storm_robot *r, uint64_t seed, app_system *app);

/** Run cycles, with all checks. @return false: a violation */
bool storm_run_for(storm_run *run, int64_t duration_ns);

/** Mend what is broken; then everything has to run again. @return false: a violation */
bool storm_calm(storm_run *run);

/** Read the limits of the joints, as the documents of the gate state them. @return false: failed */
bool storm_limits_read(storm_run *run);

/** Check the cycle that has just ended. @return false: a violation, which is noted in the run */
bool storm_check(storm_run *run);

/** Contact of links, after the command was checked. */
bool storm_contact_create(storm_run *run);
bool storm_contact_check(storm_run *run);

/** Owners, references and hand-overs, in a cycle with a command.
 *  @param dt_s  since the command that a controller knows */
bool storm_limbs_create(storm_run *run);
bool storm_limbs_check(storm_run *run, double dt_s);
void storm_limbs_close(storm_run *run);

/** Whom the gate obeys, for each joint of which the command was checked.
 *  @param owner      a number of its own; -1: none, and the joint may only brake
 *  @param reference  of the owner, in this cycle
 *  @param who        the owner's name, for messages */
bool storm_follow_create(storm_run *run);
bool storm_follow_check(storm_run *run, size_t joint, int owner, double reference, const char *who);
/** In this cycle it is not known what the joint has to follow. */
void storm_follow_forget(storm_run *run, size_t joint);

/** Lines of the log. */
bool storm_lines_create(storm_run *run);
bool storm_lines_check(storm_run *run);

/** Note a violation, once. @return false */
bool storm_violate(storm_run *run, const char *format, ...) SN_PRINTF(2, 3);

/** A property as JSON; the caller frees it. @return NULL: there is none */
json_t *storm_property(storm_run *run, const char *name);

#endif
