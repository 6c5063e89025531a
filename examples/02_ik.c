/* How do I get there? Any solution, the nearest one, all of them, and one that a check accepts. */
#include <stdio.h>

#include "sinew/ik.h"

static void print(const char *what, const double *q) {
  printf("%-10s", what);
  for (int i = 0; i < 6; i++) {
    printf(" %7.3f", q[i]);
  }
  putchar('\n');
}

/* Say no unless the wrist is flipped; a collision check would sit here. */
static bool is_flipped(void *context, const sn_pose *poses, const double *q) {
  (void)context;
  (void)poses;
  return q[4] < 0.0;
}

int main(void) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "robot", 1 << 16);

  const sn_model *model = NULL;
  const char *const tip[] = {"tool0"};
  const sn_ik_config config = {.base_frame = "base_link", .tip_frames = tip, .tip_count = 1};
  sn_ik *ik = NULL;
  sn_error err;
  if (sn_model_load(&arena, "robots/arm6.urdf", NULL, NULL, &model, &err) != SN_OK ||
      sn_ik_create(&arena, model, &config, &ik, &err) != SN_OK) {
    fprintf(stderr, "%s\n", err.message);
    return 1;
  }
  printf("recognised: %s\n", sn_ik_solver_description(ik));

  /* A target that can be reached: where the tool is in some pose. */
  const double seed[6] = {0};
  const double there[] = {0.3, -0.4, 0.5, 0.2, 0.8, 0.1};
  sn_pose target;
  sn_ik_fk(ik, tip, 1, there, 6, &target);

  double q[6];
  if (sn_ik_search(ik, &target, 1, seed, 6, 0.005, NULL, q, NULL) == SN_IK_OK) {
    print("any", q);
  }
  if (sn_ik_get_position(ik, &target, there, 6, NULL, q) == SN_IK_OK) {
    print("nearest", q);
  }
  const sn_ik_options picky = {.callback = is_flipped};
  if (sn_ik_search(ik, &target, 1, seed, 6, 0.005, &picky, q, NULL) == SN_IK_OK) {
    print("flipped", q);
  }
  double all[8][6];
  sn_ik_result result;
  sn_ik_get_all(ik, &target, 1, seed, 6, NULL, all[0], 8, &result);
  for (size_t i = 0; i < result.solution_count; i++) {
    print("branch", all[i]);
  }

  /* Too far away is an answer, too, and it comes with its reason. */
  target.pos.x += 5.0;
  const sn_ik_code code = sn_ik_search(ik, &target, 1, seed, 6, 0.005, NULL, q, NULL);
  char reason[200];
  sn_ik_explain(ik, reason, sizeof reason);
  printf("5 m further: %s (%s)\n", sn_ik_code_name(code), reason);
  sn_arena_release(&arena);
  return result.solution_count > 0 && code != SN_IK_OK ? 0 : 1;
}
