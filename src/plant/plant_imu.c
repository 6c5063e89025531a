/* The IMU of a simulated robot. Like a real one it integrates: a reading is the mean of a cycle. */
#include "math/rotation.h"
#include "plant/plant.h"
#include "plant/plant_state.h"

static const double DT_MIN_S = 1e-9;

static sn_vec3 velocity_of(const sn_plant *p) {
  return sn_mat3_apply(p->base.pose_world_base.rot, p->base.twist.lin);
}

void sn__plant_imu_begin(sn_plant *p) {
  p->imu.start_pose = p->base.pose_world_base;
  p->imu.start_velocity = velocity_of(p);
}

void sn__plant_imu_end(sn_plant *p, double dt_s) {
  if (dt_s < DT_MIN_S) {
    return; /* a mean of nothing: the last reading stays */
  }
  const sn_mat3 rot = p->base.pose_world_base.rot;
  const sn_vec3 turned = sn_mat3_log(sn_mat3_mul(sn_mat3_transpose(p->imu.start_pose.rot), rot));
  const sn_vec3 gained = sn_vec3_sub(velocity_of(p), p->imu.start_velocity);
  const sn_vec3 felt = sn_vec3_sub(sn_vec3_scale(gained, 1.0 / dt_s), p->settings.gravity);
  /* In the axes of the middle of the cycle, as the mean of what turns with the base. */
  const sn_mat3 middle =
      sn_mat3_mul(p->imu.start_pose.rot, sn__mat3_exp(sn_vec3_scale(turned, 0.5)));
  p->imu.exact = (sn_plant_imu){rot, sn_vec3_scale(turned, 1.0 / dt_s),
                                sn_mat3_apply_transposed(middle, felt)};
}

void sn__plant_imu_reset(sn_plant *p) {
  sn__plant_imu_begin(p);
  sn__plant_imu_end(p, 1.0);
  for (size_t i = 0; i <= SN_PLANT_DELAY_MAX; i++) {
    p->imu.ring[i] = p->imu.exact;
  }
  p->imu.newest = 0;
}

/* Numbers are drawn without noise, too: the same seed gives the same noise of any size. */
static sn_vec3 blur(sn_random *random, sn_vec3 v, sn_vec3 bias, double noise) {
  const double x = sn_random_normal(random), y = sn_random_normal(random),
               z = sn_random_normal(random);
  return sn_vec3_add(v, sn_vec3_add_scaled(bias, noise, sn_vec3_make(x, y, z)));
}

sn_plant_imu sn__plant_read_imu(sn_plant *p) {
  const size_t slots = SN_PLANT_DELAY_MAX + 1;
  const sn_plant_settings *s = &p->settings;
  p->imu.newest = (p->imu.newest + 1) % slots;
  p->imu.ring[p->imu.newest] = p->imu.exact;
  sn_plant_imu out = p->imu.ring[(p->imu.newest + slots - s->imu_delay) % slots];
  out.gyro = blur(&p->imu.noise, out.gyro, s->gyro_bias, s->gyro_noise);
  out.accel = blur(&p->imu.noise, out.accel, s->accel_bias, s->accel_noise);
  return out;
}
