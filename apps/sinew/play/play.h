/** @file
 *  `sinew play`: movements of files, played by the controllers of a deployment on a simulated robot
 *  that stands on the ground, in simulated time. Every movement has a system of its own, so its
 *  result does not depend on the others. */
#ifndef SINEW_APP_PLAY_H
#define SINEW_APP_PLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "command.h"
#include "common/robot.h"
#include "sinew/pose.h"

typedef struct play_arguments {
  robot_options robot_options;
  const char *robot; /**< a robot or a deployment */
  text_list movements;
  const char *physics; /**< `plant` or `mujoco`; NULL: as the deployment says */
  double friction;     /**< negative: as the deployment says */
  const char *servo_models;
  double torque_max; /**< N·m, of all servos; 0: theirs */
  bool has_ideal_servos;
  bool is_open_loop; /**< the estimated base is not used */
  bool is_exact;     /**< without noise */
  double period_s;   /**< of control; 0: 5.6 ms, or as the deployment says */
  int64_t seed;
  double speed;       /**< of joint trajectories; 0: theirs */
  bool is_fastest;    /**< as fast as the limits of the joints allow */
  const char *record; /**< NULL: nothing is recorded */
  bool as_json;
  const char *name, *socket; /**< of a running system; NULL: simulate */
} play_arguments;

enum { PLAY_TEXT_SIZE = 400 };

/** Movements lean by half a radian; more is a fall, for the estimator of the base, too. */
#define PLAY_TILT_FALL_RAD 0.7

/** How a movement ended. */
typedef struct play_result {
  const char *movement; /**< the file */
  const char *kind;     /**< NULL: it was not read */
  bool is_ok;
  int error_code;
  char error[PLAY_TEXT_SIZE];
  bool has_base; /**< the robot was simulated, or reported its base */
  bool fell;
  sn_pose base;                 /**< at the end, in the world */
  bool has_goal;                /**< the movement has a base goal */
  sn_pose goal;                 /**< in the world */
  double position_error_m;      /**< 0 without a goal */
  double orientation_error_rad; /**< 0 without a goal */
  double max_tilt_rad;          /**< of the base against the vertical */
  double slip_m;                /**< farthest that a foot slid while it bore weight */
  double duration_s;
  double plan_ms; /**< wall time until the movement was accepted */
} play_result;

/** Print a result: one line of JSON, or of a table. @return EXIT_GOOD or EXIT_FAULT */
int play_print(const play_result *result, bool as_json);
/** The head of the table. */
void play_print_head(void);

/** Set what did not work; the first one stays. */
void play_fail(play_result *result, int code, const char *format, ...) SN_PRINTF(3, 4);

#endif
