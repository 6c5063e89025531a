/** @file
 *  Logs of simulated servos with a pendulum, as files in the folder of a test of the program. */
#ifndef SN_TEST_PENDULUM_FILES_H
#define SN_TEST_PENDULUM_FILES_H

#include "pendulum_rig.h"

enum { PENDULUM_FILES = 4 /* motions */, PENDULUM_FILE_SAMPLES = 700 };

/** The number behind a key of a text; fails the test if the key is not there. */
double pendulum_number_behind(const char *text, const char *key);

/** Write a text. */
void pendulum_write_text(const char *name, const char *text);

/** Record a log, and write it as Rhoban/bam does, with the name of the motor. */
void pendulum_write_log(const pendulum_rig *rig, const char *motor, const char *name);

/** The same with all positions and goals moved by so much, rad. */
void pendulum_write_moved_log(const pendulum_rig *rig, double position_by, double goal_by,
                              const char *name);

/** The same of a servo that a mechanical stop holds. */
void pendulum_write_stopped_log(const pendulum_rig *rig, double stop_rad, const char *name);

/** The samples of a log as CSV, with all positions moved. */
void pendulum_write_csv(const pendulum_rig *rig, const char *joint, double position_by,
                        const char *name);

/** Set-up of a test: log0.json to log3.json, the motions of a `servo` at gain 400; other0.json to
 *  other3.json, the same at gain 200; models.yaml, which knows its name and kp. */
int pendulum_files_set_up(void **state);

#endif
