/* Shared by DDS participants that test a ROS 2 node. Requests have the call header of
   rmw_cyclonedds_cpp. */
#ifndef SN_ROS2_RIG_H
#define SN_ROS2_RIG_H

#include <dds/dds.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition, ...)                                         \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
      fprintf(stderr, __VA_ARGS__);                                   \
      fputc('\n', stderr);                                            \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

/* Generous, since the machine may be busy. */
enum { PATIENCE_MS = 60000 };

static inline dds_entity_t rig_participant(void) {
  const char *domain = getenv("ROS_DOMAIN_ID");
  const dds_entity_t participant =
      dds_create_participant(domain == NULL ? 0 : (dds_domainid_t)atoi(domain), NULL, NULL);
  CHECK(participant > 0, "%s", dds_strretcode(participant));
  return participant;
}

static inline dds_qos_t *rig_qos(bool is_latched, int depth, const char *user_data) {
  dds_qos_t *qos = dds_create_qos();
  dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
  dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, depth);
  dds_qset_durability(qos, is_latched ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
  if (user_data != NULL) {
    dds_qset_userdata(qos, user_data, strlen(user_data));
  }
  return qos;
}

static inline dds_entity_t rig_reader_with(dds_entity_t participant,
                                           const dds_topic_descriptor_t *type, const char *name,
                                           bool is_latched, const char *user_data) {
  dds_qos_t *qos = rig_qos(is_latched, is_latched ? 1 : 100, user_data);
  const dds_entity_t topic = dds_create_topic(participant, type, name, NULL, NULL);
  const dds_entity_t reader = dds_create_reader(participant, topic, qos, NULL);
  CHECK(reader > 0, "%s: %s", name, dds_strretcode(reader));
  dds_delete_qos(qos);
  return reader;
}

static inline dds_entity_t rig_reader(dds_entity_t participant, const dds_topic_descriptor_t *type,
                                      const char *name, bool is_latched) {
  return rig_reader_with(participant, type, name, is_latched, NULL);
}

static inline void rig_wait_for_reader(dds_entity_t writer, const char *name) {
  dds_publication_matched_status_t status = {0};
  for (int i = 0; i < 3000 && status.current_count == 0; i++) {
    dds_sleepfor(DDS_MSECS(10));
    dds_get_publication_matched_status(writer, &status);
  }
  CHECK(status.current_count > 0, "%s has no subscriber", name);
}

/* Waits for a reader. */
static inline dds_entity_t rig_writer(dds_entity_t participant, const dds_topic_descriptor_t *type,
                                      const char *name, const char *user_data) {
  dds_qos_t *qos = rig_qos(false, 1000, user_data); /* no loss on a busy machine */
  const dds_entity_t topic = dds_create_topic(participant, type, name, NULL, NULL);
  const dds_entity_t writer = dds_create_writer(participant, topic, qos, NULL);
  CHECK(writer > 0, "%s: %s", name, dds_strretcode(writer));
  dds_delete_qos(qos);
  rig_wait_for_reader(writer, name);
  return writer;
}

/* Waits for a writer. */
static inline void rig_wait_for_writer(dds_entity_t reader, const char *name) {
  dds_subscription_matched_status_t status = {0};
  for (int i = 0; i < 3000 && status.current_count == 0; i++) {
    dds_sleepfor(DDS_MSECS(10));
    dds_get_subscription_matched_status(reader, &status);
  }
  CHECK(status.current_count > 0, "%s has no publisher", name);
}

/* The next sample with data within @p wait_ms, or NULL; dds_return_loan() gives it back. */
static inline void *rig_next(dds_entity_t reader, int wait_ms, dds_sample_info_t *info) {
  const dds_time_t end = dds_time() + DDS_MSECS(wait_ms);
  for (;;) {
    void *sample = NULL;
    if (dds_take(reader, &sample, info, 1, 1) > 0) {
      if (info->valid_data) {
        return sample;
      }
      dds_return_loan(reader, &sample, 1);
    } else if (dds_time() >= end) {
      return NULL;
    } else {
      dds_sleepfor(DDS_MSECS(1));
    }
  }
}

/* A client of a service: both topics, matched. Requests start with these two numbers. */
typedef struct rig_client {
  dds_entity_t writer, reader;
  uint64_t client;
  int64_t number;
} rig_client;

static inline rig_client rig_open_client(dds_entity_t participant, const char *service,
                                         const dds_topic_descriptor_t *request,
                                         const dds_topic_descriptor_t *response) {
  static uint64_t clients = 0x1234567800000000;
  char name[512];
  char id[64];
  const unsigned count = (unsigned)++clients;
  snprintf(id, sizeof id, "clientid=1.2.3.4.5.6.7.8.9.a.b.c.%x.%x.%x.%x;",
           ((unsigned)getpid() >> 8) & 0xff, (unsigned)getpid() & 0xff, count >> 8, count & 0xff);
  snprintf(name, sizeof name, "rr%sReply", service);
  const dds_entity_t reader = rig_reader_with(participant, response, name, false, id);
  rig_wait_for_writer(reader, name);
  snprintf(name, sizeof name, "rq%sRequest", service);
  const dds_entity_t writer = rig_writer(participant, request, name, id);
  return (rig_client){.writer = writer, .reader = reader, .client = clients};
}

typedef struct rig_call_header {
  uint64_t client;
  int64_t number;
} rig_call_header;

/* Send a request whose first two members are filled here. @return its number */
static inline int64_t rig_send(rig_client *c, void *request) {
  rig_call_header *header = request;
  *header = (rig_call_header){c->client, ++c->number};
  CHECK(dds_write(c->writer, request) == DDS_RETCODE_OK, "cannot send a request");
  return c->number;
}

/* The next response to this client, or NULL. */
static inline void *rig_next_answer(const rig_client *c, int wait_ms) {
  dds_sample_info_t info;
  const dds_time_t end = dds_time() + DDS_MSECS(wait_ms);
  for (;;) {
    const int rest_ms = (int)((end - dds_time()) / DDS_MSECS(1));
    void *sample = rig_next(c->reader, rest_ms > 0 ? rest_ms : 0, &info);
    const rig_call_header *header = sample;
    if (sample == NULL || header->client == c->client) {
      return sample;
    }
    dds_return_loan(c->reader, &sample, 1);
  }
}

/* The response to this request, or NULL; others are skipped. */
static inline void *rig_answer(const rig_client *c, int64_t number, int wait_ms) {
  const dds_time_t end = dds_time() + DDS_MSECS(wait_ms);
  for (;;) {
    void *sample = rig_next_answer(c, (int)((end - dds_time()) / DDS_MSECS(1)));
    const rig_call_header *header = sample;
    if (sample == NULL || header->number == number) {
      return sample;
    }
    dds_return_loan(c->reader, &sample, 1);
  }
}

static inline void rig_give_back(dds_entity_t reader, void *sample) {
  dds_return_loan(reader, &sample, 1);
}

#endif
