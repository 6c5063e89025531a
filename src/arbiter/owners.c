#include "arbiter/owners.h"

#include <string.h>

#include "rt/ports/triple.h"

struct sn_owners {
  sn__triple triple; /* the table the writer fills, the table the reader uses */
  size_t joint_count;
  uint64_t version;
  sn_owner_table tables[SN__TRIPLE_SLOTS];
  const sn_component **last;        /* as last committed; the writer's */
  const sn_component **last_former; /* likewise */
};

sn_owners *sn__owners_create(sn_arena *arena, size_t joint_count) {
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_owners *owners = SN_NEW(arena, sn_owners, 1);
  const sn_component **all =
      SN_NEW(arena, const sn_component *, 2 * (SN__TRIPLE_SLOTS + 1) * joint_count);
  if (owners == NULL || all == NULL) {
    sn_arena_restore(arena, mark);
    return NULL;
  }
  sn__triple_init(&owners->triple);
  owners->joint_count = joint_count;
  for (size_t i = 0; i < SN__TRIPLE_SLOTS; i++) {
    owners->tables[i].owners = all + 2 * i * joint_count;
    owners->tables[i].former = owners->tables[i].owners + joint_count;
  }
  owners->last = all + 2 * SN__TRIPLE_SLOTS * joint_count;
  owners->last_former = owners->last + joint_count;
  return owners;
}

sn_owner_table *sn__owners_prepare(sn_owners *owners) {
  sn_owner_table *table = &owners->tables[owners->triple.back];
  memcpy(table->owners, owners->last, owners->joint_count * sizeof *owners->last);
  table->version = owners->version + 1;
  return table;
}

void sn__owners_commit(sn_owners *owners) {
  const sn_owner_table *table = &owners->tables[owners->triple.back];
  for (size_t j = 0; j < owners->joint_count; j++) {
    if (table->owners[j] != owners->last[j]) {
      owners->last_former[j] = owners->last[j];
      owners->last[j] = table->owners[j];
    }
  }
  memcpy(table->former, owners->last_former, owners->joint_count * sizeof *table->former);
  owners->version = table->version;
  sn__triple_publish(&owners->triple);
}

const sn_owner_table *sn__owners_now(sn_owners *owners) {
  sn__triple_take(&owners->triple);
  return &owners->tables[owners->triple.front];
}
