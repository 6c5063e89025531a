/* Instances share nothing: in threads of their own they answer as they do alone. */
#include <pthread.h>

#include "ik_robot.h"

enum { CASES = 60, THREADS = 2 };

typedef struct job {
  const char *solver;
  const sn_model *model; /* shared by the threads */
  double answers[CASES][7];
  sn_ik_code codes[CASES];
} job;

static const char *const tool[] = {"tool0"};

static void answer(job *j) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "job", 1u << 18);
  sn_clock clock;
  sn_clock_init_simulated(&clock, 0);
  const sn_ik_config config = {.solver = j->solver,
                               .base_frame = "base_link",
                               .tip_frames = tool,
                               .tip_count = 1,
                               .clock = &clock};
  ik_robot r = {.model = j->model, .tip_count = 1, .tips = tool};
  assert_int_equal(sn_ik_create(&arena, j->model, &config, &r.ik, NULL), SN_OK);
  r.n = sn_ik_joint_count(r.ik);
  sn_random random;
  sn_random_init(&random, 41);
  double seed[7];
  robot_seed(&r, seed);
  for (size_t k = 0; k < CASES; k++) {
    double q[7];
    sn_pose target;
    robot_draw(&r, &random, q);
    robot_tips_at(&r, q, &target);
    j->codes[k] = sn_ik_search(r.ik, &target, 1, seed, r.n, 1.0, NULL, j->answers[k], NULL);
  }
  sn_arena_release(&arena);
}

static void *run(void *argument) {
  answer(argument);
  return NULL;
}

SN_TEST(two_solvers_in_two_threads_are_independent) {
  static const char *const files[] = {"arm6", "arm7"};
  static const char *const solvers[] = {"auto", "numeric"};
  for (size_t f = 0; f < 2; f++) {
    for (size_t s = 0; s < 2; s++) {
      static job alone, jobs[THREADS];
      ik_robot loaded;
      robot_open(&loaded, files[f], tool, 1, solvers[s]);
      memset(&alone, 0, sizeof alone);
      alone.solver = solvers[s];
      alone.model = loaded.model;
      jobs[0] = jobs[1] = alone;
      answer(&alone);
      pthread_t threads[THREADS];
      for (size_t t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_create(&threads[t], NULL, run, &jobs[t]), 0);
      }
      for (size_t t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        assert_memory_equal(jobs[t].answers, alone.answers, sizeof alone.answers);
        assert_memory_equal(jobs[t].codes, alone.codes, sizeof alone.codes);
      }
      robot_close(&loaded);
    }
  }
}
