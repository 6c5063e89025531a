#include "pendulum_rig.h"

#include "sn_test.h"

#define STEP_S 1e-5

pendulum_rig pendulum_rig_make(void) {
  return (pendulum_rig){
      .servo = {.params =
                    {.kp = 0.003,
                     .kgear = 1,
                     .alpha = {0.45, 0.15, 0.1, 10},
                     .qs = 0.3,
                     .delta = 1,
                     .inertia = 0.015,
                     .ext = {.back_emf = 0.33, .load = {1.2, 8}, .drive_max = 1, .delay_s = 0.006}},
                .zero_rad = 0.01},
      .load = {.mass_kg = 0.5, .length_m = 0.1},
      .gain = 400,
      .voltage = 7.4,
      .period_s = 0.005,
      .noise_rad = 0.002};
}

static double goal_at(const pendulum_rig *rig, double t) {
  switch (rig->motion) {
    case 0:
      return 0.9 * sin(2.0 * t) + 0.5 * sin(5.3 * t);
    case 1:
      return fmod(t, 2.0) < 1.0 ? 1.2 * fmod(t, 2.0) : 1.2 * (2.0 - fmod(t, 2.0));
    case 2:
      return -1.2;
    default:
      return 0.8 * sin(1.5 * t * t);
  }
}

static bool is_limp_at(const pendulum_rig *rig, double t) {
  return rig->motion == 2 && t > 1.4975; /* between two samples */
}

/* The sample whose goal was sent last at a time. @param now  the newest that there is */
static const sn__log_sample *sent_before(const sn__log_sample *samples, size_t now, double time_s) {
  while (now > 0 && samples[now].time_s > time_s + 1e-9) {
    now--;
  }
  return &samples[now];
}

/* The goal of a step. One that changes within the step acts for its part of it, so that the step
   does not round the delay. */
static double goal_of_step(const sn__log_sample *samples, const sn__log_sample *sent, size_t now,
                           double sent_s) {
  const sn__log_sample *next = sent_before(samples, now, sent_s + STEP_S);
  if (next == sent || next->is_limp) {
    return sent->goal;
  }
  const double part = (next->time_s - sent_s) / STEP_S;
  return part * sent->goal + (1.0 - part) * next->goal;
}

/* The servo at a moment, as it is and as no model says. @param part  of the log that has passed */
static sn_servo_params servo_at(const pendulum_rig *rig, const sn_servo_params *p, double part,
                                double q) {
  const pendulum_foreign *f = &rig->foreign;
  sn_servo_params now = *p;
  const double friction = (1.0 - f->warming * part) * (1.0 + f->ripple * sin(3.0 * q));
  now.alpha[1] *= friction;
  now.alpha[2] *= friction;
  now.ext.load[0] *= friction;
  now.ext.load[1] *= friction;
  now.alpha[3] *= 1.0 + 2.0 * f->warming * part;
  return now;
}

/* The supply, less what the drive takes. */
static double supply_at(const pendulum_rig *rig, const sn_servo_params *p, double goal, double q) {
  const double duty = fabs(p->kp * (goal / p->kgear + p->ext.offset - q));
  return rig->voltage * (1.0 - rig->foreign.sag * fmin(duty, 1.0));
}

/* The motion from a sample to a time, with the goals of `delay_s` ago. */
static void advance(const pendulum_rig *rig, const sn_servo_params *p,
                    const sn__log_sample *samples, size_t now_index, size_t count, double to_s,
                    double *q, double *qd) {
  const double inertia =
      (rig->load.mass_kg + rig->load.arm_kg / 3.0) * rig->load.length_m * rig->load.length_m;
  const double torque = 9.80665 * rig->load.length_m * (rig->load.mass_kg + 0.5 * rig->load.arm_kg);
  for (double t = samples[now_index].time_s; t < to_s - 0.5 * STEP_S; t += STEP_S) {
    const double sent_s = t - p->ext.delay_s;
    const sn__log_sample *sent = sent_before(samples, now_index, sent_s);
    const double before = *qd;
    *q += 0.5 * STEP_S * before;
    sn_servo_params now = servo_at(rig, p, (double)now_index / (double)count, *q);
    double goal = goal_of_step(samples, sent, now_index, sent_s);
    if (sent->is_limp) { /* no drive, no back-EMF */
      now.alpha[0] -= now.ext.back_emf;
      goal = now.kgear * (*q - now.ext.offset);
    }
    const sn_servo_load load = {inertia,
                                -torque * sin(*q + rig->servo.zero_rad - rig->load.hangs_rad) -
                                    rig->foreign.cogging_Nm * sin(30.0 * *q)};
    const double volts = supply_at(rig, &now, goal, *q);
    *qd += STEP_S * sn_servo_accel(&now, volts, goal, *q, *qd, &load, 0.0);
    *qd = *qd * before < 0.0 ? 0.0 : *qd; /* it stops before it turns round */
    *q += 0.5 * STEP_S * *qd;
  }
}

void pendulum_rig_log(const pendulum_rig *rig, sn_random *random, sn__log_sample *samples,
                      size_t count) {
  sn_servo_params p = rig->servo.params;
  p.kp *= rig->gain;
  double q = 0.0;
  double qd = 0.0;
  const double kept = rig->colour_s > 0.0 ? exp(-rig->period_s / rig->colour_s) : 0.0;
  double noise = sn_random_normal(random);
  double t = 0.0;
  for (size_t i = 0; i < count; i++) {
    const double late_s =
        rig->time_noise_s > 0.0 ? rig->time_noise_s * sn_random_normal(random) : 0.0;
    samples[i] = (sn__log_sample){.time_s = t,
                                  .position = q + rig->noise_rad * noise - late_s * qd,
                                  .goal = goal_at(rig, t),
                                  .voltage = rig->voltage,
                                  .velocity = (double)NAN,
                                  .duty = (double)NAN,
                                  .is_limp = is_limp_at(rig, t)};
    const double uneven_s =
        rig->jitter_s > 0.0 ? sn_random_between(random, -rig->jitter_s, rig->jitter_s) : 0.0;
    t = (double)(i + 1) * rig->period_s + uneven_s;
    advance(rig, &p, samples, i, count, t, &q, &qd);
    noise = kept * noise + sqrt(1.0 - kept * kept) * sn_random_normal(random);
  }
}

sn__servo_log pendulum_rig_record(const pendulum_rig *rig, sn_random *random,
                                  sn__log_sample *samples, size_t count) {
  pendulum_rig_log(rig, random, samples, count);
  return (sn__servo_log){.path = "log",
                         .motor = "servo",
                         .gain = rig->gain,
                         .voltage = rig->voltage,
                         .load = rig->load,
                         .samples = samples,
                         .count = count};
}

void pendulum_rig_write(const pendulum_rig *rig, const char *motor, const sn__log_sample *samples,
                        size_t count, const char *path) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fprintf(out, "{\"mass\": %g, \"length\": %g, \"kp\": %g, \"vin\": %g, \"motor\": \"%s\", ",
          rig->load.mass_kg, rig->load.length_m, rig->gain, rig->voltage, motor);
  fprintf(out, "\"trajectory\": \"test\", \"entries\": [");
  for (size_t i = 0; i < count; i++) {
    const sn__log_sample *s = &samples[i];
    fprintf(out,
            "%s{\"position\": %.9g, \"speed\": 0, \"load\": 0, \"input_volts\": %g, \"temp\": 30, "
            "\"timestamp\": %.9g, \"goal_position\": %.9g, \"torque_enable\": %s}",
            i == 0 ? "" : ", ", s->position, s->voltage, s->time_s, s->goal,
            s->is_limp ? "false" : "true");
  }
  fprintf(out, "]}");
  fclose(out);
}
