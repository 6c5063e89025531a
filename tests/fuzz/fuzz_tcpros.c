/* Fuzzes TCPROS frames and headers. A valid header is written and parsed again, with the same
   fields. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ros/ros1/tcpros.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As strndup(), whose overreads the address sanitizer does not detect. */
static char *text_of(const char *bytes, size_t size) {
  char *text = malloc(size + 1);
  SN_ASSERT(text != NULL);
  for (size_t i = 0; i < size; i++) {
    text[i] = bytes[i];
  }
  text[size] = '\0';
  return text;
}

static void write_again(const sn__tcpros_header *header) {
  sn__bytes text = {0};
  sn__tcpros_header other;
  sn_error err = {SN_OK, ""};
  const size_t start = sn__tcpros_begin(&text);
  bool is_text = true;
  for (size_t i = 0; i < header->count; i++) {
    const sn__tcpros_field *f = &header->fields[i];
    char *name = text_of(f->name, f->name_size);
    char *value = text_of(f->value, f->value_size);
    is_text = is_text && strlen(name) == f->name_size && strlen(value) == f->value_size;
    char room[64];
    if (sn__tcpros_get(header, name, room, sizeof room)) {
      SN_ASSERT(strlen(room) < sizeof room);
    }
    sn__tcpros_put(&text, name, value);
    free(name);
    free(value);
  }
  sn__tcpros_end(&text, start);
  if (is_text) {
    SN_ASSERT(sn__tcpros_parse(text.data + 4, text.used - 4, &other, &err) == SN_OK);
    SN_ASSERT(other.count == header->count);
    for (size_t i = 0; i < other.count; i++) {
      SN_ASSERT(other.fields[i].value_size == header->fields[i].value_size);
    }
  }
  sn__bytes_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *copy = malloc(size == 0 ? 1 : size);
  SN_ASSERT(copy != NULL);
  memcpy(copy, data, size);
  sn_error err = {SN_OK, ""};
  for (size_t at = 0;;) {
    size_t used = 0;
    if (sn__tcpros_frame(copy + at, size - at, 4096, &used, &err) != SN_OK) {
      break;
    }
    SN_ASSERT(used >= 4 && used <= size - at);
    sn__tcpros_header header;
    if (sn__tcpros_parse(copy + at + 4, used - 4, &header, &err) == SN_OK) {
      write_again(&header);
    }
    at += used;
  }
  free(copy);
  return 0;
}
