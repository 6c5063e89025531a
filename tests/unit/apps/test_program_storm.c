/* `sinew storm`: minutes of one arm under faults, one of them twice. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "program_rig.h"
#include "sn_test.h"

static void run_storm(const char *arguments, char hash[32]) {
  program_expect(arguments, 0);
  json_t *line = json_loads(program_run.output, 0, NULL);
  assert_non_null(line);
  assert_int_equal(json_integer_value(json_object_get(line, "seeds")), 1);
  assert_int_equal(json_integer_value(json_object_get(line, "violations")), 0);
  assert_true(json_number_value(json_object_get(line, "hours")) >= 1.0 / 60.0);
  snprintf(hash, 32, "%s", json_string_value(json_object_get(line, "hash")));
  json_decref(line);
}

SN_TEST(a_seed_is_safe_and_repeats_bit_for_bit) {
  char first[32], second[32], other[32];
  run_storm("storm " SINEW_ROBOTS "/arm6.yaml --hours 0.001 --seed 1 --json", first);
  run_storm("storm " SINEW_ROBOTS "/arm6.yaml --hours 0.001 --seed 1 --json", second);
  run_storm("storm " SINEW_ROBOTS "/arm6.yaml --hours 0.001 --seed 6 --json", other);
  assert_string_equal(first, second);
  assert_string_not_equal(first, other);
}

/* Some seeds of long storms; SINEW_STORM_SEED is another one, to repeat it. */
SN_TEST(seeds_of_long_storms_are_safe) {
  static const long seeds[] = {1024, 1051, 1322}; /* recorded whole and replayed; a stall; rogues */
  const char *given = getenv("SINEW_STORM_SEED");
  const size_t count = given != NULL ? 1 : sizeof seeds / sizeof *seeds;
  for (size_t i = 0; i < count; i++) {
    const long seed = given != NULL ? strtol(given, NULL, 10) : seeds[i];
    char arguments[200], hash[32];
    printf("SINEW_STORM_SEED=%ld\n", seed);
    snprintf(arguments, sizeof arguments,
             "storm " SINEW_ROBOTS "/arm6.yaml --hours 0.001 --seed %ld --json", seed);
    run_storm(arguments, hash);
  }
}

SN_TEST(a_robot_that_cannot_be_loaded_is_a_failure) {
  program_expect("storm none.urdf --hours 0.001", 1);
  sn_assert_contains(program_run.output, "the robot cannot be loaded");
  program_expect("storm --hours much", 2);
}

SN_TEST_EACH(program_set_up, program_tear_down)
