/** @file
 *  Finds the files that a robot refers to, meshes and textures, on this machine.
 *
 *  `package://NAME/REST` (and `model://NAME/REST`) is REST in the package NAME. A package is a
 * folder with a `package.xml` that has this `<name>`. Packages are searched in this order:
 *
 *  1. in and below the folders of `path`, `--package-path` on the command line
 *  2. in the folders above the robot's file, and beside them up to three folders above it
 *  3. in and below the folders of ROS_PACKAGE_PATH
 *  4. in `share/NAME` of the folders of AMENT_PREFIX_PATH
 *
 *  "Below" is four folders deep at most; hidden folders and those that hold COLCON_IGNORE,
 *  AMENT_IGNORE or CATKIN_IGNORE are skipped. A folder NAME without a `package.xml` counts as
 * the package directly in a folder of `path` or of ROS_PACKAGE_PATH, and above the robot's file or
 * beside it, up to two folders above.
 *
 *  `package:///REST` is in the package that contains the robot's file. A relative path begins at
 * the folder of the robot's file; it and `file:///PATH` must lead into that folder or into a known
 * package.
 *
 *  No file outside these folders is ever found, despite links and `..`: with every link resolved it
 * lies below the folder, or, where the package.xml itself is a link (`colcon build
 *  --symlink-install`), below the folder of the real package.xml.
 *
 *  RT: no, all of it.  Threads: one owner. */
#ifndef SN_MODEL_URDF_PACKAGES_H
#define SN_MODEL_URDF_PACKAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Bytes of a path, with its NUL. */
#define SN_PACKAGES_PATH_SIZE 4096

/** Opaque; lives in the arena it was created in. */
typedef struct sn_packages sn_packages;

/** Zero-initialise, then set the fields that differ from their default. All is copied. */
typedef struct sn_packages_config {
  const char *robot_file;   /**< path of the URDF; NULL or empty: unknown */
  const char *path;         /**< colon-separated folders to search before all others; NULL: none */
  bool without_environment; /**< ignore ROS_PACKAGE_PATH and AMENT_PREFIX_PATH */
} sn_packages_config;

/** @return SN_OK or SN_ENOMEM. Folders are read when the first package is requested. */
SN_API sn_status sn__packages_create(sn_arena *arena, const sn_packages_config *config,
                                     sn_packages **out, sn_error *err);

/** A file that was found. */
typedef struct sn_packages_file {
  char path[SN_PACKAGES_PATH_SIZE]; /**< with every link resolved */
  char root[SN_PACKAGES_PATH_SIZE]; /**< the folder that contains it, likewise */
} sn_packages_file;

/** Find the file of a URI: a regular one that can be read.
 *  @param out  set if it is found */
SN_API bool sn__packages_find(sn_packages *packages, const char *uri, sn_packages_file *out);

/** The folder of a package. Files in it are then found by their paths, too.
 *  @param folder  SN_PACKAGES_PATH_SIZE bytes, set if it is found */
bool sn__packages_folder(sn_packages *packages, const char *name, char *folder);

/** Explain where a missing URI was searched and what to do, as one line.
 *  @param text  at most @p size bytes, with NUL */
SN_API void sn__packages_explain(sn_packages *packages, const char *uri, char *text, size_t size);

SN_END_DECLS

#endif
