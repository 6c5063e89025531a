/* Pairs that are switched off and on while the checker runs. The shapes of a pair that are switched
   off are kept behind the others. */
#include <string.h>

#include "base/fail.h"
#include "collision/collision_internal.h"

static bool is_named(const sn__collision *c, const sn__solid_pair *solids,
                     const sn__collision_off *pair) {
  const char *a = sn__collision_name(c, c->solids[solids->a].link);
  const char *b = sn__collision_name(c, c->solids[solids->b].link);
  return (strcmp(a, pair->link_a) == 0 && strcmp(b, pair->link_b) == 0) ||
         (strcmp(a, pair->link_b) == 0 && strcmp(b, pair->link_a) == 0);
}

static void swap(sn__solid_pair *a, sn__solid_pair *b) {
  const sn__solid_pair kept = *a;
  *a = *b;
  *b = kept;
}

/* @return how many pairs of shapes of two parts have these names */
static size_t switch_parts(sn__collision *c, sn__part_pair *parts, const sn__collision_off *pair,
                           bool is_on) {
  sn__solid_pair *solids = &c->solid_pairs[parts->first];
  size_t found = 0;
  /* Those that were looked at are before k, or moved behind it: from the end if they go off. */
  for (size_t i = 0; i < parts->listed; i++) {
    const size_t k = is_on ? i : parts->listed - 1 - i;
    if (!is_named(c, &solids[k], pair)) {
      continue;
    }
    found++;
    if (is_on && k >= parts->count) {
      swap(&solids[k], &solids[parts->count++]);
    } else if (!is_on && k < parts->count) {
      swap(&solids[k], &solids[--parts->count]);
    }
  }
  parts->clear = found > 0 ? -INFINITY : parts->clear;
  return found;
}

static bool is_known(const sn__collision *c, const char *name) {
  bool is_found = sn_model_link_index(c->model, name) >= 0;
  for (size_t i = 0; i < c->objects.count; i++) {
    is_found = is_found || strcmp(c->objects.list[i].name, name) == 0;
  }
  return is_found;
}

sn_status sn__collision_switch(sn__collision *collision, const sn__collision_off *pair, bool is_on,
                               sn_error *err) {
  const char *const names[2] = {pair->link_a, pair->link_b};
  for (size_t i = 0; i < 2; i++) {
    if (!is_known(collision, names[i])) {
      return sn__fail(err, SN_ENOENT, "'%.80s' is neither a link nor an object", names[i]);
    }
  }
  size_t found = 0;
  for (size_t i = 0; i < collision->pair_count; i++) {
    found += switch_parts(collision, &collision->pairs[i], pair, is_on);
  }
  return found > 0 ? SN_OK
                   : sn__fail(err, SN_ENOENT,
                              "'%.60s' and '%.60s' are never checked: they are neighbours, touch "
                              "at rest, or a property disables them",
                              names[0], names[1]);
}

size_t sn__collision_count_active(const sn__collision *collision, size_t *off) {
  size_t active = 0;
  *off = 0;
  for (size_t i = 0; i < collision->pair_count; i++) {
    active += collision->pairs[i].count > 0;
    *off += collision->pairs[i].listed - collision->pairs[i].count;
  }
  return active;
}
