/** @file
 *  Internal: is a movement that was read consistent? */
#ifndef SN_MOVEMENTS_MOVEMENT_CHECK_H
#define SN_MOVEMENTS_MOVEMENT_CHECK_H

#include "movements/movement.h"

/** Check it, and make its orientations unit quaternions.
 *  @param file      what messages begin with
 *  @param warnings  receives the orientations that are missing
 *  @return SN_OK, SN_EINVAL or SN_ENOMEM */
sn_status sn__movement_check(const sn__movement *movement, const char *file, sn_report *warnings,
                             sn_error *err);

#endif
