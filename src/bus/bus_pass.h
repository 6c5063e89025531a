/** @file
 *  The bytes between a bus engine and a serial port. */
#ifndef SN_BUS_BUS_PASS_H
#define SN_BUS_BUS_PASS_H

#include "bus/bus_engine.h"
#include "bus/serial_port.h"
#include "sinew/clock.h"

SN_BEGIN_DECLS

/** What the engine has to say goes out; then waits until an answer comes or the engine has given up
 *  waiting for it, and reads what is there. What had come before the first byte of a request went
 *  out does not answer it, and is thrown away.
 *  @param wait_max_ns  no longer than that
 *  @param heard_ns     receives the time until which the port has been heard: for
 *                      sn__bus_engine_step(), instead of the present
 *  @return false if the port is gone
 *  RT: no, waits.  Threads: the engine's owner. */
SN_API bool sn__bus_pass(sn_bus_engine *engine, sn_serial_port *port, const sn_clock *clock,
                         int64_t wait_max_ns, int64_t *heard_ns);

SN_END_DECLS

#endif
