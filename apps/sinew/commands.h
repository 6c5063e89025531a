/** @file
 *  The subcommands, one file each. */
#ifndef SINEW_COMMANDS_H
#define SINEW_COMMANDS_H

int command_bench(int argc, char **argv);
int command_check(int argc, char **argv);
int command_export(int argc, char **argv);
int command_fk(int argc, char **argv);
int command_id(int argc, char **argv);
int command_ik(int argc, char **argv);
int command_info(int argc, char **argv);

/** Say how the command is used, and which argument was not understood (NULL: one is missing).
 *  @return EXIT_USAGE */
int command_misused(const char *name, const char *argument);

#endif
