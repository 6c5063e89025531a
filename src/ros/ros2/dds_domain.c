/* Start of Cyclone DDS on the chosen network, and its log. */
#include <arpa/inet.h>
#include <dds/ddsrt/log.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ros/ros2/dds_sockets.h"
#include "ros/ros2/node_state.h"
#include "sinew/fault.h"

/* ---- log: Cyclone writes a line for each invalid packet, which is limited here ---- */

enum { LINE_SIZE = 160 };

/* Cyclone has one log sink per process. It runs under a lock of Cyclone that dds_set_log_sink()
   also takes, hence two mutexes. */
static pthread_mutex_t users_mutex = PTHREAD_MUTEX_INITIALIZER;
static size_t users;

static pthread_mutex_t line_mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t line_count;
static char line[LINE_SIZE];

/* Runs in any thread of Cyclone, which aborts after a fatal message. */
static void keep(void *context, const dds_log_data_t *data) {
  (void)context;
  if ((data->priority & DDS_LC_FATAL) != 0) {
    sn_fault_raise(data->message, data->file, (int)data->line);
  }
  pthread_mutex_lock(&line_mutex);
  if (line_count++ == 0) {
    const size_t size = data->size < sizeof line ? data->size : sizeof line - 1;
    memcpy(line, data->message, size);
    line[size] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
  }
  pthread_mutex_unlock(&line_mutex);
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

/* Runs in a new thread: Cyclone's threads inherit the scheduling of the caller, which may be
   real-time. */
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
  return *chosen == '\0' ? SN_OK : sn__dds_sockets_restrict(&before, interface, err);
}

void sn__ros2_close_domain(sn__ros2_node *node) {
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
