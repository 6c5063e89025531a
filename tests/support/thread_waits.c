#define _GNU_SOURCE

#include "thread_waits.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double waited_ms(const char *task) {
  char path[400];
  long long ran_ns = 0, waited_ns = 0;
  snprintf(path, sizeof path, "%s/schedstat", task);
  FILE *file = fopen(path, "rb"); /* a thread may have ended */
  if (file != NULL) {
    const int count = fscanf(file, "%lld %lld", &ran_ns, &waited_ns);
    fclose(file);
    waited_ns = count == 2 ? waited_ns : 0;
  }
  return 1e-6 * (double)waited_ns;
}

static int has_name(const char *task, const char *name) {
  char path[400], text[32] = "";
  snprintf(path, sizeof path, "%s/comm", task);
  FILE *file = fopen(path, "rb");
  if (file != NULL) {
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    text[strcspn(text, "\n")] = '\0';
  }
  return strcmp(text, name) == 0;
}

thread_waits thread_waits_read(pid_t pid, const char *name) {
  thread_waits waits = {.count = 0};
  char folder[64];
  snprintf(folder, sizeof folder, "/proc/%d/task", (int)pid);
  DIR *tasks = opendir(folder);
  const struct dirent *entry = NULL;
  while (tasks != NULL && (entry = readdir(tasks)) != NULL && waits.count < THREAD_WAITS_MAX) {
    char task[350];
    snprintf(task, sizeof task, "%s/%s", folder, entry->d_name);
    if (entry->d_name[0] != '.' && (name == NULL || has_name(task, name))) {
      waits.ids[waits.count] = atol(entry->d_name);
      waits.ms[waits.count++] = waited_ms(task);
    }
  }
  if (tasks != NULL) {
    closedir(tasks);
  }
  return waits;
}

double thread_waits_own_ms(void) {
  return waited_ms("/proc/thread-self");
}

static int compare_down(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

double thread_waits_between(const thread_waits *before, const thread_waits *after, size_t most) {
  double grown[THREAD_WAITS_MAX], sum = 0.0;
  for (size_t i = 0; i < after->count; i++) {
    grown[i] = after->ms[i];
    for (size_t k = 0; k < before->count; k++) {
      grown[i] -= before->ids[k] == after->ids[i] ? before->ms[k] : 0.0;
    }
  }
  qsort(grown, after->count, sizeof *grown, compare_down);
  for (size_t i = 0; i < most && i < after->count; i++) {
    sum += grown[i];
  }
  return sum;
}
