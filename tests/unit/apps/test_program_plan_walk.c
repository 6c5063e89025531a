/* 'sinew plan-walk': plans, what is rejected, and walls of the deployment. */
#include <stdio.h>
#include <string.h>

#include "program_rig.h"
#include "robot.h"
#include "sn_test.h"

#define ROBOT SINEW_ROBOTS "/quadruped.yaml"

static void write_request(const char *name, const char *gait, double duration_s, int steps,
                          double x) {
  char text[1024];
  snprintf(text, sizeof text,
           "{\"gait_type\":\"%s\",\"duration\":%g,\"n_steps\":%d,\"base_goal\":{\"position\":"
           "{\"x\":%g,\"y\":0.0,\"z\":0.0},\"orientation\":{\"x\":0.0,\"y\":0.0,\"z\":0.0,"
           "\"w\":1.0}},\"base_goal_bounds\":32,\"ee_goal\":[],\"header\":{\"frame_id\":"
           "\"base_link_path\"},\"position_tolerance\":0.0,\"orientation_tolerance\":0.0,"
           "\"visualize_only\":false,\"execute_only\":false}",
           gait, duration_s, steps, x);
  sn_test_write(program_folder, name, text);
}

SN_TEST(a_request_becomes_a_step_sequence) {
  write_request("go.json", "walk", 4.0, 3, 0.1);
  program_expect("plan-walk " ROBOT " go.json -o steps.json", 0);
  sn_assert_contains(program_run.output, "steps of each leg");
  program_expect("plan-walk " ROBOT " go.json --json", 0);
  sn_assert_contains(program_run.output, "\"processor_ms\":");
  program_expect("play " ROBOT " steps.json", 0);
  sn_assert_contains(program_run.output, " good ");
}

SN_TEST(requests_that_cannot_be_planned_say_why) {
  static const struct {
    const char *gait;
    double duration_s;
    int steps;
    double x;
    const char *reason;
  } cases[] = {{"gallop", 4.0, 3, 0.1, "unknown gait 'gallop'"},
               {"walk", 0.0, 3, 0.1, "the duration is 0 s"},
               {"walk", 4.0, 0, 0.1, "n_steps is 0, must be 1 to"},
               {"walk", 4.0, 2, 20.0, "reach: limb '"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_request("no.json", cases[i].gait, cases[i].duration_s, cases[i].steps, cases[i].x);
    program_expect("plan-walk " ROBOT " no.json", 1);
    sn_assert_contains(program_run.errors, cases[i].reason);
  }
}

/* The boxes of the simulated robot are obstacles of the planner. */
SN_TEST(a_goal_behind_a_wall_of_the_deployment_is_rejected) {
  sn_test_write(program_folder, "wall.yaml",
                "include: [" SINEW_ROBOTS
                "/../deployments/walking.yaml]\n"
                "robot: " ROBOT
                "\n"
                "components: {plant: {properties: {boxes: [{position: [0.7, 0, 0.2],\n"
                "  size: [0.1, 1, 0.4]}]}}}\n");
  write_request("far.json", "walk", 20.0, 20, 1.2);
  write_request("near.json", "walk", 4.0, 3, 0.1);
  program_expect("plan-walk wall.yaml far.json", 1);
  sn_assert_contains(program_run.errors,
                     "obstacle: box 1 of the ground, at 0.70, 0.00, is in the way to the goal");
  program_expect("plan-walk wall.yaml near.json", 0);
  program_expect("play wall.yaml far.json", 1);
  sn_assert_contains(program_run.output, "obstacle: box 1");
}

SN_TEST_EACH(program_set_up, program_tear_down)
