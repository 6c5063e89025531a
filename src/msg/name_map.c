#include "msg/name_map.h"

#include <math.h>
#include <string.h>

bool sn__name_map_init(sn__name_map *map, sn_arena *arena, const sn_names *table) {
  const size_t count = sn_names_count(table);
  size_t text_capacity = 0;
  for (size_t i = 0; i < count; i++) {
    text_capacity += strlen(sn_names_at(table, i)) + 1;
  }
  *map = (sn__name_map){.table = table,
                        .count = count,
                        .at = SN_NEW(arena, int, count),
                        .text = SN_NEW(arena, char, text_capacity),
                        .text_capacity = text_capacity};
  return map->at != NULL && map->text != NULL;
}

/* ---- names ---- */

static bool is_last_list(const sn__name_map *map, const sn_msg_names *names) {
  if (!map->is_cached || map->is_shared != (names->table == map->table)) {
    return false;
  }
  return map->is_shared || (names->table == NULL && names->text_count == map->text_count &&
                            memcmp(names->text, map->text, map->text_count) == 0);
}

/* A longer list, or one of another table, is looked up every time. */
static void remember(sn__name_map *map, const sn_msg_names *names) {
  map->is_shared = names->table == map->table;
  map->is_cached = map->is_shared || (names->table == NULL && names->count > 0 &&
                                      names->text_count <= map->text_capacity);
  if (map->is_cached && !map->is_shared) {
    memcpy(map->text, names->text, names->text_count);
    map->text_count = names->text_count;
  }
}

/* Most lists are in the order of the table: @p guess is the entry after the last one. */
static int find_entry(const sn__name_map *map, const char *name, size_t guess) {
  return guess < map->count && strcmp(sn_names_at(map->table, guess), name) == 0
             ? (int)guess
             : sn_names_index(map->table, name);
}

void sn__name_map_find(sn__name_map *map, const sn_msg_names *names) {
  if (is_last_list(map, names)) {
    return;
  }
  const bool is_shared = names->table == map->table;
  map->has_unknown = false;
  map->duplicate = -1;
  for (size_t i = 0; i < map->count; i++) {
    map->at[i] = is_shared ? (int)i : -1;
  }
  size_t guess = 0;
  for (size_t i = 0; !is_shared && i < names->count; i++) {
    const int entry = find_entry(map, sn_msg_names_at(names, i), guess);
    if (entry < 0) {
      map->has_unknown = true;
    } else if (map->at[entry] >= 0) {
      map->duplicate = entry;
    } else {
      map->at[entry] = (int)i;
      guess = (size_t)entry + 1;
    }
  }
  remember(map, names);
}

/* ---- numbers ---- */

/* @return where the first number that is not finite is; -1: all are finite */
static int find_not_finite(const sn_seq_f64 *values) {
  for (size_t i = 0; i < values->count; i++) {
    if (!isfinite(values->data[i])) {
      return (int)i;
    }
  }
  return -1;
}

static int entry_at(const sn__name_map *map, int at) {
  for (size_t i = 0; i < map->count; i++) {
    if (map->at[i] == at) {
      return (int)i;
    }
  }
  return -1;
}

static sn__read_verdict judge(const sn__name_map *map, const sn_seq_f64 *const values[3],
                              int *entry) {
  for (size_t k = 0; k < 3; k++) {
    const int at = values[k] == NULL ? -1 : find_not_finite(values[k]);
    if (at >= 0) {
      *entry = entry_at(map, at);
      return SN__READ_NOT_FINITE;
    }
  }
  *entry = map->duplicate;
  return map->duplicate >= 0 ? SN__READ_DUPLICATE
         : map->has_unknown  ? SN__READ_UNKNOWN
                             : SN__READ_GOOD;
}

sn__read_verdict sn__name_map_read(sn__name_map *map, const sn_msg_names *names,
                                   const sn_seq_f64 *required, const sn_seq_f64 *a,
                                   const sn_seq_f64 *b, int *entry) {
  const sn_seq_f64 *const values[3] = {required, a, b};
  int unused = -1;
  entry = entry == NULL ? &unused : entry;
  *entry = -1;
  for (size_t k = 0; k < 3; k++) {
    const bool may_be_empty = k > 0;
    if (values[k] != NULL && values[k]->count != names->count &&
        !(may_be_empty && values[k]->count == 0)) {
      return SN__READ_LENGTHS;
    }
  }
  sn__name_map_find(map, names);
  return judge(map, values, entry);
}

sn__read_verdict sn__read_joint_state(sn__name_map *map, const sn_joint_state *msg, int *entry) {
  return sn__name_map_read(map, &msg->name, &msg->position, &msg->velocity, &msg->effort, entry);
}

sn__read_verdict sn__read_servo_goal(sn__name_map *map, const sn_servo_goal *msg) {
  const size_t n = msg->name.count;
  const bool has_goals = msg->goal.count > 0, has_limp = msg->limp.count > 0;
  if (n == 0 || (has_limp && msg->limp.count != n) || (!has_goals && !has_limp)) {
    return SN__READ_LENGTHS;
  }
  return sn__name_map_read(map, &msg->name, NULL, &msg->goal, NULL, NULL);
}

size_t sn__name_map_sort(const sn__name_map *map, const sn_seq_f64 *values, double *sorted) {
  size_t written = 0;
  for (size_t i = 0; i < map->count; i++) {
    if (map->at[i] >= 0 && (size_t)map->at[i] < values->count) {
      sorted[i] = values->data[map->at[i]];
      written++;
    }
  }
  return written;
}

const char *sn__read_verdict_text(sn__read_verdict verdict) {
  static const char *const texts[] = {
      [SN__READ_GOOD] = "good",
      [SN__READ_UNKNOWN] = "unknown names are ignored",
      [SN__READ_LENGTHS] = "names and values differ in number",
      [SN__READ_NOT_FINITE] = "a number is not finite",
      [SN__READ_DUPLICATE] = "a name appears twice",
  };
  return texts[verdict];
}
