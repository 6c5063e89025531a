/** @file
 *  A rig with one of our robots as the service `robot_model`, for tests of components that use it.
 */
#ifndef SN_TEST_MODEL_RIG_H
#define SN_TEST_MODEL_RIG_H

#include "rig.h"
#include "sinew/model.h"

typedef struct model_rig {
  rig r;
  sn_component *robot_model;
  const sn_model *model; /**< the same robot, loaded without the service */
  sn_arena arena;
} model_rig;

/** `robots/NAME.urdf` with its properties, as in a deployment; activity of 1 ms. */
void model_rig_open(model_rig *m, const char *name);
void model_rig_close(model_rig *m);

/** Add a component that needs `robot_model`. */
void *model_rig_add(model_rig *m, const sn_component_type *type, const char *name);

/** A source for an input, and a tap on an output; fail the test if there is none. */
sn_source *model_rig_source(model_rig *m, const char *to);
sn_tap *model_rig_tap(model_rig *m, const char *from);

/** Write a pose: the names of the model, positions and, unless NULL, velocities. */
void model_rig_write_pose(model_rig *m, sn_source *source, const double *q, const double *qd);

/** One cycle. */
void model_rig_cycle(model_rig *m);

/** Run @p count cycles, none of which may touch the heap; @p feed writes the inputs before each. */
void model_rig_cycle_without_heap(model_rig *m, int cycles, void (*feed)(void *context),
                                  void *context);

#endif
