/* A robot of 30 joints as a ROS 2 node (stream_rig.h).
   usage: ros2_robot DEPTH PRIORITY     of the node; of the control thread, or 0. Each line of stdin
   ends a phase and prints its cycle counts; the end of stdin ends the run and prints the messages
   of each sender: exit 0 if none was wrong or missing. */
#define _GNU_SOURCE /* sysconf() */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream_rig.h"

enum { PERIOD_NS = 1000000 };

static long resident_kB(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*s %ld", &pages) != 1) {
    pages = 0;
  }
  if (file != NULL) {
    fclose(file);
  }
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int tell_what_came(const stream_record *records, size_t count) {
  bool is_good = true;
  for (size_t i = 0; i < count; i++) {
    const stream_record *r = &records[i];
    printf("heard %llu: %llu messages, %llu to %llu, %llu missing, %llu wrong\n",
           (unsigned long long)r->sender, (unsigned long long)r->received,
           (unsigned long long)r->first, (unsigned long long)r->last,
           (unsigned long long)r->missing, (unsigned long long)r->wrong);
    is_good = is_good && r->missing == 0 && r->wrong == 0;
  }
  return is_good ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: ros2_robot DEPTH PRIORITY\n");
    return 2;
  }
  char bridge[160];
  snprintf(bridge, sizeof bridge,
           "ros2: {type: ros2, properties: {rate: 0, depth: %s, input_depth: %s, outputs: []}}",
           argv[1], argv[1]);
  stream_rig rig;
  stream_rig_open(&rig, bridge, atoi(argv[2]));
  setvbuf(stdout, NULL, _IOLBF, 0);
  puts("ready");
  char line[64];
  int64_t begin_ns = sn_clock_now_ns(&rig.clock);
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    const int64_t now_ns = sn_clock_now_ns(&rig.clock);
    int64_t longest_ns = 0;
    const uint64_t cycles = stream_rig_cycles(&longest_ns);
    printf("phase %s: %llu cycles of %lld, longest %lld us, %llu refused, %ld kB\n", line,
           (unsigned long long)cycles, (long long)((now_ns - begin_ns) / PERIOD_NS),
           (long long)(longest_ns / 1000),
           (unsigned long long)stream_rig_count(&rig, "ros2", "refused"), resident_kB());
    begin_ns = now_ns;
  }
  size_t count = 0;
  const stream_record *records = stream_rig_halt(&rig, &count);
  const int verdict = tell_what_came(records, count);
  stream_rig_close(&rig);
  return verdict;
}
