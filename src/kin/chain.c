#include <string.h>

#include "kin/joint.h"
#include "sinew/kin.h"

/* Joints per batch: enough for a whole arm, few enough for the stack. */
#define BLOCK 8

/* Every entry of the joint vector moves one body, so entry i moves body i: both run from base to
   tip. */
static bool is_one_to_one(const sn_tree *tree) {
  return !tree->has_mimic && tree->body_count == tree->coord_count;
}

typedef struct joint_block {
  const double *value; /* positions as they are, or gathered */
  double gathered[BLOCK], sine[BLOCK], cosine[BLOCK];
} joint_block;

/* Values of the bodies first .. first + count - 1. Sine and cosine of prismatic joints are computed
   too: skipping them would cost more. */
static inline void evaluate(const sn_tree *tree, bool one_to_one, const double *q, size_t first,
                            size_t count, joint_block *block) {
  if (one_to_one) {
    block->value = q + first;
  } else {
    for (size_t k = 0; k < count; k++) {
      block->gathered[k] = sn__joint_value(tree, first + k, q);
    }
    block->value = block->gathered;
  }
  sn__sincos(count, block->value, block->sine, block->cosine);
}

static inline size_t block_count(size_t n, size_t first) {
  return n - first < BLOCK ? n - first : BLOCK;
}

sn_pose sn_chain_fk(const sn_chain *chain, const double *q) {
  const sn_tree *tree = &chain->tree;
  const size_t n = tree->body_count;
  const bool one_to_one = is_one_to_one(tree);
  joint_block block;
  sn__rows pose = sn__rows_identity();
  for (size_t first = 0; first < n; first += BLOCK) {
    const size_t count = block_count(n, first);
    evaluate(tree, one_to_one, q, first, count, &block);
    for (size_t k = 0; k < count; k++) {
      const sn__rows joint =
          sn__joint_rows(&tree->pose_parent_joint[first + k], tree->prismatic[first + k],
                         block.value[k], block.sine[k], block.cosine[k]);
      pose = sn__rows_mul(&pose, &joint);
    }
  }
  const sn__rows body_tip = sn__rows_from_pose(&chain->pose_body_tip);
  pose = sn__rows_mul(&pose, &body_tip);
  return sn__rows_to_pose(&pose);
}

/* Columns are first written as the motion of the point of the tip's body that is at the base's
   origin; this does not need the tip, and columns of joints that share an entry just add up.
 */
static inline void put_column(double *jac, size_t n, size_t j, const sn__rows *joint, bool slides) {
  const sn_vec3 axis = sn__rows_axis(joint);
  const sn_vec3 ang = slides ? sn_vec3_make(0, 0, 0) : axis;
  const sn_vec3 lin = slides ? axis : sn_vec3_cross(sn__rows_pos(joint), axis);
  jac[0 * n + j] = ang.x;
  jac[1 * n + j] = ang.y;
  jac[2 * n + j] = ang.z;
  jac[3 * n + j] = lin.x;
  jac[4 * n + j] = lin.y;
  jac[5 * n + j] = lin.z;
}

static void add_column(double *jac, size_t n, size_t j, const sn__rows *joint, bool slides,
                       double scale) {
  double column[6];
  put_column(column, 1, 0, joint, slides);
  for (size_t row = 0; row < 6; row++) {
    jac[row * n + j] += scale * column[row];
  }
}

/* From the base's origin to the tip: linear part plus angular part cross tip. */
static inline void move_to_tip(double *jac, size_t n, sn_vec3 tip) {
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
  const bool one_to_one = is_one_to_one(tree); /* then every column is written */
  if (!one_to_one) {
    memset(jac, 0, 6 * columns * sizeof *jac);
  }
  sn__rows pose = sn__rows_identity();
  for (size_t first = 0; first < n; first += BLOCK) {
    const size_t count = block_count(n, first);
    joint_block block;
    evaluate(tree, one_to_one, q, first, count, &block);
    for (size_t k = 0; k < count; k++) {
      const size_t i = first + k;
      const bool slides = tree->prismatic[i];
      const sn__rows joint = sn__joint_rows(&tree->pose_parent_joint[i], slides, block.value[k],
                                            block.sine[k], block.cosine[k]);
      pose = sn__rows_mul(&pose, &joint);
      if (one_to_one) {
        put_column(jac, columns, i, &pose, slides);
      } else {
        add_column(jac, columns, (size_t)tree->coord[i], &pose, slides, tree->q_scale[i]);
      }
    }
  }
  const sn__rows body_tip = sn__rows_from_pose(&chain->pose_body_tip);
  pose = sn__rows_mul(&pose, &body_tip);
  *pose_out = sn__rows_to_pose(&pose);
  move_to_tip(jac, columns, pose_out->pos);
}
