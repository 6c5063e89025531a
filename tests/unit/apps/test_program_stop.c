/* `sinew stop` against the program: it says "stopped" when that is so, and only then. */
#include "program_rig.h"
#include "sim/sim_pty.h"
#include "sn_test.h"

static const char deployment[] = "plugins: ['" SINEW_STOP_PLUGIN
                                 "']\n"
                                 "include: [standard.yaml]\n"
                                 "robot: '" SINEW_ROBOTS
                                 "/arm6.urdf'\n"
                                 "components: {obstacle: {type: Obstacle}}\n";

static int set_up(void **state) {
  (void)state;
  sn_test_folder_create(program_folder);
  sn_test_write(program_folder, "robot.yaml", deployment);
  return 0;
}

/* Run a script while the robot runs; `$sinew` is the program. `refused` wants an exit code of 1. */
static void expect_script(const char *options, const char *script) {
  static char whole[8192];
  snprintf(
      whole, sizeof whole,
      "set -e; cd %s; export XDG_RUNTIME_DIR=%s sinew=%s USER=me\n"
      "trap 'kill -9 $(jobs -p) 2>/dev/null || true' EXIT\n"
      "refused() { if \"$@\"; then false; else test $? = 1; fi; }\n"
      /* On a busy machine a cycle may come too late for a stop, which says so at once. */
      "stopped() { for i in {1..5}; do if $sinew stop \"$@\" >out 2>err; then return; "
      "else test $? = 1; grep -q 'not stopped, did not obey' err; fi; done; cat err; false; }\n"
      "$sinew run robot.yaml --headless %s >log 2>&1 &\n"
      "for i in {1..3000}; do $sinew ls %s >/dev/null 2>&1 && break; sleep 0.02; done\n"
      "sleep 0.3\n"
      "%s",
      program_folder, program_folder, SINEW_PROGRAM, options, options, script);
  sn_test_write(program_folder, "script", whole);
  char arguments[256]; /* the program itself only says its version, which goes nowhere */
  snprintf(arguments, sizeof arguments, ">/dev/null --version; bash -x %s/script >%s/trace 2>&1",
           program_folder, program_folder);
  sn_test_program(&program_run, "/", arguments, NULL);
  if (program_run.code != 0) {
    char path[128];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/trace", program_folder);
    fail_msg("exit code %d: %s", program_run.code, sn_test_read_file(path, &size));
  }
}

SN_TEST(a_stop_that_is_obeyed_says_so) {
  expect_script(
      "",
      "stopped 'too fast'; test ! -s err\n"
      "grep -qx 'aggregator: stopped; to go on: sinew call aggregator.resume name=me' out\n"
      "stopped --json; grep -q '\"name\":\"plant\",\"role\":\"actuator\",\"obeyed\":true' out\n"
      "$sinew call aggregator.getStop | grep -q 'why: \"too fast\"'\n"
      "$sinew call aggregator.resume name=me\n"
      "$sinew call aggregator.getStop | grep -q 'stopped: false'\n");
}

SN_TEST(a_component_that_loops_makes_the_stop_fail) {
  expect_script(
      "",
      "$sinew set obstacle.loops true\n"
      "refused $sinew stop >out 2>err\n"
      "if grep -q ': stopped' out; then false; fi\n"
      "grep -qx \"sinew stop: not stopped, did not obey: 'plant' (the step of 'obstacle' does "
      "not end)\" err\n"
      "grep -qx 'sinew stop: THE ROBOT MAY STILL MOVE: switch off its power' err\n"
      "grep -q '^aggregator: the stop stays in force; to go on: sinew call "
      "aggregator.resume name=me' out\n"
      "refused $sinew stop --json >json 2>err\n"
      "grep -q '\"ok\":false,\"status\":\"SN_ETIMEDOUT\"' json\n"
      "grep -q '\"name\":\"plant\",\"role\":\"actuator\",\"obeyed\":false' json\n"
      "if $sinew call aggregator.emergencyStop >out 2>err; then false; fi\n"
      "grep -q \"did not obey: 'plant'\" err\n");
}

SN_TEST(a_plant_that_does_not_run_makes_the_stop_fail) {
  expect_script("",
                "$sinew call plant.stop\n"
                "refused $sinew stop >out 2>err\n"
                "grep -qx \"sinew stop: not stopped, did not obey: 'plant' (stopped)\" err\n"
                "$sinew call plant.start\n"
                "stopped; grep -q 'aggregator: stopped' out\n");
}

/* Without a braking gate, or if its goals do not arrive, the plant holds and logs it. */
SN_TEST(without_its_gate_the_plant_stops_by_itself) {
  expect_script(
      "",
      "for part in timer aggregator servo_inv_7param; do\n"
      "  $sinew call $part.stop\n"
      "  stopped; grep -q '^aggregator: stopped; to go on' out\n"
      "  $sinew log | grep -q 'plant: emergency stop, and no gate brakes: the servos hold "
      "where they are'\n"
      "  $sinew call $part.start\n"
      "  for i in {1..500}; do $sinew call aggregator.resume name=me && break; sleep 0.02; "
      "done\n"
      "  $sinew call aggregator.getStop | grep -q 'stopped: false'\n"
      "done\n");
}

SN_TEST(a_lock_that_is_held_does_not_keep_the_stop_waiting) {
  expect_script(
      "",
      "$sinew call obstacle.stop; $sinew call obstacle.cleanup\n"
      "$sinew set obstacle.wait_for $PWD/released\n"
      "$sinew call obstacle.configure --timeout 50 & held=$!\n"
      "for i in {1..500}; do $sinew ls --timeout 0.1 >/dev/null 2>&1 || break; done\n"
      "if $sinew ls --timeout 0.1 >/dev/null 2>&1; then false; fi\n"
      "stopped --timeout 1; grep -q 'aggregator: stopped' out\n"
      "for i in {1..5}; do $sinew call aggregator.emergencyStop --timeout 1 && break; done\n"
      "touch released; wait $held\n"
      "$sinew call aggregator.getStop | grep -q 'stopped: true'\n");
}

SN_TEST(the_resume_command_works_as_copied) {
  expect_script(
      "--name left",
      "export USER=\"it's me\"; mkdir bin; ln -s $sinew bin/sinew; PATH=$PWD/bin:$PATH\n"
      "stopped --name left\n"
      "grep -qx \"aggregator: stopped; to go on: sinew call aggregator.resume "
      "'name=it'\\\\\\\\''s me' --name left\" out\n"
      "for i in {1..500}; do eval \"$(sed 's/.*to go on: //' out)\" && break; sleep 0.02; "
      "done\n"
      "sinew call aggregator.getStop --name left | grep -q 'stopped: false'\n"
      "sinew call aggregator.getStop --name left | grep -q \"resumed_by: \\\"it's me\\\"\"\n"
      "stopped --socket \"$PWD/sinew/left.sock\"\n"
      "grep -q -- \"--socket $PWD/sinew/left.sock\" out\n");
}

enum { SERVOS = 6 };

static void write_bus_deployment(const char *port) {
  char text[2048], servos[512] = "";
  for (int i = 1; i <= SERVOS; i++) {
    snprintf(servos + strlen(servos), sizeof servos - strlen(servos),
             "        - {joint: joint%d, id: %d}\n", i, i);
  }
  snprintf(text, sizeof text,
           "%s  plant:\n    type: driver_feetech\n    properties:\n      ports: [%s]\n"
           "      period: 0.02\n      answer_time: 0.01\n      stop: hold\n      goal_timeout: 10\n"
           "      guard_timeout: 10\n      servos:\n%s",
           "plugins: ['" SINEW_STOP_PLUGIN "']\ninclude: [standard.yaml]\nrobot: '" SINEW_ROBOTS
           "/arm6.urdf'\ncomponents:\n  obstacle: {type: Obstacle}\n",
           port, servos);
  sn_test_write(program_folder, "robot.yaml", text);
}

/* The thread of a bus needs no cycle: it stops the servos while the control loop hangs. */
SN_TEST(the_thread_of_a_bus_obeys_while_a_component_loops) {
  servo_sim sim;
  servo_sim_init(&sim, SIM_FEETECH_STS, 1000000, 9);
  for (size_t i = 0; i < SERVOS; i++) {
    servo_sim_add(&sim, (uint8_t)(1 + i), 1030)->q = 0.25;
  }
  sim_pty *pty = sim_pty_start(&sim, NULL);
  write_bus_deployment(sim_pty_path(pty));
  expect_script(
      "",
      "for i in {1..3000}; do grep -q 'joint6. (id 6) holds' log && break; sleep 0.02; done\n"
      "grep -q 'joint6. (id 6) holds' log\n"
      "$sinew stop --json >json 2>err || true\n"
      "grep -q '\"name\":\"plant (/dev/[^\"]*\",\"role\":\"actuator\"' json\n"
      "for i in {1..500}; do $sinew call aggregator.resume name=me && break; sleep 0.02; done\n"
      "$sinew set obstacle.loops true\n"
      "stopped; grep -q '^aggregator: stopped; to go on' out\n"
      "stopped --json\n"
      "grep -q '\"name\":\"aggregator\",\"role\":\"gate\",\"obeyed\":false' out\n"
      "grep -q '\"role\":\"actuator\",\"obeyed\":true' out\n");
  sim_pty_stop(pty);
}

SN_TEST(no_answer_has_its_own_exit_code) {
  program_expect("stop --socket /nonexistent/socket", 3);
  program_expect("stop a b", 2);
}

/* A program that does not run cannot answer. What it was asked counts when it goes on. */
SN_TEST(a_program_that_is_frozen_is_reported) {
  expect_script("",
                "kill -STOP $(jobs -p)\n"
                "if $sinew stop >out 2>err; then false; else test $? = 3; fi\n"
                "grep -q 'no answer in time' err\n"
                "grep -q 'THE ROBOT MAY STILL MOVE' err\n"
                "kill -CONT $(jobs -p)\n"
                "for i in {1..1000}; do $sinew call aggregator.getStop >out && grep -q 'stopped: "
                "true' out && "
                "break; sleep 0.01; done\n"
                "grep -q 'stopped: true' out\n");
}

SN_TEST_EACH(set_up, program_tear_down)
