/* The guard process alone, on pseudo-terminals: what it writes, when, and when not. */
#define _GNU_SOURCE

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "bus/guard/guard.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

static const sn__safe_bytes safe = {.count = 5, .bytes = {0xFF, 0xFF, 1, 2, 3}};
static const sn__safe_bytes later = {.count = 3, .bytes = {7, 8, 9}};

typedef struct line {
  int master, port;
} line;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void pause_ms(long ms) {
  const struct timespec t = {.tv_nsec = ms * MS};
  nanosleep(&t, NULL);
}

static line open_line(void) {
  line l = {.master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)};
  assert_true(l.master >= 0);
  assert_int_equal(grantpt(l.master), 0);
  assert_int_equal(unlockpt(l.master), 0);
  struct termios raw;
  assert_int_equal(tcgetattr(l.master, &raw), 0);
  cfmakeraw(&raw);
  assert_int_equal(tcsetattr(l.master, TCSANOW, &raw), 0);
  char path[64];
  assert_int_equal(ptsname_r(l.master, path, sizeof path), 0);
  l.port = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  assert_true(l.port >= 0);
  return l;
}

static void close_line(line *l) {
  close(l->port);
  close(l->master);
}

static int enter(const char *path, int64_t timeout_ns) {
  const sn__guard_config config = {.path = path, .timeout_ns = timeout_ns};
  sn_error err;
  const int place = sn__guard_enter(&config, &err);
  assert_true(place >= 0);
  return place;
}

static bool is_tripped_within(int place, int tries) {
  for (int n = 0; n < tries && sn__guard_tripped(place) == SN__GUARD_FINE; n++) {
    pause_ms(5);
  }
  return sn__guard_tripped(place) != SN__GUARD_FINE;
}

/* Waits for `count` bytes. */
static size_t read_line(const line *l, uint8_t *out, size_t count) {
  size_t used = 0;
  for (int n = 0; n < 1000 && used < count; n++) {
    const ssize_t got = read(l->master, out + used, count - used);
    used += got > 0 ? (size_t)got : 0;
    if (used < count) {
      pause_ms(5);
    }
  }
  return used;
}

SN_TEST(a_bus_that_falls_silent_is_stopped_with_all_others) {
  line a = open_line(), b = open_line();
  const int first = enter("a", 800 * MS), second = enter("b", 3600000 * MS);
  sn__guard_frames(first, &safe);
  sn__guard_frames(second, &later);
  sn__guard_port(first, a.port);
  sn__guard_port(second, b.port);
  for (int n = 0; n < 100; n++) { /* nothing is written while heartbeats arrive */
    sn__guard_beat(first, now_ns());
    pause_ms(2);
  }
  uint8_t bytes[64];
  assert_int_equal(sn__guard_tripped(first), SN__GUARD_FINE);
  assert_true(read(a.master, bytes, sizeof bytes) < 0);
  assert_true(is_tripped_within(first, 2000));
  assert_int_equal(sn__guard_tripped(first), SN__GUARD_HUNG);
  assert_int_equal(sn__guard_tripped(second), SN__GUARD_HUNG);
  assert_int_equal(read_line(&a, bytes, 25), 25); /* five times */
  assert_memory_equal(bytes, safe.bytes, 5);
  assert_memory_equal(bytes + 20, safe.bytes, 5);
  assert_int_equal(read_line(&b, bytes, 15), 15);
  assert_memory_equal(bytes, later.bytes, 3);
  pause_ms(300); /* nothing more until it is cleared */
  assert_true(read(a.master, bytes, sizeof bytes) < 0);
  sn__guard_beat(first, now_ns());
  sn__guard_clear(first);
  sn__guard_clear(second);
  sn__guard_frames(first, &later); /* the newest are used */
  assert_true(is_tripped_within(first, 2000));
  assert_int_equal(read_line(&a, bytes, 15), 15);
  assert_memory_equal(bytes, later.bytes, 3);
  sn__guard_port(first, -1);
  sn__guard_port(second, -1);
  sn__guard_leave(first);
  sn__guard_leave(second);
  close_line(&a);
  close_line(&b);
}

SN_TEST(a_bus_without_a_port_or_that_has_ended_is_left_alone) {
  line a = open_line();
  const int place = enter("a", 400 * MS);
  sn__guard_frames(place, &safe);
  sn__guard_port(place, a.port);
  sn__guard_port(place, -1);
  pause_ms(900);
  assert_int_equal(sn__guard_tripped(place), SN__GUARD_FINE);
  sn__guard_leave(place);
  pause_ms(100);
  uint8_t bytes[8];
  assert_true(read(a.master, bytes, sizeof bytes) < 0);
  close_line(&a);
}

/* The last test: it cannot be undone. */
SN_TEST(a_process_about_to_end_stops_its_servos_at_once) {
  assert_true(sn__guard_wait(0)); /* no bus, nothing to stop */
  line a = open_line();
  const int place = enter("a", 3600000 * MS);
  sn__guard_frames(place, &safe);
  sn__guard_port(place, a.port);
  assert_false(sn__guard_is_dying());
  sn__guard_trip();
  assert_true(sn__guard_is_dying());
  assert_true(sn__guard_wait(10000 * MS));
  assert_int_equal(sn__guard_tripped(place), SN__GUARD_DYING);
  uint8_t bytes[64];
  assert_int_equal(read_line(&a, bytes, 25), 25);
  assert_memory_equal(bytes, safe.bytes, 5);
  sn__guard_port(place, -1);
  sn__guard_leave(place);
  close_line(&a);
}
