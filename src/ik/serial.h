/** @file
 *  Internal: one chain, compiled for iterations that evaluate it thousands of times.
 *
 *  Any rotation is Rz(a) Rx(b) Rz(c), Euler's z-x-z. Joints turn about z, so the outer two
 * rotations are absorbed by the offsets of the neighbouring joints, and a placement becomes a
 * rotation about x and a shift: 21 multiplications instead of 36.
 *
 *  All quantities are dimensionless: lengths are divided by `length_m`, so that errors of position
 * and rotation have equal weight for any size of robot. A *coordinate* is an independent joint
 * value: mimic joints have none. It is in rad, or in units of length_m if its joint slides. */
#ifndef SN_IK_SERIAL_H
#define SN_IK_SERIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "ik/spatial_simd.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/pose.h"

/** One body: the placement of its joint in the previous body, and its motion. */
typedef struct sn__serial_body {
  sn_vec3 shift;       /**< origin of the joint */
  double cos_x, sin_x; /**< then the turn about x, which makes the joint's axis the z axis */
  bool prismatic;      /**< slides by `scale * y + offset`; turn_scale is 0 */
  int coord;           /**< y is this coordinate */
  double scale, offset;
  double turn_scale, twist; /**< it turns by `turn_scale * y + twist` */
} sn__serial_body;

/** Immutable. */
typedef struct sn__serial {
  size_t body_count;
  size_t coord_count;
  double length_m;
  sn__serial_body *bodies; /**< [body_count] */
  sn_pose pose_base_first; /**< placement of the first body */
  sn_pose pose_last_tip;   /**< placement of the tip in the last body */

  const int *entry;   /**< [coord_count] place of the coordinate in the chain's vector */
  const double *unit; /**< [coord_count] chain's entry = unit * y */
  bool *periodic;     /**< [coord_count] adding 2 pi changes nothing */
  bool shared;        /**< some coordinate moves several bodies, or not one to one */
  const sn_chain *chain;
} sn__serial;

/** Scratch of one thread, and the outcome of the last evaluation. */
typedef struct sn__serial_data {
  double *angle, *sine, *cosine; /**< [body_count] */
  sn_vec3 *origin;               /**< [body_count] */
  sn_vec3 *axis;                 /**< [body_count] */
  sn__vec3_pair *body_column;    /**< [body_count] */
  sn__vec3_pair *column;         /**< [coord_count] the Jacobian: motion of the tip's origin */
  sn_pose last;                  /**< frame of the last body */
  sn_pose tip;
} sn__serial_data;

/** The unit of length of the chain, > 0: half of its reach. */
double sn__serial_length(const sn_chain *chain);

/** Compile @p chain, which must have one body per joint. @return false if memory runs out. */
bool sn__serial_create(sn_arena *arena, const sn_chain *chain, double length_m, sn__serial *out);

/** @return false if memory runs out. */
bool sn__serial_data_create(sn_arena *arena, const sn__serial *serial, sn__serial_data *out);

/** Frames of all bodies and of the tip for coordinates @p y.
 *  @param base  frame before the first body; usually outer frame * pose_base_first */
void sn__serial_forward(const sn__serial *serial, const sn_pose *base, const double *y,
                        sn__serial_data *data);

/** The Jacobian at the tip, in the outer frame; after sn__serial_forward(). */
void sn__serial_jacobian(const sn__serial *serial, sn__serial_data *data);

#endif
