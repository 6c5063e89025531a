#include "controllers/guided/leader_map.h"

#include <math.h>

#include "base/fail.h"

const sn_property sn__leader_item_table[] = {
    SN_PROPERTY(sn__leader_item, "leader", leader, .flags = SN_PROPERTY_REQUIRED,
                .doc = "Name of a joint in the messages of the leader."),
    SN_PROPERTY(sn__leader_item, "follower", follower,
                .doc = "The joint that it drives; empty: the one of the same name."),
    SN_PROPERTY(sn__leader_item, "scale", scale, .initial = "1", .unit = "", .min = -100,
                .max = 100,
                .doc = "Motion of the follower over that of the leader; negative: in "
                       "the other direction."),
    SN_PROPERTY(sn__leader_item, "offset", offset, .unit = "rad or m", .min = -1e3, .max = 1e3,
                .doc = "Position of the follower when the leader is at zero."),
    {0}};

/* ---- the map ---- */

static sn_status fill_same(const sn_model *model, const char **names, sn__leader_map *map) {
  for (size_t j = 0; j < sn_model_pose_size(model); j++) {
    if (sn_model_joint(model, j)->mimic < 0) {
      names[map->count] = sn_model_joint(model, j)->name;
      map->joints[map->count++] = (sn__leader_joint){.follower = j, .scale = 1.0};
    }
  }
  return SN_OK;
}

static sn_status check_item(const sn_model *model, const sn__leader_item *item, int follower,
                            sn_error *err) {
  const char *name = *item->follower == '\0' ? item->leader : item->follower;
  if (follower < 0) {
    return sn__fail(err, SN_ENOENT, "joints: the robot has no movable joint '%.80s'", name);
  }
  if (sn_model_joint(model, (size_t)follower)->mimic >= 0) {
    return sn__fail(err, SN_EINVAL, "joints: '%.80s' mimics another joint: name that one", name);
  }
  return item->scale != 0.0 ? SN_OK
                            : sn__fail(err, SN_EINVAL, "joints: the scale of '%.80s' is 0", name);
}

static sn_status fill_items(const sn_model *model, const sn_bags *bags, const char **names,
                            sn__leader_map *map, sn_error *err) {
  const sn__leader_item *items = bags->data;
  for (size_t i = 0; i < bags->count; i++) {
    const sn__leader_item *item = &items[i];
    const char *name = *item->follower == '\0' ? item->leader : item->follower;
    const int follower = sn_model_joint_index(model, name);
    const sn_status status = check_item(model, item, follower, err);
    if (status != SN_OK) {
      return status;
    }
    for (size_t k = 0; k < map->count; k++) {
      if (map->joints[k].follower == (size_t)follower) {
        return sn__fail(err, SN_EINVAL, "joints: '%.80s' is driven twice", name);
      }
    }
    names[map->count] = item->leader;
    map->joints[map->count++] = (sn__leader_joint){
        .follower = (size_t)follower, .scale = item->scale, .offset = item->offset};
  }
  return SN_OK;
}

sn_status sn__leader_map_create(sn_arena *arena, const sn_model *model, const sn_bags *items,
                                sn__leader_map *out, sn_error *err) {
  const size_t room = sn_model_pose_size(model) + items->count;
  sn__leader_map map = {.joints = SN_NEW(arena, sn__leader_joint, room),
                        .memory_s = out->memory_s,
                        .timeout_ns = out->timeout_ns};
  const char **names = SN_NEW(arena, const char *, room);
  if (map.joints == NULL || names == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", room);
  }
  sn_status status = items->count == 0 ? fill_same(model, names, &map)
                                       : fill_items(model, items, names, &map, err);
  if (status == SN_OK) {
    status = sn_names_create(arena, names, map.count, &map.names, err);
  }
  if (status == SN_OK && !sn__name_map_init(&map.in_message, arena, map.names)) {
    status = sn__fail(err, SN_ENOMEM, "no memory for %zu joints", map.count);
  }
  if (status == SN_OK) {
    *out = map;
  }
  return status;
}

/* ---- every cycle ---- */

/* What is beyond is not a position of a joint; it would spoil the estimate for good. */
static const double POSITION_MAX = 1e6;

void sn__leader_map_forget(sn__leader_map *map) {
  map->news_ns = 0;
  for (size_t i = 0; i < map->count; i++) {
    map->joints[i].track = (sn__leader_track){0};
  }
}

/* When the joints were there. Without a stamp, or with one of another clock, it is now. */
static int64_t time_of(const sn_joint_state *msg, int64_t now_ns, int64_t timeout_ns) {
  const int64_t age_ns = now_ns - msg->header.stamp_ns;
  const bool is_stamped = msg->header.stamp_ns != 0 && age_ns >= 0 && age_ns <= timeout_ns;
  return is_stamped ? msg->header.stamp_ns : now_ns;
}

static bool is_news(const sn__leader_map *map, const sn_joint_state *msg, int64_t now_ns) {
  bool is_new = now_ns - map->news_ns >= map->timeout_ns / 4;
  for (size_t i = 0; !is_new && i < map->count; i++) {
    const int at = map->in_message.at[i];
    is_new = at >= 0 && msg->position.data[at] != map->joints[i].sample;
  }
  return is_new;
}

sn__read_verdict sn__leader_map_take(sn__leader_map *map, const sn_joint_state *msg, int64_t now_ns,
                                     int *entry) {
  const sn__read_verdict verdict = sn__read_joint_state(&map->in_message, msg, entry);
  if (!sn__read_is_good(verdict) || msg->position.count == 0 || !is_news(map, msg, now_ns)) {
    return verdict;
  }
  const int64_t at_ns = time_of(msg, now_ns, map->timeout_ns);
  for (size_t i = 0; i < map->count; i++) {
    sn__leader_joint *joint = &map->joints[i];
    const int at = map->in_message.at[i];
    if (at >= 0 && fabs(msg->position.data[at]) <= POSITION_MAX) {
      joint->sample = msg->position.data[at];
      sn__leader_track_take(&joint->track, joint->sample, at_ns, map->memory_s, map->timeout_ns);
    }
  }
  map->news_ns = now_ns;
  return verdict;
}

int sn__leader_map_oldest(const sn__leader_map *map, const bool *owned, int64_t now_ns,
                          int64_t *age_ns) {
  int oldest = -1;
  *age_ns = -1;
  for (size_t i = 0; i < map->count; i++) {
    const sn__leader_joint *joint = &map->joints[i];
    const int64_t age = joint->track.is_known ? now_ns - joint->track.at_ns : INT64_MAX;
    if (owned[joint->follower] && age > *age_ns) {
      *age_ns = age;
      oldest = (int)i;
    }
  }
  return oldest;
}

void sn__leader_joint_wants(const sn__leader_map *map, size_t index, int64_t now_ns, double *q,
                            double *qd) {
  const sn__leader_joint *joint = &map->joints[index];
  sn__leader_track_at(&joint->track, now_ns, map->timeout_ns, q, qd);
  *q = joint->scale * *q + joint->offset;
  *qd *= joint->scale;
}
