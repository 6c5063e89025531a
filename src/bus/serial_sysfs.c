/* For readlink. */
#define _GNU_SOURCE

#include "bus/serial_sysfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "bus/serial_port.h"

#define CLASS "/sys/class/tty"

/* The first line of a file, printable; empty if there is none. */
static void read_line(const char *path, char *out, size_t size) {
  char line[128] = "";
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    const ssize_t count = read(fd, line, sizeof line - 1);
    line[count > 0 ? count : 0] = '\0';
    close(fd);
  }
  line[strcspn(line, "\n")] = '\0';
  (void)sn__text_clean(line, out, size);
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static int latency_of(const char *folder, const char *name) {
  char file[512], text[32];
  snprintf(file, sizeof file, "%.200s/%.200s/device/latency_timer", folder, name);
  read_line(file, text, sizeof text);
  return atoi(text);
}

int sn__serial_latency_ms(const char *path) {
  /* /dev/serial/by-id/… is a link */
  char *resolved = realpath(path, NULL);
  const int latency_ms = latency_of(CLASS, base_name(resolved == NULL ? path : resolved));
  free(resolved);
  return latency_ms;
}

/* The names of the USB device; @p up is its path from the port. @return whether it exists
 */
static bool describe_usb(const char *folder, const char *name, const char *up,
                         sn_serial_info *out) {
  char device[480], file[512], vendor_id[8], product_id[8];
  snprintf(device, sizeof device, "%.200s/%.200s/device/%s", folder, name, up);
  const struct {
    const char *file;
    char *out;
    size_t size;
  } lines[] = {{"manufacturer", out->vendor, sizeof out->vendor},
               {"product", out->product, sizeof out->product},
               {"serial", out->serial, sizeof out->serial},
               {"idVendor", vendor_id, sizeof vendor_id},
               {"idProduct", product_id, sizeof product_id}};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    snprintf(file, sizeof file, "%s/%s", device, lines[i].file);
    read_line(file, lines[i].out, lines[i].size);
  }
  if (vendor_id[0] == '\0') {
    return false;
  }
  snprintf(out->usb_id, sizeof out->usb_id, "%.4s:%.4s", vendor_id, product_id);
  return true;
}

/* A tty without hardware, such as a console, has no device or a driver that drives nothing. */
static bool describe(const char *folder, const char *name, sn_serial_info *out) {
  char file[512], target[256];
  snprintf(file, sizeof file, "%.200s/%.200s/device/driver", folder, name);
  const ssize_t length = readlink(file, target, sizeof target - 1);
  if (length <= 0) {
    return false;
  }
  target[length] = '\0';
  const char *driver = base_name(target);
  if (strcmp(driver, "serial8250") == 0 || strcmp(driver, "port") == 0) {
    return false; /* a platform slot, usually without a port */
  }
  *out = (sn_serial_info){.latency_ms = 0};
  snprintf(out->path, sizeof out->path, "/dev/%.50s", name);
  snprintf(out->driver, sizeof out->driver, "%.31s", driver);
  /* The interface of a USB device is one or two levels below the device that has the names. */
  if (!describe_usb(folder, name, "..", out)) {
    (void)describe_usb(folder, name, "../..", out);
  }
  out->latency_ms = latency_of(folder, name);
  return true;
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const sn_serial_info *)a)->path, ((const sn_serial_info *)b)->path);
}

size_t sn__serial_list_in(const char *folder, sn_serial_info out[SN_SERIAL_PORTS_MAX]) {
  size_t count = 0;
  DIR *entries = opendir(folder);
  if (entries == NULL) {
    return 0;
  }
  for (const struct dirent *entry = readdir(entries); entry != NULL && count < SN_SERIAL_PORTS_MAX;
       entry = readdir(entries)) {
    count += entry->d_name[0] != '.' && describe(folder, entry->d_name, &out[count]);
  }
  closedir(entries);
  qsort(out, count, sizeof *out, by_path);
  return count;
}

size_t sn__serial_list(sn_serial_info out[SN_SERIAL_PORTS_MAX]) {
  return sn__serial_list_in(CLASS, out);
}
