#include "base/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static size_t min(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Optimal string alignment: Damerau 1964, Levenshtein 1966; row by row, the last three kept. */
size_t sn__edit_distance(const char *a, const char *b) {
  const size_t m = strlen(a);
  const size_t n = strlen(b);
  if (m > SN__NEAREST_MAX || n > SN__NEAREST_MAX) {
    return SIZE_MAX;
  }
  size_t rows[3][SN__NEAREST_MAX + 1];
  for (size_t j = 0; j <= n; j++) {
    rows[0][j] = j;
  }
  for (size_t i = 1; i <= m; i++) {
    size_t *row = rows[i % 3];
    const size_t *above = rows[(i + 2) % 3];
    const size_t *above_that = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      row[j] = min(min(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = min(row[j], above_that[j - 2] + 1);
      }
    }
  }
  return rows[m % 3][n];
}

void sn__nearest_init(sn__nearest *nearest, const char *wanted) {
  *nearest = (sn__nearest){.wanted = wanted, .distance = SIZE_MAX};
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_same_but_capitals(const char *a, const char *b) {
  while (*a != '\0' && lower(*a) == lower(*b)) {
    a++;
    b++;
  }
  return *a == *b;
}

void sn__nearest_offer(sn__nearest *nearest, const char *name) {
  const size_t length = strlen(nearest->wanted);
  const size_t near = length < 6 ? 1 + (length > 3) : length / 3;
  const size_t distance =
      is_same_but_capitals(nearest->wanted, name) ? 0 : sn__edit_distance(nearest->wanted, name);
  if (distance <= near && distance < length && distance < nearest->distance) {
    nearest->name = name;
    nearest->distance = distance;
  }
}

const char *sn__nearest_hint(const sn__nearest *nearest, char *text, size_t size,
                             const char *otherwise) {
  if (nearest->name == NULL) {
    return otherwise;
  }
  snprintf(text, size, "did you mean '%s'?", nearest->name);
  return text;
}
