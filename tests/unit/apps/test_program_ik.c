/* `sinew ik`, `sinew id` and `sinew bench`, run as programs. */
#include <stdlib.h>

#include "program.h"
#include "sinew/dyn.h"
#include "sinew/kin.h"
#include "sinew/model.h"
#include "sinew/random.h"
#include "sn_test.h"

static sn_test_run run; /* large */

/* Run the program with this text on standard input. @return its exit code */
static int call(const char *input, const char *arguments) {
  sn_test_program(&run, "/", arguments, input);
  return run.code;
}

#define ARM6 SINEW_ROBOTS "/arm6.urdf base_link tool0 "

/* A chain to compare with, and poses on it. */
typedef struct bench {
  sn_arena arena;
  const sn_chain *chain;
  sn_random random;
} bench;

static void bench_open(bench *b) {
  sn_arena_init_growing(&b->arena, "bench", 1u << 16);
  const sn_model *model = NULL;
  assert_int_equal(sn_model_load(&b->arena, SINEW_ROBOTS "/arm6.urdf", NULL, NULL, &model, NULL),
                   SN_OK);
  assert_int_equal(sn_chain_create(&b->arena, model, "base_link", "tool0", &b->chain, NULL), SN_OK);
  sn_random_init(&b->random, 5);
}

/* Draws a pose and appends its line; returns where the tool is. */
static sn_pose add_pose(bench *b, char *text, size_t size) {
  double q[6];
  for (size_t i = 0; i < 6; i++) {
    q[i] = sn_random_between(&b->random, b->chain->lower[i], b->chain->upper[i]);
  }
  const sn_pose pose = sn_chain_fk(b->chain, q);
  const sn_quat r = sn_quat_from_mat3(pose.rot);
  const size_t length = strlen(text);
  snprintf(text + length, size - length, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", pose.pos.x,
           pose.pos.y, pose.pos.z, r.x, r.y, r.z, r.w);
  return pose;
}

/* Reads "OK <us> q ..." at *line and moves to the next one. */
static void read_answer(const char **line, double q[6]) {
  double us;
  int used = 0;
  const int found = sscanf(*line, "OK %lf %lf %lf %lf %lf %lf %lf%n", &us, &q[0], &q[1], &q[2],
                           &q[3], &q[4], &q[5], &used);
  if (found != 7 || (*line)[used] != '\n' || us < 0.0) {
    fail_msg("not an answer: %.100s", *line);
  }
  *line += used + 1;
}

SN_TEST(poses_are_answered_line_by_line) {
  static const char *const ways[] = {"", "--solver analytic", "--solver numeric --timeout 0.5",
                                     "--jobs 3", "--seed \"0 0 0 0 0.5 0\""};
  for (size_t w = 0; w < 5; w++) {
    bench b;
    bench_open(&b);
    static char text[1 << 16];
    static sn_pose poses[200];
    text[0] = '\0';
    for (size_t k = 0; k < 200; k++) {
      poses[k] = add_pose(&b, text, sizeof text);
    }
    char arguments[512];
    snprintf(arguments, sizeof arguments, "ik " ARM6 "%s", ways[w]);
    assert_int_equal(call(text, arguments), 0);
    const char *line = run.output;
    for (size_t k = 0; k < 200; k++) {
      double q[6];
      read_answer(&line, q);
      sn_assert_pose_near(sn_chain_fk(b.chain, q), poses[k], 1.1e-6);
    }
    assert_string_equal(line, "");
    sn_arena_release(&b.arena);
  }
}

SN_TEST(all_branches_come_in_blocks) {
  bench b;
  bench_open(&b);
  char text[2048] = "";
  sn_pose poses[5];
  for (size_t k = 0; k < 5; k++) {
    poses[k] = add_pose(&b, text, sizeof text);
  }
  assert_int_equal(call(text, "ik " ARM6 "--all"), 0);
  const char *line = run.output;
  for (size_t k = 0; k < 5; k++) {
    size_t branches = 0;
    while (*line != '\n') {
      double q[6];
      read_answer(&line, q);
      sn_assert_pose_near(sn_chain_fk(b.chain, q), poses[k], 1.1e-6);
      branches++;
    }
    assert_true(branches >= 1 && branches <= 8);
    line++;
  }
  assert_string_equal(line, "");
  sn_arena_release(&b.arena);
}

SN_TEST(unreachable_pose_is_a_code_and_exit_1) {
  assert_int_equal(call("9 0 0 0 0 0 1\n", "ik " ARM6), 1);
  assert_int_equal(strncmp(run.output, "NO_SOLUTION ", 12), 0);
  assert_int_equal(call("9 0 0 0 0 0 1\n", "ik " ARM6 "--timeout 0"), 1);
  assert_int_equal(strncmp(run.output, "TIMED_OUT ", 10), 0);
  assert_int_equal(call("9 0 0 0 0 0 1\n", "ik " ARM6 "--seed \"0 0 0 0 0 99\""), 1);
  sn_assert_contains(run.output, "IK_SEED_OUTSIDE_LIMITS ");
  sn_assert_contains(run.errors, "seed of joint 'joint6' is 99");
  /* A free axis makes it reachable. */
  assert_int_equal(call("9 0 0 0 0 0 1\n", "ik " ARM6 "--free x,rx,ry,rz --timeout 1"), 0);
  assert_int_equal(call("", "ik " ARM6), 0);
  assert_string_equal(run.output, "");
}

SN_TEST(bad_lines_are_named_and_exit_2) {
  assert_int_equal(call("0.3 0 0.5 0 1 0 0\n\n1 2 3\n", "ik " ARM6), 2);
  sn_assert_contains(run.output, "OK ");
  sn_assert_contains(run.errors, "<stdin>:3: error:");
  sn_assert_contains(run.errors, "3 numbers, expected 7");
  assert_int_equal(call("0.3 0 0.5 0 1 0 x\n", "ik " ARM6), 2);
  sn_assert_contains(run.errors, "<stdin>:1: error:");
  assert_int_equal(call("0.3 0 0.5 0 1 0 nan\n", "ik " ARM6), 2);
  assert_int_equal(call("0.3 0 0.5 0 0.9 0 0\n", "ik " ARM6), 2);
  sn_assert_contains(run.errors, "<stdin>:1: error: quaternion qx qy qz qw has length 0.9");
  assert_int_equal(call("0.3 0 0.5 0 1.0009 0 0\n", "ik " ARM6), 0);
  assert_int_equal(call("1 2 3 4 5\n", "id " ARM6), 2);
  sn_assert_contains(run.errors, "<stdin>:1: error: q qd qdd: 5 numbers, expected 18");
}

SN_TEST(wrong_usage_exits_2) {
  static const char *const wrong[] = {"ik",
                                      "ik " SINEW_ROBOTS "/arm6.urdf base_link",
                                      "ik " ARM6 "more",
                                      "ik " ARM6 "--fast",
                                      "ik " ARM6 "--timeout",
                                      "ik " ARM6 "--timeout -1",
                                      "ik " ARM6 "--timeout 1s",
                                      "ik " ARM6 "--timeout nan",
                                      "ik " ARM6 "--timeout 0x1",
                                      "ik " ARM6 "--jobs 0",
                                      "ik " ARM6 "--jobs 1000",
                                      "ik " ARM6 "--free yaw",
                                      "ik " ARM6 "--free x,",
                                      "ik " ARM6 "--free ''",
                                      "ik " ARM6 "--seed '1 2 x'",
                                      "ik " ARM6 "--seed '0x1 0 0 0 0 0'",
                                      "ik " ARM6 "--seed '1-2 0 0 0 0 0'",
                                      "ik " ARM6 "--seed '1 2 3'",
                                      "ik " ARM6 "--solver oracle",
                                      "id",
                                      "id " ARM6 "more",
                                      "bench tea",
                                      "bench ik --urdf",
                                      "bench ik --base base_link",
                                      "bench ik --base base_link --tip tool0"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    if (call("", wrong[i]) != 2) {
      fail_msg("sinew %s: no complaint", wrong[i]);
    }
    assert_true(run.errors[0] != '\0');
    assert_string_equal(run.output, "");
  }
  call("", "ik " ARM6 "--solver oracle");
  sn_assert_contains(run.errors,
                     "unknown solver 'oracle', expected one of: auto analytic numeric whole-body");
}

SN_TEST(wrong_robots_exit_1) {
  assert_int_equal(call("", "ik nowhere.urdf a b"), 1);
  assert_int_equal(call("", "ik " SINEW_ROBOTS "/arm6.urdf base_link nose"), 1);
  sn_assert_contains(run.errors, "no link 'nose'");
  assert_int_equal(call("", "ik " SINEW_ROBOTS "/arm6.urdf tool0 base_link"), 1);
  sn_assert_contains(run.errors, "not below");
  assert_int_equal(call("", "ik " SINEW_ROBOTS "/arm7.urdf base_link base_link"), 1);
  sn_assert_contains(run.errors, "no movable joint");
}

SN_TEST(plugin_can_be_named) {
  bench b;
  bench_open(&b);
  char text[512] = "";
  const sn_pose pose = add_pose(&b, text, sizeof text);
  assert_int_equal(call(text, "ik " ARM6 "--plugin " SINEW_IK_PLUGIN " --solver example"), 0);
  const char *line = run.output;
  double q[6];
  read_answer(&line, q);
  sn_assert_pose_near(sn_chain_fk(b.chain, q), pose, 1.1e-6);
  assert_int_equal(call(text, "ik " ARM6 "--plugin /nowhere.so"), 1);
  sn_assert_contains(run.errors, "/nowhere.so");
  sn_arena_release(&b.arena);
}

SN_TEST(torques_are_those_of_the_library) {
  bench b;
  bench_open(&b);
  sn_dyn_data *data = NULL;
  assert_int_equal(sn_dyn_create(&b.arena, &b.chain->tree, &data, NULL), SN_OK);
  for (size_t k = 0; k < 5; k++) {
    double x[18];
    char text[1024] = "";
    for (size_t i = 0; i < 18; i++) {
      x[i] = sn_random_between(&b.random, -1.5, 1.5);
      const size_t length = strlen(text);
      snprintf(text + length, sizeof text - length, "%.17g ", x[i]);
    }
    double tau[6];
    double got[6];
    sn_dyn_inverse(data, NULL, x, x + 6, x + 12, tau, NULL);
    assert_int_equal(call(text, "id " ARM6), 0);
    assert_int_equal(sscanf(run.output, "%lf %lf %lf %lf %lf %lf", &got[0], &got[1], &got[2],
                            &got[3], &got[4], &got[5]),
                     6);
    assert_memory_equal(got, tau, sizeof tau); /* 17 digits are enough for every bit */
  }
  sn_arena_release(&b.arena);
}

/* `sinew distance` is the judge. */
static void check_free(const char *answers, size_t count) {
  static char poses[1 << 16];
  size_t length = 0;
  for (size_t k = 0; k < count; k++) {
    double q[6];
    read_answer(&answers, q);
    for (size_t i = 0; i < 6; i++) {
      length += (size_t)snprintf(poses + length, sizeof poses - length, "%.17g ", q[i]);
    }
    poses[length++] = '\n';
  }
  poses[length] = '\0';
  static sn_test_run distances;
  sn_test_program(&distances, "/", "distance " SINEW_ROBOTS "/arm6.urdf", poses);
  assert_int_equal(distances.code, 0);
  const char *line = distances.output;
  for (size_t k = 0; k < count; k++) {
    assert_true(strtod(line, NULL) > 0.0);
    line = strchr(line, '\n') + 1;
  }
  assert_string_equal(line, "");
}

SN_TEST(solutions_in_collision_are_not_returned) {
  bench b;
  bench_open(&b);
  static char text[1 << 16], good[1 << 16];
  text[0] = good[0] = '\0';
  for (size_t k = 0; k < 200; k++) {
    (void)add_pose(&b, text, sizeof text);
  }
  assert_int_equal(call(text, "ik " ARM6 "--collision --jobs 2"), 1);
  size_t free_count = 0, collision_count = 0;
  for (const char *line = run.output; *line != '\0'; line = strchr(line, '\n') + 1) {
    if (strncmp(line, "OK ", 3) == 0) {
      strncat(good, line, (size_t)(strchr(line, '\n') + 1 - line));
      free_count++;
    } else {
      assert_int_equal(strncmp(line, "IN_COLLISION ", 13), 0);
      collision_count++;
    }
  }
  assert_int_equal(free_count + collision_count, 200);
  assert_true(collision_count > 0);
  check_free(good, free_count);
  assert_string_equal(run.errors, "");
  sn_arena_release(&b.arena);
}

SN_TEST(the_world_is_avoided_too) {
  bench b;
  bench_open(&b);
  char folder[64], text[512] = "", world[256];
  const sn_vec3 at = add_pose(&b, text, sizeof text).pos; /* a ball is where the tool should be */
  snprintf(world, sizeof world, "world: [{name: ball, sphere: 0.1, position: [%g, %g, %g]}]\n",
           at.x, at.y, at.z);
  sn_test_folder_create(folder);
  sn_test_write(folder, "ball.yaml", world);
  sn_test_program(&run, folder, "ik " ARM6 "--collision --world ball.yaml", text);
  assert_int_equal(run.code, 1);
  assert_int_equal(strncmp(run.output, "IN_COLLISION ", 13), 0);
  sn_test_program(&run, folder, "ik " ARM6 "--collision --srdf missing.srdf", text);
  assert_int_equal(run.code, 1);
  sn_assert_contains(run.errors, "sinew ik: missing.srdf: ");
  sn_test_program(&run, folder, "ik " ARM6 "--world ball.yaml", text);
  assert_int_equal(run.code, 2);
  sn_assert_contains(run.errors, "option '--world' needs '--collision'");
  sn_test_folder_remove(folder);
  sn_arena_release(&b.arena);
}

SN_TEST(robot_without_inertia_has_no_dynamics) {
  static const char urdf[] =
      "<robot name='light'><link name='base'/><link name='feather'/>"
      "<joint name='j' type='continuous'><parent link='base'/><child link='feather'/></joint>"
      "</robot>";
  char folder[64];
  sn_test_folder_create(folder);
  sn_test_write(folder, "light.urdf", urdf);
  sn_test_program(&run, folder, "id light.urdf base feather", "0 0 0\n");
  sn_test_folder_remove(folder);
  assert_int_equal(run.code, 1);
  sn_assert_contains(run.errors, "inertia");
  sn_assert_contains(run.errors, "'feather'");
}

SN_TEST(bench_prints_a_line_of_json_per_solver) {
  assert_int_equal(
      call("", "bench ik --json --urdf " SINEW_ROBOTS "/arm6.urdf --base base_link --tip tool0"),
      0);
  static const char *const cases[] = {"auto", "analytic", "numeric"};
  const char *line = run.output;
  for (size_t i = 0; i < 3; i++) {
    char start[80];
    snprintf(start, sizeof start, "{\"bench\": \"ik\", \"case\": \"%s\", \"robot\": \"arm6\",",
             cases[i]);
    assert_int_equal(strncmp(line, start, strlen(start)), 0);
    sn_assert_contains(line, "\"median_ns\": ");
    sn_assert_contains(line, "\"p99_ns\": ");
    sn_assert_contains(line, "\"max_ns\": ");
    line = strchr(line, '\n') + 1;
  }
  assert_string_equal(line, "");
  assert_int_equal(call("", "bench ik --urdf nowhere.urdf"), 1);
}
