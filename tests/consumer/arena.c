/* Memory of a user's program: a fixed arena over an array, and a growing one. */
#include <stdint.h>
#include <string.h>

#include "check.h"

/* A fixed arena counts what it gives, returns to a mark, and refuses what does not fit. */
static void check_fixed(void) {
  alignas(64) static unsigned char memory[1024];
  sn_arena arena;
  sn_arena_init(&arena, "fixed", memory, sizeof memory);
  CHECK(strcmp(sn_arena_name(&arena), "fixed") == 0);
  CHECK(sn_arena_used(&arena) == 0);

  double *numbers = sn_arena_alloc_array(&arena, 8, sizeof(double), alignof(double));
  CHECK(numbers != NULL && sn_arena_used(&arena) == 8 * sizeof(double));
  const sn_arena_mark mark = sn_arena_save(&arena);
  const unsigned char *block = sn_arena_alloc(&arena, 512, 64);
  CHECK(block != NULL && (uintptr_t)block % 64 == 0);
  CHECK(block >= memory && block + 512 <= memory + sizeof memory);

  sn_arena_restore(&arena, mark);
  CHECK(sn_arena_used(&arena) == 8 * sizeof(double));
  CHECK(sn_arena_alloc(&arena, 512, 64) == block);
  CHECK(sn_arena_alloc(&arena, sizeof memory, 1) == NULL);
  CHECK(sn_arena_alloc_array(&arena, SIZE_MAX / 2, 4, 1) == NULL);
}

/* Memory that was used before comes back as zeros. */
static void check_zeroed(void) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "growing", 0);
  const sn_arena_mark mark = sn_arena_save(&arena);
  for (int round = 0; round < 3; round++) {
    unsigned char *bytes = sn_arena_alloc(&arena, 10000, 1);
    if (CHECK(bytes != NULL)) {
      CHECK(bytes[0] == 0 && memcmp(bytes, bytes + 1, 9999) == 0);
      memset(bytes, 0xff, 10000);
    }
    sn_arena_restore(&arena, mark);
  }
  CHECK(sn_arena_used(&arena) == 0);
  CHECK(strcmp(sn_arena_text(&arena, "textual", 4), "text") == 0);
  sn_arena_release(&arena);
}

/* A sealed arena that counts refused allocations gives nothing; its release removes the seal. */
static void check_seal(void) {
  size_t refused = 0;
  sn_arena arena;
  sn_arena_init_growing(&arena, "sealed", 0);
  CHECK(sn_arena_alloc(&arena, 16, 1) != NULL);
  arena.refused = &refused;
  sn_arena_seal(&arena);
  CHECK(sn_arena_alloc(&arena, 16, 1) == NULL);
  CHECK(refused == 1);
  sn_arena_release(&arena);
  CHECK(sn_arena_alloc(&arena, 16, 1) != NULL);
  sn_arena_release(&arena);
}

int main(void) {
  check_fixed();
  check_zeroed();
  check_seal();
  return check_result();
}
