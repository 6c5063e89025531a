/** @file
 *  How many files the program may have open. */
#ifndef SINEW_APP_FILE_LIMIT_H
#define SINEW_APP_FILE_LIMIT_H

#include <stdbool.h>

/** Descriptors that a system may need: all clients of its control socket and of its cockpit, buses,
 *  bridges, a recording. */
#define FILES_NEEDED 256

/** Take as many as the system permits. @return false, with a line on standard error, if these are
 *  fewer than FILES_NEEDED */
bool file_limit_raise(void);

#endif
