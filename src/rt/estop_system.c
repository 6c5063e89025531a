/* The emergency stop of a system, as its components and programs use it. */
#include "rt/cell.h"

sn__estop *sn__estop_of(sn_system *system) {
  return &system->estop;
}
