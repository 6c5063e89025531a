#include "big_robot.h"

#include <stdio.h>
#include <stdlib.h>

#include "program.h"
#include "sn_test.h"

enum { JOINT_SIZE = 700 };

static const char LINK[] =
    "<link name='c%zu_l%zu'><inertial><origin xyz='0 0 %.6f'/><mass value='%.6f'/>"
    "<inertia ixx='%.9f' iyy='%.9f' izz='%.9f' ixy='0' ixz='0' iyz='0'/>"
    "</inertial></link>\n";
static const char JOINT[] =
    "<joint name='c%zu_j%zu' type='revolute'><parent link='%s'/><child link='c%zu_l%zu'/>"
    "<origin xyz='%.3f 0 %.6f'/><axis xyz='%s'/>"
    "<limit lower='-2' upper='2' velocity='3' effort='100'/></joint>\n";

char *big_robot_text(size_t chain_count, size_t joint_count) {
  static const char *const axes[] = {"0 0 1", "0 1 0", "1 0 0"};
  const size_t size = 512 + chain_count * joint_count * JOINT_SIZE;
  char *text = malloc(size);
  assert_non_null(text);
  size_t used = (size_t)snprintf(
      text, size,
      "<robot name='big'><link name='base'><inertial><mass value='10'/>"
      "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>\n");
  const double length_m = 1.0 / (double)joint_count, mass_kg = 0.2 / (double)joint_count;
  for (size_t c = 0; c < chain_count; c++) {
    for (size_t j = 0; j < joint_count; j++) {
      char parent[48];
      if (j == 0) {
        snprintf(parent, sizeof parent, "base");
      } else {
        snprintf(parent, sizeof parent, "c%zu_l%zu", c, j - 1);
      }
      const double i = mass_kg * 5e-4;
      used +=
          (size_t)snprintf(text + used, size - used, LINK, c, j, length_m / 2, mass_kg, i, i, i);
      used += (size_t)snprintf(text + used, size - used, JOINT, c, j, parent, c, j,
                               j == 0 ? 0.3 * (double)c : 0.0, j == 0 ? 0.0 : length_m,
                               axes[(c + j) % 3]);
    }
  }
  used += (size_t)snprintf(text + used, size - used, "</robot>\n");
  assert_true(used < size);
  return text;
}

void big_robot_write(const char *folder, size_t chain_count, size_t joint_count) {
  char *text = big_robot_text(chain_count, joint_count);
  sn_test_write(folder, "big.urdf", text);
  free(text);
}
