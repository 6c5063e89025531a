#include "ros/ros2/node.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ros/ros2/blob.h"
#include "ros/ros2/dds_log.h"
#include "ros/ros2/node_state.h"
#include "sinew/clock.h"
#include "sinew/msg_cdr.h"
#include "sinew/msg_types.h"

#define LOOK_NS INT64_C(5000000) /* who is there */
#define WRITE_NS DDS_MSECS(10)   /* the longest wait for slow readers */
#define TAKE_MAX 64              /* samples of one reader in a round */

static int64_t real_now_ns(void) {
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  return sn_clock_now_ns(&clock);
}

/* ---- endpoints ---- */

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
                                 const char *user_data, bool is_latched) {
  const dds_entity_t entity = sn__blob_topic(node->participant, topic, type);
  if (entity < 0) {
    return entity;
  }
  dds_qos_t *qos = sn__ros2_qos(is_latched ? 1 : node->config.depth, is_latched, user_data);
  const dds_entity_t writer = dds_create_writer(node->participant, entity, qos, NULL);
  dds_delete_qos(qos);
  return writer;
}

/* Every sample passes here on its way to the reader, before an older one makes room for it. */
static bool note_arrival(const dds_sample_info_t *info, void *context) {
  sn__ros2_subscription *s = context;
  (void)info;
  atomic_fetch_add_explicit(&s->arrived, 1, memory_order_relaxed);
  return true;
}

bool sn__ros2_attach_reader(sn__ros2_node *node, sn__ros2_subscription *s, const char *topic,
                            const char *type, dds_qos_t *qos) {
  const struct dds_topic_filter counter = {
      .mode = DDS_TOPIC_FILTER_SAMPLEINFO_ARG, .f.sampleinfo_arg = note_arrival, .arg = s};
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
                                           const char *user_data, size_t depth) {
  sn__ros2_subscription *s = SN_NEW(&node->arena, sn__ros2_subscription, 1);
  dds_qos_t *qos = sn__ros2_qos(depth, false, user_data);
  const bool is_there = s != NULL && sn__ros2_attach_reader(node, s, topic, type, qos);
  dds_delete_qos(qos);
  if (!is_there) {
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
         sn_msg_type_hash_ros2(type, NULL, hash) == SN_OK &&
         sn__ros2_user_data(NULL, hash, user_data, size);
}

static void *advertise(void *context, const char *topic, const sn_msg_type *type, bool is_latched) {
  sn__ros2_node *node = context;
  char name[SN__ROS2_NAME_SIZE];
  char user_data[SN__ROS2_NAME_SIZE];
  sn__ros2_publication *p = SN_NEW(&node->arena, sn__ros2_publication, 1);
  const dds_entity_t writer =
      p != NULL && describe(topic, type, name, user_data, sizeof name)
          ? sn__ros2_add_writer(node, name, type->dds_name, user_data, is_latched)
          : 0;
  if (writer <= 0) {
    return NULL;
  }
  *p = (sn__ros2_publication){
      .next = node->first_publication,
      .node = node,
      .writer = writer,
      .has_header = type->field_count > 0 && type->fields[0].nested == &sn_header_type,
      .is_latched = is_latched};
  node->first_publication = p;
  node->publication_count++;
  return p;
}

static void *subscribe(void *context, const char *topic, const sn_msg_type *type,
                       sn__graph_take *take, void *take_context) {
  sn__ros2_node *node = context;
  char name[SN__ROS2_NAME_SIZE];
  char user_data[SN__ROS2_NAME_SIZE];
  sn__ros2_subscription *s =
      describe(topic, type, name, user_data, sizeof name)
          ? sn__ros2_add_reader(node, name, type->dds_name, user_data, node->config.input_depth)
          : NULL;
  if (s != NULL) {
    s->take = take;
    s->context = take_context;
  }
  return s;
}

/* A header stands first in the message, behind that of CDR: seconds and nanoseconds. */
static void publish(void *publication, const void *bytes, size_t size, int64_t stamp_ns) {
  const sn__ros2_publication *p = publication;
  sn__ros2_node *node = p->node;
  node->out.used = 0;
  node->out.is_lost = false;
  sn__bytes_put(&node->out, bytes, size);
  if (node->out.is_lost) {
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

static size_t subscriber_count(const void *publication) {
  return ((const sn__ros2_publication *)publication)->subscriber_count;
}

static size_t publisher_count(const void *subscription) {
  return ((const sn__ros2_subscription *)subscription)->publisher_count;
}

static uint64_t lost(const void *subscription) {
  return ((const sn__ros2_subscription *)subscription)->lost;
}

/* ---- while it lives ---- */

static void look_who_is_there(sn__ros2_node *node) {
  node->looked_ns = node->now_ns;
  node->counts.subscribers = node->counts.publishers = 0;
  for (sn__ros2_publication *p = node->first_publication; p != NULL; p = p->next) {
    dds_publication_matched_status_t status;
    p->subscriber_count = dds_get_publication_matched_status(p->writer, &status) == DDS_RETCODE_OK
                              ? status.current_count
                              : 0;
    node->counts.subscribers += p->subscriber_count;
  }
  for (sn__ros2_subscription *s = node->first_subscription; s != NULL; s = s->next) {
    dds_subscription_matched_status_t status;
    s->publisher_count = dds_get_subscription_matched_status(s->reader, &status) == DDS_RETCODE_OK
                             ? status.current_count
                             : 0;
    node->counts.publishers += s->publisher_count;
  }
  dds_subscription_matched_status_t status;
  if (dds_get_subscription_matched_status(node->info.reader, &status) == DDS_RETCODE_OK &&
      status.current_count != node->info.publisher_count) {
    node->info.publisher_count = status.current_count;
    sn__ros2_forget_peers(node, false);
  }
}

/* Nothing is left: of what had arrived, all that was not taken was pushed out. */
static void note_lost(sn__ros2_subscription *s, uint64_t arrived) {
  s->node->counts.lost += arrived - s->taken - s->lost;
  s->lost = arrived - s->taken;
}

static void take_samples(sn__ros2_subscription *s) {
  sn__ros2_node *node = s->node;
  dds_instance_handle_t publisher = 0;
  for (int i = 0; i < TAKE_MAX; i++) {
    const uint64_t arrived = atomic_load_explicit(&s->arrived, memory_order_relaxed);
    const dds_return_t count = sn__blob_take(s->reader, &node->in, &publisher);
    if (count == 0 && s != &node->info) { /* who says it anew takes nothing away */
      note_lost(s, arrived);
    }
    if (count <= 0) {
      return;
    }
    if (node->in.used == 0) {
      continue; /* a writer went */
    }
    s->taken++;
    if (s == &node->info) {
      sn__ros2_take_peer(node, publisher);
    } else if (s->take == NULL) {
      sn__ros2_take_request(s->context, publisher, sn__ros2_caller_of(s, publisher));
    } else {
      node->counts.received++;
      s->take(s->context, sn__ros2_caller_of(s, publisher), node->in.data, node->in.used);
    }
  }
}

static void step(void *context, int64_t timeout_ns) {
  sn__ros2_node *node = context;
  const dds_return_t count =
      dds_waitset_wait(node->waitset, node->ready, node->subscription_count + 2, timeout_ns);
  bool was_woken = false;
  dds_take_guardcondition(node->guard, &was_woken);
  node->now_ns = real_now_ns();
  if (node->now_ns - node->looked_ns >= LOOK_NS) {
    look_who_is_there(node);
  }
  sn__ros2_tell_of_dds(node);
  for (dds_return_t i = 0; i < count; i++) {
    if (node->ready[i] != 0) {                                /* 0 is the guard */
      take_samples((sn__ros2_subscription *)node->ready[i]);  // NOLINT(performance-no-int-to-ptr)
    }
  }
  sn__ros2_answer(node);
}

static void wake(void *context) {
  const sn__ros2_node *node = context;
  dds_set_guardcondition(node->guard, true);
}

static int64_t now_ns(const void *context) {
  return ((const sn__ros2_node *)context)->now_ns;
}

static sn__graph_counts counts(const void *context) {
  return ((const sn__ros2_node *)context)->counts;
}

/* ---- begin and end ---- */

static void get_gid(dds_entity_t entity, sn__ros2_gid *out) {
  dds_guid_t guid;
  *out = (sn__ros2_gid){{0}};
  if (dds_get_guid(entity, &guid) == DDS_RETCODE_OK) {
    memcpy(out->bytes, guid.v, sizeof out->bytes);
  }
}

/* Which endpoints are those of the node; of services both. */
static size_t list_endpoints(const sn__ros2_node *node, sn__ros2_gid *readers,
                             sn__ros2_gid *writers) {
  size_t reader_count = 0;
  size_t writer_count = 0;
  for (const sn__ros2_subscription *s = node->first_subscription; s != NULL; s = s->next) {
    get_gid(s->reader, &readers[reader_count++]);
    if (s->take == NULL) {
      get_gid(((const sn__ros2_service *)s->context)->writer, &writers[writer_count++]);
    }
  }
  for (const sn__ros2_publication *p = node->first_publication; p != NULL; p = p->next) {
    get_gid(p->writer, &writers[writer_count++]);
  }
  return writer_count;
}

static sn_status announce(void *context, sn_error *err) {
  sn__ros2_node *node = context;
  const size_t reader_count = node->subscription_count;
  const size_t writer_room = node->publication_count + node->service_count;
  sn__ros2_gid *gids = SN_NEW(&node->arena, sn__ros2_gid, reader_count + writer_room + 1);
  node->ready = SN_NEW(&node->arena, dds_attach_t, reader_count + 2);
  if (gids == NULL || node->ready == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the node");
  }
  const size_t writer_count = list_endpoints(node, gids, gids + reader_count);
  const sn__ros2_info info = {.participant = node->gid,
                              .space = node->config.space,
                              .node = node->config.name,
                              .readers = gids,
                              .reader_count = reader_count,
                              .writers = gids + reader_count,
                              .writer_count = writer_count,
                              .gid_size = node->config.gid_size};
  node->out.used = 0;
  sn__ros2_info_write(&info, &node->out);
  char user_data[SN__ROS2_NAME_SIZE];
  sn__ros2_user_data(NULL, node->config.gid_size == 16 ? SN__ROS2_INFO_HASH : "", user_data,
                     sizeof user_data);
  node->info_writer =
      sn__ros2_add_writer(node, SN__ROS2_INFO_TOPIC, SN__ROS2_INFO_TYPE, user_data, true);
  if (!sn__ros2_open_peers(node)) {
    return sn__fail(err, SN_ENOMEM, "no memory for what other nodes say of themselves");
  }
  const dds_return_t result =
      node->info_writer < 0 ? node->info_writer
      : node->out.is_lost   ? DDS_RETCODE_OUT_OF_RESOURCES
                            : sn__blob_write(node->info_writer, node->out.data, node->out.used);
  return result == DDS_RETCODE_OK
             ? SN_OK
             : sn__fail(err, SN_EIO, "the node is not announced: %s", dds_strretcode(result));
}

static void destroy(void *context, int64_t patience_ns) {
  sn__ros2_node *node = context;
  (void)patience_ns; /* DDS says goodbye without waiting */
  if (node == NULL) {
    return;
  }
  if (node->has_pool) {
    sn__remote_pool_end(&node->pool);
  }
  sn__ros2_forget_calls(node);
  sn__ros2_forget_peers(node, true);
  if (node->participant > 0) {
    dds_delete(node->participant);
  }
  if (node->domain > 0) {
    dds_delete(node->domain);
  }
  if (node->has_dds_log) {
    sn__dds_log_close();
  }
  sn__bytes_free(&node->in);
  sn__bytes_free(&node->out);
  sn_arena_release(&node->arena);
  free(node);
}

static sn_status start(sn__ros2_node *node, sn_error *err) {
  sn_status status = sn__ros2_open_domain(node, err);
  if (status != SN_OK) {
    return status;
  }
  get_gid(node->participant, &node->gid);
  node->waitset = dds_create_waitset(node->participant);
  node->guard = dds_create_guardcondition(node->participant);
  if (node->waitset < 0 || node->guard < 0 ||
      dds_waitset_attach(node->waitset, node->guard, 0) < 0) {
    return sn__fail(err, SN_ENOMEM, "no memory for DDS");
  }
  status = sn__remote_pool_start(&node->pool, wake, node, err);
  node->has_pool = status == SN_OK;
  return status;
}

sn_status sn__ros2_node_create(const sn__ros2_config *config, sn__ros2_node **out, sn_error *err) {
  sn__ros2_node *node = calloc(1, sizeof *node);
  *out = NULL;
  if (node == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a node");
  }
  node->config = *config;
  node->config.interface = config->interface == NULL ? "" : config->interface;
  node->counts.is_connected = true;
  sn_arena_init_growing(&node->arena, "ros2", 0);
  const sn_status status = start(node, err);
  if (status != SN_OK) {
    destroy(node, 0);
    return status;
  }
  *out = node;
  return SN_OK;
}

const sn__graph_face sn__ros2_face = {.destroy = destroy,
                                      .advertise = advertise,
                                      .subscribe = subscribe,
                                      .offer = sn__ros2_offer,
                                      .offer_late = sn__ros2_offer_late,
                                      .announce = announce,
                                      .step = step,
                                      .wake = wake,
                                      .now_ns = now_ns,
                                      .subscriber_count = subscriber_count,
                                      .publisher_count = publisher_count,
                                      .lost = lost,
                                      .publish = publish,
                                      .answer = sn__ros2_answer_call,
                                      .refuse = sn__ros2_refuse_call,
                                      .counts = counts,
                                      .write = sn_cdr_write,
                                      .read = sn_cdr_read,
                                      .make = sn_cdr_make};
