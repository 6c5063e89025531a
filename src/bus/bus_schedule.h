/** @file
 *  Internal: the requests of a bus in a cycle, and their order. */
#ifndef SN_BUS_BUS_SCHEDULE_H
#define SN_BUS_BUS_SCHEDULE_H

#include "bus/families/servo_bus.h"

/** Each sends the next request of its kind: a packet of goals, another task of a servo, positions,
 *  supply or torque of one servo, a ping to a missing one. @return whether a request was sent; if
 *  not, `is_short` is set if only time was lacking */
bool sn__bus_ask_goals(sn__servo_bus *bus, int64_t now_ns);
bool sn__bus_ask_task(sn__servo_bus *bus, int64_t now_ns);
bool sn__bus_ask_states(sn__servo_bus *bus, int64_t now_ns);
bool sn__bus_ask_slow(sn__servo_bus *bus, int64_t now_ns);
bool sn__bus_ask_ping(sn__servo_bus *bus, int64_t now_ns);

/** Send the next request of the cycle; bus_phases.c. @return whether a request was sent */
bool sn__bus_ask_next(sn__servo_bus *bus, int64_t now_ns);

/** At the end of a cycle: were all read? bus_phases.c */
void sn__bus_close_cycle(sn__servo_bus *bus);

/** Is the line so noisy that a damaged answer may have the right checksum? Then positions are read
 *  twice. */
bool sn__bus_reads_twice(const sn__servo_bus *bus);

/** Update the noise estimate, and detect servos that answer for others. bus_noise.c */
void sn__bus_judge_line(sn__servo_bus *bus);

/** Choose packet size and repetitions of goals for this noise; goal_plan.c */
void sn__bus_plan_goals(sn__servo_bus *bus);
/** The shortest period in which one goal is sent and one servo is read. */
int64_t sn__bus_period_min_ns(const sn__servo_bus *bus);
/** HerkuleX's play time for goals with this period: the servo keeps moving until the next goal
 *  arrives. Ticks of 11.2 ms, 1 .. 254. */
uint8_t sn__bus_play_time(int64_t period_ns);
/** Of one servo's goal. */
size_t sn__bus_goal_bytes(const sn__servo_bus *bus);

#endif
