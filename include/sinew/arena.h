/** @file
 *  Arenas: objects are created in an arena and freed together with it.
 *
 *  Two kinds behave alike: a *fixed* arena over bytes of the caller, and a *growing* one that takes
 *  blocks from the heap. Neither frees single objects. */
#ifndef SINEW_ARENA_H
#define SINEW_ARENA_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"

SN_BEGIN_DECLS

struct sn_arena_block;

/** Treat the fields as private; `sn_arena_used` and its siblings read them. */
typedef struct sn_arena {
  const char *name;             /**< for messages; not copied */
  unsigned char *bytes;         /**< current block */
  size_t size;                  /**< of the current block */
  size_t offset;                /**< first free byte of the current block */
  size_t used_before;           /**< bytes used in the blocks before the current one */
  size_t block_size;            /**< smallest heap block; 0 for a fixed arena */
  struct sn_arena_block *block; /**< newest heap block */
  bool sealed;
  size_t *refused; /**< counts allocations refused while sealed; NULL: they are a fault */
} sn_arena;

/** A state to return to. */
typedef struct sn_arena_mark {
  struct sn_arena_block *block;
  size_t offset;
} sn_arena_mark;

/** A fixed arena over @p size bytes at @p memory, which must outlive it.
 *  RT: yes.  Threads: one owner. */
SN_API void sn_arena_init(sn_arena *arena, const char *name, void *memory, size_t size) SN_RT;

/** An arena that takes blocks of at least @p block_size bytes (0 means 4096) from the heap as it
 *  needs them.
 *  Does not allocate yet. Call sn_arena_release() at the end.
 *  RT: yes.  Threads: one owner. */
SN_API void sn_arena_init_growing(sn_arena *arena, const char *name, size_t block_size) SN_RT;

/** Free all heap blocks and everything created in the arena; a growing arena may be used again.
 * Removes the seal. RT: no, frees.  Threads: owner. */
SN_API void sn_arena_release(sn_arena *arena);

/** @return @p size zeroed bytes at a multiple of @p align (a power of two, at most 64), or NULL if
 *  memory runs out. A size of 0 gives a valid pointer. On a sealed arena: a fault, or NULL if it
 * counts refused allocations. RT: only before the seal.  Threads: owner. */
SN_API void *sn_arena_alloc(sn_arena *arena, size_t size, size_t align);

/** `count` zeroed objects of `type`, or NULL. */
#define SN_NEW(arena, type, count) \
  ((type *)sn_arena_alloc_array((arena), (count), sizeof(type), alignof(type)))

/** As sn_arena_alloc() for @p count objects of @p size bytes; NULL if the product overflows. */
SN_API void *sn_arena_alloc_array(sn_arena *arena, size_t count, size_t size, size_t align);

/** A copy of @p length bytes of @p text with a NUL after them, or NULL if memory runs out. */
SN_API char *sn_arena_text(sn_arena *arena, const char *text, size_t length);

/** Save the current state, to make a creation all-or-nothing. RT: yes. */
SN_API sn_arena_mark sn_arena_save(const sn_arena *arena) SN_RT;

/** Free everything created since @p mark. A mark of another arena, or one made after a mark that
 * was restored, is a fault or undefined behaviour. RT: no, may free. */
SN_API void sn_arena_restore(sn_arena *arena, sn_arena_mark mark);

/** Make every further allocation a fault; called before the first cycle. RT: yes. */
SN_API void sn_arena_seal(sn_arena *arena) SN_RT;

/** Bytes in use now. RT: yes. */
SN_API size_t sn_arena_used(const sn_arena *arena) SN_RT;
/** The name given at init. RT: yes. */
SN_API const char *sn_arena_name(const sn_arena *arena) SN_RT;

SN_END_DECLS

#endif
