/** @file
 *  Internal: files that a robot's file includes. */
#ifndef SN_MODEL_URDF_PACKAGE_FILE_H
#define SN_MODEL_URDF_PACKAGE_FILE_H

#include "files/file.h"

/** Bytes of such a file, at most. */
#define SN__PACKAGE_FILE_MAX ((size_t)16 << 20)

/** Read a file of the robot's folder or of a known package.
 *  @param packages  an sn_packages
 *  @return as sn__file_read(); SN_EIO for files elsewhere */
sn_status sn__package_file_read(void *packages, const char *path, sn__file *file, sn_error *why);

#endif
