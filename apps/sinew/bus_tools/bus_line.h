/** @file
 *  A bus of servos, asked one thing at a time. */
#ifndef SINEW_APP_BUS_LINE_H
#define SINEW_APP_BUS_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/bus_engine.h"
#include "sinew/clock.h"
#include "sinew/serial_port.h"
#include "sinew/servo_family.h"

typedef struct bus_line {
  const sn_servo_family *family;
  sn_serial_port port;
  sn_bus_engine engine;
  bool is_gone;     /**< the port is: nothing more will come */
  unsigned tries;   /**< of the last exchange */
  unsigned damaged; /**< answers with a wrong checksum in it */
  sn_clock clock;
} bus_line;

/** What a servo answered. */
typedef struct bus_answer {
  uint8_t id;
  uint8_t error;
  unsigned faults;
  uint8_t data[SN_BUS_PACKET_MAX];
  size_t size;
} bus_answer;

/** Open the port; complains on standard error.
 *  @param timeout_s  silence after which an answer is missing; 0: as the adapter needs
 *  @return false if it cannot be opened */
bool bus_line_open(bus_line *line, const char *path, const sn_servo_family *family, int64_t baud,
                   double timeout_s);
void bus_line_close(bus_line *line);

/** Ask one servo; three tries. @return how many answered: 0 or 1; -1: the port is gone */
int bus_line_ask(bus_line *line, sn_bus_kind kind, sn_bus_item item, const uint8_t *data,
                 bus_answer *answer);

/** Ping, and listen until the line is silent.
 *  @param answers  room for @p room of them
 *  @return how many came, also beyond the room; -1: the port is gone */
int bus_line_ping(bus_line *line, uint8_t id, bus_answer *answers, int room, bool *is_garbled);

/** A read of registers. @return whether all of them came */
bool bus_line_read(bus_line *line, uint8_t id, sn_servo_block block, bus_answer *answer);
/** A write. Of a family that answers: was it answered without a refusal? */
bool bus_line_write(bus_line *line, uint8_t id, uint16_t address, const uint8_t *data, size_t size,
                    bus_answer *answer);

#endif
