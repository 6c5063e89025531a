#include "bus_line.h"

#include <stdio.h>
#include <string.h>

#define ANSWER_NS 20000000 /* also an adapter that collects bytes for 16 ms is heard */

bool bus_line_open(bus_line *line, const char *path, const sn_servo_family *family, int64_t baud,
                   double timeout_s) {
  sn_error err;
  if (sn_serial_open(path, baud, &line->port, &err) != SN_OK) {
    fprintf(stderr, "sinew bus: %s\n", err.message);
    return false;
  }
  line->family = family;
  line->is_gone = false;
  sn_clock_init_monotonic(&line->clock);
  const int64_t usual_ns = line->port.latency_ms == 1 ? ANSWER_NS / 4 : ANSWER_NS;
  const int64_t answer_ns = timeout_s > 0.0 ? (int64_t)(1e9 * timeout_s) : usual_ns;
  sn_bus_engine_init(
      &line->engine,
      &(sn_bus_engine_config){.protocol = family->protocol, .baud = baud, .answer_ns = answer_ns});
  return true;
}

void bus_line_close(bus_line *line) {
  sn_serial_close(&line->port);
}

static bool pass_bytes(bus_line *line) {
  size_t count = 0;
  const uint8_t *out = sn_bus_engine_output(&line->engine, &count);
  if (count > 0) {
    const long written = sn_serial_write(&line->port, out, count);
    if (written < 0) {
      return false;
    }
    sn_bus_engine_wrote(&line->engine, (size_t)written, sn_clock_now_ns(&line->clock));
  }
  const int64_t wait_ns = sn_bus_engine_wake_ns(&line->engine) - sn_clock_now_ns(&line->clock);
  if (!sn_serial_wait(&line->port, -1, wait_ns)) {
    return false;
  }
  uint8_t bytes[256];
  const long got = sn_serial_read(&line->port, bytes, sizeof bytes);
  if (got > 0) {
    sn_bus_engine_input(&line->engine, bytes, (size_t)got, sn_clock_now_ns(&line->clock));
  }
  return got >= 0;
}

/* Until the exchange has ended. @return answers; -1: the port is gone */
static int finish(bus_line *line, bus_answer *answers, int room) {
  int count = 0;
  line->tries = line->damaged = 0;
  for (;;) {
    sn_bus_event event;
    while (sn_bus_engine_step(&line->engine, sn_clock_now_ns(&line->clock), &event)) {
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
    if (!pass_bytes(line)) {
      fputs("sinew bus: the port is gone\n", stderr);
      sn_bus_engine_reset(&line->engine);
      line->is_gone = true;
      return -1;
    }
  }
}

int bus_line_ask(bus_line *line, sn_bus_kind kind, sn_bus_item item, const uint8_t *data,
                 bus_answer *answer) {
  const sn_bus_request request = {.kind = kind, .count = 1, .items = &item, .data = data};
  sn_serial_flush(&line->port);
  if (!sn_bus_engine_begin(&line->engine, &request, sn_clock_now_ns(&line->clock), INT64_MAX)) {
    return 0;
  }
  return finish(line, answer, 1);
}

int bus_line_ping(bus_line *line, uint8_t id, bus_answer *answers, int room, bool *is_garbled) {
  const sn_bus_item item = {id, 0, 0};
  const sn_bus_request request = {.kind = SN_BUS_PING, .count = 1, .items = &item};
  const uint64_t spoilt = line->engine.stats.spoilt;
  sn_serial_flush(&line->port);
  if (!sn_bus_engine_listen(&line->engine, &request, sn_clock_now_ns(&line->clock), INT64_MAX)) {
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
