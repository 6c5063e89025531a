#define _GNU_SOURCE /* realpath() */

#include "model/urdf/packages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "model/urdf/package_index.h"

enum {
  PATH_SIZE = SN_PACKAGES_PATH_SIZE,
  NAME_SIZE = 256,
  UNNAMED_MAX = 2 /* folders above the robot that may be a package without a package.xml */
};

/* ---- files ---- */

static bool is_below(const char *real, const char *root) {
  const size_t length = strlen(root);
  return length > 1 && strncmp(real, root, length) == 0 && real[length] == '/';
}

static bool keep(const char *real, const char *root, sn_packages_file *out) {
  struct stat facts;
  if (!is_below(real, root) || stat(real, &facts) != 0 || !S_ISREG(facts.st_mode) ||
      access(real, R_OK) != 0) {
    return false;
  }
  const int path = snprintf(out->path, sizeof out->path, "%s", real);
  const int folder = snprintf(out->root, sizeof out->root, "%s", root);
  return path < PATH_SIZE && folder < PATH_SIZE;
}

/* Is a file, links resolved, below a folder, or below the real folder of its package.xml? */
static bool take_real(const char *root, const char *real, sn_packages_file *out) {
  char *real_root = realpath(root, NULL);
  bool is_taken = real_root != NULL && keep(real, real_root, out);
  char path[PATH_SIZE];
  char *source =
      !is_taken && sn__path_join(path, root, "package.xml") ? realpath(path, NULL) : NULL;
  if (source != NULL && strcmp(sn__path_base(source), "package.xml") == 0) {
    is_taken = sn__path_up(source) && keep(real, source, out);
  }
  free(source);
  free(real_root);
  return is_taken;
}

static bool take(const char *root, const char *rest, sn_packages_file *out) {
  char path[PATH_SIZE];
  char *real = sn__path_join(path, root, rest) ? realpath(path, NULL) : NULL;
  const bool is_taken = real != NULL && take_real(root, real, out);
  free(real);
  return is_taken;
}

/* A folder NAME without a package.xml. */
static bool take_unnamed(const char *folder, const char *name, const char *rest,
                         sn_packages_file *out) {
  char inside[PATH_SIZE];
  if (strcmp(sn__path_base(folder), name) == 0 && !sn__path_exists(folder, "package.xml") &&
      take(folder, rest, out)) {
    return true;
  }
  return sn__path_join(inside, folder, name) && sn__path_is_folder(inside) &&
         !sn__path_exists(inside, "package.xml") && take(inside, rest, out);
}

static bool find_unnamed_in(const char *list, const char *name, const char *rest,
                            sn_packages_file *out) {
  char folder[PATH_SIZE];
  while ((list = sn__path_next(list, folder)) != NULL) {
    if (take_unnamed(folder, name, rest, out)) {
      return true;
    }
  }
  return false;
}

static bool find_unnamed_above(const sn_packages *p, const char *name, const char *rest,
                               sn_packages_file *out) {
  char folder[PATH_SIZE];
  snprintf(folder, sizeof folder, "%s", p->robot_folder == NULL ? "" : p->robot_folder);
  bool is_left = p->robot_folder != NULL;
  for (int above = 0; is_left && above <= UNNAMED_MAX; above++) {
    if (take_unnamed(folder, name, rest, out)) {
      return true;
    }
    is_left = sn__path_up(folder);
  }
  return false;
}

static bool find_in_ament(const sn_packages *p, const char *name, const char *rest,
                          sn_packages_file *out) {
  char prefix[PATH_SIZE], share[PATH_SIZE], folder[PATH_SIZE];
  const char *list = p->ament_path;
  while ((list = sn__path_next(list, prefix)) != NULL) {
    if (sn__path_join(share, prefix, "share") && sn__path_join(folder, share, name) &&
        take(folder, rest, out)) {
      return true;
    }
  }
  return false;
}

/* NAME/REST. @return false: it is not of that form */
static bool split(const char *uri, char name[NAME_SIZE], const char **rest) {
  const size_t length = strcspn(uri, "/");
  if (length >= NAME_SIZE || uri[length] == '\0' || uri[0] == '.') {
    return false;
  }
  snprintf(name, NAME_SIZE, "%.*s", (int)length, uri);
  *rest = uri + length + 1;
  return true;
}

static bool find_in_package(sn_packages *p, const char *uri, sn_packages_file *out) {
  char name[NAME_SIZE];
  const char *rest = NULL;
  if (!split(uri, name, &rest)) {
    return false;
  }
  sn__packages_index(p);
  if (*name == '\0') {
    return (p->own != NULL && take(p->own, rest, out)) ||
           (p->robot_folder != NULL && take(p->robot_folder, rest, out));
  }
  for (const sn__package *one = p->first; one != NULL; one = one->next) {
    if (strcmp(one->name, name) == 0 && take(one->folder, rest, out)) {
      return true;
    }
  }
  return find_unnamed_in(p->path, name, rest, out) || find_unnamed_above(p, name, rest, out) ||
         find_unnamed_in(p->ros_path, name, rest, out) || find_in_ament(p, name, rest, out);
}

/* A path, absolute or relative to the robot's file, inside an allowed folder. */
static bool find_path(sn_packages *p, const char *path, sn_packages_file *out) {
  char whole[PATH_SIZE];
  if (path[0] == '/') {
    snprintf(whole, sizeof whole, "%s", path);
  } else if (p->robot_folder == NULL || !sn__path_join(whole, p->robot_folder, path)) {
    return false;
  }
  char *real = realpath(whole, NULL);
  /* The links of the robot's folder were resolved when it was found. */
  bool is_found = real != NULL && p->robot_folder != NULL &&
                  (keep(real, p->robot_folder, out) || take_real(p->robot_folder, real, out));
  if (real != NULL && !is_found) {
    sn__packages_index(p);
    const char *list = p->path;
    while (!is_found && (list = sn__path_next(list, whole)) != NULL) {
      is_found = take_real(whole, real, out);
    }
    for (const sn__package *one = p->first; one != NULL && !is_found; one = one->next) {
      is_found = take_real(one->folder, real, out);
    }
  }
  free(real);
  return is_found;
}

/* The text after a scheme; NULL if the scheme is another. */
static const char *after(const char *uri, const char *scheme) {
  const size_t length = strlen(scheme);
  return strncmp(uri, scheme, length) == 0 ? uri + length : NULL;
}

static const char *package_part(const char *uri) {
  const char *rest = after(uri, "package://");
  return rest == NULL ? after(uri, "model://") : rest;
}

bool sn__packages_find(sn_packages *packages, const char *uri, sn_packages_file *out) {
  const char *in_package = package_part(uri);
  if (in_package != NULL) {
    return find_in_package(packages, in_package, out);
  }
  const char *file = after(uri, "file://");
  const char *path = file == NULL ? uri : file;
  return strstr(path, "://") == NULL && *path != '\0' && find_path(packages, path, out);
}

/* ---- reasons ---- */

static void explain_package(sn_packages *p, const char *uri, char *text, size_t size) {
  char name[NAME_SIZE];
  const char *rest = "";
  if (!split(uri, name, &rest)) {
    snprintf(text, size, "expected package://NAME/FILE");
    return;
  }
  sn__packages_index(p);
  const char *folder = *name == '\0' ? p->own : sn__packages_listed(p, name);
  if (folder != NULL) {
    snprintf(text, size, "package '%.80s' is %.160s, and has no file '%.80s'", name, folder, rest);
    return;
  }
  snprintf(text, size,
           "no package '%.60s' above %.100s, in --package-path%s, ROS_PACKAGE_PATH%s or "
           "AMENT_PREFIX_PATH%s; --package-path DIR names a folder with packages",
           name, p->robot_folder == NULL ? "the robot's file (unknown)" : p->robot_folder,
           p->path == NULL ? " (not given)" : "", p->ros_path == NULL ? " (not set)" : "",
           p->ament_path == NULL ? " (not set)" : "");
}

void sn__packages_explain(sn_packages *packages, const char *uri, char *text, size_t size) {
  const char *in_package = package_part(uri);
  const char *file = after(uri, "file://");
  if (in_package != NULL) {
    explain_package(packages, in_package, text, size);
  } else if (strstr(file == NULL ? uri : file, "://") != NULL) {
    snprintf(text, size, "files are read from this machine only");
  } else if (packages->robot_folder == NULL) {
    snprintf(text, size, "the folder of the robot's file is unknown");
  } else {
    snprintf(text, size, "neither in %.200s, the robot's folder, nor in a known package",
             packages->robot_folder);
  }
}

/* ---- creation ---- */

/* The folder of a file, links resolved. @return NULL: unknown, or no memory */
static const char *find_robot_folder(sn_arena *arena, const char *file) {
  char *real = file == NULL || *file == '\0' ? NULL : realpath(file, NULL);
  const char *folder = NULL;
  if (real != NULL && sn__path_up(real)) {
    folder = sn_arena_text(arena, real, strlen(real));
  }
  free(real);
  return folder;
}

/* @return false: no memory */
static bool copy_text(sn_arena *arena, const char *text, const char **out) {
  const bool has_any = text != NULL && *text != '\0';
  *out = has_any ? sn_arena_text(arena, text, strlen(text)) : NULL;
  return *out != NULL || !has_any;
}

sn_status sn__packages_create(sn_arena *arena, const sn_packages_config *config, sn_packages **out,
                              sn_error *err) {
  sn_packages *p = SN_NEW(arena, sn_packages, 1);
  const bool reads = !config->without_environment;
  if (p != NULL) {
    *p =
        (sn_packages){.arena = arena, .robot_folder = find_robot_folder(arena, config->robot_file)};
  }
  if (p == NULL || !copy_text(arena, config->path, &p->path) ||
      !copy_text(arena, reads ? getenv("ROS_PACKAGE_PATH") : NULL, &p->ros_path) ||
      !copy_text(arena, reads ? getenv("AMENT_PREFIX_PATH") : NULL, &p->ament_path)) {
    return sn__fail(err, SN_ENOMEM, "packages: no room in arena '%s'", sn_arena_name(arena));
  }
  *out = p;
  return SN_OK;
}
