/** @file
 *  Internal: what a bus asks for in a cycle, and in which order. */
#ifndef SN_BUS_BUS_SCHEDULE_H
#define SN_BUS_BUS_SCHEDULE_H

#include "bus/families/servo_bus.h"

/** Each asks for the next of its kind: a packet of goals, what a servo needs done apart from them,
 *  positions, supply or torque of one servo, whether a missing one is there. @return whether
 *  something was asked; if not, `is_short` says whether only the time is missing */
bool sn__bus_ask_goals(sn__servo_bus *bus, int64_t now_ns);
bool sn__bus_ask_task(sn__servo_bus *bus, int64_t now_ns);
bool sn__bus_ask_states(sn__servo_bus *bus, int64_t now_ns);
bool sn__bus_ask_slow(sn__servo_bus *bus, int64_t now_ns);
bool sn__bus_ask_ping(sn__servo_bus *bus, int64_t now_ns);

/** The next request of the cycle; bus_phases.c. @return whether something was asked */
bool sn__bus_ask_next(sn__servo_bus *bus, int64_t now_ns);

/** At the end of a cycle: were all read? bus_phases.c */
void sn__bus_close_cycle(sn__servo_bus *bus);

/** Is the line so noisy that a damaged answer may have the right checksum? Then it takes two. */
bool sn__bus_reads_twice(const sn__servo_bus *bus);

/** How noisy is the line, and does somebody answer for others? bus_noise.c */
void sn__bus_judge_line(sn__servo_bus *bus);

/** How do goals get through such a line? goal_plan.c */
void sn__bus_plan_goals(sn__servo_bus *bus);
/** The shortest cycle in which the goal of one servo goes out and one servo is asked: with a
 * shorter period none would ever be. */
int64_t sn__bus_period_min_ns(const sn__servo_bus *bus);
/** HerkuleX's play time for goals that come so often: the servo is on its way until the next one
 *  comes, and does not rest in between. Ticks of 11.2 ms, 1 .. 254. */
uint8_t sn__bus_play_time(int64_t period_ns);
/** Of one servo's goal. */
size_t sn__bus_goal_bytes(const sn__servo_bus *bus);

#endif
