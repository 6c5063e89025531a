#include <string.h>

#include "msg/copy.h"
#include "msg/msg_names_internal.h"
#include "sinew/fault.h"
#include "sinew/msg.h"

const char *sn_msg_names_at(const sn_msg_names *list, size_t index) {
  SN_ASSERT(index < list->count);
  return list->table != NULL ? sn_names_at(list->table, index) : list->text + list->starts[index];
}

int sn__msg_names_index(const sn_msg_names *list, const char *text) {
  if (list->table != NULL) {
    return sn_names_index(list->table, text);
  }
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->text + list->starts[i], text) == 0) {
      return (int)i;
    }
  }
  return -1;
}

void sn_msg_names_clear(sn_msg_names *list) {
  list->table = NULL;
  list->count = 0;
  list->text_count = 0;
}

void sn_msg_names_share(sn_msg_names *list, const sn_names *table) {
  sn_msg_names_clear(list);
  list->table = table;
  list->count = table == NULL ? 0 : sn_names_count(table);
}

sn_status sn_msg_names_add(sn_msg_names *list, const char *text, size_t length) {
  const size_t count = list->table != NULL ? 0 : list->count;
  if (count == list->capacity || length >= list->text_capacity - list->text_count) {
    return SN_ENOSPC;
  }
  if (list->table != NULL) {
    sn_msg_names_clear(list);
  }
  char *end = list->text + list->text_count;
  if (length > 0) {
    memcpy(end, text, length);
  }
  end[length] = '\0';
  list->starts[list->count++] = (uint32_t)list->text_count;
  list->text_count += length + 1;
  return SN_OK;
}

sn_status sn_msg_names_copy(sn_msg_names *list, const sn_msg_names *from) {
  if (!sn__msg_names_fits(list, from)) {
    return SN_ENOSPC;
  }
  sn__msg_names_take(list, from);
  return SN_OK;
}

bool sn__msg_names_equal(const sn_msg_names *a, const sn_msg_names *b) {
  if (a->count != b->count) {
    return false;
  }
  if (a->table == NULL && b->table == NULL) {
    /* Both are packed in the order of the names, so equal bytes mean equal names. */
    return a->text_count == b->text_count &&
           (a->text_count == 0 || memcmp(a->text, b->text, a->text_count) == 0);
  }
  if (a->table == b->table) {
    return true;
  }
  for (size_t i = 0; i < a->count; i++) {
    if (strcmp(sn_msg_names_at(a, i), sn_msg_names_at(b, i)) != 0) {
      return false;
    }
  }
  return true;
}
