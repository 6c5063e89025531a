/* Fuzzes the reading of CDR, as it comes from ROS 2 or out of a file. */
#include "msg_target.h"
#include "sinew/msg_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_wire(sn_cdr_read, sn_cdr_make, sn_cdr_write, data, size);
  return 0;
}
