/** @file
 *  A bus with simulated servos at its other end, in simulated time. */
#ifndef SN_BUS_RIG_H
#define SN_BUS_RIG_H

#include "bus/families/servo_bus.h"
#include "sim/servo_sim.h"

typedef struct bus_rig {
  sn_arena arena;
  servo_sim sim;
  sn__servo_bus *bus;
  sn__servo_bus_config config;
  sn__servo_mount mounts[SIM_SERVOS_MAX];
  int64_t now_ns;
  size_t chunk;         /**< bytes that the adapter delivers together; 1 */
  int64_t stall_ns;     /**< the host stalls for this time, once */
  size_t stall_after;   /**< after so many reads */
  bool is_unplugged;    /**< the adapter: nothing arrives either way */
  bool check_positions; /**< compare each accepted position with the one the servo sent */
  uint64_t positions;   /**< accepted */
  uint64_t inexact;     /**< of those, different from the one the servo sent */
  uint64_t wrong;       /**< of those, off by more than the noise of the servo */
  double wrong_max;     /**< by how many counts at most */
  uint64_t late_cycles; /**< cycles whose work was not finished at their end */
  uint64_t events[16];  /**< events of each kind */
  int32_t event_value[16];
  char said[16][240];      /**< message of the last event of each kind */
  int64_t goal_gap_max_ns; /**< longest time without a goal of a holding servo */
  int64_t busy_ns;         /**< of the wire, summed over cycles */
} bus_rig;

/** A rig on the heap; count servos with ids from 1. Use bus_rig_free(). */
bus_rig *bus_rig_create(sim_kind kind, size_t count, int64_t baud, int64_t period_ns);
/** The same in two steps, to change `config` and `mounts` in between. */
bus_rig *bus_rig_prepare(sim_kind kind, size_t count, int64_t baud, int64_t period_ns);
void bus_rig_build(bus_rig *rig);
/** Three servos at 100 Hz that hold, on their way to 1.5 rad. */
bus_rig *bus_rig_moving(sim_kind kind);
void bus_rig_free(bus_rig *rig);

/** Runs one cycle, to its end. */
void bus_rig_cycle(bus_rig *rig);
void bus_rig_cycles(bus_rig *rig, size_t count);
/** The same goal for all, rad of the servo. */
void bus_rig_goals(bus_rig *rig, double goal, bool limp);
/** Share of the positions read that were not accepted. */
double bus_rig_doubted(const bus_rig *rig);
size_t bus_rig_count(const bus_rig *rig, sn__servo_link link);

/** Of the family of its servos. */
double bus_rig_counts_per_rad(const bus_rig *rig);

#endif
