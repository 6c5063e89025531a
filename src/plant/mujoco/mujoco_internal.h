/** @file
 *  Internal to mujoco_physics.c and mujoco_ground.c: the state of MuJoCo's physics. */
#ifndef SN_PLANT_MUJOCO_MUJOCO_INTERNAL_H
#define SN_PLANT_MUJOCO_MUJOCO_INTERNAL_H

#include "plant/mujoco/mujoco_library.h"
#include "plant/physics.h"
#include "sinew/dyn.h"

typedef struct sn__mujoco {
  sn__physics physics;
  sn__mujoco_library library;
  mjModel *m;
  mjData *d;
  sn_tree tree;
  sn_dyn_data *dyn; /**< for the loads */
  size_t count;     /**< entries of the pose */
  int *joint;       /**< [body_count] MuJoCo's number */
  int *body;        /**< [body_count] likewise */
  int *position;    /**< [count] where MuJoCo keeps the position of a joint with a servo */
  int *freedom;     /**< [count] likewise its velocity */

  /* mujoco_ground.c */
  int base;                        /**< MuJoCo's number of the base; 0, the world, if fixed */
  int base_position, base_freedom; /**< where MuJoCo keeps its state, if it floats */
  sn__contacts *contacts;          /**< NULL: no ground */
  int *point_of;                   /**< [ngeom] contact point of a geom; -1: the ground */
  sn_spatial *forces;              /**< [body_count] pushes and those of the ground, in the frame of
                                    *  the body */
} sn__mujoco;

/** Find base and contact points in MuJoCo's model. @return false if the arena is full */
bool sn__mujoco_find_ground(sn__mujoco *p, sn_arena *arena, const sn__physics_setup *setup);

/** Set the state of the base. RT: yes */
void sn__mujoco_place_base(sn__mujoco *p, const sn__base_motion *base) SN_RT;

/** In a step, before MuJoCo computes forces: set the pushes, and add them to the forces on the
 *  bodies. RT: yes */
void sn__mujoco_push(sn__mujoco *p, const sn__influences *acting) SN_RT;

/** Likewise: make contacts slide by Coulomb's law, and count their whole depth. RT: yes */
void sn__mujoco_correct_contacts(sn__mujoco *p) SN_RT;

/** After a step: read the contacts, and add their forces to those on the bodies. RT: yes */
void sn__mujoco_read_contacts(sn__mujoco *p) SN_RT;

/** After a step of length h_s: read the state of the base. RT: yes */
void sn__mujoco_read_base(const sn__mujoco *p, double h_s, sn__base_motion *base) SN_RT;

#endif
