#include "play/play.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "common/print.h"
#include "play/play_live.h"
#include "play/play_run.h"

enum { PLAY_PATH_SIZE = 4096 };

/* A file for each movement: walk.mcap, or walk-turn_left.mcap if there are several. */
static const char *record_path(const play_arguments *a, const char *movement, char *out) {
  if (a->record == NULL || a->movements.count == 1) {
    return a->record;
  }
  const char *slash = strrchr(movement, '/');
  const char *name = slash == NULL ? movement : slash + 1;
  const char *end = strrchr(name, '.');
  const char *dot = strrchr(a->record, '.');
  const bool has_ending = dot != NULL && strchr(dot, '/') == NULL;
  const int stem = (int)(has_ending ? (size_t)(dot - a->record) : strlen(a->record));
  snprintf(out, PLAY_PATH_SIZE, "%.*s-%.*s%s", stem, a->record,
           (int)(end == NULL ? strlen(name) : (size_t)(end - name)), name,
           has_ending ? dot : ".mcap");
  return out;
}

static int play_all(const play_arguments *a) {
  play_setup setup;
  int code = play_setup_open(&setup, a);
  if (code == EXIT_GOOD && !a->as_json) {
    play_print_head();
  }
  const bool can_play = code == EXIT_GOOD;
  for (size_t i = 0; can_play && i < a->movements.count && code != EXIT_FAULT; i++) {
    play_result result;
    char path[PLAY_PATH_SIZE];
    play_run(&setup, a->movements.items[i], record_path(a, a->movements.items[i], path), &result);
    const int printed = play_print(&result, a->as_json);
    code = printed != EXIT_GOOD ? printed : result.is_ok ? code : EXIT_NO;
  }
  play_setup_close(&setup);
  return code;
}

/* The robot of a running system is known: every file is a movement. */
static bool is_movement(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot != NULL && strcmp(dot, ".json") == 0;
}

static int run_play(void *arguments) {
  play_arguments *a = arguments;
  const bool is_live = a->name != NULL || a->socket != NULL;
  if (is_live && is_movement(a->robot) && a->movements.count < TEXT_LIST_MAX) {
    memmove(a->movements.items + 1, a->movements.items,
            a->movements.count * sizeof *a->movements.items);
    a->movements.items[0] = a->robot;
    a->movements.count++;
  }
  if (a->movements.count == 0) {
    return command_misused(&command_play, "argument MOVEMENT is missing");
  }
  return is_live ? play_live(a) : play_all(a);
}

static const char *physics_at(size_t index) {
  static const char *const names[] = {"plant", "mujoco", NULL};
  return index < 2 ? names[index] : NULL;
}

#define AT(member) offsetof(play_arguments, member)
static const command_argument play_argument_table[] = {
    {"ROBOT", ARGUMENT_ONE, AT(robot),
     "A robot (.urdf, .xacro, MJCF .xml), a file that names one, or a deployment (.yaml)",
     WORD_FILE, NULL},
    {"MOVEMENT", ARGUMENT_ANY, AT(movements),
     "A joint trajectory, step sequence, request to move the base, or pose (.json)", WORD_FILE,
     NULL},
    {0}};
static const command_option play_option_table[] = {
    {"--physics", "plant|mujoco", OPTION_TEXT, AT(physics), .help = "Which physics simulate",
     .choices = physics_at},
    {"--friction", "MU", OPTION_NUMBER, AT(friction),
     .help = "Coefficient of friction of the ground", .max = 100},
    {"--servo-models", "FILE", OPTION_TEXT, AT(servo_models),
     .help = "Models of the servos (servo_models in a .yaml), for simulation and inversion",
     .word = WORD_FILE},
    {"--torque-max", "NM", OPTION_NUMBER, AT(torque_max), .help = "Torque limit of all motors",
     .min = 1e-6, .max = 1e6},
    {"--ideal-servos", NULL, OPTION_FLAG, AT(has_ideal_servos),
     .help = "Servos that follow their goals, without friction and limits",
     .excludes = "--servo-models"},
    {"--open-loop", NULL, OPTION_FLAG, AT(is_open_loop),
     .help = "Play steps as they are, without feedback of the base"},
    {"--no-noise", NULL, OPTION_FLAG, AT(is_exact), .help = "Sensors without errors"},
    {"--period", "S", OPTION_NUMBER, AT(period_s),
     .help = "Period of control; 0.0056 for a robot without a deployment", .min = 1e-4, .max = 1},
    {"--speed", "X", OPTION_NUMBER, AT(speed),
     .help = "Play joint trajectories at this speed, within the limits of the joints", .min = 0.1,
     .max = 10},
    {"--fastest", NULL, OPTION_FLAG, AT(is_fastest),
     .help = "Play joint trajectories as fast as the limits of the joints allow",
     .excludes = "--speed"},
    {"--seed", "N", OPTION_INTEGER, AT(seed), .help = "Seed of the noise", .max = 1e9},
    {"--record", "FILE.mcap", OPTION_TEXT, AT(record),
     .help = "Record the run; of several movements each into a file with its name",
     .word = WORD_FILE},
    {"--name", "NAME", OPTION_TEXT, AT(name),
     .help = "Play in this running system; ROBOT may be left out", .word = WORD_SYSTEM},
    {"--socket", "PATH", OPTION_TEXT, AT(socket),
     .help = "Play in the system with this control socket", .word = WORD_FILE},
    {"--json", NULL, OPTION_FLAG, AT(as_json), .help = "Print a line of JSON for each movement"},
    {0}};
static const play_arguments initial = {.friction = -1.0, .seed = 1};

const command command_play = {
    .name = "play",
    .purpose = "Play movements on a simulated robot that stands on the ground.",
    .arguments = play_argument_table,
    .options = {robot_option_table, play_option_table},
    .size = sizeof initial,
    .initial = &initial,
    .run = run_play};
