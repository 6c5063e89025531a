/** @file
 *  Internal: expands xacro, the macro language of ROS robots, as ros/xacro does (docs/xacro.md).
 *
 *  Nothing is run, and no file is opened but through the functions of the configuration. Nodes,
 *  nesting, memory and steps of expressions are bounded, so every expansion ends.
 *
 *  RT: no, all of it.  Threads: one owner of arena and report. */
#ifndef SN_XACRO_XACRO_H
#define SN_XACRO_XACRO_H

#include "files/file.h"
#include "files/xml.h"

/** Bounds of one expansion. */
#define SN__XACRO_NODES_MAX 500000u
#define SN__XACRO_ATTRIBUTES_MAX 256u /**< of an element */
#define SN__XACRO_DEPTH_MAX 1500u /**< of elements, macros, properties and expressions together */
#define SN__XACRO_BYTES_MAX ((size_t)128 << 20)
#define SN__XACRO_STEPS_MAX 5000000u /**< of expressions */
#define SN__XACRO_FILE_MAX ((size_t)16 << 20)

/** Where files come from. */
typedef struct sn__xacro_files {
  void *context;
  /** The folder of a package, in @p folder. @return false with the reason in @p why */
  bool (*find_package)(void *context, const char *name, char *folder, size_t size, sn_error *why);
  /** Read a file that the document may read. @return as sn__file_read() */
  sn_status (*read)(void *context, const char *path, sn__file *file, sn_error *why);
  /** The names of all files that match a pattern with `*`, `?` or `[`, sorted.
   *  @return false: no memory */
  bool (*match)(void *context, sn_arena *arena, const char *pattern, const char ***paths,
                size_t *count);
} sn__xacro_files;

/** Zero-initialise, then set the fields that differ from their default. */
typedef struct sn__xacro_config {
  const char *file; /**< path of the document, also for messages; must outlive report and tree */
  const char *const *arguments; /**< `name:=value`, ends with NULL; NULL: none */
  sn__xacro_files files;        /**< NULL functions: there are no packages and no files */
} sn__xacro_config;

/** Expand a document. Elements are as sn__xml_parse() returns them with `keep_content`, each with
 * the place in its source file.
 *  @param arena   of the tree, and of everything else while it runs
 *  @param report  receives every problem; an error ends the expansion
 *  @param root    set on success
 *  @return SN_OK, SN_ESYNTAX, SN_EMODEL, SN_EIO, SN_ELIMIT or SN_ENOMEM */
sn_status sn__xacro_expand(sn_arena *arena, const char *text, size_t size,
                           const sn__xacro_config *config, sn_report *report,
                           const sn__xml_node **root);

#endif
