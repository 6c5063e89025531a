/** @file
 *  Internal: what sysfs tells about a serial port. */
#ifndef SN_BUS_SERIAL_SYSFS_H
#define SN_BUS_SERIAL_SYSFS_H

#include "bus/serial_port.h"

/** Milliseconds for which the adapter collects bytes; 0 if it does not say. */
int sn__serial_latency_ms(const char *path);

/** The ports below a folder such as /sys/class/tty. @return how many */
size_t sn__serial_list_in(const char *folder, sn_serial_info out[SN_SERIAL_PORTS_MAX]);

#endif
