/* What the commands `sinew bus …` share: servos on a serial port, without a robot. */
#include "bus_tools/bus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bus_number(const char *word, const char *what, long max, long *out) {
  char *end = NULL;
  errno = 0;
  const long value = strtol(word, &end, 0);
  if (end == word || *end != '\0' || errno != 0 || value < 0 || value > max) {
    fprintf(stderr, "sinew bus: '%s' is not valid as %s, expected a number from 0 to %ld\n", word,
            what, max);
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
                               sn__servo_fault_text(bit));
    }
  }
}

/* Names of the families, and a short name for the most common one. */
static const char *family_at(size_t index) {
  const size_t count = sn__servo_family_count();
  return index < count ? sn__servo_family_at(index)->name : index == count ? "feetech" : NULL;
}

static bool parse_family(void *member, const char *name) {
  const sn_servo_family **family = member;
  *family = sn__servo_family_find(strcmp(name, "feetech") == 0 ? "feetech_sts" : name);
  return *family != NULL;
}

#define AT(member) offsetof(bus_options, member)
const command_option bus_option_table[] = {
    {"--port", "PATH", OPTION_TEXT, AT(port), .help = "Serial port, such as /dev/ttyUSB0",
     .word = WORD_FILE},
    {"--family", "NAME", OPTION_PARSED, AT(family), .help = "Family of the servos",
     .choices = family_at, .parse = parse_family},
    {"--baud", "N", OPTION_INTEGER, AT(baud), .help = "Baud rate; that of the family unless given",
     .max = 12000000},
    {"--timeout", "S", OPTION_NUMBER, AT(timeout_s), .help = "How long to wait for an answer",
     .min = 1e-4, .max = 10.0},
    {"--json", NULL, OPTION_FLAG, AT(json), .help = "Print JSON"},
    {0}};
const command_option bus_write_option_table[] = {
    {"--dry-run", NULL, OPTION_FLAG, AT(dry_run), .help = "Print what would be written"}, {0}};
const command_option bus_size_option_table[] = {
    {"--size", "BYTES", OPTION_INTEGER, AT(size), .help = "Size of the register, 1 unless given",
     .max = 4},
    {0}};
const bus_options bus_initial = {.interval_s = 0.2, .model = -1, .ids = "1-6"};

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
