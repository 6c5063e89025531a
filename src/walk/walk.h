/** @file
 *  Internal: walking by velocity: legs carry the body where a command wants it, step by step.
 *
 *  Everything is in the level frame: its origin is that of the base, z is up, x is the heading.
 *  Feet in stance move in it against the motion of the body. Feet in the air go to footholds that
 *  follow from the velocity of the body at this moment: below the hips, ahead by half of the
 *  stance, and farther where the body is faster than wanted (capture point). The tilt of the body
 *  is corrected by the legs in stance. */
#ifndef SN_WALK_WALK_H
#define SN_WALK_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "gait/gait.h"
#include "gait/outline.h"
#include "sinew/api.h"
#include "sinew/pose.h"
#include "sinew/spatial.h"
#include "steps/step_plan.h"

enum { SN__WALK_LEGS_MAX = SN__GAIT_LEGS_MAX, SN__WALK_JOINTS_MAX = 64 /* of a leg */ };

/** A wanted velocity of the base, in its level frame. */
typedef struct sn__walk_velocity {
  double x, y; /**< m/s */
  double turn; /**< rad/s */
} sn__walk_velocity;

/** What may be set; see the properties of the component `Walk`. */
typedef struct sn__walk_settings {
  double period_s;                  /**< of a stride */
  double clearance_m;               /**< height of a step */
  double accel, turn_accel;         /**< m/s², rad/s² */
  double capture;                   /**< 1: step to the capture point; 0: do not correct */
  double tilt_kp, tilt_ki, tilt_kd; /**< correction of roll and pitch; 1, 1/s, s */
  double tilt_max;                  /**< its bound, rad */
  double track;                     /**< correction of place and heading, 1/s */
  double comply;                    /**< share of an unwanted velocity that the legs follow */
  double reach_m;                   /**< bound of a foothold from that of a robot at rest */
} sn__walk_settings;

/** A leg, given. */
typedef struct sn__walk_leg {
  sn__step_leg leg;
  sn_pose nominal; /**< its end in the base of the robot at rest */
} sn__walk_leg;

/** A foot, to read. */
typedef struct sn__walk_foot {
  bool in_stance;
  bool has_left;    /**< in its swing it has been seen without contact */
  double freedom;   /**< 0: carries the body; 1: goes its own way */
  double swing;     /**< 0 .. 1, of the way in the air */
  sn_vec3 pos;      /**< of the limb's end in the level frame, m */
  double yaw;       /**< turn of the foot in the level frame since it stood as nominal, rad */
  sn_vec3 lift;     /**< where it was lifted, in the level frame now */
  double lift_yaw;  /**< likewise */
  sn_vec3 foothold; /**< where it stands or will land, in the level frame now */
  bool has_ground;  /**< `ground` is known */
  sn_vec3 ground;   /**< where it was last on the ground, in the world */
  bool failed;      /**< the inverse kinematics did not reach it */
} sn__walk_foot;

typedef enum sn__walk_mode {
  SN__WALK_STANDS,
  SN__WALK_WALKS /**< it steps, possibly on the spot */
} sn__walk_mode;

/** What is known of the robot. */
typedef struct sn__walk_input {
  double dt_s;
  bool has_base;
  sn_pose base;        /**< in the world */
  sn_spatial twist;    /**< of its origin, in the axes of the world */
  const double *q;     /**< measured sorted pose; NULL: unknown */
  const bool *touches; /**< [legs] contact switches; NULL: unknown */
} sn__walk_input;

/** Set all down to `speed_max`, then begin. */
typedef struct sn__walk {
  sn__walk_settings settings;
  size_t leg_count;
  sn__walk_leg legs[SN__WALK_LEGS_MAX];
  sn__gait gait;
  sn_vec3 com;             /**< centre of mass in the base, m */
  double height_m;         /**< of the base above the limbs' ends, nominal */
  const double *speed_max; /**< [joints] rad/s or m/s */

  sn__walk_mode mode;
  bool is_ending;               /**< feet that are not at their places step there, then it stands */
  bool is_halting;              /**< feet in the air come down, others stay where they are */
  bool lost[SN__WALK_LEGS_MAX]; /**< legs that another controller has; of a robot that halts */
  sn__walk_velocity command;    /**< wanted from the next step on */
  sn__walk_velocity wanted;     /**< of this step */
  sn__walk_velocity speed;      /**< the wanted one, with bounded acceleration */
  sn__walk_velocity carried;    /**< the one with which the stance carries the body */
  double clock;                 /**< in strides */
  sn__walk_foot feet[SN__WALK_LEGS_MAX];

  bool has_base;
  sn_vec3 velocity;        /**< of the centre of mass in the level frame, filtered */
  sn_vec3 place;           /**< where the base should be in the world */
  double heading;          /**< likewise */
  sn_mat3 tilt_seen;       /**< the base in the level frame, estimated */
  sn_mat3 tilt_command;    /**< likewise, commanded */
  sn_vec3 tilt_sum;        /**< integral of the error of the tilt */
  bool has_slope;          /**< the slope has been measured */
  double slope_x, slope_y; /**< rise of the ground per metre in the level frame */
  sn_pose base;            /**< estimated, in the world */
  double height_now_m;     /**< goes to height_m */
} sn__walk;

/** Stand on the feet as they are. @param q  sorted commanded pose. RT: yes */
void sn__walk_begin(sn__walk *walk, const double *q) SN_RT;

/** Put the feet down and stay on them. Without the lost legs the body moves above the others. RT:
 * yes
 *  @param lost  [legs] */
void sn__walk_halt(sn__walk *walk, const bool *lost) SN_RT;

/** Would the robot come too near to a box before it can stop? A robot that is near already may move
 *  away. @param v  wanted. RT: yes */
bool sn__walk_meets(const sn__walk *walk, const sn__outline *outline, const sn__obstacle *box,
                    sn__walk_velocity v) SN_RT;

/** One cycle. @param q  sorted pose: the command before, then the new one. RT: yes */
void sn__walk_step(sn__walk *walk, const sn__walk_input *input, double *q) SN_RT;

#endif
