/* A solver of inverse kinematics of a user's own in a registry. It offers its seed and nothing
   else, so the library must accept that where it is right and reject it elsewhere.
   usage: solver FOLDER     of the installed robots */
#include <string.h>

#include "check.h"

static bool supports(const sn_ik_setup *setup, char *reason, size_t size) {
  snprintf(reason, size, "%s", setup->tip_count == 1 ? "" : "more than one tip");
  return setup->tip_count == 1;
}

static sn_status create(sn_arena *arena, const sn_ik_setup *setup, void **state, sn_error *err) {
  (void)setup;
  (void)err;
  *state = sn_arena_alloc(arena, 1, 1);
  return *state == NULL ? SN_ENOMEM : SN_OK;
}

static sn_ik_code solve(void *state, const sn_ik_query *query) {
  (void)state;
  query->offer(query->context, query->seed);
  return SN_IK_NO_SOLUTION;
}

static const char *describe(const void *state) {
  (void)state;
  return "offers its seed";
}

static const sn_ik_solver stay = {SN_IK_ABI, "stay",  "Offers its seed.", supports, create,
                                  solve,     describe};

static void check_solver(sn_arena *arena, const sn_model *model, const sn_ik_registry *registry) {
  const char *const tips[] = {"tool0"};
  const sn_ik_config config = {.registry = registry,
                               .solver = "stay",
                               .base_frame = "base_link",
                               .tip_frames = tips,
                               .tip_count = 1};
  sn_ik *ik = NULL;
  if (!CHECK(sn_ik_create(arena, model, &config, &ik, NULL) == SN_OK)) {
    return;
  }
  CHECK(strcmp(sn_ik_solver_name(ik), "stay") == 0);
  CHECK(strcmp(sn_ik_solver_description(ik), "offers its seed") == 0);
  const double q[6] = {0.1, -0.2, 0.3, -0.4, 0.5, -0.6};
  double solution[6];
  sn_pose pose;
  CHECK(sn_ik_fk(ik, tips, 1, q, 6, &pose) == SN_IK_OK);
  CHECK(sn_ik_get_position(ik, &pose, q, 6, NULL, solution) == SN_IK_OK);
  CHECK(memcmp(solution, q, sizeof q) == 0);
  pose.pos.x += 0.01;
  CHECK(sn_ik_get_position(ik, &pose, q, 6, NULL, solution) == SN_IK_NO_SOLUTION);
}

int main(int argc, char **argv) {
  char path[1024];
  sn_arena arena;
  sn_arena_init_growing(&arena, "solver", 0);
  sn_ik_registry registry;
  sn_ik_registry_init(&registry);
  const size_t built_in = sn_ik_registry_count(&registry);
  CHECK(sn_ik_registry_add(&registry, &stay, NULL) == SN_OK);
  CHECK(sn_ik_registry_add(&registry, &stay, NULL) == SN_EINVAL);
  CHECK(sn_ik_registry_count(&registry) == built_in + 1);
  CHECK(sn_ik_registry_at(&registry, built_in) == &stay);

  const sn_model_config config = {0};
  const sn_model *model = NULL;
  check_path(path, sizeof path, argc == 2 ? argv[1] : ".", "arm6.urdf");
  if (CHECK(sn_model_load(&arena, path, &config, NULL, &model, NULL) == SN_OK)) {
    check_solver(&arena, model, &registry);
  }
  sn_arena_release(&arena);
  return check_result();
}
