/* Bytes as a fuzz_input: goals, pushes, faults, settings and cycles of any length in any order.
   Whatever it is, the robot stays finite and within its stops. */
#include <math.h>
#include <string.h>

#include "fuzz_input.h"
#include "plant/plant.h"
#include "sinew/fault.h"
#include "sinew/quat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { JOINTS = 4, CYCLES_MAX = 200 };

#define LINK(name)                                                                 \
  "<link name='" name                                                              \
  "'><inertial><origin xyz='0.1 0 -0.1'/><mass value='0.7'/>"                      \
  "<inertia ixx='0.01' iyy='0.02' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial>" \
  "</link>"

static const char robot[] =
    "<robot name='r'><link name='a'/>" LINK("b") LINK("c") LINK("d") "<link name='e'/>"
    "<joint name='j0' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/>"
    "<limit lower='-1' upper='0.5' effort='3' velocity='2'/></joint>"
    "<joint name='j1' type='continuous'><parent link='b'/><child link='c'/><axis xyz='1 0 1'/>"
    "<origin xyz='0 0 -0.3'/></joint>"
    "<joint name='j2' type='prismatic'><parent link='c'/><child link='d'/><axis xyz='0 0 1'/>"
    "<limit lower='0' upper='0.2' effort='30' velocity='1'/></joint>"
    "<joint name='j3' type='revolute'><parent link='c'/><child link='e'/><axis xyz='0 0 1'/>"
    "<limit lower='-0.1' upper='0.1' effort='3' velocity='1'/>"
    "<mimic joint='j2' multiplier='-1' offset='0.1'/></joint></robot>";

static size_t next_names(fuzz_input *s, sn_msg_names *list) {
  static const char *const names[] = {"j0", "j1", "j2", "j3", "", "j9"};
  const size_t count = next(s) % 6;
  for (size_t i = 0; i < count; i++) {
    const char *name = names[next(s) % 6];
    (void)sn_msg_names_add(list, name, strlen(name));
  }
  return count;
}

static void next_list(fuzz_input *s, size_t usual, sn_seq_f64 *list) {
  const uint8_t kind = next(s);
  list->count = kind % 8 == 0 ? (size_t)(kind / 8) % 8 : usual;
  for (size_t i = 0; i < list->count; i++) {
    list->data[i] = next_number(s);
  }
}

static void take_goals(fuzz_input *s, sn_plant *plant, sn_servo_goal *msg) {
  sn_msg_reset(&sn_servo_goal_type, msg);
  const size_t count = next_names(s, &msg->name);
  next_list(s, count, &msg->goal);
  const uint8_t flags = next(s);
  msg->limp.count = flags > 200 ? flags % 8 : flags % 2 == 0 ? count : 0;
  for (size_t i = 0; i < msg->limp.count; i++) {
    msg->limp.data[i] = (flags >> i & 1) != 0;
  }
  (void)sn__plant_take_goals(plant, msg);
}

static void push(fuzz_input *s, sn_plant *plant, sn_joint_state *msg) {
  sn_msg_reset(&sn_joint_state_type, msg);
  next_list(s, next_names(s, &msg->name), &msg->effort);
  (void)sn__plant_push(plant, msg);
}

static sn_vec3 next_vec3(fuzz_input *s) {
  const double x = next_number(s), y = next_number(s), z = next_number(s);
  return sn_vec3_make(x, y, z);
}

static void push_links(fuzz_input *s, sn_plant *plant, sn_rigid_body_state *msg) {
  static const char *const links[] = {"a", "b", "d", "e", "", "z"};
  sn_msg_reset(&sn_rigid_body_state_type, msg);
  const size_t count = next(s) % 4;
  for (size_t i = 0; i < count; i++) {
    const char *name = links[next(s) % 6];
    (void)sn_msg_names_add(&msg->name, name, strlen(name));
    msg->wrench.data[i] = (sn_spatial){next_vec3(s), next_vec3(s)};
  }
  msg->wrench.count = next(s) > 250 ? count + 1 : count;
  (void)sn__plant_push_links(plant, &msg->name, &msg->wrench);
}

/* Near the ground, in any attitude. */
static void place(fuzz_input *s, sn_plant *plant) {
  const double roll = next(s) / 40.0, pitch = next(s) / 40.0, z = next(s) / 64.0 - 2.0;
  double q[JOINTS];
  for (size_t i = 0; i < JOINTS; i++) {
    q[i] = next_number(s);
    q[i] = isfinite(q[i]) ? q[i] : NAN;
  }
  const sn_pose pose = {sn_mat3_from_rpy(roll, pitch, 0.0), sn_vec3_make(0.0, 0.0, z)};
  (void)sn__plant_place(plant, q, pose, next(s) % 2 == 0);
}

static void change(fuzz_input *s, sn_plant *plant) {
  sn_plant_settings settings;
  sn__plant_settings_init(&settings);
  settings.bus_delay = next(s);
  settings.imu_delay = next(s);
  double *const numbers[] = {
      &settings.goal_timeout_s,     &settings.encoder_step,       &settings.position_noise,
      &settings.velocity_noise,     &settings.effort_noise,       &settings.dropout_rate,
      &settings.message_loss_rate,  &settings.goal_loss_rate,     &settings.battery_voltage,
      &settings.battery_resistance, &settings.current_per_torque, &settings.gravity.x,
      &settings.gravity.z,          &settings.gyro_noise,         &settings.accel_noise,
      &settings.gyro_bias.x,        &settings.accel_bias.z,       &settings.contact_threshold_N};
  *numbers[next(s) % (sizeof numbers / sizeof *numbers)] = next_number(s);
  *numbers[next(s) % (sizeof numbers / sizeof *numbers)] = next_number(s);
  sn__plant_set(plant, &settings);
}

static void check(sn_plant *plant, sn_joint_state *measured) {
  static const double lower[JOINTS] = {-1.0, -INFINITY, 0.0, -0.1 - 1e-12};
  static const double upper[JOINTS] = {0.5, INFINITY, 0.2, 0.1 + 1e-12};
  double voltage, current;
  sn__plant_battery(plant, &voltage, &current);
  SN_ASSERT(voltage > 0.0 && isfinite(voltage) && isfinite(current));
  for (size_t i = 0; i < JOINTS; i++) {
    const double q = sn__plant_q(plant)[i];
    SN_ASSERT(isfinite(q) && q >= lower[i] && q <= upper[i]);
    SN_ASSERT(fabs(sn__plant_qd(plant)[i]) <= 1000.0 && isfinite(sn__plant_tau(plant)[i]));
  }
  const sn_plant_imu imu = sn__plant_read_imu(plant);
  SN_ASSERT(isfinite(sn_vec3_norm(imu.gyro)) && isfinite(sn_vec3_norm(imu.accel)));
  SN_ASSERT(isfinite(sn_vec3_norm(sn__plant_base(plant, NULL, NULL).pos)));
  for (size_t i = 0; i < sn__plant_contact_count(plant); i++) {
    SN_ASSERT(isfinite(sn_vec3_norm(sn__plant_contact_at(plant, i).force_N)));
  }
  if (sn__plant_measure(plant, measured)) {
    SN_ASSERT(sn_msg_is_finite(&sn_joint_state_type, measured));
    SN_ASSERT(measured->name.count == measured->position.count);
  }
}

typedef struct messages {
  sn_servo_goal *goals;
  sn_joint_state *state;
  sn_rigid_body_state *bodies;
} messages;

static void tell(fuzz_input *s, sn_plant *plant, messages *m) {
  for (int cycles = 0; s->size > 0 && cycles < CYCLES_MAX;) {
    const uint8_t what = next(s);
    switch (what % 8) {
      case 0:
        take_goals(s, plant, m->goals);
        break;
      case 1:
        if (what < 128) {
          push(s, plant, m->state);
        } else if (what < 192) {
          push_links(s, plant, m->bodies);
        } else {
          place(s, plant);
        }
        break;
      case 2:
        change(s, plant);
        break;
      case 3:
      case 4:
        sn__plant_set_faults(plant, what / 16 % JOINTS, next(s) % (1U << SN_PLANT_FAULT_COUNT));
        break;
      case 5:
        sn__plant_step(plant, what == 5 ? next_number(s) : 0.01);
        cycles += 10;
        break;
      default:
        sn__plant_step(plant, 0.001);
        cycles++;
        break;
    }
    check(plant, m->state);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "fuzz", 1 << 18);
  const sn_model *model = NULL;
  sn_plant *plant = NULL;
  const sn_model_config model_config = {0};
  SN_ASSERT(sn_model_parse(&arena, robot, sizeof robot - 1, &model_config, NULL, &model, NULL) ==
            SN_OK);
  fuzz_input s = {data, size};
  const sn_plant_box box = {{sn_mat3_from_rpy(0.1, 0.2, 0.3), {0.2, 0.0, 0.0}}, {1.0, 0.5, 0.2}};
  const sn_plant_ground ground = {.slope_x = 0.1, .boxes = &box, .box_count = 1};
  const uint8_t kind = next(&s) % 8;
  const sn_plant_config config = {.dynamics = kind % 4 == 0 ? SN_PLANT_DECOUPLED : SN_PLANT_COUPLED,
                                  .ground = kind % 4 > 1 ? &ground : NULL,
                                  .seed = next(&s)};
  SN_ASSERT(sn__plant_create(&arena, model, &config, &plant, NULL) == SN_OK);
  messages m = {sn_msg_create(&arena, &sn_servo_goal_type, NULL),
                sn_msg_create(&arena, &sn_joint_state_type, NULL),
                sn_msg_create(&arena, &sn_rigid_body_state_type, NULL)};
  SN_ASSERT(m.goals != NULL);
  SN_ASSERT(m.state != NULL);
  SN_ASSERT(m.bodies != NULL);
  tell(&s, plant, &m);
  sn_arena_release(&arena);
  return 0;
}
