/** @file
 *  Internal: the receiving half of the engine, from bytes to answers. */
#ifndef SN_BUS_BUS_RECEIVE_H
#define SN_BUS_BUS_RECEIVE_H

#include "bus/bus_engine.h"

/** Drop the first bytes. */
void sn__bus_drop(sn_bus_engine *engine, size_t count);

/** The next answer among the bytes.
 *  @param is_last  no more bytes follow: an incomplete packet is garbage */
bool sn__bus_next_answer(sn_bus_engine *engine, int64_t now_ns, bool is_last, sn_bus_event *event);

#endif
