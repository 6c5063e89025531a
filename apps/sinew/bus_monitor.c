/* `sinew bus monitor`: what servos say, again and again. */
#define _POSIX_C_SOURCE 200809L /* nanosleep() */

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bus.h"
#include "command.h"
#include "control_print.h"
#include "json_line.h"

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number) {
  (void)number;
  is_interrupted = 1;
}

static size_t find_ids(bus_line *line, uint8_t *ids, size_t room) {
  size_t count = 0;
  for (int id = 0; id <= line->family->protocol->id_max && count < room; id++) {
    bus_answer answers[2];
    bool is_garbled = false;
    if (bus_line_ping(line, (uint8_t)id, answers, 2, &is_garbled) > 0) {
      ids[count++] = (uint8_t)id;
    }
  }
  return count;
}

static void add_row(control_table *table, json_t *list, bus_line *line, uint8_t id) {
  const sn_servo_family *family = line->family;
  bus_answer answer = {.faults = 0};
  sn_servo_reading r = {.counts = 0};
  char cells[7][40] = {"", "-", "-", "-", "-", "-", "no answer"};
  snprintf(cells[0], sizeof cells[0], "%d", id);
  const bool is_there = bus_line_read(line, id, family->state, &answer);
  char faults[160] = "";
  if (is_there) {
    family->read_state(answer.data, &r);
    bus_fault_text(answer.faults, faults, sizeof faults);
    if (family->supply.size > 0 && bus_line_read(line, id, family->supply, &answer)) {
      family->read_supply(answer.data, &r);
    }
    const double angle = (r.counts - family->counts_centre) / family->counts_per_rad;
    snprintf(cells[1], sizeof cells[1], "%d", (int)r.counts);
    snprintf(cells[2], sizeof cells[2], "%.3f", angle);
    snprintf(cells[3], sizeof cells[3], "%.0f %%", 100.0 * r.load);
    snprintf(cells[4], sizeof cells[4], r.has_supply ? "%.1f V" : "-", r.voltage);
    snprintf(cells[5], sizeof cells[5], r.has_temperature ? "%.0f C" : "-", r.temperature);
    snprintf(cells[6], sizeof cells[6], "%.39s", faults);
  }
  if (table != NULL) {
    control_table_add(table, (const char *const[]){cells[0], cells[1], cells[2], cells[3], cells[4],
                                                   cells[5], cells[6]});
  }
  json_array_append_new(
      list, json_pack("{s:i, s:b, s:i, s:f, s:f, s:f, s:s}", "id", id, "answers", is_there,
                      "position", (int)r.counts, "load", r.load, "voltage", r.voltage,
                      "temperature", r.temperature, "faults", faults));
}

static int print_once(const bus_options *o, bus_line *line, const uint8_t *ids, size_t count) {
  control_table table = {.columns = 7, .right = 0x3f};
  if (!o->json) {
    control_table_add(&table, (const char *const[]){"ID", "POSITION", "ANGLE", "LOAD", "VOLTAGE",
                                                    "TEMP", "FAULTS"});
  }
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    add_row(o->json ? NULL : &table, list, line, ids[i]);
  }
  if (!o->json && !o->once && isatty(STDOUT_FILENO)) {
    fputs("\033[H\033[J", stdout);
  }
  if (!o->json) {
    control_table_print(&table, stdout, 0);
  }
  if (o->json) {
    return json_line_print(list);
  }
  json_decref(list);
  const sn_bus_stats *s = &line->engine.stats;
  printf("%llu answers, %llu missing, %llu damaged, mean latency %.2f ms\n",
         (unsigned long long)s->answers, (unsigned long long)s->missing,
         (unsigned long long)s->damaged,
         s->answers == 0 ? 0.0 : 1e-6 * (double)s->latency_sum_ns / (double)s->answers);
  return fflush(stdout) == 0 ? EXIT_GOOD : EXIT_FAULT;
}

int bus_monitor(const bus_options *o) {
  uint8_t ids[BUS_WORDS_MAX];
  size_t count = 0;
  for (int i = 0; i < o->count; i++) {
    long id = 0;
    if (!bus_number(o->words[i], "id", 253, &id)) {
      return EXIT_USAGE;
    }
    ids[count++] = (uint8_t)id;
  }
  bus_line line;
  if (!bus_open(o, &line)) {
    return EXIT_NO;
  }
  if (count == 0) {
    count = find_ids(&line, ids, BUS_WORDS_MAX);
  }
  if (count == 0) {
    fputs("sinew bus: no servo answers\n", stderr);
    bus_line_close(&line);
    return EXIT_NO;
  }
  struct sigaction action = {.sa_handler = interrupt};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  int code = print_once(o, &line, ids, count);
  while (!o->once && !is_interrupted && code == EXIT_GOOD) {
    const struct timespec pause = {
        .tv_sec = (time_t)o->interval_s,
        .tv_nsec = (long)(1e9 * (o->interval_s - (double)(time_t)o->interval_s))};
    nanosleep(&pause, NULL);
    code = is_interrupted ? code : print_once(o, &line, ids, count);
  }
  bus_line_close(&line);
  return code;
}
