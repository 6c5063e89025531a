/** @file
 *  Internal: the thread that drives one bus, and the data it shares with its component.
 *
 *  Bytes are slow: a cycle of six servos at 1 Mbit/s waits 2 ms for them, two hundred times the
 *  computation of a control step. So each bus has its own thread; goals and states pass through
 *  triple buffers, and neither side waits for the other. */
#ifndef SN_BUS_BUS_THREAD_H
#define SN_BUS_BUS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "bus/families/servo_bus.h"
#include "rt/estop/estop.h"
#include "sinew/clock.h"
#include "sinew/component.h"

/** From the component to the thread. */
typedef struct sn__bus_goals {
  double goal[SN__BUS_SERVOS_MAX]; /**< rad of the servo */
  bool has_goal[SN__BUS_SERVOS_MAX];
  bool limp[SN__BUS_SERVOS_MAX];
  int64_t sent_ns; /**< when the source of goals sent the last; 0: none yet */
  uint32_t rearms; /**< a new number: clear the faults */
} sn__bus_goals;

/** From the thread to the component. */
typedef struct sn__servo_report {
  sn__servo_state servos[SN__BUS_SERVOS_MAX];
  bool is_open; /**< the port is there */
  sn_bus_stats stats;
  uint64_t cycles, cycles_in_turn, cycles_late;
  int64_t late_p99_ns; /**< 99 of 100 cycles began no later than this after their time */
  int64_t late_max_ns; /**< none later than this */
  int64_t stamp_ns;
} sn__servo_report;

typedef struct sn__bus_thread_config {
  const char *path; /**< of the port; must outlive the thread */
  sn__servo_bus *bus;
  const sn_clock *clock;
  const sn_component *component; /**< whose log it writes to; NULL: none */
  const char *const *names;      /**< of the servos, for the log */
  bool stops_limp;               /**< at the end torque is taken away */
  int priority;                  /**< of SCHED_FIFO; 0: the usual scheduler */
  sn__estop *estop;              /**< of the system; NULL: none */
  int actuator;                  /**< its place there */
  int64_t goal_timeout_ns;       /**< older goals stop the servos */
  int64_t guard_timeout_ns;      /**< the guard stops them after such a silence of the thread */
  bool safe_limp;                /**< the safe state is limp; else hold */
} sn__bus_thread_config;

typedef struct sn__bus_thread sn__bus_thread;

/** Start; the thread waits for a missing port.
 *  @return SN_OK, SN_ENOMEM, SN_EIO (no thread) */
sn_status sn__bus_thread_start(const sn__bus_thread_config *config, sn__bus_thread **out,
                               sn_error *err);

/** Ask the thread to end, without waiting for it. */
void sn__bus_thread_end(sn__bus_thread *thread);
/** Release the servos if configured, and end the thread: half a second at most. */
void sn__bus_thread_stop(sn__bus_thread *thread);

/** Fill and send the next goals. RT: yes.  Threads: the component's. */
sn__bus_goals *sn__bus_thread_goals(sn__bus_thread *thread);
void sn__bus_thread_send(sn__bus_thread *thread);

/** The latest report, valid until the next call; NULL before the first. RT: yes. */
const sn__servo_report *sn__bus_thread_report(sn__bus_thread *thread);

#endif
