/** @file
 *  Logs of simulated servos that move a pendulum, by explicit integration of sn_servo_accel() in
 *  short steps. */
#ifndef SN_TEST_PENDULUM_RIG_H
#define SN_TEST_PENDULUM_RIG_H

#include "ident/output_error/servo_simulate.h"
#include "sinew/random.h"

/** What servos do and models of sn_servo_params do not describe. Zero: nothing. */
typedef struct pendulum_foreign {
  double ripple;     /**< part by which friction varies with the position, three times a turn */
  double cogging_Nm; /**< torque of the teeth, 30 times a turn */
  double warming;    /**< part by which friction falls, and twice that by which torque needs more
                          volts, from the first to the last sample */
  double sag;        /**< part of the supply that is lost at full drive */
} pendulum_foreign;

typedef struct pendulum_rig {
  sn__servo_on_load servo;
  sn__pendulum load;
  double gain;
  double voltage;
  double period_s;     /**< of the log */
  double jitter_s;     /**< by which its times are uneven, at most; less than half the period */
  double noise_rad;    /**< of positions, normal */
  double time_noise_s; /**< by which positions are early or late, normal: noise over speed */
  double colour_s;     /**< time over which that noise is correlated; 0: it is white */
  pendulum_foreign foreign;
  int motion; /**< 0: two sines, 1: up and down in steps, 2: lift, then limp, 3: a chirp */
} pendulum_rig;

/** A servo like an XL330, with a pendulum of 0.5 kg. */
pendulum_rig pendulum_rig_make(void);

/** Fill the samples of a log; the goals before them are those of the first. */
void pendulum_rig_log(const pendulum_rig *rig, sn_random *random, sn__log_sample *samples,
                      size_t count);

/** Fill the samples and describe the log: motor `servo`, gain, supply and load of the rig. */
sn__servo_log pendulum_rig_record(const pendulum_rig *rig, sn_random *random,
                                  sn__log_sample *samples, size_t count);

/** Write a log as Rhoban/bam does, with the name of the motor. */
void pendulum_rig_write(const pendulum_rig *rig, const char *motor, const sn__log_sample *samples,
                        size_t count, const char *path);

#endif
