/** @file
 *  The checks of `sinew doctor`. */
#ifndef SINEW_APP_DOCTOR_H
#define SINEW_APP_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum doctor_verdict {
  DOCTOR_GOOD,
  DOCTOR_FAIR, /**< it works, but not as well as it could */
  DOCTOR_BAD   /**< something does not work */
} doctor_verdict;

typedef struct doctor_finding {
  doctor_verdict verdict;
  char text[256];
  char fix[400]; /**< how to fix it; empty if good */
} doctor_finding;

typedef struct doctor_options {
  int64_t port; /**< of the cockpit */
  bool as_json;
} doctor_options;

typedef struct doctor_check {
  const char *name;
  void (*run)(const doctor_options *options, doctor_finding *finding);
} doctor_check;

/** All checks; ends with one without a name. */
extern const doctor_check doctor_checks[];

/** Measure how late threads wake up; takes about a second. */
void doctor_latency(const doctor_options *options, doctor_finding *finding);

#endif
