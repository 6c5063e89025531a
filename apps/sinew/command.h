/** @file
 *  What the subcommands of `sinew` share: exit codes and how main() sees them. */
#ifndef SINEW_COMMAND_H
#define SINEW_COMMAND_H

/** Exit codes, the same for every subcommand. */
enum {
  EXIT_GOOD = 0,
  EXIT_NO = 1,    /**< the answer is no: invalid file, no solution, threshold not reached */
  EXIT_USAGE = 2, /**< wrong usage */
  EXIT_FAULT = 3  /**< something that should not happen: no memory, output failed */
};

/** A subcommand: arguments begin with its own name, as in main(). */
typedef int command_function(int argc, char **argv);

typedef struct command {
  const char *name;
  const char *usage;   /**< arguments, for the help text */
  const char *purpose; /**< one line; NULL: not for people, and not in the help */
  command_function *run;
} command;

#endif
