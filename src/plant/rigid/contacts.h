/** @file
 *  Internal: points of a robot that touch the ground, and the forces there, for the implicit step
 *  of rigid.c.
 *
 *  A point that touches is held by two springs with dampers. The one along the normal only pushes.
 *  The one along the ground is anchored where the point touched down, so that a sticking point
 *  does not creep; it carries at most the friction coefficient times the normal force of
 *  the step before, and drags its anchor along when it slides. Both forces depend on the velocity
 * at the end of the step and are gradients of a convex function of it, like the laws of the joints.
 *
 *  Spatial vectors are in the frame of the base, about its origin. */
#ifndef SN_PLANT_CONTACTS_H
#define SN_PLANT_CONTACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "plant/rigid/ground.h"
#include "sinew/arena.h"
#include "sinew/spatial.h"

/** One point, or sphere, on a body. */
typedef struct sn__contact_point {
  int body;      /**< of the tree; -1: the base */
  sn_vec3 at;    /**< in the frame of the body, m */
  double radius; /**< of a sphere about it, which is what touches; 0: a point */

  bool is_touching; /**< at the end of the last step */
  sn_vec3 anchor;   /**< in the world; valid while it touches. A sphere takes it along */
  sn_vec3 stretch;  /**< from the point to its anchor at the end of the last step */
  double normal_N;  /**< normal force at the end of the last step */
  sn_vec3 force_N;  /**< whole force at the end of the last step, in the world */

  /* Of the step under way, in the frame of the base. */
  bool is_near;
  sn_vec3 where;     /**< what touches: position at the beginning of the step */
  sn_vec3 normal;    /**< of the ground */
  sn_vec3 pull;      /**< force of the anchored spring */
  double gap, limit; /**< m; of the force along the ground, N */
} sn__contact_point;

/** All points of one body. */
typedef struct sn__contact_body {
  int body; /**< of the tree; -1: the base */
  size_t first, count;
  sn_vec3 middle; /**< of a sphere around its points, in the frame of the body */
  double radius;  /**< likewise */
  bool is_near;   /**< one of its points may touch in this step */
} sn__contact_body;

typedef struct sn__contacts {
  sn__ground ground;
  size_t body_count;
  sn__contact_body *bodies;
  size_t point_count;
  sn__contact_point *points;
  double stiffness, damping; /**< of a point, N/m and N·s/m */
} sn__contacts;

/** Force on a body, and its decrease with the motion of the body. */
typedef struct sn__contact_force {
  sn_spatial force;
  double slope[6][6]; /**< symmetric, positive semi-definite */
} sn__contact_force;

/** A contact point to add. */
typedef struct sn__contact_place {
  int body;      /**< of the tree; -1: the base */
  sn_vec3 at;    /**< in the frame of the body, m */
  double radius; /**< of a sphere about it; 0: a point */
} sn__contact_place;

/** @param places   sorted by body; copied
 *  @param mass_kg  of the whole robot: its weight on one point sinks in by 0.1 mm
 *  @return false if the arena is full */
bool sn__contacts_create(sn_arena *arena, const sn__contact_place *places, size_t count,
                         double mass_kg, sn__contacts *out);

/** No point touches. RT: yes. */
void sn__contacts_reset(sn__contacts *contacts) SN_RT;

/** A step begins: find the points that may touch.
 *  @param poses  of each contact body in the frame of the base
 *  @param h_s    length of the step
 *  @param speed  bound of the velocity of any point, m/s
 *  RT: yes. */
void sn__contacts_begin(sn__contacts *contacts, const sn_pose *pose_world_base,
                        const sn_pose *poses, double h_s, double speed) SN_RT;

/** Force on a contact body that moves with @p twist at the end of the step. RT: yes. */
sn__contact_force sn__contacts_force(const sn__contacts *contacts, const sn__contact_body *body,
                                     sn_spatial twist, double h_s) SN_RT;

/** The same without its slope. RT: yes. */
sn_spatial sn__contacts_wrench(const sn__contacts *contacts, const sn__contact_body *body,
                               sn_spatial twist, double h_s) SN_RT;

/** Finish a step with this motion of a contact body. @return the force on it. RT: yes. */
sn_spatial sn__contacts_end(sn__contacts *contacts, const sn__contact_body *body,
                            const sn_pose *pose_world_base, sn_spatial twist, double h_s) SN_RT;

#endif
