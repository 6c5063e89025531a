/** @file
 *  The tables of the subcommands; each is in the file that runs it. */
#ifndef SINEW_COMMANDS_H
#define SINEW_COMMANDS_H

#include "command.h"

extern const command command_bench;
extern const command command_bus_calibrate;
extern const command command_bus_monitor;
extern const command command_bus_ping;
extern const command command_bus_read;
extern const command command_bus_scan;
extern const command command_bus_set_id;
extern const command command_bus_simulate;
extern const command command_bus_write;
extern const command command_call;
extern const command command_check;
extern const command command_complete;
extern const command command_demo;
extern const command command_distance;
extern const command command_doctor;
extern const command command_echo;
extern const command command_export;
extern const command command_fail;
extern const command command_fk;
extern const command command_xacro;
extern const command command_get;
extern const command command_help;
extern const command command_id;
extern const command command_ident;
extern const command command_ident_bench;
extern const command command_ik;
extern const command command_info;
extern const command command_log;
extern const command command_ls;
extern const command command_man;
extern const command command_msgs;
extern const command command_move;
extern const command command_new_controller;
extern const command command_plan_walk;
extern const command command_play;
extern const command command_pub;
extern const command command_replay;
extern const command command_view;
extern const command command_run;
extern const command command_schema;
extern const command command_storm;
extern const command command_set;
extern const command command_stop;
extern const command command_top;
extern const command command_types;

#endif
