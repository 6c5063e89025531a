/** @file
 *  Internal: the packages on this machine (sinew/packages.h). */
#ifndef SN_MODEL_URDF_PACKAGE_INDEX_H
#define SN_MODEL_URDF_PACKAGE_INDEX_H

#include "model/urdf/packages.h"

typedef struct sn__package {
  const char *name, *folder;
  struct sn__package *next;
} sn__package;

struct sn_packages {
  sn_arena *arena;
  const char *robot_folder; /* folder of the robot's file, links resolved; NULL: unknown */
  const char *path, *ros_path, *ament_path; /* lists of folders; NULL: none */
  bool is_indexed;
  size_t folder_count;
  sn__package *first, *last;
  const char *own; /* the package that contains the robot; NULL: none */
};

/** Read folders, once, and list their packages. */
void sn__packages_index(sn_packages *packages);

/** One more package, after those that are known. */
void sn__packages_add(sn_packages *packages, const char *name, const char *folder);

/** The folder of a package in the list, which must have been read. @return NULL: it is not there */
const char *sn__packages_listed(const sn_packages *packages, const char *name);

/** `folder/rest` in @p out, which has SN_PACKAGES_PATH_SIZE bytes. @return false: it is too long */
bool sn__path_join(char *out, const char *folder, const char *rest);

/** Does a folder contain an entry of that name? */
bool sn__path_exists(const char *folder, const char *name);

bool sn__path_is_folder(const char *path);

/** Remove the last part of a path. @return false: it has no parent */
bool sn__path_up(char *folder);

/** Copy the first folder of a colon-separated list into @p out, which has SN_PACKAGES_PATH_SIZE
 * bytes.
 *  @return the rest of the list; NULL: there is none */
const char *sn__path_next(const char *list, char *out);

/** The last part of a path. */
const char *sn__path_base(const char *path);

#endif
