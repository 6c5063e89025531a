/** @file
 *  A whole robot in simulated time: a deployment with the quadruped, driven by requests
 *  of the control socket. */
#ifndef SN_TEST_SCENARIO_H
#define SN_TEST_SCENARIO_H

#include <jansson.h>

#include "record/recorder.h"
#include "remote/request.h"
#include "sinew/deployment.h"
#include "sinew/msg_types.h"
#include "sinew/system.h"
#include "sinew/tap.h"

typedef struct scenario {
  sn_arena arena;
  sn_clock clock;
  sn_system *system;
  sn__remote_taps taps;
  sn__remote_context context;
  sn__remote_sources sources;
  sn_tap *sorted, *measured;
  sn_recorder *recorder; /**< NULL: none */
  uint64_t hash;         /**< of all commanded poses so far */
} scenario;

/** Everything runs, and the robot is held. */
void scenario_open(scenario *s);
/** The same with another deployment, which may include `standard.yaml` or `walking.yaml`. */
void scenario_open_with(scenario *s, const char *text);
/** The same with another robot: a URDF, or a file that names one. */
void scenario_open_robot(scenario *s, const char *robot, const char *text);
/** The same as scenario_open(), and all of it is recorded into a file, which scenario_close()
 * completes. */
void scenario_open_recorded(scenario *s, const char *path);
void scenario_close(scenario *s);

/** A tap on an output; the caller closes it before scenario_close(). */
sn_tap *scenario_tap(scenario *s, const char *from);

/** Run for this many cycles of 1 ms. */
void scenario_run(scenario *s, int cycles);

/** The result of a request, `{"verb":…}` with ' for "; fails the test if it is refused. The caller
 *  json_decref()s it. */
json_t *scenario_ask(scenario *s, const char *request);

/** The same, without the result. */
void scenario_do(scenario *s, const char *request);

/** Writes a position to follow.in_joints_ref in every 10th of @p cycles. */
void scenario_lead(scenario *s, const char *joint, double position, int cycles);

/** The owner of a limb; valid until the next call. */
const char *scenario_owner(scenario *s, const char *limb);

/** The commanded and the actual position of a joint. */
double scenario_commanded(scenario *s, const char *joint);
double scenario_measured(scenario *s, const char *joint);

#endif
