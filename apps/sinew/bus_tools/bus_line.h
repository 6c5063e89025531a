/** @file
 *  A bus of servos with one request at a time. */
#ifndef SINEW_APP_BUS_LINE_H
#define SINEW_APP_BUS_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "bus/bus_engine.h"
#include "bus/families/servo_family.h"
#include "bus/serial_port.h"
#include "sinew/clock.h"

typedef struct bus_line {
  const sn_servo_family *family;
  sn_serial_port port;
  sn_bus_engine engine;
  bool is_gone;     /**< the port was unplugged */
  unsigned tries;   /**< of the last exchange */
  unsigned damaged; /**< answers with a wrong checksum in the last exchange */
  sn_clock clock;
} bus_line;

/** The answer of a servo. */
typedef struct bus_answer {
  uint8_t id;
  uint8_t error;
  unsigned faults;
  uint8_t data[SN_BUS_PACKET_MAX];
  size_t size;
} bus_answer;

/** Open the port; prints errors.
 *  @param timeout_s  silence after which an answer counts as missing; 0: as the adapter needs
 *  @return false if it cannot be opened */
bool bus_line_open(bus_line *line, const char *path, const sn_servo_family *family, int64_t baud,
                   double timeout_s);
void bus_line_close(bus_line *line);

/** Send a request to one servo, at most three times. @return answers: 0 or 1; -1: the port is gone
 */
int bus_line_ask(bus_line *line, sn_bus_kind kind, sn_bus_item item, const uint8_t *data,
                 bus_answer *answer);

/** Ping, and listen until the line is silent.
 *  @param answers  the first @p room of them
 *  @return number of answers, which may exceed @p room; -1: the port is gone */
int bus_line_ping(bus_line *line, uint8_t id, bus_answer *answers, int room, bool *is_garbled);

/** Read registers. @return whether all were read */
bool bus_line_read(bus_line *line, uint8_t id, sn_servo_block block, bus_answer *answer);
/** Write registers. @return for a family that acknowledges writes, whether it was accepted */
bool bus_line_write(bus_line *line, uint8_t id, uint16_t address, const uint8_t *data, size_t size,
                    bus_answer *answer);
/** Send a goal to a HerkuleX, which takes jogs and does not answer them.
 *  @param data       3 bytes, as the family writes a goal
 *  @param play_time  until it is there, in ticks of 11.2 ms
 *  @return false: the port is gone */
bool bus_line_jog(bus_line *line, uint8_t id, const uint8_t *data, uint8_t play_time);

#endif
