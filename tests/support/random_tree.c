#include "random_tree.h"

#include "math/inertia.h"
#include "math/sym3.h"
#include "sn_test.h"

void sn_test_random_vector(sn_random *random, size_t n, double size, double *x) {
  for (size_t i = 0; i < n; i++) {
    x[i] = sn_random_between(random, -size, size);
  }
}

sn_vec3 sn_test_random_vec3(sn_random *random, double size) {
  const double x = sn_random_between(random, -size, size);
  const double y = sn_random_between(random, -size, size);
  const double z = sn_random_between(random, -size, size);
  return sn_vec3_make(x, y, z);
}

sn_spatial sn_test_random_spatial(sn_random *random, double size) {
  const sn_vec3 ang = sn_test_random_vec3(random, size);
  const sn_vec3 lin = sn_test_random_vec3(random, size);
  return (sn_spatial){ang, lin};
}

sn_pose sn_test_random_pose(sn_random *random, double reach_m) {
  const double x = sn_random_normal(random), y = sn_random_normal(random);
  const double z = sn_random_normal(random), w = sn_random_normal(random);
  const sn_quat q = sn_quat_normalize((sn_quat){x, y, z, w});
  return (sn_pose){sn_mat3_from_quat(q), sn_test_random_vec3(random, reach_m)};
}

sn_inertia sn_test_random_inertia(sn_random *random, double mass_kg) {
  /* The inertia of a box is physical whatever its sides and its attitude. */
  const double a = sn_random_between(random, 0.02, 0.3);
  const double b = sn_random_between(random, 0.02, 0.3);
  const double c = sn_random_between(random, 0.02, 0.3);
  const double k = mass_kg / 12.0;
  const sn_sym3 box = {
      .xx = k * (b * b + c * c), .yy = k * (a * a + c * c), .zz = k * (a * a + b * b)};
  const sn_mat3 rot = sn_test_random_pose(random, 0.0).rot;
  return sn__inertia_from_com(mass_kg, sn_test_random_vec3(random, 0.2), sn__sym3_rotate(rot, box));
}

static void *filled(sn_arena *arena, size_t count, size_t size) {
  void *array = sn_arena_alloc_array(arena, count, size, 64);
  assert_non_null(array);
  return array;
}

/* Which entry moves which body: entries in the order of bodies, the idle ones in between, then
   shuffled if asked. Returns the number of entries. */
static size_t assign_coords(sn_random *random, const sn_test_tree_config *config, int *coord,
                            double *q_scale, double *q_offset, bool *has_mimic) {
  const size_t n = config->body_count;
  size_t count = 0, idle = config->idle_count;
  for (size_t i = 0; i < n; i++) {
    q_scale[i] = 1.0;
    if (i > 0 && sn_random_unit(random) < config->mimic_share) {
      coord[i] = coord[sn_random_below(random, i)];
      q_scale[i] = sn_random_between(random, -2.0, 2.0);
      q_offset[i] = sn_random_between(random, -1.0, 1.0);
      *has_mimic = true;
      continue;
    }
    if (idle > 0 && sn_random_unit(random) < 0.5) {
      count++;
      idle--;
    }
    coord[i] = (int)count++;
  }
  count += idle;
  for (size_t i = count; config->shuffle && i-- > 1;) {
    const int a = (int)i, b = (int)sn_random_below(random, i + 1);
    for (size_t k = 0; k < n; k++) {
      coord[k] = coord[k] == a ? b : coord[k] == b ? a : coord[k];
    }
  }
  return count;
}

sn_tree *sn_test_random_tree(sn_arena *arena, sn_random *random,
                             const sn_test_tree_config *config) {
  const size_t n = config->body_count;
  sn_tree *tree = filled(arena, 1, sizeof *tree);
  int *parent = filled(arena, n, sizeof *parent);
  int *coord = filled(arena, n, sizeof *coord);
  bool *prismatic = filled(arena, n, sizeof *prismatic);
  double *q_scale = filled(arena, n, sizeof *q_scale);
  double *q_offset = filled(arena, n, sizeof *q_offset);
  sn_pose *pose = filled(arena, n, sizeof *pose);
  sn_inertia *inertia = filled(arena, n, sizeof *inertia);
  tree->is_serial = true;
  for (size_t i = 0; i < n; i++) {
    parent[i] = config->serial ? (int)i - 1 : (int)sn_random_below(random, i + 1) - 1;
    tree->is_serial = tree->is_serial && parent[i] == (int)i - 1;
    prismatic[i] = sn_random_unit(random) < config->prismatic_share;
    pose[i] = sn_test_random_pose(random, 0.4);
    inertia[i] = sn_test_random_inertia(random, sn_random_between(random, 0.2, 5.0));
  }
  tree->coord_count = assign_coords(random, config, coord, q_scale, q_offset, &tree->has_mimic);
  tree->body_count = n;
  tree->parent = parent;
  tree->prismatic = prismatic;
  tree->pose_parent_joint = pose;
  tree->inertia = inertia;
  tree->coord = coord;
  tree->q_scale = q_scale;
  tree->q_offset = q_offset;
  tree->base_inertia = sn_test_random_inertia(random, sn_random_between(random, 2.0, 10.0));
  return tree;
}

static sn_test_tree_config any_config(sn_random *random, size_t body_count_max) {
  const bool plain = sn_random_unit(random) < 0.5;
  return (sn_test_tree_config){
      .body_count = 1 + sn_random_below(random, body_count_max),
      .serial = sn_random_unit(random) < 0.4,
      .prismatic_share = sn_random_unit(random) < 0.5 ? 0.0 : 0.3,
      .mimic_share = plain ? 0.0 : 0.3,
      .idle_count = plain ? 0 : sn_random_below(random, 3),
      .shuffle = sn_random_unit(random) < 0.3,
  };
}

sn_tree *sn_test_any_tree(sn_arena *arena, sn_random *random, size_t body_count_max) {
  const sn_test_tree_config config = any_config(random, body_count_max);
  return sn_test_random_tree(arena, random, &config);
}

sn_chain *sn_test_random_chain(sn_arena *arena, sn_random *random,
                               const sn_test_tree_config *config) {
  sn_test_tree_config serial = *config;
  serial.serial = true;
  serial.shuffle = false; /* entries of a chain run from base to tip */
  sn_chain *chain = filled(arena, 1, sizeof *chain);
  chain->tree = *sn_test_random_tree(arena, random, &serial);
  chain->joint_count = chain->tree.coord_count;
  chain->pose_body_tip = sn_test_random_pose(random, 0.3);
  return chain;
}

sn_pose sn_test_body_pose(const sn_tree *tree, int i, const double *q) {
  sn_pose pose = sn_pose_identity();
  for (; i >= 0; i = tree->parent[i]) {
    const double value = tree->q_scale[i] * q[tree->coord[i]] + tree->q_offset[i];
    sn_pose joint = sn_pose_identity();
    if (tree->prismatic[i]) {
      joint.pos.z = value;
    } else {
      joint.rot = sn_mat3_from_axis_angle(sn_vec3_make(0, 0, 1), value);
    }
    pose = sn_pose_mul(sn_pose_mul(tree->pose_parent_joint[i], joint), pose);
  }
  return pose;
}

sn_dyn_world sn_test_random_world(sn_random *random, const sn_tree *tree, sn_base_state *base,
                                  sn_spatial *forces) {
  *base =
      (sn_base_state){sn_test_random_pose(random, 3.0), sn_test_random_spatial(random, 1.0),
                      sn_test_random_spatial(random, 3.0), sn_test_random_spatial(random, 10.0)};
  for (size_t i = 0; i < tree->body_count; i++) {
    forces[i] = sn_test_random_spatial(random, 10.0);
  }
  return (sn_dyn_world){sn_test_random_vec3(random, 12.0), base, forces};
}
