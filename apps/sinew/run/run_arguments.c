#include <stdio.h>
#include <string.h>

#include "common/app_system.h"
#include "common/numbers.h"
#include "run/run.h"

enum { ROBOTS_MAX = 1000 };

static const char *clock_at(size_t index) {
  static const char *const names[] = {"real", "sim", NULL};
  return index < 2 ? names[index] : NULL;
}

static bool parse_clock(void *member, const char *text) {
  run_arguments *a = member;
  if (strcmp(text, "real") == 0 || strcmp(text, "sim") == 0) {
    a->clock = *text == 'r' ? SN_CLOCK_MONOTONIC : SN_CLOCK_SIMULATED;
    return true;
  }
  a->clock = SN_CLOCK_ACCELERATED;
  const char *end = number_at(text + (*text == 'x'), &a->factor);
  return end != NULL && *end == '\0' && a->factor >= 1e-3 && a->factor <= 1e6;
}

#define AT(member) offsetof(run_arguments, member)
const command_option run_option_table[] = {
    {"--headless", NULL, OPTION_FLAG, AT(is_headless), .help = "Run without the cockpit"},
    {"--port", "N", OPTION_INTEGER, AT(port), .help = "Port of the cockpit; 0 takes a free one",
     .max = 65535, .excludes = "--headless"},
    {"--fixed-base", NULL, OPTION_FLAG, AT(is_hanging),
     .help = "Hang a robot with legs in the air instead of placing it on the ground"},
    {"--ros1", NULL, OPTION_FLAG, AT(has_ros1), .help = "Join a ROS 1 graph as a node"},
    {"--ros2", NULL, OPTION_FLAG, AT(has_ros2), .help = "Join a ROS 2 graph as a node"},
    {"--clock", "real|sim|xFACTOR", OPTION_PARSED, 0,
     .help = "Real time, simulated time as fast as possible, or FACTOR times real time",
     .choices = clock_at, .parse = parse_clock,
     .expected = "real, sim, or xFACTOR with a factor from 0.001 to 1000000"},
    {"--duration", "S", OPTION_NUMBER, AT(duration_s), .help = "End after this time of the clock",
     .max = 1e9}, /* nanoseconds of it are exact in a double */
    {"--set", "COMPONENT.PROPERTY=VALUE", OPTION_LIST, AT(settings),
     .help = "Set a property of the deployment; may be repeated"},
    {"--record", "FILE.mcap", OPTION_TEXT, AT(record),
     .help = "Record the run, with the settings of the component 'recorder'", .word = WORD_FILE},
    {"--record-outputs", "PATTERN", OPTION_LIST, AT(record_outputs),
     .help = "Record these outputs only, completely: component.port, plant.* or !move_base.plan; "
             "may be repeated, and the last that fits decides; '*' is everything"},
    {"--record-rate", "HZ", OPTION_NUMBER, AT(record_rate),
     .help = "Record at most so many messages a second of each output", .min = 1e-3, .max = 1e6},
    {"--hash", NULL, OPTION_FLAG, AT(wants_hash),
     .help = "Print a hash of all messages at the end"},
    {"--name", "NAME", OPTION_TEXT, AT(name),
     .help = "Name of the system, for 'sinew ls' and others"},
    {"--socket", "PATH", OPTION_TEXT, AT(socket), .help = "Path of the control socket",
     .word = WORD_FILE},
    {"--quiet", NULL, OPTION_FLAG, AT(is_quiet), .help = "Log warnings and errors only"},
    {"--verbose", NULL, OPTION_UNFLAG, AT(is_quiet), .help = "Log everything"},
    {"--print-deployment", NULL, OPTION_FLAG, AT(wants_text),
     .help = "Print the deployment with all it includes, and do not run it"},
    {0}};

/* What there is only one of. */
static bool check_many(const run_arguments *a, const command *c) {
  const char *single = a->socket != NULL ? "--socket"
                       : a->has_ros1     ? "--ros1"
                       : a->has_ros2     ? "--ros2"
                       : a->wants_text   ? "--print-deployment"
                                         : NULL;
  const int64_t count = (int64_t)a->paths.count * a->copies;
  if (single != NULL) {
    (void)command_misused(c, "option '%s' is for one robot, not %d", single, (int)count);
  } else if (count > ROBOTS_MAX) {
    (void)command_misused(c, "%d robots, at most %d can run in one process", (int)count,
                          ROBOTS_MAX);
  } else if (a->port > 0 && a->port + count > 65536) {
    (void)command_misused(c, "port %d is too high for %d cockpits", (int)a->port, (int)count);
  } else {
    return true;
  }
  return false;
}

bool run_arguments_complete(run_arguments *a, const command *c) {
  if (a->clock == SN_CLOCK_SIMULATED && a->duration_s < 0.0 && !a->wants_text) {
    (void)command_misused(c, "option '--clock sim' needs '--duration': nothing else ends the run");
    return false;
  }
  if (a->record == NULL && (a->record_outputs.count > 0 || a->record_rate > 0.0)) {
    (void)command_misused(c, "option '--record-%s' needs '--record'",
                          a->record_rate > 0.0 ? "rate" : "outputs");
    return false;
  }
  if (a->paths.count > 1 || a->copies > 1) {
    return check_many(a, c);
  }
  return true;
}

text_list run_find_properties(const run_arguments *a, const char *path, bool says_so, char *room,
                              size_t size) {
  const char *urdf = a->robot == NULL ? path : a->robot;
  const text_list *given = &a->robot_options.properties;
  room[0] = '\0';
  if (given->count == 1) {
    snprintf(room, size, "%s", given->items[0]);
  }
  if (given->count > 0 || a->robot_options.without_properties ||
      !robot_find_properties(urdf, room, size)) {
    return *given;
  }
  if (says_so) {
    fprintf(stderr,
            "sinew %s: with the robot's properties in %s (--no-properties leaves them out)\n",
            a->command, room);
  }
  return (text_list){.items = {room}, .count = 1};
}
