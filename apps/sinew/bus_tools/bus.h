/** @file
 *  What the commands `sinew bus …` share. */
#ifndef SINEW_APP_BUS_H
#define SINEW_APP_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "bus_tools/bus_line.h"
#include "command.h"

typedef struct bus_options {
  text_list servos; /**< ids */
  const char *id, *new_id, *address, *value, *deployment;
  const char *port;
  const sn_servo_family *family; /**< NULL: not given */
  int64_t baud;                  /**< 0: not given */
  int64_t size;                  /**< bytes of a register */
  double interval_s;
  double timeout_s;      /**< 0: not given */
  const char *component; /**< of a deployment */
  bool json, dry_run, once;
  const char *ids;           /**< of simulated servos */
  int64_t model;             /**< of simulated servos; -1: not given */
  double corrupt, lose, sag; /**< faults of the simulated bus */
  bool echoes;
  const char *servo, *load; /**< of the library, and what simulated servos move; NULL: not given */
  double supply;            /**< V of simulated servos; 0: not given */
} bus_options;

/** What is not given on the command line. */
extern const bus_options bus_initial;

/** --port, --family, --baud, --timeout and --json, of all commands. */
extern const command_option bus_option_table[];
/** --dry-run, of those that write. */
extern const command_option bus_write_option_table[];
/** --size, of those that name a register. */
extern const command_option bus_size_option_table[];

/** Open the port that the options name. Prints what is missing. */
bool bus_open(const bus_options *options, bus_line *line);

/** Read a number, 0 .. max, decimal or 0x…. Prints what is wrong with it. */
bool bus_number(const char *word, const char *what, long max, long *out);

/** A register: a number, or `eep:` and one for HerkuleX's permanent ones. */
bool bus_register(const char *word, uint16_t *out);

/** `voltage, overload`, or `-`. */
void bus_fault_text(unsigned faults, char *out, size_t size);

#endif
