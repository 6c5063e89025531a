/* Starting Cyclone DDS, with the network that was chosen. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ros/ros2/dds_log.h"
#include "ros/ros2/dds_sockets.h"
#include "ros/ros2/node_state.h"

/* Cyclone starts threads that inherit from the one that calls, which may be a real-time thread. */
static void *start_dds(void *context) {
  sn__ros2_node *node = context;
  const char *interface = node->config.interface;
  if (*interface != '\0') {
    struct in6_addr unused;
    const bool is_name =
        inet_pton(AF_INET, interface, &unused) != 1 && inet_pton(AF_INET6, interface, &unused) != 1;
    char config[320];
    snprintf(config, sizeof config,
             "<CycloneDDS><Domain><General><Interfaces><NetworkInterface %s=\"%.100s\"%s/>"
             "</Interfaces></General></Domain></CycloneDDS>",
             is_name ? "name" : "address", interface,
             strcmp(interface, "lo") == 0 ? " multicast=\"true\"" : "");
    node->domain = dds_create_domain(node->config.domain, config);
    if (node->domain < 0) {
      node->participant = node->domain;
      return NULL;
    }
  }
  dds_qos_t *qos = dds_create_qos();
  static const char enclave[] = "enclave=/;";
  dds_qset_userdata(qos, enclave, sizeof enclave - 1);
  node->participant = dds_create_participant(node->config.domain, qos, NULL);
  dds_delete_qos(qos);
  return NULL;
}

/* Names go into a text of XML. */
static bool is_plain(const char *text) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:@";
  return text[strspn(text, letters)] == '\0' && strlen(text) <= 100;
}

sn_status sn__ros2_open_domain(sn__ros2_node *node, sn_error *err) {
  const char *chosen = node->config.interface;
  const unsigned interface = is_plain(chosen) ? sn__dds_interface(chosen) : 0;
  if (*chosen != '\0' && interface == 0) {
    return sn__fail(err, SN_EINVAL,
                    "interface '%.100s': this machine has none of that name or address; "
                    "'ip -br address' lists them",
                    chosen);
  }
  sn__dds_log_open();
  node->has_dds_log = true;
  sn__dds_sockets before;
  sn__dds_sockets_list(&before);
  pthread_t thread;
  sn_status status = sn__remote_thread_start(&thread, start_dds, node, err);
  if (status != SN_OK) {
    return status;
  }
  pthread_join(thread, NULL);
  if (node->participant < 0) {
    char reason[160] = "";
    (void)sn__dds_log_take(reason, sizeof reason);
    return sn__fail(err, SN_EIO, "DDS does not start in domain %u: %s%s%s", node->config.domain,
                    dds_strretcode(node->participant), *reason == '\0' ? "" : ": ", reason);
  }
  return *chosen == '\0' ? SN_OK : sn__dds_sockets_restrict(&before, interface, err);
}

void sn__ros2_tell_of_dds(sn__ros2_node *node) {
  char text[160];
  if (node->now_ns < node->dds_told_ns) {
    return;
  }
  const uint64_t count = sn__dds_log_take(text, sizeof text);
  if (count > 0) {
    char about[60];
    snprintf(about, sizeof about, "DDS, %llu line%s in the last second", (unsigned long long)count,
             count == 1 ? "" : "s");
    node->config.log(node->config.context, SN_LOG_WARNING, text, about);
  }
  node->dds_told_ns = node->now_ns + INT64_C(1000000000);
}
