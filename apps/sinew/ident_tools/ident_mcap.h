/** @file
 *  A recording as a log of servos: the same samples as from CSV. */
#ifndef SINEW_APP_IDENT_MCAP_H
#define SINEW_APP_IDENT_MCAP_H

#include "ident_tools/ident_read.h"
#include "ident_tools/ident_topics.h"

/** Do the bytes begin with the magic of a recording? */
bool ident_is_recording(const char *bytes, size_t size);

/** Read a recording; prints errors and the topics it uses.
 *  @param wanted  topics given by the user
 *  @param out     with empty tracks
 *  @return EXIT_GOOD, EXIT_NO (invalid file or missing topic) or EXIT_FAULT */
int ident_read_recording(const char *path, const sn_servo_list *servos, const ident_topics *wanted,
                         bool progress, ident_data *out);

#endif
