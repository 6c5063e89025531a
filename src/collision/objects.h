/** @file
 *  Internal: objects of the world, which come and go while the checker runs. */
#ifndef SN_COLLISION_OBJECTS_H
#define SN_COLLISION_OBJECTS_H

#include "collision/collision.h"
#include "collision/convex.h"

#define SN__OBJECT_POINTS_MAX 48 /**< corners of a hull */
#define SN__OBJECT_NAME_SIZE 64

/** Feet may touch the object of this name: the last links of limbs with a contact. */
#define SN__OBJECT_GROUND "ground"

/** An object, fixed to the root link, or to the world after sn__collision_set_base(). */
typedef struct sn__object {
  char name[SN__OBJECT_NAME_SIZE];
  sn__convex convex;
  sn_pose pose;
} sn__object;

/** Make the shape of an object from numbers that anyone may have sent.
 *  @param shape  `box` (three edges), `sphere` (radius), `cylinder` (radius, length), `plane`,
 *                `hull` (corners); m
 *  @param out    its convex is set; corners stay where they are
 *  @return SN_OK or SN_EINVAL with the reason
 *  RT: yes. */
SN_API sn_status sn__object_shape(const char *shape, const double *size, size_t size_count,
                                  const sn_vec3 *points, size_t point_count, sn__object *out,
                                  sn_error *err) SN_RT;

/** Add an object; corners are copied.
 *  @return SN_OK; SN_EINVAL: the name is empty, too long or taken, or its place is not finite;
 *          SN_ELIMIT: there is no room for more
 *  RT: yes, O(parts + objects).  Threads: owner. */
SN_API sn_status sn__collision_add_object(sn__collision *collision, const sn__object *object,
                                          sn_error *err) SN_RT;

/** Remove one. @return false if there is none of this name. RT: yes, O(parts).  Threads: owner. */
SN_API bool sn__collision_remove_object(sn__collision *collision, const char *name) SN_RT;

/** Remove all. RT: yes, O(1).  Threads: owner. */
SN_API void sn__collision_clear_objects(sn__collision *collision) SN_RT;

/** Remove one and keep it, to add it again.
 *  @param out     set if there is one of this name
 *  @param points  SN__OBJECT_POINTS_MAX, for its corners
 *  @return false if there is none.  RT: yes, O(parts).  Threads: owner. */
SN_API bool sn__collision_take_object(sn__collision *collision, const char *name, sn__object *out,
                                      sn_vec3 *points) SN_RT;

/** Where the root link is: objects are fixed to the world from now on. RT: yes.  Threads: owner. */
SN_API void sn__collision_set_base(sn__collision *collision, sn_pose pose_world_root) SN_RT;

SN_API size_t sn__collision_object_count(const sn__collision *collision) SN_RT;
/** @param index  any below the count; removing one changes the order */
SN_API const sn__object *sn__collision_object(const sn__collision *collision, size_t index) SN_RT;

#endif
