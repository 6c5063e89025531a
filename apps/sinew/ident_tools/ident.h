/** @file
 *  What the files of `sinew ident` share: request and results. */
#ifndef SINEW_APP_IDENT_H
#define SINEW_APP_IDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command.h"
#include "ident/offline/ident_fit.h"
#include "ident/output_error/servo_log.h"
#include "ident_tools/ident_mcap.h"
#include "ident_tools/ident_read.h"
#include "ident_tools/load_urdf.h"
#include "servo/servo_store.h"

/** What the largest error of a good model is measured in. */
typedef enum ident_unit {
  IDENT_RAD,
  IDENT_VOLT, /**< of the motor, that the regulator makes of the error */
  IDENT_NOISE /**< noise of the measured positions */
} ident_unit;

typedef struct ident_threshold {
  double value; /**< 0: the default, rad */
  ident_unit unit;
} ident_threshold;

/** The command line. */
typedef struct ident_request {
  const char *log; /**< the first one */
  text_list logs;
  text_list validate; /**< logs that only judge the result */
  sn__pendulum load;  /**< of all logs that do not state theirs */
  load_limits limits; /**< of the joint that carries it */
  bool has_load;
  const char *load_text; /**< of the command line, or NULL */
  const char *model;     /**< basic, load or full; NULL: not stated */
  bool is_directional;
  bool has_backlash;
  ident_topics topics; /**< of a log that is a recording */
  const char *models;
  const char *save_servo; /**< name of a file of the library of servos, or NULL */
  const char *report;     /**< path of the HTML file, or NULL */
  const char *urdf;       /**< for the limits of --suggest, or NULL */
  bool json;
  bool save;
  bool suggest;
  ident_threshold threshold;
  int64_t delay; /**< samples; -1: searched */
  sn_ident_fit_config config;
} ident_request;

/** The result of one servo. */
typedef struct ident_answer {
  const sn_servo_entry *entry;
  const ident_track *track;
  sn_ident_result result;
  bool has_motion; /**< a motion is suggested */
  sn_ident_motion motion;
  sn_arena arena; /**< of the result's plots */
  sn_status status;
  sn_error error;
} ident_answer;

/** A request without options. */
extern const ident_request ident_initial;

/** Answer a request: its logs and options. @return an exit code */
int ident_run(ident_request *request);

/** Print the results, as JSON or for people. @return EXIT_GOOD or EXIT_FAULT */
int ident_print(const ident_request *request, const ident_answer *answers, size_t count);

/** Write the HTML report. @return EXIT_GOOD or EXIT_FAULT, with a message printed */
int ident_report(const ident_request *request, const ident_answer *answers, size_t count);

#endif
