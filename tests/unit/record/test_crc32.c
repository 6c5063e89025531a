#include "record/coding/crc32.h"
#include "sinew/random.h"
#include "sn_test.h"

static sn__crc32_table table;

/* Oracle: division of polynomials, bit by bit. */
static uint32_t divide(const uint8_t *bytes, size_t size) {
  uint32_t rest = UINT32_MAX;
  for (size_t i = 0; i < 8 * size; i++) {
    const uint32_t bit = (uint32_t)(bytes[i / 8] >> (i % 8)) & 1;
    const uint32_t carry = (rest & 1) ^ bit;
    rest = (rest >> 1) ^ (carry != 0 ? 0xedb88320u : 0);
  }
  return ~rest;
}

SN_TEST(check_value_of_the_standard_comes_out) {
  assert_int_equal(sn__crc32(&table, 0, "123456789", 9), 0xcbf43926u);
  assert_int_equal(sn__crc32(&table, 0, "", 0), 0);
}

SN_TEST(any_bytes_at_any_place_give_the_rest_of_the_division) {
  sn_random random;
  sn_random_init(&random, 71);
  uint8_t bytes[300];
  for (size_t n = 0; n < sn_test_cases(2000); n++) {
    const size_t size = sn_random_below(&random, 256);
    const size_t start = sn_random_below(&random, 9);
    for (size_t i = 0; i < sizeof bytes; i++) {
      bytes[i] = (uint8_t)sn_random_bits(&random);
    }
    assert_int_equal(sn__crc32(&table, 0, bytes + start, size), divide(bytes + start, size));
    const size_t part = sn_random_below(&random, size + 1);
    const uint32_t first = sn__crc32(&table, 0, bytes, part);
    assert_int_equal(sn__crc32(&table, first, bytes + part, size - part), divide(bytes, size));
  }
}

static int set_up(void **state) {
  (void)state;
  sn__crc32_init(&table);
  return 0;
}

SN_TEST_GROUP(set_up, NULL)
