#include "play/play_setup.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/print.h"

static const double PERIOD_S = 0.0056; /* of a robot that has no deployment of its own */

void play_set(text_list *settings, sn_arena *arena, const char *component, const char *format,
              ...) {
  va_list args;
  va_list again;
  va_start(args, format);
  va_copy(again, args);
  const int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  const bool is_wanted = component != NULL && settings->count < TEXT_LIST_MAX;
  const size_t size = (is_wanted ? strlen(component) : 0) + 2 + (size_t)length;
  char *text = is_wanted ? sn_arena_alloc(arena, size, 1) : NULL;
  if (text != NULL) {
    const int used = snprintf(text, size, "%s.", component);
    (void)vsnprintf(text + used, size - (size_t)used, format, args);
    settings->items[settings->count++] = text;
  }
  va_end(args);
}

app_system_options play_setup_options(const play_setup *setup, const text_list *settings) {
  const play_arguments *a = setup->arguments;
  return (app_system_options){.settings = settings->items,
                              .setting_count = settings->count,
                              .properties = a->robot_options.properties.items,
                              .property_count = a->robot_options.properties.count,
                              .package_path = robot_package_path(&a->robot_options),
                              .xacro_arguments = robot_xacro_arguments(&a->robot_options),
                              .srdf_file = a->robot_options.srdf,
                              .components = setup->components,
                              .is_headless = true,
                              .is_walking = true,
                              .is_alone = true,
                              .has_plugins = true};
}

static const char *find_type(const sn_system *system, const char *const *types) {
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    for (size_t k = 0; types[k] != NULL; k++) {
      if (strcmp(component->type->name, types[k]) == 0) {
        return component->name;
      }
    }
  }
  return NULL;
}

/* The controller that holds the robot when no other one moves it. */
static const char *find_hold(const sn_system *system) {
  const sn_component *hold = sn_system_find(system, "hold");
  return hold != NULL && strcmp(hold->type->name, "FollowJointState") == 0 ? hold->name : NULL;
}

static void find_components(play_setup *setup) {
  const sn_system *system = setup->plain.system;
  setup->plant = find_type(system, (const char *const[]){"plant", "plant_mujoco", NULL});
  setup->execute = find_type(system, (const char *const[]){"execute_joint_trajectory", NULL});
  setup->steps = find_type(
      system, (const char *const[]){"execute_step_sequence", "ExecuteStepSequence", NULL});
  setup->move_base = find_type(system, (const char *const[]){"MoveBase", NULL});
  setup->gate = find_type(system, (const char *const[]){"aggregator", NULL});
  setup->estimator = find_type(system, (const char *const[]){"state_estimator", NULL});
  setup->inversion = find_type(system, (const char *const[]){"servo_inv_7param", NULL});
  setup->kinematics = find_type(system, (const char *const[]){"kinematics_inv", NULL});
  setup->hold = find_hold(system);
}

/* Errors as of inexpensive sensors: 12 bits in a turn, an IMU of MEMS. Gyroscopes such as
   ICM-20602, BMI160 and BMI055 have 0.004, 0.008 and 0.014 deg/s per root hertz: 0.7, 1.3 and 2.3
   mrad/s in samples of 5.6 ms. */
static void add_noise(play_setup *setup) {
  play_set(&setup->settings, &setup->arena, setup->plant, "encoder_step=0.00153");
  play_set(&setup->settings, &setup->arena, setup->plant, "position_noise=0.0005");
  play_set(&setup->settings, &setup->arena, setup->plant, "velocity_noise=0.02");
  play_set(&setup->settings, &setup->arena, setup->plant, "effort_noise=0.02");
  play_set(&setup->settings, &setup->arena, setup->plant, "gyro_bias=[0.01, -0.01, 0.01]");
  play_set(&setup->settings, &setup->arena, setup->plant, "gyro_noise=0.001");
  play_set(&setup->settings, &setup->arena, setup->plant, "accel_bias=[0.05, -0.05, 0.05]");
  play_set(&setup->settings, &setup->arena, setup->plant, "accel_noise=0.05");
}

static void add_settings(play_setup *setup) {
  const play_arguments *a = setup->arguments;
  text_list *settings = &setup->settings;
  const bool is_robot = file_is_robot(a->robot);
  if (is_robot || a->period_s > 0.0) {
    play_set(settings, &setup->arena, "control", "period=%.17g",
             a->period_s > 0.0 ? a->period_s : PERIOD_S);
  }
  play_set(settings, &setup->arena, setup->plant, "start_pose=zero");
  if (a->friction >= 0.0) {
    play_set(settings, &setup->arena, setup->plant, "friction=%.17g", a->friction);
  }
  play_set(settings, &setup->arena, setup->plant, "seed=%lld", (long long)a->seed);
  /* At the end of a movement the legs stay as they are. */
  play_set(settings, &setup->arena, setup->execute, "release_when_done=false");
  play_set(settings, &setup->arena, setup->execute, "clamp_positions=true");
  if (a->has_ideal_servos) { /* stiff ones would hammer from goal to goal */
    play_set(settings, &setup->arena, setup->plant, "smooth_goals=true");
  }
  if (a->is_open_loop) {
    play_set(settings, &setup->arena, setup->steps, "use_base=false");
  }
  if (!a->is_exact) {
    add_noise(setup);
  }
}

static int choose_physics(play_setup *setup) {
  const char *physics = setup->arguments->physics;
  if (physics == NULL) {
    return EXIT_GOOD;
  }
  if (setup->plant == NULL) {
    fprintf(stderr, "sinew play: the deployment has no plant, so --physics has no effect\n");
    return EXIT_NO;
  }
  char text[160];
  snprintf(text, sizeof text, "%.100s: {type: %s}", setup->plant,
           strcmp(physics, "mujoco") == 0 ? "plant_mujoco" : "plant");
  setup->components = sn_arena_text(&setup->arena, text, strlen(text));
  return setup->components == NULL ? out_of_memory() : EXIT_GOOD;
}

static int find_all(play_setup *setup) {
  const app_system *plain = &setup->plain;
  if (plain->system == NULL) {
    problems_print(plain->report);
    return EXIT_NO;
  }
  setup->model = sn_deployment_model(plain->deployment);
  find_components(setup);
  if (setup->model == NULL || setup->plant == NULL) {
    fprintf(stderr, "sinew play: %s: the deployment has no %s\n", setup->arguments->robot,
            setup->model == NULL ? "robot" : "simulated robot, a component of type plant");
    return EXIT_NO;
  }
  sn_error err = {.message = ""};
  if (sn_system_begin(plain->system, &err) != SN_OK) {
    fprintf(stderr, "sinew play: %s\n", err.message);
    return EXIT_NO;
  }
  return EXIT_GOOD;
}

int play_setup_open(play_setup *setup, const play_arguments *arguments) {
  *setup = (play_setup){.arguments = arguments};
  sn_arena_init_growing(&setup->arena, "play", 64 * 1024);
  sn_clock_init_simulated(&setup->plain.clock, 0);
  const app_system_options options = play_setup_options(setup, &setup->settings);
  if (!app_system_load(&setup->plain, arguments->robot, &options)) {
    return out_of_memory();
  }
  int code = find_all(setup);
  if (code == EXIT_GOOD) {
    code = choose_physics(setup);
  }
  if (code == EXIT_GOOD) {
    add_settings(setup);
    code = play_add_servos(setup);
  }
  return code;
}

void play_setup_close(play_setup *setup) {
  app_system_free(&setup->plain);
  sn_arena_release(&setup->arena);
}
