#include "guard_rig.h"

#include <stdlib.h>
#include <string.h>

#include "collision/path.h"
#include "gate_case.h"
#include "sinew/msg.h"
#include "sn_test.h"

#define BODY(name, at, shape)                                               \
  "<link name='" name "'><collision><origin xyz='" at "'/><geometry>" shape \
  "</geometry></collision></link>"
#define TURNS(name, parent, child, at, axis)                                           \
  "<joint name='" name "' type='revolute'><origin xyz='" at "'/><parent link='" parent \
  "'/><child link='" child "'/><axis xyz='" axis                                       \
  "'/><limit lower='-2.5' upper='2.5' effort='9' velocity='3'/></joint>"
#define ARM(side, y, out)                                                    \
  BODY(side "_shoulder", "0 " out " 0", "<sphere radius='0.05'/>")           \
  BODY(side "_upper", "0 0 -0.15", "<cylinder radius='0.04' length='0.2'/>") \
  BODY(side "_lower", "0 0 -0.13", "<box size='0.06 0.06 0.2'/>")            \
  BODY(side "_hand", "0 0 -0.08", "<sphere radius='0.05'/>")                 \
  TURNS(side "_1", "trunk", side "_shoulder", "0 " y " 0.4", "0 1 0")        \
  TURNS(side "_2", side "_shoulder", side "_upper", "0 " out " 0", "1 0 0")  \
  TURNS(side "_3", side "_upper", side "_lower", "0 0 -0.28", "0 1 0")       \
  TURNS(side "_4", side "_lower", side "_hand", "0 0 -0.25", "1 0 0")

const char guard_humanoid[] =
    "<robot name='humanoid'>" BODY("pelvis", "0 0 0", "<box size='0.2 0.3 0.1'/>")
        BODY("trunk", "0 0 0.25", "<box size='0.16 0.28 0.34'/>")
            BODY("head", "0 0 0.14", "<sphere radius='0.1'/>")
                TURNS("waist", "pelvis", "trunk", "0 0 0.07", "0 0 1")
                    TURNS("neck", "trunk", "head", "0 0 0.45", "0 0 1")
                        TURNS("nod", "pelvis", "tail", "-0.12 0 0", "0 1 0")
                            BODY("tail", "-0.15 0 0", "<box size='0.2 0.05 0.05'/>")
                                ARM("left", "0.2", "0.06") ARM("right", "-0.2", "-0.06") "</robot>";

static const char *const ROBOTS[] = {"quadruped", "arm6", "arm7", "arm_ur"};
enum { ROBOT_COUNT = sizeof ROBOTS / sizeof *ROBOTS };

/* ---- which robots ---- */

/* Item @p index of SINEW_TEST_ROBOTS. @return how many there are; 0: it is not set */
static size_t listed(size_t index, char *path, size_t size) {
  const char *list = getenv("SINEW_TEST_ROBOTS");
  size_t count = 0;
  while (list != NULL && *list != '\0') {
    const size_t length = strcspn(list, ":");
    if (count++ == index) {
      snprintf(path, size, "%.*s", (int)length, list);
    }
    list += length + (list[length] == ':');
  }
  return count;
}

size_t guard_rig_robot_count(void) {
  char path[512];
  const size_t count = listed(0, path, sizeof path);
  return count > 0 ? count : ROBOT_COUNT + 1;
}

/* ---- opening ---- */

static sn__collision *make_checker(guard_rig *rig, const sn__collision_config *config) {
  sn__collision *collision = NULL;
  sn_error err = {0};
  const sn_status status =
      sn__collision_create(&rig->arena, rig->model, config, NULL, &collision, &err);
  if (status != SN_OK && status != SN_ENOENT) {
    fail_msg("%s", err.message);
  }
  return collision;
}

static sn_gate *make_gate(guard_rig *rig, sn__collision *collision) {
  sn_gate *gate = NULL;
  sn_error err = {0};
  rig->config.source_count = 2;
  rig->config.collision = collision;
  if (sn__gate_create(&rig->arena, rig->model, &rig->config, &gate, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  sn__gate_own(gate, rig->owners, rig->now_ns);
  return gate;
}

/* What each pair keeps, and what moves it. The zero pose comes from the definition of the margin.
 */
static void measure_pairs(guard_rig *rig) {
  const size_t count = sn__collision_pair_count(rig->exact);
  const double margin = sn__gate_collision_margin(rig->guarded);
  rig->margins = SN_NEW(&rig->arena, double, count);
  rig->levers = SN_NEW(&rig->arena, double, count);
  for (size_t i = 0; i < count; i++) {
    sn__near near;
    assert_true(sn__collision_of_pair(rig->exact, i, rig->start, &near));
    rig->margins[i] = fmin(margin, near.distance > 0.0 ? 0.5 * near.distance : margin);
    const sn__path path = sn__collision_path(rig->exact, i);
    for (size_t side = 0; side < 2; side++) {
      for (size_t k = 0; k < path.counts[side]; k++) {
        rig->levers[i] += path.joints[side][k].lever;
      }
    }
  }
}

static bool open_model(guard_rig *rig, const sn__collision_config *config) {
  sn__collision_config checked = *config;
  checked.leaves_out_overlaps = true;
  rig->joint_count = sn_model_pose_size(rig->model);
  assert_true(rig->joint_count <= GUARD_JOINTS_MAX);
  for (size_t i = 0; i < rig->joint_count; i++) {
    const sn_joint *joint = sn_model_joint(rig->model, i);
    rig->start[i] = fmax(joint->lower, fmin(joint->upper, 0.0));
  }
  rig->collision = make_checker(rig, &checked);
  rig->exact = make_checker(rig, &checked);
  if (rig->collision == NULL || sn__collision_pair_capacity(rig->collision) == 0) {
    return false;
  }
  rig->now_ns = 1000 * (int64_t)MS;
  rig->guarded = make_gate(rig, rig->collision);
  rig->plain = make_gate(rig, NULL);
  rig->proof = guard_proof_create(&rig->arena, rig->model, rig->exact);
  measure_pairs(rig);
  rig->msg = sn_msg_create(&rig->arena, &sn_joint_state_type,
                           &(sn_msg_capacity){.item_count = GUARD_JOINTS_MAX, .text_size = 64});
  gate_judge_init(&rig->judge, rig->model, &rig->config);
  return true;
}

static void begin(guard_rig *rig, const char *name, const sn_gate_config *config) {
  memset(rig, 0, sizeof *rig);
  rig->name = name;
  rig->config = config == NULL ? (sn_gate_config){.period_max_s = 0.002} : *config;
  sn_arena_init_growing(&rig->arena, "guard rig", 0);
}

static void load(guard_rig *rig, const char *path) {
  sn_error err = {0};
  if (sn_model_load(&rig->arena, path, &(sn_model_config){0}, NULL, &rig->model, &err) != SN_OK) {
    fail_msg("%s: %s", path, err.message);
  }
}

static void parse(guard_rig *rig, const char *urdf) {
  sn_error err = {0};
  if (sn_model_parse(&rig->arena, urdf, strlen(urdf), NULL, NULL, &rig->model, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
}

bool guard_rig_open(guard_rig *rig, size_t index) {
  char path[512];
  const bool is_listed = listed(index, path, sizeof path) > 0;
  begin(rig, "humanoid", NULL);
  if (is_listed ? strcmp(path, "humanoid") == 0 : index == ROBOT_COUNT) {
    parse(rig, guard_humanoid);
    return open_model(rig, &(sn__collision_config){0});
  }
  if (!is_listed) {
    snprintf(path, sizeof path, "%s/%s.urdf", SINEW_ROBOTS, ROBOTS[index]);
  }
  load(rig, path);
  rig->name = sn_model_name(rig->model);
  return open_model(rig, &(sn__collision_config){.robot_file = path});
}

void guard_rig_open_text(guard_rig *rig, const char *urdf, const sn__collision_config *collision,
                         const sn_gate_config *config) {
  begin(rig, "text", config);
  parse(rig, urdf);
  assert_true(open_model(rig, collision));
}

void guard_rig_close(guard_rig *rig) {
  sn_arena_release(&rig->arena);
}

/* ---- references and commands ---- */

static void say(guard_rig *rig, const double *q, int source) {
  const sn_names *names = sn_model_joint_names(rig->model);
  sn_msg_reset(&sn_joint_state_type, rig->msg);
  size_t count = 0;
  for (size_t i = 0; i < rig->joint_count; i++) {
    const char *name = sn_names_at(names, i);
    if (source < 0 || rig->owners[i] == source) {
      assert_int_equal(sn_msg_names_add(&rig->msg->name, name, strlen(name)), SN_OK);
      rig->msg->position.data[count++] = q[i];
    }
  }
  rig->msg->position.count = count;
}

void guard_rig_take(guard_rig *rig, sn_gate *gate, size_t source, const double *q) {
  say(rig, q, (int)source);
  assert_int_equal(sn__gate_take(gate, source, rig->msg, rig->now_ns), SN_OK);
}

bool guard_rig_place(guard_rig *rig, const double *q) {
  sn_gate *gates[2] = {rig->guarded, rig->plain};
  rig->now_ns += MS;
  for (size_t i = 0; i < 2; i++) {
    sn__gate_restart(gates[i], true, rig->now_ns);
    say(rig, q, -1);
    assert_int_equal(sn__gate_measure(gates[i], rig->msg, rig->now_ns), SN_OK);
    if (sn__gate_step(gates[i], rig->now_ns) == NULL) {
      return false;
    }
  }
  gate_judge_init(&rig->judge, rig->model, &rig->config);
  gate_case_assert_judged(&rig->judge, sn__gate_step(rig->guarded, rig->now_ns), rig->now_ns);
  return true;
}

const double *guard_rig_step(guard_rig *rig) {
  rig->now_ns += MS;
  const sn_gate_command *command = sn__gate_step(rig->guarded, rig->now_ns);
  gate_case_assert_judged(&rig->judge, command, rig->now_ns);
  return command->q;
}

/* ---- poses ---- */

double guard_rig_distance(guard_rig *rig, const double *q) {
  sn__near near;
  assert_true(sn__collision_nearest(rig->exact, q, &near));
  return near.distance;
}

void guard_rig_draw(const guard_rig *rig, sn_random *random, double *q) {
  for (size_t i = 0; i < rig->joint_count; i++) {
    const sn_joint *joint = sn_model_joint(rig->model, i);
    q[i] = sn_random_between(random, fmax(joint->lower, -3.0), fmin(joint->upper, 3.0));
  }
  for (size_t i = 0; i < rig->joint_count; i++) {
    const sn_joint *joint = sn_model_joint(rig->model, i);
    if (joint->mimic >= 0) {
      q[i] = joint->mimic_multiplier * q[joint->mimic] + joint->mimic_offset;
    }
  }
}

double guard_rig_room(guard_rig *rig, const double *q) {
  static const double RANGE_M = 0.1;
  const double margin = sn__gate_collision_margin(rig->guarded);
  const sn__near *list = NULL;
  const size_t count = sn__collision_check(rig->exact, q, RANGE_M, &list);
  double room = INFINITY;
  for (size_t i = 0; i < sn__collision_pair_count(rig->exact); i++) {
    room = fmin(room, (RANGE_M - margin) / rig->levers[i]);
  }
  for (size_t k = 0; k < count; k++) {
    const double keeps = rig->margins[list[k].pair];
    if (list[k].distance <= (keeps < margin ? 1.5 : 2.0) * keeps) {
      return 0.0;
    }
    room = fmin(room, (list[k].distance - keeps) / rig->levers[list[k].pair]);
  }
  return room;
}

bool guard_rig_draw_free(guard_rig *rig, sn_random *random, double *q) {
  double share = 1.0;
  bool is_free = false;
  do {
    guard_rig_draw(rig, random, q);
    for (size_t i = 0; i < rig->joint_count; i++) {
      q[i] = rig->start[i] + share * (q[i] - rig->start[i]);
    }
    is_free = guard_rig_room(rig, q) > 0.0;
    share *= 0.98; /* robots that seldom are free: nearer and nearer to the start */
  } while (share > 1e-3 && !is_free);
  return is_free;
}
