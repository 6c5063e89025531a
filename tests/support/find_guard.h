/** @file
 *  The guard process of a bus. */
#ifndef SN_TEST_FIND_GUARD_H
#define SN_TEST_FIND_GUARD_H

#include <sys/types.h>

/** The guard process that holds a port, named by the path of the terminal. @return 0: none */
pid_t guard_of(const char *port);

/** Wait for the guard process that holds a port: it gets its ports a moment after its start.
 *  @param other  not this process; 0: any */
pid_t find_guard(const char *port, pid_t other);

#endif
