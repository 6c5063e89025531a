/* `sinew fail`: faults of simulated servos and buses. They are properties of the plant, so that
   deployments and recordings know them, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "live/control_client.h"
#include "live/control_print.h"

/* Properties of the plant that list joints. */
static const char *const servo_faults[] = {"frozen", "silent", "hot", "stuck", "noisy", "delayed"};
enum { SERVO_FAULTS = sizeof servo_faults / sizeof *servo_faults };
#define SERVO_FAULT_LIST "frozen, silent, hot, stuck, noisy or delayed"

/* Properties of the plant with their values for each fault of the bus. */
static const struct {
  const char *fault;
  double loss; /* probability */
  int delay;   /* cycles */
} bus_faults[] = {{"none", 0.0, 0}, {"silent", 1.0, 0}, {"lossy", 0.2, 0}, {"delayed", 0.0, 20}};
enum { BUS_FAULTS = sizeof bus_faults / sizeof *bus_faults };

typedef struct fail_arguments {
  control_options control;
  const char *what, *fault;
} fail_arguments;

/* The name of the simulated robot's component. */
typedef struct plant {
  control_client *client;
  char name[80];
} plant;

/* @param what      as the user wrote it
 *  @param problem   continues it */
static int refuse(const char *what, const char *problem) {
  fprintf(stderr, "sinew fail: '%s' %s\n", what, problem);
  return EXIT_NO;
}

static int find_plant(plant *p) {
  json_t *list = NULL;
  const int code = control_client_ask(p->client, json_pack("{s:s}", "verb", "ls"), &list);
  size_t i;
  json_t *component;
  *p->name = '\0';
  json_array_foreach(json_object_get(list, "components"), i, component) {
    const char *type = control_text(component, "type", "");
    if (strcmp(type, "plant") == 0 || strcmp(type, "plant_mujoco") == 0) {
      snprintf(p->name, sizeof p->name, "%s", control_text(component, "name", ""));
    }
  }
  json_decref(list);
  if (code == EXIT_GOOD && *p->name == '\0') {
    fputs(
        "sinew fail: nothing is simulated here: no component of type plant or plant_mujoco runs; "
        "a real robot is not made to fail by command\n",
        stderr);
    return EXIT_NO;
  }
  return code;
}

static int get(const plant *p, const char *property, json_t **value) {
  char name[160];
  snprintf(name, sizeof name, "%s.%s", p->name, property);
  return control_client_ask(p->client, json_pack("{s:s, s:s}", "verb", "get", "name", name), value);
}

static int set(const plant *p, const char *property, const json_t *value) {
  char name[160];
  json_t *answer = NULL;
  snprintf(name, sizeof name, "%s.%s", p->name, property);
  char *text = json_dumps(value, JSON_ENCODE_ANY);
  const int code = control_client_ask(
      p->client, json_pack("{s:s, s:s, s:s}", "verb", "set", "name", name, "text", text), &answer);
  free(text);
  json_decref(answer);
  return code;
}

/* ---- servos ---- */

static bool has_text(const json_t *list, const char *text) {
  size_t i;
  json_t *item;
  json_array_foreach(list, i, item) {
    if (json_is_string(item) && strcmp(json_string_value(item), text) == 0) {
      return true;
    }
  }
  return false;
}

static int check_joint(const plant *p, const char *joint) {
  json_t *answer = NULL;
  const int code = control_client_ask(
      p->client, json_pack("{s:s, s:s}", "verb", "call", "name", "robot_model.listJoints"),
      &answer);
  const json_t *names = json_object_get(answer, "names");
  const bool is_unknown = code == EXIT_GOOD && !has_text(names, joint);
  if (is_unknown) {
    fprintf(stderr, "sinew fail: '%s' is not a joint of this robot; it has", joint);
    size_t i;
    json_t *name;
    json_array_foreach(names, i, name) {
      fprintf(stderr, "%s %s", i == 0 ? "" : ",", json_string_value(name));
    }
    fputs("; or say 'bus'\n", stderr);
  }
  json_decref(answer);
  return is_unknown ? EXIT_NO : code;
}

/* Add the joint to the list, or remove it. */
static int list_joint(const plant *p, const char *property, const char *joint, bool is_on) {
  json_t *list = NULL;
  int code = get(p, property, &list);
  if (code == EXIT_GOOD && has_text(list, joint) != is_on) {
    json_t *changed = json_array();
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item) {
      if (strcmp(json_string_value(item), joint) != 0) {
        json_array_append(changed, item);
      }
    }
    if (is_on) {
      json_array_append_new(changed, json_string(joint));
    }
    code = set(p, property, changed);
    json_decref(changed);
  }
  json_decref(list);
  return code;
}

/* A servo may have several faults; `none` removes all. */
static int fail_servo(const plant *p, const char *joint, const char *fault) {
  const bool is_none = strcmp(fault, "none") == 0;
  bool is_known = is_none;
  for (size_t i = 0; i < SERVO_FAULTS; i++) {
    is_known = is_known || strcmp(fault, servo_faults[i]) == 0;
  }
  if (!is_known) {
    return refuse(fault, "is not a fault of a servo: " SERVO_FAULT_LIST ", or none");
  }
  int code = check_joint(p, joint);
  for (size_t i = 0; i < SERVO_FAULTS && code == EXIT_GOOD; i++) {
    if (is_none || strcmp(fault, servo_faults[i]) == 0) {
      code = list_joint(p, servo_faults[i], joint, !is_none);
    }
  }
  return code;
}

/* ---- bus ---- */

static int set_bus(const plant *p, double loss, int delay) {
  json_t *rate = json_real(loss), *cycles = json_integer(delay);
  int code = set(p, "message_loss_rate", rate);
  code = code == EXIT_GOOD ? set(p, "goal_loss_rate", rate) : code;
  code = code == EXIT_GOOD ? set(p, "bus_delay", cycles) : code;
  json_decref(rate);
  json_decref(cycles);
  return code;
}

static int fail_bus(const plant *p, const char *fault) {
  for (size_t i = 0; i < BUS_FAULTS; i++) {
    if (strcmp(fault, bus_faults[i].fault) == 0) {
      return set_bus(p, bus_faults[i].loss, bus_faults[i].delay);
    }
  }
  return refuse(fault, "is not a fault of the bus: silent, lossy, delayed or none");
}

/* ---- what is wrong now ---- */

/* {"frozen": ["joint1"], ..., "message_loss_rate": 0.2, ...} */
static int print_faults(const plant *p) {
  static const char *const properties[] = {
      "frozen",         "silent",   "hot", "stuck", "noisy", "delayed", "message_loss_rate",
      "goal_loss_rate", "bus_delay"};
  json_t *all = json_object();
  int code = EXIT_GOOD;
  for (size_t i = 0; i < sizeof properties / sizeof *properties && code == EXIT_GOOD; i++) {
    json_t *value = NULL;
    code = get(p, properties[i], &value);
    const bool is_good = json_array_size(value) == 0 && !(json_number_value(value) > 0.0);
    if (value != NULL && (!is_good || p->client->options->json)) {
      json_object_set(all, properties[i], value);
    }
    json_decref(value);
  }
  if (code == EXIT_GOOD && p->client->options->json) {
    json_dumpf(all, stdout, JSON_COMPACT | JSON_REAL_PRECISION(15));
    putchar('\n');
  } else if (code == EXIT_GOOD && json_object_size(all) == 0) {
    puts("no faults");
  } else if (code == EXIT_GOOD) {
    control_print_lines(stdout, all, 0);
  }
  json_decref(all);
  return code;
}

static int run_fail(void *arguments) {
  const fail_arguments *a = arguments;
  control_client client;
  plant p = {.client = &client};
  int code = control_client_open(&client, &a->control);
  code = code == EXIT_GOOD ? find_plant(&p) : code;
  if (code == EXIT_GOOD && a->what != NULL) {
    code = a->fault == NULL ? refuse(a->what, "needs a fault: " SERVO_FAULT_LIST ", or none")
           : strcmp(a->what, "bus") == 0 ? fail_bus(&p, a->fault)
                                         : fail_servo(&p, a->what, a->fault);
  }
  code = code == EXIT_GOOD ? print_faults(&p) : code;
  control_client_close(&client);
  return code;
}

static const command_argument argument_table[] = {
    {"SERVO", ARGUMENT_OPTIONAL, offsetof(fail_arguments, what),
     "A joint, or 'bus' for all of them; without it the present faults are printed", WORD_NAME,
     NULL},
    {"FAULT", ARGUMENT_OPTIONAL, offsetof(fail_arguments, fault),
     SERVO_FAULT_LIST "; of the bus: silent, lossy or delayed; none: repaired", WORD_NAME, NULL},
    {0}};
static const fail_arguments initial = {.control = {.command = "fail"}};

const command command_fail = {.name = "fail",
                              .purpose = "Make a servo or the bus of a simulated robot fail.",
                              .arguments = argument_table,
                              .options = {control_option_table},
                              .size = sizeof initial,
                              .initial = &initial,
                              .run = run_fail};
