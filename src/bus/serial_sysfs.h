/** @file
 *  Internal: serial ports in sysfs. */
#ifndef SN_BUS_SERIAL_SYSFS_H
#define SN_BUS_SERIAL_SYSFS_H

#include "bus/serial_port.h"

/** Latency timer of the adapter, ms; 0 if unknown. */
int sn__serial_latency_ms(const char *path);

/** The ports below a folder such as /sys/class/tty. @return how many */
size_t sn__serial_list_in(const char *folder, sn_serial_info out[SN_SERIAL_PORTS_MAX]);

#endif
