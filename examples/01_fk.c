/* Where is the tool? Load a robot, cut out a chain, evaluate it. */
#include <stdio.h>

#include "sinew/kin.h"
#include "sinew/model.h"
#include "sinew/quat.h"

int main(void) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "robot", 1 << 16);

  const sn_model *model = NULL;
  const sn_chain *arm = NULL;
  sn_error err;
  if (sn_model_load(&arena, "robots/arm6.urdf", NULL, NULL, &model, &err) != SN_OK ||
      sn_chain_create(&arena, model, "base_link", "tool0", &arm, &err) != SN_OK) {
    fprintf(stderr, "%s\n", err.message);
    return 1;
  }

  /* From here on nothing allocates: this is what runs in a control loop. */
  const double q[] = {0.3, -0.4, 0.5, 0.0, 0.8, 0.1};
  const sn_pose tool = sn_chain_fk(arm, q);
  const sn_quat rot = sn_quat_from_mat3(tool.rot);
  printf("%s: %zu joints\n", sn_model_name(model), arm->joint_count);
  printf("tool at  x %.4f  y %.4f  z %.4f m\n", tool.pos.x, tool.pos.y, tool.pos.z);
  printf("turned   x %.4f  y %.4f  z %.4f  w %.4f\n", rot.x, rot.y, rot.z, rot.w);

  /* How it moves if only the first joint turns at 1 rad/s: the first column of the Jacobian. */
  double jac[6 * 6];
  sn_pose same;
  sn_chain_fk_jacobian(arm, q, &same, jac);
  printf("joint 1 moves it at  x %.4f  y %.4f  z %.4f m/s\n", jac[3 * 6], jac[4 * 6], jac[5 * 6]);

  sn_arena_release(&arena);
  return 0;
}
