#define _POSIX_C_SOURCE 200809L /* access() */

#include "bus/driver/calibration_file.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/report_internal.h"
#include "files/file.h"
#include "files/file_replace.h"
#include "rt/components/property_access.h"
#include "sinew/arena.h"
#include "sinew/property.h"
#include "sinew/value.h"

static const double ANGLE_MAX = 1e3, STEPS_PER_RAD = 1e4;

static const sn_property table[] = {
    SN_PROPERTY(sn__servo_range, "zero", zero, .flags = SN_PROPERTY_REQUIRED, .unit = "counts",
                .min = 0, .max = 1e6, .doc = "Encoder count at position 0."),
    SN_PROPERTY(sn__servo_range, "direction", direction, .flags = SN_PROPERTY_REQUIRED, .unit = "",
                .min = -1, .max = 1, .doc = "1 or -1."),
    SN_PROPERTY(sn__servo_range, "min", min, .flags = SN_PROPERTY_REQUIRED, .unit = "rad",
                .min = -1e3, .max = 1e3, .doc = "Lower limit."),
    SN_PROPERTY(sn__servo_range, "max", max, .flags = SN_PROPERTY_REQUIRED, .unit = "rad",
                .min = -1e3, .max = 1e3, .doc = "Upper limit."),
    {0}};

/* ---- read ---- */

static sn_status read_joint(const sn_value *bag, sn__servo_range *range, sn_arena *arena,
                            sn_report *report) {
  sn_status status = sn__property_set_all(table, range, bag, bag->name, arena, report);
  if (status == SN_OK) {
    status = sn__property_check_required(table, bag, bag->name, bag->place, report);
  }
  if (status == SN_OK && (range->direction == 0 || range->min > range->max)) {
    sn__report_add(
        report, SN_SEVERITY_ERROR, bag->place, NULL,
        range->direction == 0 ? "'%.80s': direction must be 1 or -1" : "'%.80s': min is above max",
        bag->name);
    status = SN_EINVAL;
  }
  return status;
}

static sn_status read_all(const sn_value *root, const sn_names *joints, sn__servo_range *ranges,
                          sn_arena *arena, sn_report *report) {
  sn_status status = SN_OK;
  for (size_t i = 0; i < root->item_count; i++) {
    const sn_value *bag = root->items[i];
    const int joint = sn_names_index(joints, bag->name);
    sn_status one = SN_EINVAL;
    if (joint < 0) {
      sn__report_add(report, SN_SEVERITY_ERROR, bag->name_place,
                     "calibrate again, or remove the joint from the file",
                     "no servo of the driver moves a joint '%.80s'", bag->name);
    } else {
      one = read_joint(bag, &ranges[joint], arena, report);
    }
    status = status == SN_OK ? one : status;
  }
  return status;
}

sn_status sn__calibration_parse(sn_arena *arena, const char *text, size_t size, const char *file,
                                const sn_names *joints, sn__servo_range *ranges,
                                sn_report *report) {
  const size_t count = sn_names_count(joints);
  const sn_value *root = NULL;
  sn__servo_range *read = SN_NEW(arena, sn__servo_range, count);
  sn_status status = read == NULL ? SN_ENOMEM : SN_OK;
  if (status == SN_OK) {
    memcpy(read, ranges, count * sizeof *read);
    status = sn_value_parse_yaml(arena, text, size, file, report, &root);
  }
  status = status == SN_OK ? read_all(root, joints, read, arena, report) : status;
  if (status == SN_OK) {
    memcpy(ranges, read, count * sizeof *read);
  }
  return status;
}

static sn_status parse_file(const sn__file *file, const char *path, const sn_names *joints,
                            sn__servo_range *ranges, sn_error *err) {
  sn_arena arena;
  sn_report *report = NULL;
  sn_arena_init_growing(&arena, "problems", 0);
  sn_status status = sn_report_create(&arena, &report, err);
  if (status == SN_OK) {
    status = sn__calibration_parse(&arena, file->text, file->size, path, joints, ranges, report);
    status = status == SN_OK ? SN_OK : sn__report_fail(report, status, err);
  }
  sn_arena_release(&arena);
  return status;
}

sn_status sn__calibration_load(const char *path, const sn_names *joints, sn__servo_range *ranges,
                               sn_error *err) {
  if (access(path, F_OK) != 0) {
    return SN_OK;
  }
  sn__file file;
  sn_status status = sn__file_read(path, SN_VALUE_SIZE_MAX, NULL, &file, err);
  if (status == SN_OK) {
    status = parse_file(&file, path, joints, ranges, err);
    sn__file_free(&file);
  }
  return status;
}

/* ---- write ---- */

static double rounded(double angle) {
  const double limited = fmax(-ANGLE_MAX, fmin(ANGLE_MAX, angle));
  return round(limited * STEPS_PER_RAD) / STEPS_PER_RAD;
}

void sn__calibration_write(const sn_names *joints, const sn__servo_range *ranges, sn__buffer *out) {
  static const char *const head =
      "# Zero and range of each joint, measured by calibration. They win over those of `servos`.\n";
  sn__buffer_append(out, head, strlen(head));
  sn__json_open(out, NULL, '{');
  for (size_t i = 0; i < sn_names_count(joints); i++) {
    sn__buffer_append(out, i == 0 ? "\n" : ",\n", i == 0 ? 1 : 2);
    sn__json_open(out, sn_names_at(joints, i), '{');
    sn__json_real(out, "zero", ranges[i].zero);
    sn__json_int(out, "direction", ranges[i].direction);
    sn__json_real(out, "min", rounded(ranges[i].min));
    sn__json_real(out, "max", rounded(ranges[i].max));
    sn__json_close(out, '}');
  }
  sn__buffer_append(out, "\n}\n", 3);
}

sn_status sn__calibration_save(const char *path, const sn_names *joints,
                               const sn__servo_range *ranges, sn_error *err) {
  sn__buffer text = {0};
  sn__calibration_write(joints, ranges, &text);
  const sn_status status = text.failed
                               ? sn__fail(err, SN_ENOMEM, "%.150s: cannot save: no memory", path)
                               : sn__file_replace(path, text.data, text.used, err);
  sn__buffer_free(&text);
  return status;
}
