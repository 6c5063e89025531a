/* `sinew man`: the manual page, from the tables of the commands. The build runs it. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "commands.h"

/* Escape quotes, hyphens and backslashes, and a control character at the start of a line. */
static void put(const char *text) {
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '\\') {
      fputs("\\e", stdout);
    } else if (*c == '"') {
      fputs("\\(dq", stdout);
    } else if (*c == '-') {
      fputs("\\-", stdout);
    } else if ((*c == '.' || *c == '\'') && c == text) {
      printf("\\&%c", *c);
    } else {
      putchar(*c);
    }
  }
}

static void put_usage(const command *c) {
  char piece[128];
  fputs(".nh\n.ad l\n.B sinew ", stdout);
  put(c->name);
  putchar('\n');
  for (const command_argument *a = c->arguments; a != NULL && a->name != NULL; a++) {
    command_argument_text(a, piece, sizeof piece);
    put(piece);
    putchar('\n');
  }
  const command_option *o = NULL;
  for (size_t i = 0; (o = command_option_at(c, i)) != NULL; i++) {
    command_option_text(o, piece, sizeof piece);
    put(piece);
    putchar('\n');
  }
  fputs(".ad b\n.hy\n", stdout);
}

static void put_entry(const char *name, const char *value, const char *help) {
  fputs(".TP\n.B ", stdout);
  put(name);
  if (value != NULL) {
    putchar(' ');
    put(value);
  }
  putchar('\n');
  put(help);
  putchar('\n');
}

static void put_command(const command *c) {
  fputs(".TP\n.B ", stdout);
  put(c->name);
  fputs("\n.RS\n", stdout);
  put_usage(c);
  fputs(".PP\n", stdout);
  put(c->purpose);
  putchar('\n');
  for (const command_argument *a = c->arguments; a != NULL && a->name != NULL; a++) {
    put_entry(a->name, NULL, a->help);
  }
  const command_option *o = NULL;
  for (size_t i = 0; (o = command_option_at(c, i)) != NULL; i++) {
    put_entry(o->name, o->value, o->help);
  }
  fputs(".RE\n", stdout);
}

static const char head[] =
    ".SH NAME\n"
    "sinew \\- motion control for robots with servos\n"
    ".SH SYNOPSIS\n"
    ".B sinew\n"
    ".I COMMAND\n"
    ".RI [ ARGUMENTS ]\n"
    ".br\n"
    ".B sinew\n"
    ".I COMMAND\n"
    ".B \\-\\-help\n"
    ".SH DESCRIPTION\n"
    "Runs robots described by a URDF: controllers that take turns, a gate that rejects unsafe\n"
    "commands, inverse dynamics, real or simulated servos, recordings, and a cockpit in the\n"
    "browser.\n"
    ".B sinew demo\n"
    "shows all of it;\n"
    ".BI \"sinew run \" any.urdf\n"
    "does the same for your robot.\n"
    ".SH COMMANDS\n";

static const char tail[] =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nGood.\n"
    ".TP\n.B 1\nThe answer is no: an invalid file, no solution, a threshold not reached, a "
    "refusal.\n"
    ".TP\n.B 2\nWrong usage.\n"
    ".TP\n.B 3\nA fault: out of memory, no running system, output that cannot be written.\n"
    ".SH ENVIRONMENT\n"
    ".TP\n.B XDG_RUNTIME_DIR\nControl sockets are in its folder\n.IR sinew .\n"
    ".TP\n.B SINEW_SHARE\nFolder of robots and deployments, if not the installed one.\n"
    ".TP\n.BR NOTIFY_SOCKET \", \" WATCHDOG_USEC\nSet by\n.BR systemd (1):\n.B sinew run\n"
    "reports when it is ready, and that its cycles continue.\n"
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

static int run_man(void *arguments) {
  (void)arguments;
  puts(".\\\" Generated from the tables of the commands by 'sinew man'.");
  printf(".TH SINEW 1 \"\" \"sinew %s\" \"Sinew\"\n", SINEW_VERSION);
  fputs(head, stdout);
  for (size_t i = 0; commands[i] != NULL; i++) {
    if (!commands[i]->is_hidden) {
      put_command(commands[i]);
    }
  }
  fputs(tail, stdout);
  return EXIT_GOOD;
}

const command command_man = {
    .name = "man", .purpose = "Print the manual page.", .run = run_man, .is_hidden = true};
