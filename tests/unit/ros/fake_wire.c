/* The endpoints of services, over fake_dds.c instead of Fast DDS, so that the thread sanitizer sees
   every lock. Clients have a call header. */
#include "fake_wire.h"

#include <stdlib.h>

#include "ros/ros2/blob.h"
#include "ros/ros2/node_state.h"
#include "ros/ros2/service_wire.h"
#include "sinew/fault.h"

atomic_int fake_wire_absences;

struct sn__wire_service {
  sn__wire_service *next;
  sn__wire_domain *domain;
  dds_entity_t reader, writer;
};

struct sn__wire_domain {
  sn__wire_config config;
  dds_entity_t participant;
  sn__wire_service *services;
};

sn__wire_domain *sn__wire_open(const sn__wire_config *config) {
  sn__wire_domain *domain = calloc(1, sizeof *domain);
  SN_ASSERT(domain != NULL);
  domain->config = *config;
  domain->participant = dds_create_participant(config->domain, NULL, NULL);
  return domain;
}

void sn__wire_close(sn__wire_domain *domain) {
  if (domain == NULL) {
    return;
  }
  dds_delete(domain->participant);
  while (domain->services != NULL) {
    sn__wire_service *next = domain->services->next;
    free(domain->services);
    domain->services = next;
  }
  free(domain);
}

void sn__wire_step(sn__wire_domain *domain, int64_t now_ns) {
  (void)domain;
  (void)now_ns;
}

/* A topic filter that sees every request; it runs in the thread of the client. */
static bool wake(const dds_sample_info_t *info, void *context) {
  const sn__wire_config *config = context;
  (void)info;
  config->on_event(config->context);
  return true;
}

static dds_entity_t open_topic(sn__wire_domain *domain, const sn__wire_endpoint *endpoint) {
  return sn__blob_topic(domain->participant, endpoint->topic, endpoint->type);
}

sn__wire_service *sn__wire_serve(sn__wire_domain *domain, const sn__wire_names *names,
                                 sn__ros2_gid *reader, sn__ros2_gid *writer) {
  sn__wire_service *service = calloc(1, sizeof *service);
  SN_ASSERT(service != NULL);
  const struct dds_topic_filter filter = {
      .mode = DDS_TOPIC_FILTER_SAMPLEINFO_ARG, .f.sampleinfo_arg = wake, .arg = &domain->config};
  const dds_entity_t requests = open_topic(domain, &names->request);
  dds_set_topic_filter_extended(requests, &filter);
  dds_qos_t *qos = sn__ros2_qos(names->depth, false, names->request.user_data);
  service->reader = dds_create_reader(domain->participant, requests, qos, NULL);
  service->writer =
      dds_create_writer(domain->participant, open_topic(domain, &names->response), qos, NULL);
  dds_delete_qos(qos);
  service->domain = domain;
  service->next = domain->services;
  domain->services = service;
  (void)dds_get_guid(service->reader, (dds_guid_t *)reader);
  (void)dds_get_guid(service->writer, (dds_guid_t *)writer);
  return service;
}

bool sn__wire_take(sn__wire_service *service, sn__bytes *bytes, sn__wire_client *client) {
  dds_instance_handle_t publisher = 0;
  if (sn__blob_take(service->reader, bytes, &publisher) <= 0) {
    return false;
  }
  *client = (sn__wire_client){.form = SN__WIRE_HEADER};
  (void)dds_get_guid((dds_entity_t)publisher, (dds_guid_t *)&client->writer);
  return true;
}

sn__wire_result sn__wire_respond(sn__wire_service *service, const sn__wire_client *client,
                                 const void *bytes, size_t size) {
  (void)client;
  if (atomic_load(&fake_wire_absences) > 0) {
    atomic_fetch_sub(&fake_wire_absences, 1);
    return SN__WIRE_NOT_YET;
  }
  return sn__blob_write(service->writer, bytes, size) == DDS_RETCODE_OK ? SN__WIRE_SENT
                                                                        : SN__WIRE_FAILED;
}
