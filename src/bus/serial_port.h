/** @file
 *  Serial ports of Linux, for servos: raw bytes at any baud rate, one owner at a time.
 *
 *  Plain termios2 and sysfs: the one setting that matters most for a bus of servos, the latency of
 *  the USB adapter, is a Linux matter, and so is the group that may open a port. */
#ifndef SN_BUS_SERIAL_PORT_H
#define SN_BUS_SERIAL_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** A value; `fd` is -1 if it is not open. Treat it as private. */
typedef struct sn_serial_port {
  int fd;
  int latency_ms; /**< of the adapter; 0: unknown */
} sn_serial_port;

/** Open for reading and writing: 8 bits, no parity, 1 stop bit, no flow control, not blocking,
 *  exclusive. Sets an adapter that supports it to low latency.
 *  @param path  /dev/ttyUSB0, …
 *  @param baud  bits a second, 1200 .. 12000000
 *  @param err   receives the reason in the user's words; may be NULL
 *  @return SN_OK, SN_ENOENT (no such port: the message lists the existing ones), SN_EBUSY
 *          (in use by another process), SN_EIO (no permission: the message names the group; not a
 *  serial port; failed), SN_EINVAL (invalid baud rate)
 *  RT: no.  Threads: any. */
SN_API sn_status sn__serial_open(const char *path, int64_t baud, sn_serial_port *out,
                                 sn_error *err);

/** Close; a port that is not open is left alone. RT: no. */
SN_API void sn__serial_close(sn_serial_port *port);

/** Read the available bytes, at most @p size.
 *  @return how many; 0: none; -1: the port is gone.  RT: no, calls the system. */
long sn__serial_read(sn_serial_port *port, uint8_t *out, size_t size);

/** Write bytes. @return how many the port accepted; -1: the port is gone.  RT: no. */
long sn__serial_write(sn_serial_port *port, const uint8_t *bytes, size_t count);

/** Wait until something can be read, or @p wait_ns have passed, or @p wake_fd (-1: none) can be
 *  read. @return false if the port is gone.  RT: no, waits. */
bool sn__serial_wait(const sn_serial_port *port, int wake_fd, int64_t wait_ns);

#define SN_SERIAL_PORTS_MAX 32

/** A port that this machine has. */
typedef struct sn_serial_info {
  char path[64];
  char driver[32];  /**< of the kernel; empty if unknown */
  char vendor[64];  /**< of the USB adapter; likewise */
  char product[96]; /**< product name */
  char serial[64];  /**< its serial number */
  char usb_id[16];  /**< `0403:6014`: vendor and product in numbers */
  int latency_ms;   /**< 0: not known */
} sn_serial_info;

/** List the ports with hardware. @return how many are in @p out.  RT: no. */
SN_API size_t sn__serial_list(sn_serial_info out[SN_SERIAL_PORTS_MAX]);

SN_END_DECLS

#endif
