/** @file
 *  Internal: the library of servos: the files of servos/, which are part of the library. Each
 *  describes one servo:
 *
 *      servo: {title: …, family: dynamixel, model_numbers: [1200], gain: 400, source: …, validity:
 * …} servo_models:
 *        - {name: xl330, kp: 1.15, alpha: […], …}
 *
 *  A model of a joint that has the key `servo`, the name of such a file or a path, gets what it
 * does not state itself from there; with `gain`, kp is scaled to that gain. RT: no. */
#ifndef SN_SERVO_SERVO_LIBRARY_H
#define SN_SERVO_SERVO_LIBRARY_H

#include "sinew/api.h"
#include "sinew/servo_model.h"
#include "sinew/value.h"

/** A file of the library. Static. */
typedef struct sn__servo_file {
  const char *name; /**< `xl330` */
  const char *text;
  size_t size;
} sn__servo_file;

/** The files by their names, and their number. Threads: any. */
SN_API const sn__servo_file *sn__servo_files(size_t *count);

/** Reads the file that the value of @p path names; @return NULL: reported. */
typedef const sn_value *sn__servo_opener(void *context, const sn_value *path);

/** Properties of a component or of a file of servo models, in which no model names a servo any
 *  more.
 *  @param report  receives unknown servos
 *  @param open    NULL: only servos of the library
 *  @return @p bag itself if there is nothing to do; NULL: no memory
 *  Threads: one owner of arena and report. */
const sn_value *sn__servo_name_models(sn_arena *arena, const sn_value *bag, sn_report *report,
                                      sn__servo_opener *open, void *context);

/** The model of a servo of the library, for the gain that its file states.
 *  @param err  receives the reason of a failure; may be NULL
 *  @return SN_OK or SN_ENOENT.  Threads: any. */
SN_API sn_status sn__servo_of_library(const char *name, sn_servo_params *out, sn_error *err);

/** The servo of the library that reports this model number.
 *  @param family  of servo_family.h
 *  @param name    room for its name
 *  @return false: none.  Threads: any. */
SN_API bool sn__servo_recognise(const char *family, long model, char *name, size_t size);

#endif
