/** @file
 *  The robot for those who draw it: its URDF, and the files that it names as meshes and textures,
 *  those of them that may be handed out. */
#ifndef SN_FOXGLOVE_SHAPES_H
#define SN_FOXGLOVE_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "sinew/status.h"

/** A file that the robot names. */
typedef struct sn__shape {
  char *uri;     /**< as it stands in the URDF */
  char *path;    /**< NULL: it was not found, or may not be handed out */
  char *root;    /**< below which it must lie whenever it is opened */
  char *missing; /**< why there is no path, and where it was looked for; NULL if there is one */
} sn__shape;

typedef struct sn__shapes {
  char *urdf;      /**< as it was loaded; NULL: there is no robot */
  sn__buffer page; /**< the same with the files' names as clients ask for them */
  sn__shape *items;
  size_t count;
} sn__shapes;

/** @param urdf  the text, copied
 *  @param file  the path of the file that it came from; NULL or empty: not known
 *  @param package_path  as in sinew/packages.h; may be NULL
 *  @return SN_OK or SN_ENOMEM; a text that is no XML has no files */
sn_status sn__shapes_make(sn__shapes *shapes, const char *urdf, const char *file,
                          const char *package_path, sn_error *err);
void sn__shapes_free(sn__shapes *shapes);

/** Open the file of `N/PATH`, the rest of the path /mesh/N/PATH: the shape itself, or a mesh or
 * image in its package, or, if it is in none, in or below its folder: meshes name textures and
 * others relative to themselves.
 *  @return a descriptor, or -1 */
int sn__shapes_open(const sn__shapes *shapes, const char *place, int64_t *size);
/** Why `N/PATH` cannot be opened: which file it is, and where it was looked for.
 *  @return false: there is no shape N */
bool sn__shapes_explain(const sn__shapes *shapes, const char *place, char *text, size_t size);
/** Open the file that the URDF names so. */
int sn__shapes_open_uri(const sn__shapes *shapes, const char *uri, int64_t *size);

#endif
