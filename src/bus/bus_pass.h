/** @file
 *  Moves bytes between a bus engine and a serial port. */
#ifndef SN_BUS_BUS_PASS_H
#define SN_BUS_BUS_PASS_H

#include "bus/bus_engine.h"
#include "bus/serial_port.h"
#include "sinew/clock.h"

SN_BEGIN_DECLS

/** Send the engine's output, wait for an answer or the engine's timeout, and read the received
 *  bytes. Bytes received before the first byte of a request was sent are discarded.
 *  @param wait_max_ns  longest wait
 *  @param heard_ns     receives the time up to which received bytes were read; pass it to
 *  sn__bus_engine_step() instead of the current time
 *  @return false if the port is gone
 *  RT: no, waits.  Threads: the engine's owner. */
SN_API bool sn__bus_pass(sn_bus_engine *engine, sn_serial_port *port, const sn_clock *clock,
                         int64_t wait_max_ns, int64_t *heard_ns);

SN_END_DECLS

#endif
