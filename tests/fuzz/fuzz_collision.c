/* Fuzzes what comes to a checker from outside: SRDF, the objects of a world as a file, or an object
   as a message ('m'); the first byte chooses. Whatever the bytes, there is a verdict, and a checker
   that comes out gives finite distances. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "collision/collision.h"
#include "gate/world_message.h"
#include "sinew/fault.h"
#include "sinew/msg_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char ROBOT[] =
    "<robot name='r'><link name='a'><collision><geometry><box size='1 1 1'/></geometry>"
    "</collision></link><link name='b'/><link name='c'><collision><geometry><cylinder "
    "radius='0.1' length='1'/></geometry></collision></link>"
    "<joint name='i' type='prismatic'><parent link='a'/><child link='b'/><axis xyz='1 0 0'/>"
    "<limit lower='-2' upper='2' effort='1' velocity='1'/></joint>"
    "<joint name='j' type='revolute'><parent link='b'/><child link='c'/><axis xyz='0 1 0'/>"
    "<limit lower='-2' upper='2' effort='1' velocity='1'/></joint></robot>";

static void check_distances(sn__collision *collision) {
  const double q[2] = {1.5, 0.3};
  sn__near near;
  if (sn__collision_nearest(collision, q, &near)) {
    SN_ASSERT(isfinite(near.distance));
    SN_ASSERT(sn__collision_name(collision, near.link_b) != NULL);
  }
}

static void check(sn_arena *arena, const sn_model *model, const sn__collision_config *config,
                  sn_report *report) {
  sn__collision *collision = NULL;
  sn_error err;
  if (sn__collision_create(arena, model, config, report, &collision, &err) == SN_OK) {
    check_distances(collision);
  } else {
    SN_ASSERT(!sn__text_has_control(err.message));
  }
}

/* An object comes, changes the distances or is refused, and goes. */
static void check_message(sn_arena *arena, const sn_model *model, const char *text, size_t size) {
  const sn__collision_config config = {.sample_count = 2, .object_capacity = 1};
  sn__collision *collision = NULL;
  sn_world_object *msg = sn_msg_create(arena, &sn_world_object_type, NULL);
  sn__object object;
  sn_error err;
  SN_ASSERT(sn__collision_create(arena, model, &config, NULL, &collision, &err) == SN_OK);
  if (sn_msg_from_json(&sn_world_object_type, text, size, msg, &err) != SN_OK) {
    return;
  }
  if (sn__world_message_read(msg, &object, &err) != SN_OK ||
      sn__collision_add_object(collision, &object, &err) != SN_OK) {
    SN_ASSERT(!sn__text_has_control(err.message));
    return;
  }
  check_distances(collision);
  SN_ASSERT(sn__collision_remove_object(collision, object.name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) {
    return 0;
  }
  sn_arena arena, problems;
  sn_arena_init_growing(&arena, "model", 4096);
  sn_arena_init_growing(&problems, "problems", 4096);
  sn_report *report = NULL;
  const sn_model *model = NULL;
  SN_ASSERT(sn_report_create(&problems, &report, NULL) == SN_OK);
  SN_ASSERT(sn_model_parse(&arena, ROBOT, strlen(ROBOT), NULL, NULL, &model, NULL) == SN_OK);
  sn__collision_config config = {.sample_count = 2};
  const char *text = (const char *)data + 1;
  if (data[0] == 'm') {
    check_message(&arena, model, text, size - 1);
  } else if (data[0] % 2 == 0) {
    config.srdf = text;
    config.srdf_size = size - 1;
    check(&arena, model, &config, report);
  } else if (sn_value_parse_yaml(&problems, text, size - 1, "w.yaml", report, &config.world) ==
             SN_OK) {
    check(&arena, model, &config, report);
  }
  sn_arena_release(&problems);
  sn_arena_release(&arena);
  return 0;
}
