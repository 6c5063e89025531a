/** @file
 *  Internal: the state of a plant. Goals pass through the bus (plant_bus.c) to the servos and the
 *  physics (plant_step.c, physics.h); plant_sense.c measures the result. */
#ifndef SN_PLANT_PLANT_STATE_H
#define SN_PLANT_PLANT_STATE_H

#include "msg/name_map.h"
#include "plant/physics.h"
#include "plant/plant.h"
#include "sinew/kin.h"
#include "sinew/random.h"

/** The IMU. */
typedef struct sn__plant_imu {
  sn_random noise;
  sn_pose start_pose;     /**< of the base, at the start of the cycle */
  sn_vec3 start_velocity; /**< of the base in the world, likewise */
  sn_plant_imu exact;     /**< of the last cycle */
  sn_plant_imu ring[SN_PLANT_DELAY_MAX + 1];
  size_t newest;
} sn__plant_imu;

/** Cycles of which the commands are known: those in force may be delayed, and the ones before. */
enum { SN__PLANT_SLOTS = SN_PLANT_DELAY_MAX + 2 };

/** Commands to the servos in a cycle. */
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
  int *contact_chains;    /**< [contacts.point_count] chain of each point, or -1 */
  const char *boxed_link; /**< see sn__plant_boxed_link() */
  sn_pose start_base;
  double start_lift_m;
  sn__base_motion base;
  const sn_names *foot_names; /**< chains of the feet */
  sn__plant_imu imu;
  sn_kin_data *kin; /**< of the present pose, for the places of contacts */
  sn_tree tree;     /**< that of the model, with massless links accepted */

  /* [joint_count] */
  sn_plant_servo *servos;
  sn__axle *axles;
  double *joint_friction; /**< dry, of the joint itself */
  double *joint_damping;  /**< likewise */
  double *start;
  double *q, *qd, *qdd, *load, *tau, *drive;
  double *push;
  sn__body_push *body_pushes; /**< [links] those of the last message */
  size_t body_push_count;
  unsigned *faults; /**< sums of sn_plant_fault */
  double *frozen_at;
  sn__name_map goal_names, push_names, link_names;
  bool *is_absent; /**< omitted from the current message */

  /* plant_bus.c */
  sn__plant_orders now;                      /**< the last commands */
  sn__plant_orders history[SN__PLANT_SLOTS]; /**< a ring */
  size_t newest;
  double silence_s; /**< since the last goals */

  double voltage, current_A;
  sn_random noise, losses, disturbance; /**< separate: faults must not change the noise */
  sn_plant_counts counts;
};

/** sn__plant_create() with other physics; NULL: Sinew's. */
sn_status sn__plant_create_with(sn_arena *arena, const sn_model *model,
                                const sn_plant_config *config, sn__physics_maker *maker,
                                sn_plant **out, sn_error *err);

/** Free the resources of other physics; the plant must not be used afterwards. */
void sn__plant_release(sn_plant *plant);

/** Bring to rest where it is: servos hold, nothing pushes. RT: yes */
void sn__plant_rest(sn_plant *plant) SN_RT;

/* ---- plant_ground.c ---- */

/** Create contacts and ground.
 *  @return SN_OK, SN_EINVAL (the ground) or SN_ENOMEM */
sn_status sn__plant_make_ground(sn_plant *plant, sn_arena *arena, const sn_plant_config *config,
                                sn_error *err);

/* ---- plant_place.c ---- */

/** Find where a floating base starts. */
void sn__plant_find_start(sn_plant *plant, const sn_pose *start_base);

/* ---- plant_feet.c ---- */

/** Find the feet. @return false: no memory */
bool sn__plant_find_feet(sn_plant *plant, sn_arena *arena);

/* ---- plant_imu.c ---- */

void sn__plant_imu_reset(sn_plant *plant) SN_RT;
/** A cycle begins or ends. RT: yes */
void sn__plant_imu_begin(sn_plant *plant) SN_RT;
void sn__plant_imu_end(sn_plant *plant, double dt_s) SN_RT;

/* ---- plant_bus.c ---- */

bool sn__plant_bus_create(sn_plant *plant, sn_arena *arena);
/** Every servo holds its position, or goes limp, from now on: goals on the bus are lost.
 *  RT: yes */
void sn__plant_bus_hold(sn_plant *plant, bool is_limp) SN_RT;
/** Keep the orders in force without new goals. RT: yes */
void sn__plant_bus_keep(sn_plant *plant) SN_RT;
/** A cycle begins. RT: yes */
void sn__plant_bus_step(sn_plant *plant, double dt_s) SN_RT;
/** The orders that arrive at the servos in this cycle, or did so some cycles before; at most the
 *  oldest ones. RT: yes */
const sn__plant_orders *sn__plant_bus_orders(const sn_plant *plant, size_t cycles) SN_RT;

/** Does this entry of the pose have a servo? */
static inline bool sn__has_servo(const sn_joint *joint) {
  return joint->mimic < 0 && joint->body >= 0;
}

/** Draw whether a fault happens. A rate of 0 draws no number. */
static inline bool sn__plant_happens(sn_plant *plant, double rate) {
  return rate > 0.0 && sn_random_unit(&plant->losses) < rate;
}

#endif
