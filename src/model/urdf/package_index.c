#define _GNU_SOURCE /* scandir() */

#include "model/urdf/package_index.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/file.h"
#include "model/urdf/package_xml.h"

enum {
  PATH_SIZE = SN_PACKAGES_PATH_SIZE,
  NAME_SIZE = 256,
  DEPTH_MAX = 4,       /* folders below one that is searched */
  FOLDERS_MAX = 20000, /* examined in all */
  BESIDE_MAX = 3,      /* folders above the robot whose siblings are examined */
  PACKAGE_XML_MAX = 1 << 20
};

/* ---- folders ---- */

bool sn__path_join(char *out, const char *folder, const char *rest) {
  const int length = snprintf(out, PATH_SIZE, "%s/%s", folder, rest);
  return length > 0 && length < PATH_SIZE;
}

bool sn__path_exists(const char *folder, const char *name) {
  char path[PATH_SIZE];
  return sn__path_join(path, folder, name) && access(path, F_OK) == 0;
}

bool sn__path_is_folder(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* Remove the last part of a path. @return false: it has no parent */
bool sn__path_up(char *folder) {
  char *slash = strrchr(folder, '/');
  if (slash == NULL || slash == folder) {
    return false;
  }
  *slash = '\0';
  return true;
}

const char *sn__path_base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

const char *sn__path_next(const char *list, char *out) {
  while (list != NULL && *list != '\0') {
    const size_t length = strcspn(list, ":");
    const bool fits = length > 0 && length < PATH_SIZE;
    if (fits) {
      snprintf(out, PATH_SIZE, "%.*s", (int)length, list);
    }
    list += length + (list[length] == ':');
    if (fits) {
      return list;
    }
  }
  return NULL;
}

/* The name in the package.xml of a folder. @return false: it is not a package */
static bool read_name(const char *folder, char name[NAME_SIZE]) {
  char path[PATH_SIZE];
  struct stat facts;
  sn__file file;
  if (!sn__path_join(path, folder, "package.xml") || stat(path, &facts) != 0 ||
      !S_ISREG(facts.st_mode) || sn__file_read(path, PACKAGE_XML_MAX, NULL, &file, NULL) != SN_OK) {
    return false;
  }
  if (!sn__package_name(file.text, file.size, name, NAME_SIZE)) { /* then that of its folder */
    snprintf(name, NAME_SIZE, "%.*s", NAME_SIZE - 1, sn__path_base(folder));
  }
  sn__file_free(&file);
  return true;
}

/* ---- list of packages ---- */

void sn__packages_add(sn_packages *p, const char *name, const char *folder) {
  sn__package *one = SN_NEW(p->arena, sn__package, 1);
  const char *name_copy = sn_arena_text(p->arena, name, strlen(name));
  const char *folder_copy = sn_arena_text(p->arena, folder, strlen(folder));
  if (one == NULL || name_copy == NULL || folder_copy == NULL) {
    return; /* it counts as not found */
  }
  *one = (sn__package){.name = name_copy, .folder = folder_copy};
  *(p->last == NULL ? &p->first : &p->last->next) = one;
  p->last = one;
}

/* A folder, or what may turn out to be one: a link, or of a file system that does not say. */
static int may_be_folder(const struct dirent *entry) {
  const unsigned char type = entry->d_type;
  return entry->d_name[0] != '.' && (type == DT_DIR || type == DT_LNK || type == DT_UNKNOWN);
}

static bool is_ignored(const char *folder) {
  return sn__path_exists(folder, "COLCON_IGNORE") || sn__path_exists(folder, "AMENT_IGNORE") ||
         sn__path_exists(folder, "CATKIN_IGNORE");
}

/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX bounds it */
static void search(sn_packages *p, const char *folder, int depth) {
  char name[NAME_SIZE];
  if (p->folder_count++ >= FOLDERS_MAX) {
    return;
  }
  const bool is_package = read_name(folder, name); /* first: most folders end here */
  if ((!is_package && depth >= DEPTH_MAX) || is_ignored(folder)) {
    return;
  }
  if (is_package) {
    sn__packages_add(p, name, folder);
    return; /* packages do not nest */
  }
  struct dirent **entries = NULL;
  const int count = scandir(folder, &entries, may_be_folder, alphasort);
  for (int i = 0; i < count; i++) {
    char path[PATH_SIZE];
    if (sn__path_join(path, folder, entries[i]->d_name) && sn__path_is_folder(path)) {
      search(p, path, depth + 1);
    }
    free(entries[i]);
  }
  free(entries);
}

static void search_list(sn_packages *p, const char *list) {
  char folder[PATH_SIZE];
  while ((list = sn__path_next(list, folder)) != NULL) {
    search(p, folder, 0);
  }
}

/* The folders above the robot's file, and their siblings. */
static void search_above(sn_packages *p) {
  char folder[PATH_SIZE], name[NAME_SIZE];
  snprintf(folder, sizeof folder, "%s", p->robot_folder);
  for (int above = 0;; above++) {
    if (read_name(folder, name)) {
      sn__packages_add(p, name, folder);
      p->own = p->own == NULL && p->last != NULL ? p->last->folder : p->own;
    } else if (above <= BESIDE_MAX) {
      search(p, folder, DEPTH_MAX - 1);
    }
    if (!sn__path_up(folder)) {
      return;
    }
  }
}

void sn__packages_index(sn_packages *p) {
  if (p->is_indexed) {
    return;
  }
  p->is_indexed = true;
  search_list(p, p->path);
  if (p->robot_folder != NULL) {
    search_above(p);
  }
  search_list(p, p->ros_path);
}

const char *sn__packages_listed(const sn_packages *p, const char *name) {
  for (const sn__package *one = p->first; one != NULL; one = one->next) {
    if (strcmp(one->name, name) == 0) {
      return one->folder;
    }
  }
  return NULL;
}
