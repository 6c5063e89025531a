/* Random deployments: a robot in the standard one, with other periods and properties, without some
   controllers, and with some that go wrong. */
#include <stdio.h>
#include <string.h>

#include "storm/storm.h"

enum { SETTINGS_MAX = 24, SETTING_SIZE = 96, ROGUES_MAX = 2, TEXT_SIZE = 4096 };

/* A property of a deployment and the range of its values. */
typedef struct choice {
  const char *name;
  double lower, upper;
  bool is_switch;
} choice;

static const choice choices[] = {
    {"aggregator.acceleration_time", 0.02, 0.5, false},
    {"aggregator.velocity_default", 0.2, 3.0, false},
    {"aggregator.collision_margin", 0.0, 0.01, false},
    {"aggregator.reference_timeout", 0.05, 1.0, false},
    {"aggregator.period_max", 0.0, 0.05, false},
    {"aggregator.stop_limp", 0.0, 0.0, true},
    {"aggregator.publish_on_event", 0.0, 0.0, true},
    {"plant.integration_step", 0.00025, 0.001, false},
    {"plant.encoder_step", 0.0, 0.005, false},
    {"plant.message_loss_rate", 0.0, 0.2, false},
    {"plant.goal_loss_rate", 0.0, 0.2, false},
    {"plant.smooth_goals", 0.0, 0.0, true},
    {"plant.friction", 0.05, 1.2, false},
    {"plant.slope_x", -0.2, 0.2, false},
    {"plant.battery_resistance", 0.0, 1.0, false},
    {"follow.activation_delay", 0.0, 1.0, false},
    {"follow.stay_operational", 0.0, 0.0, true},
};

/* Types that nothing else needs. */
static const char *const leaves[] = {"LookAt",         "FollowStance", "MoveTool",
                                     "CartesianServo", "servo_ident",  "torque_off"};

typedef struct plan {
  char settings[SETTINGS_MAX][SETTING_SIZE];
  const char *setting_list[SETTINGS_MAX];
  size_t setting_count;
  const char *without[sizeof leaves / sizeof *leaves];
  size_t without_count;
  char text[TEXT_SIZE];
} plan;

static char *add_setting(plan *p) {
  p->setting_list[p->setting_count] = p->settings[p->setting_count];
  return p->settings[p->setting_count++];
}

static void choose_settings(plan *p, bool can_stand, sn_random *random) {
  static const char *const periods[] = {"0.001", "0.001", "0.001", "0.002", "0.004", "0.01"};
  snprintf(add_setting(p), SETTING_SIZE, "plant.start_pose=%s", can_stand ? "stand" : "movable");
  snprintf(add_setting(p), SETTING_SIZE, "control.period=%s", periods[sn_random_below(random, 6)]);
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
    const choice *c = &choices[i];
    const double value = sn_random_between(random, c->lower, c->upper);
    const bool is_on = sn_random_below(random, 2) == 0;
    if (sn_random_below(random, 3) != 0) {
      continue;
    }
    if (c->is_switch) {
      snprintf(add_setting(p), SETTING_SIZE, "%s=%s", c->name, is_on ? "true" : "false");
    } else {
      snprintf(add_setting(p), SETTING_SIZE, "%s=%.6f", c->name, value);
    }
  }
  for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
    if (sn_random_below(random, 4) == 0) {
      p->without[p->without_count++] = leaves[i];
    }
  }
}

static void write_text(plan *p, bool can_stand, sn_random *random) {
  const size_t rogues = (size_t)sn_random_below(random, ROGUES_MAX + 1);
  size_t used = (size_t)snprintf(p->text, TEXT_SIZE, "include: [%s]\n%s",
                                 can_stand ? "walking.yaml" : "standard.yaml",
                                 rogues > 0 ? "components:\n" : "");
  for (size_t i = 0; i < rogues; i++) {
    used += (size_t)snprintf(p->text + used, TEXT_SIZE - used,
                             "  rogue%zu: {type: storm_rogue, properties: {seed: %u, priority: %d, "
                             "start_operational: %s}}\n",
                             i, (unsigned)sn_random_below(random, 1000000),
                             (int)sn_random_below(random, 3) - 1,
                             sn_random_below(random, 2) == 0 ? "true" : "false");
  }
  used +=
      (size_t)snprintf(p->text + used, TEXT_SIZE - used, "%s", rogues > 0 ? "connections:\n" : "");
  for (size_t i = 0; i < rogues; i++) {
    used += (size_t)snprintf(p->text + used, TEXT_SIZE - used,
                             "  - timer.sync -> rogue%zu.sync\n"
                             "  - rogue%zu.out_joints_ref -> aggregator.in_joints\n"
                             "  - rogue%zu.ref_support -> aggregator.in_supports\n"
                             "  - aggregator.joints_sorted -> rogue%zu.in_joints_sorted\n",
                             i, i, i, i);
  }
}

bool storm_deploy(const storm_robot *r, uint64_t seed, app_system *app) {
  static plan p;
  const char *path = r->path;
  app_system_options options = {.properties = r->options->properties.items,
                                .property_count = r->options->properties.count,
                                .package_path = robot_package_path(r->options),
                                .xacro_arguments = robot_xacro_arguments(r->options),
                                .srdf_file = r->options->srdf,
                                .is_alone = true,
                                .is_headless = true};
  if (!file_is_robot(path)) {
    return app_system_load(app, path, &options); /* a deployment: as it is */
  }
  sn_random random;
  sn_error reason;
  sn_random_init(&random, ~seed);
  p = (plan){.setting_count = 0};
  const bool can_stand = robot_can_stand(path, &options, &reason);
  choose_settings(&p, can_stand, &random);
  write_text(&p, can_stand, &random);
  options.robot = path;
  options.settings = p.setting_list;
  options.setting_count = p.setting_count;
  options.without_types = p.without;
  options.without_count = p.without_count;
  return app_system_parse(app, p.text, strlen(p.text), "storm", &options);
}
