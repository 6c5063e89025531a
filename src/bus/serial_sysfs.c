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
#include "sinew/serial_port.h"

#define CLASS "/sys/class/tty"

/* The first line of a file, fit for a terminal; empty if there is none. */
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

int sn__serial_latency_ms(const char *path) {
  char real[256], file[384], text[32];
  /* /dev/serial/by-id/… is a link */
  char *resolved = realpath(path, NULL);
  snprintf(real, sizeof real, "%s", base_name(resolved == NULL ? path : resolved));
  free(resolved);
  snprintf(file, sizeof file, CLASS "/%s/device/latency_timer", real);
  read_line(file, text, sizeof text);
  return atoi(text);
}

/* A tty without hardware, such as a console, has no device or a driver that drives nothing. */
static bool describe(const char *name, sn_serial_info *out) {
  char file[512], target[256];
  snprintf(file, sizeof file, CLASS "/%.200s/device/driver", name);
  const ssize_t length = readlink(file, target, sizeof target - 1);
  if (length <= 0) {
    return false;
  }
  target[length] = '\0';
  const char *driver = base_name(target);
  if (strcmp(driver, "serial8250") == 0 || strcmp(driver, "port") == 0) {
    return false; /* the place for a port, mostly without one */
  }
  *out = (sn_serial_info){.latency_ms = 0};
  snprintf(out->path, sizeof out->path, "/dev/%.50s", name);
  snprintf(out->driver, sizeof out->driver, "%.31s", driver);
  /* The interface of a USB device lies one or two levels below what has the names. */
  static const char *const up[] = {"..", "../.."};
  for (size_t i = 0; i < 2 && out->product[0] == '\0'; i++) {
    snprintf(file, sizeof file, CLASS "/%.200s/device/%s/product", name, up[i]);
    read_line(file, out->product, sizeof out->product);
    snprintf(file, sizeof file, CLASS "/%.200s/device/%s/serial", name, up[i]);
    read_line(file, out->serial, sizeof out->serial);
  }
  out->latency_ms = sn__serial_latency_ms(out->path);
  return true;
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const sn_serial_info *)a)->path, ((const sn_serial_info *)b)->path);
}

size_t sn_serial_list(sn_serial_info out[SN_SERIAL_PORTS_MAX]) {
  size_t count = 0;
  DIR *folder = opendir(CLASS);
  if (folder == NULL) {
    return 0;
  }
  for (const struct dirent *entry = readdir(folder); entry != NULL && count < SN_SERIAL_PORTS_MAX;
       entry = readdir(folder)) {
    count += entry->d_name[0] != '.' && describe(entry->d_name, &out[count]);
  }
  closedir(folder);
  qsort(out, count, sizeof *out, by_path);
  return count;
}
