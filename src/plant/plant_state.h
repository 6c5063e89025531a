/** @file
 *  Internal: what a plant is made of. Goals go through the bus (plant_bus.c) to the servos and from
 *  there to the physics (plant_step.c, physics.h); what comes of it is measured (plant_sense.c). */
#ifndef SN_PLANT_PLANT_STATE_H
#define SN_PLANT_PLANT_STATE_H

#include "msg/name_map.h"
#include "plant/physics.h"
#include "plant/plant.h"
#include "sinew/kin.h"
#include "sinew/random.h"

/** What the servos were told, once a cycle. */
typedef struct sn__plant_orders {
  double *goal; /**< [pose_size] */
  bool *limp;   /**< [pose_size] */
} sn__plant_orders;

struct sn_plant {
  const sn_model *model;
  size_t joint_count; /**< of the pose */
  sn_plant_settings settings;
  uint64_t seed;
  double step_max_s;
  sn__physics *physics;
  bool floats;
  sn__contacts contacts;
  int *contact_chains; /**< [contacts.point_count] chain of each point, or -1 */
  sn_pose start_base;
  sn__base_motion base;
  sn_kin_data *kin; /**< for the places of contacts */
  sn_tree tree;     /**< that of the model, but links without inertia are taken as they are */

  /* [joint_count] */
  sn_plant_servo *servos;
  sn__axle *axles;
  double *joint_friction; /**< dry, of the joint itself */
  double *joint_damping;  /**< likewise */
  double *start;
  double *q, *qd, *qdd, *load, *tau, *drive;
  double *push;
  bool *is_frozen, *is_silent;
  double *frozen_at;
  sn__name_map goal_names, push_names;
  bool *is_absent; /**< from the message that is being made */

  /* plant_bus.c */
  sn__plant_orders now;                             /**< as told last */
  sn__plant_orders history[SN_PLANT_DELAY_MAX + 1]; /**< a ring */
  size_t newest;
  double silence_s; /**< since the last goals */

  double voltage, current_A;
  sn_random noise, faults; /**< apart: a fault that is switched on does not change the noise */
  sn_plant_counts counts;
};

/** Makes physics, in the arena. @param axles  pose_size: what does not change of them is known */
typedef sn__physics *sn__physics_maker(sn_arena *arena, const sn_model *model,
                                       const sn__axle *axles, sn_error *err);

/** sn__plant_create() with somebody else's physics; NULL: our own. */
sn_status sn__plant_create_with(sn_arena *arena, const sn_model *model,
                                const sn_plant_config *config, sn__physics_maker *maker,
                                sn_plant **out, sn_error *err);

/** Free what somebody else's physics took; the plant is of no use afterwards. */
void sn__plant_release(sn_plant *plant);

/* ---- plant_ground.c ---- */

/** Make contacts and ground, and place the robot on it in its start pose.
 *  @return SN_OK, SN_EINVAL (the ground) or SN_ENOMEM */
sn_status sn__plant_make_ground(sn_plant *plant, sn_arena *arena, const sn_plant_ground *ground,
                                sn_error *err);

/* ---- plant_bus.c ---- */

bool sn__plant_bus_create(sn_plant *plant, sn_arena *arena);
/** Every servo holds where it starts. RT: yes */
void sn__plant_bus_reset(sn_plant *plant) SN_RT;
/** Every servo holds where it is, or goes limp, from now on: goals that are on the way are lost.
 *  RT: yes */
void sn__plant_bus_hold(sn_plant *plant, bool is_limp) SN_RT;
/** The orders stay in force although no goals come. RT: yes */
void sn__plant_bus_keep(sn_plant *plant) SN_RT;
/** A cycle begins. @return the orders that take effect in it. RT: yes */
const sn__plant_orders *sn__plant_bus_step(sn_plant *plant, double dt_s) SN_RT;

/** Is this an entry of the pose with a servo of its own? */
static inline bool sn__has_servo(const sn_joint *joint) {
  return joint->mimic < 0 && joint->body >= 0;
}

/** Does a fault happen? One that cannot draws nothing. */
static inline bool sn__plant_happens(sn_plant *plant, double rate) {
  return rate > 0.0 && sn_random_unit(&plant->faults) < rate;
}

#endif
