/** @file
 *  A system with a simulated clock and functions to build it, for tests of the runtime. */
#ifndef SN_TEST_RIG_H
#define SN_TEST_RIG_H

#include "parts.h"
#include "sinew/system.h"
#include "sinew/tap.h"

typedef struct rig {
  sn_arena arena;
  sn_clock clock;
  sn_log *log;
  sn_system *system;
  sn_activity *activity; /**< `main`, 1 ms */
  sn_error err;
} rig;

/** @param period_ns  of the activity `main`; 0: by events. Simulated clock. */
void rig_open(rig *r, int64_t period_ns);
/** The same with real time. */
void rig_open_real(rig *r, int64_t period_ns);
void rig_close(rig *r);

/** Add a component to the activity `main`. */
void *rig_add(rig *r, const sn_component_type *type, const char *name);
/** The same to another activity, or with NULL to none. */
void *rig_add_to(rig *r, const sn_component_type *type, const char *name, sn_activity *activity,
                 int64_t deadline_ns);
sn_activity *rig_activity(rig *r, const char *name, int64_t period_ns);
void rig_connect(rig *r, const char *from, const char *to);
void rig_require(rig *r, const char *need, const char *peer);

/** Set a property by text; fails the test if it cannot be set. */
void rig_set(rig *r, void *component, const char *path, const char *value);
/** The same; returns the status, with the first problem in r->err if there is one. */
sn_status rig_try_set(rig *r, void *component, const char *path, const char *value);
/** A property as text; valid until the next call. */
const char *rig_get(rig *r, void *component, const char *path);

void rig_begin(rig *r);
void rig_run(rig *r, int64_t duration_ns);

/** Take all records of the log. @return how many have this level or more */
size_t rig_drain_log(rig *r, sn_log_level level, char *last, size_t size);

#endif
