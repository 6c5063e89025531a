#define _POSIX_C_SOURCE 200809L /* close() */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files/file.h"
#include "files/regular_file.h"
#include "model/srdf/srdf.h"

/* The name of the robot's file without folder and endings. */
static void stem_of(const char *path, char *stem, size_t size) {
  static const char *const endings[] = {".xacro", ".urdf", ".xml"};
  const char *slash = strrchr(path, '/');
  snprintf(stem, size, "%s", slash == NULL ? path : slash + 1);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    if (sn__file_has_ending(stem, endings[i])) {
      stem[strlen(stem) - strlen(endings[i])] = '\0';
    }
  }
}

static bool is_file(const char *path) {
  int64_t size = 0;
  const char *why = NULL;
  const int file = sn__regular_open(path, &size, &why);
  if (file >= 0) {
    close(file);
  }
  return file >= 0;
}

const char *sn__srdf_beside(sn_arena *arena, const char *robot_file) {
  static const struct {
    const char *folder; /* seen from the robot's file */
    bool has_package;   /* in the package of MoveIt there */
  } places[] = {
      {"", false}, {"config/", false}, {"../config/", false}, {"../", true}, {"../../", true}};
  char stem[256];
  stem_of(robot_file, stem, sizeof stem);
  for (size_t i = 0; *stem != '\0' && i < 2 * (sizeof places / sizeof *places); i++) {
    const char *folder = places[i / 2].folder;
    const char *ending = i % 2 == 0 ? "" : ".xacro";
    char name[600];
    if (places[i / 2].has_package) {
      snprintf(name, sizeof name, "%s%s_moveit_config/config/%s.srdf%s", folder, stem, stem,
               ending);
    } else {
      snprintf(name, sizeof name, "%s%s.srdf%s", folder, stem, ending);
    }
    const sn_arena_mark mark = sn_arena_save(arena);
    const char *path = sn__file_beside(arena, robot_file, name);
    if (path == NULL || is_file(path)) {
      return path;
    }
    sn_arena_restore(arena, mark);
  }
  return NULL;
}
