/* Checks that change nothing and need no privileges. */
#define _GNU_SOURCE

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/share.h"
#include "doctor/doctor.h"
#include "run/bridges.h"
#include "run/control_path.h"
#include "sinew/component.h"
#include "sinew/components.h"

/* ---- helpers ---- */

static void report(doctor_finding *f, doctor_verdict verdict, const char *format, ...)
    SN_PRINTF(3, 4);
static void suggest_fix(doctor_finding *f, const char *format, ...) SN_PRINTF(2, 3);

static void report(doctor_finding *f, doctor_verdict verdict, const char *format, ...) {
  va_list args;
  va_start(args, format);
  f->verdict = verdict;
  vsnprintf(f->text, sizeof f->text, format, args);
  va_end(args);
}

static void suggest_fix(doctor_finding *f, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(f->fix, sizeof f->fix, format, args);
  va_end(args);
}

/* The first line of a small file. @return false if it cannot be read */
static bool read_line(const char *path, char *line, size_t size) {
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    return false;
  }
  const bool has_line = fgets(line, (int)size, file) != NULL;
  fclose(file);
  line[has_line ? strcspn(line, "\n") : 0] = '\0';
  return has_line;
}

/* ---- the system ---- */

static void check_kernel(const doctor_options *options, doctor_finding *f) {
  (void)options;
  struct utsname name;
  char line[16];
  if (uname(&name) != 0) {
    report(f, DOCTOR_FAIR, "the kernel version is unknown");
    return;
  }
  const bool is_real_time = strstr(name.version, "PREEMPT_RT") != NULL ||
                            (read_line("/sys/kernel/realtime", line, sizeof line) && *line == '1');
  if (is_real_time) {
    report(f, DOCTOR_GOOD, "%s %s, PREEMPT_RT", name.sysname, name.release);
    return;
  }
  report(f, DOCTOR_FAIR, "%s %s, without PREEMPT_RT: cycles may be late under load", name.sysname,
         name.release);
  suggest_fix(
      f,
      "sudo apt-get install linux-image-rt-amd64 (or -arm64), then boot it; simulation needs "
      "none of it");
}

static void check_priority(const doctor_options *options, doctor_finding *f) {
  (void)options;
  struct rlimit limit = {0};
  getrlimit(RLIMIT_RTPRIO, &limit);
  if (geteuid() == 0) {
    report(f, DOCTOR_GOOD, "SCHED_FIFO is allowed: this is root");
    return;
  }
  if (limit.rlim_cur >= 80) {
    report(f, DOCTOR_GOOD, "SCHED_FIFO is allowed up to priority %llu",
           (unsigned long long)limit.rlim_cur);
    return;
  }
  report(f, DOCTOR_FAIR, "SCHED_FIFO is allowed up to priority %llu, 80 is recommended",
         (unsigned long long)limit.rlim_cur);
  suggest_fix(
      f,
      "echo '@realtime - rtprio 98' | sudo tee /etc/security/limits.d/sinew.conf; sudo groupadd "
      "-f realtime; sudo usermod -aG realtime $USER; log in again");
}

static void check_memory(const doctor_options *options, doctor_finding *f) {
  (void)options;
  struct rlimit limit = {0};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  if (geteuid() == 0 || limit.rlim_cur == RLIM_INFINITY) {
    if (mlockall(MCL_CURRENT) == 0) {
      munlockall();
      report(f, DOCTOR_GOOD, "memory can be locked");
      return;
    }
    report(f, DOCTOR_FAIR, "memory cannot be locked: %s", strerror(errno));
    suggest_fix(f, "in a container: start it with --ulimit memlock=-1 --cap-add IPC_LOCK");
    return;
  }
  report(f, DOCTOR_FAIR, "memory can be locked up to %llu kB only",
         (unsigned long long)(limit.rlim_cur / 1024));
  suggest_fix(
      f,
      "echo '@realtime - memlock unlimited' | sudo tee -a /etc/security/limits.d/sinew.conf; "
      "see 'priority' for the group; log in again");
}

static void check_sleep(const doctor_options *options, doctor_finding *f) {
  (void)options;
  if (access("/dev/cpu_dma_latency", F_OK) != 0) {
    report(f, DOCTOR_GOOD,
           "/dev/cpu_dma_latency does not exist: processors do not enter deep sleep states");
  } else if (access("/dev/cpu_dma_latency", W_OK) == 0) {
    report(f, DOCTOR_GOOD, "/dev/cpu_dma_latency can be written: processors can be kept awake");
  } else {
    report(f, DOCTOR_FAIR, "/dev/cpu_dma_latency cannot be written: waking up may take 200 us");
    suggest_fix(
        f,
        "echo 'KERNEL==\"cpu_dma_latency\", GROUP=\"realtime\", MODE=\"0660\"' | sudo tee "
        "/etc/udev/rules.d/60-sinew.rules; sudo udevadm control --reload; sudo udevadm trigger");
  }
}

static void check_governor(const doctor_options *options, doctor_finding *f) {
  (void)options;
  char governor[64];
  if (!read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor,
                 sizeof governor)) {
    report(f, DOCTOR_GOOD, "this machine has no frequency governor");
  } else if (strcmp(governor, "performance") == 0) {
    report(f, DOCTOR_GOOD, "the frequency governor is 'performance'");
  } else {
    report(f, DOCTOR_FAIR, "the frequency governor is '%.30s': cycle times vary", governor);
    suggest_fix(f, "sudo cpupower frequency-set -g performance (package linux-cpupower)");
  }
}

static void check_cores(const doctor_options *options, doctor_finding *f) {
  (void)options;
  cpu_set_t set;
  CPU_ZERO(&set);
  const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  report(f, count > 1 ? DOCTOR_GOOD : DOCTOR_FAIR, "%d processor%s available", count,
         count == 1 ? "" : "s");
  if (count == 1) {
    suggest_fix(
        f, "control, cockpit and recorder share one processor: use a machine with two or more");
  }
}

/* ---- permissions of the user ---- */

/* Does the process belong to a group? */
static bool is_in_group(const char *name) {
  const struct group *wanted = getgrnam(name);
  gid_t groups[256];
  const int count = getgroups(256, groups);
  for (int i = 0; wanted != NULL && i < count; i++) {
    if (groups[i] == wanted->gr_gid) {
      return true;
    }
  }
  return wanted != NULL && getegid() == wanted->gr_gid;
}

static void check_groups(const doctor_options *options, doctor_finding *f) {
  (void)options;
  if (geteuid() == 0) {
    report(f, DOCTOR_GOOD, "serial ports can be opened: this is root");
  } else if (is_in_group("dialout")) {
    report(f, DOCTOR_GOOD, "serial ports can be opened: group dialout");
  } else {
    report(f, DOCTOR_FAIR, "serial ports cannot be opened: not in group dialout");
    suggest_fix(f, "sudo usermod -aG dialout $USER; log in again (servos on USB adapters need it)");
  }
}

static void check_port(const doctor_options *options, doctor_finding *f) {
  const struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)options->port),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  if (fd < 0) {
    report(f, DOCTOR_BAD, "no sockets: %s", strerror(errno));
    suggest_fix(f, "the cockpit needs TCP on loopback: allow it in this container or sandbox");
    return;
  }
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(fd, (const struct sockaddr *)&address, sizeof address) == 0) {
    report(f, DOCTOR_GOOD, "port %d is free for the cockpit", (int)options->port);
  } else {
    report(f, DOCTOR_FAIR, "port %d is taken: %s", (int)options->port, strerror(errno));
    suggest_fix(
        f,
        "sinew run FILE --port N takes another; 'ss -ltnp sport = :%d' shows which program uses "
        "this one",
        (int)options->port);
  }
  close(fd);
}

static void check_socket(const doctor_options *options, doctor_finding *f) {
  (void)options;
  char path[CONTROL_PATH_SIZE];
  sn_error err;
  if (control_path(NULL, NULL, path, &err) == SN_OK) {
    report(f, DOCTOR_GOOD, "control socket: %.200s", path);
  } else {
    report(f, DOCTOR_BAD, "no folder for the control socket: %.200s", err.message);
    suggest_fix(f, "set XDG_RUNTIME_DIR to a folder that you own with mode 0700");
  }
}

/* ---- the program ---- */

static void check_program(const doctor_options *options, doctor_finding *f) {
  (void)options;
  sn_arena arena;
  sn_arena_init_growing(&arena, "types", 0);
  sn_component_registry *registry = sn_component_registry_create(&arena);
  const bool is_good = registry != NULL && sn_components_add(registry, NULL) == SN_OK &&
                       sn_bridges_add(registry, NULL) == SN_OK;
  const size_t count = is_good ? sn_component_registry_count(registry) : 0;
  const bool has_cockpit = is_good && sn_component_registry_find(registry, "cockpit") != NULL;
  report(f,
         !is_good      ? DOCTOR_BAD
         : has_cockpit ? DOCTOR_GOOD
                       : DOCTOR_FAIR,
         "sinew %s with %zu component types, %s the cockpit", SINEW_VERSION, count,
         has_cockpit ? "with" : "without");
  if (!is_good) {
    suggest_fix(f, "the program is damaged: install it again");
  } else if (!has_cockpit) {
    suggest_fix(f, "sudo apt-get install libwebsockets-dev, then build with -DSINEW_COCKPIT=ON");
  }
  sn_arena_release(&arena);
}

static void check_files(const doctor_options *options, doctor_finding *f) {
  (void)options;
  char path[SHARE_PATH_SIZE];
  if (share_look("deployments/demo.yaml", path)) {
    report(f, DOCTOR_GOOD, "robots and deployments: %.200s", path);
  } else {
    report(f, DOCTOR_BAD, "the robots and deployments of Sinew are not found");
    suggest_fix(f,
                "make install, or set SINEW_SHARE to the folder that holds robots and deployments");
  }
}

const doctor_check doctor_checks[] = {
    {"program", check_program},
    {"files", check_files},
    {"kernel", check_kernel},
    {"priority", check_priority},
    {"memory", check_memory},
    {"cores", check_cores},
    {"governor", check_governor},
    {"sleep", check_sleep},
    {"latency", doctor_latency},
    {"serial", check_groups},
    {"port", check_port},
    {"socket", check_socket},
    {NULL, NULL},
};
