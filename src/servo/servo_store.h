/** @file
 *  The models of a robot's servos in a YAML file:
 *
 *      servo_models:
 *        - {name: knee, kp: 100, kgear: 1, alpha: [40, 8, 5, 200], qs: 0.1, delta: 1}
 *
 *  `name` and `kp` must be there; `alpha` is missing before identification; `torque_max` is the
 *  limit of the motor, for simulation and for limits of speed. `back_emf`, `load_friction` and
 *  `back_load_friction` (two numbers each), `offset`, `drive_max`, `delay` and `backlash` are those
 * of sn_servo_extension; what is zero is not written. Saving is atomic: at any time, even after a
 * power failure, the file holds the old or the new models. The previous file is kept as
 * `FILE.previous`. */
#ifndef SN_SERVO_SERVO_STORE_H
#define SN_SERVO_SERVO_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/names.h"
#include "sinew/report.h"
#include "sinew/servo_model.h"
#include "sinew/status.h"
#include "sinew/value.h"

SN_BEGIN_DECLS

/** One servo. */
typedef struct sn_servo_entry {
  const char *name;
  sn_servo_params params;
  bool has_alpha;    /**< false: the file has none, and params holds zeros */
  double torque_max; /**< of the motor, N·m; 0: not stated. The model does not use it */
} sn_servo_entry;

/** All of a file, in its order. */
typedef struct sn_servo_list {
  sn_servo_entry *entries; /**< [count] */
  size_t count;
  const sn_names *names; /**< the same names, to look up */
} sn_servo_list;

/** Read the models from properties: the item `servo_models` of a bag. Other items are ignored.
 *  @param report  receives every problem with its place
 *  @param out     set on success, untouched on failure
 *  @return SN_OK, SN_EMODEL (errors in the report) or SN_ENOMEM
 *  RT: no.  Threads: one owner of arena and report. */
sn_status sn__servo_store_read(sn_arena *arena, const sn_value *properties, sn_report *report,
                               sn_servo_list *out);

/** Read a file.
 *  @return as above, or SN_EIO, SN_ESYNTAX, SN_ELIMIT, all with the reason in the report
 *  RT: no. */
SN_API sn_status sn__servo_store_load(sn_arena *arena, const char *path, sn_report *report,
                                      sn_servo_list *out);

/** Replace the file by one with these models, or leave it unchanged.
 *  @param err  receives the reason of a failure; may be NULL
 *  @return SN_OK, SN_EINVAL (an invalid model; nothing is written) or SN_EIO (disk full, no
 *          permission; the old file is intact)
 *  RT: no.  Threads: one at a time per file. */
SN_API sn_status sn__servo_store_save(const char *path, const sn_servo_list *list, sn_error *err);

SN_END_DECLS

#endif
