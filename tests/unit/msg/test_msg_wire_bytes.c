/* Both wires of ROS by bytes that are laid out here by hand. */
#include <string.h>

#include "msg/wire/msg_ros1.h"
#include "sinew/msg_types.h"
#include "sinew/msg_wire.h"
#include "sn_test.h"

/* { stamp 1.5 s, frame "ab", name ["x", ""], position [1.0], velocity [], effort [-2.0] } */
static void make_small_message(sn_arena *arena, sn_joint_state **out) {
  sn_joint_state *joints = sn_msg_create(arena, &sn_joint_state_type, NULL);
  joints->header.stamp_ns = 1500000000;
  assert_int_equal(sn_msg_text_set(&joints->header.frame_id, "ab"), SN_OK);
  assert_int_equal(sn_msg_names_add(&joints->name, "x", 1), SN_OK);
  assert_int_equal(sn_msg_names_add(&joints->name, "", 0), SN_OK);
  joints->position.count = 1;
  joints->position.data[0] = 1.0;
  joints->effort.count = 1;
  joints->effort.data[0] = -2.0;
  *out = joints;
}

/* Laid out by hand after the rules: numbers at multiples of their size, counted from behind the
   header; texts with their NUL. */
static const uint8_t small_cdr[] = {
    0, 1, 0, 0,                                              /* header */
    1, 0, 0, 0, 0x00, 0x65, 0xcd, 0x1d,                      /* 1 s, 500000000 ns */
    3, 0, 0, 0, 'a',  'b',  0,    0,                         /* text, padding */
    2, 0, 0, 0, 2,    0,    0,    0,    'x', 0, 0,    0,     /* two names, padding */
    1, 0, 0, 0, 0,    0,    0,    0,                         /* second name, padding */
    1, 0, 0, 0,                                              /* one position, already aligned */
    0, 0, 0, 0, 0,    0,    0xf0, 0x3f, 0,   0, 0,    0,     /* 1.0; no velocity */
    1, 0, 0, 0, 0,    0,    0,    0,    0,   0, 0x00, 0xc0}; /* one effort; -2.0 */

static const uint8_t small_ros1[] = {
    0, 0, 0, 0,                                                /* seq */
    1, 0, 0, 0, 0x00, 0x65, 0xcd, 0x1d,                        /* 1 s, 500000000 ns */
    2, 0, 0, 0, 'a',  'b',                                     /* text */
    2, 0, 0, 0, 1,    0,    0,    0,    'x', 0, 0,    0,    0, /* two names */
    1, 0, 0, 0, 0,    0,    0,    0,    0,   0, 0xf0, 0x3f,    /* one position, 1.0 */
    0, 0, 0, 0,                                                /* no velocity */
    1, 0, 0, 0, 0,    0,    0,    0,    0,   0, 0x00, 0xc0};   /* one effort, -2.0 */

SN_TEST(bytes_are_those_of_the_rules) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "bytes", 0);
  sn_joint_state *joints = NULL;
  make_small_message(&arena, &joints);
  size_t size = 0;
  uint8_t bytes[128];
  assert_int_equal(sn_cdr_write(&sn_joint_state_type, joints, bytes, sizeof bytes, &size), SN_OK);
  assert_int_equal(size, sizeof small_cdr);
  assert_memory_equal(bytes, small_cdr, size);
  assert_int_equal(sn__ros1_write(&sn_joint_state_type, joints, bytes, sizeof bytes, &size), SN_OK);
  assert_int_equal(size, sizeof small_ros1);
  assert_memory_equal(bytes, small_ros1, size);
  sn_arena_release(&arena);
}

SN_TEST(failures_report_where_and_why) {
  static const struct {
    size_t at; /* of small_cdr, changed to value */
    uint8_t value;
    sn_status status;
    const char *reason;
  } cases[] = {
      {1, 0x00, SN_EUNSUPPORTED, "JointState: CDR of kind 0000, expected 0001"},
      {1, 0x07, SN_EUNSUPPORTED, "JointState: CDR of kind 0007"},
      {15, 0x7f, SN_ESYNTAX, "Header: the 64 bytes end within 'frame_id'"},
      {18, 'c', SN_ESYNTAX, "Header: 'frame_id' is a text without its NUL"},
      {17, 0, SN_ESYNTAX, "Header: 'frame_id' is a text with a NUL in it"},
      {20, 200, SN_ENOSPC, "JointState: 'name' has 200 names, there is room for 64"},
      {43, 0xff, SN_ENOSPC, "JointState: 'position' has 4278190081 items, there is room for 64"},
      {40, 60, SN_ESYNTAX, "JointState: the 64 bytes end within 'position'"},
  };
  sn_arena arena;
  sn_arena_init_growing(&arena, "reasons", 0);
  sn_joint_state *joints = NULL;
  make_small_message(&arena, &joints);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint8_t bytes[sizeof small_cdr];
    memcpy(bytes, small_cdr, sizeof bytes);
    bytes[cases[i].at] = cases[i].value;
    sn_error err = {SN_OK, ""};
    const sn_status status = sn_cdr_read(&sn_joint_state_type, bytes, sizeof bytes, joints, &err);
    sn_assert_contains(err.message, cases[i].reason);
    assert_int_equal(status, cases[i].status);
  }
  sn_error err = {SN_OK, ""};
  assert_int_equal(sn_cdr_read(&sn_joint_state_type, small_cdr, 3, joints, &err), SN_ESYNTAX);
  sn_assert_contains(err.message, "3 bytes are not CDR");
  sn_arena_release(&arena);
}

SN_TEST(times_keep_to_what_the_wire_can_hold) {
  const int64_t s = 1000000000;
  const struct {
    int64_t stamp_ns, period_ns;
    sn_status cdr, ros1;
  } cases[] = {
      {0, 0, SN_OK, SN_OK},
      {0, -1, SN_OK, SN_OK},
      {-1, 0, SN_OK, SN_ELIMIT},
      {INT32_MAX * s + s - 1, INT32_MAX * s + s - 1, SN_OK, SN_OK},
      {INT32_MAX * s + s, 0, SN_ELIMIT, SN_OK},
      {INT32_MIN * s, INT32_MIN * s, SN_OK, SN_ELIMIT},
      {INT32_MIN * s - 1, 0, SN_ELIMIT, SN_ELIMIT},
      {UINT32_MAX * s + s - 1, 0, SN_ELIMIT, SN_OK},
      {UINT32_MAX * s + s, 0, SN_ELIMIT, SN_ELIMIT},
      {0, INT32_MIN * s - 1, SN_ELIMIT, SN_ELIMIT},
      {0, INT32_MAX * s + s, SN_ELIMIT, SN_ELIMIT},
      {INT64_MIN, INT64_MAX, SN_ELIMIT, SN_ELIMIT},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const sn_timer_event from = {cases[i].stamp_ns, cases[i].period_ns, 1};
    for (size_t w = 0; w < 2; w++) {
      uint8_t bytes[64];
      size_t size = 0;
      const sn_status expected = w == 0 ? cases[i].cdr : cases[i].ros1;
      assert_int_equal((w == 0 ? sn_cdr_write : sn__ros1_write)(&sn_timer_event_type, &from, bytes,
                                                                sizeof bytes, &size),
                       expected);
      sn_timer_event to = {0};
      if (expected == SN_OK) {
        assert_int_equal(
            (w == 0 ? sn_cdr_read : sn__ros1_read)(&sn_timer_event_type, bytes, size, &to, NULL),
            SN_OK);
        assert_memory_equal(&to, &from, sizeof to);
      }
    }
  }
}

SN_TEST(nanoseconds_beyond_a_second_carry_over) {
  /* stamp 1 s + 2^32-1 ns; period 0 s + 0xffffffff ns, which ROS 1 takes as -1 ns */
  const uint8_t ros1[24] = {1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
  uint8_t cdr[28] = {0, 1};
  memcpy(cdr + 4, ros1, sizeof ros1);
  sn_timer_event event = {0};
  assert_int_equal(sn__ros1_read(&sn_timer_event_type, ros1, sizeof ros1, &event, NULL), SN_OK);
  assert_true(event.stamp_ns == 5294967295);
  assert_true(event.period_ns == -1);
  assert_int_equal(sn_cdr_read(&sn_timer_event_type, cdr, sizeof cdr, &event, NULL), SN_OK);
  assert_true(event.stamp_ns == 5294967295);
  assert_true(event.period_ns == 4294967295);
}
