#include "replay/recording.h"

#include <stdio.h>

bool recording_open(recording *r, const char *path, const char *topic) {
  *r = (recording){.path = path};
  sn_arena_init_growing(&r->arena, "recording", 0);
  /* Files of other programs may have large messages. */
  const sn_mcap_reader_config config = {.topic = topic, .record_size = (size_t)1 << 24};
  sn_error err;
  if (sn__mcap_reader_load(&r->arena, path, &config, &r->reader, &err) == SN_OK) {
    return true;
  }
  fprintf(stderr, "%s: error: %s\n", path, err.message);
  sn_arena_release(&r->arena);
  return false;
}

void recording_close(recording *r) {
  sn__mcap_reader_close(r->reader);
  sn_arena_release(&r->arena);
}

static void print_problem(const recording *r, const char *severity, const char *text) {
  if (!r->is_quiet) {
    fprintf(stderr, "%s: %s: %s\n", r->path, severity, text);
  }
}

bool recording_next(recording *r, sn_mcap_message *message) {
  for (;;) {
    sn_error err = {SN_OK, ""};
    const sn_status status = sn__mcap_reader_next(r->reader, message, &err);
    if (status == SN_OK) {
      return true;
    }
    if (status == SN_ENOENT) {
      if (!sn__mcap_reader_info(r->reader).is_complete) {
        print_problem(r, "warning",
                      "the file was not closed: what follows its last chunk is missing");
      }
      return false;
    }
    r->is_refused = true;
    print_problem(r, "error", err.message);
    if (status == SN_EUNSUPPORTED || status == SN_EIO) {
      return false; /* print the first fault only */
    }
  }
}
