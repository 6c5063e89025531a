#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct kind {
  const char *what;
  size_t count;
  double worst;
} kind;

static kind kinds[16];

const sn_model *check_load(sn_arena *arena, const char *path) {
  const sn_model *model = NULL;
  sn_error err;
  sn_report *report = NULL;
  sn_report_create(arena, &report, NULL);
  if (sn_model_load(arena, path, NULL, report, &model, &err) != SN_OK) {
    fprintf(stderr, "%s\n", err.message);
    exit(3);
  }
  return model;
}

static kind *kind_of(const char *what) {
  size_t i = 0;
  while (kinds[i].what != NULL && strcmp(kinds[i].what, what) != 0) {
    i++;
  }
  kinds[i].what = what;
  return &kinds[i];
}

void check_numbers(const char *what, size_t n, const double *ours, const double *theirs) {
  kind *k = kind_of(what);
  double size = 1.0;
  for (size_t i = 0; i < n; i++) {
    size = fmax(size, fabs(theirs[i]));
  }
  for (size_t i = 0; i < n; i++) {
    const double difference = fabs(ours[i] - theirs[i]) / size;
    k->worst = difference <= k->worst ? k->worst : difference; /* keeps NaN */
  }
  k->count += n;
}

void check_pose(const char *what, sn_pose ours, const double theirs[12]) {
  const double numbers[12] = {ours.rot.x.x, ours.rot.x.y, ours.rot.x.z, ours.rot.y.x,
                              ours.rot.y.y, ours.rot.y.z, ours.rot.z.x, ours.rot.z.y,
                              ours.rot.z.z, ours.pos.x,   ours.pos.y,   ours.pos.z};
  check_numbers(what, 12, numbers, theirs);
}

int check_summary(const char *title, double tol) {
  int status = kinds[0].what == NULL; /* nothing compared is not a success */
  for (const kind *k = kinds; k->what != NULL; k++) {
    const int bad = !(k->worst < tol);
    printf("%s: %s of %zu numbers, worst difference %.2g%s\n", title, k->what, k->count, k->worst,
           bad ? ": too much" : "");
    status |= bad;
  }
  return status;
}
