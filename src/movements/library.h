/** @file
 *  Internal: a folder of movements. A file `NAME.json` is a movement, `NAME.yaml` a script. */
#ifndef SN_MOVEMENTS_LIBRARY_H
#define SN_MOVEMENTS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "movements/movement.h"

enum {
  SN__LIBRARY_MAX = 1000,    /**< files that are listed */
  SN__LIBRARY_NAME_MAX = 64, /**< bytes of a name */
  SN__LIBRARY_PATH_SIZE = 4096
};

/** Letters, digits, `_`, `-` and `.`, not `.` at the beginning.
 *  @return SN_OK, or SN_EINVAL with the reason */
sn_status sn__library_check_name(const char *name, sn_error *err);

/** The path of a file. @param ending  `.json` or `.yaml`
 *  @param out  SN__LIBRARY_PATH_SIZE bytes. @return as sn__library_check_name() */
sn_status sn__library_path(const char *folder, const char *name, const char *ending, char *out,
                           sn_error *err);

bool sn__library_has(const char *folder, const char *name, const char *ending);

/** Create the folder if it does not exist. @return SN_OK or SN_EIO */
sn_status sn__library_make(const char *folder, sn_error *err);

/** The names of all files with this ending, sorted, in @p arena.
 *  @param names  out: the names without their ending
 *  @return SN_OK, also if the folder does not exist; SN_ELIMIT: more than SN__LIBRARY_MAX; SN_EIO;
 *          SN_ENOMEM */
sn_status sn__library_list(const char *folder, const char *ending, sn_arena *arena,
                           const char ***names, size_t *count, sn_error *err);

/** How long a movement takes, s; 0: unknown. */
double sn__movement_duration(const sn__movement *movement);

#endif
