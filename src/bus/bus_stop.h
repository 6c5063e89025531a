/** @file
 *  Internal: how the thread of a bus stops it: on stale goals, by the emergency stop of the
 *  system, by the guard process. */
#ifndef SN_BUS_BUS_STOP_H
#define SN_BUS_BUS_STOP_H

#include "bus/families/servo_bus.h"
#include "bus/guard/bus_safety.h"
#include "bus/guard/guard.h"
#include "sinew/component.h"

typedef struct sn__bus_stop_config {
  const char *path; /**< of the port */
  sn__servo_bus *bus;
  const sn_component *component; /**< whose log it writes to; NULL: none */
  sn__estop *estop;              /**< of the system; NULL: use `own` */
  int actuator;                  /**< its place there */
  int64_t goal_timeout_ns, guard_timeout_ns;
  bool limp;    /**< the safe state; else hold */
  int priority; /**< of the bus's thread */
} sn__bus_stop_config;

typedef struct sn__bus_stop {
  sn__bus_stop_config config;
  sn__bus_safety safety;
  sn__estop own; /**< used without a system */
  sn__estop_view view;
  sn__estop_order order;
  uint64_t confirmed;  /**< number of the last stop that this bus has carried out */
  int place;           /**< at the guard */
  sn_status guard_was; /**< so that a guard that cannot start is reported once */
  sn__safe_bytes safe;
} sn__bus_stop;

/** @return SN_OK, SN_EIO (no guard process), SN_ELIMIT.  RT: no. */
sn_status sn__bus_stop_init(sn__bus_stop *stop, const sn__bus_stop_config *config, sn_error *err);
/** The bus has ended normally. */
void sn__bus_stop_leave(sn__bus_stop *stop);

/** All below are for the bus's thread. */

/** The port is open; -1: it is about to be closed. */
void sn__bus_stop_port(sn__bus_stop *stop, int fd);
/** Goals were sent at @p sent_ns. */
void sn__bus_stop_goals(sn__bus_stop *stop, int64_t sent_ns);
/** Before a cycle: freeze or thaw. @return false if nothing may be sent any more */
bool sn__bus_stop_before(sn__bus_stop *stop, int64_t now_ns);
/** In a cycle: has the guard stopped the servos since it began? Then no goal may follow. */
bool sn__bus_stop_must_yield(const sn__bus_stop *stop);
/** Is a stop in force that this bus has not carried out? Then the next cycle is urgent. */
bool sn__bus_stop_is_awaited(const sn__bus_stop *stop);
/** After a cycle: confirm the emergency stop, send a heartbeat and the safe bytes to the guard. */
void sn__bus_stop_after(sn__bus_stop *stop, int64_t now_ns);

#endif
