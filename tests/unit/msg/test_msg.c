#include <stdlib.h>

#include "math/rotation.h"
#include "msg/msg_copier.h"
#include "msg/msg_text.h"
#include "msg/walk.h"
#include "random_msg.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

static const sn_msg_capacity capacity = {.item_count = 7, .text_size = 12};

static const sn_names *some_names(sn_arena *arena, size_t count) {
  static const char *const texts[] = {"leg1", "leg2", "", "head", "tail", "neck", "back"};
  const sn_names *names = NULL;
  assert_int_equal(sn_names_create(arena, texts, count, &names, NULL), SN_OK);
  return names;
}

/* The printed form of a message of at most a few thousand bytes; free it. */
static char *print(const sn_msg_type *type, const void *msg) {
  const size_t length = sn__msg_print(type, msg, NULL, 0);
  char *text = malloc(length + 1);
  assert_non_null(text);
  assert_int_equal(sn__msg_print(type, msg, text, length + 1), length);
  assert_int_equal(strlen(text), length);
  return text;
}

static bool has_flat_fields_only(const sn_msg_type *type, size_t *size) {
  bool flat = true;
  *size = 0;
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    size_t element_size = field->size;
    if (field->kind == SN_MSG_NESTED) {
      flat = flat && has_flat_fields_only(field->nested, &element_size);
    }
    flat = flat && field->shape != SN_MSG_SEQUENCE && field->kind != SN_MSG_TEXT;
    *size += element_size * (field->shape == SN_MSG_ARRAY ? field->count : 1);
  }
  return flat && *size == type->size;
}

SN_TEST(tables_describe_their_structs) {
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    const sn_msg_type *type = sn_msg_type_at(t);
    size_t size = 0;
    assert_int_equal(type->is_flat, has_flat_fields_only(type, &size));
    assert_non_null(type->brief);
    for (size_t i = 0; i < type->field_count; i++) {
      const sn_msg_field *field = &type->fields[i];
      assert_non_null(field->unit);
      assert_int_equal(field->kind == SN_MSG_NESTED, field->nested != NULL);
      assert_true(field->nested == NULL || field->nested->size == field->size);
      for (size_t k = 0; k < i; k++) {
        assert_string_not_equal(field->name, type->fields[k].name);
      }
    }
  }
}

SN_TEST(types_are_found_by_each_of_their_names) {
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    const sn_msg_type *type = sn_msg_type_at(t);
    assert_ptr_equal(sn_msg_type_find(type->name), type);
    assert_ptr_equal(sn_msg_type_find(type->ros1_name), type);
    assert_ptr_equal(sn_msg_type_find(type->ros2_name), type);
    assert_ptr_equal(sn_msg_type_find(type->dds_name), type);
  }
  assert_ptr_equal(sn_msg_type_find("sensor_msgs/msg/JointState"), &sn_joint_state_type);
  assert_ptr_equal(sn_msg_type_find("sensor_msgs::msg::dds_::JointState_"), &sn_joint_state_type);
  assert_null(sn_msg_type_find("jointstate"));
  assert_null(sn_msg_type_find(""));
}

SN_TEST(a_message_takes_one_block_of_the_reported_size) {
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    const sn_msg_type *type = sn_msg_type_at(t);
    const size_t size = sn_msg_size(type, &capacity);
    char *block = aligned_alloc(64, (size + 63) / 64 * 64);
    assert_non_null(block);
    sn_arena arena;
    sn_arena_init(&arena, "block", block, size - 1);
    assert_null(sn_msg_create(&arena, type, &capacity));
    sn_arena_init(&arena, "block", block, size);
    void *msg = sn_msg_create(&arena, type, &capacity);
    assert_ptr_equal(msg, block);
    /* The sanitizer sees a byte beyond the block, and the end of the arena is that of the block. */
    sn_random_msg_spoil(type, msg, 0x5A);
    assert_int_equal(sn_arena_used(&arena), size);
    free(block);
  }
}

SN_TEST(capacities_have_defaults_and_bounds) {
  const sn_msg_capacity defaults = {.item_count = 64, .text_size = 64};
  assert_int_equal(sn_msg_size(&sn_joint_state_type, NULL),
                   sn_msg_size(&sn_joint_state_type, &defaults));
  const sn_msg_capacity largest = {.item_count = SN_MSG_ITEMS_MAX, .text_size = SN_MSG_TEXT_MAX};
  assert_true(sn_msg_size(&sn_servo_model_array_type, &largest) > SN_MSG_ITEMS_MAX);
  sn_arena arena;
  sn_arena_init_growing(&arena, "small", 0);
  const sn_msg_capacity items = {.item_count = SN_MSG_ITEMS_MAX + 1};
  const sn_msg_capacity text = {.text_size = SN_MSG_TEXT_MAX + 1};
  sn_assert_fault(sn_msg_create(&arena, &sn_joint_state_type, &items), "SN_MSG_ITEMS_MAX");
  sn_assert_fault(sn_msg_create(&arena, &sn_joint_state_type, &text), "SN_MSG_TEXT_MAX");
}

SN_TEST(copies_are_equal_and_independent) {
  sn_random random;
  sn_random_init(&random, 11);
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    const sn_msg_type *type = sn_msg_type_at(t);
    sn_arena arena;
    sn_arena_init_growing(&arena, "copies", 0);
    const sn_random_msg_config config = {.table = some_names(&arena, 7)};
    void *from = sn_msg_create(&arena, type, &capacity);
    void *to[] = {sn_msg_create(&arena, type, &capacity), sn_msg_create(&arena, type, NULL)};
    const sn_msg_copier *copier = sn__msg_copier_create(&arena, type);
    assert_non_null(copier);
    for (size_t n = 0; n < sn_test_cases(60); n++) {
      sn_random_msg_fill(type, from, &config, &random);
      if (n % 3 == 0) {
        sn_random_msg_spoil(type, to[0], (int)sn_random_below(&random, 256));
      }
      assert_int_equal(sn_msg_copy(type, to[0], from), SN_OK);
      assert_int_equal(sn__msg_copier_copy(copier, to[1], from), SN_OK);
      assert_true(sn__msg_equal(type, to[0], from));
      assert_true(sn__msg_equal(type, to[1], from));
      char *before = print(type, from);
      sn_random_msg_spoil(type, from, 0x41); /* nothing in the copies points there */
      for (size_t i = 0; i < 2; i++) {
        char *after = print(type, to[i]);
        assert_string_equal(after, before);
        free(after);
      }
      free(before);
    }
    sn_arena_release(&arena);
  }
}

SN_TEST(what_does_not_fit_leaves_the_target_untouched) {
  sn_random random;
  sn_random_init(&random, 12);
  const sn_msg_capacity small = {.item_count = 5, .text_size = 9};
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    const sn_msg_type *type = sn_msg_type_at(t);
    sn_arena arena;
    sn_arena_init_growing(&arena, "room", 0);
    const sn_random_msg_config config = {.table = some_names(&arena, 7)};
    void *from = sn_msg_create(&arena, type, &capacity);
    char *to = sn_msg_create(&arena, type, &small);
    const sn_msg_copier *copier = sn__msg_copier_create(&arena, type);
    const size_t size = sn_msg_size(type, &small);
    char *before = malloc(size);
    assert_non_null(before);
    size_t refused = 0;
    for (size_t n = 0; n < sn_test_cases(60); n++) {
      sn_random_msg_fill(type, from, &config, &random);
      sn_random_msg_fill(type, to, &config, &random);
      memcpy(before, to, size);
      const sn_status status = sn_msg_copy(type, to, from);
      assert_true(status == SN_OK || memcmp(before, to, size) == 0);
      assert_int_equal(sn__msg_copier_copy(copier, to, from), status);
      if (status == SN_OK) {
        assert_true(sn__msg_equal(type, to, from));
      } else {
        assert_int_equal(status, SN_ENOSPC);
        assert_memory_equal(before, to, size);
        refused++;
      }
    }
    const bool has_room = sn_msg_size(type, &small) < sn_msg_size(type, &capacity);
    assert_int_equal(refused > 0, has_room);
    free(before);
    sn_arena_release(&arena);
  }
}

SN_TEST(one_element_or_byte_too_many_is_refused) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "edge", 0);
  const sn_msg_capacity large = {.item_count = 8, .text_size = 13};
  sn_joint_state *from = sn_msg_create(&arena, &sn_joint_state_type, &large);
  sn_joint_state *to = sn_msg_create(&arena, &sn_joint_state_type, &capacity);
  from->velocity.count = 7;
  assert_int_equal(sn_msg_text_set(&from->header.frame_id, "elevenbytes"), SN_OK);
  assert_int_equal(sn_msg_copy(&sn_joint_state_type, to, from), SN_OK);
  from->velocity.count = 8;
  assert_int_equal(sn_msg_copy(&sn_joint_state_type, to, from), SN_ENOSPC);
  from->velocity.count = 0;
  assert_int_equal(sn_msg_text_set(&from->header.frame_id, "twelve bytes"), SN_OK);
  assert_int_equal(sn_msg_copy(&sn_joint_state_type, to, from), SN_ENOSPC);
  assert_int_equal(sn_msg_text_set(&from->header.frame_id, "thirteen byte"), SN_ENOSPC);
  assert_string_equal(from->header.frame_id.data, "twelve bytes");
  assert_string_equal(to->header.frame_id.data, "elevenbytes");
  sn_arena_release(&arena);
}

/* Oracle: with finite numbers and clean texts the printed form says all there is. */
SN_TEST(messages_are_equal_if_and_only_if_they_print_alike) {
  sn_random random;
  sn_random_init(&random, 13);
  size_t different = 0;
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    const sn_msg_type *type = sn_msg_type_at(t);
    sn_arena arena;
    sn_arena_init_growing(&arena, "equal", 0);
    const sn_random_msg_config config = {
        .table = some_names(&arena, 3), .is_finite = true, .is_ascii = true};
    void *a = sn_msg_create(&arena, type, &capacity);
    void *b = sn_msg_create(&arena, type, &capacity);
    for (size_t n = 0; n < sn_test_cases(60); n++) {
      sn_random_msg_fill(type, a, &config, &random);
      assert_int_equal(sn_msg_copy(type, b, a), SN_OK);
      /* Fill a single field anew; often with what was there, if it is small. */
      const sn_msg_field *field = &type->fields[sn_random_below(&random, type->field_count)];
      sn_msg_type part = *type;
      part.fields = field;
      part.field_count = 1;
      sn_random_msg_fill(&part, b, &config, &random);
      char *text_a = print(type, a);
      char *text_b = print(type, b);
      assert_int_equal(sn__msg_equal(type, a, b), strcmp(text_a, text_b) == 0);
      assert_int_equal(sn__msg_equal(type, b, a), strcmp(text_a, text_b) == 0);
      different += strcmp(text_a, text_b) != 0;
      free(text_a);
      free(text_b);
    }
    sn_arena_release(&arena);
  }
  assert_true(different > 0);
}

SN_TEST(reset_makes_a_message_as_new) {
  sn_random random;
  sn_random_init(&random, 14);
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    const sn_msg_type *type = sn_msg_type_at(t);
    sn_arena arena;
    sn_arena_init_growing(&arena, "reset", 0);
    const sn_random_msg_config config = {.table = some_names(&arena, 3)};
    void *msg = sn_msg_create(&arena, type, &capacity);
    const void *fresh = sn_msg_create(&arena, type, &capacity);
    sn_random_msg_fill(type, msg, &config, &random);
    sn_msg_reset(type, msg);
    assert_true(sn__msg_equal(type, msg, fresh));
    sn_arena_release(&arena);
  }
}

/* Puts a value in place of the n-th float of a message, counted from 0. @return whether it has so
   many; *field is the one that was hit */
static bool poison(const sn_msg_type *type, char *msg, size_t *n, double value,
                   const sn_msg_field **hit) {
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    if (field->kind != SN_MSG_FLOAT32 && field->kind != SN_MSG_FLOAT64 &&
        field->kind != SN_MSG_NESTED) {
      continue;
    }
    const sn__seq seq = sn__field_elements(field, msg);
    for (size_t k = 0; k < seq.count; k++) {
      char *at = (char *)seq.data + k * field->size;
      const float single = (float)value;
      if (field->kind == SN_MSG_NESTED) {
        if (poison(field->nested, at, n, value, hit)) {
          return true;
        }
      } else if ((*n)-- == 0) {
        memcpy(at, field->kind == SN_MSG_FLOAT32 ? (const void *)&single : (const void *)&value,
               field->size);
        *hit = field;
        return true;
      }
    }
  }
  return false;
}

SN_TEST(a_single_number_that_is_not_finite_is_seen) {
  sn_random random;
  sn_random_init(&random, 15);
  size_t poisoned = 0;
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    const sn_msg_type *type = sn_msg_type_at(t);
    sn_arena arena;
    sn_arena_init_growing(&arena, "finite", 0);
    const sn_random_msg_config config = {.is_finite = true};
    void *good = sn_msg_create(&arena, type, &capacity);
    void *bad = sn_msg_create(&arena, type, &capacity);
    for (size_t k = 0; k < sn_test_cases(20); k++) {
      sn_random_msg_fill(type, good, &config, &random);
      assert_true(sn_msg_is_finite(type, good));
      const double values[] = {NAN, -NAN, INFINITY, -INFINITY};
      for (size_t i = 0;; i++) {
        const double value = values[i % 4];
        size_t n = i;
        const sn_msg_field *hit = NULL;
        assert_int_equal(sn_msg_copy(type, bad, good), SN_OK);
        if (!poison(type, bad, &n, value, &hit)) {
          break;
        }
        const bool is_allowed = isnan(value) && (hit->flags & SN_MSG_MAY_BE_NAN) != 0;
        assert_int_equal(sn_msg_is_finite(type, bad), is_allowed);
        poisoned++;
      }
    }
    sn_arena_release(&arena);
  }
  assert_true(poisoned > 0);
}

SN_TEST(printed_lines_have_seconds_and_quoted_texts) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "print", 0);
  sn_joint_state *joints = sn_msg_create(&arena, &sn_joint_state_type, NULL);
  joints->header.stamp_ns = -1500000001;
  assert_int_equal(sn_msg_text_set(&joints->header.frame_id, "a\"\x1b[m\xff\xc2\x85"), SN_OK);
  sn_msg_names_share(&joints->name, some_names(&arena, 2));
  joints->position.count = 2;
  joints->position.data[0] = 0.1;
  joints->position.data[1] = NAN;
  char *text = print(&sn_joint_state_type, joints);
  assert_string_equal(text,
                      "header: {stamp: -1.500000001, frame_id: \"a\\\"\\u001b[m\\ufffd\\u0085\"}\n"
                      "name: [\"leg1\", \"leg2\"]\n"
                      "position: [0.1, nan]\n"
                      "velocity: []\n"
                      "effort: []\n");
  free(text);
  sn_arena_release(&arena);
}

SN_TEST(printing_keeps_to_every_size) {
  sn_random random;
  sn_random_init(&random, 16);
  sn_arena arena;
  sn_arena_init_growing(&arena, "print", 0);
  const sn_random_msg_config config = {0};
  void *msg = sn_msg_create(&arena, &sn_servo_model_array_type, &capacity);
  do {
    sn_random_msg_fill(&sn_servo_model_array_type, msg, &config, &random);
  } while (((sn_servo_model_array *)msg)->models.count == 0);
  char *all = print(&sn_servo_model_array_type, msg);
  const size_t length = strlen(all);
  for (size_t size = 0; size <= length + 2; size++) {
    char *part = malloc(size + 1);
    assert_non_null(part);
    memset(part, 0x7E, size + 1);
    assert_int_equal(sn__msg_print(&sn_servo_model_array_type, msg, part, size), length);
    const size_t kept = size == 0 ? 0 : size - 1 < length ? size - 1 : length;
    assert_memory_equal(part, all, kept);
    assert_true(size == 0 || part[kept] == '\0');
    assert_int_equal(part[size], 0x7E);
    free(part);
  }
  free(all);
  sn_arena_release(&arena);
}

SN_TEST(poses_go_to_the_wire_and_back) {
  sn_random random;
  sn_random_init(&random, 17);
  for (size_t n = 0; n < sn_test_cases(60); n++) {
    const sn_vec3 turn = sn_vec3_make(sn_random_normal(&random), sn_random_normal(&random),
                                      sn_random_normal(&random));
    const sn_pose pose = {sn__mat3_exp(turn), turn};
    sn_msg_pose wire = sn_msg_pose_from(pose);
    sn_assert_pose_near(sn_pose_from_msg(wire), pose, 1e-12);
    wire.orientation.x *= 3.0; /* a quaternion that was rounded or scaled on its way */
    wire.orientation.y *= 3.0;
    wire.orientation.z *= 3.0;
    wire.orientation.w *= 3.0;
    sn_assert_pose_near(sn_pose_from_msg(wire), pose, 1e-12);
  }
}
