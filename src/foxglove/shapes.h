/** @file
 *  The robot for viewers: its URDF, and the meshes and textures that it names, as far as they may
 * be served. */
#ifndef SN_FOXGLOVE_SHAPES_H
#define SN_FOXGLOVE_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "sinew/status.h"

/** A file that the robot names. */
typedef struct sn__shape {
  char *uri;     /**< as in the URDF */
  char *path;    /**< NULL: not found, or may not be served */
  char *root;    /**< folder that must contain it whenever it is opened */
  char *missing; /**< why `path` is NULL, and where the file was searched; else NULL */
} sn__shape;

typedef struct sn__shapes {
  char *urdf;      /**< as loaded; NULL: no robot */
  sn__buffer page; /**< the same, with URLs instead of file names */
  sn__shape *items;
  size_t count, capacity;
} sn__shapes;

/** @param urdf  the text, copied
 *  @param file  the path of the file that it came from; NULL or empty: unknown
 *  @param package_path  as in sinew/packages.h; may be NULL
 *  @return SN_OK or SN_ENOMEM; a text that is not XML has no files */
sn_status sn__shapes_init(sn__shapes *shapes, const char *urdf, const char *file,
                          const char *package_path, sn_error *err);
void sn__shapes_free(sn__shapes *shapes);

/** Open the file of `N/PATH`, the rest of the URL /mesh/N/PATH: the shape itself, or another mesh
 * or image of its package; without a package, one in or below its folder. Meshes name textures
 *  relative to themselves.
 *  @return a descriptor, or -1 */
int sn__shapes_open(const sn__shapes *shapes, const char *place, int64_t *size);
/** Why `N/PATH` cannot be opened: which file it is, and where it was searched.
 *  @return false if N is not a shape */
bool sn__shapes_explain(const sn__shapes *shapes, const char *place, char *text, size_t size);
/** Open the file with this name in the URDF. */
int sn__shapes_open_uri(const sn__shapes *shapes, const char *uri, int64_t *size);

#endif
