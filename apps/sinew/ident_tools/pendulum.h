/** @file
 *  `sinew ident` of servos that move a pendulum: logs, identification, validation. */
#ifndef SINEW_APP_PENDULUM_H
#define SINEW_APP_PENDULUM_H

#include "ident/output_error/oe_fit.h"
#include "ident_tools/ident.h"

/** The models that cross-validation compares. */
typedef enum pendulum_crossed {
  PENDULUM_BASIC,
  PENDULUM_LOAD,
  PENDULUM_FULL,
  PENDULUM_DIRECTIONAL, /**< full, and this option */
  PENDULUM_BACKLASH,
  PENDULUM_CROSSED
} pendulum_crossed;

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
  bool is_full;          /**< the full model is identified */
  sn_servo_entry *entry; /**< of the servo, in the file of models */
  sn_arena arena;
  pendulum_log *fitted; /**< [fitted_count] */
  size_t fitted_count;
  pendulum_log *validated; /**< [validated_count] logs of --validate */
  size_t validated_count;
  double drive_found;                 /**< limit of the drive that the logs show; 0: they do not */
  sn__velocity_register velocity;     /**< what the servo itself says about its velocity */
  bool is_crossed[PENDULUM_CROSSED];  /**< these were compared */
  double cross_rad[PENDULUM_CROSSED]; /**< their errors; infinite: no fit */
  sn__oe_result result;
  double error[3];    /**< by ident_unit: mean over the fitted logs of the mean absolute error */
  const char *reason; /**< why the result is not good; NULL if it is */
  char reason_text[800];
} pendulum_work;

/** Standard deviations on either side in which the truth is in 95 % of all cases: what is printed
 *  behind `+-`. */
#define PENDULUM_INTERVAL 1.96

/** Gains, in times those of the logs, at which a basic model shall still hold. */
#define PENDULUM_GAIN_RANGE 4.0

/** Is this the name of a JSON file? */
bool pendulum_is_json(const char *path);

/** Is this a request for it? */
bool pendulum_is_wanted(const ident_request *request);

/** Identify, print, report, save. @return an exit code */
int pendulum_run(const ident_request *request, sn_servo_list *list);

/** Read and check the logs of the request. Prints what is wrong.
 *  @return EXIT_GOOD, EXIT_NO or EXIT_FAULT */
int pendulum_read(pendulum_work *work, const sn_servo_list *list);

/** Say in `reason` that the logs are further away than the threshold, and what may be wrong. */
void pendulum_blame(pendulum_work *work);

/** Set `reason` if one log is far from its simulation while the others agree. */
void pendulum_find_stranger(pendulum_work *work);

/** Does another mass explain a log much better?
 *  @param mae_rad  set to the error with that
 *  @return that mass, kg; NaN: none does */
double pendulum_other_mass(pendulum_work *work, const pendulum_log *log, double *mae_rad);

/** Print the results, as JSON or for people. @return EXIT_GOOD or EXIT_FAULT */
int pendulum_print(pendulum_work *work);

/** Compare models by cross-validation: all for a report, otherwise full with and without the
 * options of the request. Nothing with less than two logs. */
void pendulum_cross(pendulum_work *work);

/** Name of a model that is compared, as options state it. */
const char *pendulum_crossed_name(pendulum_crossed which);

/** The simplest of the compared models that is about as good as the best.
 *  @return PENDULUM_CROSSED: none was compared */
pendulum_crossed pendulum_cross_simplest(const pendulum_work *work);

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
