#include "rt/ports/latest.h"

#include <stdlib.h>

#include "sinew/fault.h"

/* What a write and a take need beside the slots that readers hold. */
enum { SPARE_SLOTS = 2 };

static void dispose_list(sn__retired *what) {
  free(what); /* the first member of the list */
}

/* A copy of the list, with room for more. */
static sn__latest_list *grow_list(const sn__latest_list *old, uint32_t count) {
  sn__latest_list *list = malloc(sizeof *list + count * sizeof list->slots[0]);
  if (list == NULL) {
    return NULL;
  }
  list->retired = (sn__retired){.dispose = dispose_list};
  list->count = old == NULL ? 0 : old->count;
  for (uint32_t i = 0; i < list->count; i++) {
    list->slots[i] = old->slots[i];
  }
  return list;
}

static bool add_slots(sn__latest *latest, sn__latest_list *list, uint32_t count) {
  const uint32_t more = count - list->count;
  sn__latest_slot *slots = SN_NEW(&latest->arena, sn__latest_slot, more);
  for (uint32_t i = 0; slots != NULL && i < more; i++) {
    slots[i].msg = sn_msg_create(&latest->arena, latest->type, &latest->capacity);
    if (slots[i].msg == NULL) {
      return false;
    }
    list->slots[list->count++] = &slots[i];
  }
  return slots != NULL;
}

sn__latest *sn__latest_create(const sn_msg_type *type, const sn_msg_copier *copier,
                              const sn_msg_capacity *capacity) {
  sn__latest *latest = aligned_alloc(alignof(sn__latest), sizeof *latest);
  if (latest != NULL) {
    *latest = (sn__latest){.type = type, .copier = copier, .capacity = *capacity};
    sn_arena_init_growing(&latest->arena, "latest", 0);
  }
  return latest;
}

static void destroy(sn__latest *latest) {
  free(atomic_load(&latest->list));
  sn_arena_release(&latest->arena);
  free(latest);
}

void sn__latest_abandon(sn__latest *latest) {
  if (latest != NULL) {
    latest->is_abandoned = true;
    if (latest->readers == 0) {
      destroy(latest);
    }
  }
}

/* Slots of readers that left remain for others. */
sn_status sn__latest_join(sn__latest *latest, sn__retired **replaced) {
  sn__latest_list *old = atomic_load(&latest->list);
  const uint32_t needed = (uint32_t)latest->readers + 1 + SPARE_SLOTS;
  *replaced = NULL;
  if (old == NULL || old->count < needed) {
    sn__latest_list *list = grow_list(old, needed);
    if (list == NULL || !add_slots(latest, list, needed)) {
      free(list);
      return SN_ENOMEM;
    }
    atomic_store(&latest->list, list);
    *replaced = old == NULL ? NULL : &old->retired;
  }
  latest->readers++;
  return SN_OK;
}

void sn__latest_leave(sn__latest *latest) {
  latest->readers--;
  if (latest->readers == 0 && latest->is_abandoned) {
    destroy(latest);
  }
}

/* One writer: no read-modify-write needed. */
static void increase(_Atomic uint64_t *number) {
  atomic_store_explicit(number, atomic_load_explicit(number, memory_order_relaxed) + 1,
                        memory_order_relaxed);
}

sn_status sn__latest_write(sn__latest *latest, const void *msg) {
  if (atomic_load_explicit(&latest->readers, memory_order_relaxed) == 0) {
    return SN_OK;
  }
  sn__latest_list *list = atomic_load_explicit(&latest->list, memory_order_acquire);
  increase(&latest->written);
  const uint32_t index = sn__latest_find(&latest->word, list->slots, list->count);
  SN_ASSERT(index < list->count);
  if (sn__msg_copier_copy(latest->copier, list->slots[index]->msg, msg) != SN_OK) {
    increase(&latest->lost);
    return SN_ENOSPC;
  }
  sn__latest_publish(&latest->word, list->slots, index);
  return SN_OK;
}
