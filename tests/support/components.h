/** @file
 *  A few small types of components, for tests. Also built as a plugin, SINEW_TEST_PLUGIN. */
#ifndef SN_TEST_COMPONENTS_H
#define SN_TEST_COMPONENTS_H

#include "sinew/component.h"

/** Ends with NULL:
 *  - `Source`: output `out` (Vector3): x counts steps, y is `amplitude` times a random-like number;
 *    live `amplitude` 0 .. 10 m, `names`, `limits`: {low, high}; operation `reset` in its own
 *    thread;
 *  - `Gain`: required input `in`, output `out` = `gain` times it; `mode`: off|on; optional need
 *    `scaler` (Scaler);
 *  - `Sink`: inputs `in` (many), feedback input `back`, event input `tick` (TimerEvent); required
 *    property `label`; needs operation `reset`;
 *  - `Scale`: no step, service `Scaler`, property `factor`;
 *  - `Faulty`: steps `after` times, then fails. */
extern const sn_component_type *const sn_test_components[];

#endif
