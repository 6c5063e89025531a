/** @file
 *  Internal: which joint of a leader drives which joint of this robot, and how:
 *  follower = scale * leader + offset. */
#ifndef SN_CONTROLLERS_GUIDED_LEADER_MAP_H
#define SN_CONTROLLERS_GUIDED_LEADER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controllers/guided/leader_track.h"
#include "msg/name_map.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/property.h"
#include "sinew/status.h"

/** An item of the property `joints`. */
typedef struct sn__leader_item {
  const char *leader, *follower; /**< an empty follower: the joint with the name of the leader's */
  double scale, offset;
} sn__leader_item;

extern const sn_property sn__leader_item_table[];

/** A joint of the leader and what it drives. */
typedef struct sn__leader_joint {
  size_t follower; /**< in the sorted pose */
  double scale, offset;
  double sample;          /**< the last position of the leader's joint */
  sn__leader_track track; /**< of the leader's joint, in its own measure */
} sn__leader_joint;

typedef struct sn__leader_map {
  const sn_names *names; /**< of the leader's joints */
  sn__name_map in_message;
  sn__leader_joint *joints; /**< [count], in the order of `names` */
  size_t count;
  double memory_s;    /**< of the tracks */
  int64_t timeout_ns; /**< a joint that is not heard for longer is silent */
  int64_t news_ns;    /**< when a message was taken that said something new */
} sn__leader_map;

/** Make a map.
 *  @param out    in: `memory_s` and `timeout_ns`; the rest is filled
 *  @param items  of sn__leader_item; none: every joint drives the one of its own name
 *  @return SN_OK; SN_ENOENT: the robot has no such joint; SN_EINVAL: a joint appears twice, it
 * mimics another one, or its scale is 0; SN_ENOMEM.  RT: no, allocates. */
sn_status sn__leader_map_create(sn_arena *arena, const sn_model *model, const sn_bags *items,
                                sn__leader_map *out, sn_error *err);

/** Nothing is known of the leader any more. RT: yes. */
void sn__leader_map_forget(sn__leader_map *map) SN_RT;

/** A message of the leader: any order, any subset. A driver of servos repeats what it read until it
 *  reads again; such a message says nothing new, and counts only if nothing else does for a quarter
 *  of the time-out. A position beyond 1e6 is ignored.
 *  @param entry  out: the joint of the leader that is wrong; -1: none in particular
 *  @return what is wrong with it; then none of it was taken.  RT: yes. */
sn__read_verdict sn__leader_map_take(sn__leader_map *map, const sn_joint_state *msg, int64_t now_ns,
                                     int *entry) SN_RT;

/** The joint of the leader that drives an owned joint and has been silent for longest.
 *  @param owned   [pose size]
 *  @param age_ns  out: for how long; INT64_MAX: it was never heard
 *  @return its index in the map, or -1: the leader drives no owned joint.  RT: yes. */
int sn__leader_map_oldest(const sn__leader_map *map, const bool *owned, int64_t now_ns,
                          int64_t *age_ns) SN_RT;

/** What the leader wants of the joint that it drives. RT: yes. */
void sn__leader_joint_wants(const sn__leader_map *map, size_t index, int64_t now_ns, double *q,
                            double *qd) SN_RT;

#endif
