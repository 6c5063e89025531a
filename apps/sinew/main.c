#include <stdio.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "live/control_client.h"

#define RUN_OPTIONS                                                                          \
  "[--properties FILE | --no-properties] [--package-path DIR]...\n            [--headless] " \
  "[--port N] [--ros1] [--ros2] [--clock real|sim|xFACTOR] [--duration S]\n"                 \
  "            [--set COMPONENT.PROPERTY=VALUE]... [--record FILE.mcap] [--hash]\n"          \
  "            [--name NAME] [--socket PATH] [--quiet|--verbose] [--print-deployment]"

static const command command_table[] = {
    {"check",
     "FILE [--properties FILE | --no-properties] [--package-path DIR]...\n"
     "           [--set COMPONENT.PROPERTY=VALUE]... [--plugins] [--json]",
     "Check a robot (.urdf), a file that names one, or a deployment (.yaml); all problems in one "
     "run.",
     command_check},
    {"run", "FILE " RUN_OPTIONS,
     "Run a robot (.urdf) or a deployment (.yaml) until it is interrupted, or for some seconds of "
     "its clock.",
     command_run},
    {"demo", "[ROBOT] " RUN_OPTIONS,
     "Run a robot that sways gently until somebody takes over; without a robot, the quadruped.",
     command_demo},
    {"doctor", "[--port N] [--json]",
     "Is this machine ready for control in real time? What is not prints how to mend it.",
     command_doctor},
    {"fk", "URDF BASE TIP",
     "Forward kinematics: joint vectors on standard input, one a line, to x y z qx qy qz qw.",
     command_fk},
    {"ik",
     "URDF BASE TIP [--solver NAME] [--timeout S] [--all] [--seed \"Q ...\"]\n"
     "           [--free x,y,z,rx,ry,rz] [--jobs N] [--plugin FILE]",
     "Inverse kinematics: poses on standard input, as fk prints them, to 'OK <us> Q ...' or a "
     "code.",
     command_ik},
    {"id", "URDF BASE TIP",
     "Inverse dynamics: positions, velocities and accelerations on standard input, to torques.",
     command_id},
    {"ident",
     "LOG --models FILE [--json] [--report FILE.html] [--fit-stribeck]\n"
     "           [--identify-inertia] [--delay N] [--voltage V] [--threshold RAD]\n"
     "           [--min-velocity RAD/S] [--suggest [--urdf FILE]] [--save]\n"
     "           [--measured TOPIC] [--goals TOPIC] [--efforts TOPIC] [--battery TOPIC]",
     "Identify servos from a log (.csv, .mcap); --save puts what is good into the models' file.",
     command_ident},
    {"bench",
     "[ik|otg|plant|ports|operations|cycle|arbiter ...] [--urdf FILE [--base LINK --tip LINK]]\n"
     "           [--json]",
     "How long things take here: success, median, 99th percentile and maximum of each case.",
     command_bench},
    {"bus",
     "scan|ping ID...|read ID [REGISTER]|write ID REGISTER VALUE|set-id OLD NEW|monitor [ID...]|\n"
     "           calibrate DEPLOYMENT|simulate  [--port PATH] [--family NAME] [--baud N] [--size "
     "BYTES]\n"
     "           [--timeout S] [--component NAME] [--once] [--interval S] [--dry-run] [--json]\n"
     "           [--ids LIST] [--model N] [--corrupt P] [--lose P] [--sag V] [--echo]",
     "Servos on a serial port: who is there, what their registers say, what they are set to; or "
     "simulated ones.",
     command_bus},
    {"info", "FILE.mcap [--json]", "What a recording holds: topics, types, how many messages.",
     command_info},
    {"export", "FILE.mcap --csv [--topic TOPIC] [-o FILE]",
     "A recording as tables, one section for each topic; joint states have a row for each "
     "joint.",
     command_export},
    {"replay",
     "FILE.mcap [--deployment FILE] [--set COMPONENT.PROPERTY=VALUE]... [--plugins] [--json]",
     "Repeat a recorded run with all that came from outside, and compare what was sent bit for "
     "bit.",
     command_replay},
    {"msgs", "FOLDER",
     "Write the package sinew_msgs of ROS, 1 and 2: definitions of our messages and services.",
     command_msgs},
    {"ls", "[COMPONENT[.PORT]] " CONTROL_USAGE,
     "Of a running system: its components, or all about one of them.", command_ls},
    {"get", "COMPONENT[.PROPERTY] " CONTROL_USAGE, "Of a running system: values of properties.",
     command_get},
    {"set", "COMPONENT.PROPERTY VALUE " CONTROL_USAGE,
     "Change a property of a running system; VALUE is written as in a deployment, or as JSON.",
     command_set},
    {"call", "COMPONENT.OPERATION [JSON | FIELD=VALUE ...] " CONTROL_USAGE,
     "Call an operation; every component has configure, start, stop, cleanup and recover.",
     command_call},
    {"stop", "[WHY] " CONTROL_USAGE, "Emergency stop of a running system; says how to go on.",
     command_stop},
    {"echo", "COMPONENT.PORT [--count N] [--rate HZ] " CONTROL_USAGE,
     "Print what an output writes, the latest at most RATE times a second.", command_echo},
    {"pub", "COMPONENT.PORT [JSON | FIELD=VALUE ...] [--rate HZ] [--count N] " CONTROL_USAGE,
     "Write a message to an input, once or RATE times a second.", command_pub},
    {"top", "[--once] [--interval S] [--histograms] " CONTROL_USAGE,
     "How a running system keeps its time, activity by activity.", command_top},
    {"log", "[--follow] [--lines N] " CONTROL_USAGE, "The last lines of a running system's log.",
     command_log},
    {"complete", "[WORD ...]", NULL, command_complete},
    {"man", "", NULL, command_man},
    {NULL, NULL, NULL, NULL},
};

const command *command_list(void) {
  return command_table;
}

static void print_command(FILE *out, const command *c) {
  if (c->purpose != NULL) {
    fprintf(out, "  sinew %s %s\n      %s\n", c->name, c->usage, c->purpose);
  }
}

static void print_help(FILE *out) {
  fputs("usage: sinew COMMAND [ARGUMENTS]\n\n", out);
  for (const command *c = command_table; c->name != NULL; c++) {
    print_command(out, c);
  }
}

static const command *find_command(const char *name) {
  for (const command *c = command_table; c->name != NULL; c++) {
    if (strcmp(name, c->name) == 0) {
      return c;
    }
  }
  return NULL;
}

int command_misused(const char *name, const char *argument) {
  if (argument == NULL) {
    fprintf(stderr, "sinew %s: an argument is missing\n", name);
  } else {
    fprintf(stderr, "sinew %s: '%s' is not understood\n", name, argument);
  }
  const command *c = find_command(name);
  fprintf(stderr, "usage: sinew %s %s\n", c->name, c->usage);
  return EXIT_USAGE;
}

/* Output that could not be written (a full disk, a closed pipe) and input that could not be read
   must not pass for success. */
static int finish(int code) {
  if (ferror(stdin)) {
    fputs("sinew: cannot read the input\n", stderr);
    return EXIT_FAULT;
  }
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fputs("sinew: cannot write the output\n", stderr);
    return EXIT_FAULT;
  }
  return code;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return EXIT_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return finish(EXIT_GOOD);
  }
  if (strcmp(argv[1], "--version") == 0) {
    puts("sinew " SINEW_VERSION);
    return finish(EXIT_GOOD);
  }
  const command *c = find_command(argv[1]);
  if (c == NULL) {
    fprintf(stderr, "sinew: there is no command '%s'; 'sinew --help' lists them\n", argv[1]);
    return EXIT_USAGE;
  }
  if (argc == 3 && strcmp(argv[2], "--help") == 0) {
    print_command(stdout, c);
    return finish(EXIT_GOOD);
  }
  return finish(c->run(argc - 1, argv + 1));
}
