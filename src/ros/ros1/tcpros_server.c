/* Whoever connects to our port of TCPROS says first what it wants: a topic or a service. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ros/ros1/node_state.h"

sn_status sn__tcpros_refuse(sn__link *link, sn_error *err, const char *reason) {
  sn__bytes header = {0};
  const size_t start = sn__tcpros_begin(&header);
  sn__tcpros_put(&header, "error", reason);
  sn__tcpros_end(&header, start);
  if (!header.is_lost) {
    sn__link_send(link, header.data, header.used);
  }
  sn__bytes_free(&header);
  return sn__fail(err, SN_EINVAL, "%s", reason);
}

static sn_status take_header(sn__link *link, sn_error *err) {
  sn__ros1_node *node = link->owner;
  size_t used = 0;
  sn_status status =
      sn__tcpros_frame(link->in.data, link->in.used, SN__TCPROS_HEADER_MAX, &used, err);
  if (status != SN_OK) {
    return status == SN_EBUSY ? SN_OK : status;
  }
  sn__tcpros_header header;
  status = sn__tcpros_parse(link->in.data + 4, used - 4, &header, err);
  char name[SN__ROS1_NAME_SIZE];
  if (status != SN_OK) {
    return sn__tcpros_refuse(link, err, err->message);
  }
  const bool is_service = sn__tcpros_get(&header, "service", name, sizeof name);
  status = is_service ? sn__service_join(node, link, &header, err)
                      : sn__publication_join(node, link, &header, err);
  if (status == SN_OK) {
    sn__bytes_drop(&link->in, used);
    return link->in.used > 0 ? link->role->input(link, err) : SN_OK;
  }
  return status;
}

static void nothing(sn__link *link) {
  (void)link;
}

static const sn__link_role role = {.connected = nothing, .input = take_header, .closed = nothing};

const sn__link_role *sn__tcpros_accept(void *node, sn__link *link) {
  link->owner = node;
  return &role;
}
