/* Measurements of the encoders, and their losses. */
#include <math.h>
#include <string.h>

#include "plant/plant.h"
#include "plant/plant_state.h"

static const double NOISY = 0.02; /* rad or m */

static double with_noise(sn_plant *p, double x, double deviation) {
  return deviation > 0.0 ? x + deviation * sn_random_normal(&p->noise) : x;
}

static bool has_fault(const sn_plant *p, size_t i, sn_plant_fault fault) {
  return (p->faults[i] & fault) != 0;
}

/* Draw noise for frozen encoders, too: a fault must not change the noise of the others. */
static double encode(sn_plant *p, size_t i) {
  const double step = p->settings.encoder_step;
  double q = with_noise(p, p->q[i], p->settings.position_noise);
  if (has_fault(p, i, SN_PLANT_NOISY)) {
    q += NOISY * sn_random_normal(&p->disturbance);
  }
  return has_fault(p, i, SN_PLANT_FROZEN) ? p->frozen_at[i]
         : step > 0.0                     ? step * round(q / step)
                                          : q;
}

void sn__plant_set_faults(sn_plant *p, size_t joint, unsigned faults) {
  if ((faults & SN_PLANT_FROZEN) != 0 && !has_fault(p, joint, SN_PLANT_FROZEN)) {
    p->frozen_at[joint] = encode(p, joint);
  }
  p->faults[joint] = faults;
}

/* @return how many servos are in this message */
static size_t draw_absent(sn_plant *p) {
  size_t present = 0;
  for (size_t i = 0; i < p->joint_count; i++) {
    p->is_absent[i] =
        sn__plant_happens(p, p->settings.dropout_rate) || has_fault(p, i, SN_PLANT_SILENT);
    present += !p->is_absent[i];
  }
  return present;
}

/* Names of an incomplete message are copied. A name that does not fit is omitted, too. */
static void write_names(sn_plant *p, size_t present, sn_msg_names *names) {
  const sn_names *joints = sn_model_joint_names(p->model);
  if (present == p->joint_count) {
    sn_msg_names_share(names, joints);
    return;
  }
  sn_msg_names_clear(names);
  for (size_t i = 0; i < p->joint_count; i++) {
    const char *name = sn_names_at(joints, i);
    if (!p->is_absent[i]) {
      p->is_absent[i] = sn_msg_names_add(names, name, strlen(name)) != SN_OK;
    }
  }
}

bool sn__plant_measure(sn_plant *p, sn_joint_state *out) {
  const size_t present = draw_absent(p);
  const bool is_lost = sn__plant_happens(p, p->settings.message_loss_rate) || present == 0;
  p->counts.measured++;
  p->counts.measured_lost += is_lost;
  size_t at = 0;
  if (!is_lost) {
    p->counts.dropouts += p->joint_count - present;
    write_names(p, present, &out->name);
  }
  for (size_t i = 0; i < p->joint_count; i++) {
    const double q = encode(p, i);
    const double speed = has_fault(p, i, SN_PLANT_FROZEN) ? 0.0 : p->qd[i];
    const double qd = with_noise(p, speed, p->settings.velocity_noise);
    const double tau = with_noise(p, p->tau[i], p->settings.effort_noise);
    if (!is_lost && !p->is_absent[i]) {
      out->position.data[at] = q;
      out->velocity.data[at] = qd;
      out->effort.data[at++] = tau;
    }
  }
  if (!is_lost) {
    out->position.count = at;
    out->velocity.count = p->settings.omit_velocity ? 0 : at;
    out->effort.count = p->settings.omit_effort ? 0 : at;
  }
  return !is_lost;
}
