/** @file
 *  What the benchmarks of `sinew bench` share: the request, and the output of results. */
#ifndef SINEW_APP_BENCH_H
#define SINEW_APP_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command.h"
#include "common/robot.h"

/** The command line. */
typedef struct bench_request {
  text_list chosen; /**< names of benchmarks; none means all */
  const char *urdf; /**< NULL: the robots of Sinew */
  const char *base; /**< NULL: the first chain of the robot */
  const char *tip;
  bool json;
  bool peer; /**< beside other libraries */
} bench_request;

/** One case, measured. */
typedef struct bench_result {
  const char *bench; /**< "ik" */
  const char *name;  /**< "auto" */
  const char *robot;
  double good;    /**< share of the calls that succeeded */
  int64_t *times; /**< [count] ns of each measurement; sorted when printed */
  size_t count;
  size_t batch; /**< calls in one measurement, where a single one is too short; 0 means 1 */
} bench_result;

/** Print a case: one line of JSON, or of a table. */
void bench_print(const bench_request *request, const bench_result *result);

/** Whether the command line names a benchmark, or none. */
bool bench_is_chosen(const bench_request *request, const char *name);

/** Load each requested robot and call @p run.
 *  @return the worst exit code */
int bench_robots(const bench_request *request,
                 int (*run)(const bench_request *request, robot *r, const char *name));

/** The same for one robot of Sinew, such as `quadruped`. */
int bench_robot(const bench_request *request, const char *name,
                int (*run)(const bench_request *request, robot *r, const char *name));

/** The benchmarks, one file each. @return an exit code */
int bench_arbiter(const bench_request *request);
int bench_ik(const bench_request *request);
int bench_ports(const bench_request *request);
int bench_operations(const bench_request *request);
int bench_cycle(const bench_request *request);
int bench_quadruped(const bench_request *request); /**< a part of bench_cycle() */
int bench_otg(const bench_request *request);
int bench_plant(const bench_request *request);
int bench_collision(const bench_request *request);

/** Measure those that other libraries can do, too, beside them. @return an exit code */
int bench_peers(const bench_request *request);

/** Name @p index of them; NULL after the last one. */
const char *bench_peer_at(size_t index);

#endif
