/** @file
 *  Internal: one record of the log. */
#ifndef SN_BASE_LOG_INTERNAL_H
#define SN_BASE_LOG_INTERNAL_H

#include "sinew/log.h"

/** Append a record.
 *  @return false if the ring is full: the record is dropped and counted
 *  RT: yes, never waits; one more round for each concurrent writer.
 *  Threads: any number of writers. */
bool sn__log_write(sn_log *log, const sn_log_record *record) SN_RT;

#endif
