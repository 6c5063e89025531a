#include <string.h>

#include "kin/joint.h"
#include "sinew/kin.h"

static size_t block_count(size_t n, size_t first) {
  return n - first < SN__JOINT_BLOCK ? n - first : SN__JOINT_BLOCK;
}

sn_pose sn_chain_fk(const sn_chain *chain, const double *q) {
  const sn_tree *tree = &chain->tree;
  const size_t n = tree->body_count;
  sn_pose pose = sn_pose_identity();
  for (size_t first = 0; first < n; first += SN__JOINT_BLOCK) {
    const size_t count = block_count(n, first);
    sn__joint_block block;
    sn__joint_block_eval(tree, q, first, count, &block);
    for (size_t k = 0; k < count; k++) {
      const sn_pose joint = sn__joint_pose(&tree->pose_parent_joint[first + k], block.sine[k],
                                           block.cosine[k], block.slide[k]);
      pose = sn_pose_mul(pose, joint);
    }
  }
  return sn_pose_mul(pose, chain->pose_body_tip);
}

/* Columns are first written as the motion of the point of the tip's body that is at the base's
   origin; it takes no knowledge of the tip, and columns of joints that share an entry just add up.
 */
static void put_column(double *jac, size_t n, size_t j, const sn_pose *joint, bool slides) {
  const sn_vec3 axis = joint->rot.z;
  const sn_vec3 ang = slides ? sn_vec3_make(0, 0, 0) : axis;
  const sn_vec3 lin = slides ? axis : sn_vec3_cross(joint->pos, axis);
  jac[0 * n + j] = ang.x;
  jac[1 * n + j] = ang.y;
  jac[2 * n + j] = ang.z;
  jac[3 * n + j] = lin.x;
  jac[4 * n + j] = lin.y;
  jac[5 * n + j] = lin.z;
}

static void add_column(double *jac, size_t n, size_t j, const sn_pose *joint, bool slides,
                       double scale) {
  double column[6];
  put_column(column, 1, 0, joint, slides);
  for (size_t row = 0; row < 6; row++) {
    jac[row * n + j] += scale * column[row];
  }
}

/* From the base's origin to the tip: linear part plus angular part cross tip. */
static void move_to_tip(double *jac, size_t n, sn_vec3 tip) {
  const double *restrict ang = jac;
  double *restrict lin = jac + 3 * n;
  for (size_t j = 0; j < n; j++) {
    lin[j] += ang[n + j] * tip.z - ang[2 * n + j] * tip.y;
    lin[n + j] += ang[2 * n + j] * tip.x - ang[j] * tip.z;
    lin[2 * n + j] += ang[j] * tip.y - ang[n + j] * tip.x;
  }
}

void sn_chain_fk_jacobian(const sn_chain *chain, const double *q, sn_pose *pose_out, double *jac) {
  const sn_tree *tree = &chain->tree;
  const size_t n = tree->body_count;
  const size_t columns = tree->coord_count;
  const bool one_to_one = !tree->has_mimic && n == columns; /* then every column is written */
  if (!one_to_one) {
    memset(jac, 0, 6 * columns * sizeof *jac);
  }
  sn_pose pose = sn_pose_identity();
  for (size_t first = 0; first < n; first += SN__JOINT_BLOCK) {
    const size_t count = block_count(n, first);
    sn__joint_block block;
    sn__joint_block_eval(tree, q, first, count, &block);
    for (size_t k = 0; k < count; k++) {
      const size_t i = first + k;
      const sn_pose joint = sn__joint_pose(&tree->pose_parent_joint[i], block.sine[k],
                                           block.cosine[k], block.slide[k]);
      pose = sn_pose_mul(pose, joint);
      const size_t j = (size_t)tree->coord[i];
      if (one_to_one) {
        put_column(jac, columns, j, &pose, tree->prismatic[i]);
      } else {
        add_column(jac, columns, j, &pose, tree->prismatic[i], tree->q_scale[i]);
      }
    }
  }
  *pose_out = sn_pose_mul(pose, chain->pose_body_tip);
  move_to_tip(jac, columns, pose_out->pos);
}
