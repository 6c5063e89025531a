/** @file
 *  Internal: how the joints of a chain approach what is nearest to the robot, from what the gate
 *  says of it (sn_collision_state). */
#ifndef SN_CONTROLLERS_JOG_SERVO_OBSTACLE_H
#define SN_CONTROLLERS_JOG_SERVO_OBSTACLE_H

#include <stdbool.h>

#include "msg/types/msg_collision.h"
#include "sinew/arena.h"
#include "sinew/kin.h"
#include "sinew/model.h"

/** Zero-initialise; sn__servo_obstacle_create() does the rest. */
typedef struct sn__servo_obstacle {
  const sn_model *model;
  double *jac;      /**< [6][pose size] scratch */
  double *approach; /**< [pose size] m/s by which unit velocities of joints approach it */
  double speed_max; /**< m/s: how fast it may be approached */
  bool is_near;     /**< otherwise the numbers above do not count */
} sn__servo_obstacle;

/** @return false: no memory.  RT: no, allocates. */
bool sn__servo_obstacle_create(sn_arena *arena, const sn_model *model, sn__servo_obstacle *out);

/** @param kin  of the pose that the state is about.  RT: yes. */
void sn__servo_obstacle_read(sn__servo_obstacle *obstacle, const sn_collision_state *state,
                             const sn_kin_data *kin) SN_RT;

#endif
