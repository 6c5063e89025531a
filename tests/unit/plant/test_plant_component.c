/* The plant among other components: ports, faults that are switched on while it runs, bad input. */
#include <string.h>

#include "ik/start_pose.h"
#include "model_rig.h"
#include "msg/msg_names_internal.h"
#include "msg/types/msg_plant.h"
#include "sinew/components.h"
#include "sinew/random.h"
#include "sn_test.h"

typedef struct fixture {
  model_rig m;
  sn_component *plant;
  sn_source *goals, *push;
  sn_tap *measured, *battery;
  sn_random random;
  size_t n;
} fixture;

static void open_type(fixture *f, const char *robot, const sn_component_type *type) {
  *f = (fixture){.n = 0};
  model_rig_open(&f->m, robot);
  sn_random_init(&f->random, 9);
  f->n = sn_model_pose_size(f->m.model);
  f->plant = model_rig_add(&f->m, type, "plant");
  f->goals = model_rig_source(&f->m, "plant.goals");
  f->push = model_rig_source(&f->m, "plant.push");
  f->measured = model_rig_tap(&f->m, "plant.joints_measured");
  f->battery = model_rig_tap(&f->m, "plant.battery_state");
}

static void open_robot(fixture *f, const char *robot) {
  open_type(f, robot, &sn_plant_component);
}

static void close_robot(fixture *f) {
  sn_tap_close(f->measured);
  sn_tap_close(f->battery);
  sn_source_close(f->goals);
  sn_source_close(f->push);
  model_rig_close(&f->m);
}

static void send(fixture *f, double goal) {
  sn_servo_goal *msg = sn_source_msg(f->goals);
  sn_msg_names_share(&msg->name, sn_model_joint_names(f->m.model));
  msg->goal.count = f->n;
  msg->limp.count = 0;
  for (size_t i = 0; i < f->n; i++) {
    msg->goal.data[i] = goal;
  }
  assert_int_equal(sn_source_write(f->goals), SN_OK);
}

static const sn_joint_state *cycle(fixture *f) {
  sn_flow flow = SN_NO_DATA;
  model_rig_cycle(&f->m);
  const sn_joint_state *msg = sn_tap_read(f->measured, &flow);
  return flow == SN_NEW_DATA ? msg : NULL;
}

static sn_plant_report report(fixture *f) {
  sn_plant_report out = {0};
  sn_caller caller;
  assert_int_equal(sn_caller_open(f->m.r.system, "plant.getReport", &caller, &f->m.r.err), SN_OK);
  assert_int_equal(sn_call(&caller, NULL, &out, &f->m.r.err), SN_OK);
  sn_caller_close(&caller);
  return out;
}

static void assert_refuses(fixture *f, const char *text) {
  assert_int_not_equal(sn_system_begin(f->m.r.system, &f->m.r.err), SN_OK);
  sn_assert_contains(f->m.r.err.message, text);
}

SN_TEST(robot_follows_its_goals) {
  fixture f;
  open_robot(&f, "quadruped");
  rig_begin(&f.m.r);
  const sn_joint_state *msg = cycle(&f);
  assert_non_null(msg);
  assert_int_equal(msg->name.count, f.n);
  assert_int_equal(msg->velocity.count, f.n);
  assert_int_equal(msg->effort.count, f.n);
  assert_int_equal(msg->header.stamp_ns, sn_clock_now_ns(&f.m.r.clock) - 1000000);
  for (int i = 0; i < 1500; i++) {
    send(&f, 0.3);
    msg = cycle(&f);
  }
  for (size_t i = 0; i < f.n; i++) {
    assert_string_equal(sn_msg_names_at(&msg->name, i), sn_model_joint(f.m.model, i)->name);
    sn_assert_near(msg->position.data[i], 0.3, 0.08);
  }
  const sn_battery_state *battery = sn_tap_read(f.battery, NULL);
  assert_true(battery->voltage == 12.0f && battery->current < 0.0f && battery->present);
  assert_int_equal(report(&f).goals_taken, 1500);
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, NULL, 0), 0);
  close_robot(&f);
}

SN_TEST(faults_can_be_switched_while_running) {
  fixture f;
  open_robot(&f, "quadruped");
  rig_begin(&f.m.r);
  send(&f, 0.3);
  (void)cycle(&f);
  rig_set(&f.m.r, f.plant, "frozen", "[leg1_joint2]");
  rig_set(&f.m.r, f.plant, "silent", "[leg1_joint1, leg4_joint3]");
  const int joint = sn_model_joint_index(f.m.model, "leg1_joint2");
  double q = 0.0;
  for (int i = 0; i < 50; i++) {
    const sn_joint_state *msg = cycle(&f);
    assert_int_equal(msg->name.count, f.n - 2);
    assert_int_equal(sn__msg_names_index(&msg->name, "leg1_joint1"), -1);
    const int at = sn__msg_names_index(&msg->name, "leg1_joint2");
    assert_true(at >= 0);
    assert_true(i == 0 || msg->position.data[at] == q);
    q = msg->position.data[at];
  }
  assert_int_equal(report(&f).dropouts, 100);
  rig_set(&f.m.r, f.plant, "frozen", "[]");
  rig_set(&f.m.r, f.plant, "silent", "[]");
  rig_set(&f.m.r, f.plant, "measure_effort", "false");
  const sn_joint_state *msg = cycle(&f);
  assert_int_equal(msg->name.count, f.n);
  assert_int_equal(msg->effort.count, 0);
  assert_true(msg->position.data[joint] > q);
  rig_set(&f.m.r, f.plant, "message_loss_rate", "1");
  assert_null(cycle(&f));
  rig_set(&f.m.r, f.plant, "message_loss_rate", "0");
  assert_non_null(cycle(&f));
  assert_int_equal(rig_try_set(&f.m.r, f.plant, "dropout_rate", "1.5"), SN_EINVAL);
  assert_int_equal(rig_try_set(&f.m.r, f.plant, "seed", "3"), SN_EBUSY);
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, NULL, 0), 0);
  rig_set(&f.m.r, f.plant, "frozen", "[elbow]");
  (void)cycle(&f);
  (void)cycle(&f);
  char text[200];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "frozen: 'elbow' is not a movable joint");
  close_robot(&f);
}

/* An operator's script may set a long list of unknown names again and again. */
SN_TEST(unknown_names_do_not_flood_the_log) {
  fixture f;
  open_robot(&f, "arm6");
  rig_begin(&f.m.r);
  (void)rig_drain_log(&f.m.r, SN_LOG_DEBUG, NULL, 0);
  for (int i = 0; i < 50; i++) {
    rig_set(&f.m.r, f.plant, "silent", "[a, b, c, joint1, d]");
    (void)cycle(&f);
  }
  char text[200];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "silent: 'a' and 3 others are not movable joints");
  close_robot(&f);
}

SN_TEST(bad_goals_are_logged_once) {
  fixture f;
  open_robot(&f, "arm6");
  rig_begin(&f.m.r);
  sn_servo_goal *msg = sn_source_msg(f.goals);
  char text[200];
  for (int i = 0; i < 3; i++) { /* wrong lengths */
    sn_msg_names_share(&msg->name, sn_model_joint_names(f.m.model));
    msg->goal.count = 2;
    assert_int_equal(sn_source_write(f.goals), SN_OK);
    (void)cycle(&f);
  }
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "goals: refused, names and values differ in number");
  sn_msg_reset(&sn_servo_goal_type, msg);
  assert_int_equal(sn_msg_names_add(&msg->name, "tail", 4), SN_OK);
  msg->goal.count = 1;
  assert_int_equal(sn_source_write(f.goals), SN_OK);
  (void)cycle(&f);
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "goals: unknown names are ignored");
  const sn_plant_report got = report(&f);
  assert_int_equal(got.goals_refused, 3);
  assert_int_equal(got.goals_unknown, 1);
  close_robot(&f);
}

SN_TEST(push_is_felt_and_ends) {
  fixture f;
  open_robot(&f, "arm6");
  rig_begin(&f.m.r);
  rig_run(&f.m.r, 1000 * INT64_C(1000000));
  const double q = cycle(&f)->position.data[0];
  sn_joint_state *push = sn_source_msg(f.push);
  sn_msg_names_share(&push->name, sn_model_joint_names(f.m.model));
  push->effort.count = f.n;
  push->effort.data[0] = 0.9 * sn_model_joint(f.m.model, 0)->effort_max;
  assert_int_equal(sn_source_write(f.push), SN_OK);
  rig_run(&f.m.r, 1000 * INT64_C(1000000));
  const double pushed = cycle(&f)->position.data[0];
  assert_true(pushed > q + 0.01);
  sn_msg_reset(&sn_joint_state_type, push); /* the push ends */
  assert_int_equal(sn_source_write(f.push), SN_OK);
  rig_run(&f.m.r, 1000 * INT64_C(1000000));
  assert_true(cycle(&f)->position.data[0] < 0.5 * (pushed + q));
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, NULL, 0), 0);
  close_robot(&f);
}

SN_TEST(servos_of_the_deployment_are_used) {
  fixture f;
  open_robot(&f, "arm6");
  rig_set(&f.m.r, f.plant, "initial_pose", "{joint2: 0.4}");
  rig_set(&f.m.r, f.plant, "gravity", "[0, 0, 0]");
  rig_set(&f.m.r, f.plant, "servo_models",
          "[{name: joint1, kp: 100, alpha: [40, 0, 0, 5], kgear: 2}, {name: joint3, kp: 7}]");
  rig_begin(&f.m.r);
  const sn_joint_state *msg = cycle(&f);
  assert_true(msg->position.data[1] == 0.4 && msg->position.data[2] == 0.0);
  send(&f, 0.2);
  rig_run(&f.m.r, 3000 * INT64_C(1000000));
  msg = cycle(&f);
  /* Scaled by its gear; only the friction of the joint acts, against 1200/5 N·m/rad. */
  sn_assert_near(msg->position.data[0], 0.1, sn_model_joint(f.m.model, 0)->friction / 240.0);
  assert_true(fabs(msg->position.data[0] - 0.1) > 1e-6);
  sn_assert_near(msg->position.data[2], 0.2, 0.02);
  close_robot(&f);
}

/* A pose in which it can move; initial_pose still takes precedence. */
SN_TEST(start_pose_may_be_one_that_can_move) {
  fixture f;
  double expected[8];
  sn_arena scratch;
  open_robot(&f, "arm6");
  sn_arena_init_growing(&scratch, "scratch", 0);
  assert_int_equal(sn__start_pose(&scratch, f.m.model, expected, NULL), SN_OK);
  sn_arena_release(&scratch);
  rig_set(&f.m.r, f.plant, "start_pose", "movable");
  rig_set(&f.m.r, f.plant, "initial_pose", "{joint2: 0.4}");
  rig_set(&f.m.r, f.plant, "gravity", "[0, 0, 0]");
  rig_begin(&f.m.r);
  const sn_joint_state *msg = cycle(&f);
  assert_true(fabs(expected[4]) > 0.1); /* a wrist that is straight at zero */
  for (size_t i = 0; i < msg->position.count; i++) {
    assert_true(msg->position.data[i] == (i == 1 ? 0.4 : expected[i]));
  }
  close_robot(&f);
}

SN_TEST(wrong_properties_are_refused) {
  fixture f;
  open_robot(&f, "arm6");
  rig_set(&f.m.r, f.plant, "servo_models", "[{name: tail, kp: 100}]");
  assert_refuses(&f, "servo_models: 'tail' is not a movable joint");
  rig_set(&f.m.r, f.plant, "servo_models", "[{name: joint1, kp: 1, alpha: [1, 2]}]");
  assert_refuses(&f, "servo_models: 'joint1' has 2 numbers in alpha, must be 4");
  rig_set(&f.m.r, f.plant, "servo_models", "[{name: joint1, alpha: [1, 1, 1, 1]}]");
  assert_refuses(&f, "servo_models: 'joint1' has alpha but no kp");
  rig_set(&f.m.r, f.plant, "servo_models", "[{name: joint1, kp: 1, alpha: [1, 1, 1, 0]}]");
  assert_refuses(&f, "servo 'joint1': alpha[3] is 0");
  rig_set(&f.m.r, f.plant, "servo_models", "[]");
  rig_set(&f.m.r, f.plant, "initial_pose", "{tail: 1}");
  assert_refuses(&f, "initial_pose: 'tail' is not a movable joint");
  rig_set(&f.m.r, f.plant, "initial_pose", "{joint2: 1000}");
  assert_refuses(&f, "joint 'joint2' cannot start at 1000");
  rig_set(&f.m.r, f.plant, "initial_pose", "{}");
  rig_begin(&f.m.r);
  assert_non_null(cycle(&f));
  close_robot(&f);
}

SN_TEST(missing_goals_are_logged) {
  fixture f;
  open_robot(&f, "arm6");
  rig_set(&f.m.r, f.plant, "goal_timeout", "0.05");
  rig_begin(&f.m.r);
  char text[200];
  send(&f, 0.1);
  rig_run(&f.m.r, 200 * INT64_C(1000000));
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "no goals any more: the servos let go");
  send(&f, 0.1);
  (void)cycle(&f);
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_INFO, text, sizeof text), 1);
  sn_assert_contains(text, "goals come again");
  close_robot(&f);
}

SN_TEST(reset_and_restart_return_to_the_start) {
  fixture f;
  open_robot(&f, "arm7"); /* with a mimic joint */
  double first[3][64];
  for (int round = 0; round < 3; round++) {
    if (round < 2) {
      rig_begin(&f.m.r);
    } else {
      sn_caller caller;
      assert_int_equal(sn_caller_open(f.m.r.system, "plant.reset", &caller, &f.m.r.err), SN_OK);
      assert_int_equal(sn_call(&caller, NULL, NULL, &f.m.r.err), SN_OK);
      sn_caller_close(&caller);
    }
    for (int i = 0; i < 100; i++) {
      send(&f, 0.2);
      const sn_joint_state *msg = cycle(&f);
      memcpy(first[round], msg->position.data, f.n * sizeof(double));
    }
    if (round == 0) {
      sn_system_end(f.m.r.system);
    }
    assert_memory_equal(first[round], first[0], f.n * sizeof(double));
  }
  close_robot(&f);
}

static void feed(void *context) {
  fixture *f = context;
  send(f, sn_random_between(&f->random, -0.5, 0.5));
}

SN_TEST(cycles_touch_no_heap) {
  fixture f;
  open_robot(&f, "quadruped");
  rig_set(&f.m.r, f.plant, "dropout_rate", "0.2");
  rig_set(&f.m.r, f.plant, "position_noise", "0.01");
  rig_set(&f.m.r, f.plant, "bus_delay", "4");
  rig_begin(&f.m.r);
  model_rig_cycle_without_heap(&f.m, 200, feed, &f);
  assert_non_null(sn_tap_read(f.measured, NULL));
  close_robot(&f);
}

/* A build without MuJoCo reports that. */
static bool begins_with_mujoco(fixture *f) {
  if (sn_system_begin(f->m.r.system, &f->m.r.err) == SN_OK) {
    return true;
  }
  sn_assert_contains(f->m.r.err.message, "built without MuJoCo");
  return false;
}

/* Both plants agree up to the difference of their integrators. */
static bool mujoco_agrees(const char *robot) {
  fixture f[2];
  open_type(&f[0], robot, &sn_plant_component);
  open_type(&f[1], robot, &sn_plant_mujoco_component);
  const bool is_there = begins_with_mujoco(&f[1]);
  rig_begin(&f[0].m.r);
  for (int i = 0; is_there && i < 1000; i++) {
    const sn_joint_state *msg[2];
    for (int k = 0; k < 2; k++) {
      send(&f[k], 0.15 - 0.15 * cos(0.005 * i));
      msg[k] = cycle(&f[k]);
    }
    for (size_t j = 0; j < f[0].n; j++) {
      sn_assert_near(msg[0]->position.data[j], msg[1]->position.data[j], 2e-4);
    }
  }
  if (is_there) { /* once more */
    sn_system_end(f[1].m.r.system);
    rig_begin(&f[1].m.r);
    model_rig_cycle_without_heap(&f[1].m, 100, feed, &f[1]);
  }
  close_robot(&f[0]);
  close_robot(&f[1]);
  return is_there;
}

SN_TEST(mujoco_moves_the_same_robot) {
  static const char *const robots[] = {"arm6", "arm7", "arm_ur", "desk_arm", "quadruped"};
  bool is_there = true;
  for (size_t i = 0; i < 5; i++) {
    is_there = is_there && mujoco_agrees(robots[i]);
  }
  if (!is_there) {
    skip();
  }
}

SN_TEST(mujoco_refuses_decoupled_joints) {
  fixture f;
  open_type(&f, "arm6", &sn_plant_mujoco_component);
  rig_set(&f.m.r, f.plant, "dynamics", "decoupled");
  assert_refuses(&f, "MuJoCo moves the whole robot");
  close_robot(&f);
}
