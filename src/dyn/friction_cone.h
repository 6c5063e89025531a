/** @file
 *  Internal: the nearest force that friction allows. */
#ifndef SN_DYN_FRICTION_CONE_H
#define SN_DYN_FRICTION_CONE_H

#include <math.h>
#include <stdbool.h>

#include "sinew/vec3.h"

/** All forces with |tangent| <= friction * normal. */
typedef struct sn__cone {
  sn_vec3 normal;  /**< unit vector */
  double friction; /**< tangent of half the angle of the cone */
  double sine, cosine;
} sn__cone;

static inline sn__cone sn__cone_make(sn_vec3 normal, double friction) {
  const double cosine = 1.0 / sqrt(1.0 + friction * friction);
  return (sn__cone){normal, friction, friction * cosine, cosine};
}

/** The nearest point of the cone, and how it moves: its derivative is the identity inside, 0 in the
 *  opposite cone, else edge edge^T + across_rate across across^T. */
typedef struct sn__cone_point {
  sn_vec3 nearest;
  bool is_inside;
  double along; /**< length on the edge; 0: the point is the tip of the cone */
  sn_vec3 edge;
  sn_vec3 across;
  double across_rate;
} sn__cone_point;

static inline sn__cone_point sn__cone_project(const sn__cone *cone, sn_vec3 g) {
  const double up = sn_vec3_dot(cone->normal, g);
  const sn_vec3 tangent = sn_vec3_add_scaled(g, -up, cone->normal);
  const double slip = sn_vec3_norm(tangent);
  sn__cone_point p = {.nearest = g, .is_inside = true};
  if (slip <= cone->friction * up) {
    return p;
  }
  p.is_inside = false;
  p.along = cone->cosine * up + cone->sine * slip;
  if (p.along <= 0.0) {
    p.nearest = sn_vec3_make(0, 0, 0);
    p.along = 0.0;
    return p;
  }
  const sn_vec3 direction = sn_vec3_scale(tangent, slip > 0.0 ? 1.0 / slip : 0.0);
  p.edge = sn_vec3_add_scaled(sn_vec3_scale(cone->normal, cone->cosine), cone->sine, direction);
  p.nearest = sn_vec3_scale(p.edge, p.along);
  p.across = sn_vec3_cross(cone->normal, direction);
  p.across_rate = slip > 0.0 ? p.along * cone->sine / slip : 0.0;
  return p;
}

#endif
