#include "base/fail.h"
#include "model/model_data.h"

/* How many links there are from first to last, both included. */
static size_t way_length(const sn_model *model, int first, int last) {
  size_t length = 1;
  for (int link = last; link != first; link = sn__link_parent(model, link)) {
    length++;
  }
  return length;
}

/* The joints of the chain: pose indices and limits, base to tip. */
static size_t list_joints(const sn_model *model, const int *way, size_t length, int *joints,
                          double *lower, double *upper) {
  size_t count = 0;
  for (size_t i = 1; i < length; i++) {
    const int joint = model->links[way[i]].parent_joint;
    if (model->joints[joint].type != SN_JOINT_FIXED) {
      joints[count] = joint;
      lower[count] = model->joints[joint].lower;
      upper[count] = model->joints[joint].upper;
      count++;
    }
  }
  return count;
}

/* Needed only while a chain is compiled. */
typedef struct workspace {
  int *way;   /* links, base to tip */
  int *coord; /* [pose_size] */
  sn__placed_link *placed;
} workspace;

static bool fill_workspace(sn_arena *scratch, const sn_model *model, int last, size_t length,
                           workspace *w) {
  w->way = SN_NEW(scratch, int, length);
  w->coord = SN_NEW(scratch, int, model->pose_size);
  w->placed = SN_NEW(scratch, sn__placed_link, length);
  if (w->way == NULL || w->coord == NULL || w->placed == NULL) {
    return false;
  }
  for (size_t i = length; i-- > 0; last = sn__link_parent(model, last)) {
    w->way[i] = last;
  }
  for (size_t i = 0; i < model->pose_size; i++) {
    w->coord[i] = -1;
  }
  return true;
}

static bool compile(sn_arena *arena, const sn_model *model, size_t length, const workspace *w,
                    sn_chain *chain) {
  int *joints = SN_NEW(arena, int, length);
  double *lower = SN_NEW(arena, double, length);
  double *upper = SN_NEW(arena, double, length);
  if (joints == NULL || lower == NULL || upper == NULL) {
    return false;
  }
  const size_t count = list_joints(model, w->way, length, joints, lower, upper);
  for (size_t i = 0; i < count; i++) {
    w->coord[joints[i]] = (int)i;
  }
  *chain = (sn_chain){.first_link = w->way[0],
                      .last_link = w->way[length - 1],
                      .joint_count = count,
                      .joints = joints,
                      .lower = lower,
                      .upper = upper};
  const sn__tree_plan plan = {
      .link_count = length, .links = w->way, .coord_count = count, .coord = w->coord};
  if (!sn__tree_compile(arena, model, &plan, w->placed, &chain->tree)) {
    return false;
  }
  chain->pose_body_tip = w->placed[length - 1].pose_body_link;
  return true;
}

bool sn__chain_compile(sn_arena *arena, sn_arena *scratch, const sn_model *model, int first,
                       int last, sn_chain *chain) {
  const sn_arena_mark mark = sn_arena_save(scratch);
  const size_t length = way_length(model, first, last);
  workspace w;
  const bool good =
      fill_workspace(scratch, model, last, length, &w) && compile(arena, model, length, &w, chain);
  sn_arena_restore(scratch, mark);
  return good;
}

static bool is_below(const sn_model *model, int link, int ancestor) {
  while (link >= 0 && link != ancestor) {
    link = sn__link_parent(model, link);
  }
  return link == ancestor;
}

sn_status sn_chain_create(sn_arena *arena, const sn_model *model, const char *base, const char *tip,
                          const sn_chain **out, sn_error *err) {
  const int first = sn_model_link_index(model, base);
  const int last = sn_model_link_index(model, tip);
  if (first < 0 || last < 0) {
    return sn__fail(err, SN_ENOENT, "link '%s' does not exist", first < 0 ? base : tip);
  }
  if (!is_below(model, last, first)) {
    return sn__fail(err, SN_EINVAL, "link '%s' is not below link '%s'%s", tip, base,
                    is_below(model, first, last) ? ": base and tip are swapped" : "");
  }
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "chain scratch", 4096);
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_chain *chain = SN_NEW(arena, sn_chain, 1);
  const bool good = chain != NULL && sn__chain_compile(arena, &scratch, model, first, last, chain);
  sn_arena_release(&scratch);
  if (!good) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "chain: no room in arena '%s'", sn_arena_name(arena));
  }
  *out = chain;
  return SN_OK;
}
