/** @file
 *  `sinew bus`: what its verbs share. */
#ifndef SINEW_APP_BUS_H
#define SINEW_APP_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "bus_tools/bus_line.h"

#define BUS_WORDS_MAX 40

typedef struct bus_options {
  const char *verb;
  const char *words[BUS_WORDS_MAX]; /**< what is no option */
  int count;
  const char *port;
  const sn_servo_family *family; /**< NULL: not said */
  int64_t baud;                  /**< 0: not said */
  int64_t size;                  /**< bytes of a register; 0: not said */
  double interval_s;
  double timeout_s;      /**< 0: not said */
  const char *component; /**< of a deployment */
  bool json, dry_run, once;
  const char *ids;           /**< of simulated servos; NULL: not said */
  int64_t model;             /**< of simulated servos; -1: not said */
  double corrupt, lose, sag; /**< troubles of the simulated bus */
  bool echoes;
} bus_options;

/** The verbs. @return an exit code */
int bus_scan(const bus_options *options);
int bus_ping(const bus_options *options);
int bus_read(const bus_options *options);
int bus_write(const bus_options *options);
int bus_set_id(const bus_options *options);
int bus_monitor(const bus_options *options);
int bus_calibrate(const bus_options *options);
int bus_simulate(const bus_options *options);

/** Opens what the options say; complains if they say too little. */
bool bus_open(const bus_options *options, bus_line *line);

/** A number of a word, 0 .. max, decimal or 0x…; complains otherwise. */
bool bus_number(const char *word, const char *what, long max, long *out);

/** A register: a number, or `eep:` and one for HerkuleX's permanent ones. */
bool bus_register(const char *word, uint16_t *out);

/** `voltage, overload`, or `-`. */
void bus_fault_text(unsigned faults, char *out, size_t size);

#endif
