#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "command.h"
#include "plant/plant.h"
#include "sinew/clock.h"
#include "sinew/random.h"

enum { CYCLES = 5000, WARM_UP = 500, GOAL_EVERY = 50 };

static const struct {
  const char *name;
  sn_plant_dynamics dynamics;
  double step_s; /* of integration, of a cycle of 1 ms */
} cases[] = {
    {"cycle", SN_PLANT_COUPLED, 0.00025},
    {"cycle_one_step", SN_PLANT_COUPLED, 0.001},
    {"cycle_decoupled", SN_PLANT_DECOUPLED, 0.00025},
};

/* Goals across the range of each joint, some servos limp: joints drive, brake and hit their stops.
 */
static void draw_goals(sn_random *random, const sn_model *model, sn_servo_goal *msg) {
  for (size_t i = 0; i < sn_model_pose_size(model); i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    msg->goal.data[i] =
        sn_random_between(random, fmax(joint->lower, -3.0), fmin(joint->upper, 3.0));
    msg->limp.data[i] = sn_random_unit(random) < 0.05;
  }
}

/* @return number of cycles with finite results */
static size_t measure(sn_plant *plant, const sn_model *model, sn_servo_goal *msg, int64_t *times) {
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  sn_random random;
  sn_random_init(&random, 3);
  size_t good = 0;
  for (size_t i = 0; i < CYCLES + WARM_UP; i++) {
    if (i % GOAL_EVERY == 0) {
      draw_goals(&random, model, msg);
    }
    const int64_t start_ns = sn_clock_now_ns(&clock);
    (void)sn__plant_take_goals(plant, msg);
    sn__plant_step(plant, 0.001);
    if (i >= WARM_UP) {
      times[i - WARM_UP] = sn_clock_now_ns(&clock) - start_ns;
      double sum = 0.0;
      for (size_t j = 0; j < sn_model_pose_size(model); j++) {
        sum += sn__plant_q(plant)[j];
      }
      good += isfinite(sum) ? 1 : 0;
    }
  }
  return good;
}

static int run_case(const bench_request *request, size_t c, robot *r, const char *name) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "bench", 0);
  const size_t n = sn_model_pose_size(r->model);
  int64_t *times = SN_NEW(&arena, int64_t, CYCLES);
  sn_servo_goal *msg =
      sn_msg_create(&arena, &sn_servo_goal_type, &(sn_msg_capacity){.item_count = n});
  sn_plant *plant = NULL;
  sn_error err = {.message = "no memory"};
  const sn_plant_config config = {.dynamics = cases[c].dynamics, .step_max_s = cases[c].step_s};
  const bool is_good = times != NULL && msg != NULL &&
                       sn__plant_create(&arena, r->model, &config, &plant, &err) == SN_OK;
  if (is_good) {
    sn_msg_names_share(&msg->name, sn_model_joint_names(r->model));
    msg->goal.count = msg->limp.count = n;
    const size_t good = measure(plant, r->model, msg, times);
    bench_print(request, &(bench_result){.bench = "plant",
                                         .name = cases[c].name,
                                         .robot = name,
                                         .good = (double)good / CYCLES,
                                         .times = times,
                                         .count = CYCLES});
  } else {
    fprintf(stderr, "sinew bench: %s\n", err.message);
  }
  sn_arena_release(&arena);
  return is_good ? EXIT_GOOD : EXIT_FAULT;
}

static int run_robot(const bench_request *request, robot *r, const char *name) {
  int code = sn_model_pose_size(r->model) > 0 ? EXIT_GOOD : EXIT_NO;
  if (code == EXIT_NO) {
    fprintf(stderr, "sinew bench: %s has no joints that move\n", r->urdf);
  }
  for (size_t c = 0; code == EXIT_GOOD && c < sizeof cases / sizeof *cases; c++) {
    code = run_case(request, c, r, name);
  }
  return code;
}

int bench_plant(const bench_request *request) {
  int worst = bench_robots(request, run_robot);
  if (request->urdf == NULL) {
    const int code = bench_robot(request, "quadruped", run_robot);
    worst = code > worst ? code : worst;
  }
  return worst;
}
