#include "model/robot_file.h"

#include <string.h>

#include "base/report_internal.h"
#include "files/file.h"

static bool holds_properties(const char *path) {
  return sn__file_has_ending(path, ".yaml") || sn__file_has_ending(path, ".yml") ||
         sn__file_has_ending(path, ".cpf");
}

sn_status sn__robot_file_find(sn_arena *arena, const char *path, sn_report *report,
                              sn_robot_file *out) {
  if (!holds_properties(path)) {
    *out = (sn_robot_file){.urdf = path};
    return SN_OK;
  }
  const sn_value *properties = NULL;
  const sn_status status = sn_value_load(arena, path, report, &properties);
  if (status != SN_OK) {
    return status;
  }
  const sn_value *robot = sn_value_find(properties, "robot");
  if (robot == NULL || robot->kind != SN_VALUE_TEXT) {
    const sn_place place = robot == NULL ? properties->place : robot->place;
    sn__report_add(report, SN_SEVERITY_ERROR, place, "robot: my_robot.urdf",
                   "the file does not name a robot");
    return SN_EINVAL;
  }
  const char *urdf = sn__file_beside(arena, path, robot->text);
  if (urdf == NULL) {
    return SN_ENOMEM;
  }
  *out = (sn_robot_file){.urdf = urdf, .properties = properties};
  return SN_OK;
}
