/** @file
 *  Internal: names in a ROS graph (wiki.ros.org/Names): relative ones are put behind the namespace,
 *  then remapped. */
#ifndef SN_ROS_GRAPH_NAME_H
#define SN_ROS_GRAPH_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/property.h"
#include "sinew/status.h"

#define SN__GRAPH_NAME_SIZE 256

/** Texts must outlive it. */
typedef struct sn__graph_names {
  const char *space; /**< `/` or `/robot` */
  const char *node;  /**< `/robot/sinew`: what `~` stands for */
  sn_texts remap;    /**< `from:=to` */
} sn__graph_names;

/** Letters, digits, `_` and `/`; a letter, `/` or `~` first, no two `/` together. */
bool sn__graph_name_is_good(const char *name);

/** Check what is to be remapped. @return SN_OK or SN_EINVAL with the one that is wrong */
sn_status sn__graph_names_check(const sn__graph_names *names, sn_error *err);

/** The name that the graph knows. @return false if it does not fit into @p size bytes */
bool sn__graph_name_resolve(const sn__graph_names *names, const char *name, char *out, size_t size);

#endif
