/* The plant and the emergency stop: while it is latched, goals are ignored. */
#include <string.h>

#include "model_rig.h"
#include "plant/plant_component.h"
#include "sinew/components.h"
#include "sinew/estop.h"
#include "sinew/random.h"
#include "sn_test.h"

typedef struct fixture {
  model_rig m;
  sn__plant_component *plant;
  sn_source *goals;
  sn_random random;
  size_t n;
  double goal[64];
  bool limp[64];
} fixture;

static void open_robot(fixture *f, const char *robot, uint64_t seed) {
  *f = (fixture){.n = 0};
  model_rig_open(&f->m, robot);
  sn_random_init(&f->random, seed);
  f->n = sn_model_pose_size(f->m.model);
  f->plant = model_rig_add(&f->m, &sn_plant_component, "plant");
  f->goals = model_rig_source(&f->m, "plant.goals");
}

static void close_robot(fixture *f) {
  sn_source_close(f->goals);
  model_rig_close(&f->m);
}

static void send_something(fixture *f) {
  sn_servo_goal *msg = sn_source_msg(f->goals);
  sn_msg_names_share(&msg->name, sn_model_joint_names(f->m.model));
  msg->goal.count = f->n;
  msg->limp.count = sn_random_unit(&f->random) < 0.5 ? f->n : 0;
  for (size_t i = 0; i < f->n; i++) {
    msg->goal.data[i] = sn_random_between(&f->random, -1.0, 1.0);
    if (msg->limp.count > 0) {
      msg->limp.data[i] = sn_random_unit(&f->random) < 0.5;
    }
  }
  assert_int_equal(sn_source_write(f->goals), SN_OK);
}

static void cycle(fixture *f) {
  if (sn_random_unit(&f->random) < 0.8) {
    send_something(f);
  }
  model_rig_cycle(&f->m);
}

static void keep_orders(fixture *f) {
  memcpy(f->goal, f->plant->plant->now.goal, f->n * sizeof *f->goal);
  memcpy(f->limp, f->plant->plant->now.limp, f->n * sizeof *f->limp);
}

static void assert_same_orders(const fixture *f) {
  const sn_plant *p = f->plant->plant;
  assert_memory_equal(p->now.goal, f->goal, f->n * sizeof *f->goal);
  assert_memory_equal(p->now.limp, f->limp, f->n * sizeof *f->limp);
  for (size_t i = 0; i <= SN_PLANT_DELAY_MAX; i++) { /* nor is any goal on the bus */
    assert_memory_equal(p->history[i].goal, f->goal, f->n * sizeof *f->goal);
  }
}

SN_TEST(only_resume_moves_a_goal) {
  static const char *const robots[] = {"arm6", "quadruped"};
  for (size_t k = 0; k < sn_test_cases(20); k++) {
    fixture f;
    open_robot(&f, robots[k % 2], 77 + k);
    rig_set(&f.m.r, f.plant, "goal_timeout", "0.02");
    rig_begin(&f.m.r);
    for (int64_t i = 0; i < 20 + (int64_t)(100.0 * sn_random_unit(&f.random)); i++) {
      cycle(&f);
    }
    sn_estop_state stop;
    const uint64_t number = sn_estop_request(f.m.r.system, "test", "");
    sn_estop_look(f.m.r.system, number, &stop);
    assert_false(stop.is_obeyed);
    double q[64];
    memcpy(q, sn__plant_q(f.plant->plant), f.n * sizeof *q);
    cycle(&f); /* without a gate it need not wait */
    sn_estop_look(f.m.r.system, number, &stop);
    assert_true(stop.is_obeyed && stop.is_latched);
    keep_orders(&f);
    for (size_t i = 0; i < f.n; i++) { /* at the measured position */
      assert_true(f.goal[i] == f.plant->plant->servos[i].params.kgear * q[i] && !f.limp[i]);
    }
    for (int i = 0; i < 300; i++) {
      if (sn_random_unit(&f.random) < 0.01) {
        (void)sn_estop_request(f.m.r.system, "another", "");
      }
      cycle(&f);
      assert_same_orders(&f);
      assert_false(sn__plant_is_deserted(f.plant->plant)); /* it holds even without goals */
    }
    assert_int_equal(sn_estop_resume(f.m.r.system, &f.m.r.err), SN_OK);
    send_something(&f);
    model_rig_cycle(&f.m);
    assert_memory_not_equal(f.plant->plant->now.goal, f.goal, f.n * sizeof *f.goal);
    close_robot(&f);
  }
}

SN_TEST(a_plant_without_cycles_does_not_confirm) {
  fixture f;
  open_robot(&f, "arm6", 5);
  rig_begin(&f.m.r);
  cycle(&f);
  assert_int_equal(sn_system_stop(f.m.r.system, &f.plant->component, &f.m.r.err), SN_OK);
  const uint64_t number = sn_estop_request(f.m.r.system, "test", "");
  cycle(&f);
  assert_int_equal(sn_estop_check(f.m.r.system, number, &f.m.r.err), SN_ETIMEDOUT);
  assert_string_equal(f.m.r.err.message, "not stopped, did not obey: 'plant' (stopped)");
  /* The name of a bus starts with that of its component. */
  const int bus =
      sn__estop_register(sn__estop_of(f.m.r.system), SN__ESTOP_ACTUATOR, "plant (/dev/x)");
  assert_int_equal(sn_estop_check(f.m.r.system, number, &f.m.r.err), SN_ETIMEDOUT);
  assert_string_equal(f.m.r.err.message,
                      "not stopped, did not obey: 'plant' (stopped), 'plant (/dev/x)' (stopped)");
  assert_int_equal(sn_system_start(f.m.r.system, &f.plant->component, &f.m.r.err), SN_OK);
  cycle(&f);
  assert_int_equal(sn_estop_check(f.m.r.system, number, &f.m.r.err), SN_ETIMEDOUT);
  assert_string_equal(f.m.r.err.message,
                      "not stopped, did not obey: 'plant (/dev/x)' (no confirmation by its bus)");
  sn__estop_unregister(sn__estop_of(f.m.r.system), bus);
  assert_int_equal(sn_estop_check(f.m.r.system, number, &f.m.r.err), SN_OK);
  /* After cleanup it no longer takes part. */
  assert_int_equal(sn_system_stop(f.m.r.system, &f.plant->component, &f.m.r.err), SN_OK);
  assert_int_equal(sn_system_cleanup(f.m.r.system, &f.plant->component, &f.m.r.err), SN_OK);
  assert_int_equal(sn_estop_check(f.m.r.system, number, &f.m.r.err), SN_ENOENT);
  close_robot(&f);
}
