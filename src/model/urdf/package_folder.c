/* Folders of packages by name, with and without a package.xml. */
#include <stdio.h>
#include <string.h>

#include "model/urdf/package_index.h"

enum {
  PATH_SIZE = SN_PACKAGES_PATH_SIZE,
  UNNAMED_MAX = 2 /* folders above the robot that may be a package without a package.xml */
};

/* A folder of that name: this one, or one in it. */
static bool take(const char *folder, const char *name, char *out) {
  if (strcmp(sn__path_base(folder), name) == 0 && sn__path_is_folder(folder)) {
    snprintf(out, PATH_SIZE, "%s", folder);
    return true;
  }
  return sn__path_join(out, folder, name) && sn__path_is_folder(out);
}

/* @param below  a folder in each of the list; NULL: the folder itself */
static bool take_in_list(const char *list, const char *below, const char *name, char *out) {
  char folder[PATH_SIZE], inside[PATH_SIZE];
  while ((list = sn__path_next(list, folder)) != NULL) {
    if (below == NULL ? take(folder, name, out)
                      : sn__path_join(inside, folder, below) && take(inside, name, out)) {
      return true;
    }
  }
  return false;
}

static bool take_above(const sn_packages *p, const char *name, char *out) {
  char folder[PATH_SIZE];
  snprintf(folder, sizeof folder, "%s", p->robot_folder == NULL ? "" : p->robot_folder);
  bool is_left = p->robot_folder != NULL;
  for (int above = 0; is_left && above <= UNNAMED_MAX; above++) {
    if (take(folder, name, out)) {
      return true;
    }
    is_left = sn__path_up(folder);
  }
  return false;
}

bool sn__packages_folder(sn_packages *packages, const char *name, char *folder) {
  sn__packages_index(packages);
  if (*name == '\0' || *name == '.' || strchr(name, '/') != NULL) {
    return false;
  }
  const char *listed = sn__packages_listed(packages, name);
  if (listed != NULL) {
    snprintf(folder, PATH_SIZE, "%s", listed);
    return true;
  }
  const bool is_found = take_in_list(packages->path, NULL, name, folder) ||
                        take_above(packages, name, folder) ||
                        take_in_list(packages->ros_path, NULL, name, folder) ||
                        take_in_list(packages->ament_path, "share", name, folder);
  if (is_found) {
    sn__packages_add(packages, name, folder);
  }
  return is_found;
}
