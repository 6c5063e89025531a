/* Bytes as a fuzz_input: commands of all kinds, with any numbers, names and frames, in any order.
   Whatever they are, the commanded joints stay finite and within their limits. */
#include <math.h>
#include <string.h>

#include "controllers/jog/servo_command.h"
#include "fuzz_input.h"
#include "sinew/fault.h"
#include "sinew/sinew.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { JOINTS = 3, COMMANDS_MAX = 40, CYCLES_MAX = 64 };

static const char robot[] =
    "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><link name='d'/>"
    "<joint name='j0' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>"
    "<limit lower='-1' upper='0.5' effort='3' velocity='2'/></joint>"
    "<joint name='j1' type='continuous'><parent link='b'/><child link='c'/><axis xyz='0 1 0'/>"
    "<origin xyz='0 0 0.3'/></joint>"
    "<joint name='j2' type='prismatic'><parent link='c'/><child link='d'/><axis xyz='1 0 0'/>"
    "<origin xyz='0.2 0 0'/><limit lower='0' upper='0.2' effort='30' velocity='1'/></joint>"
    "</robot>";

typedef struct target {
  sn_arena arena;
  const sn_model *model;
  const sn_chain *chain;
  sn__world world;
  sn__tool_servo *servo;
  sn_twist_stamped *twist;
  sn_pose_stamped *pose;
  sn_joint_jog *jog;
  double qd[JOINTS];
} target;

static void next_frame(fuzz_input *s, sn_msg_text *frame) {
  static const char *const names[] = {"", "tool", "a", "c", "d", "nowhere"};
  (void)sn_msg_text_set(frame, names[next(s) % 6]);
}

static sn_vec3 next_vector(fuzz_input *s) {
  const double x = next_number(s);
  const double y = next_number(s);
  return (sn_vec3){x, y, next_number(s)};
}

static void next_joints(fuzz_input *s, sn_joint_jog *msg) {
  static const char *const names[] = {"j0", "j1", "j2", "", "j9"};
  const size_t count = next(s) % 4;
  sn_msg_reset(&sn_joint_jog_type, msg);
  for (size_t i = 0; i < count; i++) {
    const char *name = names[next(s) % 5];
    (void)sn_msg_names_add(&msg->joint_names, name, strlen(name));
    msg->velocities.data[msg->velocities.count++] = next_number(s);
  }
  msg->duration = next(s) % 4 == 0 ? next_number(s) : 0.0;
  msg->displacements.count = next(s) % 16 == 0 ? 1 : 0;
}

static void next_command(fuzz_input *s, target *t, const sn__jog_context *context,
                         sn__jog_command *command) {
  switch (next(s) % 4) {
    case 0:
      t->twist->twist = (sn_spatial){next_vector(s), next_vector(s)};
      next_frame(s, &t->twist->header.frame_id);
      (void)sn__jog_read_twist(context, t->twist, command);
      break;
    case 1:
      t->pose->pose = (sn_msg_pose){next_vector(s), {0.0, 0.0, 0.0, 1.0}};
      next_frame(s, &t->pose->header.frame_id);
      (void)sn__jog_read_pose(context, t->pose, command);
      break;
    case 2:
      next_joints(s, t->jog);
      (void)sn__jog_read_joints(context, t->jog, t->qd, command);
      break;
    default:
      *command = (sn__jog_command){0};
  }
}

static void open_target(target *t) {
  static const sn_otg_limits limits[JOINTS] = {{2, 8, 80}, {1, 4, 40}, {1, 4, 40}};
  sn_arena_init_growing(&t->arena, "fuzz", 0);
  SN_ASSERT(sn_model_parse(&t->arena, robot, strlen(robot), NULL, NULL, &t->model, NULL) == SN_OK);
  SN_ASSERT(sn_chain_create(&t->arena, t->model, "a", "d", &t->chain, NULL) == SN_OK);
  SN_ASSERT(sn__world_create(&t->world, &t->arena, t->model, NULL) == SN_OK);
  const sn__tool_servo_config config = {.chain = t->chain,
                                        .joints = limits,
                                        .linear = {0.25, 1.0, 10.0},
                                        .angular = {1.0, 4.0, 40.0}};
  SN_ASSERT(sn__tool_servo_create(&t->arena, &config, &t->servo, NULL) == SN_OK);
  t->twist = sn_msg_create(&t->arena, &sn_twist_stamped_type, NULL);
  t->pose = sn_msg_create(&t->arena, &sn_pose_stamped_type, NULL);
  t->jog = sn_msg_create(&t->arena, &sn_joint_jog_type, NULL);
  SN_ASSERT(t->twist != NULL && t->pose != NULL && t->jog != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_input s = {data, size};
  target t = {.model = NULL};
  double q[JOINTS] = {0.0, 0.5, 0.1};
  double qd[JOINTS] = {0.0};
  open_target(&t);
  sn__tool_servo_begin(t.servo, q);
  sn__jog_command command = {0};
  for (int k = 0; k < COMMANDS_MAX && s.size > 0; k++) {
    sn__world_update(&t.world, q);
    const sn__jog_context context = {.model = t.model,
                                     .chain = t.chain,
                                     .world = &t.world,
                                     .tool = sn_chain_fk(t.chain, q),
                                     .timeout_ns = 200000000};
    next_command(&s, &t, &context, &command);
    const int cycles = next(&s) % CYCLES_MAX;
    for (int i = 0; i < cycles; i++) {
      sn__servo_command now = sn__jog_command_now(&command, &context);
      now.speed = 1.0;
      (void)sn__tool_servo_step(t.servo, 1e-3, &now, q, qd);
      for (size_t j = 0; j < JOINTS; j++) {
        SN_ASSERT(isfinite(q[j]) && isfinite(qd[j]));
        SN_ASSERT(q[j] >= t.chain->lower[j] && q[j] <= t.chain->upper[j]);
      }
    }
  }
  sn_arena_release(&t.arena);
  return 0;
}
