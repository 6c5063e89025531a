/* Hosts, origins, parties and secrets. */
#include <arpa/inet.h>
#include <string.h>

#include "foxglove/http/access.h"
#include "sn_test.h"

static const char *const host_names[] = {"robot.local"};
static const sn_texts hosts = {host_names, 1};
static const sn_texts none = {NULL, 0};

static sn__address address(const char *text) {
  sn__address a;
  assert_true(sn__address_parse(text, &a));
  return a;
}

SN_TEST(only_loopback_addresses_are_loopback) {
  const char *const yes[] = {"127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1"};
  const char *const no[] = {"0.0.0.0",         "::",      "10.0.0.1", "128.0.0.1", "::2",
                            "::ffff:10.0.0.1", "fe80::1", "1::1"};
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
    const sn__address a = address(yes[i]);
    assert_true(sn__address_is_loopback(&a));
  }
  for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
    const sn__address a = address(no[i]);
    assert_false(sn__address_is_loopback(&a));
  }
  sn__address unused;
  assert_false(sn__address_parse("localhost", &unused));
  assert_false(sn__address_parse("127.1", &unused));
  assert_false(sn__address_parse("", &unused));
}

SN_TEST(host_must_be_the_local_address_or_a_configured_name) {
  const sn__address local = address("127.0.0.1");
  const sn__address outside = address("192.168.1.5");
  const sn__address six = address("::1");
  assert_true(sn__host_is_ours("127.0.0.1:8080", &local, 8080, false, &none));
  assert_true(sn__host_is_ours("localhost:8080", &local, 8080, false, &none));
  assert_true(sn__host_is_ours("Robot.Local:8080", &local, 8080, false, &hosts));
  assert_true(sn__host_is_ours("192.168.1.5:8080", &outside, 8080, false, &none));
  assert_true(sn__host_is_ours("[::1]:8080", &six, 8080, false, &none));
  assert_true(sn__host_is_ours("localhost", &local, 80, false, &none));
  assert_false(sn__host_is_ours("localhost:8080", &outside, 8080, false, &none));
  assert_false(sn__host_is_ours("127.0.0.1:8080", &outside, 8080, false, &none));
  assert_false(sn__host_is_ours("127.0.0.1", &local, 8080, false, &none));
  assert_false(sn__host_is_ours("127.0.0.1:80", &local, 8080, false, &none));
  assert_false(sn__host_is_ours("robot.local:8080", &local, 8080, false, &none));
  assert_false(sn__host_is_ours("evil.example:8080", &local, 8080, false, &hosts));
  const char *const broken[] = {
      "",      ":8080", "[::1:8080",       "127.0.0.1:",       "127.0.0.1:80x0",
      "[]:80", "[",     "127.0.0.1:8080 ", "127.0.0.1:8080:1", "a@127.0.0.1:8080"};
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    assert_false(sn__host_is_ours(broken[i], &local, 8080, false, &hosts));
  }
}

SN_TEST(origin_must_be_the_server_or_a_configured_one) {
  static const char *const named[] = {"https://app.foxglove.dev"};
  const sn_texts origins = {named, 1};
  assert_true(sn__origin_is_allowed("http://127.0.0.1:8080", "127.0.0.1:8080", false, &none));
  assert_true(sn__origin_is_allowed("https://app.foxglove.dev", "127.0.0.1:8080", false, &origins));
  const char *const foreign[] = {"https://127.0.0.1:8080",
                                 "http://127.0.0.1",
                                 "http://127.0.0.1:8080.evil.example",
                                 "http://127.0.0.1:8080/",
                                 "null",
                                 "",
                                 "http://",
                                 "https://app.foxglove.dev.evil.example",
                                 "http://localhost:8080"};
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
    assert_false(sn__origin_is_allowed(foreign[i], "127.0.0.1:8080", false, &origins));
  }
}

SN_TEST(tls_expects_https_origins_and_ports) {
  const sn__address local = address("127.0.0.1");
  assert_true(sn__host_is_ours("localhost", &local, 443, true, &none));
  assert_false(sn__host_is_ours("localhost", &local, 80, true, &none));
  assert_true(sn__origin_is_allowed("https://127.0.0.1:8080", "127.0.0.1:8080", true, &none));
  assert_false(sn__origin_is_allowed("http://127.0.0.1:8080", "127.0.0.1:8080", true, &none));
}

SN_TEST(secret_matches_only_as_a_whole) {
  assert_true(sn__secret_equals("sesame", 6, "sesame"));
  assert_false(sn__secret_equals("sesame", 5, "sesame"));
  assert_false(sn__secret_equals("sesame ", 7, "sesame"));
  assert_false(sn__secret_equals("Sesame", 6, "sesame"));
  assert_false(sn__secret_equals("sesame\0x", 8, "sesame"));
  assert_false(sn__secret_equals("", 0, "sesame"));
  assert_false(sn__secret_equals("", 0, ""));
}
