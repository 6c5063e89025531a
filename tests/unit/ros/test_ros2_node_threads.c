/* A robot as a ROS 2 node and a peer node, each with its own threads: messages in both directions
   and calls, all at once, and a robot that stops meanwhile. Both are in this process, connected by
   fake_dds.c. */
#define _GNU_SOURCE /* usleep() */

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake_wire.h"
#include "msg/types/msg_graph.h"
#include "ros/ros2/blob.h"
#include "ros/ros2/node_state.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_types.h"
#include "sinew/msg_wire.h"
#include "sn_test.h"
#include "stream_rig.h"

enum { SENDER = 7, MS_NS = 1000000 };

/* An unusual domain per process, so that parallel tests do not meet. */
static unsigned test_domain(void) {
  return 100 + (unsigned)getpid() % 100;
}

/* ---- peer node ---- */

typedef struct peer {
  sn__ros2_node *node;
  void *references;
  dds_entity_t requests;
  sn_arena arena;
  sn_joint_state *in, *out;
  stream_record record; /* of joint_states */
  _Atomic uint64_t sent, asked, answered;
  uint64_t unread;
  pthread_t thread;
  atomic_bool may_speak, is_ending;
} peer;

static void take_state(void *context, const char *caller, const void *bytes, size_t size) {
  peer *p = context;
  sn_error err = {SN_OK, ""};
  (void)caller;
  if (sn_cdr_read(&sn_joint_state_type, bytes, size, p->in, &err) != SN_OK ||
      p->in->position.count != STREAM_JOINTS || p->in->velocity.count != STREAM_JOINTS ||
      p->in->effort.count != STREAM_JOINTS) {
    p->unread++;
    return;
  }
  stream_note(&p->record, stream_count_of(p->in->position.data[0]),
              stream_is_good(p->in->position.data, p->in->velocity.data, p->in->effort.data));
}

/* Client, sequence number, success. */
static void take_answer(void *context, const char *caller, const void *bytes, size_t size) {
  peer *p = context;
  const char *at = bytes;
  (void)caller;
  p->answered += size > 4 + SN__ROS2_CALL_HEADER && sn__u32_at(at + 4) == SENDER &&
                 at[4 + SN__ROS2_CALL_HEADER] == 1;
}

static void speak(peer *p) {
  char bytes[8192];
  size_t size = 0;
  const uint64_t count = ++p->sent;
  p->out->position.count = p->out->velocity.count = p->out->effort.count = STREAM_JOINTS;
  for (size_t i = 0; i < STREAM_JOINTS; i++) {
    p->out->position.data[i] = stream_position(count, i);
    p->out->velocity.data[i] = stream_velocity(count, i);
    p->out->effort.data[i] = stream_effort(SENDER, i);
  }
  assert_int_equal(sn_cdr_write(&sn_joint_state_type, p->out, bytes, sizeof bytes, &size), SN_OK);
  sn__ros2_transport.publish(p->references, bytes, size, 0);
  if (count % 10 == 0) {
    char request[4 + SN__ROS2_CALL_HEADER + 1] = {0, 1, 0, 0, SENDER};
    request[4 + SN__ROS2_CALL_HEADER] = 1;
    sn__u32_set(request + 12, (uint32_t)++p->asked);
    assert_int_equal(sn__blob_write(p->requests, request, sizeof request), DDS_RETCODE_OK);
  }
}

static void *live(void *context) {
  peer *p = context;
  while (!atomic_load(&p->is_ending)) {
    sn__ros2_transport.step(p->node, MS_NS);
    if (atomic_load(&p->may_speak)) {
      speak(p);
    }
  }
  return NULL;
}

static void ignore(void *context, sn_log_level level, const char *text, const char *about) {
  (void)context, (void)level, (void)text, (void)about;
}

static sn__ros2_node *create_node_with(const char *name, size_t input_depth) {
  const sn__ros2_config config = {.name_space = "/",
                                  .name = name,
                                  .domain = test_domain(),
                                  .depth = 1000,
                                  .input_depth = input_depth,
                                  .gid_size = 16,
                                  .log = ignore};
  sn__ros2_node *node = NULL;
  sn_error err = {SN_OK, ""};
  assert_int_equal(sn__ros2_node_create(&config, &node, &err), SN_OK);
  return node;
}

static sn__ros2_node *create_node(const char *name) {
  return create_node_with(name, 100000);
}

static void open_peer(peer *p) {
  sn_error err = {SN_OK, ""};
  *p = (peer){0};
  sn_arena_init_growing(&p->arena, "peer", 0);
  p->in = sn_msg_create(&p->arena, &sn_joint_state_type, NULL);
  p->out = sn_msg_create(&p->arena, &sn_joint_state_type, NULL);
  for (size_t i = 0; i < STREAM_JOINTS; i++) {
    char name[16];
    stream_name(i, name, sizeof name);
    assert_int_equal(sn_msg_names_add(&p->out->name, name, strlen(name)), SN_OK);
  }
  p->node = create_node("peer");
  assert_non_null(sn__ros2_transport.subscribe(p->node, "/joint_states", &sn_joint_state_type,
                                               false, take_state, p));
  p->references =
      sn__ros2_transport.advertise(p->node, "/judge/in_joints", &sn_joint_state_type, false);
  p->requests = sn__ros2_add_writer(p->node, "rq/judge/turnRequest",
                                    "std_srvs::srv::dds_::SetBool_Request_", "clientid=7;", false);
  sn__ros2_subscription *answers = sn__ros2_add_reader(
      p->node, "rr/judge/turnReply", "std_srvs::srv::dds_::SetBool_Response_", "", false, 100000);
  assert_non_null(p->references);
  assert_true(p->requests > 0);
  assert_non_null(answers);
  answers->on_message = take_answer;
  answers->context = p;
  assert_int_equal(sn__ros2_transport.announce(p->node, &err), SN_OK);
  assert_int_equal(pthread_create(&p->thread, NULL, live, p), 0);
}

static void join_peer(peer *p) {
  atomic_store(&p->is_ending, true);
  sn__ros2_transport.wake(p->node);
  pthread_join(p->thread, NULL);
}

static void close_peer(peer *p) {
  sn__ros2_transport.destroy(p->node, 0);
  sn_arena_release(&p->arena);
}

/* ---- robot ---- */

static void open_robot(stream_rig *rig) {
  char bridge[160];
  snprintf(bridge, sizeof bridge,
           "ros2: {type: ros2, properties: {domain: %u, rate: 0, depth: 1000, input_depth: 5000}}",
           test_domain());
  stream_rig_open(rig, bridge, 0);
}

/* ---- lost messages ---- */

typedef struct flood {
  sn__ros2_node *node;
  dds_entity_t writer;
  uint64_t sent;
  pthread_t thread;
  atomic_bool is_ended;
} flood;

static void count_one(void *context, const char *caller, const void *bytes, size_t size) {
  (void)caller, (void)bytes, (void)size;
  ++*(uint64_t *)context;
}

static void *write_all(void *context) {
  static const char sample[] = {0, 1, 0, 0, 1, 0, 0, 0, 0};
  flood *f = context;
  for (f->sent = 0; f->sent < 20000; f->sent++) {
    assert_int_equal(sn__blob_write(f->writer, sample, sizeof sample), DDS_RETCODE_OK);
  }
  atomic_store(&f->is_ended, true);
  return NULL;
}

/* A small history and a concurrent writer: each sample is taken or counted as lost. */
SN_TEST(every_sample_is_taken_or_counted_as_lost) {
  sn__ros2_node *node = create_node_with("slow", 8);
  flood f = {.node = create_node("fast")};
  uint64_t taken = 0, quiet = 0;
  sn_error err = {SN_OK, ""};
  void *topic =
      sn__ros2_transport.subscribe(node, "/much", &sn__std_string_type, false, count_one, &taken);
  void *other =
      sn__ros2_transport.subscribe(node, "/none", &sn__std_string_type, false, count_one, &quiet);
  assert_non_null(topic);
  assert_non_null(other);
  assert_int_equal(sn__ros2_transport.announce(node, &err), SN_OK);
  f.writer = sn__ros2_add_writer(f.node, "rt/much", sn__std_string_type.dds_name, "", false);
  assert_true(f.writer > 0);
  assert_int_equal(pthread_create(&f.thread, NULL, write_all, &f), 0);
  do {
    sn__ros2_transport.step(node, MS_NS);
    assert_true(taken + sn__ros2_transport.lost(topic) <= 20000);
  } while (!atomic_load(&f.is_ended));
  pthread_join(f.thread, NULL);
  const uint64_t before = taken;
  for (int i = 0; i < 12; i++) { /* 12 more into a history of 8: at least 4 are lost */
    assert_int_equal(sn__blob_write(f.writer, "\0\1\0\0\1\0\0\0", 9), DDS_RETCODE_OK);
  }
  for (int i = 0; i < 5; i++) {
    sn__ros2_transport.step(node, MS_NS);
  }
  assert_true(taken >= before + 8 && sn__ros2_transport.lost(topic) >= 4);
  assert_int_equal(taken + sn__ros2_transport.lost(topic), 20012);
  assert_int_equal(sn__ros2_transport.lost(other), 0);
  assert_int_equal(sn__ros2_transport.counts(node).lost, sn__ros2_transport.lost(topic));
  sn__ros2_transport.destroy(node, 0);
  sn__ros2_transport.destroy(f.node, 0);
}

/* Up to a minute, since the machine may be busy. */
#define UNTIL(condition)                              \
  do {                                                \
    for (int i = 0; i < 60000 && !(condition); i++) { \
      usleep(1000);                                   \
    }                                                 \
    assert_true(condition);                           \
  } while (0)

SN_TEST(messages_and_calls_work_in_both_directions_at_once) {
  stream_rig rig;
  peer p;
  open_robot(&rig);
  open_peer(&p);
  atomic_store(&p.may_speak, true);
  UNTIL(stream_rig_count(&rig, "ros2", "calls") >= 50);
  atomic_store(&p.may_speak, false);
  UNTIL(stream_rig_heard() >= p.sent && p.answered >= p.asked);
  join_peer(&p);
  size_t senders = 0;
  const stream_record *records = stream_rig_halt(&rig, &senders);
  assert_int_equal(senders, 1);
  assert_int_equal(records[0].sender, SENDER);
  assert_int_equal(records[0].received, p.sent);
  assert_int_equal(records[0].first, 1);
  assert_int_equal(records[0].wrong, 0);
  assert_true(p.record.received > 100);
  assert_int_equal(p.record.missing, 0);
  assert_int_equal(p.record.wrong, 0);
  assert_int_equal(p.unread, 0);
  assert_int_equal(p.answered, p.asked);
  stream_rig_close(&rig);
  close_peer(&p);
}

/* With requests in the pool, messages in flight, taps and sources open. */
SN_TEST(a_robot_stops_under_load_and_another_one_starts) {
  peer p;
  stream_rig rig;
  open_robot(&rig);
  open_peer(&p);
  atomic_store(&p.may_speak, true);
  for (int round = 0; round < 3; round++) {
    const uint64_t before = p.answered;
    UNTIL(p.answered >= before + 5 && stream_rig_heard() > 0);
    size_t senders = 0;
    const stream_record *records = stream_rig_halt(&rig, &senders);
    assert_int_equal(senders, 1);
    assert_int_equal(records[0].missing, 0);
    assert_int_equal(records[0].wrong, 0);
    stream_rig_close(&rig);
    open_robot(&rig);
  }
  join_peer(&p);
  assert_int_equal(p.unread, 0);
  close_peer(&p);
  size_t senders = 0;
  (void)stream_rig_halt(&rig, &senders);
  stream_rig_close(&rig);
}

/* Responds as soon as it is released. */
static sn_status serve_slowly(void *context, const char *caller, const void *request, size_t size,
                              sn__bytes *response, sn_error *err) {
  (void)caller, (void)request, (void)size, (void)err;
  while (!atomic_load((atomic_bool *)context)) {
    usleep(1000);
  }
  sn__bytes_put(response, "\0\1\0\0\1", 5);
  return SN_OK;
}

static void ask(sn__ros2_node *node, const char *topic, int count) {
  static const char request[4 + SN__ROS2_CALL_HEADER + 1] = {0, 1, 0, 0, SENDER};
  const dds_entity_t writer = sn__ros2_add_writer(
      node, topic, "std_srvs::srv::dds_::SetBool_Request_", "clientid=7;", false);
  for (int i = 0; i < count; i++) {
    assert_int_equal(sn__blob_write(writer, request, sizeof request), DDS_RETCODE_OK);
  }
}

/* One process gets half of a service, and another one is served meanwhile; so are other services.
 */
SN_TEST(a_flood_of_one_client_does_not_block_others) {
  enum { ACCEPTED = SN__ROS2_CALLS_MAX / 2, SENT = 3 * SN__ROS2_CALLS_MAX };
  sn__ros2_node *node = create_node("flooded");
  sn__ros2_node *neighbour = create_node("neighbour");
  sn_error err = {SN_OK, ""};
  atomic_bool may_answer = false;
  for (const char *name = "ab"; *name != '\0'; name++) {
    const char path[] = {'/', *name, '\0'};
    assert_true(sn__ros2_transport.add_service(node, path, "std_srvs/SetBool", &sn_call_switch_type,
                                               &sn_call_outcome_type, serve_slowly, NULL,
                                               &may_answer));
  }
  assert_int_equal(sn__ros2_transport.announce(node, &err), SN_OK);
  ask(node, "rq/aRequest", SENT);
  ask(neighbour, "rq/aRequest", 5);
  ask(node, "rq/bRequest", 1);
  for (int i = 0; i < 10; i++) {
    sn__ros2_transport.step(node, MS_NS);
  }
  assert_int_equal(sn__ros2_transport.counts(node).refused, SENT - ACCEPTED);
  assert_int_equal(sn__ros2_transport.counts(node).calls, ACCEPTED + 6);
  atomic_store(&may_answer, true);
  for (int i = 0; i < 60000 && node->calls != NULL; i++) {
    sn__ros2_transport.step(node, MS_NS);
  }
  assert_null(node->calls);
  assert_int_equal(sn__ros2_transport.counts(node).refused, SENT - ACCEPTED);
  sn__ros2_transport.destroy(neighbour, 0);
  sn__ros2_transport.destroy(node, 0);
}

static atomic_int heard, served;

static void hear(void *context, const char *caller) {
  (void)context, (void)caller;
  atomic_fetch_add(&heard, 1);
}

static sn_status serve_at_once(void *context, const char *caller, const void *request, size_t size,
                               sn__bytes *response, sn_error *err) {
  (void)context, (void)caller, (void)request, (void)size, (void)err;
  atomic_fetch_add(&served, 1);
  sn__bytes_put(response, "\0\1\0\0\1", 5);
  return SN_OK;
}

SN_TEST(an_urgent_service_overtakes_pending_calls) {
  sn__ros2_node *node = create_node("urgent");
  sn_error err = {SN_OK, ""};
  atomic_bool may_answer = false;
  assert_true(sn__ros2_transport.add_service(node, "/a", "std_srvs/SetBool", &sn_call_switch_type,
                                             &sn_call_outcome_type, serve_slowly, NULL,
                                             &may_answer));
  assert_true(sn__ros2_transport.add_service(node, "/b", "std_srvs/SetBool", &sn_call_switch_type,
                                             &sn_call_outcome_type, serve_at_once, hear, NULL));
  assert_int_equal(sn__ros2_transport.announce(node, &err), SN_OK);
  ask(node, "rq/aRequest", SN__ROS2_CALLS_MAX); /* more than the pool has threads */
  for (int i = 0; i < 10; i++) {
    sn__ros2_transport.step(node, MS_NS);
  }
  ask(node, "rq/bRequest", 1);
  for (int i = 0; i < 60000 && atomic_load(&served) == 0; i++) {
    sn__ros2_transport.step(node, MS_NS);
  }
  assert_int_equal(atomic_load(&heard), 1);
  assert_int_equal(atomic_load(&served), 1);
  atomic_store(&may_answer, true);
  sn__ros2_transport.destroy(node, 0);
}

/* A node with a service `/b` that is called once, by a client whose reader is absent for a while.
 */
static sn__ros2_node *create_called_node(const char *name, int absences) {
  sn__ros2_node *node = create_node(name);
  sn_error err = {SN_OK, ""};
  atomic_store(&served, 0);
  atomic_store(&fake_wire_absences, absences);
  assert_true(sn__ros2_transport.add_service(node, "/b", "std_srvs/SetBool", &sn_call_switch_type,
                                             &sn_call_outcome_type, serve_at_once, NULL, NULL));
  assert_int_equal(sn__ros2_transport.announce(node, &err), SN_OK);
  ask(node, "rq/bRequest", 1);
  for (int i = 0; i < 60000 && node->held_count == 0; i++) {
    sn__ros2_transport.step(node, MS_NS);
  }
  assert_int_equal(atomic_load(&served), 1);
  assert_int_equal(node->held_count, 1);
  return node;
}

static void step_until_idle(sn__ros2_node *node) {
  for (int i = 0; i < 60000 && node->calls != NULL; i++) {
    sn__ros2_transport.step(node, MS_NS);
  }
  assert_null(node->calls);
  assert_int_equal(node->held_count, 0);
}

/* DDS may find the writer of a new client before its reader. */
SN_TEST(a_response_waits_for_the_reader_of_the_client) {
  sn__ros2_node *node = create_called_node("waiting", 20);
  step_until_idle(node);
  assert_int_equal(atomic_load(&fake_wire_absences), 0);
  assert_int_equal(sn__ros2_transport.counts(node).refused, 0);
  sn__ros2_transport.destroy(node, 0);
}

SN_TEST(a_response_to_a_client_that_left_is_dropped_and_counted) {
  sn__ros2_node *node = create_called_node("left", INT_MAX);
  node->calls->held_ns = 1; /* long ago */
  step_until_idle(node);
  atomic_store(&fake_wire_absences, 0);
  assert_int_equal(sn__ros2_transport.counts(node).refused, 1);
  sn__ros2_transport.destroy(node, 0);
}

static void assert_user_data(dds_entity_t endpoint, const char *expected) {
  dds_qos_t *qos = dds_create_qos();
  void *data = NULL;
  size_t size = 0;
  assert_int_equal(dds_get_qos(endpoint, qos), DDS_RETCODE_OK);
  assert_true(dds_qget_userdata(qos, &data, &size));
  assert_int_equal(size, strlen(expected));
  assert_memory_equal(data, expected, size);
  dds_free(data);
  dds_delete_qos(qos);
}

static dds_reliability_kind_t reliability_of(const void *subscription) {
  dds_qos_t *qos = dds_create_qos();
  dds_reliability_kind_t kind = DDS_RELIABILITY_RELIABLE;
  dds_duration_t unused = 0;
  assert_int_equal(dds_get_qos(((const sn__ros2_subscription *)subscription)->reader, qos),
                   DDS_RETCODE_OK);
  assert_true(dds_qget_reliability(qos, &kind, &unused));
  dds_delete_qos(qos);
  return kind;
}

SN_TEST(inputs_are_reliable_unless_best_effort_is_chosen) {
  sn__ros2_node *node = create_node("choosy");
  assert_int_equal(reliability_of(sn__ros2_transport.subscribe(node, "/a", &sn__std_string_type,
                                                               false, take_state, NULL)),
                   DDS_RELIABILITY_RELIABLE);
  assert_int_equal(reliability_of(sn__ros2_transport.subscribe(node, "/b", &sn__std_string_type,
                                                               true, take_state, NULL)),
                   DDS_RELIABILITY_BEST_EFFORT);
  sn__ros2_transport.destroy(node, 0);
}

/* ROS 2 processes warn about endpoints without a type hash. */
SN_TEST(both_endpoints_of_ros_discovery_info_have_the_type_hash) {
  sn__ros2_node *node = create_node("announced");
  sn_error err = {SN_OK, ""};
  assert_int_equal(sn__ros2_transport.announce(node, &err), SN_OK);
  assert_user_data(node->info_writer, "typehash=" SN__ROS2_INFO_HASH ";");
  assert_user_data(node->info.reader, "typehash=" SN__ROS2_INFO_HASH ";");
  sn__ros2_transport.destroy(node, 0);
}
