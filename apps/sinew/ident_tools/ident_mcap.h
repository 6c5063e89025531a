/** @file
 *  A recording as a log of servos: the same samples as from comma-separated values. */
#ifndef SINEW_APP_IDENT_MCAP_H
#define SINEW_APP_IDENT_MCAP_H

#include "ident_tools/ident_read.h"
#include "ident_tools/ident_topics.h"

/** Do these bytes begin a recording? */
bool ident_is_recording(const char *bytes, size_t size);

/** Read a recording; prints what is wrong, and which topics are read.
 *  @param wanted  topics that somebody named
 *  @param out  with its tracks, which are empty
 *  @return EXIT_GOOD, EXIT_NO (the file is bad, or a topic is missing) or EXIT_FAULT */
int ident_read_recording(const char *path, const sn_servo_list *servos, const ident_topics *wanted,
                         bool progress, ident_data *out);

#endif
