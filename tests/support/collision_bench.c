#include "collision_bench.h"

#include "loop_rig.h"
#include "sinew/components.h"

/* Two arms with a ball at each end, a metre apart; the mover's names. */
#define MASS                                                                     \
  "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' " \
  "iyz='0'/></inertial>"
#define BALL(name)                                                                \
  "<link name='" name "'>" MASS                                                   \
  "<collision><origin xyz='0 0 0.8'/><geometry><sphere radius='0.1'/></geometry>" \
  "</collision></link>"
#define HINGE(name, child, x)                              \
  "<joint name='" name "' type='revolute'><origin xyz='" x \
  " 0 0'/><parent link='base'/><child link='" child        \
  "'/><axis xyz='0 1 0'/><limit lower='-1.5' upper='1.5' effort='1' velocity='3'/></joint>"
static const char TWO_BALLS[] = "<robot name='balls'><link name='base'/>" BALL("left") BALL("right")
    HINGE("shoulder", "left", "-0.5") HINGE("elbow", "right", "0.5") "</robot>";

void collision_bench_open(collision_bench *b, const char *property, const char *value) {
  memset(b, 0, sizeof *b);
  rig_open(&b->r, MS);
  (void)loop_add_model(&b->r, TWO_BALLS);
  (void)rig_add(&b->r, &sn_timer_component, "timer");
  b->aggregator = rig_add(&b->r, &sn_aggregator_component, "aggregator");
  b->mover = rig_add(&b->r, &aggregator_mover_type, "anna");
  b->mover->joint = -1;
  rig_connect(&b->r, "timer.sync", "aggregator.sync");
  rig_require(&b->r, "aggregator.robot_model", "robot_model");
  rig_connect(&b->r, "anna.out", "aggregator.in_joints");
  rig_set(&b->r, b->aggregator, "collision_margin", "0.01");
  rig_set(&b->r, b->aggregator, property, value);
}

void collision_bench_begin(collision_bench *b) {
  rig_begin(&b->r);
  assert_int_equal(sn_tap_open(b->r.system, "aggregator.collision", NULL, &b->tap, &b->r.err),
                   SN_OK);
}

void collision_bench_close(collision_bench *b) {
  sn_tap_close(b->tap);
  rig_close(&b->r);
}

sn_status collision_bench_call(collision_bench *b, const char *path, const void *request,
                               void *response) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->r.system, path, &caller, &b->r.err), SN_OK);
  const sn_status status = sn_call(&caller, request, response, &b->r.err);
  sn_caller_close(&caller);
  return status;
}

const sn_collision_state *collision_bench_state(collision_bench *b) {
  sn_flow flow = SN_NO_DATA;
  const sn_collision_state *seen = sn_tap_read(b->tap, &flow);
  assert_int_not_equal(flow, SN_NO_DATA);
  return seen;
}

sn_world_object *collision_bench_object(collision_bench *b, const char *name, const char *shape) {
  sn_world_object *object = sn_msg_create(&b->r.arena, &sn_world_object_type, NULL);
  assert_int_equal(sn_msg_text_set(&object->name, name), SN_OK);
  assert_int_equal(sn_msg_text_set(&object->shape, shape), SN_OK);
  return object;
}

void collision_bench_sizes(sn_world_object *object, size_t count, double x, double y, double z) {
  const double sizes[3] = {x, y, z};
  memcpy(object->size.data, sizes, count * sizeof *sizes);
  object->size.count = count;
}

size_t collision_bench_lines(collision_bench *b, const char *text) {
  sn_log_record record;
  char line[300];
  size_t count = 0;
  while (sn_log_read(b->r.log, &record)) {
    sn_log_format(&record, line, sizeof line);
    count += strstr(line, text) != NULL;
  }
  return count;
}
