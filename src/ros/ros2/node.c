#include "ros/ros2/node.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ros/ros2/blob.h"
#include "ros/ros2/node_state.h"
#include "ros/ros_transport.h"
#include "sinew/msg_types.h"
#include "sinew/msg_wire.h"

#define MATCHED_NS INT64_C(5000000) /* interval of matched counts */
#define TAKE_MAX 64                 /* samples of one reader per step */

/* ---- while it runs ---- */

static void update_matched(sn__ros2_node *node) {
  node->matched_ns = node->now_ns;
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
    sn__ros2_drop_peers(node, false);
  }
}

/* The reader is empty: every sample that arrived and was not taken is lost. */
static void count_lost(sn__ros2_subscription *s, uint64_t arrived) {
  s->node->counts.lost += arrived - s->taken - s->lost;
  s->lost = arrived - s->taken;
}

static void take_samples(sn__ros2_subscription *s) {
  sn__ros2_node *node = s->node;
  dds_instance_handle_t publisher = 0;
  for (int i = 0; i < TAKE_MAX; i++) {
    const uint64_t arrived = atomic_load_explicit(&s->arrived, memory_order_relaxed);
    const dds_return_t count = sn__blob_take(s->reader, &node->in, &publisher);
    if (count == 0 && s != &node->info) { /* replaced samples there are not lost */
      count_lost(s, arrived);
    }
    if (count <= 0) {
      return;
    }
    if (node->in.used == 0) {
      continue; /* a writer was deleted */
    }
    s->taken++;
    if (s == &node->info) {
      sn__ros2_take_peer(node, publisher);
    } else {
      node->counts.received++;
      s->on_message(s->context, sn__ros2_caller_of(s, publisher), node->in.data, node->in.used);
    }
  }
}

static void step(void *context, int64_t timeout_ns) {
  sn__ros2_node *node = context;
  const dds_return_t count =
      dds_waitset_wait(node->waitset, node->ready, node->subscription_count + 2, timeout_ns);
  bool was_woken = false;
  dds_take_guardcondition(node->guard, &was_woken);
  node->now_ns = sn__monotonic_now_ns();
  if (node->now_ns - node->matched_ns >= MATCHED_NS) {
    update_matched(node);
  }
  sn__ros2_forward_dds_log(node);
  sn__wire_step(node->wire, node->now_ns);
  for (dds_return_t i = 0; i < count; i++) {
    if (node->ready[i] != 0) {                                /* 0 is the guard */
      take_samples((sn__ros2_subscription *)node->ready[i]);  // NOLINT(performance-no-int-to-ptr)
    }
  }
  sn__ros2_send_held(node);
  sn__ros2_take_requests(node);
  sn__ros2_send_responses(node);
}

void sn__ros2_wake(void *context) {
  const sn__ros2_node *node = context;
  dds_set_guardcondition(node->guard, true);
}

static int64_t now_ns(const void *context) {
  return ((const sn__ros2_node *)context)->now_ns;
}

static sn__ros_counts counts(const void *context) {
  return ((const sn__ros2_node *)context)->counts;
}

/* ---- start and stop ---- */

static void get_gid(dds_entity_t entity, sn__ros2_gid *out) {
  dds_guid_t guid;
  *out = (sn__ros2_gid){{0}};
  if (dds_get_guid(entity, &guid) == DDS_RETCODE_OK) {
    memcpy(out->bytes, guid.v, sizeof out->bytes);
  }
}

/* Endpoints of the node; a service has a reader and a writer. */
static size_t list_endpoints(const sn__ros2_node *node, sn__ros2_gid *readers,
                             sn__ros2_gid *writers) {
  size_t reader_count = 0;
  size_t writer_count = 0;
  for (const sn__ros2_subscription *s = node->first_subscription; s != NULL; s = s->next) {
    get_gid(s->reader, &readers[reader_count++]);
  }
  for (const sn__ros2_service *s = node->first_service; s != NULL; s = s->next) {
    readers[reader_count++] = s->reader;
    writers[writer_count++] = s->writer;
  }
  for (const sn__ros2_publication *p = node->first_publication; p != NULL; p = p->next) {
    get_gid(p->writer, &writers[writer_count++]);
  }
  return writer_count;
}

static sn_status announce(void *context, sn_error *err) {
  sn__ros2_node *node = context;
  const size_t reader_count = node->subscription_count + node->service_count;
  const size_t writer_room = node->publication_count + node->service_count;
  sn__ros2_gid *gids = SN_NEW(&node->arena, sn__ros2_gid, reader_count + writer_room + 1);
  node->ready = SN_NEW(&node->arena, dds_attach_t, reader_count + 2);
  if (gids == NULL || node->ready == NULL) {
    return sn__fail(err, SN_ENOMEM, "out of memory");
  }
  const size_t writer_count = list_endpoints(node, gids, gids + reader_count);
  const sn__ros2_info info = {.participant = node->gid,
                              .name_space = node->config.name_space,
                              .node = node->config.name,
                              .readers = gids,
                              .reader_count = reader_count,
                              .writers = gids + reader_count,
                              .writer_count = writer_count,
                              .gid_size = node->config.gid_size};
  node->out.used = 0;
  sn__ros2_info_write(&info, &node->out);
  char user_data[SN__ROS2_NAME_SIZE];
  sn__ros2_info_user_data(node, user_data, sizeof user_data);
  node->info_writer =
      sn__ros2_add_writer(node, SN__ROS2_INFO_TOPIC, SN__ROS2_INFO_TYPE, user_data, true);
  if (!sn__ros2_open_peers(node)) {
    return sn__fail(err, SN_ENOMEM, "cannot subscribe to " SN__ROS2_INFO_TOPIC);
  }
  const dds_return_t result =
      node->info_writer < 0 ? node->info_writer
      : node->out.failed    ? DDS_RETCODE_OUT_OF_RESOURCES
                            : sn__blob_write(node->info_writer, node->out.data, node->out.used);
  return result == DDS_RETCODE_OK
             ? SN_OK
             : sn__fail(err, SN_EIO, "cannot announce the node: %s", dds_strretcode(result));
}

static void destroy(void *context, int64_t patience_ns) {
  sn__ros2_node *node = context;
  (void)patience_ns; /* DDS does not wait */
  if (node == NULL) {
    return;
  }
  if (node->has_pool) {
    sn__remote_pool_end(&node->pool);
  }
  sn__ros2_drop_calls(node);
  sn__ros2_drop_peers(node, true);
  sn__ros2_close_domain(node);
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
  if (node->waitset < 0 || node->guard < 0 ||
      dds_waitset_attach(node->waitset, node->guard, 0) < 0) {
    return sn__fail(err, SN_ENOMEM, "out of memory for DDS");
  }
  status = sn__remote_pool_start(&node->pool, sn__ros2_wake, node, err);
  node->has_pool = status == SN_OK;
  return status;
}

sn_status sn__ros2_node_create(const sn__ros2_config *config, sn__ros2_node **out, sn_error *err) {
  sn__ros2_node *node = calloc(1, sizeof *node);
  *out = NULL;
  if (node == NULL) {
    return sn__fail(err, SN_ENOMEM, "out of memory");
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

const sn__ros_transport sn__ros2_transport = {.destroy = destroy,
                                              .advertise = sn__ros2_advertise,
                                              .subscribe = sn__ros2_subscribe,
                                              .add_service = sn__ros2_add_service,
                                              .add_deferred_service = sn__ros2_add_deferred_service,
                                              .find_service = sn__ros2_find_service,
                                              .announce = announce,
                                              .step = step,
                                              .wake = sn__ros2_wake,
                                              .now_ns = now_ns,
                                              .subscriber_count = sn__ros2_subscriber_count,
                                              .publisher_count = sn__ros2_publisher_count,
                                              .lost = sn__ros2_lost,
                                              .publish = sn__ros2_publish,
                                              .respond = sn__ros2_respond,
                                              .reject = sn__ros2_reject,
                                              .counts = counts,
                                              .write = sn_cdr_write,
                                              .read = sn_cdr_read,
                                              .make = sn_cdr_make};
