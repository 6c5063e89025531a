/** @file
 *  A set of resources (limbs, grippers, anything that one controller at a time may command) as a
 *  plain value: one bit per entry of a table of names. */
#ifndef SN_ARBITER_RESOURCE_SET_H
#define SN_ARBITER_RESOURCE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/names.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

enum {
  SN_RESOURCES_MAX = 256,                       /**< resources that a set can hold */
  SN_RESOURCE_SET_WORDS = SN_RESOURCES_MAX / 64 /**< words of a set */
};

/** A value; all zero is the empty set. All functions here are RT and for any thread; an index must
 *  be less than SN_RESOURCES_MAX. */
typedef struct sn_resource_set {
  uint64_t words[SN_RESOURCE_SET_WORDS]; /**< resource i is bit i % 64 of word i / 64 */
} sn_resource_set;

/** The empty set. */
static inline sn_resource_set sn_resource_set_none(void) {
  const sn_resource_set set = {{0, 0, 0, 0}};
  return set;
}

/** Put resource @p index into the set. */
static inline void sn_resource_set_add(sn_resource_set *set, size_t index) {
  set->words[index / 64] |= (uint64_t)1 << (index % 64);
}

/** Take resource @p index out of the set. */
static inline void sn_resource_set_remove(sn_resource_set *set, size_t index) {
  set->words[index / 64] &= ~((uint64_t)1 << (index % 64));
}

/** Is resource @p index in the set? */
static inline bool sn_resource_set_has(const sn_resource_set *set, size_t index) {
  return (set->words[index / 64] >> (index % 64) & 1) != 0;
}

/** The resources 0 .. count-1; @p count is at most SN_RESOURCES_MAX. */
static inline sn_resource_set sn_resource_set_first(size_t count) {
  sn_resource_set set = sn_resource_set_none();
  for (size_t i = 0; i < count; i++) {
    sn_resource_set_add(&set, i);
  }
  return set;
}

/** What is in either. */
static inline sn_resource_set sn_resource_set_join(sn_resource_set a, sn_resource_set b) {
  for (int i = 0; i < SN_RESOURCE_SET_WORDS; i++) {
    a.words[i] |= b.words[i];
  }
  return a;
}

/** What is in both. */
static inline sn_resource_set sn_resource_set_common(sn_resource_set a, sn_resource_set b) {
  for (int i = 0; i < SN_RESOURCE_SET_WORDS; i++) {
    a.words[i] &= b.words[i];
  }
  return a;
}

/** What is in @p a and not in @p b. */
static inline sn_resource_set sn_resource_set_without(sn_resource_set a, sn_resource_set b) {
  for (int i = 0; i < SN_RESOURCE_SET_WORDS; i++) {
    a.words[i] &= ~b.words[i];
  }
  return a;
}

/** Is it empty? */
static inline bool sn_resource_set_is_empty(const sn_resource_set *set) {
  uint64_t any = 0;
  for (int i = 0; i < SN_RESOURCE_SET_WORDS; i++) {
    any |= set->words[i];
  }
  return any == 0;
}

/** Are they the same? */
static inline bool sn_resource_set_equal(const sn_resource_set *a, const sn_resource_set *b) {
  uint64_t differing = 0;
  for (int i = 0; i < SN_RESOURCE_SET_WORDS; i++) {
    differing |= a->words[i] ^ b->words[i];
  }
  return differing == 0;
}

/** Is every resource of @p part in @p set? */
static inline bool sn_resource_set_includes(const sn_resource_set *set,
                                            const sn_resource_set *part) {
  uint64_t missing = 0;
  for (int i = 0; i < SN_RESOURCE_SET_WORDS; i++) {
    missing |= part->words[i] & ~set->words[i];
  }
  return missing == 0;
}

/** How many are in it? */
static inline size_t sn_resource_set_count(const sn_resource_set *set) {
  size_t count = 0;
  for (int i = 0; i < SN_RESOURCE_SET_WORDS; i++) {
    count += (size_t)__builtin_popcountll(set->words[i]);
  }
  return count;
}

/** The first resource of the set that is not below @p from, or -1 if there is none. All of them:
 *  `for (int i = sn_resource_set_next(&s, 0); i >= 0; i = sn_resource_set_next(&s, i + 1))` */
static inline int sn_resource_set_next(const sn_resource_set *set, int from) {
  int w = from / 64;
  if (w < SN_RESOURCE_SET_WORDS && set->words[w] >> (from % 64) != 0) {
    return from + __builtin_ctzll(set->words[w] >> (from % 64));
  }
  for (w++; w < SN_RESOURCE_SET_WORDS; w++) {
    if (set->words[w] != 0) {
      return w * 64 + __builtin_ctzll(set->words[w]);
    }
  }
  return -1;
}

/** The set that these names mean; one that appears twice counts once.
 *  @param resources  all that exist; at most SN_RESOURCES_MAX
 *  @param set        out; untouched on failure
 *  @return SN_OK, or SN_ENOENT an unknown resource, named in the error
 *  RT: yes, but for the error's text.  Threads: any. */
sn_status sn__resource_set_find(const sn_names *resources, const char *const *texts, size_t count,
                                sn_resource_set *set, sn_error *err);

SN_END_DECLS

#endif
