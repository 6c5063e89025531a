#define _POSIX_C_SOURCE 200809L

#include "view/view_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "sinew/msg_calls.h"

#define COMPONENT "recordings"

typedef struct chooser {
  sn_component component;
  view_files *files;
} chooser;

bool view_files_init(view_files *files, const char *path) {
  const char *slash = strrchr(path, '/');
  const size_t length = slash == NULL ? 1 : slash == path ? 1 : (size_t)(slash - path);
  if (length >= sizeof files->folder) {
    return false;
  }
  *files = (view_files){0};
  memcpy(files->folder, slash == NULL ? "." : path, length);
  pthread_mutex_init(&files->lock, NULL);
  return true;
}

void view_files_free(view_files *files) {
  pthread_mutex_destroy(&files->lock);
}

/* ---- the component ---- */

static bool is_name(const char *name) {
  const char *ending = strrchr(name, '.');
  return name[0] != '.' && strchr(name, '/') == NULL && strlen(name) < VIEW_FILE_SIZE &&
         ending != NULL && strcmp(ending, ".mcap") == 0;
}

/* Whether it can be played shows when it is opened. */
static sn_status find(const view_files *files, const char *name, sn_error *err) {
  char path[VIEW_PATH_SIZE];
  struct stat info;
  if (!is_name(name)) {
    return sn__fail(err, SN_EINVAL, "'%.100s' is not the name of a recording: NAME.mcap", name);
  }
  const int length = snprintf(path, sizeof path, "%s/%s", files->folder, name);
  if (length < 0 || length >= (int)sizeof path) {
    return sn__fail(err, SN_ELIMIT, "%.100s: the path is too long", name);
  }
  if (stat(path, &info) != 0) {
    return sn__fail(err, SN_ENOENT, "%.200s: cannot read: %s", path, strerror(errno));
  }
  return S_ISREG(info.st_mode)
             ? SN_OK
             : sn__fail(err, SN_EINVAL, "%.200s: cannot read: it is not a file", path);
}

static sn_status play(sn_component *component, const void *request, void *response, sn_error *err) {
  view_files *files = ((chooser *)component)->files;
  const sn_call_name *call = request;
  (void)response;
  const sn_status status = find(files, call->name.data, err);
  if (status == SN_OK) {
    pthread_mutex_lock(&files->lock);
    snprintf(files->wanted, sizeof files->wanted, "%s", call->name.data);
    pthread_mutex_unlock(&files->lock);
  }
  return status;
}

static const sn_operation operations[] = {
    {"play", SN_CLIENT_THREAD, &sn_call_name_type, NULL, play,
     "Play this recording of the same folder instead, for all pages."},
    {0}};

static const sn_component_type chooser_type = {.abi = SN_COMPONENT_ABI,
                                               .name = COMPONENT,
                                               .doc = "Other recordings of the folder.",
                                               .size = sizeof(chooser),
                                               .operations = operations};

sn_status view_files_add(view_files *files, sn_system *system, sn_error *err) {
  sn_component *component = sn_system_find(system, COMPONENT);
  if (component != NULL) {
    return SN_OK;
  }
  const sn_status status = sn_system_add(system, &chooser_type, COMPONENT, &component, err);
  if (status == SN_OK) {
    ((chooser *)component)->files = files;
  }
  return status;
}

/* ---- the program ---- */

bool view_files_is_wanted(view_files *files) {
  pthread_mutex_lock(&files->lock);
  const bool is_wanted = files->wanted[0] != '\0';
  pthread_mutex_unlock(&files->lock);
  return is_wanted;
}

bool view_files_take(view_files *files, char *path, size_t size) {
  pthread_mutex_lock(&files->lock);
  const int length = snprintf(path, size, "%s/%s", files->folder, files->wanted);
  const bool is_wanted = files->wanted[0] != '\0' && length > 0 && (size_t)length < size;
  files->wanted[0] = '\0';
  pthread_mutex_unlock(&files->lock);
  return is_wanted;
}
