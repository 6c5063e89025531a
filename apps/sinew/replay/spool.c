#include "replay/spool.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

#define BLOCK_SIZE ((size_t)1 << 16)

struct spool_block {
  long at; /* in the file */
  size_t size;
};

bool spool_open(spool *s) {
  *s = (spool){.file = tmpfile()};
  return s->file != NULL;
}

void spool_close(spool *s) {
  fclose(s->file);
}

void spool_text_free(spool_text *text) {
  free(text->pending);
  free(text->blocks);
}

static bool write_pending(spool *s, spool_text *text) {
  struct spool_block *blocks =
      sn__list_grow(text->blocks, &text->block_room, text->block_count + 1, sizeof *text->blocks);
  const long at = ftell(s->file);
  if (blocks == NULL || at < 0 || fwrite(text->pending, 1, text->used, s->file) != text->used) {
    return false;
  }
  text->blocks = blocks;
  text->blocks[text->block_count++] = (struct spool_block){at, text->used};
  text->used = 0;
  return true;
}

void spool_put(spool *s, spool_text *text, const char *bytes, size_t size) {
  if (text->pending == NULL) {
    text->pending = malloc(BLOCK_SIZE);
    s->failed = s->failed || text->pending == NULL;
  }
  while (size > 0 && !s->failed) {
    const size_t room = BLOCK_SIZE - text->used;
    const size_t part = size < room ? size : room;
    memcpy(text->pending + text->used, bytes, part);
    text->used += part;
    bytes += part;
    size -= part;
    s->failed = text->used == BLOCK_SIZE && !write_pending(s, text);
  }
}

bool spool_copy(spool *s, const spool_text *text, FILE *out) {
  char *block = malloc(BLOCK_SIZE);
  bool is_good = block != NULL && !s->failed;
  for (size_t i = 0; is_good && i < text->block_count; i++) {
    const struct spool_block *from = &text->blocks[i];
    is_good = fseek(s->file, from->at, SEEK_SET) == 0 &&
              fread(block, 1, from->size, s->file) == from->size &&
              fwrite(block, 1, from->size, out) == from->size;
  }
  free(block);
  return is_good && (text->used == 0 || fwrite(text->pending, 1, text->used, out) == text->used);
}
