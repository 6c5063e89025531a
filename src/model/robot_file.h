/** @file
 *  The files of a robot: a URDF, or a property file that refers to one. */
#ifndef SN_MODEL_ROBOT_FILE_H
#define SN_MODEL_ROBOT_FILE_H

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/report.h"
#include "sinew/status.h"
#include "sinew/value.h"

SN_BEGIN_DECLS

typedef struct sn_robot_file {
  const char *urdf;           /**< path of the URDF */
  const sn_value *properties; /**< for sn_model_config; NULL: none */
} sn_robot_file;

/** Resolve @p path. A file `.yaml`, `.yml` or `.cpf` contains properties, and its `robot` is the
 * path of the URDF relative to it; any other file is a URDF and is not opened.
 *  @param arena   of paths and properties
 *  @param path    must outlive the report and the result
 *  @param report  receives every problem; must not be NULL
 *  @param out     set on success, untouched on failure
 *  @return SN_OK; as sn_value_load(); SN_EINVAL: the property file does not name a robot
 *  RT: no.  Threads: one owner of arena and report. */
SN_API sn_status sn__robot_file_find(sn_arena *arena, const char *path, sn_report *report,
                                     sn_robot_file *out);

SN_END_DECLS

#endif
