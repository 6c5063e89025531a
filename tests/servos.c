/* Servos that are not there: a bus of simulated ones behind a pseudo-terminal, for trying things by
   hand.

     servos FAMILY LINK [--count N] [--first ID] [--model N] [--corrupt P] [--lose P] [--sag V]
            [--echo]

   FAMILY: dynamixel, feetech_sts, feetech_scs, herkulex. LINK is the port to open. Then, a line
   each: unplug | plug            the adapter away ID | back ID        a servo fault ID BYTE the
   error byte of its answers hot ID DEGREES           its temperature move ID RADIANS          by
   hand show                     where they are It ends with its input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_pty.h"

static const char *const families[] = {"dynamixel", "feetech_sts", "feetech_scs", "herkulex"};

typedef struct choices {
  int kind, count, first, model;
  double corrupt, lose, sag;
  bool echoes;
} choices;

static bool read_options(int argc, char **argv, choices *out) {
  *out = (choices){.kind = -1, .count = 6, .first = 1, .model = 1030};
  for (int k = 0; argc > 2 && k < 4; k++) {
    out->kind = strcmp(argv[1], families[k]) == 0 ? k : out->kind;
  }
  for (int i = 3; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--echo") == 0) {
      out->echoes = true;
      continue;
    }
    double *number = strcmp(argv[i], "--corrupt") == 0 ? &out->corrupt
                     : strcmp(argv[i], "--lose") == 0  ? &out->lose
                     : strcmp(argv[i], "--sag") == 0   ? &out->sag
                                                       : NULL;
    int *whole = strcmp(argv[i], "--count") == 0   ? &out->count
                 : strcmp(argv[i], "--first") == 0 ? &out->first
                 : strcmp(argv[i], "--model") == 0 ? &out->model
                                                   : NULL;
    if (number == NULL && whole == NULL) {
      return false;
    }
    if (number != NULL) {
      *number = strtod(value, NULL);
    } else {
      *whole = atoi(value);
    }
    i++;
  }
  return out->kind >= 0 && out->count >= 0 && out->count <= SIM_SERVOS_MAX;
}

static void show(const servo_sim *sim) {
  for (size_t i = 0; i < sim->count; i++) {
    const sim_servo *s = &sim->servos[i];
    printf("%3d  at %7.3f rad, goal %7.3f, %s, %lu goals, fastest %.2f rad/s\n", s->id, s->q,
           s->goal, s->torque ? "torque" : "limp", (unsigned long)s->goal_count, s->speed_max);
  }
  fflush(stdout);
}

static void change(servo_sim *sim, const char *what, int id, double value) {
  for (size_t i = 0; i < sim->count; i++) {
    sim_servo *s = &sim->servos[i];
    if (s->id != id) {
      continue;
    }
    if (strcmp(what, "away") == 0) {
      s->is_unplugged = true;
    } else if (strcmp(what, "back") == 0) { /* without power it was limp */
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

int main(int argc, char **argv) {
  choices c;
  if (!read_options(argc, argv, &c)) {
    fputs(
        "usage: servos dynamixel|feetech_sts|feetech_scs|herkulex LINK [--count N] [--first ID]\n"
        "       [--model N] [--corrupt P] [--lose P] [--sag V] [--echo]\n",
        stderr);
    return 2;
  }
  static servo_sim sim;
  servo_sim_init(&sim, (sim_kind)c.kind, 1000000, 1);
  for (int i = 0; i < c.count; i++) {
    servo_sim_add(&sim, (uint8_t)(c.first + i), (uint16_t)c.model);
  }
  sim.corrupt = c.corrupt;
  sim.lose = c.lose;
  sim.sag = c.sag;
  sim.echoes = c.echoes;
  sim_pty *pty = sim_pty_start(&sim, argv[2]);
  printf("%d servos at %s\n", c.count, sim_pty_path(pty));
  fflush(stdout);
  char line[128];
  while (fgets(line, sizeof line, stdin) != NULL) {
    char what[16] = "";
    int id = 0;
    double value = 0.0;
    (void)sscanf(line, "%15s %d %lf", what, &id, &value);
    if (strcmp(what, "unplug") == 0) {
      sim_pty_unplug(pty);
    } else if (strcmp(what, "plug") == 0) {
      sim_pty_plug(pty);
    } else {
      servo_sim *s = sim_pty_lock(pty);
      if (strcmp(what, "show") == 0) {
        show(s);
      } else {
        change(s, what, id, value);
      }
      sim_pty_unlock(pty);
    }
  }
  sim_pty_stop(pty);
  return 0;
}
