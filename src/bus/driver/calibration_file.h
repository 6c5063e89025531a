/** @file
 *  Internal: the file that keeps what calibration measured, so that the deployment stays as its
 *  author wrote it. YAML; joints by name:
 *
 *      {"elbow": {"zero": 2040, "direction": 1, "min": -1.9, "max": 1.9}} */
#ifndef SN_BUS_DRIVER_CALIBRATION_FILE_H
#define SN_BUS_DRIVER_CALIBRATION_FILE_H

#include "base/buffer.h"
#include "bus/driver/calibration.h"
#include "sinew/names.h"
#include "sinew/report.h"

/** Read ranges from a text.
 *  @param arena   for what is read; problems refer to it, so it must outlive the report
 *  @param joints  the joints of the driver; others are errors
 *  @param ranges  one for each; those that the text has are replaced, all or none
 *  @param report  receives every problem with its place
 *  @return SN_OK, or a failure that is in the report; SN_ENOMEM */
sn_status sn__calibration_parse(sn_arena *arena, const char *text, size_t size, const char *file,
                                const sn_names *joints, sn__servo_range *ranges, sn_report *report);

/** The same from a file; one that is not there yet changes nothing.
 *  @return SN_OK, or a failure with its reason */
sn_status sn__calibration_load(const char *path, const sn_names *joints, sn__servo_range *ranges,
                               sn_error *err);

/** The text of ranges; limits are rounded to 0.1 mrad. */
void sn__calibration_write(const sn_names *joints, const sn__servo_range *ranges, sn__buffer *out);

/** Replace the file as a whole. @return SN_OK, or a failure with its reason: the old one is intact
 */
SN_API sn_status sn__calibration_save(const char *path, const sn_names *joints,
                                      const sn__servo_range *ranges, sn_error *err);

#endif
