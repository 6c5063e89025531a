/* Messages of the component plant. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "plant/plant_component.h"
#include "rt/components/robot_model_client.h"
#include "sinew/quat.h"

static const char WORLD[] = "odom";

/* ---- constant parts ---- */

static sn_status set_frame(sn_header *header, const char *frame, sn_error *err) {
  return sn_msg_text_set(&header->frame_id, frame) == SN_OK
             ? SN_OK
             : sn__fail(err, SN_ENOSPC, "the name '%.80s' does not fit into a message", frame);
}

static sn_status prepare_truth(sn__plant_component *self, sn_error *err) {
  sn_rigid_body_state *truth = self->base_truth.msg;
  const char *root = sn_model_link(self->model, 0)->name;
  const char *const names[] = {root};
  const sn_names *table = NULL;
  sn_rigid_body_state *placed = self->placed.msg;
  const sn_status status =
      sn_names_create(sn_component_arena(&self->component), names, 1, &table, err);
  sn_msg_names_share(&truth->name, table);
  sn_msg_names_share(&placed->name, table);
  truth->pose.count = truth->twist.count = placed->pose.count = placed->twist.count = 1;
  sn_imu *imu = self->imu.msg;
  return status != SN_OK ? status
         : set_frame(&truth->header, WORLD, err) == SN_OK &&
                 set_frame(&placed->header, WORLD, err) == SN_OK
             ? set_frame(&imu->header, root, err)
             : SN_ENOSPC;
}

static sn_status prepare_feet(sn__plant_component *self, sn_error *err) {
  sn_rigid_body_state *forces = self->contact_forces.msg;
  sn_support_state *contacts = self->contacts.msg;
  const sn_names *feet = sn__plant_foot_names(self->plant);
  const size_t count = sn_names_count(feet);
  if (sn__fits(count, forces->pose.capacity, "feet", err) != SN_OK ||
      sn__fits(count, contacts->support.capacity, "feet", err) != SN_OK) {
    return SN_ENOSPC;
  }
  sn_msg_names_share(&forces->name, feet);
  sn_msg_names_share(&contacts->name, feet);
  sn_msg_names_clear(&contacts->contact);
  for (size_t i = 0; i < count; i++) {
    const char *contact = sn__plant_foot_contact(self->plant, i);
    if (sn_msg_names_add(&contacts->contact, contact, strlen(contact)) != SN_OK) {
      return sn__fail(err, SN_ENOSPC, "the name '%.80s' does not fit into a message", contact);
    }
  }
  forces->pose.count = forces->wrench.count = contacts->support.count = count;
  return set_frame(&forces->header, WORLD, err);
}

sn_status sn__plant_prepare_outputs(sn__plant_component *self, sn_error *err) {
  if (!sn__plant_floats(self->plant)) {
    return SN_OK;
  }
  const sn_status status = prepare_truth(self, err);
  return status == SN_OK ? prepare_feet(self, err) : status;
}

void sn__plant_clear_outputs(sn__plant_component *self) {
  sn_msg_names_clear(&((sn_joint_state *)self->joints_measured.msg)->name);
  sn_msg_names_clear(&((sn_rigid_body_state *)self->base_truth.msg)->name);
  sn_msg_names_clear(&((sn_rigid_body_state *)self->placed.msg)->name);
  sn_msg_names_clear(&((sn_rigid_body_state *)self->contact_forces.msg)->name);
  sn_msg_names_clear(&((sn_support_state *)self->contacts.msg)->name);
}

/* ---- a cycle ---- */

static sn_status write_joints(sn__plant_component *self, int64_t now_ns) {
  sn_joint_state *out = self->joints_measured.msg;
  if (!sn__plant_measure(self->plant, out)) {
    return SN_OK;
  }
  out->header.stamp_ns = now_ns;
  return sn_output_write(&self->joints_measured);
}

static sn_status write_battery(sn__plant_component *self, int64_t now_ns) {
  double voltage, current_A;
  sn__plant_battery(self->plant, &voltage, &current_A);
  sn_battery_state *out = self->battery_state.msg;
  out->header.stamp_ns = now_ns;
  out->voltage = (float)voltage;
  out->current = (float)-current_A;
  out->temperature = out->charge = out->capacity = out->design_capacity = out->percentage = NAN;
  out->power_supply_status = SN_BATTERY_DISCHARGING;
  out->present = true;
  return sn_output_write(&self->battery_state);
}

static sn_status write_truth(sn__plant_component *self, int64_t now_ns) {
  sn_rigid_body_state *out = self->base_truth.msg;
  sn_spatial twist;
  const sn_pose pose = sn__plant_base(self->plant, &twist, NULL);
  out->header.stamp_ns = now_ns;
  out->pose.data[0] = sn_msg_pose_from(pose);
  out->twist.data[0] =
      (sn_spatial){sn_mat3_apply(pose.rot, twist.ang), sn_mat3_apply(pose.rot, twist.lin)};
  return sn_output_write(&self->base_truth);
}

/* Where the robot was placed, once. */
static sn_status write_placed(sn__plant_component *self, int64_t now_ns) {
  sn_rigid_body_state *out = self->placed.msg;
  if (!self->was_placed) {
    return SN_OK;
  }
  self->was_placed = false;
  out->header.stamp_ns = now_ns;
  out->pose.data[0] = sn_msg_pose_from(sn__plant_base(self->plant, NULL, NULL));
  out->twist.data[0] = (sn_spatial){{0, 0, 0}, {0, 0, 0}};
  return sn_output_write(&self->placed);
}

static void set_variance(double *covariance, double deviation) {
  covariance[0] = covariance[4] = covariance[8] = deviation * deviation;
}

static sn_status write_imu(sn__plant_component *self, int64_t now_ns) {
  sn_imu *out = self->imu.msg;
  const sn_plant_imu reading = sn__plant_read_imu(self->plant);
  out->header.stamp_ns = now_ns;
  out->orientation =
      self->imu_orientation ? sn_quat_from_mat3(reading.rot_world_base) : (sn_quat){.w = 1.0};
  out->orientation_covariance[0] = self->imu_orientation ? 0.0 : -1.0;
  out->angular_velocity = reading.gyro;
  out->linear_acceleration = reading.accel;
  set_variance(out->angular_velocity_covariance, self->gyro_noise);
  set_variance(out->linear_acceleration_covariance, self->accel_noise);
  return sn_output_write(&self->imu);
}

static sn_status write_feet(sn__plant_component *self, int64_t now_ns) {
  sn_support_state *contacts = self->contacts.msg;
  sn_rigid_body_state *forces = self->contact_forces.msg;
  contacts->header.stamp_ns = forces->header.stamp_ns = now_ns;
  for (size_t i = 0; i < contacts->support.count; i++) {
    const sn_plant_foot foot = sn__plant_foot_at(self->plant, i);
    contacts->support.data[i] = foot.touches ? 1.0 : 0.0;
    forces->pose.data[i] = (sn_msg_pose){foot.point, {.w = 1.0}};
    forces->wrench.data[i] = (sn_spatial){{0, 0, 0}, foot.force_N};
  }
  const sn_status status = sn_output_write(&self->contacts),
                  other = sn_output_write(&self->contact_forces);
  return status == SN_OK ? other : status;
}

sn_status sn__plant_write_outputs(sn__plant_component *self, int64_t now_ns) {
  typedef sn_status writer(sn__plant_component *, int64_t);
  static writer *const writers[] = {write_joints, write_battery, write_truth,
                                    write_imu,    write_feet,    write_placed};
  enum { ALWAYS = 2 }; /* the others need a floating base */
  const size_t count = sn__plant_floats(self->plant) ? sizeof writers / sizeof *writers : ALWAYS;
  sn_status status = SN_OK;
  for (size_t i = 0; i < count; i++) {
    const sn_status one = writers[i](self, now_ns);
    status = status == SN_OK ? one : status;
  }
  return status;
}
