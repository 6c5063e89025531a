/* A leader that says anything: joints by name, positions, stamps, and pauses. What the follower
   wants of its joints stays finite as long as the leader is. */
#include <math.h>
#include <string.h>

#include "controllers/guided/leader_map.h"
#include "fuzz_input.h"
#include "sinew/fault.h"
#include "sinew/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MESSAGES_MAX = 200 };
static const int64_t MS = 1000000;

static const char robot[] =
    "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>"
    "<joint name='j0' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/>"
    "<limit lower='-1' upper='0.5' effort='3' velocity='2'/></joint>"
    "<joint name='j1' type='continuous'><parent link='b'/><child link='c'/><axis xyz='0 0 1'/>"
    "</joint></robot>";

static void fill(fuzz_input *s, sn_joint_state *msg, int64_t now_ns) {
  static const char *const names[] = {"j0", "j1", "x", ""};
  sn_msg_reset(&sn_joint_state_type, msg);
  const size_t count = next(s) % 4;
  for (size_t i = 0; i < count; i++) {
    const char *name = names[next(s) % 4];
    (void)sn_msg_names_add(&msg->name, name, strlen(name));
    msg->position.data[i] = next_number(s);
  }
  msg->position.count = next(s) % 8 == 0 ? next(s) % 4 : count;
  msg->header.stamp_ns = next(s) % 2 == 0 ? 0 : now_ns + ((int64_t)next(s) - 200) * MS;
}

static void check(const sn__leader_map *map, int64_t now_ns) {
  static const bool owned[] = {true, true};
  int64_t age_ns = 0;
  const int oldest = sn__leader_map_oldest(map, owned, now_ns, &age_ns);
  SN_ASSERT(oldest >= 0 && age_ns >= 0);
  for (size_t i = 0; i < map->count; i++) {
    double q = 0.0, qd = 0.0;
    sn__leader_joint_wants(map, i, now_ns, &q, &qd);
    SN_ASSERT(isfinite(q) && isfinite(qd));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "fuzz", 1 << 16);
  const sn_model *model = NULL;
  const sn_model_config config = {0};
  SN_ASSERT(sn_model_parse(&arena, robot, sizeof robot - 1, &config, NULL, &model, NULL) == SN_OK);
  sn__leader_map map = {.memory_s = 0.02, .timeout_ns = 100 * MS};
  const sn_bags none = {0};
  SN_ASSERT(sn__leader_map_create(&arena, model, &none, &map, NULL) == SN_OK);
  const sn_msg_capacity room = {.item_count = 4, .text_size = 16};
  sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, &room);
  SN_ASSERT(msg != NULL);
  fuzz_input s = {data, size};
  int64_t now_ns = 1000 * MS;
  for (int i = 0; i < MESSAGES_MAX && s.size > 0; i++) {
    now_ns += (int64_t)next(&s) * MS;
    int entry = 0;
    fill(&s, msg, now_ns);
    (void)sn__leader_map_take(&map, msg, now_ns, &entry);
    check(&map, now_ns);
  }
  sn_arena_release(&arena);
  return 0;
}
