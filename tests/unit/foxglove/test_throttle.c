/* Wrong tokens: who gives them waits, nobody else, and the table stays as large as it is. */
#include <string.h>

#include "foxglove/http/throttle.h"
#include "sn_test.h"

#define SECOND INT64_C(1000000000)

static sn__party party(const char *address, uint32_t uid) {
  sn__address a;
  assert_true(sn__address_parse(address, &a));
  return sn__party_of(&a, uid);
}

static void a_party_is_a_user_here_and_an_address_elsewhere(void **state) {
  (void)state;
  const sn__party alice = party("127.0.0.1", 1000);
  const sn__party alice_too = party("127.9.8.7", 1000);
  const sn__party alice_six = party("::1", 1000);
  const sn__party bob = party("127.0.0.1", 1001);
  const sn__party one = party("192.168.1.5", SN__PARTY_NO_USER);
  const sn__party other = party("192.168.1.6", SN__PARTY_NO_USER);
  const sn__party six = party("2001:db8::1", SN__PARTY_NO_USER);
  const sn__party six_too = party("2001:db8::ffff", SN__PARTY_NO_USER);
  const sn__party far = party("2001:db8:0:1::1", SN__PARTY_NO_USER);
  assert_true(sn__party_is(&alice, &alice_too));
  assert_true(sn__party_is(&alice, &alice_six));
  assert_false(sn__party_is(&alice, &bob));
  assert_false(sn__party_is(&one, &other));
  assert_true(sn__party_is(&six, &six_too)); /* anybody has a whole network of 64 bits */
  assert_false(sn__party_is(&six, &far));
}

static void ten_wrong_tokens_are_all_there_are_in_ten_seconds(void **state) {
  (void)state;
  sn__throttle throttle = {0};
  const sn__party guesser = party("192.168.1.5", SN__PARTY_NO_USER);
  const sn__party other = party("192.168.1.6", SN__PARTY_NO_USER);
  int64_t now_ns = 5 * SECOND;
  for (int i = 0; i < SN__THROTTLE_TRIES; i++) {
    assert_int_equal(sn__throttle_wait_s(&throttle, &guesser, now_ns), 0);
    sn__throttle_note(&throttle, &guesser, now_ns);
  }
  assert_int_equal(sn__throttle_wait_s(&throttle, &guesser, now_ns), SN__THROTTLE_SPAN_S);
  assert_int_equal(sn__throttle_wait_s(&throttle, &guesser, now_ns + SECOND / 2),
                   SN__THROTTLE_SPAN_S);
  assert_int_equal(sn__throttle_wait_s(&throttle, &other, now_ns), 0);
  now_ns += SN__THROTTLE_SPAN_S * SECOND - 1;
  assert_int_equal(sn__throttle_wait_s(&throttle, &guesser, now_ns), 1);
  now_ns += 1;
  assert_int_equal(sn__throttle_wait_s(&throttle, &guesser, now_ns), 0);
}

static void a_flood_from_many_addresses_is_throttled_as_one(void **state) {
  (void)state;
  sn__throttle throttle = {0};
  const sn__party known = party("10.1.0.1", SN__PARTY_NO_USER);
  int64_t now_ns = SECOND;
  sn__throttle_note(&throttle, &known, now_ns);
  unsigned allowed = 0;
  for (int i = 0; i < 65536; i++) {
    char address[40];
    snprintf(address, sizeof address, "10.2.%d.%d", (i >> 8) & 255, i & 255);
    const sn__party guesser = party(address, SN__PARTY_NO_USER);
    if (sn__throttle_wait_s(&throttle, &guesser, now_ns) == 0) {
      sn__throttle_note(&throttle, &guesser, now_ns);
      allowed++;
    }
  }
  /* One for each that has an entry, and ten for all the others together. */
  assert_int_equal(allowed, SN__THROTTLE_PARTIES - 1 + SN__THROTTLE_TRIES);
  /* Who was there before has its own count. */
  assert_int_equal(sn__throttle_wait_s(&throttle, &known, now_ns), 0);
  now_ns += SN__THROTTLE_SPAN_S * SECOND;
  const sn__party late = party("10.3.0.1", SN__PARTY_NO_USER);
  assert_int_equal(sn__throttle_wait_s(&throttle, &late, now_ns), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_party_is_a_user_here_and_an_address_elsewhere),
      cmocka_unit_test(ten_wrong_tokens_are_all_there_are_in_ten_seconds),
      cmocka_unit_test(a_flood_from_many_addresses_is_throttled_as_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
