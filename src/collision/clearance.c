/* Is a pose free? For searches that ask this of many poses and need no distance. */
#include "collision/collision_internal.h"

/* As exact as a distance that is the result. */

/* The last body on the way from the base that a driven coordinate moves; -1: none. */
static int last_driven(const sn_tree *tree, const bool *is_driven, int body) {
  while (body >= 0 && !is_driven[tree->coord[body]]) {
    body = tree->parent[body];
  }
  return body;
}

void sn__collision_pairs_moved(const sn__collision *collision, const bool *is_driven,
                               bool *is_moved) {
  for (size_t i = 0; i < collision->pair_count; i++) {
    const sn__part_pair *pair = &collision->pairs[i];
    const int a = last_driven(collision->tree, is_driven, collision->parts[pair->a].body);
    const int b = last_driven(collision->tree, is_driven, collision->parts[pair->b].body);
    is_moved[i] = a != b;
  }
}

bool sn__collision_is_free(sn__collision *collision, const double *q, const bool *is_checked,
                           double margin) {
  const sn__gap_range range = {margin, margin, SN__FINE_M};
  sn__near near;
  sn__collision_move(collision, q);
  for (size_t i = 0; i <= collision->pair_count; i++) {
    /* The pair that was in contact last time comes first: it often is again. */
    const size_t pair = i == 0 ? collision->nearest_pair : i - 1;
    if (pair >= collision->pair_count || !is_checked[pair]) {
      continue;
    }
    if (sn__collision_gap(collision, pair, &range, &near) <= margin) {
      collision->nearest_pair = pair;
      return false;
    }
  }
  return true;
}
