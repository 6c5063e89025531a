/* `sinew run` with a driver and simulated servos behind a pseudo-terminal: the whole stack down to
 * the bytes. */
#include <signal.h>

#include "program.h"
#include "sim/sim_pty.h"
#include "sn_test.h"

enum { SERVOS = 6 };

static sn_test_run result; /* large */

static sim_pty *pty_of_arm_at(double q) {
  servo_sim sim;
  servo_sim_init(&sim, SIM_FEETECH_STS, 1000000, 9);
  for (size_t i = 0; i < SERVOS; i++) {
    servo_sim_add(&sim, (uint8_t)(1 + i), 1030)->q = q;
  }
  return sim_pty_start(&sim, NULL);
}

static sim_pty *pty_of_arm(void) {
  return pty_of_arm_at(0.25);
}

static bool all_have_goals(void *context, const char *errors) {
  (void)errors;
  const servo_sim *sim = sim_pty_lock(context);
  bool all = true;
  for (size_t i = 0; i < SERVOS; i++) {
    all = all && sim->servos[i].torque && sim->servos[i].goal_count > 5;
  }
  sim_pty_unlock(context);
  return all;
}

/* From a deployment of Sinew to bytes: the arm holds the position in which it is found. */
SN_TEST(the_whole_stack_runs_over_bytes) {
  sim_pty *pty = pty_of_arm();
  char line[512];
  snprintf(line, sizeof line,
           "run ../deployments/arm_feetech.yaml --headless --set 'plant.ports=[%s]' --set "
           "plant.period=0.05 --set plant.answer_time=0.02 --set plant.stop=hold --set "
           "plant.goal_timeout=10 --set "
           "plant.guard_timeout=10",
           sim_pty_path(pty));
  assert_true(sn_test_program_until(&result, SINEW_ROBOTS, line, SIGTERM, all_have_goals, pty));
  assert_int_equal(result.code, 0);
  sn_assert_contains(result.errors, "servo 'joint6' (id 6) holds its position");
  const servo_sim *sim = sim_pty_lock(pty);
  for (size_t i = 0; i < SERVOS; i++) {
    assert_true(sim->servos[i].torque);
    sn_assert_near(sim->servos[i].q, 0.25, 0.05); /* it was not commanded to move */
  }
  sim_pty_unlock(pty);
  sim_pty_stop(pty);
}

/* At their goals, away from the start. */
static bool three_have_moved(void *context, const char *errors) {
  (void)errors;
  const servo_sim *sim = sim_pty_lock(context);
  size_t moved = 0;
  for (size_t i = 0; i < SERVOS; i++) {
    const sim_servo *s = &sim->servos[i];
    moved += s->torque && s->goal_count > 5 && fabs(s->q - 0.25) > 0.02 &&
             fabs(s->goal - 0.25) > 0.02 && fabs(s->q - s->goal) < 0.2;
  }
  sim_pty_unlock(context);
  return moved >= 3;
}

/* The demo's motion, through controllers, gate, dynamics and servo model to bytes, and the servos
   at the other end move. */
SN_TEST(a_motion_goes_through_the_whole_stack_to_the_servos) {
  sim_pty *pty = pty_of_arm();
  char folder[64], text[1024], servos[512] = "";
  for (int i = 1; i <= SERVOS; i++) {
    snprintf(servos + strlen(servos), sizeof servos - strlen(servos),
             "        - {joint: joint%d, id: %d, velocity_max: 3}\n", i, i);
  }
  snprintf(
      text, sizeof text,
      "include: [%s/../deployments/demo_sway.yaml]\nrobot: %s/arm6.yaml\ncomponents:\n  plant:\n"
      "    type: driver_feetech\n    properties:\n      ports: [%s]\n      period: 0.05\n"
      "      answer_time: 0.02\n      stop: hold\n      goal_timeout: 10\n      "
      "guard_timeout: 10\n      servos:\n%s",
      SINEW_ROBOTS, SINEW_ROBOTS, sim_pty_path(pty), servos);
  sn_test_folder_create(folder);
  sn_test_write(folder, "sway.yaml", text);
  const bool moved = sn_test_program_until(&result, folder, "run sway.yaml --headless", SIGTERM,
                                           three_have_moved, pty);
  if (!moved || result.code != 0) {
    fail_msg("exit code %d\n%s", result.code, result.errors);
  }
  const servo_sim *sim = sim_pty_lock(pty);
  for (size_t i = 0; i < SERVOS; i++) {
    assert_true(sim->servos[i].torque);
    /* a goal or two may be lost */
    assert_true(sim->servos[i].goal_jump <= 3.0 * 3.0 * 0.05 + 0.002);
  }
  sim_pty_unlock(pty);
  sn_test_folder_remove(folder);
  sim_pty_stop(pty);
}

static bool follower_is_with_the_leader(void *context, const char *errors) {
  (void)errors;
  const servo_sim *sim = sim_pty_lock(context);
  bool all = true;
  for (size_t i = 0; i < SERVOS; i++) {
    all = all && sim->servos[i].torque && fabs(sim->servos[i].q - 0.25) < 0.05;
  }
  sim_pty_unlock(context);
  return all;
}

/* Two buses: the servos of the leader are limp, those of the follower go where it is. */
SN_TEST(an_arm_follows_another_one_on_a_second_bus) {
  sim_pty *leader = pty_of_arm(), *follower = pty_of_arm_at(0.0);
  char line[800];
  snprintf(line, sizeof line,
           "run ../deployments/desk_arm_pair.yaml --headless --set 'plant.ports=[%s]' --set "
           "'leader.ports=[%s]' --set plant.goal_timeout=10 --set plant.guard_timeout=10 --set "
           "leader.goal_timeout=10 --set leader.guard_timeout=10 --set lead.start_operational=true "
           "--set lead.leader_timeout=5",
           sim_pty_path(follower), sim_pty_path(leader));
  assert_true(sn_test_program_until(&result, SINEW_ROBOTS, line, SIGTERM,
                                    follower_is_with_the_leader, follower));
  assert_int_equal(result.code, 0);
  const servo_sim *sim = sim_pty_lock(leader);
  for (size_t i = 0; i < SERVOS; i++) {
    assert_false(sim->servos[i].torque);
    sn_assert_near(sim->servos[i].q, 0.25, 1e-9); /* it was not moved */
  }
  sim_pty_unlock(leader);
  sim_pty_stop(leader);
  sim_pty_stop(follower);
}

SN_TEST(deployments_with_drivers_are_good) {
  static const char *const files[] = {"arm_dynamixel", "arm_feetech", "desk_arm", "desk_arm_pair",
                                      "quadruped_herkulex"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char line[64];
    snprintf(line, sizeof line, "check %s.yaml", files[i]);
    sn_test_program_expect(&result, SINEW_ROBOTS "/../deployments", line, 0);
  }
}
