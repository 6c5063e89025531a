#define _GNU_SOURCE

#include "run/memory.h"

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
  void *first = NULL, *end = NULL;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && first == NULL && fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, " [heap]\n") == NULL || sscanf(line, "%p-%p", &first, &end) != 2) {
      first = NULL;
    }
  }
  if (maps != NULL) {
    fclose(maps);
  }
  *size = first == NULL ? 0 : (size_t)((char *)end - (char *)first);
  return first;
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
