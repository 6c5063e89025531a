/* `sinew bus ping|read|write|set-id`: one servo and its registers. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "bus_tools/bus.h"
#include "commands.h"
#include "common/print.h"
#include "live/control_print.h"

static bool id_of(const bus_options *o, const char *word, uint8_t *out) {
  long id = 0;
  const long max = o->family == NULL ? 253 : o->family->protocol->id_max;
  const bool good = bus_number(word, "an id", max, &id);
  *out = (uint8_t)id;
  return good;
}

static int report_missing(uint8_t id) {
  fprintf(stderr, "sinew bus: servo %d does not answer\n", id);
  return EXIT_NO;
}

static int run_ping(void *arguments) {
  const bus_options *o = arguments;
  bus_line line;
  if (!bus_open(o, &line)) {
    return EXIT_NO;
  }
  int code = EXIT_GOOD;
  json_t *list = json_array();
  for (size_t i = 0; i < o->servos.count; i++) {
    uint8_t id = 0;
    if (!id_of(o, o->servos.items[i], &id)) {
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

/* Print the state registers of a servo. */
static int read_state(const bus_options *o, bus_line *line, uint8_t id) {
  const sn_servo_family *family = line->family;
  bus_answer answer;
  if (!bus_line_read(line, id, family->state, &answer)) {
    return report_missing(id);
  }
  sn_servo_reading reading;
  family->read_state(answer.data, &reading);
  unsigned faults = answer.faults;
  if (family->supply.size > 0 && bus_line_read(line, id, family->supply, &answer)) {
    family->read_supply(answer.data, &reading);
  }
  if (family->fault.size > 0 && bus_line_read(line, id, family->fault, &answer)) {
    faults |= sn__servo_hardware_faults(answer.data[0]);
  }
  const bool has_torque =
      bus_line_read(line, id, (sn_servo_block){family->torque_address, 1}, &answer) &&
      answer.data[0] == family->torque_on;
  const bool has_model = bus_line_read(line, id, family->model, &answer);
  const uint32_t model = has_model ? sn__servo_get(family, answer.data, 2) : 0;
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
      fprintf(stderr, "sinew bus: servo %d rejects the request: error %d\n", id, answer.error);
      return EXIT_NO;
    }
    return report_missing(id);
  }
  const uint32_t value = sn__servo_get(line->family, answer.data, size);
  if (o->json) {
    return json_line_print(json_pack("{s:i, s:i, s:i, s:I}", "id", id, "register", address, "size",
                                     size, "value", (json_int_t)value));
  }
  printf("%u (0x%X)\n", value, value);
  return EXIT_GOOD;
}

static int run_read(void *arguments) {
  const bus_options *o = arguments;
  uint8_t id = 0;
  uint16_t address = 0;
  bus_line line;
  if (!id_of(o, o->id, &id) || (o->address != NULL && !bus_register(o->address, &address))) {
    return EXIT_USAGE;
  }
  if (!bus_open(o, &line)) {
    return EXIT_NO;
  }
  const int code =
      o->address != NULL ? read_register(o, &line, id, address) : read_state(o, &line, id);
  bus_line_close(&line);
  return code;
}

static int report_written(const bus_options *o, uint8_t id, uint16_t address, uint32_t before,
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
    return report_missing(id);
  }
  const uint32_t before = sn__servo_get(line->family, answer.data, size);
  if (o->dry_run) {
    return report_written(o, id, address, before, value);
  }
  sn__servo_put(line->family, value, data, size);
  if (!bus_line_write(line, id, address, data, size, &answer)) {
    fprintf(stderr, "sinew bus: servo %d rejects the value: error %d\n", id, answer.error);
    return EXIT_NO;
  }
  if (address == line->family->baud_address) { /* its baud rate has changed, or will */
    return report_written(o, id, address, before, value);
  }
  if (!bus_line_read(line, id, block, &answer)) {
    return report_missing(id);
  }
  const uint32_t after = sn__servo_get(line->family, answer.data, size);
  const int code = report_written(o, id, address, before, after);
  if (code == EXIT_GOOD && after != value) {
    fprintf(stderr, "sinew bus: register %d is %u now, not %u: locked, limited or read-only?\n",
            address, after, value);
    return EXIT_NO;
  }
  return code;
}

static int run_write(void *arguments) {
  const bus_options *o = arguments;
  uint8_t id = 0;
  uint16_t address = 0;
  long value = 0;
  const long max = o->size == 0 || o->size == 1 ? 255 : o->size == 2 ? 65535 : 0x7FFFFFFF;
  bus_line line;
  if (!id_of(o, o->id, &id) || !bus_register(o->address, &address) ||
      !bus_number(o->value, "a value of that size", max, &value)) {
    return EXIT_USAGE;
  }
  if (!bus_open(o, &line)) {
    return EXIT_NO;
  }
  const int code = write_register(o, &line, id, address, (uint32_t)value);
  bus_line_close(&line);
  return code;
}

/* Permanent registers can only be written without torque, and with the lock open if there is one.
 */
static bool write_id(bus_line *line, uint8_t from, uint8_t to) {
  const sn_servo_family *family = line->family;
  bus_answer answer;
  const uint8_t zero = 0, one = 1;
  bool good = bus_line_write(line, from, family->torque_address, &zero, 1, &answer);
  if (good && family->lock.size > 0) {
    good = bus_line_write(line, from, family->lock.address, &zero, 1, &answer);
  }
  if (good) {
    /* Some servos answer with the new id already; the ping that follows checks it. */
    (void)bus_line_write(line, from, family->id_address, &to, 1, &answer);
  }
  if (good && strcmp(family->name, "herkulex") == 0) {
    (void)bus_line_write(line, from, 0, &to, 1, &answer); /* takes effect without a reboot */
  }
  if (good && family->lock.size > 0) {
    (void)bus_line_write(line, to, family->lock.address, &one, 1, &answer);
  }
  return good;
}

/* Pings are not retried by the engine. Three of them make sure that silence is not a lost byte;
 * after an unanswered ping, one of two answers may be late. */
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
    fprintf(stderr, "sinew bus: servo %d already exists\n", to);
    return EXIT_NO;
  }
  if (o->dry_run) {
    return report_written(o, from, line->family->id_address, from, to);
  }
  if (!write_id(line, from, to) || ping_thrice(line, to, &is_garbled) != 1) {
    fprintf(stderr, "sinew bus: servo %d did not become %d\n", from, to);
    return EXIT_NO;
  }
  return report_written(o, to, line->family->id_address, from, to);
}

static int run_set_id(void *arguments) {
  const bus_options *o = arguments;
  uint8_t from = 0, to = 0;
  bus_line line;
  if (!id_of(o, o->id, &from) || !id_of(o, o->new_id, &to)) {
    return EXIT_USAGE;
  }
  if (!bus_open(o, &line)) {
    return EXIT_NO;
  }
  const int code = set_id(o, &line, from, to);
  bus_line_close(&line);
  return code;
}

/* ---- the commands ---- */

#define AT(member) offsetof(bus_options, member)
#define ID \
  { "ID", ARGUMENT_ONE, AT(id), "Id of the servo", WORD_NAME, NULL }
#define REGISTER "Address of the register; eep:N is a permanent one of HerkuleX"

static const command_argument ping_arguments[] = {
    {"ID", ARGUMENT_MANY, AT(servos), "Ids of the servos", WORD_NAME, NULL}, {0}};
static const command_argument read_arguments[] = {
    ID, {"REGISTER", ARGUMENT_OPTIONAL, AT(address), REGISTER, WORD_NAME, NULL}, {0}};
static const command_argument write_arguments[] = {
    ID,
    {"REGISTER", ARGUMENT_ONE, AT(address), REGISTER, WORD_NAME, NULL},
    {"VALUE", ARGUMENT_ONE, AT(value), "Value to write", WORD_TEXT, NULL},
    {0}};
static const command_argument set_id_arguments[] = {
    {"OLD", ARGUMENT_ONE, AT(id), "Id of the servo", WORD_NAME, NULL},
    {"NEW", ARGUMENT_ONE, AT(new_id), "Its new id", WORD_NAME, NULL},
    {0}};

const command command_bus_ping = {.name = "bus ping",
                                  .purpose = "Check whether servos answer.",
                                  .arguments = ping_arguments,
                                  .options = {bus_option_table},
                                  .size = sizeof(bus_options),
                                  .initial = &bus_initial,
                                  .run = run_ping};
const command command_bus_read = {.name = "bus read",
                                  .purpose = "Print the state of a servo, or one of its registers.",
                                  .arguments = read_arguments,
                                  .options = {bus_option_table, bus_size_option_table},
                                  .size = sizeof(bus_options),
                                  .initial = &bus_initial,
                                  .run = run_read};
const command command_bus_write = {
    .name = "bus write",
    .purpose = "Write a register of a servo.",
    .arguments = write_arguments,
    .options = {bus_option_table, bus_size_option_table, bus_write_option_table},
    .size = sizeof(bus_options),
    .initial = &bus_initial,
    .run = run_write};
const command command_bus_set_id = {.name = "bus set-id",
                                    .purpose = "Change the id of a servo.",
                                    .arguments = set_id_arguments,
                                    .options = {bus_option_table, bus_write_option_table},
                                    .size = sizeof(bus_options),
                                    .initial = &bus_initial,
                                    .run = run_set_id};
