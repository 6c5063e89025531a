/** @file
 *  Internal: attributes of URDF elements as numbers and names; problems are reported with place,
 * finding and expectation. */
#ifndef SN_MODEL_URDF_URDF_VALUES_H
#define SN_MODEL_URDF_URDF_VALUES_H

#include <stdbool.h>

#include "model/urdf/urdf.h"

/** The element being read, for messages: "joint 'elbow'". */
typedef struct sn__urdf_owner {
  const char *kind;
  const char *name;
  sn_severity severity; /**< of a bad number in it */
} sn__urdf_owner;

/** Report a problem with an attribute of @p node (or the element itself if @p attribute is NULL).
 */
void sn__urdf_problem(sn__urdf_context *context, sn_severity severity, const sn__xml_node *node,
                      const char *attribute, const char *hint, const char *format, ...)
    SN_PRINTF(6, 7);

/** Read @p count numbers of an attribute that exists.
 *  @return false, with an error reported and @p out untouched, if they are not */
bool sn__urdf_numbers(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                      const char *attribute, size_t count, double *out);

/** Larger numbers are errors in the file: no robot has such parts, and within these bounds squares
 * and products over a whole robot stay finite. */
#define SN__LENGTH_MAX_M 1e9
#define SN__MASS_MAX_KG 1e15
#define SN__INERTIA_MAX 1e30 /**< kg·m² */
#define SN__MIMIC_MAX 1e6    /**< multiplier, also of a joint that mimics one that mimics another */
#define SN__MIMIC_OFFSET_MAX 1e9

/** Report numbers of an attribute that are larger than @p max, or less than -@p max.
 *  @param unit  for the message, "" if there is none
 *  @return whether all are within */
bool sn__urdf_within(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                     const char *attribute, size_t count, const double *numbers, double max,
                     const char *unit);

/** One number if the attribute exists. @return true if it exists and is valid; @p out untouched
 * otherwise */
bool sn__urdf_number(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                     const char *attribute, double *out);

/** `<origin>` below @p node: xyz and rpy or quat_xyzw; the identity by default. */
sn_pose sn__urdf_origin(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node);

/** The `name` attribute of a link or joint: required, not empty, without control characters; blanks
 * and slashes cause a warning. @return the name, or NULL with an error reported */
const char *sn__urdf_name(sn__urdf_context *context, const sn__xml_node *node);

/** Report an error if @p value contains `${...}`. @return whether it does */
bool sn__urdf_has_xacro(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                        const char *attribute, const char *value);

#endif
