#include "bus/bus_pass.h"

enum { KERNEL_BUFFER = 4096, FULL_BUFFER_BYTES = 16 };

/* @return false if the port is gone */
static bool receive_bytes(sn_bus_engine *engine, sn_serial_port *port, const sn_clock *clock) {
  uint8_t bytes[KERNEL_BUFFER];
  const long got = sn__serial_read(port, bytes, sizeof bytes);
  if (got > 0) {
    sn__bus_engine_input(engine, bytes, (size_t)got, sn_clock_now_ns(clock));
  }
  return got >= 0;
}

static bool send_bytes(sn_bus_engine *engine, sn_serial_port *port, const sn_clock *clock) {
  size_t count = 0;
  const uint8_t *out = sn__bus_engine_output(engine, &count);
  if (count == 0) {
    return true;
  }
  if (engine->out_done == 0 &&
      !receive_bytes(engine, port, clock)) { /* flush bytes of earlier exchanges */
    return false;
  }
  const long written = sn__serial_write(port, out, count);
  if (written > 0) {
    sn__bus_engine_wrote(engine, (size_t)written, sn_clock_now_ns(clock));
  }
  return written >= 0;
}

bool sn__bus_pass(sn_bus_engine *engine, sn_serial_port *port, const sn_clock *clock,
                  int64_t wait_max_ns, int64_t *heard_ns) {
  if (!send_bytes(engine, port, clock)) {
    return false;
  }
  size_t left = 0;
  (void)sn__bus_engine_output(engine, &left);
  int64_t wait_ns = left > 0 ? engine->byte_ns * FULL_BUFFER_BYTES /* the kernel's buffer is full */
                             : sn__bus_engine_wake_ns(engine) - sn_clock_now_ns(clock);
  wait_ns = wait_ns > wait_max_ns ? wait_max_ns : wait_ns;
  if (!sn__serial_wait(port, -1, wait_ns)) {
    return false;
  }
  *heard_ns = sn_clock_now_ns(clock); /* taken before the read, which may be delayed */
  return receive_bytes(engine, port, clock);
}
