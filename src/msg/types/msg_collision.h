/** @file
 *  Messages of the collision guard in the component `aggregator`: what it sees (output `collision`,
 *  operation `getCollision`), which pairs it checks (`setCollisionPair`), and the objects around
 * the robot (operations `addObject`, `removeObject`, `listObjects`, input `in_world`, output
 * `world`).
 */
#ifndef SN_MSG_TYPES_MSG_COLLISION_H
#define SN_MSG_TYPES_MSG_COLLISION_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_types.h"

SN_BEGIN_DECLS

/** The nearest pair of links at the commanded pose, and whether the guard slows joints down. Points
 *  are in the frame of the root link, `header.frame_id`. */
typedef struct sn_collision_state {
  sn_header header;
  bool enabled;           /**< false: nothing is guarded, and `reason` says why */
  sn_msg_text reason;     /**< empty if enabled */
  uint32_t pair_count;    /**< pairs that are guarded */
  uint32_t off_count;     /**< pairs of shapes that are switched off while it runs */
  uint32_t object_count;  /**< objects of the world */
  double margin;          /**< distance that is kept, m */
  bool near;              /**< a pair is nearer than 10 margins: the fields below are set */
  sn_msg_text link_a;     /**< a link */
  sn_msg_text link_b;     /**< a link, or an object of the world */
  double distance;        /**< m; negative: how deep they overlap */
  sn_vec3 point_a;        /**< nearest point of link_a, m */
  sn_vec3 point_b;        /**< nearest point of link_b, m */
  bool blocked;           /**< joints of this pair are slowed down or stopped because of it */
  sn_msg_text owners;     /**< controllers of the joints between the two, with commas */
  uint64_t blocked_count; /**< cycles in which any pair was blocked, since the start */
} sn_collision_state;

/** An object that the robot must not touch, fixed to the root link, or to the world if
 *  the gate knows where that is. */
typedef struct sn_world_object {
  sn_msg_text name;   /**< one object of this name exists at most */
  sn_msg_text shape;  /**< `box`, `sphere`, `cylinder`, `plane` or `hull` */
  sn_seq_f64 size;    /**< box: three edges; sphere: radius; cylinder: radius, length; m */
  sn_seq_vec3 points; /**< hull: its corners, m */
  sn_msg_pose pose; /**< of its middle; a plane is solid below its z axis. An orientation of length
                         zero is not turned */
} sn_world_object;

/** A change of the objects, one at a time. */
typedef struct sn_world_change {
  sn_header header; /**< frame_id: of the object's pose. The root link, or the frame in which the
                         base is known; empty: as the objects are fixed */
  sn_msg_text operation; /**< `add` (replaces an object of the same name), `remove` (only its name
                              counts), `clear` (all objects); empty means `add` */
  sn_world_object object;
} sn_world_change;

/** Two links, or a link and an object. */
typedef struct sn_collision_pair {
  sn_msg_text link_a, link_b;
  bool guarded; /**< whether they are kept apart */
} sn_collision_pair;

/** How far a way through poses is free: the answer to `checkWay`. */
typedef struct sn_checked_way {
  double checked; /**< poses of the request: 2.5 is halfway from the third to the fourth; the last
                     one or `blocked`, or else ask again from there */
  bool blocked;   /**< two links, or a link and an object, would come too near there */
  sn_msg_text link_a, link_b;
  double distance; /**< between them there, m; negative: how deep they overlap */
} sn_checked_way;

SN_SEQ_DEFINE(sn_seq_world_object, sn_world_object);

/** All objects. */
typedef struct sn_world_object_list {
  sn_header header; /**< frame_id of the output `world`: the root link, where the objects are now */
  sn_seq_world_object objects;
  bool complete; /**< false: more than fit into the message */
} sn_world_object_list;

extern const sn_msg_type sn_collision_state_type;
extern const sn_msg_type sn_world_object_type;
extern const sn_msg_type sn_world_object_list_type;
extern const sn_msg_type sn_world_change_type;
extern const sn_msg_type sn_collision_pair_type;
extern const sn_msg_type sn_checked_way_type;

SN_END_DECLS

#endif
