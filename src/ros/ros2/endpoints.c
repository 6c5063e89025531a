/* Endpoints of a node: DDS readers and writers, and the topics on them. */
#include <string.h>

#include "ros/ros2/blob.h"
#include "ros/ros2/node_state.h"
#include "sinew/msg_types.h"

#define WRITE_NS DDS_MSECS(10) /* longest wait for slow readers */

dds_qos_t *sn__ros2_qos(size_t depth, bool is_latched, const char *user_data) {
  dds_qos_t *qos = dds_create_qos();
  dds_qset_writer_data_lifecycle(qos, false);
  dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, WRITE_NS);
  dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, (int32_t)depth);
  dds_qset_durability(qos, is_latched ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
  if (is_latched) {
    dds_qset_durability_service(qos, 0, DDS_HISTORY_KEEP_LAST, (int32_t)depth, DDS_LENGTH_UNLIMITED,
                                DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
  }
  if (*user_data != '\0') {
    dds_qset_userdata(qos, user_data, strlen(user_data));
  }
  return qos;
}

dds_entity_t sn__ros2_add_writer(sn__ros2_node *node, const char *topic, const char *type,
                                 const char *user_data, size_t kept) {
  const dds_entity_t entity = sn__blob_topic(node->participant, topic, type);
  if (entity < 0) {
    return entity;
  }
  dds_qos_t *qos = sn__ros2_qos(kept > 0 ? kept : node->config.depth, kept > 0, user_data);
  const dds_entity_t writer = dds_create_writer(node->participant, entity, qos, NULL);
  dds_delete_qos(qos);
  return writer;
}

/* A topic filter that sees every sample before the reader's history drops an older one. */
static bool count_arrival(const dds_sample_info_t *info, void *context) {
  sn__ros2_subscription *s = context;
  (void)info;
  atomic_fetch_add_explicit(&s->arrived, 1, memory_order_relaxed);
  return true;
}

bool sn__ros2_attach_reader(sn__ros2_node *node, sn__ros2_subscription *s, const char *topic,
                            const char *type, dds_qos_t *qos) {
  const struct dds_topic_filter counter = {
      .mode = DDS_TOPIC_FILTER_SAMPLEINFO_ARG, .f.sampleinfo_arg = count_arrival, .arg = s};
  dds_entity_t entity = sn__blob_topic(node->participant, topic, type);
  const dds_return_t counts = entity < 0 ? 0 : dds_set_topic_filter_extended(entity, &counter);
  entity = counts < 0 ? counts : entity;
  const dds_entity_t reader =
      entity < 0 ? entity : dds_create_reader(node->participant, entity, qos, NULL);
  const dds_entity_t condition =
      reader < 0 ? reader : dds_create_readcondition(reader, DDS_ANY_STATE);
  if (condition < 0 || dds_waitset_attach(node->waitset, condition, (dds_attach_t)s) < 0) {
    return false;
  }
  s->node = node;
  s->reader = reader;
  return true;
}

sn__ros2_subscription *sn__ros2_add_reader(sn__ros2_node *node, const char *topic, const char *type,
                                           const char *user_data, bool is_best_effort,
                                           size_t depth) {
  sn__ros2_subscription *s = SN_NEW(&node->arena, sn__ros2_subscription, 1);
  dds_qos_t *qos = sn__ros2_qos(depth, false, user_data);
  if (is_best_effort) {
    dds_qset_reliability(qos, DDS_RELIABILITY_BEST_EFFORT, 0);
  }
  const bool is_attached = s != NULL && sn__ros2_attach_reader(node, s, topic, type, qos);
  dds_delete_qos(qos);
  if (!is_attached) {
    return NULL;
  }
  s->next = node->first_subscription;
  node->first_subscription = s;
  node->subscription_count++;
  return s;
}

/* ---- topics ---- */

static bool describe(const char *topic, const sn_msg_type *type, char *name, char *user_data,
                     size_t size) {
  char hash[SN_MSG_TYPE_HASH_SIZE];
  return sn__ros2_topic_name(topic, name, size) &&
         sn__msg_type_hash_ros2(type, NULL, hash) == SN_OK &&
         sn__ros2_user_data(NULL, hash, user_data, size);
}

void *sn__ros2_advertise(void *context, const char *topic, const sn_msg_type *type, size_t kept) {
  sn__ros2_node *node = context;
  char name[SN__ROS2_NAME_SIZE];
  char user_data[SN__ROS2_NAME_SIZE];
  sn__ros2_publication *p = SN_NEW(&node->arena, sn__ros2_publication, 1);
  const dds_entity_t writer = p != NULL && describe(topic, type, name, user_data, sizeof name)
                                  ? sn__ros2_add_writer(node, name, type->dds_name, user_data, kept)
                                  : 0;
  if (writer <= 0) {
    return NULL;
  }
  *p = (sn__ros2_publication){
      .next = node->first_publication,
      .node = node,
      .writer = writer,
      .has_header = type->field_count > 0 && type->fields[0].nested == &sn_header_type,
      .is_latched = kept > 0};
  node->first_publication = p;
  node->publication_count++;
  return p;
}

void *sn__ros2_subscribe(void *context, const char *topic, const sn_msg_type *type,
                         bool is_best_effort, sn__ros_on_message *on_message,
                         void *message_context) {
  sn__ros2_node *node = context;
  char name[SN__ROS2_NAME_SIZE];
  char user_data[SN__ROS2_NAME_SIZE];
  sn__ros2_subscription *s = describe(topic, type, name, user_data, sizeof name)
                                 ? sn__ros2_add_reader(node, name, type->dds_name, user_data,
                                                       is_best_effort, node->config.input_depth)
                                 : NULL;
  if (s != NULL) {
    s->on_message = on_message;
    s->context = message_context;
  }
  return s;
}

/* A message with a header has the stamp after the CDR header: seconds and nanoseconds. */
void sn__ros2_publish(void *publication, const void *bytes, size_t size, int64_t stamp_ns) {
  const sn__ros2_publication *p = publication;
  sn__ros2_node *node = p->node;
  node->out.used = 0;
  node->out.failed = false;
  sn__bytes_put(&node->out, bytes, size);
  if (node->out.failed) {
    return;
  }
  if (p->has_header && size >= 12 && stamp_ns > 0) {
    sn__u32_set(node->out.data + 4, (uint32_t)(stamp_ns / 1000000000));
    sn__u32_set(node->out.data + 8, (uint32_t)(stamp_ns % 1000000000));
  }
  if (sn__blob_write(p->writer, node->out.data, size) == DDS_RETCODE_OK) {
    node->counts.sent++;
  } else {
    node->counts.dropped++;
  }
}

size_t sn__ros2_subscriber_count(const void *publication) {
  return ((const sn__ros2_publication *)publication)->subscriber_count;
}

size_t sn__ros2_publisher_count(const void *subscription) {
  return ((const sn__ros2_subscription *)subscription)->publisher_count;
}

uint64_t sn__ros2_lost(const void *subscription) {
  return ((const sn__ros2_subscription *)subscription)->lost;
}
