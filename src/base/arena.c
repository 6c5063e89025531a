#include "sinew/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena_internal.h"
#include "sinew/fault.h"

#define ALIGN_MAX 64

/* Header of a heap block; it records the state of the arena before the block was added. */
struct sn_arena_block {
  struct sn_arena_block *previous;
  size_t size;            /* usable bytes behind the header */
  size_t previous_offset; /* offset in the previous block when this one was taken */
  size_t touched;         /* bytes behind this were never given out: they are still zero */
};

static unsigned char *block_bytes(struct sn_arena_block *block) {
  return (unsigned char *)block + sizeof *block;
}

void sn_arena_init(sn_arena *arena, const char *name, void *memory, size_t size) {
  *arena = (sn_arena){.name = name, .bytes = memory, .size = size};
}

void sn_arena_init_growing(sn_arena *arena, const char *name, size_t block_size) {
  *arena = (sn_arena){.name = name, .block_size = block_size == 0 ? 4096 : block_size};
}

/* Free the newest heap block. */
static void drop_block(sn_arena *arena) {
  struct sn_arena_block *block = arena->block;
  SN_ASSERT(block !=
            NULL); /* otherwise the mark belongs to another arena or was saved before a release */
  arena->block = block->previous;
  arena->offset = block->previous_offset;
  arena->bytes = block->previous == NULL ? NULL : block_bytes(block->previous);
  arena->size = block->previous == NULL ? 0 : block->previous->size;
  arena->used_before -= arena->offset;
  free(block);
}

static bool add_block(sn_arena *arena, size_t size) {
  const size_t bytes = size > arena->block_size ? size : arena->block_size;
  if (bytes > SIZE_MAX - sizeof(struct sn_arena_block)) {
    return false;
  }
  struct sn_arena_block *block = calloc(1, sizeof *block + bytes);
  if (block == NULL) {
    return false;
  }
  *block = (struct sn_arena_block){
      .previous = arena->block, .size = bytes, .previous_offset = arena->offset};
  arena->used_before += arena->offset;
  arena->block = block;
  arena->bytes = block_bytes(block);
  arena->size = bytes;
  arena->offset = 0;
  return true;
}

void sn_arena_release(sn_arena *arena) {
  while (arena->block != NULL) {
    drop_block(arena);
  }
  arena->offset = 0;
  sn__arena_unseal(arena);
}

/* Zero an object, except for bytes that are still as calloc() gave them: pages that no object's
   owner writes to take no memory of the machine. */
static void clear(const sn_arena *arena, size_t start, size_t size) {
  struct sn_arena_block *block = arena->block;
  const size_t end = start + size;
  const size_t dirty = block == NULL || block->touched > end ? end : block->touched;
  if (start < dirty) {
    memset(arena->bytes + start, 0, dirty - start);
  }
  if (block != NULL && end > block->touched) {
    block->touched = end;
  }
}

/* Bytes to skip so that the next object is aligned. */
static size_t padding(const sn_arena *arena, size_t align) {
  const uintptr_t address = (uintptr_t)arena->bytes + arena->offset;
  return (size_t)(-address & (align - 1));
}

void *sn_arena_alloc(sn_arena *arena, size_t size, size_t align) {
  if (arena->refused != NULL) {
    (void)__atomic_fetch_add(arena->refused, 1, __ATOMIC_RELAXED);
    return NULL;
  }
  SN_ASSERT(!arena->sealed);
  SN_ASSERT(align != 0 && (align & (align - 1)) == 0);
  SN_ASSERT(align <= ALIGN_MAX);
  size_t skip = arena->bytes == NULL ? 0 : padding(arena, align);
  const size_t room = arena->size - arena->offset;
  if (arena->bytes == NULL || skip > room || size > room - skip) {
    if (arena->block_size == 0 || size > SIZE_MAX / 2 || !add_block(arena, size + align)) {
      return NULL;
    }
    skip = padding(arena, align);
  }
  const size_t start = arena->offset + skip;
  clear(arena, start, size);
  arena->offset = start + size;
  return arena->bytes + start;
}

void *sn_arena_alloc_array(sn_arena *arena, size_t count, size_t size, size_t align) {
  if (size != 0 && count > SIZE_MAX / size) {
    return NULL;
  }
  return sn_arena_alloc(arena, count * size, align);
}

char *sn_arena_text(sn_arena *arena, const char *text, size_t length) {
  char *copy = length == SIZE_MAX ? NULL : sn_arena_alloc(arena, length + 1, 1);
  if (copy != NULL && length > 0) {
    memcpy(copy, text, length);
  }
  return copy;
}

sn_arena_mark sn_arena_save(const sn_arena *arena) {
  return (sn_arena_mark){.block = arena->block, .offset = arena->offset};
}

void sn_arena_restore(sn_arena *arena, sn_arena_mark mark) {
  while (arena->block != mark.block) {
    drop_block(arena);
  }
  SN_ASSERT(mark.offset <= arena->offset);
  arena->offset = mark.offset;
}

void sn_arena_seal(sn_arena *arena) {
  arena->sealed = true;
}

void sn__arena_seal_counting(sn_arena *arena, size_t *refused) {
  arena->sealed = true;
  arena->refused = refused;
}

void sn__arena_unseal(sn_arena *arena) {
  arena->sealed = false;
  arena->refused = NULL;
}

size_t sn_arena_used(const sn_arena *arena) {
  return arena->used_before + arena->offset;
}

const char *sn_arena_name(const sn_arena *arena) {
  return arena->name;
}
