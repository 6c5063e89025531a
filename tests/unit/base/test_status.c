#include "base/fail.h"
#include "sinew/status.h"
#include "sn_test.h"

static const sn_status all[] = {
#define STATUS_VALUE(name, value, text) name,
    SN_STATUS_LIST(STATUS_VALUE)
#undef STATUS_VALUE
};
#define ALL_COUNT (sizeof all / sizeof all[0])

SN_TEST(only_ok_is_not_negative) {
  assert_int_equal(SN_OK, 0);
  for (size_t i = 0; i < ALL_COUNT; i++) {
    assert_true(all[i] == SN_OK || all[i] < 0);
  }
}

SN_TEST(every_status_has_its_own_value_and_text) {
  for (size_t i = 0; i < ALL_COUNT; i++) {
    assert_true(strlen(sn_status_text(all[i])) > 0);
    for (size_t j = 0; j < i; j++) {
      assert_int_not_equal(all[i], all[j]);
      assert_string_not_equal(sn_status_text(all[i]), sn_status_text(all[j]));
    }
  }
}

SN_TEST(invalid_status_has_a_text) {
  int least = 0;
  for (size_t i = 0; i < ALL_COUNT; i++) {
    least = (int)all[i] < least ? (int)all[i] : least;
  }
  assert_string_equal(sn_status_text((sn_status)(least - 1)), "unknown status");
}

SN_TEST(failure_fills_the_error_and_returns_its_code) {
  sn_error err = {0};
  assert_int_equal(sn__fail(&err, SN_ENOENT, "no link '%s' in %d", "tool", 3), SN_ENOENT);
  assert_int_equal(err.code, SN_ENOENT);
  assert_string_equal(err.message, "no link 'tool' in 3");
  assert_int_equal(sn__fail(NULL, SN_EIO, "%s", "ignored"), SN_EIO);
}

SN_TEST(message_is_cut_and_holds_no_control_characters) {
  char name[1000];
  memset(name, 'n', sizeof name);
  name[0] = '\n';
  name[sizeof name - 1] = '\0';
  sn_error err = {0};
  (void)sn__fail(&err, SN_EINVAL, "%s", name);
  assert_int_equal(strlen(err.message), sizeof err.message - 1);
  assert_memory_equal(err.message, "\\x0an", 5);
  assert_string_equal(err.message + sizeof err.message - 1 - 4, "n...");
}
