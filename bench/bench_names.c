/* From the name of a joint to its place in the pose, `getJointIndex`, in robots of 30, 100 and 1000
   joints: for a known and for an unknown name.
   Beside it a hash map of C++ does the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "model/robot_model.h"
#include "sinew/model.h"

#define JOINTS_MAX 1000

typedef struct bench_context {
  const sn_model *model;
  sn_robot_model *service;
  char names[BENCH_INPUTS][32];
  char unknown[BENCH_INPUTS][32];
  int sink; /* what keeps a result from being dropped */
} bench_context;

static void ask_model(void *context, size_t k) {
  bench_context *c = context;
  c->sink += sn_model_joint_index(c->model, c->names[k]);
}

static void ask_unknown(void *context, size_t k) {
  bench_context *c = context;
  c->sink += sn_model_joint_index(c->model, c->unknown[k]);
}

/* A robot of that many joints in series. */
static size_t write_robot(size_t count, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "<robot name='r'><link name='l0'/>");
  for (size_t i = 0; i < count; i++) {
    char name[32];
    bench_joint_name(i, name, sizeof name);
    used += (size_t)snprintf(text + used, size - used,
                             "<link name='l%zu'/><joint name='%s' type='continuous'>"
                             "<parent link='l%zu'/><child link='l%zu'/></joint>",
                             i + 1, name, i, i + 1);
  }
  return used + (size_t)snprintf(text + used, size - used, "</robot>");
}

static void run(size_t count) {
  static char text[JOINTS_MAX * 200];
  static bench_context c;
  const size_t size = write_robot(count, text, sizeof text);
  if (sn__robot_model_create(&c.service, NULL) != SN_OK ||
      sn__robot_model_configure(c.service, text, size, NULL, NULL, NULL) != SN_OK) {
    fprintf(stderr, "cannot make a robot of %zu joints\n", count);
    exit(1);
  }
  c.model = sn__robot_model_hold(c.service);
  for (size_t k = 0; k < BENCH_INPUTS; k++) {
    bench_joint_name(BENCH_NAME_AT(k, count), c.names[k], sizeof c.names[k]);
    bench_joint_name(count + k, c.unknown[k], sizeof c.unknown[k]);
  }
  char robot[32];
  snprintf(robot, sizeof robot, "%zu_joints", count);
  bench_case what = {
      .library = "sinew", .name = "joint_index", .robot = robot, .joint_count = count};
  bench_run(&what, ask_model, &c);
  what.name = "joint_index_unknown";
  bench_run(&what, ask_unknown, &c);
  sn__robot_model_release(c.service);
  sn__robot_model_destroy(c.service);
  static const bench_library peer = {"peer_names", "g++"};
  char number[16];
  snprintf(number, sizeof number, "%zu", count);
  bench_peer_beside(&peer, (char *[]){number, NULL});
  if (c.sink == 12345678) { /* never; but the compiler does not know */
    printf("\n");
  }
}

int main(void) {
  static const size_t counts[] = {30, 100, JOINTS_MAX};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    run(counts[i]);
  }
  return 0;
}
