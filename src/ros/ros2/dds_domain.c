/* Start of DDS on the chosen network, and its log. */
#include <arpa/inet.h>
#include <dds/ddsrt/log.h>
#include <net/if.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ros/ros2/dds_sockets.h"
#include "ros/ros2/node_state.h"
#include "sinew/fault.h"

/* ---- log: DDS writes a line for each invalid packet, which is limited here ---- */

enum { LINE_SIZE = 160, CONFIG_SIZE = 4096 };

/* Cyclone has one log sink per process. It runs under a lock of Cyclone that dds_set_log_sink()
   also takes, hence two mutexes. */
static pthread_mutex_t users_mutex = PTHREAD_MUTEX_INITIALIZER;
static size_t users;

static pthread_mutex_t line_mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t line_count;
static char line[LINE_SIZE];

static void keep_line(const char *text, size_t length) {
  pthread_mutex_lock(&line_mutex);
  if (line_count++ == 0) {
    const size_t size = length < sizeof line ? length : sizeof line - 1;
    memcpy(line, text, size);
    line[size] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
  }
  pthread_mutex_unlock(&line_mutex);
}

/* Runs in any thread of Cyclone, which aborts after a fatal message. */
static void keep(void *context, const dds_log_data_t *data) {
  (void)context;
  if ((data->priority & DDS_LC_FATAL) != 0) {
    sn_fault_raise(data->message, data->file, (int)data->line);
  }
  keep_line(data->message, data->size);
}

/* Runs in any thread of Fast DDS. */
static void keep_fast(const char *message) {
  keep_line(message, strlen(message));
}

static void open_log(void) {
  pthread_mutex_lock(&users_mutex);
  if (users++ == 0) {
    dds_set_log_sink(keep, NULL);
  }
  pthread_mutex_unlock(&users_mutex);
}

static void close_log(void) {
  pthread_mutex_lock(&users_mutex);
  if (--users == 0) {
    dds_set_log_sink(NULL, NULL);
  }
  pthread_mutex_unlock(&users_mutex);
}

/* Take the log since the last call. @param text  out: first line; unchanged if there are none
   @return number of lines */
static uint64_t take_log(char *text, size_t size) {
  pthread_mutex_lock(&line_mutex);
  const uint64_t count = line_count;
  if (count > 0) {
    snprintf(text, size, "%s", line);
  }
  line_count = 0;
  pthread_mutex_unlock(&line_mutex);
  return count;
}

/* ---- start and stop ---- */

static bool is_address(const char *interface) {
  struct in6_addr unused;
  return inet_pton(AF_INET, interface, &unused) == 1 ||
         inet_pton(AF_INET6, interface, &unused) == 1;
}

/* Nothing leaves or enters this machine. */
static bool is_local(const sn__ros2_config *config) {
  return config->discovery.range == SN__ROS2_LOCALHOST && config->discovery.peer_count == 0;
}

/* Our configuration, followed by that of the user unless the network is chosen here. */
static dds_entity_t create_domain(const sn__ros2_config *config) {
  const char *uri = getenv("CYCLONEDDS_URI");
  const bool is_chosen = *config->interface != '\0' || is_local(config);
  char ours[CONFIG_SIZE];
  if (!sn__ros2_discovery_config(&config->discovery, config->interface,
                                 !is_address(config->interface), ours, sizeof ours)) {
    return DDS_RETCODE_OUT_OF_RESOURCES;
  }
  const size_t size = sizeof ours + (uri == NULL ? 0 : strlen(uri)) + 2;
  char *all = malloc(size);
  if (all == NULL) {
    return DDS_RETCODE_OUT_OF_RESOURCES;
  }
  snprintf(all, size, "%s%s%s", ours, uri == NULL || is_chosen ? "" : ",",
           uri == NULL || is_chosen ? "" : uri);
  const dds_entity_t domain = dds_create_domain(config->domain, all);
  free(all);
  return domain;
}

static void start_cyclone(sn__ros2_node *node) {
  node->domain = create_domain(&node->config);
  if (node->domain < 0) {
    node->participant = node->domain;
    return;
  }
  dds_qos_t *qos = dds_create_qos();
  static const char enclave[] = "enclave=/;";
  dds_qset_userdata(qos, enclave, sizeof enclave - 1);
  node->participant = dds_create_participant(node->config.domain, qos, NULL);
  dds_delete_qos(qos);
}

static void start_fast(sn__ros2_node *node) {
  const sn__ros2_discovery *d = &node->config.discovery;
  const char *peers[SN__ROS2_STATIC_PEERS_MAX + 1];
  size_t count = 0;
  for (; count < d->peer_count; count++) {
    peers[count] = d->peers[count];
  }
  if (d->range == SN__ROS2_LOCALHOST) {
    peers[count++] = "127.0.0.1";
  }
  char address[SN__ROS2_ADDRESS_SIZE];
  sn__dds_interface_address(node->config.interface, address, sizeof address);
  const sn__wire_config config = {
      .domain = node->config.domain,
      .address = address,
      .has_discovery = d->range != SN__ROS2_OFF,
      .has_multicast = d->range == SN__ROS2_SUBNET || d->range == SN__ROS2_SYSTEM_DEFAULT,
      .peers = peers,
      .peer_count = count,
      .on_event = sn__ros2_wake,
      .context = node,
      .on_log = keep_fast};
  node->wire = sn__wire_open(&config);
}

/* Runs in a new thread: the threads of DDS inherit the scheduling of the caller, which may be
   real-time. */
static void *start_dds(void *context) {
  sn__ros2_node *node = context;
  start_cyclone(node);
  if (node->participant > 0) {
    node->waitset = dds_create_waitset(node->participant);
    node->guard = dds_create_guardcondition(node->participant);
    start_fast(node);
  }
  return NULL;
}

/* The name is inserted into XML. */
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
                    "interface '%.100s': no interface has this name or address; "
                    "'ip -br address' lists them",
                    chosen);
  }
  open_log();
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
    (void)take_log(reason, sizeof reason);
    return sn__fail(err, SN_EIO, "DDS does not start in domain %u: %s%s%s", node->config.domain,
                    dds_strretcode(node->participant), *reason == '\0' ? "" : ": ", reason);
  }
  if (node->wire == NULL) {
    return sn__fail(err, SN_EIO, "Fast DDS, which serves the services, does not start in domain %u",
                    node->config.domain);
  }
  if (is_local(&node->config)) {
    return sn__dds_sockets_restrict(&before, if_nametoindex("lo"), err);
  }
  return *chosen == '\0' ? SN_OK : sn__dds_sockets_restrict(&before, interface, err);
}

void sn__ros2_close_domain(sn__ros2_node *node) {
  sn__wire_close(node->wire); /* first: it wakes the node */
  if (node->participant > 0) {
    dds_delete(node->participant);
  }
  if (node->domain > 0) {
    dds_delete(node->domain);
  }
  if (node->has_dds_log) {
    close_log();
  }
}

void sn__ros2_forward_dds_log(sn__ros2_node *node) {
  char text[160];
  if (node->now_ns < node->next_dds_log_ns) {
    return;
  }
  const uint64_t count = take_log(text, sizeof text);
  if (count > 0) {
    char about[60];
    snprintf(about, sizeof about, "DDS, %llu line%s in the last second", (unsigned long long)count,
             count == 1 ? "" : "s");
    node->config.log(node->config.context, SN_LOG_WARNING, text, about);
  }
  node->next_dds_log_ns = node->now_ns + INT64_C(1000000000);
}
