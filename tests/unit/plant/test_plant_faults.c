/* Faults of single servos. */
#include <math.h>

#include "plant_rig.h"

static void open_pendulum(fixture *f) {
  plant_rig_open_pendulum(f);
  plant_rig_create(f);
}

static void expect_stuck(fixture *f) {
  plant_rig_create(f);
  plant_rig_run(f, 0.1);
  sn__plant_set_faults(f->plant, 0, SN_PLANT_STUCK);
  plant_rig_run(f, 0.01); /* to rest */
  const double q = plant_rig_q_of(f);
  (void)plant_rig_send(f, "hinge", 1.5, -1);
  (void)plant_rig_push(f, 50.0);
  plant_rig_run(f, 1.0);
  assert_true(fabs(plant_rig_q_of(f) - q) < 1e-6);
  sn__plant_set_faults(f->plant, 0, 0);
  (void)plant_rig_push(f, 0.0);
  plant_rig_run(f, 1.0);
  assert_true(plant_rig_q_of(f) > 1.0);
  plant_rig_close_plant(f);
}

SN_TEST(stuck_gear_does_not_move) {
  fixture f;
  plant_rig_open_pendulum(&f);
  expect_stuck(&f);
}

SN_TEST(stuck_gear_with_friction_of_load_does_not_move) {
  fixture f;
  plant_rig_open_pendulum(&f);
  f.servo.params.ext.load[0] = 0.2;
  expect_stuck(&f);
}

/* As one that was told to be limp. */
SN_TEST(hot_servo_has_no_torque) {
  fixture hot, limp;
  open_pendulum(&hot);
  open_pendulum(&limp);
  (void)plant_rig_send(&hot, "hinge", 1.2, -1);
  (void)plant_rig_send(&limp, "hinge", 1.2, -1);
  plant_rig_run(&hot, 1.0);
  plant_rig_run(&limp, 1.0);
  sn__plant_set_faults(hot.plant, 0, SN_PLANT_HOT);
  (void)plant_rig_send(&limp, "hinge", 1.2, 1);
  for (int i = 0; i < 1000; i++) {
    plant_rig_run(&hot, 0.001);
    plant_rig_run(&limp, 0.001);
    assert_true(plant_rig_q_of(&hot) == plant_rig_q_of(&limp));
  }
  assert_true(plant_rig_q_of(&hot) < 0.7);
  plant_rig_close_plant(&hot);
  plant_rig_close_plant(&limp);
}

/* The pendulum hangs at rest until the first goal, so that the late one does the same later. */
SN_TEST(delayed_servo_obeys_20_cycles_late) {
  enum { CYCLES = 400, LATE = 20 };
  fixture good, late;
  double q[CYCLES];
  open_pendulum(&good);
  open_pendulum(&late);
  sn__plant_set_faults(late.plant, 0, SN_PLANT_DELAYED);
  for (int i = 0; i < CYCLES; i++) {
    const double goal = 0.5 * sin(0.02 * i);
    (void)plant_rig_send(&good, "hinge", goal, -1);
    (void)plant_rig_send(&late, "hinge", goal, -1);
    plant_rig_run(&good, 0.001);
    plant_rig_run(&late, 0.001);
    q[i] = plant_rig_q_of(&good);
    const double before = i < LATE ? 0.0 : q[i - LATE];
    assert_true(plant_rig_q_of(&late) == before);
  }
  assert_true(q[CYCLES - 1] > 0.1);
  plant_rig_close_plant(&good);
  plant_rig_close_plant(&late);
}

SN_TEST(noisy_encoder_leaves_the_others_alone) {
  fixture good, noisy;
  enum { COUNT = 20000, NOISY = 2 };
  fixture *const all[] = {&good, &noisy};
  for (size_t k = 0; k < 2; k++) {
    memset(all[k], 0, sizeof *all[k]);
    sn_test_robot_load(&all[k]->robot, "arm6");
    sn_arena_init_growing(&all[k]->arena, "plant", 0);
    sn__plant_settings_init(&all[k]->settings);
    all[k]->settings.position_noise = 1e-3;
    all[k]->measured = sn_msg_create(&all[k]->arena, &sn_joint_state_type, NULL);
    plant_rig_create(all[k]);
  }
  sn__plant_set_faults(noisy.plant, NOISY, SN_PLANT_NOISY);
  double squares = 0.0;
  for (int i = 0; i < COUNT; i++) {
    assert_true(sn__plant_measure(good.plant, good.measured));
    assert_true(sn__plant_measure(noisy.plant, noisy.measured));
    for (size_t j = 0; j < noisy.measured->position.count; j++) {
      const double error = noisy.measured->position.data[j] - good.measured->position.data[j];
      squares += j == NOISY ? error * error : 0.0;
      assert_true(j == NOISY || error == 0.0);
    }
  }
  assert_true(fabs(sqrt(squares / COUNT) - 0.02) < 5e-4);
  plant_rig_close_plant(&good);
  plant_rig_close_plant(&noisy);
}
