#include "commands.h"

#include <string.h>

const command *const commands[] = {
    &command_check,        &command_run,         &command_demo,
    &command_play,         &command_plan_walk,   &command_doctor,
    &command_xacro,        &command_fk,          &command_distance,
    &command_ik,           &command_id,          &command_move,
    &command_ident_bench, /* before the one that it begins like */
    &command_ident,        &command_bench,       &command_bus_scan,
    &command_bus_ping,     &command_bus_read,    &command_bus_write,
    &command_bus_set_id,   &command_bus_monitor, &command_bus_calibrate,
    &command_bus_simulate, &command_info,        &command_export,
    &command_replay,       &command_view,        &command_msgs,
    &command_types,        &command_schema,      &command_new_controller,
    &command_ls,           &command_get,         &command_set,
    &command_call,         &command_stop,        &command_fail,
    &command_storm,        &command_echo,        &command_pub,
    &command_top,          &command_log,         &command_help,
    &command_complete,     &command_man,         NULL,
};

const command *command_find(int argc, const char *const *argv, int *used) {
  for (size_t i = 0; commands[i] != NULL; i++) {
    const char *name = commands[i]->name;
    const char *second = strchr(name, ' ');
    const size_t length = second == NULL ? strlen(name) : (size_t)(second - name);
    const int words = second == NULL ? 1 : 2;
    if (argc >= words && strlen(argv[0]) == length && strncmp(argv[0], name, length) == 0 &&
        (second == NULL || strcmp(argv[1], second + 1) == 0)) {
      *used = words;
      return commands[i];
    }
  }
  return NULL;
}
