/* The commands for a running system, and completion, run as programs. */
#define _POSIX_C_SOURCE 200809L /* setenv() */

#include <jansson.h>
#include <stdlib.h>

#include "control_rig.h"
#include "program_rig.h"
#include "sn_test.h"

static control_rig rig;

static int setup(void **state) {
  (void)state;
  control_rig_serve(&rig);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  control_rig_close(&rig);
  return 0;
}

/* Run `sinew WORDS --socket …`. @return its exit code */
static int sinew(const char *words) {
  char arguments[2048];
  snprintf(arguments, sizeof arguments, "%s --socket %s", words, rig.socket);
  sn_test_program(&program_run, "/", arguments, NULL);
  return program_run.code;
}

/* Standard output of a successful run. */
static const char *output(const char *words) {
  const int code = sinew(words);
  if (code != 0) {
    fail_msg("sinew %s: %d: %s", words, code, program_run.errors);
  }
  return program_run.output;
}

static json_t *json_output(const char *words) {
  json_error_t problem;
  json_t *json = json_loads(output(words), JSON_DECODE_ANY, &problem);
  if (json == NULL) {
    fail_msg("%s: %s", problem.text, program_run.output);
  }
  return json;
}

static void ls_prints_a_table_of_components(void **state) {
  (void)state;
  const char *text = output("ls");
  sn_assert_contains(text, "COMPONENT      TYPE    STATE    ACTIVITY");
  sn_assert_contains(text, "source         Source  running  cycle");
  sn_assert_contains(text, "source.filter  Filter");
  json_t *json = json_output("ls --json");
  assert_int_equal(json_array_size(json_object_get(json, "components")), 3);
  json_decref(json);
}

static void ls_prints_all_about_one_component(void **state) {
  (void)state;
  const char *text = output("ls source");
  sn_assert_contains(text, "gain = 0.5 1/s  (real number, live)  How fast.");
  sn_assert_contains(text, "      .high  (integer)\n");
  sn_assert_contains(text, "out  count : TimerEvent  The steps.");
  sn_assert_contains(text, "-> sink.in: ");
  sn_assert_contains(text, "add(float64 x, float64 y, float64 z) -> (float64 x,");
  sn_assert_contains(text, "recover()  Run again after a fault.");
  text = output("ls sink");
  sn_assert_contains(text, "in   in : TimerEvent, required");
  sn_assert_contains(text, "<- source.count: ");
  sn_assert_contains(text, "model : service Model, not there, optional  What it could use.");
  sn_assert_contains(text, "adder : operation add, ready");
  sn_assert_contains(output("ls sink.in"), "<- source.count: ");
  json_t *json = json_output("ls source.filter --json");
  assert_string_equal(json_string_value(json_object_get(json, "type")), "Filter");
  json_decref(json);
}

static void get_and_set_use_the_syntax_of_deployments(void **state) {
  (void)state;
  assert_string_equal(output("get source.gain"), "0.5\n");
  assert_string_equal(output("set source.gain 0.1"), "0.1\n");
  assert_string_equal(output("get source.gain --json"), "0.1\n");
  assert_string_equal(output("set source.offsets '[-1, 2.5e-7]'"), "[-1, 2.5e-7]\n");
  assert_string_equal(output("set source.range.low -7"), "-7\n");
  assert_string_equal(output("set source.range '{high: 9}' --json"), "{\"low\":-7,\"high\":9}\n");
  sn_assert_contains(output("get source"), "gain: 0.1\n");
  sn_assert_contains(program_run.output, "range:\n  low: -7\n  high: 9\n");
  assert_int_equal(sinew("set source.gain 11"), 1);
  sn_assert_contains(program_run.errors, "sinew set: ");
  sn_assert_contains(program_run.errors, "source.gain");
  assert_int_equal(sinew("set source.label x"), 1);
  sn_assert_contains(program_run.errors, "while source runs");
  assert_int_equal(sinew("get source.pain --json"), 1);
  sn_assert_contains(program_run.output, "\"status\":\"SN_ENOENT\"");
}

static void call_takes_json_or_fields(void **state) {
  (void)state;
  assert_string_equal(output("call source.add x=1 y=-2.5"), "x: 1.5\ny: -2\nz: 0.5\n");
  assert_string_equal(output("call source.add '{\"z\": 3}' --json"),
                      "{\"x\":0.5,\"y\":0.5,\"z\":3.5}\n");
  sn_assert_contains(output("call source.greet frame_id=you stamp.sec=4 stamp.nanosec=7"),
                     "frame_id: \"you\"");
  sn_assert_contains(program_run.output, "  sec: 4\n");
  assert_string_equal(output("call source.reset"), "");
  assert_int_equal(sinew("call source.refuse"), 1);
  assert_string_equal(program_run.errors, "sinew call: not \"today\"\n");
  assert_int_equal(sinew("call source.add x=far"), 1);
  sn_assert_contains(program_run.errors, "'x' is a text");
  assert_int_equal(sinew("call source.add '{\"x\": }'"), 2);
  assert_int_equal(sinew("call source.add nonsense"), 2);
  assert_int_equal(sinew("call source.add x.y=1 x=2 x.z=3"), 2);
}

static void call_also_starts_and_stops(void **state) {
  (void)state;
  assert_string_equal(output("call sink.stop"), "state: \"stopped\"\n");
  sn_assert_contains(output("ls"), "sink           Sink    stopped");
  assert_int_equal(sinew("call sink.stop"), 1);
  assert_string_equal(output("call sink.start --json"), "{\"state\":\"running\"}\n");
}

static int publish_lines(const char *lines) {
  char arguments[2048];
  snprintf(arguments, sizeof arguments, "pub sink.many --stdin --socket %s", rig.socket);
  sn_test_program(&program_run, "/", arguments, lines);
  return program_run.code;
}

static void pub_says_which_line_of_standard_input_is_wrong(void **state) {
  (void)state;
  assert_int_equal(publish_lines(""), 0);
  assert_int_equal(publish_lines("\n\nnonsense\n{}\n"), 1);
  sn_assert_contains(program_run.errors, "line 3: expected a message as JSON");
  assert_int_equal(publish_lines("[1]\n"), 1);
  sn_assert_contains(program_run.errors,
                     "line 1: expected a message as JSON: this is not an object");
  assert_int_equal(publish_lines("{}\n"), 1); /* it gets as far as the system, which refuses it */
  sn_assert_contains(program_run.errors, "its inputs 'many' cannot change");
  assert_int_equal(sinew("pub sink.many a=1 --stdin"), 2);
}

static void echo_prints_messages(void **state) {
  (void)state;
  const char *text = output("echo source.count --count 3 --rate 100");
  size_t messages = 0;
  for (const char *at = strstr(text, "cycle: "); at != NULL; at = strstr(at + 1, "cycle: ")) {
    messages++;
  }
  assert_int_equal(messages, 3);
  text = output("echo source.count --count 2 --json");
  json_error_t problem;
  json_t *first = json_loads(text, JSON_DISABLE_EOF_CHECK, &problem);
  assert_true(json_is_integer(json_object_get(first, "cycle")));
  json_decref(first);
  assert_int_equal(sinew("echo source.pose --timeout 0.05"), 1); /* an output without messages */
  sn_assert_contains(program_run.errors, "no message");
  assert_int_equal(sinew("echo sink.in"), 1);
  sn_assert_contains(program_run.errors, "sink.in is an input");
}

static void top_shows_activities_once_for_machines(void **state) {
  (void)state;
  const char *text = output("top --once");
  sn_assert_contains(text, "ACTIVITY   PERIOD");
  sn_assert_contains(text, "cycle     2.00 ms");
  sn_assert_contains(text, "COMPONENT      ACTIVITY  STATE");
  json_t *json = json_output("top --once --json --histograms");
  const json_t *cycle = json_array_get(json_object_get(json, "activities"), 0);
  assert_true(json_array_size(json_object_get(json_object_get(cycle, "duration"), "buckets")) > 0);
  assert_true(json_integer_value(json_object_get(json_object_get(json, "server"), "clients")) > 0);
  json_decref(json);
}

/* Run a script of the shell. @return its exit code, with what it printed in run.output */
static int shell(const char *script, const char *words) {
  sn_test_write(rig.folder, "script", script);
  char arguments[1024]; /* the program only prints its version, to nowhere */
  snprintf(arguments, sizeof arguments, ">/dev/null --version; bash %s/script %s", rig.folder,
           words);
  sn_test_program(&program_run, "/", arguments, NULL);
  return program_run.code;
}

/* Without a terminal it runs until a signal, and exits with 0. */
static void top_runs_until_a_signal(void **state) {
  (void)state;
  char script[1024];
  snprintf(script, sizeof script,
           "cd %s\n"
           "%s top --interval 0.05 --socket %s >top & top=$!\n"
           "touch top\n"
           "until [ \"$(grep -c OVERRUNS top)\" -gt 2 ]; do sleep 0.05; done\n"
           "kill -TERM $top\n"
           "wait $top\n",
           rig.folder, SINEW_PROGRAM, rig.socket);
  assert_int_equal(shell(script, ""), 0);
}

static void log_prints_the_last_lines(void **state) {
  (void)state;
  const sn_log_record record = {.now_ns = 1500000000,
                                .level = SN_LOG_WARNING,
                                .source = "source",
                                .format = "late by {} ns",
                                .arg_count = 1,
                                .args = {{SN_LOG_INT, {.integer = 42}}}};
  control_server_log(rig.server, &record);
  assert_string_equal(output("log"), "      1.500000 warning source: late by 42 ns\n");
  json_t *json = json_output("log --json --lines 1");
  assert_string_equal(json_string_value(json_object_get(json, "level")), "warning");
  json_decref(json);
}

static void without_a_system_the_message_names_the_socket(void **state) {
  (void)state;
  sn_test_program(&program_run, "/", "ls --socket /nowhere/x.sock", NULL);
  assert_int_equal(program_run.code, 3);
  sn_assert_contains(program_run.errors, "no system answers at /nowhere/x.sock: No such file");
  sn_assert_contains(program_run.errors, "'sinew run FILE'");
  sn_test_program(&program_run, "/", "get a.b --name ../x", NULL);
  assert_int_equal(program_run.code, 2);
  sn_assert_contains(program_run.errors, "'../x' is not the name of a system");
}

static void wrong_usage_is_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"ls a b",
                                      "ls --colour",
                                      "get",
                                      "set a.b",
                                      "call",
                                      "echo",
                                      "echo a.b c",
                                      "echo a.b --count 0",
                                      "top now",
                                      "log --lines",
                                      "ls --timeout never",
                                      "ls --socket"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    sn_test_program(&program_run, "/", wrong[i], NULL);
    if (program_run.code != 2) {
      fail_msg("sinew %s: %d", wrong[i], program_run.code);
    }
    sn_assert_contains(program_run.errors, "usage: sinew ");
  }
}

/* ---- completion ---- */

/* The output of `sinew complete`, one word per line, after a line end. */
static const char *offers(const char *words) {
  char arguments[1024];
  snprintf(arguments, sizeof arguments, "complete %s", words);
  sn_test_program(&program_run, "/", arguments, NULL);
  assert_int_equal(program_run.code, 0);
  assert_string_equal(program_run.errors, "");
  static char lines[sizeof program_run.output + 1];
  snprintf(lines, sizeof lines, "\n%s", program_run.output);
  return lines;
}

static const char *live_offers(const char *command, const char *prefix) {
  char words[512];
  snprintf(words, sizeof words, "%s --socket %s '%s'", command, rig.socket, prefix);
  return offers(words);
}

static void completion_knows_commands_and_options(void **state) {
  (void)state;
  const char *text = offers("''");
  sn_assert_contains(text, "\nls\n");
  sn_assert_contains(text, "\ncheck\n");
  assert_null(strstr(text, "complete"));
  assert_string_equal(offers("ec"), "\necho\n");
  assert_string_equal(offers("echo --co"), "\n--count\n");
  sn_assert_contains(offers("top --"), "\n--once\n");
  sn_assert_contains(program_run.output, "--interval\n");
  assert_string_equal(offers("bus s"), "\nscan\nset-id\nsimulate\n");
  assert_string_equal(offers("bus ping 1 --family d"), "\ndynamixel\n");
  assert_string_equal(offers("bench ik po"), "\nports\n");
  assert_string_equal(offers("help e"), "\nexport\necho\n");
  assert_string_equal(offers("run a.urdf --clock ''"), "\nreal\nsim\n");
  assert_string_equal(offers("check ''"), "\n:files\n"); /* the shell's names */
  assert_string_equal(offers("msgs ''"), "\n:folders\n");
  assert_string_equal(offers("nonsense a"), "\n");
  assert_string_equal(offers(""), "\n");
}

static void completion_knows_the_names_of_a_running_system(void **state) {
  (void)state;
  assert_string_equal(live_offers("ls", "si"), "\nsink\nsink.in\nsink.many\n");
  assert_string_equal(live_offers("get", "source.r"),
                      "\nsource.range\nsource.range.low\nsource.range.high\n");
  assert_string_equal(live_offers("set", "source.f"), "\nsource.filter.width\n");
  assert_string_equal(live_offers("call", "source.re"),
                      "\nsource.refuse\nsource.reset\nsource.recover\n");
  assert_string_equal(live_offers("echo", ""), "\nsource.count\nsource.pose\n");
  assert_string_equal(live_offers("set source.gain", ""), "\n"); /* values are not completed */
}

static void completion_is_silent_without_a_system(void **state) {
  (void)state;
  assert_string_equal(offers("ls --socket /nowhere/x.sock ''"), "\n");
}

static void completion_knows_running_systems(void **state) {
  (void)state;
  setenv("XDG_RUNTIME_DIR", rig.folder, 1); /* here and in the program */
  setenv("SINEW_TEST_RUNTIME", rig.folder, 1);
  char path[128];
  snprintf(path, sizeof path, "%s/sinew/pony.sock", rig.folder);
  control_server *second = NULL;
  sn_error err = {SN_OK, ""};
  assert_int_equal(control_server_start(rig.system, path, &second, &err), SN_OK);
  assert_string_equal(offers("ls --name p"), "\npony\n");
  sn_test_program(&program_run, "/", "get source.gain --name pony", NULL);
  assert_string_equal(program_run.output, "0.5\n");
  control_server_stop(second);
  unsetenv("XDG_RUNTIME_DIR");
  unsetenv("SINEW_TEST_RUNTIME");
}

/* The function of the shell, called as the shell does. */
static void bash_completes(void **state) {
  (void)state;
  char script[1024];
  snprintf(script, sizeof script,
           "exec >%s/out 2>&1\n"
           "source %s/sinew.bash\n"
           "COMP_WORDS=(%s \"$@\")\n"
           "COMP_CWORD=$#\n"
           "_sinew %s\n"
           "printf '%%s\\n' \"${COMPREPLY[@]}\"\n",
           rig.folder, SINEW_COMPLETION, SINEW_PROGRAM, SINEW_PROGRAM);
  static const char *const cases[][3] = {{"ec", "", "echo\n"},
                                         {"echo", "so", "source.count\nsource.pose\n"},
                                         {"call", "source.a", "source.add\n"},
                                         {"get", "sink.nothing", "\n"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char words[256];
    snprintf(words, sizeof words, i == 0 ? "%s" : "%s --socket %s '%s'", cases[i][0], rig.socket,
             cases[i][1]);
    assert_int_equal(shell(script, words), 0);
    char path[128];
    snprintf(path, sizeof path, "%s/out", rig.folder);
    size_t size = 0;
    char *text = sn_test_read_file(path, &size);
    assert_string_equal(text, cases[i][2]);
    free(text);
  }
  assert_int_equal(shell(script, "check ''"), 0); /* left to the shell */
  char path[128];
  size_t size = 0;
  snprintf(path, sizeof path, "%s/out", rig.folder);
  char *text = sn_test_read_file(path, &size);
  assert_string_equal(text, "\n");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(ls_prints_a_table_of_components, setup, teardown),
      cmocka_unit_test_setup_teardown(ls_prints_all_about_one_component, setup, teardown),
      cmocka_unit_test_setup_teardown(get_and_set_use_the_syntax_of_deployments, setup, teardown),
      cmocka_unit_test_setup_teardown(call_takes_json_or_fields, setup, teardown),
      cmocka_unit_test_setup_teardown(call_also_starts_and_stops, setup, teardown),
      cmocka_unit_test_setup_teardown(echo_prints_messages, setup, teardown),
      cmocka_unit_test_setup_teardown(pub_says_which_line_of_standard_input_is_wrong, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(top_shows_activities_once_for_machines, setup, teardown),
      cmocka_unit_test_setup_teardown(top_runs_until_a_signal, setup, teardown),
      cmocka_unit_test_setup_teardown(log_prints_the_last_lines, setup, teardown),
      cmocka_unit_test(without_a_system_the_message_names_the_socket),
      cmocka_unit_test(wrong_usage_is_refused),
      cmocka_unit_test(completion_knows_commands_and_options),
      cmocka_unit_test_setup_teardown(completion_knows_the_names_of_a_running_system, setup,
                                      teardown),
      cmocka_unit_test(completion_is_silent_without_a_system),
      cmocka_unit_test_setup_teardown(completion_knows_running_systems, setup, teardown),
      cmocka_unit_test_setup_teardown(bash_completes, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
