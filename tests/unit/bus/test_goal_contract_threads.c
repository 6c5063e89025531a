/* The plant and the drivers of real servos treat the same messages of goals in the same way. */
#define _GNU_SOURCE

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "driver_rig.h"
#include "plant/plant.h"
#include "rig.h"
#include "sim/sim_pty.h"
#include "sinew/components.h"
#include "sinew/msg_types.h"
#include "sinew/tap.h"
#include "sn_test.h"

enum { JOINTS = 6 };

/* A message: names, goals and limp flags. */
typedef struct goals_case {
  const char *names[4];
  double goal[4];
  bool limp[4];
  size_t goal_count, limp_count;
  sn_plant_verdict verdict;
} goals_case;

/* Each valid message has different goals, which shows that it was taken. */
static const goals_case cases[] = {
    {{"joint1", "joint2"}, {0.10, 0.11}, {0}, 2, 0, SN_PLANT_TAKEN},
    {{"joint3"}, {0.12}, {0}, 1, 0, SN_PLANT_TAKEN}, /* a subset */
    {{"joint5", "joint6"}, {-0.1, -0.2}, {0}, 2, 0, SN_PLANT_TAKEN},
    {{"joint2", "joint1", "joint2"}, {0.2, 0.2, 0.2}, {0}, 3, 0, SN_PLANT_DUPLICATE},
    {{"joint2", "joint2"}, {0}, {true, true}, 0, 2, SN_PLANT_DUPLICATE},
    {{"joint4", "nose"}, {0.13, 0.2}, {0}, 2, 0, SN_PLANT_UNKNOWN},
    {{"joint1", "joint2"}, {0.2}, {0}, 1, 0, SN_PLANT_LENGTHS},
    {{"joint1"}, {0.2, 0.2}, {0}, 2, 0, SN_PLANT_LENGTHS},
    {{"joint1", "joint2"}, {0.2, 0.2}, {true}, 2, 1, SN_PLANT_LENGTHS},
    {{"joint1"}, {0}, {0}, 0, 0, SN_PLANT_LENGTHS}, /* names alone */
    {{NULL}, {0}, {0}, 0, 0, SN_PLANT_LENGTHS},     /* nothing at all */
    {{"joint1", "joint2"}, {0.2, (double)NAN}, {0}, 2, 0, SN_PLANT_NOT_FINITE},
    {{"joint1"}, {(double)INFINITY}, {0}, 1, 0, SN_PLANT_NOT_FINITE},
    {{"joint5", "joint6"}, {0.14, 0.15}, {false, true}, 2, 2, SN_PLANT_TAKEN},
    {{"joint6"}, {0}, {false}, 0, 1, SN_PLANT_TAKEN}, /* flags alone: it has torque again */
    {{"nose", "joint1", "nose"}, {0.2, 0.16, 0.2}, {0}, 3, 0, SN_PLANT_UNKNOWN},
    {{"joint2", "nose", "joint2"}, {0.2, 0.2, 0.2}, {0}, 3, 0, SN_PLANT_DUPLICATE},
    {{"joint3", "joint1"}, {0.17, 0.18}, {0}, 2, 0, SN_PLANT_TAKEN},
    {{"joint3", "joint1"}, {0.19, 0.20}, {0}, 2, 0, SN_PLANT_TAKEN}, /* the same names again */
    {{"joint1", "joint3"}, {0.21, 0.22}, {0}, 2, 0, SN_PLANT_TAKEN}, /* in another order */
    {{"joint3", "joint"}, {0.23, 0.2}, {0}, 2, 0, SN_PLANT_UNKNOWN}, /* a shorter name */
};
enum { CASES = sizeof cases / sizeof *cases };

static void fill(sn_servo_goal *msg, const goals_case *c) {
  sn_msg_names_clear(&msg->name);
  for (size_t i = 0; i < 4 && c->names[i] != NULL; i++) {
    assert_int_equal(sn_msg_names_add(&msg->name, c->names[i], strlen(c->names[i])), SN_OK);
  }
  msg->goal.count = c->goal_count;
  msg->limp.count = c->limp_count;
  for (size_t i = 0; i < 4; i++) {
    msg->goal.data[i] = c->goal[i];
    msg->limp.data[i] = c->limp[i];
  }
}

static bool is_taken(sn_plant_verdict verdict) {
  return verdict == SN_PLANT_TAKEN || verdict == SN_PLANT_UNKNOWN;
}

/* NaN never passes a source: what is sent to a component here must be finite. */
static bool can_send(const goals_case *c) {
  return c->verdict != SN_PLANT_NOT_FINITE;
}

static void plant_gives_these_verdicts(void **state) {
  (void)state;
  sn_arena arena;
  sn_arena_init_growing(&arena, "plant", 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&arena, &report, NULL), SN_OK);
  const sn_model *model = NULL;
  sn_error err;
  assert_int_equal(sn_model_load(&arena, SINEW_ROBOTS "/arm6.urdf", NULL, report, &model, &err),
                   SN_OK);
  sn_plant *plant = NULL;
  assert_int_equal(sn__plant_create(&arena, model, &(sn_plant_config){0}, &plant, &err), SN_OK);
  sn_servo_goal *msg = sn_msg_create(&arena, &sn_servo_goal_type, NULL);
  for (size_t i = 0; i < CASES; i++) {
    fill(msg, &cases[i]);
    assert_int_equal(sn__plant_take_goals(plant, msg), cases[i].verdict);
  }
  sn_arena_release(&arena);
}

/* The drivers, and the series of a driver that has two. */
typedef struct family {
  sim_kind kind;
  const sn_component_type *type;
  const char *series; /* NULL: it has one */
} family;

static const family dynamixel = {SIM_DYNAMIXEL, &sn_driver_dynamixel_component, NULL};
static const family feetech_sts = {SIM_FEETECH_STS, &sn_driver_feetech_component, "sts"};
static const family feetech_scs = {SIM_FEETECH_SCS, &sn_driver_feetech_component, "scs"};
static const family herkulex = {SIM_HERKULEX, &sn_driver_herkulex_component, NULL};

typedef struct bench {
  rig r;
  sim_kind kind;
  sim_pty *pty;
  sn_source *goals;
  sn_tap *health;
  double expected[JOINTS]; /* goals that the servos should have; NaN: any */
  bool limp[JOINTS];       /* those that should be without torque */
} bench;

static void pause_ms(long ms) {
  nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void open_driver(bench *b, const family *of) {
  *b = (bench){.kind = of->kind};
  rig_open_real(&b->r, 2000000);
  driver_rig_add_model(&b->r);
  sn_component *driver = rig_add(&b->r, of->type, "driver");
  rig_require(&b->r, "driver.robot_model", "robot_model");
  servo_sim sim;
  servo_sim_init(&sim, of->kind, 1000000, 4);
  char servos[1024] = "[", ports[160];
  for (size_t i = 1; i <= JOINTS; i++) {
    servo_sim_add(&sim, (uint8_t)i, 77);
    char one[96];
    snprintf(one, sizeof one, "%s{joint: joint%zu, port: 0, id: %zu, model: 77}",
             i == 1 ? "" : ", ", i, i);
    strcat(servos, one);
  }
  strcat(servos, "]");
  b->pty = sim_pty_start(&sim, NULL);
  snprintf(ports, sizeof ports, "[%s]", sim_pty_path(b->pty));
  rig_set(&b->r, driver, "ports", ports);
  rig_set(&b->r, driver, "servos", servos);
  rig_set(&b->r, driver, "baud", "1000000");
  if (of->series != NULL) {
    rig_set(&b->r, driver, "series", of->series);
  }
  rig_set(&b->r, driver, "period", "0.08"); /* long timeouts */
  rig_set(&b->r, driver, "answer_time", "0.02");
  rig_set(&b->r, driver, "goal_timeout", "3600");
  rig_set(&b->r, driver, "guard_timeout", "10");
  assert_int_equal(sn_source_open(b->r.system, "driver.goals", NULL, &b->goals, &b->r.err), SN_OK);
  rig_begin(&b->r);
  assert_int_equal(sn_system_launch(b->r.system, &b->r.err), SN_OK);
}

/* Does a servo have the expected goal, to half a count, and the expected torque? */
static bool obeys(const bench *b, const sim_servo *servo, size_t i) {
  const double half = 0.51 / sim_counts_per_rad(b->kind);
  return isnan(b->expected[i]) || (servo->torque == !b->limp[i] &&
                                   (b->limp[i] || fabs(servo->goal - b->expected[i]) < half));
}

/* Waits until all servos do. */
static void expect_servos(bench *b, size_t number) {
  size_t i = 0;
  sim_servo servo = {.id = 0};
  for (int n = 0; n < 4000 && i < JOINTS; n++) {
    const servo_sim *sim = sim_pty_lock(b->pty);
    for (i = 0; i < JOINTS && obeys(b, &sim->servos[i], i); i++) {
    }
    servo = i < JOINTS ? sim->servos[i] : servo;
    sim_pty_unlock(b->pty);
    pause_ms(i < JOINTS ? 5 : 0);
  }
  if (i < JOINTS) {
    fail_msg("case %zu, joint%zu: goal %.4f, torque %d; expected %.4f, %d", number, i + 1,
             servo.goal, servo.torque, b->expected[i], !b->limp[i]);
  }
}

static void send(bench *b, const goals_case *c) {
  fill(sn_source_msg(b->goals), c);
  assert_int_equal(sn_source_write(b->goals), SN_OK);
}

/* Wait for the warning about a verdict. */
static void expect_warning(bench *b, sn_plant_verdict verdict) {
  char expected[160], line[300] = "";
  sn_log_record record;
  snprintf(expected, sizeof expected, "goals: %s%s",
           is_taken(verdict) ? "" : "refused: ", sn__plant_verdict_text(verdict));
  for (int n = 0; n < 4000; n++) {
    while (sn_log_read(b->r.log, &record)) { /* there may be others on a busy machine */
      sn_log_format(&record, line, sizeof line);
      if (strstr(line, expected) != NULL) {
        return;
      }
    }
    pause_ms(5);
  }
  fail_msg("no warning '%s', but '%s'", expected, line);
}

static void expect_taken(bench *b, const goals_case *c) {
  for (size_t k = 0; k < 4 && c->names[k] != NULL; k++) {
    if (strncmp(c->names[k], "joint", 5) != 0 || c->names[k][5] == '\0') {
      continue;
    }
    const int joint = c->names[k][5] - '1';
    b->limp[joint] = k < c->limp_count ? c->limp[k] : b->limp[joint];
    if (k < c->goal_count) {
      b->expected[joint] = c->goal[k];
    }
  }
}

/* Accepted goals reach the servos; rejected ones change nothing and are reported. Each kind of
   warning is logged at most once a second, so cases of one kind are that far apart. */
static void driver_gives_the_same_verdicts(void **state) {
  bench b;
  open_driver(&b, *state);
  /* First all servos hold a goal. */
  for (size_t i = 0; i < JOINTS; i++) {
    b.expected[i] = (double)NAN;
  }
  for (size_t i = 0; i < CASES; i++) {
    const goals_case *c = &cases[i];
    if (!can_send(c)) {
      continue;
    }
    if (is_taken(c->verdict)) {
      expect_taken(&b, c);
    }
    pause_ms(c->verdict == SN_PLANT_TAKEN ? 1 : 999);
    pause_ms(c->verdict == SN_PLANT_TAKEN ? 1 : 50);
    send(&b, c);
    if (c->verdict != SN_PLANT_TAKEN) {
      expect_warning(&b, c->verdict);
    }
    expect_servos(&b, i);
  }
  sn_source_close(b.goals);
  rig_close(&b.r);
  sim_pty_stop(b.pty);
}

int main(void) {
#define T(of) \
  { "the driver of " #of, driver_gives_the_same_verdicts, NULL, NULL, (void *)&of }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plant_gives_these_verdicts),
      T(dynamixel),
      T(feetech_sts),
      T(feetech_scs),
      T(herkulex),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
