#include "ros/ros2/dds_log.h"

#include <dds/ddsrt/log.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "sinew/fault.h"

enum { LINE_SIZE = 160 };

/* Cyclone has one sink for the whole process, and so has this. The sink runs under a lock of
   Cyclone's that changing the sink takes, too: hence two mutexes. */
static pthread_mutex_t users_mutex = PTHREAD_MUTEX_INITIALIZER;
static size_t users;

static pthread_mutex_t line_mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t line_count;
static char line[LINE_SIZE];

/* In any thread of Cyclone's. After a fatal line it would abort. */
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

void sn__dds_log_open(void) {
  pthread_mutex_lock(&users_mutex);
  if (users++ == 0) {
    dds_set_log_sink(keep, NULL);
  }
  pthread_mutex_unlock(&users_mutex);
}

void sn__dds_log_close(void) {
  pthread_mutex_lock(&users_mutex);
  if (--users == 0) {
    dds_set_log_sink(NULL, NULL);
  }
  pthread_mutex_unlock(&users_mutex);
}

uint64_t sn__dds_log_take(char *text, size_t size) {
  pthread_mutex_lock(&line_mutex);
  const uint64_t count = line_count;
  if (count > 0) {
    snprintf(text, size, "%s", line);
  }
  line_count = 0;
  pthread_mutex_unlock(&line_mutex);
  return count;
}
