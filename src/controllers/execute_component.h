/** @file
 *  Internal: a controller that moves joints along trajectories (execute.h). A goal takes the limbs
 *  of its joints, moves them, and releases them. What a goal is, is up to the component. */
#ifndef SN_CONTROLLERS_EXECUTE_COMPONENT_H
#define SN_CONTROLLERS_EXECUTE_COMPONENT_H

#include "controllers/joint_goal.h"
#include "msg/name_map.h"
#include "sinew/controller.h"

/** First member of the struct of such a component. */
typedef struct sn__execute_component {
  sn_controller controller;
  sn_execute_config limits;
  sn__joint_goal_defaults defaults;
  bool release_when_done;
  sn_input in_joints_measured;
  sn_output trajectory_state;

  sn_execute *execute;
  sn__goals goals;
  sn__goal *goal;            /* in execution; NULL: none */
  bool is_goals_limbs;       /* the limbs were taken for a goal, not by an operation */
  _Atomic(double) *pose_now; /* [joints] commanded, for the threads of senders */
  double *measured;          /* [joints] */
  bool has_measured;
  sn__name_map measured_names;
  sn_smooth_state command; /* [joints] */
  bool *is_support;        /* [chains] as the last goal has set it */
} sn__execute_component;

/** Properties of the tolerances, and ports, of a component of type @p struct_ that begins with it.
 */
#define SN__EXECUTE_PROPERTIES(start_tolerance_)                                                   \
  SN_PROPERTY(sn__execute_component, "release_when_done", release_when_done, .initial = "true",    \
              .doc = "Release the limbs of a goal when it has ended and the joints are at rest."), \
      SN_PROPERTY(sn__execute_component, "start_tolerance", defaults.start_tolerance,              \
                  .initial = (start_tolerance_), .unit = "rad or m", .min = 0, .max = 1e3,         \
                  .doc = "Maximum distance from a first point at time 0; 0: any."),                \
      SN_PROPERTY(sn__execute_component, "path_tolerance", defaults.path_tolerance,                \
                  .initial = "0", .unit = "rad or m", .min = 0, .max = 1e3,                        \
                  .doc = "Maximum distance from the path, unless a goal sets it; 0: any."),        \
      SN_PROPERTY(sn__execute_component, "goal_tolerance", defaults.goal_tolerance,                \
                  .initial = "0.05", .unit = "rad or m", .min = 0, .max = 1e3,                     \
                  .doc = "Maximum distance at the end; 0: any."),                                  \
      SN_PROPERTY(sn__execute_component, "goal_time", defaults.goal_time_s, .initial = "1",        \
                  .unit = "s", .min = 0, .max = 3600,                                              \
                  .doc = "Time after the end in which it must be reached."),                       \
      SN_PROPERTY(sn__execute_component, "acceleration_time", limits.acceleration_time_s,          \
                  .initial = "0.25", .unit = "s", .min = 1e-3, .max = 1e3,                         \
                  .doc =                                                                           \
                      "For stops, and for motions without times: from full speed to rest, "        \
                      "where the URDF states no limit.")

#define SN__EXECUTE_PORTS                                                              \
  SN_CONTROLLER_PORTS,                                                                 \
      SN_INPUT(sn__execute_component, "in_joints_measured", in_joints_measured,        \
               &sn_joint_state_type, .flags = SN_PORT_FEEDBACK,                        \
               .doc = "Measured positions; without them tolerances are not checked."), \
      SN_OUTPUT(sn__execute_component, "trajectory_state", trajectory_state,           \
                &sn_trajectory_state_type, .doc = "State of the goal, while there is one.")

/** Operations but for `execute`. */
#define SN__EXECUTE_OPERATIONS                                                             \
  {"cancel",                                                                               \
   SN_CLIENT_THREAD,                                                                       \
   &sn_trajectory_id_type,                                                                 \
   &sn_call_outcome_type,                                                                  \
   sn__execute_component_cancel,                                                           \
   "Cancel the goal with this number; 0: any."},                                           \
      {"getGoal",                                                                          \
       SN_CLIENT_THREAD | SN_READ_ONLY,                                                    \
       &sn_trajectory_id_type,                                                             \
       &sn_trajectory_state_type,                                                          \
       sn__execute_component_get_goal,                                                     \
       "The state of the goal with this number, or how it ended and which joint failed."}, \
      SN_CONTROLLER_OPERATIONS

/** For the hook `create` of the controller.
 *  @param reader   of goals: their content is an sn__joint_goal
 *  @param context  of the reader */
sn_status sn__execute_component_create(sn_component *component, sn__goal_reader *reader,
                                       void *context, sn_error *err);
/** The other hooks. */
void sn__execute_component_owned_changed(sn_component *component, const bool *had);
sn_status sn__execute_component_start(sn_component *component, int64_t now_ns, sn_error *err);
sn_status sn__execute_component_step(sn_component *component, int64_t now_ns);
void sn__execute_component_stop(sn_component *component);
void sn__execute_component_dispose(sn_component *component);

/** Operations. */
sn_status sn__execute_component_execute(sn_component *component, const void *request,
                                        void *response, sn_error *err);
sn_status sn__execute_component_cancel(sn_component *component, const void *request, void *response,
                                       sn_error *err);
sn_status sn__execute_component_get_goal(sn_component *component, const void *request,
                                         void *response, sn_error *err);

#endif
