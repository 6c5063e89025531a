/** @file
 *  Internal: the frames that a controller of poses knows: the world, the base in it, the path frame
 *  and the links of the robot. Without a known base the world is the base where the controller
 *  begins. */
#ifndef SN_CONTROLLERS_CARTESIAN_WORLD_H
#define SN_CONTROLLERS_CARTESIAN_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/arena.h"
#include "sinew/controller.h"
#include "sinew/kin.h"
#include "sinew/model.h"
#include "sinew/msg_types.h"
#include "sinew/port.h"
#include "sinew/status.h"
#include "traj/body_filter.h"

/** Names of the world and of the path frame. */
#define SN__WORLD_FRAME "odom"
#define SN__PATH_FRAME "base_link_path"

typedef struct sn__world {
  const sn_model *model;
  sn_kin_data *kin;    /**< of the joints at the last sn__world_update() */
  sn__body_state base; /**< in the world */
  bool has_base;       /**< a valid one has arrived since the start */
  int64_t base_ns;     /**< when the last one arrived */
} sn__world;

/** @return SN_OK or SN_ENOMEM.  RT: no, allocates. */
sn_status sn__world_create(sn__world *world, sn_arena *arena, const sn_model *model, sn_error *err);

/** Forget what was known of the base. RT: yes. */
void sn__world_start(sn__world *world) SN_RT;

/** Read the newest state of the base: the body with the name of the root link.
 *  @return false: a message had none, or its numbers are invalid; it was ignored.  RT: yes. */
bool sn__world_read_base(sn__world *world, sn_input *in_base, int64_t now_ns) SN_RT;

/** The links move with these joints: [pose size]. RT: yes. */
void sn__world_update(sn__world *world, const double *q) SN_RT;

/** Begin a step of a controller, with its pose as the joints.
 *  @return whether it owns joints.  RT: yes. */
bool sn__world_begin_step(sn__world *world, sn_controller *controller, int64_t now_ns) SN_RT;

/** The body of a message with this name; with one body that has no name, that one.
 *  @return SN_OK; SN_ENOENT: none; SN_EINVAL: not finite, or a quaternion off unit length.
 *  RT: yes. */
sn_status sn__world_read_body(const sn_rigid_body_state *msg, const char *name,
                              sn__body_state *body) SN_RT;

/** A frame by its name: the world, the path frame, a link; an empty name is the base.
 *  @param in_base  out: its pose in the base
 *  @return whether it is known.  RT: yes. */
bool sn__world_find_frame(const sn__world *world, const sn_msg_text *name, sn_pose *in_base) SN_RT;

/** Does the name mean the world? An empty one does not. RT: yes. */
bool sn__world_is_world(const sn_msg_text *name) SN_RT;

/** The base projected on the ground: z up, x along its heading. RT: yes. */
sn_pose sn__world_path(sn_pose pose_world_base) SN_RT;

#endif
