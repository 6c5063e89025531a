/* `sinew bus ping|read|write|set-id`: one servo and its registers. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "bus_tools/bus.h"
#include "command.h"
#include "common/json_line.h"
#include "live/control_print.h"

static bool id_of(const bus_options *o, const char *word, uint8_t *out) {
  long id = 0;
  const long max = o->family == NULL ? 253 : o->family->protocol->id_max;
  const bool good = bus_number(word, "id", max, &id);
  *out = (uint8_t)id;
  return good;
}

static int say_missing(uint8_t id) {
  fprintf(stderr, "sinew bus: servo %d does not answer\n", id);
  return EXIT_NO;
}

int bus_ping(const bus_options *o) {
  bus_line line;
  if (!bus_open(o, &line)) {
    return EXIT_NO;
  }
  int code = EXIT_GOOD;
  json_t *list = json_array();
  for (int i = 0; i < o->count; i++) {
    uint8_t id = 0;
    if (!id_of(o, o->words[i], &id)) {
      code = EXIT_USAGE;
      break;
    }
    bus_answer answers[4];
    bool is_garbled = false;
    const int count = bus_line_ping(&line, id, answers, 4, &is_garbled);
    char faults[160];
    bus_fault_text(count > 0 ? answers[0].faults : 0, faults, sizeof faults);
    code = count == 1 ? code : EXIT_NO;
    json_array_append_new(list, json_pack("{s:i, s:i, s:s}", "id", id, "answers", count, "faults",
                                          count > 0 ? faults : ""));
    if (!o->json) {
      printf("%d: %s%s%s\n", id,
             count == 1  ? "answers"
             : count > 1 ? "more than one servo answers"
                         : "no answer",
             count > 0 && faults[0] != '-' ? ", " : "",
             count > 0 && faults[0] != '-' ? faults : "");
    }
  }
  bus_line_close(&line);
  if (o->json && code != EXIT_USAGE) {
    return json_line_print(list) == EXIT_GOOD ? code : EXIT_FAULT;
  }
  json_decref(list);
  return code;
}

/* All that a servo says about itself. */
static int read_state(const bus_options *o, bus_line *line, uint8_t id) {
  const sn_servo_family *family = line->family;
  bus_answer answer;
  if (!bus_line_read(line, id, family->state, &answer)) {
    return say_missing(id);
  }
  sn_servo_reading reading;
  family->read_state(answer.data, &reading);
  unsigned faults = answer.faults;
  if (family->supply.size > 0 && bus_line_read(line, id, family->supply, &answer)) {
    family->read_supply(answer.data, &reading);
  }
  if (family->fault.size > 0 && bus_line_read(line, id, family->fault, &answer)) {
    faults |= sn_servo_hardware_faults(answer.data[0]);
  }
  const bool has_torque =
      bus_line_read(line, id, (sn_servo_block){family->torque_address, 1}, &answer) &&
      answer.data[0] == family->torque_on;
  const bool has_model = bus_line_read(line, id, family->model, &answer);
  const uint32_t model = has_model ? sn_servo_get(family, answer.data, 2) : 0;
  char text[160];
  bus_fault_text(faults, text, sizeof text);
  const double angle = (reading.counts - family->counts_centre) / family->counts_per_rad;
  json_t *json = json_pack("{s:i, s:I, s:i, s:f, s:f, s:f, s:b, s:s}", "id", id, "model",
                           (json_int_t)model, "position", (int)reading.counts, "angle_rad", angle,
                           "velocity_rad_s", reading.velocity / family->counts_per_rad, "load",
                           reading.load, "torque", has_torque, "faults", text);
  if (reading.has_supply) {
    json_object_set_new(json, "voltage", json_real(reading.voltage));
  }
  if (reading.has_temperature) {
    json_object_set_new(json, "temperature", json_real(reading.temperature));
  }
  if (o->json) {
    return json_line_print(json);
  }
  control_print_lines(stdout, json, 0);
  json_decref(json);
  return EXIT_GOOD;
}

static int read_register(const bus_options *o, bus_line *line, uint8_t id, uint16_t address) {
  bus_answer answer;
  const uint16_t size = (uint16_t)(o->size == 0 ? 1 : o->size);
  if (!bus_line_read(line, id, (sn_servo_block){address, size}, &answer)) {
    if ((answer.faults & SN_SERVO_FAULT_REFUSED) != 0 && answer.size == 0) {
      fprintf(stderr, "sinew bus: servo %d refuses: error %d\n", id, answer.error);
      return EXIT_NO;
    }
    return say_missing(id);
  }
  const uint32_t value = sn_servo_get(line->family, answer.data, size);
  if (o->json) {
    return json_line_print(json_pack("{s:i, s:i, s:i, s:I}", "id", id, "register", address, "size",
                                     size, "value", (json_int_t)value));
  }
  printf("%u (0x%X)\n", value, value);
  return EXIT_GOOD;
}

int bus_read(const bus_options *o) {
  uint8_t id = 0;
  uint16_t address = 0;
  bus_line line;
  if (!id_of(o, o->words[0], &id) || (o->count > 1 && !bus_register(o->words[1], &address))) {
    return EXIT_USAGE;
  }
  if (!bus_open(o, &line)) {
    return EXIT_NO;
  }
  const int code = o->count > 1 ? read_register(o, &line, id, address) : read_state(o, &line, id);
  bus_line_close(&line);
  return code;
}

static int say_written(const bus_options *o, uint8_t id, uint16_t address, uint32_t before,
                       uint32_t after) {
  if (o->json) {
    return json_line_print(json_pack("{s:i, s:i, s:I, s:I, s:b}", "id", id, "register", address,
                                     "before", (json_int_t)before, "after", (json_int_t)after,
                                     "dry_run", o->dry_run));
  }
  printf("servo %d, register %d: %u -> %u%s\n", id, address, before, after,
         o->dry_run ? " (dry run: nothing was written)" : "");
  return EXIT_GOOD;
}

static int write_register(const bus_options *o, bus_line *line, uint8_t id, uint16_t address,
                          uint32_t value) {
  bus_answer answer = {.faults = 0};
  uint8_t data[4];
  const size_t size = o->size == 0 ? 1 : (size_t)o->size;
  const sn_servo_block block = {address, (uint16_t)size};
  if (!bus_line_read(line, id, block, &answer)) {
    return say_missing(id);
  }
  const uint32_t before = sn_servo_get(line->family, answer.data, size);
  if (o->dry_run) {
    return say_written(o, id, address, before, value);
  }
  sn_servo_put(line->family, value, data, size);
  if (!bus_line_write(line, id, address, data, size, &answer)) {
    fprintf(stderr, "sinew bus: servo %d did not take it: error %d\n", id, answer.error);
    return EXIT_NO;
  }
  if (address == line->family->baud_address) { /* it speaks at another rate now, or will */
    return say_written(o, id, address, before, value);
  }
  if (!bus_line_read(line, id, block, &answer)) {
    return say_missing(id);
  }
  const uint32_t after = sn_servo_get(line->family, answer.data, size);
  const int code = say_written(o, id, address, before, after);
  if (code == EXIT_GOOD && after != value) {
    fprintf(stderr, "sinew bus: register %d is %u now, not %u: locked, limited or read-only?\n",
            address, after, value);
    return EXIT_NO;
  }
  return code;
}

int bus_write(const bus_options *o) {
  uint8_t id = 0;
  uint16_t address = 0;
  long value = 0;
  const long max = o->size == 0 || o->size == 1 ? 255 : o->size == 2 ? 65535 : 0x7FFFFFFF;
  bus_line line;
  if (!id_of(o, o->words[0], &id) || !bus_register(o->words[1], &address) ||
      !bus_number(o->words[2], "value of that size", max, &value)) {
    return EXIT_USAGE;
  }
  if (!bus_open(o, &line)) {
    return EXIT_NO;
  }
  const int code = write_register(o, &line, id, address, (uint32_t)value);
  bus_line_close(&line);
  return code;
}

/* Permanent registers are written without torque, and where there is a lock, with it open. */
static bool write_id(bus_line *line, uint8_t from, uint8_t to) {
  const sn_servo_family *family = line->family;
  bus_answer answer;
  const uint8_t zero = 0, one = 1;
  bool good = bus_line_write(line, from, family->torque_address, &zero, 1, &answer);
  if (good && family->lock.size > 0) {
    good = bus_line_write(line, from, family->lock.address, &zero, 1, &answer);
  }
  if (good) {
    /* Some answer with the new id already: the check is the ping that follows. */
    (void)bus_line_write(line, from, family->id_address, &to, 1, &answer);
  }
  if (good && strcmp(family->name, "herkulex") == 0) {
    (void)bus_line_write(line, from, 0, &to, 1, &answer); /* in force without a reboot */
  }
  if (good && family->lock.size > 0) {
    (void)bus_line_write(line, to, family->lock.address, &one, 1, &answer);
  }
  return good;
}

/* A ping is not repeated by itself: here silence must not come from a lost byte, and of two answers
   behind an unanswered ping one may be that one's. */
static int ping_thrice(bus_line *line, uint8_t id, bool *is_garbled) {
  bus_answer answers[4];
  int count = 0;
  bool is_sure = false;
  for (int i = 0; i < 3 && !is_sure && !line->is_gone; i++) {
    const bool may_be_late = i > 0 && count == 0;
    count = bus_line_ping(line, id, answers, 4, is_garbled);
    is_sure = count == 1 || (count > 1 && !may_be_late);
  }
  return count;
}

static int set_id(const bus_options *o, bus_line *line, uint8_t from, uint8_t to) {
  bool is_garbled = false;
  const int old_count = ping_thrice(line, from, &is_garbled);
  if (old_count != 1 || is_garbled) {
    fprintf(stderr,
            old_count == 0 ? "sinew bus: servo %d does not answer\n"
                           : "sinew bus: more than one servo answers to %d: leave one on "
                             "the bus\n",
            from);
    return EXIT_NO;
  }
  if (ping_thrice(line, to, &is_garbled) != 0 || is_garbled) {
    fprintf(stderr, "sinew bus: there is a servo %d already\n", to);
    return EXIT_NO;
  }
  if (o->dry_run) {
    return say_written(o, from, line->family->id_address, from, to);
  }
  if (!write_id(line, from, to) || ping_thrice(line, to, &is_garbled) != 1) {
    fprintf(stderr, "sinew bus: servo %d did not become %d\n", from, to);
    return EXIT_NO;
  }
  return say_written(o, to, line->family->id_address, from, to);
}

int bus_set_id(const bus_options *o) {
  uint8_t from = 0, to = 0;
  bus_line line;
  if (!id_of(o, o->words[0], &from) || !id_of(o, o->words[1], &to)) {
    return EXIT_USAGE;
  }
  if (!bus_open(o, &line)) {
    return EXIT_NO;
  }
  const int code = set_id(o, &line, from, to);
  bus_line_close(&line);
  return code;
}
