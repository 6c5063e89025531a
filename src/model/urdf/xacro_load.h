/** @file
 *  Internal: robots that are written in xacro, with the files of their packages. */
#ifndef SN_MODEL_URDF_XACRO_LOAD_H
#define SN_MODEL_URDF_XACRO_LOAD_H

#include "files/xml.h"
#include "model/urdf/packages.h"
#include "sinew/report.h"
#include "sinew/value.h"

SN_BEGIN_DECLS

/** Of property files and deployments: values for `xacro:arg`. */
#define SN__XACRO_ARGUMENTS_KEY "robot_arguments"

/** The result: a URDF. */
typedef struct sn_xacro_result {
  const sn__xml_node *root; /**< elements with their places in the source files */
  const char *text;         /**< with a NUL behind it */
  size_t size;              /**< bytes of the text */
} sn_xacro_result;

/** Is the file written in xacro? Its name ends with `.xacro`. */
bool sn__xacro_is_meant(const char *path);

/** Read and expand a file. Only files below its folder and in known packages are opened
 *  (packages.h).
 *  @param arena      of the result, and of everything that is needed on the way
 *  @param path       must outlive the report
 *  @param arguments  `name:=value`, ends with NULL; NULL: none
 *  @param report     receives every problem; must not be NULL
 *  @return SN_OK, SN_EIO, SN_ESYNTAX, SN_EMODEL, SN_ELIMIT or SN_ENOMEM
 *  RT: no.  Threads: one owner of arena, packages and report. */
SN_API sn_status sn__xacro_load(sn_arena *arena, const char *path, sn_packages *packages,
                                const char *const *arguments, sn_report *report,
                                sn_xacro_result *out);

/** The arguments of a robot: those of its property file, then those of @p more, which override
 * them.
 *  @param properties  its `robot_arguments` is a bag of texts; NULL: none
 *  @param more        `name:=value`, ends with NULL; NULL: none
 *  @param report      receives an error for each item that is not a text
 *  @return as @p more; NULL: no memory */
const char *const *sn__xacro_arguments(sn_arena *arena, const sn_value *properties,
                                       const char *const *more, sn_report *report);

SN_END_DECLS

#endif
