/* Inverse kinematics without collisions, on the robots of this project. A second checker, asked for
   distances, is the oracle. */
#include "../ik/ik_robot.h"
#include "avoid/ik_avoid.h"
#include "sinew/value.h"

static const char *const tool[] = {"tool0"};
static const char *const leg[] = {"leg1_link6"};

enum { ROWS_MAX = 256 };

/* A robot, its check, and the oracle. */
typedef struct world {
  ik_robot r;
  sn_arena arena;
  sn__collision *oracle;
  sn_ik_avoid *avoid;
  sn_ik_options options;
  const char *moved; /* links with this prefix are those that the group moves; NULL: all are */
  double q[64];      /* of the whole robot */
  double rows[ROWS_MAX * ROBOT_JOINTS_MAX];
} world;

static world w; /* large */

static const sn_value *objects(const char *text) {
  const sn_value *value = NULL;
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&w.arena, &report, NULL), SN_OK);
  assert_int_equal(sn_value_parse_yaml(&w.arena, text, strlen(text), "world.yaml", report, &value),
                   SN_OK);
  return value;
}

static void world_open(const char *file, const char *const *tip, const char *solver,
                       const char *text, double margin_m) {
  memset(&w, 0, sizeof w);
  robot_open(&w.r, file, tip, 1, solver);
  sn_arena_init_growing(&w.arena, "world", 1u << 18);
  const sn_value *around = text == NULL ? NULL : objects(text);
  const sn__collision_config config = {.world = around};
  const sn_ik_avoid_config avoid = {.world = around, .margin_m = margin_m};
  sn_error err = {0};
  if (sn__collision_create(&w.arena, w.r.model, &config, NULL, &w.oracle, &err) != SN_OK ||
      sn_ik_avoid_create(&w.arena, w.r.model, w.r.ik, &avoid, NULL, &w.avoid, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  sn_arena_seal(&w.arena);
  sn_ik_avoid_use(w.avoid, NULL, &w.options);
  for (size_t i = 0; i < sn_model_pose_size(w.r.model); i++) {
    const sn_joint *joint = sn_model_joint(w.r.model, i);
    w.q[i] = fmax(joint->lower, fmin(joint->upper, 0.0));
  }
}

static void world_close(void) {
  sn_arena_release(&w.arena);
  robot_close(&w.r);
}

static void place(const double *solution) {
  for (size_t i = 0; i < w.r.n; i++) {
    const char *name = sn_names_at(sn_ik_joint_names(w.r.ik), i);
    w.q[sn_model_joint_index(w.r.model, name)] = solution[i];
  }
}

static bool is_moved(int link) {
  return w.moved == NULL ||
         strncmp(sn__collision_name(w.oracle, link), w.moved, strlen(w.moved)) == 0;
}

/* By distances, of all pairs that have a link of the group. */
static bool is_free(const double *solution) {
  place(solution);
  if (w.moved == NULL) {
    sn__near near;
    assert_true(sn__collision_nearest(w.oracle, w.q, &near));
    return near.distance > 0.0;
  }
  const sn__near *list = NULL;
  const size_t count = sn__collision_check(w.oracle, w.q, 0.0, &list);
  for (size_t i = 0; i < count; i++) {
    if (is_moved(list[i].link_a) || is_moved(list[i].link_b)) {
      return false;
    }
  }
  return true;
}

typedef struct tally {
  size_t solved, refused, freed; /* freed: the first choice collides, another one is returned */
} tally;

/* All solutions, without the check. @return how many are free; @p first is the first one that is */
static size_t list_all(const sn_pose *target, const double *seed, size_t *count, size_t *first) {
  sn_ik_result result;
  (void)sn_ik_get_all(w.r.ik, target, 1, seed, w.r.n, NULL, w.rows, ROWS_MAX, &result);
  *count = result.solution_count;
  size_t free_count = 0;
  for (size_t i = result.solution_count; i-- > 0;) {
    if (is_free(w.rows + i * w.r.n)) {
      free_count++;
      *first = i;
    }
  }
  return free_count;
}

static void check_target(const sn_pose *target, const double *seed, bool is_closed, tally *t) {
  size_t count = 0, first = 0;
  const size_t free_count = list_all(target, seed, &count, &first);
  double q[ROBOT_JOINTS_MAX];
  const sn_ik_code code = sn_ik_search(w.r.ik, target, 1, seed, w.r.n, 1.0, &w.options, q, NULL);
  if (code == SN_IK_OK) {
    robot_check(&w.r, q, target);
    assert_true(is_free(q));
    t->solved++;
    t->freed += free_count > 0 && first > 0;
  } else {
    assert_int_equal(free_count, 0);
    assert_int_equal(code, count > 0 ? SN_IK_REFUSED : SN_IK_NO_SOLUTION);
    t->refused++;
  }
  if (is_closed && free_count > 0) { /* every solution is known: the nearest free one */
    assert_int_equal(sn_ik_get_position(w.r.ik, target, seed, w.r.n, &w.options, q), SN_IK_OK);
    for (size_t i = 0; i < w.r.n; i++) {
      sn_assert_near(q[i], w.rows[first * w.r.n + i], 1e-3);
    }
  }
}

static tally check_many(bool is_closed, size_t cases) {
  sn_random random;
  sn_random_init(&random, 29);
  tally t = {0};
  for (size_t k = 0; k < cases; k++) {
    double q[ROBOT_JOINTS_MAX], seed[ROBOT_JOINTS_MAX];
    sn_pose target;
    robot_draw(&w.r, &random, q);
    robot_draw(&w.r, &random, seed);
    robot_tips_at(&w.r, q, &target);
    check_target(&target, seed, is_closed, &t);
  }
  return t;
}

SN_TEST(of_all_solutions_the_nearest_free_one_is_returned) {
  static const char *const arms[] = {"arm6", "arm_ur"};
  for (size_t a = 0; a < 2; a++) {
    world_open(arms[a], tool, "auto", NULL, 0.0);
    const tally t = check_many(true, sn_test_cases(2000));
    assert_true(t.freed > 0);
    assert_true(t.refused > 0);
    world_close();
  }
}

SN_TEST(a_redundant_arm_moves_its_elbow_out_of_a_collision) {
  world_open("arm7", tool, "auto",
             "world:\n- {name: wall, plane: [0, 1, 0], position: [0, -0.25, 0]}\n", 0.0);
  const tally t = check_many(false, sn_test_cases(300));
  assert_true(t.freed > 0);
  assert_true(t.refused > 0);
  world_close();
}

SN_TEST(the_numeric_solver_restarts_until_a_solution_is_free) {
  world_open("arm_ur", tool, "numeric", NULL, 0.0);
  const tally t = check_many(false, sn_test_cases(200));
  assert_true(t.freed > 0);
  world_close();
}

/* Random poses of the other joints until links that the group does not move touch. */
static void put_others_in_contact(sn_random *random) {
  for (bool is_found = false; !is_found;) {
    for (size_t i = 0; i < sn_model_pose_size(w.r.model); i++) {
      const sn_joint *joint = sn_model_joint(w.r.model, i);
      if (strncmp(joint->name, w.moved, strlen(w.moved)) != 0) {
        w.q[i] = sn_random_between(random, joint->lower, joint->upper);
      }
    }
    const sn__near *list = NULL;
    const size_t count = sn__collision_check(w.oracle, w.q, 0.0, &list);
    for (size_t i = 0; i < count; i++) {
      is_found = is_found || (!is_moved(list[i].link_a) && !is_moved(list[i].link_b));
    }
  }
}

SN_TEST(contacts_that_the_group_does_not_move_refuse_nothing) {
  world_open("quadruped", leg, "auto", NULL, 0.0);
  w.moved = "leg1";
  sn_random random;
  sn_random_init(&random, 37);
  size_t solved = 0;
  for (size_t k = 0; k < 10; k++) {
    put_others_in_contact(&random);
    sn_ik_avoid_use(w.avoid, w.q, &w.options);
    solved += check_many(false, sn_test_cases(30)).solved;
  }
  assert_true(solved > 0);
  world_close();
}

SN_TEST(solutions_keep_the_margin) {
  const double margin_m = 0.05;
  world_open("arm6", tool, "auto", NULL, margin_m);
  sn_random random;
  sn_random_init(&random, 31);
  size_t solved = 0;
  for (size_t k = 0; k < sn_test_cases(500); k++) {
    double q[6], seed[6], solution[6];
    sn_pose target;
    robot_draw(&w.r, &random, q);
    robot_draw(&w.r, &random, seed);
    robot_tips_at(&w.r, q, &target);
    if (sn_ik_search(w.r.ik, &target, 1, seed, 6, 1.0, &w.options, solution, NULL) == SN_IK_OK) {
      sn__near near;
      place(solution);
      assert_true(sn__collision_nearest(w.oracle, w.q, &near));
      assert_true(near.distance > margin_m - 1e-9);
      solved++;
    }
  }
  assert_true(solved > 0);
  world_close();
}

SN_TEST(what_makes_a_check_impossible_is_reported) {
  ik_robot r;
  robot_open(&r, "arm6", tool, 1, "auto");
  sn_arena arena;
  sn_arena_init_growing(&arena, "bad", 1u << 16);
  static const double margins[] = {-1e-9, NAN, INFINITY};
  for (size_t i = 0; i < 3; i++) {
    sn_ik_avoid *avoid = NULL;
    sn_error err = {0};
    const sn_ik_avoid_config config = {.margin_m = margins[i]};
    assert_int_equal(sn_ik_avoid_create(&arena, r.model, r.ik, &config, NULL, &avoid, &err),
                     SN_EINVAL);
    sn_assert_contains(err.message, "must be finite and >= 0");
    assert_null(avoid);
  }
  sn_arena_release(&arena);
  robot_close(&r);
}
