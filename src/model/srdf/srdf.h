/** @file
 *  Internal: SRDF files, which say about a robot what its URDF does not: groups of joints, named
 *  states, end effectors, pairs of links that may touch, passive and virtual joints. */
#ifndef SN_MODEL_SRDF_SRDF_H
#define SN_MODEL_SRDF_SRDF_H

#include "files/xml.h"
#include "model/urdf/packages.h"

/** Parse a text into its known elements.
 *  @param file    its name in messages; must outlive the tree and the report
 *  @param report  receives every problem, unknown elements as warnings; NULL: only @p err does
 *  @param err     place and reason of the first error; may be NULL
 *  @return SN_OK, SN_EINVAL or SN_ENOMEM */
sn_status sn__srdf_parse(sn_arena *arena, const char *file, const char *text, size_t size,
                         sn_report *report, const sn__xml_node **root, sn_error *err);

/** The text of a file: as it is, or expanded if its name ends with `.xacro`. */
typedef struct sn__srdf_text {
  const char *file; /**< its name in messages */
  const char *text;
  size_t size;
} sn__srdf_text;

/** Read a file.
 *  @param packages   where files that it includes are searched; NULL: around the file
 *  @param arguments  `name:=value` of a file in xacro, ends with NULL; NULL: none
 *  @param report     receives every problem; must not be NULL
 *  @return SN_OK, SN_EIO, SN_ELIMIT, SN_ENOMEM, or SN_EINVAL: it cannot be expanded */
sn_status sn__srdf_read_text(sn_arena *arena, const char *path, sn_packages *packages,
                             const char *const *arguments, sn_report *report, sn__srdf_text *out,
                             sn_error *err);

/** Read and parse a file. @return as above */
sn_status sn__srdf_load(sn_arena *arena, const char *path, sn_report *report,
                        const sn__xml_node **root, sn_error *err);

/** The SRDF file that belongs to a robot's file: for `robot.urdf` the first that exists of
 *  `robot.srdf`, `config/robot.srdf`, `../config/robot.srdf`, and the one of the package
 *  `robot_moveit_config` beside the folder or beside the package of the robot's file; at each place
 *  also `robot.srdf.xacro`.
 *  @return its path in @p arena; NULL: there is none, or no memory */
const char *sn__srdf_beside(sn_arena *arena, const char *robot_file);

#endif
