/* The heap in large pages: the same bytes, and no small pages where the kernel can do without. */
#define _GNU_SOURCE

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "run/memory.h"
#include "sn_test.h"

enum { BLOCK = 4000, BLOCKS = 4000, LARGE_PAGE = 2 << 20 };
static unsigned char *blocks[BLOCKS];

static unsigned char byte_at(size_t block, size_t i) {
  return (unsigned char)(block * 31 + i * 7 + 1);
}

/* kB in large pages of the mapping that holds @p address; -1: it is not the heap. */
static long large_kB(const void *address) {
  char line[512];
  uintptr_t first, end;
  bool is_inside = false;
  long found = -1;
  FILE *file = fopen("/proc/self/smaps", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "%lx-%lx ", &first, &end) == 2) {
      is_inside = (uintptr_t)address >= first && (uintptr_t)address < end &&
                  strstr(line, " [heap]\n") != NULL;
    } else if (is_inside) {
      (void)sscanf(line, "AnonHugePages: %ld kB", &found);
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  return found;
}

/* Can this kernel do it at all? */
static bool has_large_pages(void) {
  char *memory =
      mmap(NULL, 2 * LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(memory != MAP_FAILED);
  memset(memory, 1, 2 * LARGE_PAGE);
  const bool is_done = madvise(memory, 2 * LARGE_PAGE, 25) == 0;
  munmap(memory, 2 * LARGE_PAGE);
  return is_done;
}

SN_TEST(the_heap_keeps_its_bytes_in_large_pages) {
  memory_keep_large_blocks_apart();
  for (size_t k = 0; k < BLOCKS; k++) {
    blocks[k] = malloc(BLOCK);
    assert_non_null(blocks[k]);
    for (size_t i = 0; i < BLOCK; i++) {
      blocks[k][i] = byte_at(k, i);
    }
  }
  const long before_kB = large_kB(blocks[BLOCKS / 2]);
  memory_use_large_pages();
  memory_use_large_pages(); /* does no harm */
  const long after_kB = large_kB(blocks[BLOCKS / 2]);
  for (size_t k = 0; k < BLOCKS; k++) {
    for (size_t i = 0; i < BLOCK; i++) {
      assert_int_equal(blocks[k][i], byte_at(k, i));
    }
    free(blocks[k]);
  }
  if (before_kB == 0 && has_large_pages()) { /* sanitizers have a heap of their own */
    assert_true(after_kB >= BLOCKS / 1000 * BLOCK / 2);
  }
}
