/* Fuzzes the reading of messages of ROS 1. */
#include "msg_target.h"
#include "sinew/msg_ros1.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_wire(sn_ros1_read, sn_ros1_make, sn_ros1_write, data, size);
  return 0;
}
