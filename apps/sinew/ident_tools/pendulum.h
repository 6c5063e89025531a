/** @file
 *  `sinew ident` of servos that move a pendulum: logs, identification, validation. */
#ifndef SINEW_APP_PENDULUM_H
#define SINEW_APP_PENDULUM_H

#include "ident/output_error/oe_fit.h"
#include "ident_tools/ident.h"

/** The models that cross-validation compares: basic, load, full, and full with one option more. */
enum { PENDULUM_CROSSED = 5 };

/** A log and how the identified servo follows it. */
typedef struct pendulum_log {
  sn__servo_log log;
  sn__log_rows rows;
  double *simulated; /**< [log.count] positions, rad; in the arena */
  sn__servo_score score;
  sn__log_noise noise;
} pendulum_log;

/** Everything about one servo. */
typedef struct pendulum_work {
  const ident_request *request;
  sn_servo_entry *entry; /**< of the servo, in the file of models */
  sn_arena arena;
  pendulum_log *fitted; /**< [fitted_count] */
  size_t fitted_count;
  pendulum_log *validated; /**< [validated_count] logs of --validate */
  size_t validated_count;
  double drive_found;                 /**< limit of the drive that the logs show; 0: they do not */
  double velocity_lag_s;              /**< of the servo's own velocities; NaN: unknown */
  double cross_rad[PENDULUM_CROSSED]; /**< errors by cross-validation; set for a report */
  sn__oe_result result;
  double error[3];    /**< by ident_unit: mean over the fitted logs of the mean absolute error */
  const char *reason; /**< why the result is not good; NULL if it is */
  char reason_text[500];
} pendulum_work;

/** Standard deviations on either side in which the truth is in 95 % of all cases: what is printed
 *  behind `+-`. */
#define PENDULUM_INTERVAL 1.96

/** Gains, in times those of the logs, at which a basic model shall still hold. */
#define PENDULUM_GAIN_RANGE 4.0

/** Is this a request for it? */
bool pendulum_is_wanted(const ident_request *request);

/** Identify, print, report, save. @return an exit code */
int pendulum_run(const ident_request *request, sn_servo_list *list);

/** Read and check the logs of the request. Prints what is wrong.
 *  @return EXIT_GOOD, EXIT_NO or EXIT_FAULT */
int pendulum_read(pendulum_work *work, const sn_servo_list *list);

/** Print the results, as JSON or for people. @return EXIT_GOOD or EXIT_FAULT */
int pendulum_print(const pendulum_work *work);

/** The model to save: back-EMF is 0, unknown, if no row is limp. */
sn_servo_params pendulum_params(const pendulum_work *work);

/** Find which extension pays by cross-validation. */
void pendulum_cross(pendulum_work *work);

/** Write the HTML report. @return EXIT_GOOD or EXIT_FAULT */
int pendulum_report(pendulum_work *work);

/** Write the result as a file of the library of servos (option --save-servo).
 *  @return EXIT_GOOD or EXIT_FAULT */
int servo_file_write(const pendulum_work *work);

/** Is this a name for such a file, perhaps with folders before it? */
bool servo_file_is_name(const char *given);

/** Parse `pendulum:mass=KG,length=M[,arm=KG]`. @return false if it is not of this form */
bool pendulum_parse(const char *text, sn__pendulum *out);

#endif
