/** @file
 *  Internal: the path of a tool: lines, arcs and splines of position and orientation, one after the
 *  other, with rounded corners.
 *
 *  The parameter u is the length of the path in m; where a segment turns more than it moves, a
 *  radian counts as SN__TOOL_RADIAN_M. In a corner with a blend radius R, from R before it to R
 * after it, the motions on both segments overlap: one fades out while the other begins, so that the
 *  path keeps its direction and its curvature where the corner begins and ends. */
#ifndef SN_PATH_TOOL_CURVE_H
#define SN_PATH_TOOL_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include "path/joint_path.h"
#include "sinew/api.h"
#include "sinew/pose.h"

/** What a radian counts in the length of a path, m. */
#define SN__TOOL_RADIAN_M 0.1

typedef enum sn__tool_shape { SN__TOOL_LINE, SN__TOOL_ARC, SN__TOOL_CURVE } sn__tool_shape;

/** One segment; orientation turns at a constant rate about a fixed axis, but for a curve. */
typedef struct sn__tool_segment {
  sn__tool_shape shape;
  sn_pose start;
  sn_vec3 way;            /**< of a line: from start to end, m */
  sn_vec3 centre, axis;   /**< of an arc */
  double angle;           /**< of an arc, rad */
  sn_vec3 turn;           /**< rotation vector from start to end, in the base */
  sn__joint_path *spline; /**< of a curve: position, and rotation vector from the start times
                               SN__TOOL_RADIAN_M */
  double length;          /**< m, > 0 */
  double blend_m;         /**< radius of the corner at its end; 0 at the last one */
  size_t target;          /**< the number of the target at its end */
} sn__tool_segment;

typedef struct sn__tool_curve {
  const sn__tool_segment *segments;
  size_t count;
  double length; /**< m */
} sn__tool_curve;

/** A line; its length is 0 if both poses are the same. */
sn__tool_segment sn__tool_line(sn_pose from, sn_pose to) SN_RT;

/** An arc from the position of @p from through @p via to @p to.
 *  @return false: the three points are on a line, or some are the same */
bool sn__tool_arc(sn_pose from, sn_vec3 via, sn_pose to, sn__tool_segment *out) SN_RT;

/** The pose at 0 .. length. RT: yes, O(segments). */
sn_pose sn__tool_curve_at(const sn__tool_curve *curve, double u) SN_RT;

/** Which segment a place is on, and how far. RT: yes, O(segments). */
size_t sn__tool_curve_segment(const sn__tool_curve *curve, double u, double *along) SN_RT;

#endif
