/** @file
 *  Balance of a standing robot: joint efforts and ground forces for a given motion.
 *
 *  The joints move as commanded and the supporting feet stay where they are, which determines the
 * motion of the base. Inverse dynamics gives the wrench that the ground must exert; it is
 * distributed over the contacts, and the joints provide the rest.
 *
 *  Everything is in the frame of the base: the robot's root link. */
#ifndef SN_DYN_BALANCE_H
#define SN_DYN_BALANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/spatial.h"
#include "sinew/status.h"
#include "sinew/vec3.h"

SN_BEGIN_DECLS

/** A chain that may support the robot. */
typedef struct sn_support {
  size_t chain;   /**< of the model */
  int contact;    /**< of the model, at the chain's last physical link; -1: the link's origin */
  double support; /**< 0 (in the air) .. 1 (carries its full share); other values are clamped */
} sn_support;

/** Input of a step. */
typedef struct sn_balance_input {
  const double *q;   /**< sorted pose */
  const double *qd;  /**< NULL means at rest */
  const double *qdd; /**< NULL means none */
  const sn_support *supports;
  size_t support_count; /**< at most one for each chain */
  sn_vec3 gravity;      /**< m/s², not 0; the ground is normal to it */
  double friction;      /**< of the ground, >= 0 */
  bool base_is_still;   /**< the base does not move, whatever the feet do; otherwise it moves such
                           that the supporting points stay fixed in the least-squares sense, or rests
                           without support */
  const sn_spatial *base_twist; /**< how the base moves if nothing supports it, relative to the
                                     ground, in the frame of the base; NULL: at rest */
} sn_balance_input;

/** Result of a step; arrays belong to the instance and are valid until its next step. */
typedef struct sn_balance_result {
  sn_spatial base_twist;        /**< relative to the ground */
  sn_spatial base_acceleration; /**< spatial: rate of change of the six numbers */
  double mass_kg;
  sn_vec3 com;          /**< centre of mass, m */
  sn_vec3 com_velocity; /**< relative to the ground, m/s */
  sn_spatial needed;    /**< wrench needed to hold the robot, about the origin of the base */

  size_t carrying_count;      /**< number of supports greater than 0 */
  const sn_spatial *wrenches; /**< [support_count] of the ground on the robot, about the mean of
                                   the contact's points */
  bool balanced;              /**< the forces provide the whole wrench */
  sn_spatial missing; /**< needed wrench minus that of the forces, about the origin of the base:
                         something else holds the robot, or it moves differently */

  bool has_zmp; /**< there is support and it must push */
  sn_vec3 zmp;  /**< zero-moment point on the ground, which is at the mean height of the supporting
                   points; 0 if there is none */
  size_t corner_count;    /**< of the support polygon */
  const sn_vec3 *corners; /**< counter-clockwise seen from above */
  double margin_m;        /**< from the ZMP to the edge, negative outside; 0 without a ZMP */
} sn_balance_result;

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_balance sn_balance;

/** Links without inertia are massless.
 *  @param model  must outlive the instance
 *  @param out    set on success, untouched on failure
 *  @param err    receives the reason on failure; may be NULL
 *  @return SN_OK, SN_EMODEL (the robot has no mass) or SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
sn_status sn__balance_create(sn_arena *arena, const sn_model *model, sn_balance **out,
                             sn_error *err);

/** Compute one step. An unknown chain or contact, or more supports than chains, is a fault.
 *  @param tau     out: joint efforts in the order of the sorted pose, N·m or N; may be qd or qdd
 *  @param result  out; may be NULL
 *  RT: yes, O(bodies + contact points), times up to SN_CONTACT_ROUNDS_MAX for the points.
 *  Threads: owner. */
void sn__balance_step(sn_balance *balance, const sn_balance_input *input, double *tau,
                      sn_balance_result *result) SN_RT;

SN_END_DECLS

#endif
