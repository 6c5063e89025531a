/* The simulated robot: battery, noise, faults of encoders and of the bus. */
#include "allocation.h"
#include "msg/msg_text.h"
#include "plant_rig.h"
#include "sn_test.h"

SN_TEST(battery_sags_under_load) {
  fixture f;
  plant_rig_open_pendulum(&f);
  f.settings.battery_voltage = 11.0;
  f.settings.battery_resistance = 0.4;
  f.settings.current_per_torque = 1.5;
  plant_rig_create(&f);
  (void)plant_rig_send(&f, "hinge", 1.5, -1);
  plant_rig_run(&f, 5.0);
  double voltage, current;
  sn__plant_battery(f.plant, &voltage, &current);
  const double drive = sn__plant_drive(f.plant)[0];
  assert_true(drive > 1.0);
  sn_assert_near(current, 1.5 * drive, 1e-12);
  sn_assert_near(voltage, 11.0 - 0.4 * current, 1e-9);
  sn_assert_near(
      drive, plant_rig_servo.kp * voltage * (1.5 - plant_rig_q_of(&f)) / plant_rig_servo.alpha[3],
      1e-9);
  f.settings.battery_resistance = 100.0; /* almost 0, but never negative */
  sn__plant_set(f.plant, &f.settings);
  for (int i = 0; i < 1000; i++) {
    plant_rig_run(&f, 0.001);
    sn__plant_battery(f.plant, &voltage, &current);
    assert_true(voltage > 0.0 && voltage <= 11.0);
  }
  plant_rig_close_plant(&f);
}

SN_TEST(noise_and_encoder_steps_are_as_configured) {
  fixture f;
  plant_rig_open_pendulum(&f);
  f.settings.position_noise = 0.004;
  f.settings.velocity_noise = 0.03;
  f.settings.effort_noise = 0.2;
  plant_rig_create(&f);
  (void)plant_rig_send(&f, "hinge", 0.8, -1);
  plant_rig_run(&f, 3.0);
  enum { COUNT = 40000 };
  double sum[3] = {0}, square[3] = {0};
  for (int i = 0; i < COUNT; i++) {
    assert_true(sn__plant_measure(f.plant, f.measured));
    const double x[3] = {f.measured->position.data[0] - plant_rig_q_of(&f),
                         f.measured->velocity.data[0] - plant_rig_qd_of(&f),
                         f.measured->effort.data[0] - sn__plant_tau(f.plant)[0]};
    for (int k = 0; k < 3; k++) {
      sum[k] += x[k];
      square[k] += x[k] * x[k];
    }
  }
  const double deviation[3] = {0.004, 0.03, 0.2};
  for (int k = 0; k < 3; k++) { /* within four standard errors */
    sn_assert_near(sum[k] / COUNT, 0.0, 4.0 * deviation[k] / sqrt(COUNT));
    sn_assert_near(sqrt(square[k] / COUNT), deviation[k], 4.0 * deviation[k] / sqrt(2.0 * COUNT));
  }
  f.settings = (sn_plant_settings){.encoder_step = 0.01, .battery_voltage = 12.0};
  sn__plant_set(f.plant, &f.settings);
  (void)plant_rig_send(&f, "hinge", -0.8, -1);
  for (int i = 0; i < 300; i++) {
    plant_rig_run(&f, 0.001);
    assert_true(sn__plant_measure(f.plant, f.measured));
    const double steps = f.measured->position.data[0] / 0.01;
    sn_assert_near(steps, round(steps), 1e-9);
    sn_assert_near(f.measured->position.data[0], plant_rig_q_of(&f), 0.005 + 1e-12);
    assert_true(f.measured->velocity.data[0] == plant_rig_qd_of(&f));
  }
  plant_rig_close_plant(&f);
}

SN_TEST(frozen_encoder_repeats_its_value_until_released) {
  fixture f;
  plant_rig_open_pendulum(&f);
  f.settings.position_noise = 0.01;
  plant_rig_create(&f);
  plant_rig_run(&f, 0.01);
  sn__plant_set_faults(f.plant, 0, SN_PLANT_FROZEN);
  assert_true(sn__plant_measure(f.plant, f.measured));
  const double q = f.measured->position.data[0];
  (void)plant_rig_send(&f, "hinge", 1.5, -1);
  for (int i = 0; i < 1000; i++) {
    plant_rig_run(&f, 0.001);
    sn__plant_set_faults(f.plant, 0, SN_PLANT_FROZEN);
    assert_true(sn__plant_measure(f.plant, f.measured));
    assert_true(f.measured->position.data[0] == q && f.measured->velocity.data[0] == 0.0);
  }
  sn__plant_set_faults(f.plant, 0, 0);
  assert_true(sn__plant_measure(f.plant, f.measured));
  assert_true(f.measured->position.data[0] > 1.0);
  plant_rig_close_plant(&f);
}

static void open_robot(fixture *f, const char *name) {
  memset(f, 0, sizeof *f);
  sn_test_robot_load(&f->robot, name);
  sn_arena_init_growing(&f->arena, "plant", 0);
  f->config.seed = 7;
  sn__plant_settings_init(&f->settings);
  f->goals = sn_msg_create(&f->arena, &sn_servo_goal_type, NULL);
  f->measured = sn_msg_create(&f->arena, &sn_joint_state_type, NULL);
  plant_rig_create(f);
}

SN_TEST(drop_outs_occur_at_their_rate) {
  fixture f;
  open_robot(&f, "quadruped");
  const size_t n = sn_model_pose_size(f.robot.model);
  f.settings.dropout_rate = 0.1;
  f.settings.message_loss_rate = 0.25;
  f.settings.goal_loss_rate = 0.5;
  sn__plant_set(f.plant, &f.settings);
  sn__plant_set_faults(f.plant, 3, SN_PLANT_SILENT);
  enum { COUNT = 20000 };
  double arrived = 0.0, servos = 0.0;
  for (int i = 0; i < COUNT; i++) {
    if (!sn__plant_measure(f.plant, f.measured)) {
      continue;
    }
    arrived++;
    servos += (double)f.measured->name.count;
    assert_int_equal(f.measured->position.count, f.measured->name.count);
    assert_int_equal(f.measured->effort.count, f.measured->name.count);
    for (size_t k = 0; k < f.measured->name.count; k++) {
      const int joint = sn_model_joint_index(f.robot.model, sn_msg_names_at(&f.measured->name, k));
      assert_true(joint >= 0 && joint != 3);
      assert_true(f.measured->position.data[k] == sn__plant_q(f.plant)[joint]);
    }
  }
  sn_assert_near(arrived / COUNT, 0.75, 4.0 * sqrt(0.75 * 0.25 / COUNT));
  const double draws = arrived * (double)(n - 1);
  sn_assert_near(servos / draws, 0.9, 4.0 * sqrt(0.9 * 0.1 / draws));
  for (int i = 0; i < COUNT; i++) {
    (void)plant_rig_send(&f, "leg1_joint1", 0.0, -1);
  }
  const sn_plant_counts *counts = sn__plant_counts_now(f.plant);
  sn_assert_near((double)counts->goals[SN_PLANT_LOST] / COUNT, 0.5, 4.0 * 0.5 / sqrt(COUNT));
  assert_int_equal(counts->measured, COUNT);
  plant_rig_close_plant(&f);
}

static void feed(fixture *f, sn_random *random) {
  const size_t n = sn_model_pose_size(f->robot.model);
  sn_msg_names_share(&f->goals->name, sn_model_joint_names(f->robot.model));
  f->goals->goal.count = f->goals->limp.count = n;
  for (size_t i = 0; i < n; i++) {
    f->goals->goal.data[i] = sn_random_between(random, -3.0, 3.0);
    f->goals->limp.data[i] = sn_random_unit(random) < 0.1;
  }
  assert_int_equal(sn__plant_take_goals(f->plant, f->goals), SN_PLANT_TAKEN);
}

/* The whole robot, every fault on: two runs are identical bit by bit, and so is one after a reset.
   They do not touch the heap. */
SN_TEST(runs_repeat_bit_by_bit) {
  fixture f[2];
  sn_random random[2];
  static double kept[600][64];
  for (int round = 0; round < 2; round++) {
    for (int k = 0; k < 2; k++) {
      if (round == 0) {
        open_robot(&f[k], "quadruped");
        f[k].settings.encoder_step = 0.0005;
        f[k].settings.position_noise = f[k].settings.velocity_noise = 0.01;
        f[k].settings.dropout_rate = f[k].settings.message_loss_rate = 0.2;
        f[k].settings.battery_resistance = 0.1;
        f[k].settings.bus_delay = 3;
        sn__plant_set(f[k].plant, &f[k].settings);
      }
      sn__plant_reset(f[k].plant);
      sn_random_init(&random[k], 5);
    }
    for (int i = 0; i < 600; i++) {
      bool came[2];
      for (int k = 0; k < 2; k++) {
        sn_assert_no_heap({
          if (i % 100 == 0) {
            feed(&f[k], &random[k]);
          }
          sn__plant_step(f[k].plant, 0.001);
          came[k] = sn__plant_measure(f[k].plant, f[k].measured);
        });
      }
      assert_int_equal(came[0], came[1]);
      assert_true(sn__msg_equal(&sn_joint_state_type, f[0].measured, f[1].measured));
      const size_t size = sn_model_pose_size(f[0].robot.model) * sizeof(double);
      if (round == 1) {
        assert_memory_equal(kept[i], sn__plant_q(f[0].plant), size);
      }
      memcpy(kept[i], sn__plant_q(f[0].plant), size);
    }
  }
  plant_rig_close_plant(&f[0]);
  plant_rig_close_plant(&f[1]);
}

/* A robot with default servos holds its goal up to the compliance of the regulator, comes to rest,
   and stays within its limits for any goal. */
SN_TEST(default_servos_hold_any_robot_up) {
  static const char *const robots[] = {"arm6", "arm7", "arm_ur", "desk_arm", "quadruped"};
  for (size_t r = 0; r < 5; r++) {
    fixture f;
    open_robot(&f, robots[r]);
    const size_t n = sn_model_pose_size(f.robot.model);
    plant_rig_run(&f, 3.0);
    for (size_t i = 0; i < n; i++) {
      const sn_joint *joint = sn_model_joint(f.robot.model, i);
      if (joint->mimic < 0) {
        assert_true(sn__plant_qd(f.plant)[i] == 0.0);
        sn_assert_near(sn__plant_q(f.plant)[i], f.plant->start[i], 0.1);
        assert_true(fabs(sn__plant_drive(f.plant)[i]) <= sn__plant_servos(f.plant)[i].torque_max);
      }
    }
    sn_random random;
    sn_random_init(&random, 3);
    for (int i = 0; i < 3000; i++) {
      if (i % 70 == 0) {
        feed(&f, &random);
      }
      sn__plant_step(f.plant, 0.001);
      for (size_t k = 0; k < n; k++) {
        const sn_joint *joint = sn_model_joint(f.robot.model, k);
        const double q = sn__plant_q(f.plant)[k];
        assert_true(isfinite(q) && fabs(sn__plant_qd(f.plant)[k]) < 100.0);
        if (joint->mimic < 0) {
          assert_true(q >= joint->lower_hard && q <= joint->upper_hard);
        } else {
          const double master = sn__plant_q(f.plant)[joint->mimic];
          sn_assert_near(q, joint->mimic_multiplier * master + joint->mimic_offset, 1e-12);
        }
      }
    }
    plant_rig_close_plant(&f);
  }
}

static void assert_refused(fixture *f, const char *text) {
  sn_error err;
  sn_plant *plant = NULL;
  assert_int_equal(sn__plant_create(&f->arena, f->robot.model, &f->config, &plant, &err),
                   SN_EINVAL);
  sn_assert_contains(err.message, text);
  assert_null(plant);
}

SN_TEST(invalid_servos_are_refused) {
  fixture f;
  plant_rig_open_pendulum(&f);
  f.servo.params.kp = 0.0;
  assert_refused(&f, "servo 'hinge': kp is 0");
  f.servo.params = plant_rig_servo;
  f.servo.params.alpha[3] = 0.0;
  assert_refused(&f, "servo 'hinge': alpha[3] is 0");
  f.servo.params = plant_rig_servo;
  f.servo.torque_max = NAN;
  assert_refused(&f, "limits of torque");
  f.servo.torque_max = 1.0;
  const double start = 2.1;
  f.config.start_pose = &start;
  assert_refused(&f, "joint 'hinge' cannot start at 2.1: its stops are -2.5 and 2");
  f.config.start_pose = NULL;
  f.config.step_max_s = -1.0;
  assert_refused(&f, "a step of -1 s");
  plant_rig_close_plant(&f);
}

SN_TEST(full_arena_is_reported) {
  fixture f;
  open_robot(&f, "quadruped");
  f.config.servos = NULL;
  static char memory[1 << 20];
  size_t good = 0;
  for (size_t size = 1000; size < sizeof memory; size += 7919) {
    sn_arena arena;
    sn_error err;
    sn_plant *plant = NULL;
    sn_arena_init(&arena, "small", memory, size);
    const sn_status status = sn__plant_create(&arena, f.robot.model, &f.config, &plant, &err);
    assert_true(status == SN_OK || status == SN_ENOMEM);
    assert_true((plant != NULL) == (status == SN_OK));
    good += status == SN_OK;
  }
  assert_true(good > 0);
  plant_rig_close_plant(&f);
}
