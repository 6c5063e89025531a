#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "remote/remote.h"

sn_status sn__remote_tap_open(sn__remote_taps *taps, sn_system *system, const char *name,
                              sn__remote_tap **out, sn_error *err) {
  for (sn__remote_tap *tap = taps->first; tap != NULL; tap = tap->next) {
    if (strcmp(tap->name, name) == 0) {
      tap->users++;
      *out = tap;
      return SN_OK;
    }
  }
  const size_t size = strlen(name) + 1;
  sn__remote_tap *tap = calloc(1, sizeof *tap + size);
  if (tap == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a stream");
  }
  const sn_status status = sn_tap_open(system, name, NULL, &tap->tap, err);
  if (status != SN_OK) {
    free(tap);
    return status;
  }
  memcpy(tap->name, name, size);
  tap->users = 1;
  tap->next = taps->first;
  taps->first = tap;
  *out = tap;
  return SN_OK;
}

void sn__remote_tap_close(sn__remote_taps *taps, sn__remote_tap *tap) {
  if (tap == NULL || --tap->users > 0) {
    return;
  }
  sn__remote_tap **link = &taps->first;
  while (*link != tap) {
    link = &(*link)->next;
  }
  *link = tap->next;
  sn_tap_close(tap->tap);
  free(tap);
}

void sn__remote_tap_update(sn__remote_tap *tap) {
  /* Before the read, so that a message written meanwhile does not count as dropped. */
  const uint64_t written = sn_tap_counts(tap->tap).written;
  sn_flow flow = SN_NO_DATA;
  const void *msg = sn_tap_read(tap->tap, &flow);
  if (flow == SN_NEW_DATA) {
    tap->serial++;
    tap->written = written;
    tap->msg = msg;
  }
}
