/* `sinew bus calibrate`: guides a person through the joints of a driver and writes limits and zero
 * of each joint into the deployment. */
#define _POSIX_C_SOURCE 200809L /* access() */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bus/driver/calibration.h"
#include "bus_tools/bus.h"
#include "bus_tools/bus_file.h"
#include "commands.h"
#include "common/print.h"
#include "sinew/arena.h"
#include "sinew/value.h"

enum { TRIES = 3 };

typedef struct calibration {
  const bus_options *options;
  const sn_value *servos;
  const sn_servo_family *family;
  const sn_value *ports;
  int64_t baud;
} calibration;

static double number_of(const sn_value *bag, const char *name, double otherwise) {
  double value = otherwise;
  const sn_value *prop = sn_value_find(bag, name);
  return prop != NULL && sn_value_number(prop, &value) ? value : otherwise;
}

static const char *text_of(const sn_value *bag, const char *name, const char *otherwise) {
  const sn_value *prop = sn_value_find(bag, name);
  return prop == NULL || prop->text == NULL ? otherwise : prop->text;
}

/* The driver: the component named by --component, or the only one. */
static const sn_value *find_driver(const sn_value *root, const char *wanted) {
  const sn_value *components = sn_value_find(root, "components");
  const sn_value *found = NULL;
  for (size_t i = 0; components != NULL && i < components->item_count; i++) {
    const sn_value *c = components->items[i];
    const bool is_driver = strncmp(text_of(c, "type", ""), "driver_", 7) == 0;
    if (is_driver && (wanted == NULL || strcmp(wanted, c->name) == 0)) {
      if (found != NULL) {
        fputs("sinew bus: the file has several drivers, choose one with --component NAME\n",
              stderr);
        return NULL;
      }
      found = c;
    }
  }
  if (found == NULL) {
    fputs(
        "sinew bus: the file has no component whose type is driver_dynamixel, driver_feetech or "
        "driver_herkulex\n",
        stderr);
  }
  return found;
}

static bool read_driver(calibration *c, const sn_value *driver) {
  const sn_value *properties = sn_value_find(driver, "properties");
  const char *type = text_of(driver, "type", "") + strlen("driver_");
  char name[32];
  snprintf(name, sizeof name, "%.12s%s", type,
           strcmp(type, "feetech") != 0                               ? ""
           : strcmp(text_of(properties, "series", "sts"), "scs") == 0 ? "_scs"
                                                                      : "_sts");
  c->family = sn__servo_family_find(name);
  c->servos = properties == NULL ? NULL : sn_value_find(properties, "servos");
  c->ports = properties == NULL ? NULL : sn_value_find(properties, "ports");
  if (c->family == NULL || c->servos == NULL || c->servos->kind != SN_VALUE_LIST ||
      c->ports == NULL || c->ports->kind != SN_VALUE_LIST) {
    fprintf(stderr, "sinew bus: component '%s' lacks ports or servos in this file\n", driver->name);
    return false;
  }
  const char *kept = text_of(properties, "calibration_file", "");
  if (*kept != '\0' && access(kept, F_OK) == 0) {
    fprintf(stderr,
            "sinew bus: '%s' has the calibration of '%s' and would hide what is written here: "
            "calibrate in the cockpit, or remove that file first\n",
            kept, driver->name);
    return false;
  }
  const bool is_herkulex = strcmp(name, "herkulex") == 0;
  c->baud = (int64_t)number_of(properties, "baud", is_herkulex ? 115200 : 1000000);
  return true;
}

/* One line of input. @return 'y': continue, 's': skip, 'q': quit */
static char ask_person(const char *prompt) {
  char line[64];
  printf("%s ", prompt);
  fflush(stdout);
  if (fgets(line, sizeof line, stdin) == NULL) {
    return 'q';
  }
  return line[0] == 's' || line[0] == 'q' ? line[0] : 'y';
}

static bool position_of(bus_line *line, uint8_t id, int32_t *out) {
  bus_answer answer;
  sn_servo_reading reading;
  if (!bus_line_read(line, id, line->family->state, &answer)) {
    fprintf(stderr, "sinew bus: servo %d does not answer\n", id);
    return false;
  }
  line->family->read_state(answer.data, &reading);
  *out = reading.counts;
  return true;
}

/* Lower end, upper end, zero. @return 'y': measured, 's': skip, 'q': stop */
static char measure(bus_line *line, const char *joint, uint8_t id, int32_t at[3]) {
  static const char *const where[] = {"its lower end", "its upper end", "position 0"};
  printf("\n%s (servo %d), which is limp now\n", joint, id);
  for (int i = 0; i < 3; i++) {
    char prompt[160];
    snprintf(prompt, sizeof prompt, "  move it to %s, then Enter (s: skip, q: quit):", where[i]);
    const char word = ask_person(prompt);
    if (word != 'y') {
      return word;
    }
    if (!position_of(line, id, &at[i])) {
      return 'q';
    }
    printf("  %d\n", (int)at[i]);
  }
  return 'y';
}

/* The range of a joint; a person who pressed Enter without moving it gets another try. */
static char measure_range(bus_line *line, const char *joint, uint8_t id, double gear,
                          sn__servo_range *out) {
  for (int i = 0; i < TRIES; i++) {
    int32_t at[3] = {0};
    const char word = measure(line, joint, id, at);
    if (word != 'y') {
      return word;
    }
    sn__calibration readings;
    sn__calibration_begin(&readings, at[2]);
    sn__calibration_extend(&readings, at[0]);
    sn__calibration_extend(&readings, at[1]);
    const sn__calibration_servo servo = {.direction = at[1] > at[0] ? 1 : -1,
                                         .counts_per_rad = line->family->counts_per_rad,
                                         .gear = gear,
                                         .counts_max = line->family->counts_max};
    sn_error err;
    if (sn__calibration_check(&readings, &servo, joint, &err) == SN_OK) {
      *out = sn__calibration_range(&readings, &servo);
      return 'y';
    }
    printf("  %s\n", err.message);
  }
  return 's';
}

static char calibrate_servo(const calibration *c, const sn_value *servo, bus_file *file) {
  const char *joint = text_of(servo, "joint", "?");
  const uint8_t id = (uint8_t)number_of(servo, "id", 0);
  const size_t port = (size_t)number_of(servo, "port", 0);
  if (port >= c->ports->item_count) {
    fprintf(stderr, "sinew bus: '%s': unknown port %zu\n", joint, port);
    return 'q';
  }
  bus_line line;
  if (!bus_line_open(&line, c->ports->items[port]->text, c->family, c->baud,
                     c->options->timeout_s)) {
    return 'q';
  }
  const uint8_t zero = 0;
  bus_answer answer;
  sn__servo_range range;
  char word = bus_line_write(&line, id, c->family->torque_address, &zero, 1, &answer) ? 'y' : 'q';
  if (word == 'q') {
    fprintf(stderr, "sinew bus: servo %d ('%s') does not answer\n", id, joint);
  }
  if (word == 'y') {
    word = measure_range(&line, joint, id, number_of(servo, "gear", 1.0), &range);
  }
  bus_line_close(&line);
  if (word != 'y') {
    return word;
  }
  return bus_file_set(file, servo, &range) ? 'y' : 'q';
}

static int walk(const calibration *c, bus_file *file) {
  size_t done = 0;
  for (size_t i = 0; i < c->servos->item_count; i++) {
    const char word = calibrate_servo(c, c->servos->items[i], file);
    if (word == 'q') {
      fputs("\nsinew bus: stopped; the file is as it was\n", stderr);
      return EXIT_NO;
    }
    done += word == 'y';
  }
  printf("\n%zu of %zu servos are calibrated\n", done, c->servos->item_count);
  if (c->options->dry_run) {
    bus_file_print(file);
    puts("(dry run: the file is as it was)");
    return EXIT_GOOD;
  }
  return done == 0 || bus_file_save(file) ? EXIT_GOOD : EXIT_FAULT;
}

static int run_calibrate(void *arguments) {
  const bus_options *o = arguments;
  bus_file file;
  if (!bus_file_load(&file, o->deployment)) {
    return EXIT_NO;
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "deployment", 65536);
  sn_report *report = NULL;
  const sn_value *root = NULL;
  calibration c = {.options = o};
  int code = EXIT_NO;
  if (sn_report_create(&arena, &report, NULL) != SN_OK) {
    code = EXIT_FAULT;
  } else if (sn_value_parse_yaml(&arena, file.text, file.size, o->deployment, report, &root) !=
             SN_OK) {
    problems_print(report);
  } else {
    const sn_value *driver = find_driver(root, o->component);
    if (driver != NULL && read_driver(&c, driver)) {
      code = walk(&c, &file);
    }
  }
  sn_arena_release(&arena);
  bus_file_free(&file);
  return code;
}

#define AT(member) offsetof(bus_options, member)
static const command_argument calibrate_arguments[] = {
    {"DEPLOYMENT", ARGUMENT_ONE, AT(deployment), "File with the driver; it is changed in place",
     WORD_FILE, NULL},
    {0}};
static const command_option calibrate_options[] = {
    {"--component", "NAME", OPTION_TEXT, AT(component),
     .help = "Driver to calibrate, if there are several"},
    {0}};

const command command_bus_calibrate = {
    .name = "bus calibrate",
    .purpose =
        "Measure zero and ends of each joint with your help, and write them into the "
        "deployment.",
    .arguments = calibrate_arguments,
    .options = {bus_option_table, calibrate_options, bus_write_option_table},
    .size = sizeof(bus_options),
    .initial = &bus_initial,
    .run = run_calibrate};
