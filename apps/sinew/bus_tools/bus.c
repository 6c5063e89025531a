/* `sinew bus`: servos on a serial port, without a robot around them. */
#include "bus_tools/bus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "live/control_client.h"
#include "live/control_print.h"

typedef struct verb {
  const char *name;
  int words_min, words_max;
  int (*run)(const bus_options *options);
} verb;

static const verb verbs[] = {
    {"scan", 0, 0, bus_scan},           {"ping", 1, BUS_WORDS_MAX, bus_ping},
    {"read", 1, 2, bus_read},           {"write", 3, 3, bus_write},
    {"set-id", 2, 2, bus_set_id},       {"monitor", 0, BUS_WORDS_MAX, bus_monitor},
    {"calibrate", 1, 1, bus_calibrate}, {"simulate", 0, 0, bus_simulate},
};

bool bus_number(const char *word, const char *what, long max, long *out) {
  char *end = NULL;
  errno = 0;
  const long value = strtol(word, &end, 0);
  if (end == word || *end != '\0' || errno != 0 || value < 0 || value > max) {
    fprintf(stderr, "sinew bus: '%s' is no %s: a number 0 .. %ld\n", word, what, max);
    return false;
  }
  *out = value;
  return true;
}

bool bus_register(const char *word, uint16_t *out) {
  const bool is_eep = strncmp(word, "eep:", 4) == 0;
  long value = 0;
  if (!bus_number(is_eep ? word + 4 : word, "register", is_eep ? 255 : 65535, &value)) {
    return false;
  }
  *out = (uint16_t)(value + (is_eep ? SN_BUS_EEP : 0));
  return true;
}

void bus_fault_text(unsigned faults, char *out, size_t size) {
  size_t used = 0;
  snprintf(out, size, "-");
  for (unsigned bit = 1; bit <= 128; bit <<= 1) {
    if ((faults & bit) != 0 && used < size) {
      used += (size_t)snprintf(out + used, size - used, "%s%s", used == 0 ? "" : ", ",
                               sn_servo_fault_text(bit));
    }
  }
}

static const sn_servo_family *family_of(const char *name) {
  /* the short name is good enough for the one that most have */
  const sn_servo_family *family =
      sn_servo_family_find(strcmp(name, "feetech") == 0 ? "feetech_sts" : name);
  if (family == NULL) {
    fprintf(stderr, "sinew bus: there is no family '%s'; there are:", name);
    for (size_t i = 0; i < sn_servo_family_count(); i++) {
      fprintf(stderr, " %s", sn_servo_family_at(i)->name);
    }
    fputc('\n', stderr);
  }
  return family;
}

static bool take_flag(bus_options *o, const char *word) {
  const bool is_flag = strcmp(word, "--json") == 0 || strcmp(word, "--dry-run") == 0 ||
                       strcmp(word, "--once") == 0 || strcmp(word, "--echo") == 0;
  o->json = o->json || strcmp(word, "--json") == 0;
  o->dry_run = o->dry_run || strcmp(word, "--dry-run") == 0;
  o->once = o->once || strcmp(word, "--once") == 0;
  o->echoes = o->echoes || strcmp(word, "--echo") == 0;
  return is_flag;
}

/* Within its range, in SI units. */
static int take_real(const char *value, double min, double max, double *out) {
  return control_read_number(value, out) && *out >= min && *out <= max ? 1 : -1;
}

/* As take_option(), of `simulate`. */
static int take_simulation(bus_options *o, const char *name, const char *value) {
  long number = 0;
  if (strcmp(name, "--ids") == 0) {
    o->ids = value;
    return 1;
  }
  if (strcmp(name, "--model") == 0) {
    const bool good = bus_number(value, "model number", 65535, &number);
    o->model = number;
    return good ? 1 : -1;
  }
  if (strcmp(name, "--corrupt") == 0) {
    return take_real(value, 0.0, 1.0, &o->corrupt);
  }
  if (strcmp(name, "--lose") == 0) {
    return take_real(value, 0.0, 1.0, &o->lose);
  }
  return strcmp(name, "--sag") == 0 ? take_real(value, 0.0, 100.0, &o->sag) : 0;
}

/* @return 1: taken; 0: no such option; -1: its value is wrong */
static int take_option(bus_options *o, const char *name, const char *value) {
  long number = 0;
  if (strcmp(name, "--port") == 0) {
    o->port = value;
  } else if (strcmp(name, "--component") == 0) {
    o->component = value;
  } else if (strcmp(name, "--family") == 0) {
    o->family = family_of(value);
    return o->family == NULL ? -1 : 1;
  } else if (strcmp(name, "--baud") == 0) {
    const bool good = bus_number(value, "baud rate", 12000000, &number);
    o->baud = number;
    return good ? 1 : -1;
  } else if (strcmp(name, "--size") == 0) {
    const bool good = bus_number(value, "size", 4, &number);
    o->size = number;
    return good ? 1 : -1;
  } else if (strcmp(name, "--interval") == 0) {
    return take_real(value, 0.02, 3600.0, &o->interval_s);
  } else if (strcmp(name, "--timeout") == 0) {
    return take_real(value, 1e-4, 10.0, &o->timeout_s);
  } else {
    return take_simulation(o, name, value);
  }
  return 1;
}

bool bus_open(const bus_options *o, bus_line *line) {
  if (o->port == NULL) {
    fputs("sinew bus: which port? --port /dev/ttyUSB0; 'sinew bus scan' lists them\n", stderr);
    return false;
  }
  if (o->family == NULL) {
    fputs("sinew bus: which servos? --family dynamixel, feetech_sts, feetech_scs or herkulex\n",
          stderr);
    return false;
  }
  const bool is_herkulex = strcmp(o->family->name, "herkulex") == 0;
  const int64_t baud = o->baud != 0 ? o->baud : is_herkulex ? 115200 : 1000000;
  return bus_line_open(line, o->port, o->family, baud, o->timeout_s);
}

int command_bus(int argc, char **argv) {
  bus_options o = {.interval_s = 0.2, .model = -1};
  if (argc < 2) {
    return command_misused(argv[0], NULL);
  }
  const verb *found = NULL;
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
    found = strcmp(argv[1], verbs[i].name) == 0 ? &verbs[i] : found;
  }
  if (found == NULL) {
    return command_misused(argv[0], argv[1]);
  }
  o.verb = found->name;
  for (int i = 2; i < argc; i++) {
    if (!control_is_option(argv[i])) {
      if (o.count == found->words_max) {
        return command_misused(argv[0], argv[i]);
      }
      o.words[o.count++] = argv[i];
    } else if (!take_flag(&o, argv[i])) {
      const int taken = i + 1 < argc ? take_option(&o, argv[i], argv[i + 1]) : 0;
      if (taken <= 0) {
        return command_misused(argv[0], argv[i]);
      }
      i++;
    }
  }
  return o.count < found->words_min ? command_misused(argv[0], NULL) : found->run(&o);
}
