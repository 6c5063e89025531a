#define _POSIX_C_SOURCE 200809L /* fork() */

#include "sn_test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void sn_test_near(double actual, double expected, double tol, const char *what, const char *file,
                  int line) {
  const double difference = fabs(actual - expected);
  if (!(difference <= tol)) {
    print_error("%s is %.17g, expected %.17g: off by %.3g, tolerance %.3g\n", what, actual,
                expected, difference, tol);
    _fail(file, line);
  }
}

static double vec3_distance_max(sn_vec3 a, sn_vec3 b) {
  const double distance = fmax(fabs(a.x - b.x), fmax(fabs(a.y - b.y), fabs(a.z - b.z)));
  const int has_nan = isnan(a.x + a.y + a.z) || isnan(b.x + b.y + b.z); /* fmax drops NaN */
  return has_nan ? NAN : distance;
}

double sn_test_pose_distance(sn_pose a, sn_pose b) {
  const double parts[] = {vec3_distance_max(a.pos, b.pos), vec3_distance_max(a.rot.x, b.rot.x),
                          vec3_distance_max(a.rot.y, b.rot.y), vec3_distance_max(a.rot.z, b.rot.z)};
  double worst = 0.0;
  for (size_t i = 0; i < 4; i++) {
    if (!(parts[i] <= worst)) {
      worst = parts[i];
    }
  }
  return worst;
}

void sn_test_pose_near(sn_pose actual, sn_pose expected, double tol, const char *what,
                       const char *file, int line) {
  const double difference = sn_test_pose_distance(actual, expected);
  if (!(difference <= tol)) {
    print_error("%s is at (%g, %g, %g), expected (%g, %g, %g): off by %.3g, tolerance %.3g\n", what,
                actual.pos.x, actual.pos.y, actual.pos.z, expected.pos.x, expected.pos.y,
                expected.pos.z, difference, tol);
    _fail(file, line);
  }
}

void sn_test_contains(const char *text, const char *part, const char *file, int line) {
  if (text == NULL || strstr(text, part) == NULL) {
    print_error("expected to find '%s' in '%s'\n", part, text == NULL ? "(null)" : text);
    _fail(file, line);
  }
}

static char fault_text[512]; /* what the last child wrote */
static int fault_status;     /* its exit status */

int sn_test_fault_fork(void) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  fflush(NULL); /* otherwise the child would flush the parent's buffers again */
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    return 1;
  }
  close(ends[1]);
  size_t used = 0;
  ssize_t count = 0;
  while ((count = read(ends[0], fault_text + used, sizeof fault_text - 1 - used)) > 0) {
    used += (size_t)count;
  }
  fault_text[used] = '\0';
  close(ends[0]);
  assert_int_equal(waitpid(child, &fault_status, 0), child);
  return 0;
}

void sn_test_fault_missing(void) {
  _exit(0);
}

void sn_test_fault_check(const char *part, const char *what, const char *file, int line) {
  if (!WIFSIGNALED(fault_status) || WTERMSIG(fault_status) != SIGABRT) {
    print_error("expected a fault of '%s'\n", what);
    _fail(file, line);
  }
  sn_test_contains(fault_text, part, file, line);
}

size_t sn_test_cases(size_t desk) {
  const char *scale = getenv("SINEW_TEST_SCALE");
  const double factor = scale == NULL ? 1.0 : atof(scale);
  const double cases = (double)desk * (factor > 0.0 ? factor : 1.0);
  return cases < 1.0 ? 1 : (size_t)cases;
}

uint64_t sn_test_seed(uint64_t desk) {
  const char *seed = getenv("SINEW_TEST_SEED");
  return seed == NULL ? desk : strtoull(seed, NULL, 10);
}

char *sn_test_read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    fail_msg("cannot open %s", path);
  }
  fseek(file, 0, SEEK_END);
  const long length = ftell(file);
  rewind(file);
  char *text = malloc((size_t)length + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, (size_t)length, file), length);
  fclose(file);
  text[length] = '\0';
  if (size != NULL) {
    *size = (size_t)length;
  }
  return text;
}
