/** @file
 *  Internal: movements as files, JSON of ROS messages as `rospy_message_converter` writes them:
 *  control_msgs/FollowJointTrajectoryGoal, sweetie_bot_control_msgs/FollowStepSequenceGoal,
 *  sweetie_bot_gait_generator/MoveBaseGoal and sensor_msgs/JointState. The fields say which one it
 *  is. The program uses it, too. */
#ifndef SN_MOVEMENTS_MOVEMENT_H
#define SN_MOVEMENTS_MOVEMENT_H

#include <stddef.h>

#include "base/buffer.h"
#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_locomotion.h"
#include "sinew/msg_types.h"
#include "sinew/report.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Bytes of a file that are read at most. */
#define SN__MOVEMENT_SIZE_MAX ((size_t)8 << 20)

typedef enum sn__movement_kind {
  SN__MOVEMENT_JOINT_TRAJECTORY,
  SN__MOVEMENT_STEP_SEQUENCE,
  SN__MOVEMENT_MOVE_BASE,
  SN__MOVEMENT_JOINT_STATE
} sn__movement_kind;

/** A movement; all that it points to is in the arena that it was loaded into. */
typedef struct sn__movement {
  const char *name; /**< of the file, without folder and `.json` */
  sn__movement_kind kind;
  union {
    void *msg; /**< of sn__movement_type() */
    sn_trajectory_goal *trajectory;
    sn_step_goal *steps;
    sn_move_base_goal *move_base;
    sn_joint_state *pose;
  };
  const sn_report *warnings; /**< unknown fields, orientations that are missing; NULL: made here */
} sn__movement;

/** `joint_trajectory`, `step_sequence`, `move_base` or `joint_state`. */
SN_API const char *sn__movement_kind_name(sn__movement_kind kind);

/** The type of the message. */
SN_API const sn_msg_type *sn__movement_type(sn__movement_kind kind);

/** Read a movement and check that it is consistent: every list has its length, every number is
 *  finite, times do not decrease (those of step sequences increase), no name appears twice.
 *  Orientations become unit quaternions: one that is all zero means no rotation, one whose length
 *  differs from 1 by more than 0.001 is an error. A trajectory may have no points.
 *  @param arena  that grows; on failure it may keep what was read so far
 *  @param out    untouched on failure
 *  @param err    the file, the line or the field, what was found and what was expected; may be NULL
 *  @return SN_OK (perhaps with warnings), SN_EIO, SN_ELIMIT (more than SN__MOVEMENT_SIZE_MAX
 *          bytes), SN_ESYNTAX (not JSON, or truncated), SN_EINVAL (not a consistent movement),
 *          SN_ENOMEM, or SN_EUNSUPPORTED (built without JSON) */
SN_API sn_status sn__movement_load(const char *path, sn_arena *arena, sn__movement *out,
                                   sn_error *err);

/** The same of a text. @param file  what messages begin with, and the source of the name; copied */
SN_API sn_status sn__movement_parse(const char *text, size_t size, const char *file,
                                    sn_arena *arena, sn__movement *out, sn_error *err);

/** Check that the robot has the joints and limbs of a movement. `support/<chain>` among the joints
 *  means the support of a chain. A trajectory without points fits every robot.
 *  @return SN_OK, or SN_ENOENT with the first name that is unknown and their number */
SN_API sn_status sn__movement_check_robot(const sn__movement *movement, const sn_model *model,
                                          sn_error *err);

/** Append a movement in the form that sn__movement_load() and the tools of the original read.
 *  Numbers must be finite. @param out  `failed` is set if memory runs out */
SN_API void sn__movement_write(const sn__movement *movement, sn__buffer *out);

/** Write a file. An existing one is replaced as a whole or not at all.
 *  @return SN_OK, SN_EINVAL (a number is not finite), SN_EIO, or SN_ENOMEM */
SN_API sn_status sn__movement_save(const char *path, const sn__movement *movement, sn_error *err);

SN_END_DECLS

#endif
