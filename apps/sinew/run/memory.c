#define _GNU_SOURCE

#include "run/memory.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h> /* mallopt */
#endif
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { LARGE_BLOCK = 64 * 1024 };

void memory_keep_large_blocks_apart(void) {
#ifdef __GLIBC__
  (void)mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
#endif
}

#ifdef __linux__

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* not in the headers of glibc 2.36 */
#endif

/* The heap that all threads begin with, the only one that grows in one piece. */
static void *find_heap(size_t *size) {
  char line[256];
  uintptr_t first = 0, end = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && first == 0 && fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, " [heap]\n") == NULL ||
        sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &first, &end) != 2) {
      first = end = 0;
    }
  }
  if (maps != NULL) {
    fclose(maps);
  }
  *size = (size_t)(end - first);
  return (void *)first;
}

/* Once, without MADV_HUGEPAGE: with it the kernel would go on to move pages while cycles run. */
void memory_use_large_pages(void) {
  size_t size = 0;
  void *heap = find_heap(&size);
  if (heap != NULL) {
    (void)madvise(heap, size, MADV_COLLAPSE);
  }
}

#else

void memory_use_large_pages(void) {}

#endif
