#include <stdio.h>

#include "arbiter/arbiter_core.h"
#include "bench/bench.h"
#include "command.h"
#include "sinew/clock.h"
#include "sinew/random.h"

/* A request to an arbiter with the controllers and resources of a large machine. */
enum { CONTROLLERS = 64, RESOURCES = 64, REQUESTS = 20000, WARM_UP = 1000 };

/* Kinds of requests. */
typedef enum traffic {
  ONE_OF_MANY,  /* a limb, from one of 64 owners */
  SOME,         /* eight limbs, some held with a higher priority */
  ALL_FROM_ALL, /* every limb, each from another owner that keeps requesting it */
  WITH_A_CROWD  /* a limb, while half of the controllers wait for many */
} traffic;

static const sn_names *make_names(sn_arena *arena, char letter, size_t count) {
  char texts[CONTROLLERS][8];
  const char *pointers[CONTROLLERS];
  for (size_t i = 0; i < count; i++) {
    snprintf(texts[i], sizeof texts[i], "%c%zu", letter, i);
    pointers[i] = texts[i];
  }
  const sn_names *names = NULL;
  sn_names_create(arena, pointers, count, &names, NULL);
  return names;
}

static sn_arbiter *make_arbiter(sn_arena *arena, traffic kind) {
  sn_arbiter_controller policies[CONTROLLERS] = {{false, 0}};
  for (size_t i = 0; i < CONTROLLERS; i++) {
    policies[i].keep_subset = kind == ALL_FROM_ALL || i % 2 == 0;
  }
  const sn_arbiter_config config = {.controllers = make_names(arena, 'c', CONTROLLERS),
                                    .resources = make_names(arena, 'r', RESOURCES),
                                    .policies = policies};
  sn_arbiter *arbiter = NULL;
  sn_error err;
  if (config.controllers == NULL || config.resources == NULL ||
      sn__arbiter_create(arena, &config, &arbiter, &err) != SN_OK) {
    fprintf(stderr, "sinew bench: out of memory\n");
  }
  return arbiter;
}

static void take_actions(sn_arbiter *arbiter) {
  sn_arbiter_action action;
  while (sn__arbiter_next_action(arbiter, &action)) {
  }
}

/* Before each request every resource has its owner. */
static void spread(sn_arbiter *arbiter) {
  sn_arbiter_action action;
  for (int c = 0; c < CONTROLLERS; c++) {
    sn_arbiter_claim claim = {.priority = 0};
    sn_resource_set_add(&claim.resources, (size_t)c);
    sn__arbiter_request(arbiter, c, &claim, 0, &action);
  }
  take_actions(arbiter);
}

/* Half of the controllers wait for sixteen resources each, in vain. */
static void gather_crowd(sn_arbiter *arbiter) {
  sn_arbiter_action action;
  sn_arbiter_claim strong = {.priority = 9};
  sn_resource_set_add(&strong.resources, RESOURCES - 1);
  sn__arbiter_request(arbiter, CONTROLLERS - 1, &strong, 0, &action);
  for (int c = CONTROLLERS / 2; c < CONTROLLERS - 1; c++) {
    sn_arbiter_claim claim = {.priority = 1, .wait_ns = SN_ARBITER_FOREVER};
    for (size_t i = RESOURCES - 16; i < RESOURCES; i++) {
      sn_resource_set_add(&claim.resources, i);
    }
    sn__arbiter_request(arbiter, c, &claim, 0, &action);
  }
  take_actions(arbiter);
}

static sn_arbiter_claim draw_claim(traffic kind, sn_random *random) {
  sn_arbiter_claim claim = {.priority = 0};
  if (kind == ALL_FROM_ALL) {
    claim.resources = sn_resource_set_first(RESOURCES);
    return claim;
  }
  for (size_t i = kind == SOME ? 8 : 1; i > 0; i--) {
    sn_resource_set_add(&claim.resources,
                        (size_t)sn_random_below(random, kind == SOME ? RESOURCES : RESOURCES / 2));
  }
  claim.priority = kind == SOME ? (int32_t)sn_random_below(random, 3) : 0;
  return claim;
}

/* @return number of granted requests */
static size_t measure(sn_arbiter *arbiter, traffic kind, int64_t *times) {
  sn_random random;
  sn_random_init(&random, 1);
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  size_t granted = 0;
  for (size_t k = 0; k < WARM_UP + REQUESTS; k++) {
    if (kind == ALL_FROM_ALL) {
      spread(arbiter);
    }
    const sn_arbiter_claim claim = draw_claim(kind, &random);
    const int c = (int)sn_random_below(&random, CONTROLLERS / 2);
    sn_arbiter_action action;
    const int64_t start_ns = sn_clock_now_ns(&clock);
    const sn_arbiter_answer answer = sn__arbiter_request(arbiter, c, &claim, start_ns, &action);
    const int64_t end_ns = sn_clock_now_ns(&clock);
    take_actions(arbiter);
    if (k >= WARM_UP) {
      times[k - WARM_UP] = end_ns - start_ns;
      granted += answer == SN_ARBITER_GRANTED ? 1 : 0;
    }
  }
  return granted;
}

int bench_arbiter(const bench_request *request) {
  static const struct {
    traffic kind;
    const char *name;
  } cases[] = {
      {ONE_OF_MANY, "one"}, {SOME, "eight"}, {ALL_FROM_ALL, "all"}, {WITH_A_CROWD, "crowd"}};
  int code = EXIT_GOOD;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0] && code == EXIT_GOOD; i++) {
    sn_arena arena;
    sn_arena_init_growing(&arena, "bench", (size_t)1 << 20);
    sn_arbiter *arbiter = make_arbiter(&arena, cases[i].kind);
    int64_t *times = SN_NEW(&arena, int64_t, REQUESTS);
    if (arbiter == NULL || times == NULL) {
      code = EXIT_FAULT;
    } else {
      spread(arbiter);
      if (cases[i].kind == WITH_A_CROWD) {
        gather_crowd(arbiter);
      }
      const size_t granted = measure(arbiter, cases[i].kind, times);
      const bench_result result = {.bench = "arbiter",
                                   .name = cases[i].name,
                                   .robot = "64 x 64",
                                   .good = (double)granted / REQUESTS,
                                   .times = times,
                                   .count = REQUESTS};
      bench_print(request, &result);
    }
    sn_arena_release(&arena);
  }
  return code;
}
