/** @file
 *  Internal: what pushes on the follower is felt at the leader. The effort that a joint delivers
 *  beyond that of its motion is passed on, weakened and bounded, as a goal of the leader's servo
 * next to its position: a position servo delivers a torque in proportion to that distance. */
#ifndef SN_CONTROLLERS_GUIDED_REFLECTION_H
#define SN_CONTROLLERS_GUIDED_REFLECTION_H

#include <stdbool.h>

#include "msg/name_map.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/port.h"
#include "sinew/property.h"
#include "sinew/status.h"

/** A member of a component's struct. */
typedef struct sn__reflection {
  double share, threshold, torque_max, stiffness; /**< properties */
  sn__name_map measured_names, needed_names;
  double *measured, *needed; /**< [pose size] N·m or N */
  bool has_measured, has_needed;
} sn__reflection;

/* NOLINTBEGIN(bugprone-macro-parentheses): names of members */
#define SN__REFLECTION_PROPERTIES(type, member)                                                    \
  SN_PROPERTY(type, "reflection", member.share, .unit = "", .min = 0, .max = 10,                   \
              .flags = SN_PROPERTY_LIVE,                                                           \
              .doc =                                                                               \
                  "Share of what pushes on the follower that the leader's servos exert; 0: "       \
                  "they are limp."),                                                               \
      SN_PROPERTY(type, "reflection_threshold", member.threshold, .initial = "0.2",                \
                  .unit = "N·m or N", .min = 0, .max = 1e6, .flags = SN_PROPERTY_LIVE,             \
                  .doc = "Smaller efforts are not reflected: friction and errors of the model."),  \
      SN_PROPERTY(type, "reflection_max", member.torque_max, .initial = "0.5", .unit = "N·m or N", \
                  .min = 0, .max = 1e6, .flags = SN_PROPERTY_LIVE,                                 \
                  .doc = "Largest effort of a leader's servo."),                                   \
      SN_PROPERTY(type, "leader_stiffness", member.stiffness, .initial = "50",                     \
                  .unit = "N·m/rad or N/m", .min = 1e-3, .max = 1e9, .flags = SN_PROPERTY_LIVE,    \
                  .doc = "Of the leader's servos; by a servo model: kp * volts / alpha[3].")
/* NOLINTEND(bugprone-macro-parentheses) */

/** @return SN_OK or SN_ENOMEM.  RT: no, allocates. */
sn_status sn__reflection_create(sn__reflection *reflection, sn_arena *arena, const sn_model *model,
                                sn_error *err);

/** Read what the joints deliver, and what their motion takes. RT: yes. */
void sn__reflection_read(sn__reflection *reflection, sn_input *measured, sn_input *needed) SN_RT;

/** The effort for the joint of the leader. @param scale  motion of the follower over the leader's
 *  @return 0: none, or unknown.  RT: yes. */
double sn__reflection_torque(const sn__reflection *reflection, size_t joint, double scale) SN_RT;

#endif
