/* `sinew man`: the manual page, of the same table as the help. It is made when the program is
 * built. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "commands.h"

/* Text of ours in a manual page: hyphens and backslashes keep what they are, and no line begins
   with a point. */
static void put(const char *text) {
  for (const char *c = text; *c != '\0'; c++) {
    const bool is_first = c == text || c[-1] == '\n';
    if (*c == '\\') {
      fputs("\\e", stdout);
    } else if (*c == '-') {
      fputs("\\-", stdout);
    } else if ((*c == '.' || *c == '\'') && is_first) {
      printf("\\&%c", *c);
    } else if (*c == '\n') {
      putchar(' ');
      c += strspn(c + 1, " "); /* usage that is continued */
    } else {
      putchar(*c);
    }
  }
}

static void put_command(const command *c) {
  fputs(".TP\n.B ", stdout);
  put(c->name);
  fputs("\n.RS\n.nh\n.ad l\n.B sinew ", stdout);
  put(c->name);
  fputs("\n", stdout);
  put(c->usage);
  fputs("\n.ad b\n.hy\n.PP\n", stdout);
  put(c->purpose);
  fputs("\n.RE\n", stdout);
}

static const char head[] =
    ".SH NAME\n"
    "sinew \\- motion control between what a robot should do and its servos\n"
    ".SH SYNOPSIS\n"
    ".B sinew\n"
    ".I COMMAND\n"
    ".RI [ ARGUMENTS ]\n"
    ".br\n"
    ".B sinew\n"
    ".I COMMAND\n"
    ".B \\-\\-help\n"
    ".SH DESCRIPTION\n"
    "Runs robots that are described by a URDF: controllers that take turns, a gate that lets "
    "nothing\n"
    "unsafe through, inverse dynamics, servos real or simulated, recordings, and a cockpit in the\n"
    "browser.\n"
    ".B sinew demo\n"
    "shows all of it;\n"
    ".BI \"sinew run \" any.urdf\n"
    "does the same for a robot of yours.\n"
    ".SH COMMANDS\n";

static const char tail[] =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nGood.\n"
    ".TP\n.B 1\nThe answer is no: an invalid file, no solution, a threshold not reached, refused.\n"
    ".TP\n.B 2\nWrong usage.\n"
    ".TP\n.B 3\nA fault: no memory, no system to talk to, output that could not be written.\n"
    ".SH ENVIRONMENT\n"
    ".TP\n.B XDG_RUNTIME_DIR\nWhere control sockets are, in the folder\n.IR sinew .\n"
    ".TP\n.B SINEW_SHARE\nWhere robots and deployments are, if they lie elsewhere than installed.\n"
    ".TP\n.BR NOTIFY_SOCKET \", \" WATCHDOG_USEC\nSet by\n.BR systemd (1):\n.B sinew run\n"
    "tells it when it is ready, and that its cycles go on.\n"
    ".SH FILES\n"
    ".TP\n.I /usr/share/sinew/deployments/standard.yaml\nWhat\n.BI \"sinew run \" any.urdf\nruns.\n"
    ".TP\n.I /etc/sinew/NAME.yaml\nThe deployment of the service\n.BI sinew@ NAME .service .\n"
    ".SH EXAMPLES\n"
    ".TP\n.B sinew run arm.urdf\nA simulated robot, with the cockpit in the browser.\n"
    ".TP\n.B sinew run walk.yaml \\-\\-headless \\-\\-record walk.mcap\nRecord a run,\n"
    ".TP\n.B sinew replay walk.mcap\nand repeat it, bit for bit.\n"
    ".TP\n.B sinew stop\nEmergency stop.\n"
    ".SH SEE ALSO\n"
    "The documents in\n.IR /usr/share/doc/sinew .\n";

int command_man(int argc, char **argv) {
  if (argc > 1) {
    return command_misused(argv[0], argv[1]);
  }
  puts(".\\\" Made of the table of commands by 'sinew man'.");
  printf(".TH SINEW 1 \"\" \"sinew %s\" \"Sinew\"\n", SINEW_VERSION);
  fputs(head, stdout);
  for (const command *c = command_list(); c->name != NULL; c++) {
    if (c->purpose != NULL) {
      put_command(c);
    }
  }
  fputs(tail, stdout);
  return EXIT_GOOD;
}
