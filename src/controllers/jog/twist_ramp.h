/** @file
 *  Internal: a velocity in space that follows a wanted one with limited acceleration and jerk, and
 *  straight: its direction does not turn away on the way. It arrives exactly. */
#ifndef SN_CONTROLLERS_JOG_TWIST_RAMP_H
#define SN_CONTROLLERS_JOG_TWIST_RAMP_H

#include <stdbool.h>

#include "sinew/api.h"
#include "sinew/otg.h"
#include "sinew/vec3.h"

typedef struct sn__vec3_ramp {
  sn_otg_limits limits; /**< of the velocity, of its changes and of their changes */
  sn_vec3 v, a;
} sn__vec3_ramp;

/** One cycle towards @p wanted, whose length counts up to the limit of velocity.
 *  @param dt_s  > 0.  RT: yes. */
void sn__vec3_ramp_step(sn__vec3_ramp *ramp, sn_vec3 wanted, double dt_s) SN_RT;

/** Is it exactly at rest? RT: yes. */
bool sn__vec3_ramp_is_still(const sn__vec3_ramp *ramp) SN_RT;

/** @p v, or the part of it with this length. RT: yes. */
sn_vec3 sn__vec3_at_most(sn_vec3 v, double length) SN_RT;

#endif
