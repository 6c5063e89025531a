#define _GNU_SOURCE /* realpath() */

#include "model/urdf/package_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "model/urdf/packages.h"

sn_status sn__package_file_read(void *packages, const char *path, sn__file *file, sn_error *why) {
  char *real = realpath(path, NULL);
  if (real == NULL) {
    return sn__fail(why, SN_EIO, "%s: %s", path, strerror(errno));
  }
  sn_packages_file found;
  const sn_status status =
      sn__packages_find(packages, real, &found)
          ? sn__file_read(found.path, SN__PACKAGE_FILE_MAX, NULL, file, why)
          : sn__fail(why, SN_EIO,
                     "%s: not a file that can be read in the folder of the robot's file or in a "
                     "known package",
                     path);
  free(real);
  return status;
}
