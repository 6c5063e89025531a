/** @file
 *  Internal: the joints of one leg, fitted to a foothold: the foot at a height, flat, about below
 *  the joints that carry it, the joints near home and inside their ranges. */
#ifndef SN_LEGS_LEG_FIT_H
#define SN_LEGS_LEG_FIT_H

#include "sinew/arena.h"
#include "sinew/kin.h"
#include "sinew/model.h"

enum { SN__LEG_JOINTS_MAX = 12, SN__LEG_POINTS_MAX = 8 };

/** One leg. Vectors have `count` entries, those of the joints that are moved. */
typedef struct sn__leg_fit {
  const sn_chain *chain; /**< physical */
  sn_kin_data *kin;      /**< of the chain's tree */
  sn_pose pose_base_first;
  double *chain_q; /**< [chain->joint_count] */
  size_t count;
  size_t joint[SN__LEG_JOINTS_MAX]; /**< in the chain's vector */
  double hard_lower[SN__LEG_JOINTS_MAX], hard_upper[SN__LEG_JOINTS_MAX]; /**< limits */
  double lower[SN__LEG_JOINTS_MAX], upper[SN__LEG_JOINTS_MAX], home[SN__LEG_JOINTS_MAX];
  double q[SN__LEG_JOINTS_MAX]; /**< the answer */
  size_t point_count;
  sn_vec3 points[SN__LEG_POINTS_MAX]; /**< of the foot, in the frame of the last link */
  double radius;                      /**< of a foot that is a sphere about points[0] */
  double length_m;                    /**< from the first joint to the foot, stretched */
  sn_vec3 hip;                        /**< the first joint, in the base */
  sn_vec3 below;                      /**< where the foot should be, seen from above, in the base */
  sn_vec3 up, ahead;                  /**< in the last link, with all joints at zero */
  sn_vec3 knees;                      /**< horizontal direction in which knees should point */
} sn__leg_fit;

/** What a leg is fitted to. */
typedef struct sn__foothold {
  bool reaches_down; /**< as low as possible, whatever `height_m` says */
  double height_m;   /**< of the base's origin above the ground */
  sn_vec3 shift;     /**< of the foot, horizontal */
} sn__foothold;

/** Prepare a leg.
 *  @param kin  of the whole robot, updated with a pose of the other joints
 *  @return SN_OK, SN_ENOMEM, SN_ENOENT: too many joints, or none */
sn_status sn__leg_fit_create(sn_arena *arena, const sn_model *model, size_t chain,
                             const sn_kin_data *kin, const double *q, sn__leg_fit *fit,
                             sn_error *err);

/** Tighten the limits. @param lower, upper  sorted, of the whole robot */
void sn__leg_fit_tighten(sn__leg_fit *fit, const double *lower, const double *upper);

/** Set the ranges of the joints: a part of the distance to the limits that they keep at best. */
void sn__leg_fit_limit(sn__leg_fit *fit, double margin_part);

/** Fit from several poses, and keep the best. */
void sn__leg_fit_search(sn__leg_fit *fit, const sn__foothold *goal);

/** Fit from the present answer. */
void sn__leg_fit_refine(sn__leg_fit *fit, const sn__foothold *goal);

/** Move the points of the foot to the plane, and the joints no more than needed.
 *  @return the largest distance from the plane, m */
double sn__leg_fit_touch(sn__leg_fit *fit, double height_m);

/** The lowest points of the foot in the base, with the present answer; the last link. */
sn_pose sn__leg_fit_foot(const sn__leg_fit *fit, sn_vec3 *points);

/** How far the foot is from where it should be, seen from above, in lengths of the leg. */
double sn__leg_fit_astray(const sn__leg_fit *fit, sn_vec3 shift);

/** How far the foot is below the first joint, m. */
double sn__leg_fit_drop(const sn__leg_fit *fit);

#endif
