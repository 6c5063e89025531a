/** @file
 *  Internal: robots in MJCF, the format of MuJoCo, as the URDF and the SRDF that say the same
 *  (docs/robots.md). Elements of the URDF keep their places in the MJCF files, so the model is
 * built and checked as that of any other robot.
 *
 *  No file is opened but through the function of the configuration. Files, nesting and memory are
 *  bounded.
 *
 *  RT: no, all of it.  Threads: one owner of arena and report. */
#ifndef SN_MJCF_MJCF_H
#define SN_MJCF_MJCF_H

#include "files/file.h"
#include "files/xml.h"

/** Bounds of one robot. */
#define SN__MJCF_FILE_MAX ((size_t)16 << 20)  /**< bytes of a file */
#define SN__MJCF_BYTES_MAX ((size_t)64 << 20) /**< of all files together, and of the URDF */
#define SN__MJCF_FILES_MAX 64
#define SN__MJCF_LINKS_MAX 4096      /**< as in a URDF */
#define SN__MJCF_ELEMENTS_MAX 100000 /**< of all files together */
#define SN__MJCF_DEPTH_MAX 64        /**< nested elements of one file */
#define SN__MJCF_INCLUDES_MAX 8      /**< nested includes */

/** Zero-initialise, then set the fields that differ from their default. */
typedef struct sn__mjcf_config {
  const char *file; /**< path of the document, also for messages; must outlive report and tree */
  void *context;
  /** Read a file that the document includes. @return as sn__file_read(). NULL: there are none */
  sn_status (*read)(void *context, const char *path, sn__file *file, sn_error *why);
} sn__mjcf_config;

typedef struct sn__mjcf_result {
  const sn__xml_node *urdf;
  const char *urdf_text; /**< with a NUL behind it */
  size_t urdf_size;
  const char *srdf_text; /**< likewise; NULL: there is nothing to say */
  size_t srdf_size;
} sn__mjcf_result;

/** Is the text MJCF? Its root element is `<mujoco>`. */
bool sn__mjcf_is_meant(const char *text, size_t size);

/** Convert a robot.
 *  @param arena   of the result, and of everything that is needed on the way
 *  @param report  receives every problem
 *  @param out     set on success
 *  @return SN_OK, SN_ESYNTAX, SN_EMODEL, SN_EIO, SN_ELIMIT or SN_ENOMEM */
sn_status sn__mjcf_convert(sn_arena *arena, const char *text, size_t size,
                           const sn__mjcf_config *config, sn_report *report, sn__mjcf_result *out);

#endif
