/* The plant in an emergency stop, like the driver of a bus: it follows a braking gate; without one
   its servos hold their positions. */
#include "base/fail.h"
#include "plant/plant_component.h"

sn_status sn__plant_join_stop(sn__plant_component *self, sn_error *err) {
  self->guard = (sn__estop_guard){.first = 0};
  self->party = sn__estop_register(sn__estop_of(self->component.system), SN__ESTOP_ACTUATOR,
                                   self->component.name);
  return self->party >= 0
             ? SN_OK
             : sn__fail(err, SN_ELIMIT, "more than %d components take part in the emergency stop",
                        SN__ESTOP_PARTIES);
}

void sn__plant_leave_stop(sn__plant_component *self) {
  sn__estop_unregister(sn__estop_of(self->component.system), self->party);
  self->party = -1;
}

static void freeze(sn__plant_component *self, bool is_limp, int64_t now_ns) {
  sn__plant_bus_hold(self->plant, is_limp);
  sn_component_log(&self->component, now_ns, SN_LOG_ERROR,
                   is_limp ? "emergency stop, and no gate brakes: the servos let go"
                           : "emergency stop, and no gate brakes: the servos hold where they are",
                   0, NULL);
}

bool sn__plant_obey_stop(sn__plant_component *self, int64_t now_ns) {
  const sn__estop_order before = self->guard.order;
  const sn__estop_view view = sn__estop_snapshot_of(&self->component).view;
  const sn__estop_order order = sn__estop_guard_step(&self->guard, &view, now_ns, self->goal_ns);
  if (order == SN__ORDER_FREEZE && before != SN__ORDER_FREEZE) {
    freeze(self, view.is_limp, now_ns);
  }
  if (order == SN__ORDER_HOLD || order == SN__ORDER_FREEZE) {
    sn__plant_bus_keep(self->plant);
  }
  if (order >= SN__ORDER_FOLLOW) {
    sn__estop_confirm(sn__estop_of(self->component.system), self->party, view.number, order);
  }
  return order < SN__ORDER_HOLD;
}
