/* `sinew bus scan`: serial ports, and the servos on them. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bus_tools/bus.h"
#include "commands.h"
#include "common/print.h"
#include "live/control_print.h"
#include "servo/servo_library.h"

enum { FOUND_MAX = 256 };

typedef struct found_servo {
  const sn_servo_family *family;
  int64_t baud;
  uint8_t id;
  long model;  /* -1: unknown */
  int answers; /* more than one: two servos with one id */
  bool is_garbled;
} found_servo;

static void add_row(control_table *table, bool is_shown, const char *const *texts) {
  if (is_shown) {
    control_table_add(table, texts);
  }
}

static int list_ports(const bus_options *o) {
  sn_serial_info ports[SN_SERIAL_PORTS_MAX];
  const size_t count = sn__serial_list(ports);
  json_t *list = json_array();
  control_table table = {.columns = 7};
  add_row(&table, !o->json && count > 0,
          (const char *const[]){"PORT", "DRIVER", "LATENCY", "USB", "VENDOR", "ADAPTER", "SERIAL"});
  for (size_t i = 0; i < count; i++) {
    const sn_serial_info *p = &ports[i];
    char latency[16];
    snprintf(latency, sizeof latency, p->latency_ms == 0 ? "-" : "%d ms", p->latency_ms);
    add_row(&table, !o->json,
            (const char *const[]){p->path, p->driver, latency, p->usb_id, p->vendor, p->product,
                                  p->serial});
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:i, s:s, s:s, s:s, s:s}", "port", p->path, "driver", p->driver,
                        "latency_ms", p->latency_ms, "usb_id", p->usb_id, "vendor", p->vendor,
                        "adapter", p->product, "serial", p->serial));
  }
  if (o->json) {
    return json_line_print(list);
  }
  json_decref(list);
  if (count == 0) {
    puts("no serial port: is the adapter plugged in?");
    return EXIT_NO;
  }
  control_table_print(&table, stdout, 0);
  puts("\nto find servos: sinew bus scan --port PORT [--family FAMILY] [--baud BAUD]");
  return EXIT_GOOD;
}

static long model_of(bus_line *line, uint8_t id) {
  bus_answer answer;
  return bus_line_read(line, id, line->family->model, &answer)
             ? (long)sn__servo_get(line->family, answer.data, 2)
             : -1;
}

/* Dynamixel servos answer to one broadcast ping; others are pinged one by one. */
static size_t scan_line(bus_line *line, int64_t baud, found_servo *found, size_t room) {
  static bus_answer answers[FOUND_MAX];
  size_t count = 0;
  const bool at_once = line->family->protocol->ping_size > 0;
  bool is_garbled = false;
  const int all =
      at_once ? bus_line_ping(line, SN_BUS_BROADCAST, answers, FOUND_MAX, &is_garbled) : 0;
  for (int id = 0; id <= line->family->protocol->id_max && count < room; id++) {
    bool is_there = !at_once || is_garbled; /* again for answers lost in a collision */
    for (int i = 0; i < all && i < FOUND_MAX; i++) {
      is_there = is_there || answers[i].id == id;
    }
    bus_answer one[4];
    bool is_bad = false;
    if (isatty(STDERR_FILENO)) { /* hundreds of unused ids take a while */
      char what[64];
      snprintf(what, sizeof what, "%s at %lld baud", line->family->name, (long long)baud);
      progress_show(what, id / (double)line->family->protocol->id_max);
    }
    const int n = is_there ? bus_line_ping(line, (uint8_t)id, one, 4, &is_bad) : 0;
    if (n < 0) {
      return count;
    }
    if (n > 0 || is_bad) {
      found[count++] = (found_servo){.family = line->family,
                                     .baud = baud,
                                     .id = (uint8_t)id,
                                     .answers = n,
                                     .is_garbled = is_bad,
                                     .model = n == 1 ? model_of(line, (uint8_t)id) : -1};
    }
  }
  return count;
}

/* How to use a servo that the library knows. */
static void print_offer(const found_servo *f) {
  char servo[32];
  if (sn__servo_recognise(f->family->name, f->model, servo, sizeof servo)) {
    printf(
        "\nthe library has a model of %s; for the joint that it moves:\n"
        "  servo_inv_7param: {properties: {servo_models: [{name: JOINT, servo: %s}]}}\n",
        servo, servo);
  }
}

static int print_found(const bus_options *o, const found_servo *found, size_t count) {
  json_t *list = json_array();
  control_table table = {.columns = 6, .right = 0xe};
  add_row(&table, !o->json && count > 0,
          (const char *const[]){"FAMILY", "BAUD", "ID", "MODEL", "SERVO", ""});
  bool is_clean = true;
  size_t offered = count; /* one whose model is known */
  for (size_t i = 0; i < count; i++) {
    const found_servo *f = &found[i];
    char baud[24], id[8], model[16], servo[32] = "";
    snprintf(baud, sizeof baud, "%lld", (long long)f->baud);
    snprintf(id, sizeof id, "%d", f->id);
    snprintf(model, sizeof model, f->model < 0 ? "-" : "%ld", f->model);
    const char *note = f->answers > 1    ? "more than one servo has this id"
                       : f->answers == 0 ? "answers cannot be read: perhaps two servos"
                       : f->is_garbled   ? "noise on the line, or two servos"
                                         : "";
    is_clean = is_clean && f->answers == 1;
    const bool is_known = sn__servo_recognise(f->family->name, f->model, servo, sizeof servo);
    offered = is_known ? i : offered;
    add_row(&table, !o->json,
            (const char *const[]){f->family->name, baud, id, model, is_known ? servo : "-", note});
    json_array_append_new(
        list, json_pack("{s:s, s:I, s:i, s:I, s:s, s:i, s:s}", "family", f->family->name, "baud",
                        (json_int_t)f->baud, "id", f->id, "model", (json_int_t)f->model, "servo",
                        servo, "answers", f->answers, "note", note));
  }
  if (!o->json && count > 0) {
    control_table_print(&table, stdout, 0);
  }
  if (!o->json && offered < count) {
    print_offer(&found[offered]);
  }
  if (o->json) {
    const int code = json_line_print(list);
    return code != EXIT_GOOD ? code : count > 0 && is_clean ? EXIT_GOOD : EXIT_NO;
  }
  json_decref(list);
  if (count == 0) {
    puts("no servo answers: check power, baud rate and family");
  }
  return count > 0 && is_clean ? EXIT_GOOD : EXIT_NO;
}

static int run_scan(void *arguments) {
  const bus_options *o = arguments;
  if (o->port == NULL) {
    return list_ports(o);
  }
  static const int64_t usual[] = {1000000, 115200, 57600};
  static found_servo found[FOUND_MAX];
  size_t count = 0;
  for (size_t i = 0; i < sn__servo_family_count(); i++) {
    const sn_servo_family *family = sn__servo_family_at(i);
    const bool is_wanted =
        o->family == NULL ? strcmp(family->name, "feetech_scs") != 0 : o->family == family;
    for (size_t b = 0; is_wanted && b < sizeof usual / sizeof *usual; b++) {
      const int64_t baud = o->baud != 0 ? o->baud : usual[b];
      bus_line line;
      if (!bus_line_open(&line, o->port, family, baud, o->timeout_s)) {
        return EXIT_NO;
      }
      count += scan_line(&line, baud, found + count, FOUND_MAX - count);
      bus_line_close(&line);
      if (o->baud != 0) {
        break;
      }
    }
  }
  if (isatty(STDERR_FILENO)) {
    progress_end();
  }
  return print_found(o, found, count);
}

const command command_bus_scan = {
    .name = "bus scan",
    .purpose = "Find servos on a serial port; without --port, list the serial ports.",
    .options = {bus_option_table},
    .size = sizeof(bus_options),
    .initial = &bus_initial,
    .run = run_scan};
