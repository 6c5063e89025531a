/* `sinew ident bench` with a simulated servo behind a pseudo-terminal: its friction grows with the
   load. */
#include <math.h>
#include <stdlib.h>

#include "program_rig.h"
#include "servo/servo_library.h"
#include "sn_test.h"

SN_TEST_EACH(program_set_up, program_tear_down)

#define WEIGHT "--mass 0.49 --length 0.1"

static const char SIMULATE[] =
    "$sinew bus simulate --family dynamixel --ids 3 --model 1200 --servo xl330 --supply 7.4 "
    "--load pendulum:mass=0.49,length=0.1 --port $PWD/port </dev/null >sim.out &\n"
    "await test -e port\n";

static double number_behind(const char *text, const char *key) {
  const char *at = strstr(text, key);
  if (at == NULL) {
    fail_msg("no %s in %s", key, text);
  }
  return strtod(at + strlen(key), NULL);
}

/* Friction at half the torque of the weight, where the motions are. Oracle: the model that the
   simulator has. */
static void expect_model(const char *file, double kp_tolerance, double tolerance) {
  char path[160];
  snprintf(path, sizeof path, "%s/data/%s", program_folder, file);
  size_t size;
  char *text = sn_test_read_file(path, &size);
  sn_servo_params truth;
  assert_int_equal(sn__servo_of_library("xl330", &truth, NULL), SN_OK);
  const char *loads = strstr(text, "load_friction: [");
  assert_non_null(loads);
  const double linear = number_behind(loads, "["), square = number_behind(loads, ", ");
  /* All volts are in units of kp, which is known of Dynamixel only. */
  const double scale = number_behind(text, "kp: ") / truth.kp;
  sn_assert_near(scale, 1.0, kp_tolerance);
  const double tau = 0.25, friction = truth.ext.load[0] * tau + truth.ext.load[1] * tau * tau;
  sn_assert_near((linear * tau + square * tau * tau) / scale, friction, tolerance * friction);
  free(text);
}

/* The gain is as before, and the servo limp. */
SN_TEST(bench_finds_the_model_of_the_simulated_servo) {
  char script[1000];
  snprintf(script, sizeof script,
           "%s$sinew ident bench --port port --family dynamixel --timeout 1 --id 3 " WEIGHT
           " --seconds 2 --folder data >said\n"
           "said 'xl330 (full): good'; said validated; test -s data/report.html\n"
           "$sinew bus read 3 84 --size 2 --port port --family dynamixel --timeout 1 >said\n"
           "said '400 (0x190)'\n"
           "$sinew bus read 3 --port port --family dynamixel --timeout 1 >said\n"
           "said 'torque: false'\n",
           SIMULATE);
  program_expect_script(script);
  expect_model("xl330.yaml", 0.01, 0.1);
}

/* Goals are jogs, and positions have steps of 0.325 degrees. */
SN_TEST(bench_drives_herkulex) {
  program_expect_script(
      "$sinew bus simulate --family herkulex --ids 3 --servo xl330 --supply 7.4 "
      "--load pendulum:mass=0.49,length=0.1 --port $PWD/port </dev/null >sim.out &\n"
      "await test -e port\n"
      "$sinew ident bench --port port --family herkulex --timeout 1 --id 3 " WEIGHT
      " --seconds 2 --folder data --name mine >said\n"
      "said 'mine (full): good'; said validated\n"
      "$sinew bus read 3 24 --size 2 --port port --family herkulex --timeout 1 >said\n"
      "said '440 (0x1B8)'\n");
  expect_model("mine.yaml", INFINITY, 0.2);
}

SN_TEST(missing_servo_and_wrong_options_are_said) {
  char script[1000];
  snprintf(script, sizeof script,
           "%s! $sinew ident bench --port port --family dynamixel --timeout 0.1 --id 9 " WEIGHT
           " 2>said\n"
           "said 'servo 9 does not answer'; test ! -e bench\n",
           SIMULATE);
  program_expect_script(script);
  program_expect("ident bench --port nowhere --family dynamixel --id 3 --mass 0.49", 2);
  sn_assert_contains(program_run.errors, "--length");
  program_expect("ident bench --port nowhere --family dynamixel --id 3 " WEIGHT, 1);
  program_expect("ident bench --id 3 " WEIGHT " --name 'A b'", 2);
}
