/** @file
 *  A deployment from test files, in a system with a simulated clock. The standard deployment can be
 *  included, without its cockpit. */
#ifndef SN_TEST_DEPLOYED_H
#define SN_TEST_DEPLOYED_H

#include "sinew/deployment.h"
#include "sinew/msg_calls.h"
#include "sinew/system.h"
#include "sinew/tap.h"

/** Must not be moved. */
typedef struct sn_deployed {
  sn_arena arena, problems;
  sn_report *report;
  sn_component_registry *registry;
  sn_clock clock;
  sn_log *log;
  const sn_deployment *deployment; /**< NULL if it was rejected */
  sn_system *system;               /**< NULL if it could not be built */
  sn_error err;
} sn_deployed;

/** An arm with two chains of the same robot, as URDF: chain `head` has joints h1 and h2, `nose` h1,
 *  h2 and n1, `leg` l1 and l2; e1 and e2 (the eyes) are in no chain. */
extern const char sn_deployed_robot[];

/** Empty, with all types of the library. Types may be added to the registry. */
void sn_deployed_init(sn_deployed *d);
/** Load a file and build its system. @return SN_OK or the error; problems are in the report */
sn_status sn_deployed_load(sn_deployed *d, const char *path);
/** Open, load and begin; fails the test with all problems if anything is rejected. */
void sn_deployed_open(sn_deployed *d, const char *path);
void sn_deployed_free(sn_deployed *d);

/** Advance the clock. */
void sn_deployed_run(sn_deployed *d, double duration_s);

/** Fails the test if there is none. */
sn_component *sn_deployed_find(const sn_deployed *d, const char *name);

/** Set a property by text. @return its status; the reason in d->err */
sn_status sn_deployed_set(sn_deployed *d, const char *component, const char *path,
                          const char *value);

/** `COMPONENT.setOperational`. @param resource  NULL: none named. @return success; the message in
 *  d->err */
bool sn_deployed_switch(sn_deployed *d, const char *component, bool on, const char *resource);

/** The owner of a resource by `resources_control.getOwners`; "" if it is free, "?" if it is
 *  unknown. Valid until the next call. */
const char *sn_deployed_owner(sn_deployed *d, const char *resource);

/** Number of log records since the last call that contain this text. */
size_t sn_deployed_count_log(sn_deployed *d, const char *text);

#endif
