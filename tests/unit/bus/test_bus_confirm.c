/* A bus confirms an emergency stop when its servos obey; in simulated time. */
#include "bus/bus_stop.h"
#include "bus_rig.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

static bool has_obeyed(const sn__estop *estop) {
  sn__estop_party_info list[SN__ESTOP_PARTIES];
  assert_int_equal(sn__estop_parties(estop, sn__estop_number(estop), list), 1);
  return list[0].has_obeyed;
}

/* Like the thread of a bus: confirm when the servos are limp, not when the stop is seen. */
SN_TEST(a_bus_confirms_when_its_servos_obey) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_moving((sim_kind)kind);
    sn__estop estop = {0};
    sn__bus_stop stop;
    const sn__bus_stop_config config = {
        .path = "simulated",
        .bus = rig->bus,
        .estop = &estop,
        .actuator = sn__estop_register(&estop, SN__ESTOP_ACTUATOR, "bus"),
        .goal_timeout_ns = 1000 * MS,
        .guard_timeout_ns = 10000 * MS,
        .limp = true};
    sn_error err = {SN_OK, ""};
    assert_int_equal(sn__bus_stop_init(&stop, &config, &err), SN_OK);
    sn__bus_stop_goals(&stop, rig->now_ns);
    (void)sn__estop_request(&estop, "test", "now");
    assert_true(sn__bus_stop_before(&stop, rig->now_ns));
    sn__bus_stop_after(&stop, rig->now_ns); /* nothing was sent yet */
    assert_false(has_obeyed(&estop));
    for (int n = 0; n < 50 && !has_obeyed(&estop); n++) {
      assert_true(sn__bus_stop_before(&stop, rig->now_ns));
      bus_rig_cycle(rig);
      sn__bus_stop_after(&stop, rig->now_ns);
    }
    assert_true(has_obeyed(&estop));
    for (size_t i = 0; i < 3; i++) {
      assert_false(rig->sim.servos[i].torque);
    }
    sn__bus_stop_leave(&stop);
    bus_rig_free(rig);
  }
}
