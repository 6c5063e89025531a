/** @file
 *  Internal: an operation that does part of its work in the thread of its client. */
#ifndef SN_RT_PORTS_OWN_CALL_H
#define SN_RT_PORTS_OWN_CALL_H

#include "sinew/component.h"

/** Call an own-thread operation of the component itself from a client's thread.
 *  @param operation  its name, without that of the component
 *  @return as sn_caller_open() and sn_call()
 *  RT: no, waits.  Threads: any but those of activities. */
sn_status sn__call_own(const sn_component *component, const char *operation, const void *request,
                       void *response, sn_error *err);

#endif
