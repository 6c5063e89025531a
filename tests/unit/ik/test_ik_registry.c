#include "ik_fake.h"
#include "sinew/ik_solver.h"

static void built_in_solvers_are_registered(void **state) {
  (void)state;
  sn_ik_registry registry;
  sn_ik_registry_init(&registry);
  static const char *const names[] = {"auto", "analytic", "numeric", "whole-body"};
  assert_int_equal(sn_ik_registry_count(&registry), 4);
  for (size_t i = 0; i < 4; i++) {
    const sn_ik_solver *solver = sn_ik_registry_find(&registry, names[i]);
    assert_non_null(solver);
    assert_ptr_equal(solver, sn_ik_registry_at(&registry, i));
    assert_string_equal(solver->name, names[i]);
    assert_int_equal(solver->abi, SN_IK_ABI);
    assert_non_null(solver->description);
  }
  assert_ptr_equal(sn_ik_registry_find(&registry, "whole_body"),
                   sn_ik_registry_find(&registry, "whole-body"));
  assert_null(sn_ik_registry_find(&registry, "whole"));
  assert_null(sn_ik_registry_find(&registry, "autos"));
  assert_null(sn_ik_registry_find(&registry, ""));
}

static void added_solver_is_found_by_name(void **state) {
  (void)state;
  sn_ik_registry registry;
  sn_ik_registry_init(&registry);
  assert_null(sn_ik_registry_find(&registry, "fake"));
  assert_int_equal(sn_ik_registry_add(&registry, &fake_solver, NULL), SN_OK);
  assert_ptr_equal(sn_ik_registry_find(&registry, "fake"), &fake_solver);
  sn_ik_registry other; /* nothing is global */
  sn_ik_registry_init(&other);
  assert_null(sn_ik_registry_find(&other, "fake"));
}

static void unfit_solvers_are_rejected_with_the_reason(void **state) {
  (void)state;
  sn_ik_registry registry;
  sn_ik_registry_init(&registry);
  sn_error err;
  sn_ik_solver bad = fake_solver;
  bad.abi = SN_IK_ABI + 1;
  assert_int_equal(sn_ik_registry_add(&registry, &bad, &err), SN_EINVAL);
  sn_assert_contains(err.message, "built for interface 3, this library has 2");
  bad = fake_solver;
  bad.name = "";
  assert_int_equal(sn_ik_registry_add(&registry, &bad, &err), SN_EINVAL);
  bad = fake_solver;
  bad.solve = NULL;
  assert_int_equal(sn_ik_registry_add(&registry, &bad, &err), SN_EINVAL);
  sn_assert_contains(err.message, "'fake' lacks");
  bad = fake_solver;
  bad.name = "numeric";
  assert_int_equal(sn_ik_registry_add(&registry, &bad, &err), SN_EINVAL);
  sn_assert_contains(err.message, "solver 'numeric' already exists");
  assert_int_equal(sn_ik_registry_count(&registry), 4);
}

static void full_registry_is_reported(void **state) {
  (void)state;
  static sn_ik_solver many[SN_IK_SOLVERS_MAX];
  static char names[SN_IK_SOLVERS_MAX][8];
  sn_ik_registry registry;
  sn_ik_registry_init(&registry);
  for (size_t i = 0; i < SN_IK_SOLVERS_MAX; i++) {
    snprintf(names[i], sizeof names[i], "s%zu", i);
    many[i] = fake_solver;
    many[i].name = names[i];
    const sn_status expected = i < SN_IK_SOLVERS_MAX - 4 ? SN_OK : SN_ELIMIT;
    assert_int_equal(sn_ik_registry_add(&registry, &many[i], NULL), expected);
  }
}

static void plugin_is_loaded_and_solves(void **state) {
  (void)state;
  sn_error err;
  const sn_ik_solver *solver = NULL;
  if (sn_ik_load_plugin(&world.registry, SINEW_IK_PLUGIN, &solver, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  assert_string_equal(solver->name, "example");
  assert_ptr_equal(sn_ik_registry_find(&world.registry, "example"), solver);
  assert_int_equal(sn_ik_load_plugin(&world.registry, SINEW_IK_PLUGIN, NULL, &err), SN_EINVAL);
  sn_assert_contains(err.message, "solver 'example' already exists");

  world.config.solver = "example";
  world_create();
  assert_string_equal(sn_ik_solver_name(world.ik), "example");
  sn_random random;
  sn_random_init(&random, 3);
  const double seed[] = {0, 0, 0};
  for (size_t k = 0; k < sn_test_cases(100); k++) {
    const double q[] = {sn_random_between(&random, -3, 3), sn_random_between(&random, -0.5, 0.5),
                        sn_random_between(&random, -3, 3)};
    const sn_pose pose = tip_at("tip", q);
    double solution[3];
    assert_int_equal(sn_ik_search(world.ik, &pose, 1, seed, 3, 1.0, NULL, solution, NULL),
                     SN_IK_OK);
    sn_assert_pose_near(tip_at("tip", solution), pose, 2e-5);
  }
}

static void what_is_no_plugin_is_refused(void **state) {
  (void)state;
  sn_error err;
  assert_int_equal(sn_ik_load_plugin(&world.registry, "/nowhere/x.so", NULL, &err), SN_EIO);
  sn_assert_contains(err.message, "/nowhere/x.so");
  assert_int_equal(sn_ik_load_plugin(&world.registry, "", NULL, &err), SN_EIO);
  /* A name without a slash is a file here, not one of the system's libraries. */
  assert_int_equal(sn_ik_load_plugin(&world.registry, "libm.so.6", NULL, &err), SN_EIO);
  assert_int_equal(sn_ik_load_plugin(&world.registry, SINEW_ROBOTS "/arm6.urdf", NULL, &err),
                   SN_EIO);
  assert_int_equal(sn_ik_registry_count(&world.registry), 5);
}

#define WORLD_TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(built_in_solvers_are_registered),
      cmocka_unit_test(added_solver_is_found_by_name),
      cmocka_unit_test(unfit_solvers_are_rejected_with_the_reason),
      cmocka_unit_test(full_registry_is_reported),
      WORLD_TEST(plugin_is_loaded_and_solves),
      WORLD_TEST(what_is_no_plugin_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
