/* `sinew run` with several robots in one process. */
#include <string.h>

#include "program_rig.h"
#include "sn_test.h"

static const char ARM[] = SINEW_ROBOTS "/arm6.urdf";
static const char OTHER[] = SINEW_ROBOTS "/arm7.urdf";

static void run(const char *options, int code) {
  char arguments[1024];
  snprintf(arguments, sizeof arguments, "run --headless --quiet %s", options);
  program_expect(arguments, code);
}

/* The 16 digits behind the first "hash " of the output. */
static void read_hash(char out[17]) {
  const char *at = strstr(program_run.output, "hash ");
  assert_non_null(at);
  memcpy(out, at + 5, 16);
  out[16] = '\0';
}

SN_TEST(robots_of_one_process_move_as_if_they_were_alone) {
  char options[800], one[17], two[17], line[80];
  snprintf(options, sizeof options, "--clock sim --duration 0.2 --hash %s", ARM);
  run(options, 0);
  read_hash(one);
  snprintf(options, sizeof options, "--clock sim --duration 0.2 --hash %s", OTHER);
  run(options, 0);
  read_hash(two);
  assert_string_not_equal(one, two);
  snprintf(options, sizeof options, "--clock sim --duration 0.2 --hash --count 2 %s %s", ARM,
           OTHER);
  run(options, 0);
  const char *const names[] = {"arm6-1", "arm6-2", "arm7-1", "arm7-2"};
  for (size_t i = 0; i < 4; i++) {
    const char *at = strstr(program_run.output, names[i]);
    assert_non_null(at);
    snprintf(line, sizeof line, "hash %s", i < 2 ? one : two);
    while (at > program_run.output && at[-1] != '\n') {
      at--;
    }
    assert_memory_equal(at, line, strlen(line));
  }
}

SN_TEST(each_robot_has_a_recording) {
  char options[800];
  snprintf(options, sizeof options, "--clock sim --duration 0.05 --record day.mcap %s %s", ARM,
           OTHER);
  run(options, 0);
  program_expect("replay day-arm6.mcap", 0);
  program_expect("replay day-arm7.mcap", 0);
}

SN_TEST(each_robot_is_reached_by_its_name_and_a_stop_stops_all) {
  char script[1200];
  snprintf(script, sizeof script,
           "$sinew run %s --headless --count 3 --name cell >log 2>&1 &\n"
           "for i in 1 2 3; do await $sinew ls --name cell-$i; done\n"
           "$sinew ls >out 2>&1 && exit 1\n"
           "$sinew stop --name cell-2 >out 2>&1 || true\n"
           "for i in 1 2 3; do await eval \"$sinew call --name cell-$i aggregator.getStop |"
           " grep -q 'stopped: true'\"; done\n"
           "$sinew call --name cell-3 aggregator.resume name=me\n"
           "$sinew call --name cell-3 aggregator.getStop | grep -q 'stopped: false'\n"
           "$sinew call --name cell-1 aggregator.getStop | grep -q 'stopped: true'\n"
           "kill -INT %%1; wait %%1\n"
           "grep -q 'cell-3: info: ' log\n",
           ARM);
  program_expect_script(script);
}

SN_TEST(what_there_is_one_of_is_refused) {
  char options[800];
  snprintf(options, sizeof options, "--count 2 --socket s %s", ARM);
  run(options, 2);
  sn_assert_contains(program_run.errors, "option '--socket' is for one robot, not 2");
  snprintf(options, sizeof options, "--print-deployment %s %s", ARM, OTHER);
  run(options, 2);
  snprintf(options, sizeof options, "--count 501 %s %s", ARM, OTHER);
  run(options, 2);
  sn_assert_contains(program_run.errors, "1002 robots, at most 1000 can run in one process");
}

SN_TEST(a_robot_that_cannot_be_loaded_keeps_all_from_running) {
  char options[800];
  sn_test_write(program_folder, "bad.urdf", "<robot name='x'><link/></robot>");
  snprintf(options, sizeof options, "--clock sim --duration 0.1 --hash %s bad.urdf", ARM);
  run(options, 1);
  assert_null(strstr(program_run.output, "hash"));
}

SN_TEST_EACH(program_set_up, program_tear_down)
