#include <math.h>

#include "allocation.h"
#include "msg/msg_checker.h"
#include "random_msg.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

/* The walk over the table is the oracle. */
SN_TEST(every_type_agrees_with_the_walk_over_its_table) {
  sn_random random;
  sn_random_init(&random, 11);
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    const sn_msg_type *type = sn_msg_type_at(t);
    sn_arena arena;
    sn_arena_init_growing(&arena, "checker", 0);
    const sn_msg_capacity capacity = {.item_count = 5, .text_size = 16};
    void *msg = sn_msg_create(&arena, type, &capacity);
    const sn_msg_checker *checker = sn__msg_checker_create(&arena, type);
    assert_non_null(checker);
    size_t finite = 0;
    for (size_t i = 0; i < sn_test_cases(400); i++) {
      const sn_random_msg_config config = {.is_finite = i % 2 == 0};
      sn_random_msg_fill(type, msg, &config, &random);
      const bool expected = sn_msg_is_finite(type, msg);
      bool found = false;
      sn_assert_no_heap(found = sn__msg_checker_is_finite(checker, msg));
      if (found != expected) {
        fail_msg("%s, case %zu: %d, expected %d", type->name, i, found, expected);
      }
      finite += found;
    }
    assert_true(finite > 0);
    sn_arena_release(&arena);
  }
}

SN_TEST(one_bad_number_anywhere_is_found) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "checker", 0);
  sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, NULL);
  const sn_msg_checker *checker = sn__msg_checker_create(&arena, &sn_joint_state_type);
  msg->position.count = msg->velocity.count = msg->effort.count = 30;
  sn_seq_f64 *const seqs[] = {&msg->position, &msg->velocity, &msg->effort};
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < 3 * 30 * 3; i++) {
    assert_true(sn__msg_checker_is_finite(checker, msg));
    double *number = &seqs[i % 3]->data[i / 9];
    *number = bad[i / 3 % 3];
    assert_false(sn__msg_checker_is_finite(checker, msg));
    *number = -1e308;
  }
  msg->effort.data[30] = NAN; /* beyond the count: ignored */
  assert_true(sn__msg_checker_is_finite(checker, msg));
  sn_arena_release(&arena);
}
