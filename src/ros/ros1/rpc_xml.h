/** @file
 *  Internal: the elements of XML-RPC as a tree, read by expat within limits that hold while the
 * text streams by. What is no element of XML-RPC, a document type or an attribute is refused. */
#ifndef SN_ROS_ROS1_RPC_XML_H
#define SN_ROS_ROS1_RPC_XML_H

#include <stddef.h>

#include "sinew/arena.h"
#include "sinew/status.h"

typedef struct sn__rpc_node {
  const char *name; /**< of the element; static */
  const char *text; /**< its characters, all of them; empty if it has elements */
  const struct sn__rpc_node *first_child, *next;
} sn__rpc_node;

#define SN__RPC_SIZE_MAX ((size_t)4 << 20)
#define SN__RPC_NODES_MAX ((size_t)100000)
#define SN__RPC_DEPTH_MAX 64

/** @param root  out; the tree lives in the arena. Untouched on failure
 *  @return SN_OK, SN_ESYNTAX, SN_ELIMIT or SN_ENOMEM */
sn_status sn__rpc_xml_parse(sn_arena *arena, const char *text, size_t size,
                            const sn__rpc_node **root, sn_error *err);

/** The first child of that name, or NULL. */
const sn__rpc_node *sn__rpc_child(const sn__rpc_node *node, const char *name);

#endif
