#include <string.h>

#include "base/fail.h"
#include "msg/wire/msg_json_internal.h"
#include "remote/remote.h"
#include "sinew/msg_wire.h"

sn_status sn__remote_source_open(sn__remote_sources *sources, sn_system *system, const char *port,
                                 sn_source **out, sn_error *err) {
  size_t place = SN__REMOTE_SOURCES_MAX;
  for (size_t i = SN__REMOTE_SOURCES_MAX; i-- > 0;) {
    if (sources->items[i].source == NULL) {
      place = i;
    } else if (strcmp(sources->items[i].port, port) == 0) {
      *out = sources->items[i].source;
      return SN_OK;
    }
  }
  if (place == SN__REMOTE_SOURCES_MAX) {
    return sn__fail(err, SN_ELIMIT, "this client publishes to %d inputs already, the maximum",
                    SN__REMOTE_SOURCES_MAX);
  }
  if (strlen(port) >= SN__REMOTE_PORT_SIZE) {
    return sn__fail(err, SN_ENOENT, "unknown input '%.60s…'", port);
  }
  const sn_status status = sn_source_open(system, port, NULL, &sources->items[place].source, err);
  if (status == SN_OK) {
    memcpy(sources->items[place].port, port, strlen(port) + 1);
    *out = sources->items[place].source;
  }
  return status;
}

void sn__remote_sources_close(sn__remote_sources *sources) {
  for (size_t i = 0; i < SN__REMOTE_SOURCES_MAX; i++) {
    sn_source_close(sources->items[i].source);
    sources->items[i].source = NULL;
  }
}

/* @param status  of reading the message into the source */
static sn_status write_source(sn_source *source, sn_status status, sn_error *err) {
  if (status != SN_OK) {
    return status;
  }
  status = sn_source_write(source);
  if (status == SN_EINVAL) {
    return sn__fail(err, status, "%s: a number is missing or not finite",
                    sn_source_type(source)->name);
  }
  return status == SN_OK ? SN_OK : sn__fail(err, status, "the buffer of the input is full");
}

sn_status sn__remote_publish(sn_source *source, sn__remote_encoding encoding, const void *bytes,
                             size_t size, sn_error *err) {
  const sn_msg_type *type = sn_source_type(source);
  void *msg = sn_source_msg(source);
  const sn_status status = encoding == SN__REMOTE_JSON
                               ? sn_msg_from_json(type, bytes, size, msg, err)
                               : sn_cdr_read(type, bytes, size, msg, err);
  return write_source(source, status, err);
}

sn_status sn__remote_publish_json(sn_source *source, json_t *message, sn_error *err) {
  const sn_status status =
      sn__msg_from_json_tree(sn_source_type(source), message, sn_source_msg(source), err);
  return write_source(source, status, err);
}
