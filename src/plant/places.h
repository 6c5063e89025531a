/** @file
 *  Internal: where a robot may touch the ground, from its shapes and contacts.
 *
 *  Of each link: the corners of boxes, points on the rims of cylinders, spheres, the two spheres of
 *  a capsule, vertices of the convex hull of a mesh. A link whose mesh cannot be read gets the box
 *  that has its mass and inertia, smaller if it would reach below the feet in the start pose. A
 *  link with mass and without shapes touches with its centre of mass.
 *
 *  A foot without shapes, or with a mesh and a contact of one point, touches with the points of its
 *  contact. If its shape is such a box, its
 *  sole, the lower face in the start pose, is moved to the highest point of the contact. */
#ifndef SN_PLANT_PLACES_H
#define SN_PLANT_PLACES_H

#include "plant/place_hulls.h"
#include "plant/rigid/contacts.h"
#include "sinew/kin.h"
#include "sinew/model.h"

/** A place, and the chain whose foot it belongs to (-1: none). */
typedef struct sn__place {
  sn__contact_place at;
  int chain;
} sn__place;

/** The places of a robot, sorted by body. */
typedef struct sn__place_list {
  sn__place *items;
  size_t count;
  const char *boxed; /**< a link with a mesh, which the box of its inertia replaces; NULL: none */
} sn__place_list;

/** @param kin    of the whole robot, updated with the start pose
 *  @param feet   chains
 *  @param hulls  of the meshes that were read
 *  @return false: no memory */
bool sn__places_find(sn_arena *arena, const sn_model *model, const sn_kin_data *kin,
                     const sn_names *feet, const sn__place_hulls *hulls, sn__place_list *out);

#endif
