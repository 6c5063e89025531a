/* 'check' and 'run' agree on a corpus of valid and invalid deployments. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>

#include "deployed.h"
#include "program_rig.h"
#include "sn_test.h"

static int set_up(void **state) {
  (void)state;
  sn_test_folder_create(program_folder);
  sn_test_write(program_folder, "small.urdf", sn_deployed_robot);
  sn_test_write(program_folder, "chains.yaml",
                "kinematics_chains:\n"
                "  leg: {first_link: base, last_link: leg2}\n"
                "  head: {first_link: base, last_link: head2}\n"
                "  nose: {first_link: base, last_link: nose1}\n"
                "groups: {head: {chains: [head, nose]}, eyes: {joints: [e1, e2]}}\n");
  return 0;
}

/* @return the verdict, which must be the same for both: 0 valid, 1 invalid */
static int verdict(const char *deployment) {
  char arguments[256];
  snprintf(arguments, sizeof arguments, "check %s", deployment);
  sn_test_program(&program_run, program_folder, arguments, NULL);
  const int checked = program_run.code;
  char reason[1024];
  snprintf(reason, sizeof reason, "%.1000s", program_run.errors);
  snprintf(arguments, sizeof arguments, "run %s --headless --clock sim --duration 0.02",
           deployment);
  sn_test_program(&program_run, program_folder, arguments, NULL);
  if (program_run.code != checked) {
    fail_msg("check says %d, run says %d:\n%s\n%s", checked, program_run.code, reason,
             program_run.errors);
  }
  snprintf(program_run.errors, sizeof program_run.errors, "%s", reason); /* the output of check */
  return checked;
}

#define BASE "include: [standard.yaml, chains.yaml]\nrobot: small.urdf\n"

typedef struct example {
  const char *text;
  const char *reason; /* NULL: valid */
} example;

static const example examples[] = {
    {BASE, NULL},
    {"include: [standard.yaml]\nrobot: small.urdf\n", NULL},
    {BASE "components: {resources_control: {properties: {list_orocos: [hold, follow, reach, "
          "execute, jog, stance, look, tool, torque_off]}}}\n",
     NULL},
    {BASE "components: {resources_control: {properties: {list_orocos: [hold, missing]}}}\n",
     "list_orocos: unknown component 'missing'"},
    {BASE "components: {resources_control: {properties: {list_orocos: [hold, timer]}}}\n",
     "'timer' (timer) has no operation releaseResources"},
    {BASE "components: {resources_control: {properties: {list_orocos: [hold]}}}\n",
     "is not in list_orocos"},
    {BASE "components: {resources_control: {properties: {list_ros: [hold]}}}\n", "hold"},
    {BASE "components: {resources_control: {properties: {list_ros: [walker, walker]}}}\n",
     "walker"},
    {BASE "components: {resources_control: {properties: {resources: [lge]}}}\n", "'lge'"},
    {BASE "components: {resources_control: {properties: {resources: [head, leg]}}}\n", NULL},
    {BASE "components: {resources_control: {properties: {resources: [head, nose, leg, eyes]}}}\n",
     NULL},
    {BASE "components: {resources_control: {properties: {fallback: missing}}}\n", "'missing'"},
    {BASE "components: {resources_control: {properties: {fallback: follow}}}\n",
     "'follow' is the fallback"},
    {BASE "components: {resources_control: {properties: {fallback: hold}}}\n", NULL},
    {BASE "components: {follow: {properties: {controlled_chains: [lge]}}}\n", "'lge'"},
    {BASE "components: {follow: {properties: {controlled_chains: [leg, n1]}}}\n", NULL},
    {BASE "components: {reach: {services: {smoothing: {type: filter_exp, properties: {joints: "
          "[{joint: knee, transient_time: 1}]}}}}}\n",
     "'knee'"},
    {BASE "components: {kinematics_inv: {properties: {chains: [lge]}}}\n", "'lge'"},
    {BASE "components: {servo_inv_7param: {properties: {servo_models: [{name: knee, kp: 1}]}}}\n",
     "knee"},
    {BASE "components: {plant: {properties: {servo_models: [{name: knee, kp: 1}]}}}\n", "knee"},
    {BASE "components: {plant: {properties: {initial_pose: {knee: 1}}}}\n", "knee"},
    {BASE "components: {recorder: {properties: {folder: ''}}}\n", "the folder has no name"},
    {BASE "capacity: {items: 2}\n", "joints"},
    {"robot: small.urdf\ncomponents: {timer: {type: timer}, a: {type: relay_joints}, b: {type: "
     "relay_joints}, aggregator: {type: aggregator}}\n"
     "connections: [timer.sync -> a.sync, timer.sync -> b.sync, timer.sync -> aggregator.sync,\n"
     "  a.out_joints_ref -> aggregator.in_joints, b.out_joints_ref -> aggregator.in_joints]\n",
     "2 sources are connected without an arbiter"},
    {"activities: {control: {period: 0.001}}\n", "nothing to run"},
    {"components: {timer: {type: timer}}\n", NULL},
};

SN_TEST(check_and_run_agree) {
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    sn_test_write(program_folder, "d.yaml", examples[i].text);
    const int code = verdict("d.yaml");
    if ((code == 0) != (examples[i].reason == NULL)) {
      fail_msg("%s\n%s\n%s", examples[i].text, code == 0 ? "is accepted" : "is refused",
               program_run.errors);
    }
    if (examples[i].reason != NULL) {
      sn_assert_contains(program_run.errors, examples[i].reason);
    }
  }
}

/* All problems are reported at once, each with its place. */
SN_TEST(check_reports_all_problems) {
  sn_test_write(program_folder, "d.yaml",
                BASE
                "components:\n"
                "  follow: {properties: {controlled_chains: [lge]}}\n"
                "  kinematics_inv: {properties: {chains: [lge]}}\n"
                "  recorder: {properties: {folder: ''}}\n");
  sn_test_program(&program_run, program_folder, "check d.yaml", NULL);
  assert_int_equal(program_run.code, 1);
  sn_assert_contains(program_run.errors, "follow did not configure: 'lge'");
  sn_assert_contains(program_run.errors, "kinematics_inv did not configure: chains:");
  sn_assert_contains(program_run.errors, "recorder did not configure: the folder has no name");
  sn_assert_contains(program_run.errors, "d.yaml:4:3: error");
}

SN_TEST(the_deployments_of_sinew_are_valid_for_both) {
  static const char *const names[] = {"demo", "demo_sway", "quadruped", "quadruped_cycle"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[256];
    snprintf(path, sizeof path, SINEW_ROBOTS "/../deployments/%s.yaml", names[i]);
    assert_int_equal(verdict(path), 0);
  }
}

SN_TEST_GROUP(set_up, program_tear_down)
