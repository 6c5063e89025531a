/* `sinew bench`, run as a program. */
#include "program_rig.h"
#include "sn_test.h"

SN_TEST(bench_otg_prints_a_line_of_json_per_case) {
  sn_test_program(&program_run, "/", "bench otg --json", NULL);
  assert_int_equal(program_run.code, 0);
  static const char *const cases[] = {"plan_1", "plan_7", "plan_20", "alone_7", "step_7"};
  const char *line = program_run.output;
  for (size_t i = 0; i < 5; i++) {
    char start[80];
    snprintf(start, sizeof start, "{\"bench\": \"otg\", \"case\": \"%s\",", cases[i]);
    assert_int_equal(strncmp(line, start, strlen(start)), 0);
    sn_assert_contains(line, "\"good\": 1.0");
    sn_assert_contains(line, "\"median_ns\": ");
    line = strchr(line, '\n') + 1;
  }
  assert_string_equal(line, "");
}

SN_TEST(bench_plant_takes_any_robot) {
  sn_test_program(&program_run, "/", "bench plant --json --urdf " SINEW_ROBOTS "/quadruped.urdf",
                  NULL);
  assert_int_equal(program_run.code, 0);
  static const char *const cases[] = {"cycle", "cycle_one_step", "cycle_decoupled"};
  const char *line = program_run.output;
  for (size_t i = 0; i < 3; i++) {
    char start[80];
    snprintf(start, sizeof start, "{\"bench\": \"plant\", \"case\": \"%s\",", cases[i]);
    assert_int_equal(strncmp(line, start, strlen(start)), 0);
    line = strchr(line, '\n') + 1;
  }
  assert_string_equal(line, "");
}

/* A copy of the program in a folder of its own, as if it were installed in `tree`. */
#define COPY "mkdir -p tree/bin tree/libexec/sinew\ncp $sinew tree/bin/sinew\n"
#define ARM SINEW_ROBOTS "/arm6.urdf"

SN_TEST(bench_peer_names_the_program_that_is_missing_and_how_to_get_it) {
  program_expect_script(COPY "code=0; tree/bin/sinew bench --peer load --urdf " ARM
                             " >out 2>said || code=$?\n"
                             "[ $code = 1 ] && [ ! -s out ]\n"
                             "[ $(wc -l <said) = 1 ]\n"
                             "grep -q 'cannot find bench_load in .*/tree/bin/bench, ' said\n"
                             "grep -q 'cmake --build --preset bench' said\n");
}

/* A child that says what it was asked, then two summaries between other lines. */
#define CHILD                                                                                 \
  "cat >tree/libexec/sinew/bench_kernels <<'END'\n"                                           \
  "#!/bin/sh\n"                                                                               \
  "echo \"$@\" >asked\n"                                                                      \
  "echo '{\"library\":\"sinew\",\"case\":\"fk\",\"robot\":\"arm6\",\"median_ns\":1.0}'\n"     \
  "echo 'not JSON'\n"                                                                         \
  "echo '{\"summary\":\"kdl/sinew\",\"case\":\"fk\",\"robot\":\"arm6\",\"rounds\":5,"         \
  "\"sinew_ns\":80.0,\"peer_ns\":400.0,\"times\":5.0,\"times_least\":4.5}'\n"                 \
  "echo '{\"summary\":\"mujoco/sinew\",\"case\":\"tree_fk\",\"robot\":\"arm6\",\"rounds\":5," \
  "\"sinew_ns\":100.0,\"peer_ns\":150.5,\"times\":1.5,\"times_least\":0.9}'\n"                \
  "END\n"                                                                                     \
  "chmod +x tree/libexec/sinew/bench_kernels\n"

SN_TEST(bench_peer_prints_both_figures_and_their_ratio) {
  program_expect_script(
      COPY CHILD
      "tree/bin/sinew bench --peer kernels --urdf " ARM
      " --base base_link --tip tool0 >out\n"
      "[ \"$(cat asked)\" = '" ARM
      " base_link tool0' ]\n"
      "[ $(wc -l <out) = 2 ]\n"
      "grep -qE '^kernels +fk +arm6 +sinew +80.0 ns  kdl +400.0 ns +5.00 times, at least 4.50$' "
      "out\n"
      "grep -qE ' tree_fk .* mujoco +150.5 ns +1.50 times, at least 0.90$' out\n"
      "tree/bin/sinew bench --peer kernels --json --urdf " ARM
      " | grep -c '^{\"summary' >out\n"
      "[ $(cat out) = 2 ]\n");
}

SN_TEST(bench_peer_fails_if_its_child_does) {
  program_expect_script(COPY
                        "printf '#!/bin/sh\\nexit 3\\n' >tree/libexec/sinew/bench_load\n"
                        "chmod +x tree/libexec/sinew/bench_load\n"
                        "code=0; tree/bin/sinew bench --peer load --urdf " ARM
                        " 2>said || code=$?\n"
                        "[ $code = 3 ] && grep -q 'bench_load failed' said\n");
}

SN_TEST(bench_peer_knows_what_it_can_compare) {
  program_expect("bench --peer otg", 2);
  sn_assert_contains(program_run.errors, "'otg' is measured only without '--peer'");
  program_expect("bench load", 2);
  sn_assert_contains(program_run.errors, "'load' is measured only with '--peer'");
}

/* With the real programs, where this build has them; without a peer it says what to install. */
SN_TEST(bench_peer_measures_what_is_built) {
  program_expect_script(
      "bench=$(dirname $(readlink -f $sinew))/bench\n"
      "[ -x $bench/bench_load ] || exit 0\n"
      "code=0; $sinew bench --peer load --json --urdf " ARM
      " >out 2>said || code=$?\n"
      "if [ -x $bench/peer_urdfdom ]; then\n"
      "  [ $code = 0 ] && [ $(wc -l <out) = 2 ]\n"
      "  grep -q '\"summary\":\"urdfdom/sinew\",\"case\":\"parse\",\"robot\":\"arm6\"' out\n"
      "  grep -q '\"rounds\":9' out\n"
      "else\n"
      "  [ $code = 1 ] && grep -q 'liburdfdom-dev' said\n"
      "fi\n");
}

SN_TEST_EACH(program_set_up, program_tear_down)
