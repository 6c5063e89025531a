/* Fuzzes ros_discovery_info samples. The first byte selects the size of gids. */
#include <stdint.h>
#include <string.h>

#include "ros/ros2/discovery_info.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A search for a writer terminates, and finds only valid names. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 17) {
    return 0;
  }
  const size_t gid_size = data[0] % 2 == 0 ? 16 : 24;
  sn__ros2_gid participant;
  sn__ros2_gid writer;
  char name[64];
  memcpy(writer.bytes, data + 1, sizeof writer.bytes);
  const uint8_t *bytes = data + 17;
  (void)sn__ros2_info_check(bytes, size - 17, gid_size, &participant);
  if (sn__ros2_info_find(bytes, size - 17, gid_size, &writer, name, sizeof name)) {
    SN_ASSERT(strlen(name) < sizeof name);
    SN_ASSERT(strchr(name, '/') != NULL);
  }
  (void)sn__ros2_info_has_node(bytes, size - 17, gid_size, "/", "sinew");
  return 0;
}
