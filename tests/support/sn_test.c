#include "sn_test.h"

#include <stdlib.h>

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

size_t sn_test_cases(size_t desk) {
  const char *scale = getenv("SINEW_TEST_SCALE");
  const double factor = scale == NULL ? 1.0 : atof(scale);
  const double cases = (double)desk * (factor > 0.0 ? factor : 1.0);
  return cases < 1.0 ? 1 : (size_t)cases;
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
