/** @file
 *  Which files make a robot: a URDF alone, or a property file that names one. */
#ifndef SINEW_ROBOT_FILE_H
#define SINEW_ROBOT_FILE_H

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

/** Find out what @p path means. A file `.yaml`, `.yml` or `.cpf` holds properties, and its `robot`
 *  names the URDF, relative to it; any other file is a URDF, and is not looked at.
 *  @param arena   of paths and properties
 *  @param path    must outlive the report and what is found
 *  @param report  receives every problem; must not be NULL
 *  @param out     set on success, untouched on failure
 *  @return SN_OK; as sn_value_load(); SN_EINVAL: the property file names no robot
 *  RT: no.  Threads: one owner of arena and report. */
SN_API sn_status sn_robot_file_find(sn_arena *arena, const char *path, sn_report *report,
                                    sn_robot_file *out);

SN_END_DECLS

#endif
