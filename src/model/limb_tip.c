/* Chooses the tip among the links that move with the last joint of a limb: a frame named as a tip,
 * otherwise the farthest link that carries no sensor. */
#include <string.h>

#include "model/limb_tree.h"
#include "model/limb_words.h"

/* Rank of a link as the tip: frames named as tips first, then by distance in links. */
static int rank_of(const sn__limb_tree *tree, int link) {
  const char *name = tree->build->model->links[link].name;
  const char *joint = sn__limb_joint(tree, link)->joint.name;
  const unsigned words = sn__words_of(name) | sn__words_of(joint);
  const bool is_made_for_it = (words & (SN__WORD_TOOL | SN__WORD_FOOT)) != 0;
  const bool is_tool0 = strstr(name, "tool0") != NULL || strstr(joint, "tool0") != NULL;
  return (is_made_for_it ? 1 << 20 : 0) + 2 * tree->depth[link] + (is_tool0 ? 1 : 0);
}

int sn__limb_tip(const sn__limb_tree *tree, const sn__limb *limb) {
  int tip = limb->last;
  int best = -1;
  for (int link = limb->last + 1; !limb->has_more && link < tree->end[limb->last]; link++) {
    if (tree->leader[link] == limb->last && !tree->is_sensor[link]) {
      const int rank = rank_of(tree, link);
      tip = rank >= best ? link : tip;
      best = rank >= best ? rank : best;
    }
  }
  return tip;
}
