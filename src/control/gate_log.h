/** @file
 *  Internal: what the gate has to say, as lines of the log.
 *
 *  A line is made of text later, by another thread, so every name in it must stay: names are copied
 *  once and kept until the component goes. */
#ifndef SN_CONTROL_GATE_LOG_H
#define SN_CONTROL_GATE_LOG_H

#include "sinew/component.h"
#include "sinew/gate.h"

enum { SN__GATE_STRANGERS = 16 };

/** All zero is an empty one. */
typedef struct sn__gate_log {
  sn_arena arena;
  const char **joints; /**< [joint_count] */
  size_t joint_count;
  char strangers[SN__GATE_STRANGERS][SN_GATE_NAME_MAX]; /**< names of unknown joints */
  size_t stranger_count;
} sn__gate_log;

/** Keep the names of a robot. @return SN_OK, SN_ENOMEM. RT: no, allocates */
sn_status sn__gate_log_keep(sn__gate_log *log, const sn_names *joints);

/** The component goes. RT: no, frees */
void sn__gate_log_release(sn__gate_log *log);

/** @param source  the name of the event's source. RT: yes */
void sn__gate_log_write(sn__gate_log *log, const sn_component *component,
                        const sn_gate_event *event, const char *source) SN_RT;

#endif
