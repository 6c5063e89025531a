/** @file
 *  The subcommands, one file each. */
#ifndef SINEW_COMMANDS_H
#define SINEW_COMMANDS_H

#include "command.h"

int command_bench(int argc, char **argv);
int command_bus(int argc, char **argv);
int command_call(int argc, char **argv);
int command_check(int argc, char **argv);
int command_complete(int argc, char **argv);
int command_demo(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_echo(int argc, char **argv);
int command_export(int argc, char **argv);
int command_fk(int argc, char **argv);
int command_get(int argc, char **argv);
int command_id(int argc, char **argv);
int command_ident(int argc, char **argv);
int command_ik(int argc, char **argv);
int command_log(int argc, char **argv);
int command_ls(int argc, char **argv);
int command_man(int argc, char **argv);
int command_msgs(int argc, char **argv);
int command_pub(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_run(int argc, char **argv);
int command_schema(int argc, char **argv);
int command_set(int argc, char **argv);
int command_stop(int argc, char **argv);
int command_top(int argc, char **argv);
int command_types(int argc, char **argv);

/** All of them; ends with an entry without a name. */
const command *command_list(void);
int command_info(int argc, char **argv);

/** Say how the command is used, and which argument was not understood (NULL: one is missing).
 *  @return EXIT_USAGE */
int command_misused(const char *name, const char *argument);

#endif
