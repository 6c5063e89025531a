/** @file
 *  Internal: what sysfs tells about a serial port. */
#ifndef SN_BUS_SERIAL_SYSFS_H
#define SN_BUS_SERIAL_SYSFS_H

/** Milliseconds for which the adapter collects bytes; 0 if it does not say. */
int sn__serial_latency_ms(const char *path);

#endif
