/* The system's log on /rosout. The reader of the log adds each line to a ring, from which this
   thread publishes it. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "msg/node/status_msgs.h"
#include "ros/node/node_interfaces.h"
#include "ros/ros_components.h"

#define KEPT 100 /* lines for late subscribers */

void sn__ros2_log(sn_component *component, const sn_log_record *record) {
  const sn__bridge *bridge = (const sn__bridge *)component;
  if (bridge->log != NULL) {
    sn__remote_log_add(bridge->log, record);
  }
}

sn_status sn__node_add_rosout(sn__bridge *bridge, sn_error *err) {
  bridge->interfaces->rosout =
      bridge->transport->advertise(bridge->node, "/rosout", &sn__ros_log_type, KEPT);
  return bridge->interfaces->rosout != NULL ? SN_OK
                                            : sn__fail(err, SN_ENOMEM, "out of memory for /rosout");
}

static uint8_t level_of(sn_log_level level) {
  switch (level) {
    case SN_LOG_DEBUG:
      return 10;
    case SN_LOG_INFO:
      return 20;
    case SN_LOG_WARNING:
      return 30;
    case SN_LOG_ERROR:
      break;
  }
  return 40;
}

static sn_msg_text text_in(char *text, size_t length) {
  return (sn_msg_text){.data = text, .count = length, .capacity = length};
}

/* The logger is `node.component`. */
static void publish_line(sn__bridge *bridge, sn__remote_log_line *line) {
  char name[SN__GRAPH_NAME_SIZE];
  char nothing[] = "";
  const size_t source_size = line->message_at < 2 ? 0 : line->message_at - 2;
  int length = snprintf(name, sizeof name, "%s%s%.*s", bridge->node_name,
                        source_size == 0 ? "" : ".", (int)source_size, line->text);
  length = length < (int)sizeof name ? length : (int)sizeof name - 1;
  char *message = line->text + line->message_at;
  const sn__ros_log msg = {.stamp_ns = sn__bridge_graph_time(bridge, line->now_ns),
                           .level = level_of(line->level),
                           .name = text_in(name, (size_t)length),
                           .msg = text_in(message, strlen(message)),
                           .file = text_in(nothing, 0),
                           .function = text_in(nothing, 0)};
  sn__bridge_publish(bridge, bridge->interfaces->rosout, &sn__ros_log_type, &msg);
}

void sn__node_publish_log(sn__bridge *bridge) {
  struct sn__node_interfaces *interfaces = bridge->interfaces;
  sn__remote_log_line line;
  for (int i = 0;
       i < SN__REMOTE_LOG_LINES && sn__remote_log_get(bridge->log, interfaces->next_line, &line);
       i++) {
    publish_line(bridge, &line);
    interfaces->next_line = line.number + 1;
  }
}
