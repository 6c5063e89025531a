/** @file
 *  Robots with legs, written by a few numbers. */
#ifndef SN_TEST_LEGGED_H
#define SN_TEST_LEGGED_H

#include <stdbool.h>
#include <stddef.h>

typedef enum legged_foot {
  LEGGED_SPHERE,   /**< a sphere in a link of its own */
  LEGGED_BOX,      /**< a box about the last link's frame: a sole */
  LEGGED_CYLINDER, /**< the lower leg is a cylinder, without a foot */
  LEGGED_MESH,     /**< a mesh that does not exist, in a link of its own */
} legged_foot;

/** A robot: x forward, y left, z up; lengths in m. */
typedef struct legged_robot {
  size_t rows;     /**< legs on each side */
  bool is_insect;  /**< legs spread sideways at zero: yaw, pitch, pitch; else roll, pitch,
                        pitch, straight down at zero */
  bool has_ankles; /**< further joints pitch and roll, and a yaw at the hip */
  legged_foot foot;
  double upper, lower;                /**< lengths */
  double size;                        /**< of the foot */
  double length, width;               /**< between first and last row, left and right hips */
  double mass_kg;                     /**< of the trunk */
  double com_x;                       /**< of the trunk */
  double knee_min, knee_max, hip_max; /**< limits, rad */
  bool is_anonymous;                  /**< names without meaning: l0, j1 */
} legged_robot;

/** A robot like Unitree's A1: 4 legs of 3 joints on spheres. */
extern const legged_robot legged_a1;
/** Six legs of 3 joints that spread sideways. */
extern const legged_robot legged_hexapod;
/** Two legs of 6 joints on boxes. */
extern const legged_robot legged_biped;

enum { LEGGED_TEXT_MAX = 32768 };

/** Its URDF, with NUL. @param text  room for LEGGED_TEXT_MAX */
void legged_write(const legged_robot *robot, char *text);

#endif
