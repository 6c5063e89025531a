/* The emergency stop of a system, as its components and programs use it. */
#include "rt/cell.h"

sn__estop *sn__estop_of(sn_system *system) {
  return &system->estop;
}

sn__estop_sight sn__estop_sight_of(const sn_component *component) {
  const sn_activity *activity = component->cell->activity;
  if (activity != NULL && activity == sn__activity_current) {
    return activity->stop;
  }
  sn__estop_sight sight = {.has_text = false};
  (void)sn__estop_sight_update(&sight, &component->system->estop);
  return sight;
}
