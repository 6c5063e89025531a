/* `sinew bus simulate`: simulated servos behind a pseudo-terminal. */
#define _POSIX_C_SOURCE 200809L /* lstat(), sigwait() */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bus_tools/bus.h"
#include "commands.h"
#include "ident_tools/pendulum.h"
#include "servo/servo_library.h"
#include "sim/sim_pty.h"

enum { MODEL_DEFAULT = 1030 };

static const char *const families[] = {"dynamixel", "feetech_sts", "feetech_scs", "herkulex"};

static int kind_of(const sn_servo_family *family) {
  for (int k = 0; k < 4; k++) {
    if (strcmp(family->name, families[k]) == 0) {
      return k;
    }
  }
  return -1;
}

static bool has_id(const servo_sim *sim, long id) {
  for (size_t i = 0; i < sim->count; i++) {
    if (sim->servos[i].id == id) {
      return true;
    }
  }
  return false;
}

/* `1-6,9`: servos with these ids. */
static bool add_servos(servo_sim *sim, const char *ids, long id_max, uint16_t model) {
  const char *at = ids;
  do {
    char *end = NULL;
    const long first = strtol(at, &end, 10);
    long last = first;
    if (end == at || first < 0 || (*end != '-' && *end != ',' && *end != '\0')) {
      break;
    }
    if (*end == '-') {
      at = end + 1;
      last = strtol(at, &end, 10);
    }
    for (long id = first; id <= last && id <= id_max; id++) {
      if (sim->count == SIM_SERVOS_MAX || has_id(sim, id)) {
        fprintf(stderr, "sinew bus simulate: --ids %s: at most %d servos, each id once\n", ids,
                SIM_SERVOS_MAX);
        return false;
      }
      servo_sim_add(sim, (uint8_t)id, model);
    }
    if (end == at || last < first || last > id_max || (*end != ',' && *end != '\0')) {
      break;
    }
    if (*end == '\0') {
      return true;
    }
    at = end + 1;
  } while (true);
  fprintf(stderr, "sinew bus simulate: --ids is '%s', expected ids 0 .. %ld such as 1-6,9\n", ids,
          id_max);
  return false;
}

/* Replaces links only. */
static bool may_link(const char *path) {
  struct stat status;
  if (lstat(path, &status) == 0 ? S_ISLNK(status.st_mode) : errno == ENOENT) {
    return true;
  }
  fprintf(stderr, "sinew bus simulate: --port %s: exists and is not a link; choose another path\n",
          path);
  return false;
}

static void show(const servo_sim *sim) {
  for (size_t i = 0; i < sim->count; i++) {
    const sim_servo *s = &sim->servos[i];
    printf("%3d  at %7.3f rad, goal %7.3f, %s, %lu goals, fastest %.2f rad/s\n", s->id, s->q,
           s->goal, s->torque ? "torque" : "limp", (unsigned long)s->goal_count, s->speed_max);
  }
}

static void change(servo_sim *sim, const char *what, int id, double value) {
  for (size_t i = 0; i < sim->count; i++) {
    sim_servo *s = &sim->servos[i];
    if (s->id != id) {
      continue;
    }
    if (strcmp(what, "away") == 0) {
      s->is_unplugged = true;
    } else if (strcmp(what, "back") == 0) { /* it was limp without power */
      s->is_unplugged = s->torque = false;
    } else if (strcmp(what, "fault") == 0) {
      s->faults = (uint8_t)value;
    } else if (strcmp(what, "hot") == 0) {
      s->temperature = value;
    } else if (strcmp(what, "move") == 0) {
      s->q = value;
      s->qd = 0.0;
    }
  }
}

static void obey(sim_pty *pty, const char *line) {
  char what[16] = "";
  int id = 0;
  double value = 0.0;
  (void)sscanf(line, "%15s %d %lf", what, &id, &value);
  if (strcmp(what, "unplug") == 0) {
    sim_pty_unplug(pty);
  } else if (strcmp(what, "plug") == 0) {
    sim_pty_plug(pty);
  } else {
    servo_sim *sim = sim_pty_lock(pty);
    if (strcmp(what, "show") == 0) {
      show(sim);
    } else {
      change(sim, what, id, value);
    }
    sim_pty_unlock(pty);
  }
  fflush(stdout);
}

/* Execute lines of standard input until it is closed; then wait for a signal. */
static void serve(sim_pty *pty, int signals) {
  char line[128];
  size_t used = 0;
  struct pollfd fds[2] = {{.fd = signals, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
  while (poll(fds, 2, -1) >= 0 || errno == EINTR) {
    if (fds[0].revents != 0) {
      return;
    }
    if (fds[1].revents == 0) {
      continue;
    }
    char byte = 0;
    if (read(0, &byte, 1) <= 0) {
      fds[1].fd = -1; /* closed: continue without it */
    } else if (byte == '\n') {
      line[used] = '\0';
      obey(pty, line);
      used = 0;
    } else if (used + 1 < sizeof line) {
      line[used++] = byte;
    }
  }
}

static int run(const servo_sim *sim, const bus_options *o) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  sigprocmask(SIG_BLOCK, &set, NULL); /* the thread of the servos inherits it */
  const int signals = signalfd(-1, &set, SFD_CLOEXEC);
  sim_pty *pty = sim_pty_start(sim, o->port);
  printf("%zu servos at %s\n", sim->count, sim_pty_path(pty));
  fflush(stdout);
  serve(pty, signals);
  sim_pty_stop(pty);
  close(signals);
  return EXIT_GOOD;
}

/* Servos of the library, and their load. */
static bool set_servo(servo_sim *sim, const bus_options *o) {
  sn_error err;
  if (o->servo != NULL && sn__servo_of_library(o->servo, &sim->params, &err) != SN_OK) {
    fprintf(stderr, "sinew bus simulate: --servo: %s\n", err.message);
    return false;
  }
  if (o->load != NULL && !pendulum_parse(o->load, &sim->load)) {
    fprintf(stderr,
            "sinew bus simulate: --load is '%s', expected pendulum:mass=KG,length=M[,arm=KG] with "
            "numbers above 0\n",
            o->load);
    return false;
  }
  sim->supply = sim->voltage = o->supply > 0.0 ? o->supply : sim->supply;
  return true;
}

static int run_simulate(void *arguments) {
  const bus_options *o = arguments;
  static servo_sim sim;
  const int kind = o->family == NULL ? -1 : kind_of(o->family);
  if (kind < 0) {
    fputs(
        "sinew bus simulate: which servos? --family dynamixel, feetech_sts, feetech_scs or "
        "herkulex\n",
        stderr);
    return EXIT_USAGE;
  }
  const int64_t usual = kind == SIM_HERKULEX ? 115200 : 1000000;
  servo_sim_init(&sim, (sim_kind)kind, o->baud > 0 ? o->baud : usual, 1);
  sim.corrupt = o->corrupt;
  sim.lose = o->lose;
  sim.sag = o->sag;
  sim.echoes = o->echoes;
  if (!set_servo(&sim, o) ||
      !add_servos(&sim, o->ids, o->family->protocol->id_max,
                  (uint16_t)(o->model < 0 ? MODEL_DEFAULT : o->model)) ||
      (o->port != NULL && !may_link(o->port))) {
    return EXIT_USAGE;
  }
  return run(&sim, o);
}

#define AT(member) offsetof(bus_options, member)
static const command_option simulate_options[] = {
    {"--ids", "LIST", OPTION_TEXT, AT(ids),
     .help = "Ids of the servos, such as 1-6,9; 1-6 unless given"},
    {"--model", "N", OPTION_INTEGER, AT(model), .help = "Their model number", .max = 65535},
    {"--corrupt", "P", OPTION_NUMBER, AT(corrupt), .help = "Probability that a byte is damaged",
     .max = 1.0},
    {"--lose", "P", OPTION_NUMBER, AT(lose), .help = "Probability that a byte is lost", .max = 1.0},
    {"--sag", "V", OPTION_NUMBER, AT(sag), .help = "Voltage that the supply loses per loaded servo",
     .max = 100.0},
    {"--servo", "NAME", OPTION_TEXT, AT(servo), .help = "Servo of the library that they are"},
    {"--load", "pendulum:mass=KG,length=M[,arm=KG]", OPTION_TEXT, AT(load),
     .help = "What hangs on each of them"},
    {"--supply", "V", OPTION_NUMBER, AT(supply), .help = "Voltage of the supply", .min = 1.0,
     .max = 60.0},
    {"--echo", NULL, OPTION_FLAG, AT(echoes), .help = "Echo what is sent, as some adapters do"},
    {0}};

const command command_bus_simulate = {
    .name = "bus simulate",
    .purpose = "Simulate servos behind a serial port; --port is a link to it.",
    .options = {bus_option_table, simulate_options},
    .size = sizeof(bus_options),
    .initial = &bus_initial,
    .run = run_simulate};
