/* `recorder`: recordings on request, each a file in one folder. With a real clock the
   sn_recorder has its own thread; with a simulated clock each step drains it. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "msg/table.h"
#include "record/recorder.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"

enum { NAME_MAX_SIZE = 100, PATH_SIZE = 1024, NUMBER_MAX = 999999 };

static const char ending[] = ".mcap";
static const char unfinished[] = ".mcap.part";

typedef struct recorder {
  sn_component component;
  const char *folder;
  sn_texts outputs;
  double rate;
  int64_t memory_max; /* MB */
  const char *compression;
  bool has_index;
  bool start_at_once;

  bool is_simulated;
  pthread_mutex_t lock;      /* of all below; operations are called from any thread */
  sn_recorder *current;      /* NULL: nothing is being recorded */
  _Atomic bool is_recording; /* the same, for the step */
  int64_t started_ns;
  char name[NAME_MAX_SIZE + 1];
  char path[PATH_SIZE];  /* of the file that is being written */
  sn_recorder_info last; /* of the recording that ended last */
  double last_duration;
  char problem[240];
} recorder;

static const sn_property properties[] = {
    SN_PROPERTY(recorder, "folder", folder, .initial = "recordings", .flags = SN_PROPERTY_PATH,
                .doc = "Folder of the files; created with the first one."),
    SN_PROPERTY(recorder, "outputs", outputs,
                .doc = "Recorded outputs, as component.port, plant.* or !move_base.plan (not this "
                       "one); the last that fits decides; * is everything. Empty, or a '!' first: "
                       "all, derived ones 100 times a second."),
    SN_PROPERTY(recorder, "rate", rate, .unit = "Hz", .initial = "0", .min = 0, .max = 1e6,
                .doc = "Record at most so many messages a second of each output, the last of each "
                       "interval; 0: all."),
    SN_PROPERTY(
        recorder, "memory_max", memory_max, .initial = "20", .min = 1, .max = 65536, .unit = "MB",
        .doc =
            "Memory for messages that wait for being written. If it is full, new ones are lost."),
    SN_PROPERTY(recorder, "compression", compression, .initial = "zstd", .choices = "zstd|lz4|none",
                .doc = "Of the files: lz4 takes less time and more space than zstd."),
    SN_PROPERTY(recorder, "index", has_index, .initial = "true",
                .doc = "Index the messages of the files, 16 bytes each: other programs find a time "
                       "without reading the whole file."),
    SN_PROPERTY(recorder, "start_at_once", start_at_once, .initial = "false",
                .doc = "Record from the start of the system: only such a file can be replayed."),
    {0}};

static const sn_msg_field state_fields[] = {
    SN_MSG_FIELD(sn_recording_state, "recording", recording, ""),
    SN_MSG_FIELD(sn_recording_state, "name", name, ""),
    SN_MSG_FIELD(sn_recording_state, "file", file, ""),
    SN_MSG_FIELD(sn_recording_state, "messages", messages, ""),
    SN_MSG_FIELD(sn_recording_state, "lost", lost, ""),
    SN_MSG_FIELD(sn_recording_state, "bytes", bytes, ""),
    SN_MSG_FIELD(sn_recording_state, "duration", duration, "s"),
    SN_MSG_FIELD(sn_recording_state, "problem", problem, ""),
};
const sn_msg_type sn_recording_state_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "RecordingState"), .brief = "State of the recorder.",
    .size = sizeof(sn_recording_state), SN__FIELDS(state_fields)};

/* ---- names ---- */

/* A file in the folder; no special characters of shells or URLs. */
static sn_status check_name(const char *name, sn_error *err) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  const size_t length = strlen(name);
  if (length == 0 || length > NAME_MAX_SIZE || strspn(name, letters) != length || name[0] == '.' ||
      name[0] == '-') {
    return sn__fail(
        err, SN_EINVAL,
        "'%.100s' is not a valid name of a recording: up to %d letters, digits, '_', '-' and "
        "'.', not first '.' or '-'",
        name, NAME_MAX_SIZE);
  }
  return SN_OK;
}

static sn_status join(const recorder *r, const char *name, const char *end, char path[PATH_SIZE],
                      sn_error *err) {
  const int length = snprintf(path, PATH_SIZE, "%s/%s%s", r->folder, name, end);
  return length > 0 && length < PATH_SIZE
             ? SN_OK
             : sn__fail(err, SN_EINVAL, "the folder '%.100s' has too long a name", r->folder);
}

static bool exists(const recorder *r, const char *name) {
  char path[PATH_SIZE];
  struct stat facts;
  const bool is_there = join(r, name, ending, path, NULL) == SN_OK && lstat(path, &facts) == 0;
  return is_there || (join(r, name, unfinished, path, NULL) == SN_OK && lstat(path, &facts) == 0);
}

/* `rec0001`, …: one above the highest existing number, so that names are not reused. */
static sn_status choose_name(const recorder *r, char *name, size_t size, sn_error *err) {
  long highest = 0;
  DIR *folder = opendir(r->folder);
  const struct dirent *entry = NULL;
  while (folder != NULL && (entry = readdir(folder)) != NULL) {
    if (strncmp(entry->d_name, "rec", 3) == 0) {
      char *end = NULL;
      const long number = strtol(entry->d_name + 3, &end, 10);
      const bool is_ours = end != entry->d_name + 3 && *end == '.';
      highest = is_ours && number > highest && number <= NUMBER_MAX ? number : highest;
    }
  }
  if (folder != NULL) {
    closedir(folder);
  }
  snprintf(name, size, "rec%04ld", highest + 1);
  return highest < NUMBER_MAX ? SN_OK
                              : sn__fail(err, SN_ELIMIT, "no numbers are left: choose a name");
}

static sn_status make_folder(const recorder *r, sn_error *err) {
  struct stat facts;
  if (mkdir(r->folder, 0777) == 0 || (stat(r->folder, &facts) == 0 && S_ISDIR(facts.st_mode))) {
    return SN_OK;
  }
  return sn__fail(err, SN_EIO, "cannot make the folder '%.100s': %s", r->folder, strerror(errno));
}

/* Both `walk` and `walk.mcap` are accepted. */
static sn_status find_name(const recorder *r, const char *wish, char name[NAME_MAX_SIZE + 1],
                           sn_error *err) {
  sn_status status = make_folder(r, err);
  if (status != SN_OK) {
    return status;
  }
  if (wish == NULL || *wish == '\0') {
    return choose_name(r, name, NAME_MAX_SIZE + 1, err);
  }
  size_t length = strlen(wish);
  const size_t tail = sizeof ending - 1;
  if (length > tail && strcmp(wish + length - tail, ending) == 0) {
    length -= tail;
  }
  if (length > NAME_MAX_SIZE) {
    return check_name(wish, err);
  }
  memcpy(name, wish, length);
  name[length] = '\0';
  status = check_name(name, err);
  return status == SN_OK && exists(r, name)
             ? sn__fail(err, SN_EINVAL, "there is a recording '%s' already", name)
             : status;
}

/* ---- recording; the caller holds the lock ---- */

static int64_t now_of(const recorder *r) {
  return sn_clock_now_ns(sn_system_clock(r->component.system));
}

static sn_recorder_config settings_of(const recorder *r) {
  return (sn_recorder_config){.outputs = r->outputs.count == 0 ? NULL : r->outputs.data,
                              .output_count = r->outputs.count,
                              .rate_Hz = r->rate,
                              .memory_max = (size_t)r->memory_max * 1000000,
                              .is_without_index = !r->has_index,
                              .compression = r->compression};
}

/* An incomplete file has another name: files named .mcap are complete. */
static sn_status begin_recording(recorder *r, const char *wish, sn_error *err) {
  char name[NAME_MAX_SIZE + 1] = "";
  char path[PATH_SIZE] = "";
  if (r->current != NULL) {
    return sn__fail(err, SN_EBUSY, "'%s' is being recorded: stop that first", r->name);
  }
  sn_status status = find_name(r, wish, name, err);
  if (status == SN_OK) {
    status = join(r, name, unfinished, path, err);
  }
  if (status != SN_OK) {
    return status;
  }
  sn_recorder_config config = settings_of(r);
  config.path = path;
  status = sn__recorder_start(r->component.system, &config, &r->current, err);
  if (status != SN_OK) {
    (void)unlink(path); /* it is empty */
    return status;
  }
  r->started_ns = now_of(r);
  r->problem[0] = '\0';
  memcpy(r->name, name, sizeof name);
  memcpy(r->path, path, sizeof path);
  atomic_store(&r->is_recording, true);
  return SN_OK;
}

static sn_status finish_recording(recorder *r, sn_error *err) {
  char path[PATH_SIZE] = "";
  if (r->current == NULL) {
    return sn__fail(err, SN_EINVAL, "nothing is being recorded");
  }
  atomic_store(&r->is_recording, false);
  r->last_duration = 1e-9 * (double)(now_of(r) - r->started_ns);
  sn_error failure = {SN_OK, ""};
  sn_status status = sn__recorder_stop(r->current, &r->last, &failure);
  r->current = NULL;
  if (status == SN_OK) {
    status = join(r, r->name, ending, path, &failure);
  }
  if (status == SN_OK && rename(r->path, path) != 0) {
    status = sn__fail(&failure, SN_EIO, "cannot rename %.200s: %s", r->path, strerror(errno));
  }
  if (status == SN_OK) {
    memcpy(r->path, path, sizeof path);
    return SN_OK;
  }
  memcpy(r->problem, failure.message, sizeof r->problem);
  return sn__fail(err, status, "the recording is not complete: %s", failure.message);
}

/* ---- operations ---- */

static void fill(recorder *r, sn_recording_state *out) {
  const bool is_recording = r->current != NULL;
  const sn_recorder_info info = is_recording ? sn__recorder_info_of(r->current) : r->last;
  out->recording = is_recording;
  out->messages = info.recorded;
  out->lost = info.lost;
  out->bytes = info.bytes;
  out->duration = is_recording ? 1e-9 * (double)(now_of(r) - r->started_ns) : r->last_duration;
  /* Long texts are cut to the caller's capacity. */
  (void)sn_msg_text_set(&out->name, r->name);
  (void)sn_msg_text_set(&out->file, r->path);
  (void)sn_msg_text_set(&out->problem,
                        is_recording && info.status != SN_OK ? info.reason : r->problem);
}

static sn_status start_operation(sn_component *component, const void *request, void *response,
                                 sn_error *err) {
  recorder *r = (recorder *)component;
  const sn_call_name *wish = request;
  if (sn_component_state_now(component) != SN_STATE_RUNNING) {
    return sn__fail(err, SN_ESTOPPED, "%s does not run", component->name);
  }
  pthread_mutex_lock(&r->lock);
  const sn_status status = begin_recording(r, wish->name.data, err);
  if (status == SN_OK) {
    fill(r, response);
  }
  pthread_mutex_unlock(&r->lock);
  return status;
}

static sn_status stop_operation(sn_component *component, const void *request, void *response,
                                sn_error *err) {
  recorder *r = (recorder *)component;
  (void)request;
  pthread_mutex_lock(&r->lock);
  const sn_status status = finish_recording(r, err);
  if (status == SN_OK) {
    fill(r, response);
  }
  pthread_mutex_unlock(&r->lock);
  return status;
}

static sn_status get_operation(sn_component *component, const void *request, void *response,
                               sn_error *err) {
  recorder *r = (recorder *)component;
  (void)request;
  (void)err;
  pthread_mutex_lock(&r->lock);
  fill(r, response);
  pthread_mutex_unlock(&r->lock);
  return SN_OK;
}

static const sn_operation operations[] = {
    {"startRecording", SN_CLIENT_THREAD, &sn_call_name_type, &sn_recording_state_type,
     start_operation,
     "Start a file with this name in the folder; without a name, with the next number."},
    {"stopRecording", SN_CLIENT_THREAD, NULL, &sn_recording_state_type, stop_operation,
     "Finish the file and give it its final name."},
    {"getRecording", SN_CLIENT_THREAD | SN_READ_ONLY, NULL, &sn_recording_state_type, get_operation,
     "State of the recorder."},
    {0}};

/* ---- life ---- */

static void say(const recorder *r, sn_log_level level, const char *format, const char *text) {
  const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = text}};
  sn_component_log(&r->component, now_of(r), level, format, 1, args);
}

static sn_status configure(sn_component *component, sn_error *err) {
  recorder *r = (recorder *)component;
  if (*r->folder == '\0') {
    return sn__fail(err, SN_EINVAL, "the folder has no name");
  }
  r->is_simulated = sn_system_clock(component->system)->kind == SN_CLOCK_SIMULATED;
  pthread_mutex_init(&r->lock, NULL);
  return SN_OK;
}

static void cleanup(sn_component *component) {
  pthread_mutex_destroy(&((recorder *)component)->lock);
}

static sn_status on_system_started(sn_component *component, sn_error *err) {
  recorder *r = (recorder *)component;
  if (!r->start_at_once) {
    return SN_OK;
  }
  pthread_mutex_lock(&r->lock);
  const sn_status status = begin_recording(r, NULL, err);
  pthread_mutex_unlock(&r->lock);
  return status;
}

static void on_system_stopping(sn_component *component) {
  recorder *r = (recorder *)component;
  sn_error err;
  pthread_mutex_lock(&r->lock);
  const bool was_recording = r->current != NULL;
  if (was_recording && finish_recording(r, &err) != SN_OK) {
    say(r, SN_LOG_ERROR, "{}", err.message);
  } else if (was_recording) {
    say(r, SN_LOG_INFO, "recorded {}", r->path);
  }
  pthread_mutex_unlock(&r->lock);
}

/* Only a simulated clock can wait for the disk. */
static sn_status step(sn_component *component, int64_t now_ns) {
  recorder *r = (recorder *)component;
  (void)now_ns;
  if (!r->is_simulated || !atomic_load_explicit(&r->is_recording, memory_order_relaxed)) {
    return SN_OK;
  }
  pthread_mutex_lock(&r->lock);
  if (r->current != NULL) {
    (void)sn__recorder_drain(r->current, NULL); /* failures are part of its state */
  }
  pthread_mutex_unlock(&r->lock);
  return SN_OK;
}

const sn_component_type sn_recorder_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "recorder",
    .doc = "Records outputs into MCAP files on request.",
    .size = sizeof(recorder),
    .properties = properties,
    .operations = operations,
    .example =
        "components:\n"
        "  recorder:\n"
        "    type: recorder\n"
        "    properties: {outputs: [plant.joints_measured], start_at_once: true}\n",
    .configure = configure,
    .step = step,
    .cleanup = cleanup,
    .on_system_started = on_system_started,
    .on_system_stopping = on_system_stopping,
};

sn_recorder_config sn__recorder_settings(const sn_system *system) {
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    if (component->type == &sn_recorder_component) {
      return settings_of((const recorder *)component);
    }
  }
  return (sn_recorder_config){.path = NULL};
}
