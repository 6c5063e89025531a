/* Fuzzes the reading of messages of ROS 1. */
#include "msg/wire/msg_ros1.h"
#include "msg_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_wire(sn__ros1_read, sn__ros1_make, sn__ros1_write, data, size);
  return 0;
}
