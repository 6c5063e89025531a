#include <stdlib.h>

#include "base/arena_internal.h"
#include "sinew/arena.h"
#include "sinew/random.h"
#include "sn_test.h"

#define OBJECTS 500

typedef struct object {
  unsigned char *bytes;
  size_t size;
  unsigned char mark;
} object;

static bool all_bytes_are(const object *o, unsigned char value) {
  for (size_t i = 0; i < o->size; i++) {
    if (o->bytes[i] != value) {
      return false;
    }
  }
  return true;
}

/* Objects of random size and alignment, each filled with its own mark: a mark that changed later
   means that two objects share a byte. */
static void assert_objects_are_zeroed_aligned_and_apart(sn_arena *arena, sn_random *random) {
  static object objects[OBJECTS];
  for (size_t i = 0; i < OBJECTS; i++) {
    const size_t align = (size_t)1 << sn_random_below(random, 7);
    object *o = &objects[i];
    o->size = sn_random_below(random, 200);
    o->bytes = sn_arena_alloc(arena, o->size, align);
    o->mark = (unsigned char)(1 + i % 255);
    assert_non_null(o->bytes);
    assert_int_equal((uintptr_t)o->bytes % align, 0);
    assert_true(all_bytes_are(o, 0));
    memset(o->bytes, o->mark, o->size);
  }
  for (size_t i = 0; i < OBJECTS; i++) {
    assert_true(all_bytes_are(&objects[i], objects[i].mark));
  }
}

SN_TEST(fixed_arena_gives_objects_zeroed_aligned_and_apart) {
  sn_random random;
  sn_random_init(&random, 1);
  const size_t size = (size_t)OBJECTS * (200 + 64);
  unsigned char *memory = malloc(size + 1);
  assert_non_null(memory);
  for (size_t offset = 0; offset < 2; offset++) { /* also over bytes that are not aligned */
    memset(memory, 0xAA, size + 1);
    sn_arena arena;
    sn_arena_init(&arena, "fixed", memory + offset, size);
    assert_objects_are_zeroed_aligned_and_apart(&arena, &random);
    assert_true(sn_arena_used(&arena) <= size);
  }
  free(memory);
}

SN_TEST(growing_arena_gives_objects_zeroed_aligned_and_apart) {
  sn_random random;
  sn_random_init(&random, 2);
  static const size_t block_sizes[] = {0, 1, 64, 100, 1000, 1000000};
  for (size_t i = 0; i < 6; i++) {
    sn_arena arena;
    sn_arena_init_growing(&arena, "growing", block_sizes[i]);
    for (int round = 0; round < 2; round++) { /* after the release it is usable again */
      assert_int_equal(sn_arena_used(&arena), 0);
      assert_objects_are_zeroed_aligned_and_apart(&arena, &random);
      sn_arena_release(&arena);
    }
  }
}

SN_TEST(full_arena_gives_null_and_keeps_working) {
  unsigned char memory[16];
  sn_arena arena;
  sn_arena_init(&arena, "small", memory, sizeof memory);
  assert_null(sn_arena_alloc(&arena, 17, 1));
  assert_int_equal(sn_arena_used(&arena), 0);
  assert_ptr_equal(sn_arena_alloc(&arena, 10, 1), memory);
  assert_null(sn_arena_alloc(&arena, 7, 1));
  assert_ptr_equal(sn_arena_alloc(&arena, 6, 1), memory + 10);
  assert_non_null(sn_arena_alloc(&arena, 0, 1));
  assert_null(sn_arena_alloc(&arena, 1, 1));
  assert_int_equal(sn_arena_used(&arena), 16);

  sn_arena_init(&arena, "none", NULL, 0);
  assert_null(sn_arena_alloc(&arena, 1, 1));
}

SN_TEST(sizes_that_overflow_give_null) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "growing", 64);
  assert_null(sn_arena_alloc(&arena, SIZE_MAX, 1));
  assert_null(sn_arena_alloc(&arena, SIZE_MAX - 10, 64));
  assert_null(sn_arena_alloc_array(&arena, SIZE_MAX / 2 + 1, 2, 1));
  assert_null(sn_arena_alloc_array(&arena, (size_t)1 << 40, (size_t)1 << 40, 8));
  assert_null(sn_arena_text(&arena, "", SIZE_MAX));
  assert_non_null(sn_arena_alloc_array(&arena, SIZE_MAX, 0, 8));
  assert_non_null(sn_arena_alloc_array(&arena, 0, SIZE_MAX, 8));
  sn_arena_release(&arena);
}

SN_TEST(restore_brings_back_the_state_of_the_mark) {
  sn_random random;
  sn_random_init(&random, 3);
  enum { DEPTH = 40 };
  sn_arena arena;
  sn_arena_init_growing(&arena, "growing", 256);
  sn_arena_mark marks[DEPTH];
  object kept[DEPTH];
  size_t used[DEPTH];
  size_t depth = 0;
  for (int i = 0; i < 5000; i++) {
    if (depth < DEPTH && (depth == 0 || sn_random_below(&random, 2) == 0)) {
      marks[depth] = sn_arena_save(&arena);
      used[depth] = sn_arena_used(&arena);
      object *o = &kept[depth];
      *o = (object){.size = sn_random_below(&random, 400), .mark = (unsigned char)(depth + 1)};
      o->bytes = sn_arena_alloc(&arena, o->size, 8);
      assert_non_null(o->bytes);
      assert_true(all_bytes_are(o, 0));
      memset(o->bytes, o->mark, o->size);
      depth++;
    } else {
      depth = sn_random_below(&random, depth); /* back by one or several */
      sn_arena_restore(&arena, marks[depth]);
      assert_int_equal(sn_arena_used(&arena), used[depth]);
    }
    for (size_t j = 0; j < depth; j++) {
      assert_true(all_bytes_are(&kept[j], kept[j].mark));
    }
  }
  sn_arena_release(&arena);
  assert_int_equal(sn_arena_used(&arena), 0);
}

SN_TEST(texts_are_copied_with_a_nul) {
  unsigned char memory[64];
  memset(memory, 0xAA, sizeof memory);
  sn_arena arena;
  sn_arena_init(&arena, "texts", memory, sizeof memory);
  char source[] = "elbow_joint";
  const char *copy = sn_arena_text(&arena, source, 5);
  source[0] = 'X';
  assert_string_equal(copy, "elbow");
  assert_string_equal(sn_arena_text(&arena, NULL, 0), "");
  assert_string_equal(sn_arena_name(&arena), "texts");
  while (sn_arena_text(&arena, "abc", 3) != NULL) {
  }
  assert_true(sn_arena_used(&arena) <= sizeof memory);
}

SN_TEST(sealed_arena_faults_on_allocation) {
  unsigned char memory[64];
  sn_arena arena;
  sn_arena_init(&arena, "sealed", memory, sizeof memory);
  assert_non_null(sn_arena_alloc(&arena, 8, 8));
  sn_arena_seal(&arena);
  sn_assert_fault(sn_arena_alloc(&arena, 8, 8), "!arena->sealed");
  sn_assert_fault(sn_arena_alloc(&arena, 0, 1), "!arena->sealed");
  sn_assert_fault((void)SN_NEW(&arena, int, 1), "!arena->sealed");
  sn_assert_fault(sn_arena_text(&arena, "", 0), "!arena->sealed");
  sn_arena_release(&arena);
  assert_non_null(sn_arena_alloc(&arena, 64, 1));
}

SN_TEST(bad_alignment_and_bad_marks_are_faults) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "growing", 64);
  sn_assert_fault(sn_arena_alloc(&arena, 8, 0), "align");
  sn_assert_fault(sn_arena_alloc(&arena, 8, 24), "align");
  sn_assert_fault(sn_arena_alloc(&arena, 8, 128), "ALIGN_MAX");
  assert_non_null(sn_arena_alloc(&arena, 8, 8));
  const sn_arena_mark old = sn_arena_save(&arena);
  sn_arena_release(&arena);
  sn_assert_fault(sn_arena_restore(&arena, old), "block != NULL");
}

SN_TEST(arena_that_counts_gives_nothing_while_it_is_sealed) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "counting", 0);
  assert_non_null(sn_arena_alloc(&arena, 8, 8));
  size_t refused = 0;
  sn__arena_seal_counting(&arena, &refused);
  const size_t used = sn_arena_used(&arena);
  assert_null(sn_arena_alloc(&arena, 8, 8));
  assert_null(SN_NEW(&arena, int, 3));
  assert_null(sn_arena_text(&arena, "abc", 3));
  assert_int_equal(refused, 3);
  assert_int_equal(sn_arena_used(&arena), used);
  sn__arena_unseal(&arena);
  assert_non_null(sn_arena_alloc(&arena, 8, 8));
  sn__arena_seal_counting(&arena, &refused);
  sn_arena_release(&arena); /* removes the seal */
  assert_non_null(sn_arena_alloc(&arena, 8, 8));
  assert_int_equal(refused, 3);
  sn_arena_release(&arena);
}
