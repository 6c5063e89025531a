/* Wrong tokens delay the party that gives them and no other, with a bounded table. */
#include <string.h>

#include "foxglove/http/throttle.h"
#include "sn_test.h"

#define SECOND INT64_C(1000000000)

static sn__party party(const char *address, uint32_t uid) {
  sn__address a;
  assert_true(sn__address_parse(address, &a));
  return sn__party_of(&a, uid);
}

SN_TEST(party_is_a_local_user_or_a_remote_address) {
  const sn__party alice = party("127.0.0.1", 1000);
  const sn__party alice_too = party("127.9.8.7", 1000);
  const sn__party alice_six = party("::1", 1000);
  const sn__party bob = party("127.0.0.1", 1001);
  const sn__party one = party("192.168.1.5", SN__PARTY_NO_USER);
  const sn__party other = party("192.168.1.6", SN__PARTY_NO_USER);
  const sn__party six = party("2001:db8::1", SN__PARTY_NO_USER);
  const sn__party six_too = party("2001:db8::ffff", SN__PARTY_NO_USER);
  const sn__party far = party("2001:db8:0:1::1", SN__PARTY_NO_USER);
  assert_true(sn__party_equals(&alice, &alice_too));
  assert_true(sn__party_equals(&alice, &alice_six));
  assert_false(sn__party_equals(&alice, &bob));
  assert_false(sn__party_equals(&one, &other));
  assert_true(sn__party_equals(&six, &six_too)); /* one host usually owns a network of 64 bits */
  assert_false(sn__party_equals(&six, &far));
}

SN_TEST(party_may_try_ten_wrong_tokens_in_ten_seconds) {
  sn__throttle throttle = {0};
  const sn__party guesser = party("192.168.1.5", SN__PARTY_NO_USER);
  const sn__party other = party("192.168.1.6", SN__PARTY_NO_USER);
  int64_t now_ns = 5 * SECOND;
  for (int i = 0; i < SN__THROTTLE_TRIES; i++) {
    assert_int_equal(sn__throttle_wait_s(&throttle, &guesser, now_ns), 0);
    sn__throttle_record(&throttle, &guesser, now_ns);
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

SN_TEST(flood_from_many_addresses_is_throttled_as_one) {
  sn__throttle throttle = {0};
  const sn__party known = party("10.1.0.1", SN__PARTY_NO_USER);
  int64_t now_ns = SECOND;
  sn__throttle_record(&throttle, &known, now_ns);
  unsigned allowed = 0;
  for (int i = 0; i < 65536; i++) {
    char address[40];
    snprintf(address, sizeof address, "10.2.%d.%d", (i >> 8) & 255, i & 255);
    const sn__party guesser = party(address, SN__PARTY_NO_USER);
    if (sn__throttle_wait_s(&throttle, &guesser, now_ns) == 0) {
      sn__throttle_record(&throttle, &guesser, now_ns);
      allowed++;
    }
  }
  /* One for each party with an entry, and ten for all others together. */
  assert_int_equal(allowed, SN__THROTTLE_PARTIES - 1 + SN__THROTTLE_TRIES);
  /* Parties with an entry keep their own count. */
  assert_int_equal(sn__throttle_wait_s(&throttle, &known, now_ns), 0);
  now_ns += SN__THROTTLE_SPAN_S * SECOND;
  const sn__party late = party("10.3.0.1", SN__PARTY_NO_USER);
  assert_int_equal(sn__throttle_wait_s(&throttle, &late, now_ns), 0);
}
