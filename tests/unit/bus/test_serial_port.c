#define _GNU_SOURCE

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bus/serial_port.h"
#include "bus/serial_sysfs.h"
#include "program.h"
#include "sim/sim_pty.h"
#include "sn_test.h"

SN_TEST(an_error_about_a_missing_port_lists_the_existing_ones) {
  sn_serial_port port;
  sn_error err;
  assert_int_equal(sn__serial_open("/dev/ttyNoSuch7", 1000000, &port, &err), SN_ENOENT);
  sn_assert_contains(err.message, "no port '/dev/ttyNoSuch7'");
}

SN_TEST(a_regular_file_is_refused) {
  sn_serial_port port;
  sn_error err;
  assert_int_equal(sn__serial_open("/dev/null", 1000000, &port, &err), SN_EIO);
  sn_assert_contains(err.message, "'/dev/null' is not a serial port");
}

SN_TEST(a_baud_rate_has_limits) {
  sn_serial_port port;
  sn_error err;
  assert_int_equal(sn__serial_open("/dev/null", 0, &port, &err), SN_EINVAL);
  sn_assert_contains(err.message, "0 baud, must be 1200 .. 12000000");
}

SN_TEST(bytes_pass_unchanged_both_ways) {
  servo_sim sim;
  servo_sim_init(&sim, SIM_FEETECH_STS, 1000000, 1);
  sim.echoes = true; /* sent bytes are received again */
  sim_pty *pty = sim_pty_start(&sim, NULL);
  sn_serial_port port;
  sn_error err;
  assert_int_equal(sn__serial_open(sim_pty_path(pty), 1000000, &port, &err), SN_OK);
  uint8_t bytes[256], back[256];
  for (size_t i = 0; i < 256; i++) { /* including line ends and control characters */
    bytes[i] = (uint8_t)i;
  }
  assert_int_equal(sn__serial_write(&port, bytes, 256), 256);
  size_t got = 0;
  for (size_t i = 0; i < 1000 && got < 256; i++) {
    assert_true(sn__serial_wait(&port, -1, 10000000));
    const long count = sn__serial_read(&port, back + got, sizeof back - got);
    assert_true(count >= 0);
    got += (size_t)count;
  }
  assert_int_equal(got, 256);
  assert_memory_equal(bytes, back, 256);

  sim_pty_unplug(pty);
  (void)sn__serial_wait(&port, -1, 10000000);
  assert_false(sn__serial_wait(&port, -1, 1000000) && sn__serial_read(&port, back, 1) >= 0);
  sn__serial_close(&port);
  sn__serial_close(&port); /* closing twice is harmless */
  sim_pty_stop(pty);
}

SN_TEST(a_port_has_one_owner_at_a_time) {
  servo_sim sim;
  servo_sim_init(&sim, SIM_FEETECH_STS, 1000000, 1);
  sim_pty *pty = sim_pty_start(&sim, NULL);
  sn_serial_port first, second;
  sn_error err;
  assert_int_equal(sn__serial_open(sim_pty_path(pty), 1000000, &first, &err), SN_OK);
  assert_int_equal(sn__serial_open(sim_pty_path(pty), 1000000, &second, &err), SN_EBUSY);
  sn_assert_contains(err.message, "is in use by another program");
  const uint8_t byte = 1;
  assert_int_equal(sn__serial_write(&first, &byte, 1), 1); /* the first is not disturbed */
  sn__serial_close(&first);
  assert_int_equal(sn__serial_open(sim_pty_path(pty), 1000000, &second, &err), SN_OK);
  sn__serial_close(&second);
  sim_pty_stop(pty);
}

SN_TEST(a_permission_error_names_the_group) {
  servo_sim sim;
  servo_sim_init(&sim, SIM_FEETECH_STS, 1000000, 1);
  sim_pty *pty = sim_pty_start(&sim, NULL);
  assert_int_equal(chmod(sim_pty_path(pty), 0), 0);
  const pid_t child = fork();
  if (child == 0) {
    sn_serial_port port;
    sn_error err = {.message = ""};
    /* root may open everything: switch to another user */
    const bool other = getuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0);
    const bool said = sn__serial_open(sim_pty_path(pty), 1000000, &port, &err) == SN_EIO &&
                      strstr(err.message, "no permission to open '/dev/pts/") != NULL &&
                      strstr(err.message, "it is for the group '") != NULL;
    _exit(other && said ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
  sim_pty_stop(pty);
}

/* An FTDI adapter, an ACM board and a console as the kernel shows them. */
SN_TEST(adapters_are_listed_with_vendor_and_serial_number) {
  char folder[64], command[2048];
  sn_test_folder_create(folder);
  snprintf(
      command, sizeof command,
      "cd %s && mkdir -p class drivers/ftdi_sio drivers/cdc_acm drivers/serial8250 "
      "usb/1-1/1-1:1.0/ttyUSB3/tty/ttyUSB3 usb/1-2/1-2:1.0/tty/ttyACM0 plat/tty/ttyS0 virt/tty0 "
      "&& ln -s ../../../../drivers/ftdi_sio usb/1-1/1-1:1.0/ttyUSB3/driver "
      "&& ln -s ../../../drivers/cdc_acm usb/1-2/1-2:1.0/driver "
      "&& ln -s ../drivers/serial8250 plat/driver "
      "&& ln -s ../.. usb/1-1/1-1:1.0/ttyUSB3/tty/ttyUSB3/device "
      "&& ln -s ../.. usb/1-2/1-2:1.0/tty/ttyACM0/device && ln -s ../.. plat/tty/ttyS0/device "
      "&& ln -s ../usb/1-1/1-1:1.0/ttyUSB3/tty/ttyUSB3 ../usb/1-2/1-2:1.0/tty/ttyACM0 "
      "../plat/tty/ttyS0 ../virt/tty0 class/ "
      "&& echo 16 >usb/1-1/1-1:1.0/ttyUSB3/latency_timer && cd usb/1-1 "
      "&& echo 0403 >idVendor && echo 6014 >idProduct && echo FTDI >manufacturer "
      "&& echo 'USB <-> Serial Converter' >product && echo FT4THVVN >serial && cd ../1-2 "
      "&& echo 1a86 >idVendor && echo 55d3 >idProduct && printf 'Bus\\033[31mServo' >product",
      folder);
  assert_int_equal(system(command), 0);
  char class_folder[80];
  snprintf(class_folder, sizeof class_folder, "%s/class", folder);
  sn_serial_info ports[SN_SERIAL_PORTS_MAX];
  assert_int_equal(sn__serial_list_in(class_folder, ports), 2);
  assert_string_equal(ports[0].path, "/dev/ttyACM0");
  assert_string_equal(ports[0].driver, "cdc_acm");
  assert_string_equal(ports[0].usb_id, "1a86:55d3");
  assert_null(strchr(ports[0].product, '\033')); /* control characters are removed */
  assert_string_equal(ports[1].path, "/dev/ttyUSB3");
  assert_string_equal(ports[1].driver, "ftdi_sio");
  assert_string_equal(ports[1].vendor, "FTDI");
  assert_string_equal(ports[1].product, "USB <-> Serial Converter");
  assert_string_equal(ports[1].serial, "FT4THVVN");
  assert_string_equal(ports[1].usb_id, "0403:6014");
  assert_int_equal(ports[1].latency_ms, 16);
  snprintf(command, sizeof command, "rm -r %s/*", folder);
  assert_int_equal(system(command), 0);
  sn_test_folder_remove(folder);
}

SN_TEST(ports_are_listed_without_consoles) {
  sn_serial_info ports[SN_SERIAL_PORTS_MAX];
  const size_t count = sn__serial_list(ports);
  assert_true(count <= SN_SERIAL_PORTS_MAX);
  for (size_t i = 0; i < count; i++) {
    sn_assert_contains(ports[i].path, "/dev/");
    assert_null(strstr(ports[i].path, "/dev/console"));
  }
}
