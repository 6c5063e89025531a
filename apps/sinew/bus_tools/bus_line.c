#include "bus_tools/bus_line.h"

#include <stdio.h>
#include <string.h>

#include "bus/bus_pass.h"

#define ANSWER_NS 20000000 /* long enough for an adapter that collects bytes for 16 ms */

bool bus_line_open(bus_line *line, const char *path, const sn_servo_family *family, int64_t baud,
                   double timeout_s) {
  sn_error err;
  if (sn__serial_open(path, baud, &line->port, &err) != SN_OK) {
    fprintf(stderr, "sinew bus: %s\n", err.message);
    return false;
  }
  line->family = family;
  line->is_gone = false;
  sn_clock_init_monotonic(&line->clock);
  const int64_t usual_ns = line->port.latency_ms == 1 ? ANSWER_NS / 4 : ANSWER_NS;
  const int64_t answer_ns = timeout_s > 0.0 ? (int64_t)(1e9 * timeout_s) : usual_ns;
  sn__bus_engine_init(
      &line->engine,
      &(sn_bus_engine_config){.protocol = family->protocol, .baud = baud, .answer_ns = answer_ns});
  return true;
}

void bus_line_close(bus_line *line) {
  sn__serial_close(&line->port);
}

/* Wait for the end of the exchange. @return number of answers; -1: the port is gone */
static int finish(bus_line *line, bus_answer *answers, int room) {
  int count = 0;
  int64_t heard_ns = INT64_MIN;
  line->tries = line->damaged = 0;
  for (;;) {
    sn_bus_event event;
    while (sn__bus_engine_step(&line->engine, heard_ns, &event)) {
      if (event.kind == SN_BUS_DONE) {
        return count;
      }
      line->tries = event.tries;
      line->damaged = event.damaged;
      if (event.kind == SN_BUS_ANSWER) {
        if (count < room) {
          bus_answer *answer = &answers[count];
          answer->id = event.status.id;
          answer->error = event.status.error;
          answer->faults = event.status.faults;
          answer->size = event.status.size;
          memcpy(answer->data, event.status.data, event.status.size);
        }
        count++;
      }
    }
    if (!sn__bus_pass(&line->engine, &line->port, &line->clock, INT64_MAX, &heard_ns)) {
      fputs("sinew bus: the port is gone\n", stderr);
      sn__bus_engine_reset(&line->engine);
      line->is_gone = true;
      return -1;
    }
  }
}

static int exchange(bus_line *line, const sn_bus_request *request, bus_answer *answer) {
  if (!sn__bus_engine_begin(&line->engine, request, sn_clock_now_ns(&line->clock), INT64_MAX)) {
    return 0;
  }
  return finish(line, answer, 1);
}

int bus_line_ask(bus_line *line, sn_bus_kind kind, sn_bus_item item, const uint8_t *data,
                 bus_answer *answer) {
  const sn_bus_request request = {.kind = kind, .count = 1, .items = &item, .data = data};
  return exchange(line, &request, answer);
}

bool bus_line_jog(bus_line *line, uint8_t id, const uint8_t *data, uint8_t play_time) {
  const sn_bus_item item = {.id = id, .size = 3};
  const sn_bus_request request = {
      .kind = SN_BUS_JOG, .count = 1, .items = &item, .data = data, .play_time = play_time};
  bus_answer none;
  return exchange(line, &request, &none) >= 0;
}

int bus_line_ping(bus_line *line, uint8_t id, bus_answer *answers, int room, bool *is_garbled) {
  const sn_bus_item item = {id, 0, 0};
  const sn_bus_request request = {.kind = SN_BUS_PING, .count = 1, .items = &item};
  const uint64_t spoilt = line->engine.stats.spoilt;
  if (!sn__bus_engine_listen(&line->engine, &request, sn_clock_now_ns(&line->clock), INT64_MAX)) {
    return 0;
  }
  const int count = finish(line, answers, room);
  *is_garbled = line->engine.stats.spoilt != spoilt;
  return count;
}

bool bus_line_read(bus_line *line, uint8_t id, sn_servo_block block, bus_answer *answer) {
  const sn_bus_item item = {id, block.address, block.size};
  return bus_line_ask(line, SN_BUS_READ, item, NULL, answer) == 1 && answer->size == block.size;
}

bool bus_line_write(bus_line *line, uint8_t id, uint16_t address, const uint8_t *data, size_t size,
                    bus_answer *answer) {
  const sn_bus_item item = {id, address, (uint16_t)size};
  *answer = (bus_answer){.id = id};
  const int count = bus_line_ask(line, SN_BUS_WRITE, item, data, answer);
  return count >= 0 && (count == 1 || !line->family->protocol->acks_writes) &&
         (answer->faults & SN_SERVO_FAULT_REFUSED) == 0;
}
