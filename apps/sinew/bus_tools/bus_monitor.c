/* `sinew bus monitor`: the state of servos, printed repeatedly. */
#define _POSIX_C_SOURCE 200809L /* nanosleep() */

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bus_tools/bus.h"
#include "commands.h"
#include "common/print.h"
#include "live/control_print.h"
#include "rt/histogram.h"
#include "sinew/activity.h"

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number) {
  (void)number;
  is_interrupted = 1;
}

enum { COLUMNS = 10, SERVOS_MAX = 40 };
_Static_assert(COLUMNS <= CONTROL_COLUMNS_MAX, "too many columns for a table");

typedef struct watched {
  uint8_t id;
  uint64_t retried, missed, damaged;
} watched;

typedef struct monitor {
  const bus_options *options;
  bus_line line;
  watched servos[SERVOS_MAX];
  size_t count;
  int64_t start_ns;
  uint64_t rounds;
  sn_histogram late; /* delay of each round */
} monitor;

static void find_ids(monitor *m) {
  for (int id = 0; id <= m->line.family->protocol->id_max && m->count < SERVOS_MAX; id++) {
    bus_answer answers[2];
    bool is_garbled = false;
    if (!is_interrupted && bus_line_ping(&m->line, (uint8_t)id, answers, 2, &is_garbled) > 0) {
      m->servos[m->count++].id = (uint8_t)id;
    }
  }
}

static void count_trouble(watched *w, const bus_line *line, bool is_there) {
  w->retried += line->tries > 0 ? line->tries - 1 : 0;
  w->damaged += line->damaged;
  w->missed += !is_there;
}

static bool read_servo(bus_line *line, watched *w, sn_servo_reading *out, char *faults,
                       size_t size) {
  const sn_servo_family *family = line->family;
  bus_answer answer = {.faults = 0};
  const bool is_there = bus_line_read(line, w->id, family->state, &answer);
  count_trouble(w, line, is_there);
  if (!is_there) {
    return false;
  }
  family->read_state(answer.data, out);
  bus_fault_text(answer.faults, faults, size);
  if (family->supply.size > 0) {
    const bool has_supply = bus_line_read(line, w->id, family->supply, &answer);
    count_trouble(w, line, has_supply);
    if (has_supply) {
      family->read_supply(answer.data, out);
    }
  }
  return true;
}

static void add_row(control_table *table, json_t *list, bus_line *line, watched *w) {
  const sn_servo_family *family = line->family;
  sn_servo_reading r = {.counts = 0};
  char cells[COLUMNS][40] = {"", "-", "-", "-", "-", "-", "", "", "", "no answer"};
  char faults[160] = "";
  const bool is_there = read_servo(line, w, &r, faults, sizeof faults);
  snprintf(cells[0], sizeof cells[0], "%d", w->id);
  if (is_there) {
    const double angle = (r.counts - family->counts_centre) / family->counts_per_rad;
    snprintf(cells[1], sizeof cells[1], "%d", (int)r.counts);
    snprintf(cells[2], sizeof cells[2], "%.3f", angle);
    snprintf(cells[3], sizeof cells[3], "%.0f %%", 100.0 * r.load);
    snprintf(cells[4], sizeof cells[4], r.has_supply ? "%.1f V" : "-", r.voltage);
    snprintf(cells[5], sizeof cells[5], r.has_temperature ? "%.0f C" : "-", r.temperature);
    snprintf(cells[9], sizeof cells[9], "%.39s", faults);
  }
  snprintf(cells[6], sizeof cells[6], "%llu", (unsigned long long)w->retried);
  snprintf(cells[7], sizeof cells[7], "%llu", (unsigned long long)w->missed);
  snprintf(cells[8], sizeof cells[8], "%llu", (unsigned long long)w->damaged);
  const char *texts[COLUMNS];
  for (size_t i = 0; i < COLUMNS; i++) {
    texts[i] = cells[i];
  }
  if (table != NULL) {
    control_table_add(table, texts);
  }
  json_array_append_new(
      list, json_pack("{s:i, s:b, s:i, s:f, s:f, s:f, s:I, s:I, s:I, s:s}", "id", w->id, "answers",
                      is_there, "position", (int)r.counts, "load", r.load, "voltage", r.voltage,
                      "temperature", r.temperature, "retried", (json_int_t)w->retried, "missed",
                      (json_int_t)w->missed, "damaged", (json_int_t)w->damaged, "faults", faults));
}

/* Statistics of the bus since the start of the monitor. */
static json_t *bus_of(const monitor *m) {
  const sn_bus_stats *s = &m->line.engine.stats;
  const double passed_s =
      fmax(1e-9 * (double)(sn_clock_now_ns(&m->line.clock) - m->start_ns), 1e-6);
  const double bytes = (double)(s->sent_bytes + s->received_bytes);
  return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I}", "rate_Hz",
                   (double)m->rounds / passed_s, "load", 1e-9 * (double)s->busy_ns / passed_s,
                   "bytes_per_s", bytes / passed_s, "jitter_p99_s",
                   1e-9 * (double)sn__histogram_quantile_ns(&m->late, 0.99), "jitter_max_s",
                   1e-9 * (double)sn__histogram_max_ns(&m->late), "latency_s",
                   s->answers == 0 ? 0.0 : 1e-9 * (double)s->latency_sum_ns / (double)s->answers,
                   "latency_max_s", 1e-9 * (double)s->latency_max_ns, "answers",
                   (json_int_t)s->answers, "retried", (json_int_t)s->retries, "missed",
                   (json_int_t)s->missing, "damaged", (json_int_t)s->damaged);
}

static double real_of(const json_t *bus, const char *name) {
  return json_real_value(json_object_get(bus, name));
}

static long long count_of(const json_t *bus, const char *name) {
  return json_integer_value(json_object_get(bus, name));
}

static void print_bus(const json_t *bus) {
  printf(
      "bus: %.1f rounds/s, load %.1f %% (%.0f bytes/s), jitter %.2f ms (99 %%), %.2f ms (max); "
      "latency %.2f ms (mean), %.2f ms (max)\n",
      real_of(bus, "rate_Hz"), 100.0 * real_of(bus, "load"), real_of(bus, "bytes_per_s"),
      1e3 * real_of(bus, "jitter_p99_s"), 1e3 * real_of(bus, "jitter_max_s"),
      1e3 * real_of(bus, "latency_s"), 1e3 * real_of(bus, "latency_max_s"));
  printf("%lld answers, %lld retried, %lld missing, %lld with a wrong checksum\n",
         count_of(bus, "answers"), count_of(bus, "retried"), count_of(bus, "missed"),
         count_of(bus, "damaged"));
}

static int print_once(monitor *m) {
  const bus_options *o = m->options;
  control_table table = {.columns = COLUMNS, .right = 0x1ff};
  if (!o->json) {
    control_table_add(&table,
                      (const char *const[]){"ID", "POSITION", "ANGLE", "LOAD", "VOLTAGE", "TEMP",
                                            "RETRIED", "MISSED", "DAMAGED", "FAULTS"});
  }
  json_t *list = json_array();
  for (size_t i = 0; i < m->count && !m->line.is_gone; i++) {
    add_row(o->json ? NULL : &table, list, &m->line, &m->servos[i]);
  }
  m->rounds++;
  json_t *bus = bus_of(m);
  if (o->json) {
    const int code = json_line_print(json_pack("{s:o, s:o}", "servos", list, "bus", bus));
    return code == EXIT_GOOD && m->line.is_gone ? EXIT_NO : code;
  }
  if (!o->once && isatty(STDOUT_FILENO)) {
    fputs("\033[H\033[J", stdout);
  }
  control_table_print(&table, stdout, 0);
  print_bus(bus);
  json_decref(list);
  json_decref(bus);
  return fflush(stdout) != 0 ? EXIT_FAULT : m->line.is_gone ? EXIT_NO : EXIT_GOOD;
}

/* Wait for the next round, or for a signal. */
static void wait_until(monitor *m, int64_t due_ns) {
  const int64_t wait_ns = due_ns - sn_clock_now_ns(&m->line.clock);
  if (wait_ns > 0) {
    const struct timespec pause = {.tv_sec = (time_t)(wait_ns / 1000000000),
                                   .tv_nsec = (long)(wait_ns % 1000000000)};
    nanosleep(&pause, NULL);
  }
}

static int watch(monitor *m) {
  const int64_t period_ns = (int64_t)(1e9 * m->options->interval_s);
  m->start_ns = sn_clock_now_ns(&m->line.clock);
  int64_t due_ns = m->start_ns;
  int code = print_once(m);
  while (!m->options->once && !is_interrupted && code == EXIT_GOOD) {
    due_ns += period_ns;
    wait_until(m, due_ns);
    const int64_t now_ns = sn_clock_now_ns(&m->line.clock);
    sn__histogram_add(&m->late, now_ns - due_ns);
    due_ns = now_ns - due_ns > period_ns ? now_ns : due_ns;
    code = is_interrupted ? code : print_once(m);
  }
  return code;
}

/* The servos named, or all that answer. @return an exit code */
static int choose(monitor *m) {
  const bus_options *o = m->options;
  if (m->count > 0) {
    return EXIT_GOOD;
  }
  find_ids(m);
  if (m->count == 0) {
    fprintf(stderr, "sinew bus: no servo answers on '%s'\n", o->port);
    return EXIT_NO;
  }
  return EXIT_GOOD;
}

static int run_monitor(void *arguments) {
  const bus_options *o = arguments;
  static monitor m;
  m = (monitor){.options = o};
  if (o->servos.count > SERVOS_MAX) {
    return command_misused(&command_bus_monitor, "more than %d servos", SERVOS_MAX);
  }
  for (size_t i = 0; i < o->servos.count; i++) {
    long id = 0;
    if (!bus_number(o->servos.items[i], "an id", 253, &id)) {
      return EXIT_USAGE;
    }
    m.servos[m.count++].id = (uint8_t)id;
  }
  if (!bus_open(o, &m.line)) {
    return EXIT_NO;
  }
  struct sigaction action = {.sa_handler = interrupt};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  int code = choose(&m);
  m.line.engine.stats = (sn_bus_stats){.answers = 0}; /* without the pings of the search */
  if (code == EXIT_GOOD) {
    code = watch(&m);
  }
  bus_line_close(&m.line);
  return code;
}

#define AT(member) offsetof(bus_options, member)
static const command_argument monitor_arguments[] = {
    {"ID", ARGUMENT_ANY, AT(servos), "Ids of the servos; all that answer unless given", WORD_NAME,
     NULL},
    {0}};
static const command_option monitor_options[] = {
    {"--once", NULL, OPTION_FLAG, AT(once), .help = "Print once and end"},
    {"--interval", "S", OPTION_NUMBER, AT(interval_s),
     .help = "Time between updates, 0.2 s unless given", .min = 0.02, .max = 3600.0},
    {0}};

const command command_bus_monitor = {
    .name = "bus monitor",
    .purpose = "Show position, load, voltage, temperature and faults of servos.",
    .arguments = monitor_arguments,
    .options = {bus_option_table, monitor_options},
    .size = sizeof(bus_options),
    .initial = &bus_initial,
    .run = run_monitor};
