/** @file
 *  Internal: start values for the search for a pose, from a table of sampled poses.
 *
 *  The first joint of a chain turns everything about its axis, the last one turns only the tip:
 * both can be computed for a given target. So the table samples the joints between them and keeps
 * what the outer two cannot change: distance from the first axis, height along it, and the
 * direction of the last axis, seen from there. That leaves four of six dimensions, which a few
 * hundred samples cover well; they are scanned one by one. */
#ifndef SN_IK_NUMERIC_SEEDS_H
#define SN_IK_NUMERIC_SEEDS_H

#include <stdbool.h>
#include <stddef.h>

#include "ik/serial.h"

/** How many samples; a multiple of SN__SEEDS_BLOCK. Twice as many save a fifteenth of the
 * iterations and cost as much to scan. */
#define SN__SEEDS_COUNT 256
#define SN__SEEDS_BLOCK 16

/** A sample, or a target, with the first joint's rotation removed and the last joint at zero. */
typedef struct sn__seed_key {
  double radius, height; /**< of the last joint's origin about the first axis */
  double azimuth;        /**< rad: where it was before */
  double cosine, sine;   /**< of the azimuth */
  sn_vec3 axis, across;  /**< z and x axis of the last body */
} sn__seed_key;

/** Samples side by side, as the scan reads them: what the squared distance to a target,
 *  |a|^2 + |b|^2 - 2 a b, needs of the key. */
typedef struct sn__seed_block {
  float squared[SN__SEEDS_BLOCK]; /**< radius^2 + height^2 */
  float radius[SN__SEEDS_BLOCK], height[SN__SEEDS_BLOCK];
  float axis_x[SN__SEEDS_BLOCK], axis_y[SN__SEEDS_BLOCK], axis_z[SN__SEEDS_BLOCK];
  float cosine[SN__SEEDS_BLOCK], sine[SN__SEEDS_BLOCK]; /**< of the azimuth */
} sn__seed_block;

typedef struct sn__seeds {
  const sn__serial *serial;
  bool usable;                       /**< the first and last joint turn, and mimic nothing */
  const double *lower, *upper;       /**< [coord_count] the ranges sampled; finite */
  sn__seed_key *keys;                /**< [SN__SEEDS_COUNT] */
  sn__seed_block *blocks;            /**< [SN__SEEDS_COUNT / SN__SEEDS_BLOCK] */
  float *y;                          /**< [SN__SEEDS_COUNT][coord_count] */
  sn_pose pose_tip_last;             /**< inverse of the chain's pose_last_tip */
  double middle_cosine, middle_sine; /**< of the middle of the first joint's range */
  float cosine_min;                  /**< of half that range; below -1 if it is a whole turn */

  sn__seed_key target; /**< of the last look-up */
  float *distance;     /**< [SN__SEEDS_COUNT] to it; infinite once taken */
  float *block_min;    /**< [SN__SEEDS_COUNT / SN__SEEDS_BLOCK] */
} sn__seeds;

/** Where the samples of a long chain gather. Joints drawn evenly from their ranges roll a long
 * chain up into a ball, far from most targets. So each of its samples is drawn towards a pose: the
 * one with all joints at zero or that with all in the middle of their ranges, up to all but 1/n of
 * the way. So all distances occur. Zero-initialise for a chain that is not long. */
typedef struct sn__gathering {
  double share; /**< of the way, 0 .. 1 */
  bool at_zero;
} sn__gathering;

/** @param n  coordinates
 *  @param u  0 .. 1, evenly distributed */
sn__gathering sn__gathering_make(size_t n, double u, bool at_zero);

/** The chain is so long that its samples gather. */
bool sn__is_long(size_t n);

/** A sample of a joint, moved. */
double sn__gathering_apply(sn__gathering gathering, double lower, double upper, double y);

/** Sample the chain, joints between @p lower and @p upper, which must outlive the table.
 *  @return false if memory runs out */
bool sn__seeds_create(sn_arena *arena, const sn__serial *serial, sn__serial_data *data,
                      const double *lower, const double *upper, sn__seeds *out);

/** Look @p target up, given in the frame of the chain's base; lengths without unit. */
void sn__seeds_set_target(sn__seeds *seeds, sn_pose target);

/** The nearest sample not taken yet, with the outer joints computed. They may be outside limits.
 *  @return false if all have been taken */
bool sn__seeds_next(sn__seeds *seeds, double *y);

/** Compute the outer joints of @p y for the target, from the joints between. */
void sn__seeds_align(const sn__seeds *seeds, sn__serial_data *data, double *y);

#endif
