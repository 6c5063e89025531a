#define _POSIX_C_SOURCE 200809L /* sigaction() */

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "commands.h"
#include "live/control_client.h"
#include "live/control_print.h"

typedef struct top_arguments {
  control_options control;
  bool once;
  bool histograms;
  double interval_s;
} top_arguments;

static json_int_t number(const json_t *object, const char *name) {
  return json_integer_value(json_object_get(object, name));
}

/* `p50 p99 max`, in one cell. */
static void format_histogram(const json_t *histogram, char *out, size_t size) {
  char p50[20];
  char p99[20];
  char max[20];
  if (number(histogram, "count") == 0) {
    snprintf(out, size, "%7s %7s %7s", "-", "-", "-");
    return;
  }
  control_format_ns(number(histogram, "p50_ns"), p50, sizeof p50);
  control_format_ns(number(histogram, "p99_ns"), p99, sizeof p99);
  control_format_ns(number(histogram, "max_ns"), max, sizeof max);
  snprintf(out, size, "%7s %7s %7s", p50, p99, max);
}

static void print_activities(const json_t *list) {
  control_table table = {.columns = 7, .right = 0x1e};
  control_table_add(&table,
                    (const char *const[]){"ACTIVITY", "PERIOD", "CYCLES", "OVERRUNS", "SKIPPED",
                                          "LATENESS p50, p99, max", "DURATION p50, p99, max"});
  size_t i;
  json_t *activity;
  json_array_foreach(list, i, activity) {
    char period[20];
    char cycles[24];
    char overruns[24];
    char skipped[24];
    char lateness[CONTROL_CELL_SIZE];
    char duration[CONTROL_CELL_SIZE];
    control_format_ns(number(activity, "period_ns"), period, sizeof period);
    snprintf(cycles, sizeof cycles, "%lld", (long long)number(activity, "cycles"));
    snprintf(overruns, sizeof overruns, "%lld", (long long)number(activity, "overruns"));
    snprintf(skipped, sizeof skipped, "%lld", (long long)number(activity, "skipped"));
    format_histogram(json_object_get(activity, "lateness"), lateness, sizeof lateness);
    format_histogram(json_object_get(activity, "duration"), duration, sizeof duration);
    const char *shown = number(activity, "period_ns") == 0 ? "events" : period;
    control_table_add(&table, (const char *const[]){control_text(activity, "name", "?"), shown,
                                                    cycles, overruns, skipped, lateness, duration});
  }
  control_table_print(&table, stdout, 0);
}

static double total_ns(const json_t *component) {
  const json_t *duration = json_object_get(component, "duration");
  return (double)number(duration, "count") * (double)number(duration, "mean_ns");
}

static int compare_total(const void *a, const void *b) {
  const double x = total_ns(*(json_t *const *)a);
  const double y = total_ns(*(json_t *const *)b);
  return (x < y) - (x > y);
}

/* Sorted by time. */
static void print_components(const json_t *list) {
  const size_t count = json_array_size(list);
  json_t **sorted = malloc((count + 1) * sizeof *sorted);
  if (sorted == NULL) {
    return;
  }
  double sum_ns = 0.0;
  for (size_t i = 0; i < count; i++) {
    sorted[i] = json_array_get(list, i);
    sum_ns += total_ns(sorted[i]);
  }
  qsort(sorted, count, sizeof *sorted, compare_total);
  control_table table = {.columns = 6, .right = 0x38};
  control_table_add(&table, (const char *const[]){"COMPONENT", "ACTIVITY", "STATE", "STEPS", "TIME",
                                                  "STEP p50, p99, max"});
  for (size_t i = 0; i < count; i++) {
    char steps[24];
    char share[24];
    char duration[CONTROL_CELL_SIZE];
    snprintf(steps, sizeof steps, "%lld", (long long)number(sorted[i], "steps"));
    snprintf(share, sizeof share, "%.1f %%",
             sum_ns > 0.0 ? 100.0 * total_ns(sorted[i]) / sum_ns : 0);
    format_histogram(json_object_get(sorted[i], "duration"), duration, sizeof duration);
    control_table_add(&table, (const char *const[]){control_text(sorted[i], "name", "?"),
                                                    control_text(sorted[i], "activity", "-"),
                                                    control_text(sorted[i], "state", "?"), steps,
                                                    share, duration});
  }
  control_table_print(&table, stdout, 0);
  free(sorted);
}

static int print_top(const top_arguments *t, control_client *client, bool is_screen) {
  json_t *request = json_pack("{s:s}", "verb", "top");
  if (t->histograms) {
    json_object_set_new(request, "histograms", json_true());
  }
  json_t *result = NULL;
  const int code = control_client_ask(client, request, &result);
  if (code == EXIT_GOOD && t->control.json) {
    control_client_print_result(client, result);
  } else if (code == EXIT_GOOD) {
    if (is_screen) {
      fputs("\033[H\033[J", stdout); /* home, clear */
    }
    print_activities(json_object_get(result, "activities"));
    putchar('\n');
    print_components(json_object_get(result, "components"));
    if (is_screen) {
      puts("\nq ends");
    }
  }
  json_decref(result);
  return fflush(stdout) == 0 ? code : EXIT_FAULT;
}

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal) {
  (void)signal;
  is_interrupted = 1;
}

/* @return false if q was pressed */
static bool wait_for_key(double interval_s, bool is_terminal) {
  struct pollfd input = {is_terminal ? STDIN_FILENO : -1, POLLIN, 0};
  if (poll(&input, 1, (int)(1000.0 * interval_s)) > 0) {
    char key = 'q'; /* also at the end of the input */
    return read(STDIN_FILENO, &key, 1) == 1 && key != 'q';
  }
  return true;
}

/* Keys act at once and are not echoed. Ctrl-C only ends the loop, so that the terminal is restored.
 */
static int print_repeatedly(const top_arguments *t, control_client *client) {
  const bool is_screen = isatty(STDOUT_FILENO) && !t->control.json;
  struct termios before;
  const bool is_terminal = tcgetattr(STDIN_FILENO, &before) == 0;
  if (is_terminal) {
    struct termios keys = before;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  }
  const struct sigaction action = {.sa_handler = interrupt};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  int code = EXIT_GOOD;
  do {
    code = print_top(t, client, is_screen);
  } while (code == EXIT_GOOD && !is_interrupted && wait_for_key(t->interval_s, is_terminal) &&
           !is_interrupted);
  if (is_terminal) {
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
  }
  return is_interrupted ? EXIT_GOOD : code;
}

static int run_top(void *arguments) {
  const top_arguments *t = arguments;
  control_client client;
  int code = control_client_open(&client, &t->control);
  if (code == EXIT_GOOD) {
    code = t->once ? print_top(t, &client, false) : print_repeatedly(t, &client);
  }
  control_client_close(&client);
  return code;
}

#define AT(member) offsetof(top_arguments, member)
static const command_option options[] = {
    {"--once", NULL, OPTION_FLAG, AT(once), .help = "Print once and end"},
    {"--interval", "S", OPTION_NUMBER, AT(interval_s),
     .help = "Time between updates, 1 s unless given", .min = 0.05, .max = 3600.0},
    {"--histograms", NULL, OPTION_FLAG, AT(histograms), .help = "Add histograms to the JSON"},
    {0}};
static const top_arguments initial = {.control = {.command = "top"}, .interval_s = 1.0};

const command command_top = {.name = "top",
                             .purpose = "Show the cycle times of a running system.",
                             .options = {options, control_option_table},
                             .size = sizeof initial,
                             .initial = &initial,
                             .run = run_top};
