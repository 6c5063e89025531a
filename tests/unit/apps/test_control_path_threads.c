/* Paths of control sockets: private to a user, one system each. */
#define _GNU_SOURCE

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control_rig.h"
#include "control_socket_client.h"
#include "program.h"
#include "run/control_path.h"
#include "sn_test.h"

SN_TEST(the_socket_is_for_one_user_and_one_system) {
  struct stat info;
  assert_int_equal(stat(served.socket, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
  control_server *second = NULL;
  sn_error err = {SN_OK, ""};
  assert_int_equal(control_server_start(served.system, served.socket, &second, &err), SN_EBUSY);
  sn_assert_contains(err.message, "another system answers");
  client_expect_served(served.socket);
}

SN_TEST(a_socket_left_behind_is_replaced) {
  char path[128];
  snprintf(path, sizeof path, "%s/left.sock", served.folder);
  sn_error err = {SN_OK, ""};
  int fd = -1;
  assert_int_equal(control_path_listen(path, &fd, &err), SN_OK);
  close(fd); /* as after a crash: the file is still there */
  control_server *second = NULL;
  assert_int_equal(control_server_start(served.system, path, &second, &err), SN_OK);
  control_server_stop(second);
  assert_int_equal(access(path, F_OK), -1);

  sn_test_write(served.folder, "file.sock", "precious");
  snprintf(path, sizeof path, "%s/file.sock", served.folder);
  assert_int_equal(control_server_start(served.system, path, &second, &err), SN_EIO);
  sn_assert_contains(err.message, "is not a socket");
  assert_int_equal(access(path, F_OK), 0);
}

SN_TEST(names_map_to_sockets_in_a_private_folder) {
  char path[CONTROL_PATH_SIZE];
  char expected[CONTROL_PATH_SIZE];
  sn_error err = {SN_OK, ""};
  setenv("XDG_RUNTIME_DIR", served.folder, 1);
  assert_int_equal(control_path(NULL, NULL, path, &err), SN_OK);
  snprintf(expected, sizeof expected, "%s/sinew/default.sock", served.folder);
  assert_string_equal(path, expected);
  control_server *second = NULL;
  assert_int_equal(control_server_start(served.system, path, &second, &err), SN_OK);
  struct stat info;
  snprintf(expected, sizeof expected, "%s/sinew", served.folder);
  assert_int_equal(stat(expected, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0700);
  control_server_stop(second);
  assert_int_equal(chmod(expected, 0777), 0);
  assert_int_equal(control_server_start(served.system, path, &second, &err), SN_EIO);
  sn_assert_contains(err.message, "closed to others");
  unsetenv("XDG_RUNTIME_DIR");
  assert_int_equal(control_path(NULL, "a", path, &err), SN_OK);
  snprintf(expected, sizeof expected, "/tmp/sinew-%ld/a.sock", (long)geteuid());
  assert_string_equal(path, expected);
  static const char *const bad[] = {"", ".", "../x", "a/b", "a b", "\xc3\xa4"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(control_path(NULL, bad[i], path, &err), SN_EINVAL);
  }
  char many[300];
  memset(many, 'x', sizeof many);
  many[299] = '\0';
  assert_int_equal(control_path(many, NULL, path, &err), SN_ELIMIT);
  assert_int_equal(control_path(NULL, many, path, &err), SN_ELIMIT);
}

SN_TEST_EACH(control_rig_set_up, control_rig_tear_down)
