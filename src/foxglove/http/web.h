/** @file
 *  The files of the cockpit, embedded in the program by cmake/web.cmake. */
#ifndef SN_FOXGLOVE_HTTP_WEB_H
#define SN_FOXGLOVE_HTTP_WEB_H

typedef struct sn__web_file {
  const char *path; /**< `/index.html` */
  const char *etag; /**< in quotes */
  const unsigned char *bytes, *end;
} sn__web_file;

/** Ends with an entry without a path. Generated. */
extern const sn__web_file sn__web_files[];

#endif
