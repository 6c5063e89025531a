/** @file
 *  Internal: the component `kinematics_inv`. */
#ifndef SN_ROBOT_KINEMATICS_INV_H
#define SN_ROBOT_KINEMATICS_INV_H

#include "avoid/ik_avoid.h"
#include "controllers/inverse_kinematics.h"
#include "ik/limb/limb_ik.h"
#include "msg/name_map.h"
#include "sinew/component.h"
#include "sinew/kin.h"
#include "sinew/spatial.h"

/** Target of a limb. */
typedef struct sn__limb_target {
  sn_pose goal; /**< of the tip, from its first link */
  sn_spatial twist;
  bool is_pose, has_twist;  /**< its orientation is valid; it has a velocity */
  uint64_t message;         /**< number of its message */
  sn_log_limit reported[2]; /**< that the limb reaches it again, that it does not */
} sn__limb_target;

/** Why a reference is unusable. */
typedef enum sn__objection {
  SN__NO_POSE,
  SN__NO_FRAME,
  SN__NO_CHAIN,
  SN__OBJECTION_COUNT, /**< none */
} sn__objection;

/** What the deployment states about chains: items of lists of bags (kinematics_inv_chains.c). */
typedef struct sn__chain_free {
  const char *chain;
  sn_texts axes;
} sn__chain_free;

typedef struct sn__chain_limits {
  const char *chain;
  sn_reals q_min, q_max;
} sn__chain_limits;

typedef struct sn__chain_nominal {
  const char *chain;
  sn_reals q;
} sn__chain_nominal;

typedef struct sn__chain_weights {
  const char *chain;
  double position, rotation, nominal;
} sn__chain_weights;

extern const sn_property sn__chain_free_properties[], sn__chain_limits_properties[],
    sn__chain_nominal_properties[], sn__chain_weights_properties[];

typedef struct sn__kinematics_inv {
  sn_component component;
  const char *solver;
  sn_bags free, limits, nominal, weights; /**< of the structs above */
  sn_texts chains;
  bool with_virtual, avoids_collisions;
  double collision_margin_m;
  const char *collision_srdf;
  double jump_max, timeout_s;
  const char *unreachable;
  sn_input limbs_ref, joints_sorted, world;
  sn_output joints_ref;
  sn_requester robot_model;

  sn__inverse_kinematics iface;
  sn_clock stopped; /**< of the solvers of others */
  const sn_model *model;
  sn_kin_data *kin;
  sn__collision *collision; /**< of all limbs; NULL: collisions are not avoided */
  size_t joint_count, chain_count;
  sn__limb_ik *limbs;         /**< [chain_count] */
  sn__limb_target *targets;   /**< [chain_count] */
  size_t *wanted, *wanted_on; /**< [chain_count] chains with a target; scratch for the next list */
  size_t wanted_count;
  uint64_t message_count;    /**< ever */
  int64_t stamp_ns;          /**< of the newest message of this cycle */
  bool has_twists;           /**< one of them has velocities */
  sn__name_map names;        /**< of joints_sorted */
  double *q, *ref, *rate;    /**< sorted */
  bool *named, *named_last;  /**< [joint_count] joints of the answer, of the last answer */
  bool has_pose, has_answer; /**< a complete pose has arrived; an answer was published */
  sn_log_limit refused[SN__OBJECTION_COUNT];
  sn_log_limit world_refused;
} sn__kinematics_inv;

/** The hook `translate`: files of the original system name limits and tolerances by the chain,
 *  `leg1_q_min`, `leg1_q_max`, `head_tolerance`. A tolerance that is not 0 makes its axis free
 *  (kinematics_inv_original.c). */
const sn_value *sn__kinematics_inv_translate(sn_arena *arena, const sn_value *bag,
                                             sn_report *report);

/** Does everything that the deployment states about chains fit the robot?
 *  @return SN_OK, SN_ENOENT (an unknown chain) or SN_EINVAL (kinematics_inv_chains.c) */
sn_status sn__kinematics_inv_check_chains(const sn__kinematics_inv *self, sn_error *err);

/** A solver of a chain with all that is stated about it.
 *  @param clock  of its timeout
 *  @return as sn__limb_ik_create() */
sn_status sn__kinematics_inv_create_limb(const sn__kinematics_inv *self, sn_arena *arena,
                                         size_t chain, const sn_clock *clock, sn__limb_ik *limb,
                                         sn_error *err);

/** Of the robot that the component uses (kinematics_inv_collision.c).
 *  @param object_capacity  room for objects of the world
 *  @return as sn__collision_create() */
sn_status sn__kinematics_inv_create_checker(const sn__kinematics_inv *self, sn_arena *arena,
                                            size_t object_capacity, sn__collision **out,
                                            sn_error *err);

/** Take the objects of the world, if there is a new list. RT: yes, O(objects · parts). */
void sn__kinematics_inv_read_world(sn__kinematics_inv *self, int64_t now_ns) SN_RT;

/** Let a limb accept only poses without a collision.
 *  @return SN_OK or SN_ENOMEM */
sn_status sn__kinematics_inv_avoid(const sn__kinematics_inv *self, sn_arena *arena,
                                   sn__collision *collision, sn__limb_ik *limb, sn_error *err);

/** The hook (kinematics_inv_cycle.c). */
sn_status sn__kinematics_inv_step(sn_component *component, int64_t now_ns) SN_RT;

#endif
