#include "sinew/names.h"

#include <stdint.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "sinew/fault.h"

/* Open addressing with linear probing; at most half full, so a probe ends soon. The hash is kept
 * beside the index, so most different names are rejected without reading their text. */
typedef struct slot {
  uint32_t hash;
  int32_t index; /* -1: empty */
} slot;

struct sn_names {
  size_t count;
  uint32_t mask; /* slots - 1 */
  const char **texts;
  slot *slots;
};

/* The slot that holds the text, or the empty one where it would go. */
static slot *find_slot(const sn_names *names, const char *text, uint32_t hash) {
  for (uint32_t i = hash & names->mask;; i = (i + 1) & names->mask) {
    slot *s = &names->slots[i];
    if (s->index < 0 || (s->hash == hash && strcmp(names->texts[s->index], text) == 0)) {
      return s;
    }
  }
}

static sn_status fill(sn_arena *arena, sn_names *names, const char *const *texts, sn_error *err) {
  for (size_t i = 0; i <= names->mask; i++) {
    names->slots[i].index = -1;
  }
  for (size_t i = 0; i < names->count; i++) {
    const uint32_t hash = sn__text_hash(texts[i], SIZE_MAX);
    slot *s = find_slot(names, texts[i], hash);
    if (s->index >= 0) {
      return sn__fail(err, SN_EINVAL, "names: '%s' appears twice", texts[i]);
    }
    names->texts[i] = sn_arena_text(arena, texts[i], strlen(texts[i]));
    if (names->texts[i] == NULL) {
      return sn__fail(err, SN_ENOMEM, "names: no room in arena '%s'", sn_arena_name(arena));
    }
    *s = (slot){.hash = hash, .index = (int32_t)i};
  }
  return SN_OK;
}

sn_status sn_names_create(sn_arena *arena, const char *const *texts, size_t count,
                          const sn_names **out, sn_error *err) {
  if (count > (size_t)1 << 30) {
    return sn__fail(err, SN_EINVAL, "names: %zu are too many", count);
  }
  size_t slot_count = 4;
  while (slot_count < 2 * count) {
    slot_count *= 2;
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_names *names = SN_NEW(arena, sn_names, 1);
  const char **copies = SN_NEW(arena, const char *, count);
  slot *slots = SN_NEW(arena, slot, slot_count);
  sn_status status = SN_ENOMEM;
  if (names == NULL || copies == NULL || slots == NULL) {
    (void)sn__fail(err, status, "names: no room in arena '%s'", sn_arena_name(arena));
  } else {
    *names = (sn_names){
        .count = count, .mask = (uint32_t)(slot_count - 1), .texts = copies, .slots = slots};
    status = fill(arena, names, texts, err);
  }
  if (status != SN_OK) {
    sn_arena_restore(arena, mark); /* all or nothing */
    return status;
  }
  *out = names;
  return SN_OK;
}

size_t sn_names_count(const sn_names *names) {
  return names->count;
}

const char *sn_names_at(const sn_names *names, size_t index) {
  SN_ASSERT(index < names->count);
  return names->texts[index];
}

int sn_names_index(const sn_names *names, const char *text) {
  return find_slot(names, text, sn__text_hash(text, SIZE_MAX))->index;
}
