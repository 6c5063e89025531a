/** @file
 *  What `sinew doctor` looks at: each check finds something out and says how to mend it. */
#ifndef SINEW_APP_DOCTOR_H
#define SINEW_APP_DOCTOR_H

#include <stddef.h>

typedef enum doctor_verdict {
  DOCTOR_GOOD,
  DOCTOR_FAIR, /**< it works, but not as well as it could */
  DOCTOR_BAD   /**< something does not work */
} doctor_verdict;

typedef struct doctor_finding {
  doctor_verdict verdict;
  char text[256];
  char fix[400]; /**< what to do about it; empty if it is good */
} doctor_finding;

/** What the command line says. */
typedef struct doctor_options {
  int port; /**< of the cockpit */
} doctor_options;

typedef struct doctor_check {
  const char *name;
  void (*look)(const doctor_options *options, doctor_finding *finding);
} doctor_check;

/** All checks; ends with one without a name. */
extern const doctor_check doctor_checks[];

/** How late threads wake up here, which takes about a second. */
void doctor_latency(const doctor_options *options, doctor_finding *finding);

#endif
