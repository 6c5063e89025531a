/* Recordings under storm: complete, so that a replay gives the same bits; or honest about what is
   missing, because the disk is full, its writer slow, or the folder not there. */
#define _GNU_SOURCE

#include "storm/storm_recording.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replay/recording.h"
#include "storm/storm.h"

enum { KINDS = 16, SLOW_CYCLES = 3000 };

static sn_status start(storm_run *run, storm_recording *r) {
  static const char *const everything[] = {"*"};
  const sn_recorder_config config = {.path = r->path, .outputs = everything, .output_count = 1};
  sn_error err;
  return sn__recorder_start(run->app.system, &config, &r->recorder, &err);
}

/* Files end after so many bytes: as on a full disk, a write fails. */
static void fill_disk(storm_recording *r) {
  signal(SIGXFSZ, SIG_IGN);
  const struct rlimit limit = {(rlim_t)(100000 + sn_random_below(&r->random, 3000000)),
                               RLIM_INFINITY};
  r->is_limited = setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

bool storm_recording_begin(storm_run *run, storm_recording *r, const char *path, uint64_t seed) {
  *r = (storm_recording){.kind = (storm_recording_kind)(seed % KINDS)};
  sn_random_init(&r->random, seed);
  if (path != NULL) {
    r->kind = STORM_RECORDING_GIVEN;
    snprintf(r->path, sizeof r->path, "%s", path);
  } else if (r->kind >= STORM_RECORDING_NONE) {
    return true;
  } else {
    const char *folder = getenv("TMPDIR");
    snprintf(r->path, sizeof r->path, "%s/sinew-storm-%ld%s.mcap", folder == NULL ? "/tmp" : folder,
             (long)getpid(), r->kind == STORM_RECORDING_NO_FOLDER ? "/none/none" : "");
  }
  const sn_status status = start(run, r);
  if (r->kind == STORM_RECORDING_NO_FOLDER) {
    return status == SN_EIO || storm_violate(run, "a recording in no folder begins");
  }
  if (r->kind == STORM_RECORDING_FULL) {
    fill_disk(r);
  }
  return status == SN_OK || storm_violate(run, "the recording %s does not begin", r->path);
}

bool storm_recording_cycle(storm_run *run, storm_recording *r) {
  sn_error err;
  if (r->recorder == NULL ||
      (r->kind == STORM_RECORDING_SLOW && sn_random_below(&r->random, SLOW_CYCLES) != 0)) {
    return true;
  }
  if (sn__recorder_drain(r->recorder, &err) != SN_OK) {
    r->has_failed = true;
    return r->is_limited || storm_violate(run, "the recording failed: %.150s", err.message);
  }
  return true;
}

/* ---- the file ---- */

/* The journal is not counted. */

static bool count_messages(storm_recording *r, uint64_t *count) {
  recording file;
  sn_mcap_message message;
  *count = 0;
  if (!recording_open(&file, r->path, NULL)) {
    return false;
  }
  while (recording_next(&file, &message)) {
    *count += strcmp(message.channel->topic, SN_RECORDER_JOURNAL) != 0;
  }
  recording_close(&file);
  return true;
}

/* `sinew replay` in a process of its own. @return its exit code */
static int replay(const storm_recording *r) {
  fflush(NULL);
  const pid_t pid = fork();
  if (pid == 0) {
    if (freopen("/dev/null", "w", stdout) == NULL) {
      _exit(3);
    }
    execl("/proc/self/exe", "sinew", "replay", r->path, (char *)NULL);
    _exit(3);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool check_file(storm_run *run, storm_recording *r, const sn_recorder_info *info) {
  if (r->has_failed) {
    return (info->status != SN_OK && info->reason[0] != '\0' && info->lost > 0) ||
           storm_violate(run, "a recording that failed says nothing of it");
  }
  uint64_t count = 0;
  const bool is_read = count_messages(r, &count);
  if (!is_read || count != info->recorded) {
    return storm_violate(run, "the recording has %llu messages, its recorder counts %llu",
                         (unsigned long long)count, (unsigned long long)info->recorded);
  }
  if (r->kind == STORM_RECORDING_WHOLE && info->lost > 0) {
    return storm_violate(run, "the recording lost %llu messages", (unsigned long long)info->lost);
  }
  return r->kind != STORM_RECORDING_WHOLE || replay(r) == 0 ||
         storm_violate(run, "a replay of the recording differs");
}

bool storm_recording_end(storm_run *run, storm_recording *r) {
  if (r->recorder == NULL) {
    return true;
  }
  sn_recorder_info info = {0};
  sn_error err;
  const sn_status status = sn__recorder_stop(r->recorder, &info, &err);
  r->has_failed = r->has_failed || (status != SN_OK && r->is_limited);
  r->recorder = NULL;
  const struct rlimit free_again = {RLIM_INFINITY, RLIM_INFINITY};
  (void)setrlimit(RLIMIT_FSIZE, &free_again);
  if (r->kind == STORM_RECORDING_GIVEN) {
    return true;
  }
  const bool good = run->violation[0] != '\0' || check_file(run, r, &info);
  (void)unlink(r->path);
  return good;
}
