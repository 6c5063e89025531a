/* The part of DDS that a ROS 2 node uses, within one process: every sample passes through the
   node's sertype, from the writer's bytes to a new sample for each reader. It replaces Cyclone's
   functions of the same names so that the thread sanitizer sees every lock and reference count,
   which it does not inside the library. */
#define _GNU_SOURCE

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define asm __asm__ /* Cyclone's headers use GNU C */
#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>
#undef asm

#include "sinew/fault.h"

enum { ENTITIES_MAX = 1024, NAME_SIZE = 256, ATTACHED_MAX = 64 };

typedef enum kind {
  NONE,
  DOMAIN,
  PARTICIPANT,
  TOPIC,
  READER,
  WRITER,
  CONDITION,
  GUARD,
  WAITSET
} kind;

typedef struct sample {
  struct sample *next;
  struct ddsi_serdata *data;
  dds_entity_t writer;
} sample;

typedef struct entity {
  kind kind;
  dds_entity_t parent, topic;
  uint32_t domain;
  char name[NAME_SIZE];
  struct ddsi_sertype *type;      /* of a topic */
  struct dds_topic_filter filter; /* of a topic */
  char user_data[NAME_SIZE];      /* of an endpoint */
  dds_reliability_kind_t reliability;
  sample *first, **last;  /* of a reader */
  int32_t depth, waiting; /* of a reader: history depth and samples in it */
  bool is_set;            /* of a guard */
  dds_entity_t attached[ATTACHED_MAX];
  dds_attach_t marks[ATTACHED_MAX];
  size_t attached_count; /* of a waitset */
} entity;

/* Recursive: a topic filter may set a guard. */
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static entity entities[ENTITIES_MAX]; /* index: handle - 1 */

static entity *at(dds_entity_t handle) {
  SN_ASSERT(handle > 0 && handle <= ENTITIES_MAX && entities[handle - 1].kind != NONE);
  return &entities[handle - 1];
}

/* Handles are reused as late as possible. Under the lock. */
static dds_entity_t create(kind k, dds_entity_t parent) {
  static dds_entity_t last;
  do {
    last = last % ENTITIES_MAX + 1;
  } while (entities[last - 1].kind != NONE);
  entities[last - 1] = (entity){.kind = k, .parent = parent};
  entities[last - 1].domain = parent > 0 ? at(parent)->domain : 0;
  return last;
}

static dds_entity_t create_alone(kind k, dds_entity_t parent) {
  pthread_mutex_lock(&mutex);
  const dds_entity_t handle = create(k, parent);
  pthread_mutex_unlock(&mutex);
  return handle;
}

/* ---- entities ---- */

dds_entity_t dds_create_domain(const dds_domainid_t domain, const char *config) {
  (void)domain, (void)config;
  return create_alone(DOMAIN, 0);
}

dds_entity_t dds_create_participant(const dds_domainid_t domain, const dds_qos_t *qos,
                                    const dds_listener_t *listener) {
  (void)qos, (void)listener;
  pthread_mutex_lock(&mutex);
  const dds_entity_t handle = create(PARTICIPANT, 0);
  at(handle)->domain = domain;
  pthread_mutex_unlock(&mutex);
  return handle;
}

dds_entity_t dds_create_topic_sertype(dds_entity_t participant, const char *name,
                                      struct ddsi_sertype **type, const dds_qos_t *qos,
                                      const dds_listener_t *listener,
                                      const struct ddsi_plist *plist) {
  (void)qos, (void)listener, (void)plist;
  SN_ASSERT(strlen(name) < NAME_SIZE);
  pthread_mutex_lock(&mutex);
  const dds_entity_t handle = create(TOPIC, participant);
  strcpy(at(handle)->name, name);
  at(handle)->type = *type;
  pthread_mutex_unlock(&mutex);
  return handle;
}

dds_return_t dds_set_topic_filter_extended(dds_entity_t topic,
                                           const struct dds_topic_filter *filter) {
  pthread_mutex_lock(&mutex);
  at(topic)->filter = *filter;
  pthread_mutex_unlock(&mutex);
  return DDS_RETCODE_OK;
}

static dds_entity_t create_endpoint(kind k, dds_entity_t participant, dds_entity_t topic,
                                    const dds_qos_t *qos) {
  void *data = NULL;
  size_t size = 0;
  if (!dds_qget_userdata(qos, &data, &size)) {
    size = 0;
  }
  SN_ASSERT(size < NAME_SIZE);
  dds_history_kind_t history = DDS_HISTORY_KEEP_ALL;
  int32_t depth = 0;
  SN_ASSERT(dds_qget_history(qos, &history, &depth) && history == DDS_HISTORY_KEEP_LAST);
  dds_reliability_kind_t reliability = DDS_RELIABILITY_RELIABLE;
  dds_duration_t unused = 0;
  SN_ASSERT(dds_qget_reliability(qos, &reliability, &unused));
  pthread_mutex_lock(&mutex);
  const dds_entity_t handle = create(k, participant);
  at(handle)->reliability = reliability;
  at(handle)->depth = depth;
  at(handle)->topic = topic;
  at(handle)->last = &at(handle)->first;
  if (size > 0) {
    memcpy(at(handle)->user_data, data, size);
  }
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  dds_free(data);
  return handle;
}

dds_entity_t dds_create_reader(dds_entity_t participant, dds_entity_t topic, const dds_qos_t *qos,
                               const dds_listener_t *listener) {
  (void)listener;
  return create_endpoint(READER, participant, topic, qos);
}

dds_entity_t dds_create_writer(dds_entity_t participant, dds_entity_t topic, const dds_qos_t *qos,
                               const dds_listener_t *listener) {
  (void)listener;
  return create_endpoint(WRITER, participant, topic, qos);
}

dds_return_t dds_get_guid(dds_entity_t handle, dds_guid_t *guid) {
  pthread_mutex_lock(&mutex);
  const dds_entity_t parent = entities[handle - 1].parent;
  pthread_mutex_unlock(&mutex);
  memset(guid, 0, sizeof *guid);
  memcpy(guid->v, parent > 0 ? &parent : &handle, sizeof handle);
  memcpy(guid->v + 12, &handle, sizeof handle);
  return DDS_RETCODE_OK;
}

static void release(entity *e) {
  while (e->first != NULL) {
    sample *next = e->first->next;
    ddsi_serdata_unref(e->first->data);
    free(e->first);
    e->first = next;
  }
  if (e->type != NULL) {
    ddsi_sertype_unref(e->type);
  }
  e->kind = NONE;
}

dds_return_t dds_delete(dds_entity_t handle) {
  pthread_mutex_lock(&mutex);
  for (int round = 0; round < 2; round++) { /* topics last: samples refer to their types */
    for (int i = 0; i < ENTITIES_MAX; i++) {
      entity *e = &entities[i];
      const bool is_meant = e->parent == handle || i == handle - 1;
      if (is_meant && e->kind != NONE && (e->kind == TOPIC) == (round == 1)) {
        release(e);
      }
    }
  }
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  return DDS_RETCODE_OK;
}

/* ---- matching ---- */

static bool do_match(const entity *a, const entity *b) {
  const entity *x = at(a->topic);
  const entity *y = at(b->topic);
  return a->domain == b->domain && strcmp(x->name, y->name) == 0 &&
         strcmp(x->type->type_name, y->type->type_name) == 0;
}

static uint32_t count_matches(dds_entity_t handle, kind k) {
  uint32_t count = 0;
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < ENTITIES_MAX; i++) {
    count += entities[i].kind == k && do_match(at(handle), &entities[i]);
  }
  pthread_mutex_unlock(&mutex);
  return count;
}

dds_return_t dds_get_publication_matched_status(dds_entity_t writer,
                                                dds_publication_matched_status_t *status) {
  *status = (dds_publication_matched_status_t){.current_count = count_matches(writer, READER)};
  return DDS_RETCODE_OK;
}

dds_return_t dds_get_subscription_matched_status(dds_entity_t reader,
                                                 dds_subscription_matched_status_t *status) {
  *status = (dds_subscription_matched_status_t){.current_count = count_matches(reader, WRITER)};
  return DDS_RETCODE_OK;
}

dds_return_t dds_get_qos(dds_entity_t endpoint, dds_qos_t *qos) {
  pthread_mutex_lock(&mutex);
  dds_qset_userdata(qos, at(endpoint)->user_data, strlen(at(endpoint)->user_data));
  dds_qset_reliability(qos, at(endpoint)->reliability, 0);
  pthread_mutex_unlock(&mutex);
  return DDS_RETCODE_OK;
}

dds_builtintopic_endpoint_t *dds_get_matched_publication_data(dds_entity_t reader,
                                                              dds_instance_handle_t handle) {
  dds_builtintopic_endpoint_t *endpoint = NULL;
  pthread_mutex_lock(&mutex);
  const entity *writer = &entities[handle - 1];
  if (writer->kind == WRITER && do_match(at(reader), writer)) {
    endpoint = calloc(1, sizeof *endpoint);
    SN_ASSERT(endpoint != NULL);
    (void)dds_get_guid((dds_entity_t)handle, &endpoint->key);
    (void)dds_get_guid(writer->parent, &endpoint->participant_key);
    endpoint->qos = dds_create_qos();
    dds_qset_userdata(endpoint->qos, writer->user_data, strlen(writer->user_data));
  }
  pthread_mutex_unlock(&mutex);
  return endpoint;
}

void dds_builtintopic_free_endpoint(dds_builtintopic_endpoint_t *endpoint) {
  dds_delete_qos(endpoint->qos);
  free(endpoint);
}

/* ---- samples ---- */

static sample *pop(entity *reader) {
  sample *s = reader->first;
  if (s != NULL) {
    reader->first = s->next;
    reader->last = reader->first == NULL ? &reader->first : reader->last;
    reader->waiting--;
  }
  return s;
}

/* The filter sees a sample before the history drops an older one. */
static void deliver(dds_entity_t writer, entity *reader, const struct ddsi_serdata *data) {
  const struct ddsi_sertype *type = at(reader->topic)->type;
  const struct dds_topic_filter *filter = &at(reader->topic)->filter;
  const dds_sample_info_t info = {.valid_data = true};
  if (filter->mode == DDS_TOPIC_FILTER_SAMPLEINFO_ARG &&
      !filter->f.sampleinfo_arg(&info, filter->arg)) {
    return;
  }
  if (reader->waiting == reader->depth) {
    sample *oldest = pop(reader);
    ddsi_serdata_unref(oldest->data);
    free(oldest);
  }
  const size_t size = data->ops->get_size(data);
  ddsrt_iovec_t lent;
  struct ddsi_serdata *held = data->ops->to_ser_ref(data, 0, size, &lent);
  sample *s = calloc(1, sizeof *s);
  SN_ASSERT(s != NULL);
  *s = (sample){.data = type->serdata_ops->from_ser_iov(type, SDK_DATA, 1, &lent, size),
                .writer = writer};
  data->ops->to_ser_unref(held, &lent);
  SN_ASSERT(s->data != NULL);
  *reader->last = s;
  reader->last = &s->next;
  reader->waiting++;
}

dds_return_t dds_write(dds_entity_t writer, const void *bytes) {
  pthread_mutex_lock(&mutex);
  const struct ddsi_sertype *type = at(at(writer)->topic)->type;
  struct ddsi_serdata *data = type->serdata_ops->from_sample(type, SDK_DATA, bytes);
  SN_ASSERT(data != NULL);
  for (int i = 0; i < ENTITIES_MAX; i++) {
    if (entities[i].kind == READER && do_match(at(writer), &entities[i])) {
      deliver(writer, &entities[i], data);
    }
  }
  ddsi_serdata_unref(data);
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  return DDS_RETCODE_OK;
}

dds_return_t dds_takecdr(dds_entity_t handle, struct ddsi_serdata **out, uint32_t max,
                         dds_sample_info_t *info, uint32_t mask) {
  (void)max, (void)mask;
  pthread_mutex_lock(&mutex);
  sample *s = pop(at(handle));
  if (s != NULL) {
    *out = s->data;
    *info = (dds_sample_info_t){.valid_data = true,
                                .publication_handle = (dds_instance_handle_t)s->writer};
    free(s);
  }
  pthread_mutex_unlock(&mutex);
  return s != NULL ? 1 : 0;
}

/* ---- waiting ---- */

dds_entity_t dds_create_readcondition(dds_entity_t reader, uint32_t mask) {
  (void)mask;
  pthread_mutex_lock(&mutex);
  const dds_entity_t handle = create(CONDITION, at(reader)->parent);
  at(handle)->topic = reader;
  pthread_mutex_unlock(&mutex);
  return handle;
}

dds_entity_t dds_create_waitset(dds_entity_t participant) {
  return create_alone(WAITSET, participant);
}

dds_entity_t dds_create_guardcondition(dds_entity_t participant) {
  return create_alone(GUARD, participant);
}

dds_return_t dds_waitset_attach(dds_entity_t waitset, dds_entity_t condition, dds_attach_t mark) {
  pthread_mutex_lock(&mutex);
  entity *w = at(waitset);
  SN_ASSERT(w->attached_count < ATTACHED_MAX);
  w->attached[w->attached_count] = condition;
  w->marks[w->attached_count++] = mark;
  pthread_mutex_unlock(&mutex);
  return DDS_RETCODE_OK;
}

dds_return_t dds_set_guardcondition(dds_entity_t guard, bool is_set) {
  pthread_mutex_lock(&mutex);
  at(guard)->is_set = is_set;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  return DDS_RETCODE_OK;
}

dds_return_t dds_take_guardcondition(dds_entity_t guard, bool *was_set) {
  pthread_mutex_lock(&mutex);
  *was_set = at(guard)->is_set;
  at(guard)->is_set = false;
  pthread_mutex_unlock(&mutex);
  return DDS_RETCODE_OK;
}

static dds_return_t list_ready(const entity *waitset, dds_attach_t *out, size_t room) {
  size_t count = 0;
  for (size_t i = 0; i < waitset->attached_count && count < room; i++) {
    const entity *e = at(waitset->attached[i]);
    if (e->kind == GUARD ? e->is_set : at(e->topic)->first != NULL) {
      out[count++] = waitset->marks[i];
    }
  }
  return (dds_return_t)count;
}

dds_return_t dds_waitset_wait(dds_entity_t waitset, dds_attach_t *out, size_t room,
                              dds_duration_t timeout) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  const int64_t end_ns = until.tv_nsec + timeout;
  until.tv_sec += end_ns / 1000000000;
  until.tv_nsec = end_ns % 1000000000;
  pthread_mutex_lock(&mutex);
  dds_return_t count = list_ready(at(waitset), out, room);
  while (count == 0 && pthread_cond_timedwait(&changed, &mutex, &until) == 0) {
    count = list_ready(at(waitset), out, room);
  }
  pthread_mutex_unlock(&mutex);
  return count;
}
