/** @file
 *  Internal: ROS graph names (wiki.ros.org/Names): relative names are resolved in the namespace,
 * then remapped. */
#ifndef SN_ROS_GRAPH_NAME_H
#define SN_ROS_GRAPH_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/property.h"
#include "sinew/status.h"

#define SN__GRAPH_NAME_SIZE 256

/** Strings must outlive it. */
typedef struct sn__graph_names {
  const char *name_space; /**< `/` or `/robot` */
  const char *node;       /**< `/robot/sinew`: what `~` expands to */
  sn_texts remap;         /**< `from:=to` */
} sn__graph_names;

/** Letters, digits, `_` and `/`; starts with a letter, `/` or `~`; no `//`. */
bool sn__graph_name_is_good(const char *name);

/** Check the remapping rules. @return SN_OK, or SN_EINVAL with the first invalid one */
sn_status sn__graph_names_check(const sn__graph_names *names, sn_error *err);

/** The resolved and remapped name. @return false if it exceeds @p size bytes */
bool sn__graph_name_resolve(const sn__graph_names *names, const char *name, char *out, size_t size);

#endif
