#include <stdlib.h>

#include "sinew/names.h"
#include "sinew/random.h"
#include "sn_test.h"

#define NAME_SIZE 32

/* Names in one block, and the pointers to them for sn_names_create(). */
typedef struct name_list {
  char (*texts)[NAME_SIZE];
  const char **pointers;
  size_t count;
} name_list;

static name_list list_create(size_t count) {
  name_list list = {.texts = calloc(count + 1, NAME_SIZE),
                    .pointers = calloc(count + 1, sizeof *list.pointers),
                    .count = count};
  assert_non_null(list.texts);
  assert_non_null(list.pointers);
  for (size_t i = 0; i < count; i++) {
    list.pointers[i] = list.texts[i];
  }
  return list;
}

static void list_free(name_list *list) {
  free(list->texts);
  free(list->pointers);
}

SN_TEST(names_of_a_large_table_are_all_found) {
  /* With so many names some 10 pairs share their whole 32-bit hash, whatever the hash is. */
  name_list list = list_create(300000);
  for (size_t i = 0; i < list.count; i++) {
    snprintf(list.texts[i], NAME_SIZE, "joint_%zu", i);
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "names", 1 << 20);
  const sn_names *names = NULL;
  assert_int_equal(sn_names_create(&arena, list.pointers, list.count, &names, NULL), SN_OK);
  assert_int_equal(sn_names_count(names), list.count);
  for (size_t i = 0; i < list.count; i++) {
    assert_int_equal(sn_names_index(names, list.texts[i]), i);
    assert_string_equal(sn_names_at(names, i), list.texts[i]);
    assert_ptr_not_equal(sn_names_at(names, i), list.texts[i]); /* a copy */
    list.texts[i][0] = 'J';
    assert_int_equal(sn_names_index(names, list.texts[i]), -1);
  }
  list_free(&list);
  sn_arena_release(&arena);
}

/* The first name that appears for the second time; count if there is none. */
static size_t first_duplicate(const name_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    for (size_t j = 0; j < i; j++) {
      if (strcmp(list->texts[i], list->texts[j]) == 0) {
        return i;
      }
    }
  }
  return list->count;
}

static int linear_search(const name_list *list, const char *text) {
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->texts[i], text) == 0) {
      return (int)i;
    }
  }
  return -1;
}

/* Few letters and short: prefixes of each other, empty texts and duplicates are common. */
static void random_name(sn_random *random, char *text) {
  const size_t length = sn_random_below(random, 7);
  for (size_t i = 0; i < length; i++) {
    text[i] = (char)('a' + sn_random_below(random, 2));
  }
  text[length] = '\0';
}

SN_TEST(small_tables_agree_with_a_linear_search) {
  sn_random random;
  sn_random_init(&random, 1);
  size_t created = 0;
  const size_t cases = sn_test_cases(5000);
  for (size_t i = 0; i < cases; i++) {
    name_list list = list_create(sn_random_below(&random, 14));
    for (size_t j = 0; j < list.count; j++) {
      random_name(&random, list.texts[j]);
    }
    sn_arena arena;
    sn_arena_init_growing(&arena, "names", 512);
    const sn_names *names = NULL;
    sn_error err = {0};
    const sn_status status = sn_names_create(&arena, list.pointers, list.count, &names, &err);
    const size_t duplicate = first_duplicate(&list);
    if (duplicate < list.count) {
      assert_int_equal(status, SN_EINVAL);
      assert_null(names);
      char message[64];
      snprintf(message, sizeof message, "names: '%s' appears twice", list.texts[duplicate]);
      assert_string_equal(err.message, message);
      assert_int_equal(sn_arena_used(&arena), 0);
    } else {
      assert_int_equal(status, SN_OK);
      created++;
      for (int j = 0; j < 20; j++) {
        char text[NAME_SIZE];
        random_name(&random, text);
        assert_int_equal(sn_names_index(names, text), linear_search(&list, text));
      }
    }
    sn_arena_release(&arena);
    list_free(&list);
  }
  assert_in_range(created, cases / 10, cases - cases / 10); /* both outcomes were seen */
}

SN_TEST(any_arena_too_small_fails_and_is_left_as_it_was) {
  static const char *const texts[] = {"hip", "knee", "ankle", "", "a much longer name of a joint"};
  static unsigned char memory[1024];
  const sn_names *names = NULL;
  size_t size = 0;
  for (; names == NULL && size < sizeof memory; size++) {
    sn_arena arena;
    sn_arena_init(&arena, "tiny", memory, size);
    sn_error err = {0};
    const sn_status status = sn_names_create(&arena, texts, 5, &names, &err);
    if (status != SN_OK) {
      assert_int_equal(status, SN_ENOMEM);
      assert_int_equal(err.code, SN_ENOMEM);
      assert_string_equal(err.message, "names: no room in arena 'tiny'");
      assert_null(names);
      assert_int_equal(sn_arena_used(&arena), 0);
    }
  }
  assert_non_null(names);
  assert_true(size > 64); /* several sizes failed first */
  assert_int_equal(sn_names_index(names, "ankle"), 2);
  assert_int_equal(sn_names_index(names, ""), 3);
}

SN_TEST(empty_table_holds_nothing) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "names", 0);
  const sn_names *names = NULL;
  assert_int_equal(sn_names_create(&arena, NULL, 0, &names, NULL), SN_OK);
  assert_int_equal(sn_names_count(names), 0);
  assert_int_equal(sn_names_index(names, ""), -1);
  sn_assert_fault(sn_names_at(names, 0), "index < names->count");
  sn_arena_release(&arena);
}

SN_TEST(too_many_names_and_unprintable_duplicates_are_reported) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "names", 0);
  const sn_names *names = NULL;
  sn_error err = {0};
  const size_t count = ((size_t)1 << 30) + 1;
  assert_int_equal(sn_names_create(&arena, NULL, count, &names, &err), SN_EINVAL);
  assert_string_equal(err.message, "names: 1073741825 are too many");

  static const char *const texts[] = {"a\033[2J", "b", "a\033[2J"};
  assert_int_equal(sn_names_create(&arena, texts, 3, &names, &err), SN_EINVAL);
  assert_string_equal(err.message, "names: 'a\\x1b[2J' appears twice");
  assert_null(names);
  sn_arena_release(&arena);
}
