/* How long the queue of each output is. Messages of some outputs are a thousand times as large as
   those of others and much rarer, so equal lengths would waste most of the memory. */
#include <math.h>

#include "base/fail.h"
#include "record/recording.h"
#include "rt/ports/tap_internal.h"

/* However large its messages are. */
enum { LENGTH_LEAST = 4 };

static size_t least_of(size_t longest) {
  return longest < LENGTH_LEAST ? longest : LENGTH_LEAST;
}

static size_t length_within(size_t message_size, size_t bytes, size_t longest) {
  const size_t length = bytes / message_size;
  const size_t least = least_of(longest);
  return length < least ? least : length > longest ? longest : length;
}

/* What all queues take if none takes more than @p bytes, unless it is as short as possible. */
static double memory_of(const sn__recording *recording, size_t bytes, size_t longest) {
  double sum = 0.0;
  for (size_t i = 0; i < recording->topic_count; i++) {
    const sn__recording_topic *topic = &recording->topics[i];
    const size_t length = length_within(topic->message_size, bytes, longest);
    sum += (double)topic->fixed_size + (double)length * (double)topic->message_size;
  }
  return sum;
}

/* The memory of a queue grows with its length, from a few slots that it always has. */
static void measure(const sn__recording *recording, sn__recording_topic *topic, const char *path) {
  const size_t one = sn__tap_memory(recording->system, path, &(sn_connection){.buffer = 1});
  const size_t two = sn__tap_memory(recording->system, path, &(sn_connection){.buffer = 2});
  topic->message_size = two > one ? two - one : 1; /* an unknown output is refused later */
  topic->fixed_size = two > one ? one - topic->message_size : 0;
}

/* Equal shares for all outputs that need as much; the others get what they need. */
sn_status sn__recording_share_memory(sn__recording *recording, const char *const *paths,
                                     const sn_recorder_config *config, sn_error *err) {
  const size_t limit = config->memory_max == 0 ? SN_RECORDER_MEMORY : config->memory_max;
  const size_t longest = config->buffer == 0 ? SN_RECORDER_BUFFER : config->buffer;
  for (size_t i = 0; i < recording->topic_count; i++) {
    measure(recording, &recording->topics[i], paths[i]);
  }
  const double needed = memory_of(recording, 0, longest);
  if (needed > (double)limit) {
    return sn__fail(err, SN_ELIMIT,
                    "recorder: queues of %zu messages for each of %zu outputs take %.1f MB, "
                    "memory_max is %.1f MB: set it higher, or record fewer outputs",
                    least_of(longest), recording->topic_count, 1e-6 * needed, 1e-6 * (double)limit);
  }
  size_t low = 0;
  for (size_t high = limit; low < high;) {
    const size_t middle = low + (high - low + 1) / 2;
    if (memory_of(recording, middle, longest) <= (double)limit) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  for (size_t i = 0; i < recording->topic_count; i++) {
    sn__recording_topic *topic = &recording->topics[i];
    topic->length = length_within(topic->message_size, low, longest);
  }
  return SN_OK;
}
