/* `sinew ident bench`: drives a servo with a weight, records, identifies, validates. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "bus_tools/bus.h"
#include "commands.h"
#include "common/whole_file.h"
#include "ident_bench/bench_record.h"
#include "ident_tools/pendulum.h"
#include "servo/servo_library.h"

enum { GAINS = 2, LOGS = GAINS * BENCH_MOTIONS, TRIES = 12, PATH_MAX_LENGTH = 400 };

/* Duty per rad and gain of Dynamixel's X series: 4096 counts a turn, gain / 256 of 885 full PWM.
   Logs of an XL330 have 0.002877. */
#define DYNAMIXEL_KP (4096.0 / 6.283185307179586 / (256.0 * 885.0))

typedef struct bench_options {
  bus_options bus;
  int64_t id;
  sn__pendulum load;
  double voltage;  /* where the servo does not report it */
  double motion_s; /* of each motion */
  const char *folder, *name;
} bench_options;

typedef struct bench {
  const bench_options *options;
  bench_servo servo;
  char name[32]; /* of the servo */
  long gain;     /* as found */
  sn__log_sample samples[BENCH_SAMPLES_MAX];
  char logs[LOGS][PATH_MAX_LENGTH];
  char models[PATH_MAX_LENGTH], report[PATH_MAX_LENGTH], model[PATH_MAX_LENGTH];
} bench;

static int complain(const char *what, const char *path) {
  fprintf(stderr, "sinew ident bench: %s %s: %s\n", what, path, strerror(errno));
  return EXIT_FAULT;
}

static bool read_register(bench *b, sn_servo_block block, long *out) {
  bus_answer answer;
  if (!bus_line_read(&b->servo.line, b->servo.id, block, &answer)) {
    return false;
  }
  *out = (long)sn__servo_get(b->servo.line.family, answer.data, block.size);
  return true;
}

/* Not every family acknowledges writes, so the value is read back. */
static bool write_gain(bench *b, long gain) {
  const sn_servo_block block = b->servo.line.family->gain;
  uint8_t data[4];
  bus_answer answer;
  sn__servo_put(b->servo.line.family, (uint32_t)gain, data, block.size);
  long found = 0;
  return bus_line_write(&b->servo.line, b->servo.id, block.address, data, block.size, &answer) &&
         read_register(b, block, &found) && found == gain;
}

/* As found, and half of that. */
static long gain_of(const bench *b, int index) {
  return index == 0 ? b->gain : (b->gain + 1) / 2;
}

/* ---- files ---- */

static bool put_path(char *out, const bench *b, const char *name, const char *end) {
  return snprintf(out, PATH_MAX_LENGTH, "%s/%s%s", b->options->folder, name, end) < PATH_MAX_LENGTH;
}

static bool make_paths(bench *b) {
  bool fits = put_path(b->models, b, "models", ".yaml") &&
              put_path(b->report, b, "report", ".html") && put_path(b->model, b, b->name, ".yaml");
  for (int k = 0; k < LOGS; k++) {
    char end[32];
    snprintf(end, sizeof end, "_%ld.json", gain_of(b, k / BENCH_MOTIONS));
    fits = fits && put_path(b->logs[k], b, bench_motions[k % BENCH_MOTIONS], end);
  }
  return fits;
}

static void put_log(FILE *out, const bench *b, int log, size_t count, double volts) {
  const sn__pendulum *load = &b->options->load;
  fprintf(out,
          "{\"mass\": %.9g, \"length\": %.9g, \"arm_mass\": %.9g, \"kp\": %ld, \"vin\": %.4g, "
          "\"motor\": \"%s\", \"trajectory\": \"%s\", \"entries\": [",
          load->mass_kg, load->length_m, load->arm_kg, gain_of(b, log / BENCH_MOTIONS), volts,
          b->name, bench_motions[log % BENCH_MOTIONS]);
  for (size_t i = 0; i < count; i++) {
    const sn__log_sample *s = &b->samples[i];
    fprintf(out, "%s\n{\"timestamp\": %.6f, \"position\": %.6f, \"speed\": %.5g, ",
            i == 0 ? "" : ",", s->time_s, s->position, s->velocity);
    if (!s->is_limp) {
      fprintf(out, "\"goal_position\": %.6f, ", s->goal);
    }
    fprintf(out, "\"torque_enable\": %s}", s->is_limp ? "false" : "true");
  }
  fputs("]}\n", out);
}

static int write_log(const bench *b, int log, size_t count, double volts) {
  whole_file file;
  bool good = whole_file_open(&file, b->logs[log]);
  if (good) {
    put_log(file.out, b, log, count, volts);
    good = whole_file_close(&file);
  }
  return good ? EXIT_GOOD : complain("cannot write the log", b->logs[log]);
}

/* What is known before: the scale of the gain. */
static int write_models(const bench *b) {
  const bool is_known = strcmp(b->servo.line.family->name, "dynamixel") == 0;
  whole_file file;
  bool good = whole_file_open(&file, b->models);
  if (good) {
    fprintf(file.out, "servo_models: [{name: %s, kp: %.9g%s}]\n", b->name,
            is_known ? DYNAMIXEL_KP : 1.0, is_known ? ", drive_max: 1" : "");
    good = whole_file_close(&file);
  }
  return good ? EXIT_GOOD : complain("cannot write", b->models);
}

/* ---- the servo ---- */

static int open_servo(bench *b) {
  const bench_options *o = b->options;
  long model = 0;
  if (!bus_open(&o->bus, &b->servo.line)) {
    return EXIT_NO;
  }
  b->servo.id = (uint8_t)o->id;
  b->servo.motion_s = o->motion_s;
  const sn_servo_family *family = b->servo.line.family;
  if (!read_register(b, family->gain, &b->gain) || !read_register(b, family->model, &model)) {
    fprintf(stderr,
            "sinew ident bench: servo %d does not answer: 'sinew bus scan --port %s' finds it\n",
            (int)o->id, o->bus.port);
    return EXIT_NO;
  }
  if (b->gain < 2) {
    fprintf(stderr, "sinew ident bench: the P gain of servo %d is %ld, expected 2 or more\n",
            (int)o->id, b->gain);
    return EXIT_NO;
  }
  char known[32];
  const bool is_known = sn__servo_recognise(family->name, model, known, sizeof known);
  snprintf(b->name, sizeof b->name, "%s", o->name != NULL ? o->name : is_known ? known : "servo");
  return EXIT_GOOD;
}

/* Is the log good? Prints why not. */
static bool is_good(const bench *b, int log, size_t count, double volts) {
  const sn__servo_log recorded = {.path = b->logs[log],
                                  .motor = b->name,
                                  .gain = (double)gain_of(b, log / BENCH_MOTIONS),
                                  .voltage = volts,
                                  .load = b->options->load,
                                  .samples = b->samples,
                                  .count = count};
  const sn_servo_params direct = {.kgear = 1.0};
  sn_error err;
  if (sn__servo_log_check(&recorded, &err) == SN_OK &&
      sn__servo_log_check_goals(&recorded, &direct, &err) == SN_OK) {
    return true;
  }
  fprintf(stderr, "sinew ident bench: %s\n", err.message);
  return false;
}

/* A motion, again if the machine or the bus paused in it. */
static int record(bench *b, int log) {
  for (int k = 0; k < TRIES; k++) {
    double volts = 0.0;
    fprintf(stderr, "%d of %d: %s at gain %ld%s\n", log + 1, LOGS,
            bench_motions[log % BENCH_MOTIONS], gain_of(b, log / BENCH_MOTIONS),
            k == 0 ? "" : ", again");
    if (!bench_prepare(&b->servo)) {
      return EXIT_NO;
    }
    const size_t count = bench_drive(&b->servo, log % BENCH_MOTIONS, b->samples, &volts);
    if (count == 0) {
      return EXIT_NO;
    }
    volts = volts > 0.0 ? volts : b->options->voltage;
    if (is_good(b, log, count, volts)) {
      return write_log(b, log, count, volts);
    }
  }
  return EXIT_NO;
}

static int record_all(bench *b) {
  int code = bench_find_zero(&b->servo) ? EXIT_GOOD : EXIT_NO;
  for (int log = 0; code == EXIT_GOOD && log < LOGS; log++) {
    if (log % BENCH_MOTIONS == 0 && !write_gain(b, gain_of(b, log / BENCH_MOTIONS))) {
      fprintf(stderr, "sinew ident bench: servo %d does not take its gain\n", (int)b->servo.id);
      code = EXIT_NO;
    }
    code = code == EXIT_GOOD ? record(b, log) : code;
  }
  bench_let_go(&b->servo);
  if (!write_gain(b, b->gain)) {
    fprintf(stderr, "sinew ident bench: the gain of servo %d is not %ld again: write it yourself\n",
            (int)b->servo.id, b->gain);
    code = EXIT_NO;
  }
  if (bench_is_interrupted()) {
    fputs("sinew ident bench: interrupted; the servo is limp\n", stderr);
  }
  return code;
}

/* Each motion once identifies, with one gain or the other; the rest judges. */
static int identify(const bench *b) {
  ident_request request = ident_initial;
  for (int log = 0; log < LOGS; log++) {
    const bool is_fitted = (log % BENCH_MOTIONS) % GAINS == log / BENCH_MOTIONS;
    text_list *list = is_fitted ? &request.logs : &request.validate;
    list->items[list->count++] = b->logs[log];
  }
  request.models = b->models;
  request.report = b->report;
  request.save_servo = b->model;
  request.save = true;
  request.json = b->options->bus.json;
  return ident_run(&request);
}

static int run_bench(void *arguments) {
  static bench b; /* large */
  b = (bench){.options = arguments};
  const bench_options *o = b.options;
  if (o->name != NULL && !servo_file_is_name(o->name)) {
    return command_misused(&command_ident_bench,
                           "option '--name': '%s' is not valid, expected a name of small letters, "
                           "digits, _ and -",
                           o->name);
  }
  int code = open_servo(&b);
  if (code != EXIT_GOOD) {
    return code;
  }
  if (!make_paths(&b) || (mkdir(o->folder, 0777) != 0 && errno != EEXIST)) {
    code = complain("cannot make the folder", o->folder);
  }
  code = code == EXIT_GOOD ? write_models(&b) : code;
  if (code == EXIT_GOOD) {
    bench_catch_signals();
    code = record_all(&b);
  }
  bus_line_close(&b.servo.line);
  code = code == EXIT_GOOD ? identify(&b) : code;
  if (code == EXIT_GOOD && !o->bus.json) {
    printf("  written: %s, %s\n", b.model, b.report);
  }
  return code;
}

#define AT(member) offsetof(bench_options, member)
#define POSITIVE .min = 1e-6, .max = 1e6, .expected = "a number above 0", .is_required = true
static const command_option options[] = {
    {"--id", "N", OPTION_INTEGER, AT(id), .help = "Id of the servo", .max = 253,
     .is_required = true},
    {"--mass", "KG", OPTION_NUMBER, AT(load.mass_kg), .help = "The weight", POSITIVE},
    {"--length", "M", OPTION_NUMBER, AT(load.length_m),
     .help = "From the axis of the servo to the middle of the weight", POSITIVE},
    {"--arm", "KG", OPTION_NUMBER, AT(load.arm_kg), .help = "Mass of the arm", .max = 1e6},
    {"--voltage", "V", OPTION_NUMBER, AT(voltage), .help = "Supply, if the servo does not tell it",
     .max = 100.0},
    {"--seconds", "S", OPTION_NUMBER, AT(motion_s), .help = "Length of each of the eight motions",
     .min = 1.5, .max = 60.0},
    {"--folder", "PATH", OPTION_TEXT, AT(folder), .help = "Where logs, model and report go",
     .word = WORD_FILE},
    {"--name", "NAME", OPTION_TEXT, AT(name), .help = "Name of the model"},
    {0}};
static const bench_options initial = {
    .bus = {.interval_s = 0.2, .model = -1}, .motion_s = 6.0, .folder = "bench"};

const command command_ident_bench = {
    .name = "ident bench",
    .purpose = "Move a servo with a weight, record it and identify it.",
    .options = {options, bus_option_table},
    .size = sizeof(bench_options),
    .initial = &initial,
    .run = run_bench};
