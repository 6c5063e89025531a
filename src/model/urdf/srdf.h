/** @file
 *  Internal: SRDF files, as far as they matter here: `<disable_collisions>` and `<group_state>`. */
#ifndef SN_MODEL_URDF_SRDF_H
#define SN_MODEL_URDF_SRDF_H

#include "files/xml.h"

/** Parse a text. Other elements are left out of the tree.
 *  @param file  its name in messages; must outlive the tree
 *  @param err   place and reason; may be NULL
 *  @return SN_OK, SN_EINVAL or SN_ENOMEM */
sn_status sn__srdf_parse(sn_arena *arena, const char *file, const char *text, size_t size,
                         const sn__xml_node **root, sn_error *err);

/** Read and parse a file. @return as above, or SN_EIO or SN_ELIMIT */
sn_status sn__srdf_load(sn_arena *arena, const char *path, const sn__xml_node **root,
                        sn_error *err);

#endif
