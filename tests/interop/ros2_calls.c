/* Calls a service of a running robot as a node with rmw_cyclonedds_cpp does: each of COUNT calls
   is answered once. Exit 0 on success, otherwise it prints the failed check.
   usage: ros2_calls COUNT
          ros2_calls found     prints the time from the start of its participant until the service
   is connected, ms */
#include "ros2_peer.h"
#include "ros2_rig.h"

enum { OPEN_MAX_COUNT = 5 /* requests without an answer */, QUIET_MS = 500 };

static void note(unsigned char *seen, int64_t count, int64_t number) {
  CHECK(number > 0 && number <= count, "an answer to request %lld", (long long)number);
  CHECK(seen[number] == 0, "request %lld was answered twice", (long long)number);
  seen[number] = 1;
}

/* The number of the next response for this client; 0: none so far. */
static int64_t take(const rig_client *c) {
  dds_sample_info_t info;
  int64_t number = 0;
  void *s = NULL;
  while (number == 0 && (s = rig_next(c->reader, 0, &info)) != NULL) {
    const std_srvs_srv_dds__SetBool_Response_ *answer = s;
    if (answer->client == c->client) {
      CHECK(answer->success, "refused: %s", answer->message);
      number = answer->number;
    }
    rig_give_back(c->reader, s);
  }
  return number;
}

static rig_client open_client(dds_entity_t participant) {
  return rig_open_client(participant, "/follow/rosSetOperational",
                         &std_srvs_srv_dds__SetBool_Request__desc,
                         &std_srvs_srv_dds__SetBool_Response__desc);
}

static void find(void) {
  const dds_time_t began = dds_time();
  const dds_entity_t participant = rig_participant();
  (void)open_client(participant);
  printf("%lld\n", (long long)((dds_time() - began) / DDS_MSECS(1)));
  dds_delete(participant);
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "found") == 0) {
    find();
    return 0;
  }
  const int64_t count = argc == 2 ? atoll(argv[1]) : 0;
  if (count <= 0) {
    fputs("usage: ros2_calls COUNT | found\n", stderr);
    return 2;
  }
  const dds_entity_t participant = rig_participant();
  rig_client c = open_client(participant);
  unsigned char *seen = calloc((size_t)count + 1, 1);
  CHECK(seen != NULL, "out of memory");
  int64_t answered = 0;
  for (int idle_ms = 0; idle_ms < PATIENCE_MS && (answered < count || idle_ms < QUIET_MS);) {
    while (c.number < count && c.number - answered < OPEN_MAX_COUNT) {
      std_srvs_srv_dds__SetBool_Request_ request = {.data = false};
      (void)rig_send(&c, &request);
    }
    const int64_t number = take(&c);
    if (number != 0) {
      note(seen, count, number);
      answered++;
      idle_ms = 0;
    } else {
      dds_sleepfor(DDS_MSECS(1));
      idle_ms++;
    }
  }
  CHECK(answered == count, "%lld of %lld answers", (long long)answered, (long long)count);
  free(seen);
  dds_delete(participant);
  puts("ros2_calls: every call was answered once");
  return 0;
}
