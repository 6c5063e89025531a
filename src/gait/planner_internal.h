/** @file
 *  Internal: what the files of the planner share. */
#ifndef SN_GAIT_PLANNER_INTERNAL_H
#define SN_GAIT_PLANNER_INTERNAL_H

#include "gait/planner.h"
#include "gait/swing.h"
#include "math/qp.h"
#include "sinew/kin.h"

enum {
  SN__PLAN_STEPS_MAX = 40,   /**< strides */
  SN__PLAN_POINTS_MAX = 700, /**< of a sequence */
  SN__PLAN_COARSE = 2,       /**< an estimate takes one point of so many */
  SN__PLAN_PASSES = 3,       /**< of a measurement of forces */
  SN__PLAN_KNOTS_MAX = 400,  /**< control points of the spline */
  SN__PLAN_WINDOW = 40,      /**< control points of one quadratic programme */
  SN__PLAN_WINDOWS_MAX = 2 * SN__PLAN_KNOTS_MAX / SN__PLAN_WINDOW,
  SN__PLAN_ROWS_MAX = 2000,
  SN__PLAN_ROW_SIZE = 8 /**< entries of a row: four control points in the plane */
};

#define SN__GRAVITY 9.81

/** The stance of a robot on level ground. */
typedef struct sn__stance_feet {
  double height_m;                 /**< of the base */
  sn_mat3 tilt;                    /**< of the base; its heading is 0 */
  sn_pose feet[SN__GAIT_LEGS_MAX]; /**< ends of the legs; the base is above the origin */
  double off_m[SN__GAIT_LEGS_MAX]; /**< height of the soles above the ground */
} sn__stance_feet;

/** A step of a leg. */
typedef struct sn__plan_step {
  double lift_s, land_s;
} sn__plan_step;

typedef struct sn__plan_leg {
  sn__step_leg leg;
  int contact;       /**< of the model; -1: none */
  sn_pose nominal;   /**< of its end, the base above the origin */
  double reach[4];   /**< how far its end goes from there: -x, +x, -y, +y; m */
  bool is_turning;   /**< its solver does not control the orientation */
  size_t step_count; /**< of the plan */
  sn__plan_step steps[SN__PLAN_STEPS_MAX];
  sn_pose places[SN__PLAN_STEPS_MAX + 1]; /**< footholds: [step_count + 1] */
  bool ends_in_air;
} sn__plan_leg;

/** Roll, pitch, yaw and height of the base. */
typedef struct sn__plan_attitude {
  double roll, pitch, yaw, z;
} sn__plan_attitude;

/** A body at a time. */
typedef struct sn__plan_motion {
  sn_pose pose;
  sn_spatial twist; /**< of its origin, in the axes of the path frame */
  bool contact;
} sn__plan_motion;

struct sn__planner {
  const sn_model *model;
  size_t joint_count, leg_count;
  sn__plan_leg legs[SN__GAIT_LEGS_MAX];
  const sn__step_drive *drives;
  sn_balance *balance;
  sn__collision *collision;
  size_t pair_count;
  bool *touches;       /**< [pairs] that overlap in the nominal stance */
  bool *touches_start; /**< [pairs] and those that do so at the start */
  sn__obstacle *obstacles;
  size_t obstacle_count;
  sn__outline outline; /**< of the nominal stance */
  sn_kin_data *kin;
  double margin_m, step_height_m, friction, stretch_max, near_m;
  double nominal_height_m, com_height_m;
  sn_vec3 com; /**< of the nominal stance, relative to the base */
  sn__qp *qp;

  /* The request. */
  const sn__plan_request *request;
  const double *start;
  sn__plan_attitude from, to;
  sn_vec3 base_from, base_to; /**< z is 0 */
  sn_pose goals[SN__GAIT_LEGS_MAX];
  sn__gait gait;

  /* The plan. */
  size_t step_count, point_count;
  double duration_s, grid_s, ramp_s, stride_s;
  size_t knot_count; /**< segments of the spline */
  double knot_s;
  sn_vec3 control[SN__PLAN_KNOTS_MAX + 3];
  double *times;
  sn_vec3 *offset; /**< [points] zero-moment point minus that of a mass at the base; z is 0 */
  double *q;       /**< [points][joints] */
  size_t q_count;  /**< points of the last path whose legs were solved; 0: none */
  sn_pose *base;   /**< [points] */
  double *qd, *qdd, *tau;
  size_t round_count;
  double margin, speed_peak, speed_ratio, load_peak;
  double grip_peak; /**< largest ratio of horizontal to vertical force of the ground */
  size_t speed_joint, load_joint;
  size_t rung; /**< how far the margin gave way */
  sn__step_sequence sequence;

  /* Memory of the quadratic programmes. */
  double *hessian, *gradient, *x, *values;
  sn__qp_row *rows;
  bool *hints; /**< [windows][rows] that were active in the last round */
  size_t row_count;
  size_t event_count;
  double *events; /**< lift-offs and landings, sorted */
};

/** What stops a plan. */
typedef enum sn__plan_trouble {
  SN__PLAN_GOOD,
  SN__PLAN_OUT_OF_REACH, /**< a foot is out of reach */
  SN__PLAN_TOO_CLOSE,    /**< two feet */
  SN__PLAN_NO_BALANCE,   /**< no path of the body balances it */
  SN__PLAN_TOO_FAST,     /**< drives would need more time than allowed for their speeds */
  SN__PLAN_TOO_HEAVY,    /**< and for their torques */
  SN__PLAN_NO_GRIP,      /**< the feet would slip */
  SN__PLAN_COLLIDES,     /**< two links of the robot */
  SN__PLAN_OBSTRUCTED    /**< a box is in the way */
} sn__plan_trouble;

/** Why an attempt failed. */
typedef struct sn__plan_failure {
  sn__plan_trouble trouble;
  size_t leg, other;
  double time_s, distance_m;
  sn__near near; /**< of SN__PLAN_COLLIDES */
  size_t box;    /**< of SN__PLAN_OBSTRUCTED */
  double share;  /**< likewise: of the way */
} sn__plan_failure;

/* ---- planner_stance.c ---- */

/** The stance of a pose. @return false: feet are on a line, or the robot lies */
bool sn__planner_stance(sn__planner *p, const double *q, sn__stance_feet *out);
/** How far legs reach from their nominal places. */
void sn__planner_find_reach(sn__planner *p, const double *nominal);

/* ---- planner_goal.c: where the base and the feet end ---- */

/** Set from, to, base_to, goals. @return SN_OK or SN_EINVAL */
sn_status sn__planner_set_goal(sn__planner *p, const sn__stance_feet *start, int32_t *error,
                               sn_error *err);
sn_pose sn__planner_nominal_foot(const sn__planner *p, size_t leg, sn_vec3 base, double yaw);

/* ---- planner_steps.c: when and where the feet step ---- */

void sn__planner_set_times(sn__planner *p, double duration_s);
void sn__planner_set_footholds(sn__planner *p, const sn__stance_feet *start);
sn__plan_motion sn__planner_foot(const sn__planner *p, size_t leg, double time_s);
bool sn__planner_is_down(const sn__planner *p, size_t leg, double time_s);
/** Is a phase between two events, on one or two feet, so short that balance does not matter? */
bool sn__planner_is_short(const sn__planner *p, double begin_s, double end_s);
/** The share of the way at a time, and its rate. */
double sn__planner_share(const sn__planner *p, double time_s, double *rate);
/** Height of a pronk at a time, and its rate. */
double sn__planner_hop(const sn__planner *p, double time_s, double *rate);
/** Two feet that are closer than allowed. @return false if there are none */
bool sn__planner_find_close(const sn__planner *p, size_t *a, size_t *b, double *distance_m);

/** Are feet farther from where the base goes than legs reach? @param leg, time_s  out: which */
bool sn__planner_find_far(const sn__planner *p, size_t *leg, double *time_s);

/* ---- planner_body.c: the base ---- */

/** Find the spline. @return false: no path balances it */
bool sn__planner_find_body(sn__planner *p, double margin_m, double band_m, double reach_share,
                           bool is_warm);
/** Let the base follow the straight way. */
void sn__planner_begin_body(sn__planner *p);
sn__plan_motion sn__planner_base(const sn__planner *p, double time_s);
/** The point of the spline at a time, and its second derivative. */
sn_vec3 sn__planner_path(const sn__planner *p, double time_s, sn_vec3 *rate, sn_vec3 *rate2);

/* ---- planner_joints.c ---- */

/** Solve all points: sets q and base. Begins with the last path's joints if it has as many points.
 *  @param is_estimate  legs on the ground may be interpolated: another path follows
 *  @param leg, time_s  out: where it failed */
bool sn__planner_solve_legs(sn__planner *p, bool is_estimate, size_t *leg, double *time_s);
/** Speeds between them: sets speed_peak, speed_ratio. */
void sn__planner_measure_speeds(sn__planner *p);
/** Speeds of the legs in their swings alone, by every SN__PLAN_COARSE-th point: sets speed_ratio.
 *  @return false: a leg does not reach */
bool sn__planner_measure_swings(sn__planner *p);

/* ---- planner_check.c ---- */

/** Forces are measured in passes: each takes the points halfway between those of the passes before
 *  it. @return points from one to the next after this pass */
static inline size_t sn__planner_spacing(int pass) {
  return (size_t)1 << (SN__PLAN_PASSES - 1 - pass);
}
/** Reset margin, load_peak and grip_peak. */
void sn__planner_begin_measure(sn__planner *p);
/** Forces of the points of a pass if the plan took this many times as long: sets margin, load_peak,
 *  grip_peak, and the offset of these points. */
void sn__planner_measure_pass(sn__planner *p, int pass, double pace);
/** Offsets of the points between those that have been measured up to a pass. */
void sn__planner_spread_offset(sn__planner *p, int pass);

/* ---- planner_obstacles.c ---- */

/** A box on the straight way of the base. @param share  out: of the way */
bool sn__planner_find_obstacle(const sn__planner *p, size_t *box, double *share);
/** Note the pairs of links that overlap in a pose. @param touches  [pairs] */
void sn__planner_note_touching(sn__planner *p, const double *q, bool *touches);
/** Two links that overlap in a point of the plan. */
bool sn__planner_find_collision(sn__planner *p, sn__near *near, double *time_s);

/* ---- planner_attempt.c ---- */

/** Plan with the present gait and count of steps.
 *  @param stretch  of the duration: where to begin, then where it ended */
bool sn__planner_try(sn__planner *p, const sn__stance_feet *start, sn__plan_failure *f,
                     double *stretch);

/** By how much the swings of the present gait and count of steps would stretch the duration;
 *  infinite: feet do not reach, or come too close. */
double sn__planner_estimate(sn__planner *p, const sn__stance_feet *start);

/* ---- planner_explain.c ---- */

const char *sn__planner_leg_name(const sn__planner *p, size_t leg);
/** @return SN_EINVAL with the constraint and its numbers */
sn_status sn__planner_explain(const sn__planner *p, const sn__plan_failure *f, sn_error *err);

/* ---- planner_write.c ---- */

void sn__planner_write(sn__planner *p);

#endif
