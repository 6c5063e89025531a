/** @file
 *  Internal: the component `dynamics_inv`, whose files share this struct. */
#ifndef SN_ROBOT_DYNAMICS_INV_H
#define SN_ROBOT_DYNAMICS_INV_H

#include "dyn/balance.h"
#include "msg/name_map.h"
#include "sinew/component.h"
#include "sinew/model.h"
#include "sinew/msg_types.h"

typedef struct sn__dynamics_inv {
  sn_component component;
  sn_reals gravity;
  const char *balance_frame, *world_frame;
  double friction;
  bool base_is_still;
  bool differentiate;
  bool need_inertia;
  sn_input joints_sorted, joints_accel, supports, in_base;
  sn_output joints_effort, balance;
  sn_requester robot_model;

  const sn_model *model;
  sn_balance *core;                /* NULL: the robot has no mass, which is allowed */
  sn__name_map names, accel_names; /* of joints_sorted and joints_accel */
  double *q, *qd, *qdd, *qd_last;  /* sorted */
  bool has_pose;                   /* every joint was named once */
  bool has_last;
  int64_t last_ns;

  bool has_base;   /* in_base is connected and not silent */
  int64_t base_ns; /* when it arrived last */
  sn_pose pose_world_base;
  sn_spatial base_twist; /* in the axes of the world */
  bool is_in_world;      /* the balance is in the frame of the world */

  size_t chain_count, contact_count;
  sn_support *known;         /* [chain_count] as in the supports */
  size_t known_count;        /* chains that they name */
  sn_support *listed;        /* [chain_count] as listed in the balance message */
  size_t listed_count;       /* of those that carry */
  const char **contact_text; /* [chain_count][contact_count + 1] "leg1/hoof", the last "leg1" */
  bool was_balanced;         /* as last logged */
  sn_log_limit imbalances;
  bool had_unknown; /* the last supports had unknown names */
} sn__dynamics_inv;

/** The names of contacts in the balance message. @return false: no memory. RT: no. */
bool sn__dynamics_inv_create_texts(sn__dynamics_inv *self, sn_arena *arena);

/** Fill the balance message. RT: yes. */
void sn__dynamics_inv_fill_balance(sn__dynamics_inv *self, int64_t stamp_ns,
                                   const sn_balance_result *result) SN_RT;

/** Log that the contacts cannot balance the robot, or can again. RT: yes. */
void sn__dynamics_inv_report(sn__dynamics_inv *self, int64_t now_ns,
                             const sn_balance_result *result) SN_RT;

#endif
