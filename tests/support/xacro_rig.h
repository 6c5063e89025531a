/** @file
 *  Expands a xacro text with files in memory. */
#ifndef SN_TEST_XACRO_RIG_H
#define SN_TEST_XACRO_RIG_H

#include <stddef.h>

typedef struct xacro_file {
  const char *path; /**< as the document names it, with the folder of the package in front */
  const char *text;
} xacro_file;

/** Expand @p text, the file `r.xacro`. The package `pkg` is the folder `/pkg`.
 *  @param files      ends with an entry without a path; NULL: none
 *  @param arguments  ends with NULL; NULL: none
 *  @return the result without its first line, or `error: ` with all problems, one on each line with
 *          its place and hint; valid until the next call */
const char *xacro_expand(const char *text, const xacro_file *files, const char *const *arguments);

/** Expand the inside of `<r>...</r>`: the result is that of the inside, without line ends and
 * indentation. */
const char *xacro_inside(const char *inside);

#endif
