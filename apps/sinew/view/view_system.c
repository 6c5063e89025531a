#include "view/view_system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "record/recorder.h"
#include "run/bridges.h"
#include "sinew/components.h"
#include "sinew/value.h"
#include "view/view_topics.h"

enum { LOG_RECORDS = 1024 };
#define PERIOD_NS INT64_C(5000000)

/* ---- the robot ---- */

/* The component with the robot in the attached deployment. */
static const sn_value *find_robot_model(const sn_value *root) {
  const sn_value *components = sn_value_find(root, "components");
  for (size_t i = 0; components != NULL && i < components->item_count; i++) {
    const sn_value *type = sn_value_find(components->items[i], "type");
    if (type != NULL && type->text != NULL && strcmp(type->text, SN_ROBOT_MODEL) == 0) {
      return components->items[i];
    }
  }
  return NULL;
}

static sn_status set_all(sn_system *system, sn_component *component, const sn_value *bag,
                         sn_report *report, sn_error *err) {
  sn_status status = SN_OK;
  for (size_t i = 0; bag != NULL && i < bag->item_count && status == SN_OK; i++) {
    status = sn_system_set(system, component, bag->items[i]->name, bag->items[i], report, err);
  }
  return status;
}

/* The robot is shown as it was recorded. A recording of another program has none. */
static sn_status add_robot(view_system *v, sn_error *err) {
  const char *text = NULL;
  size_t size = 0;
  sn_report *report = NULL;
  const sn_value *root = NULL;
  if (sn__mcap_reader_attachment(v->file.reader, SN_RECORDER_DEPLOYMENT, &v->arena, &text, &size,
                                 NULL) != SN_OK) {
    return SN_OK;
  }
  sn_status status = sn_report_create(&v->arena, &report, err);
  if (status != SN_OK) {
    return status;
  }
  if (sn_value_parse_yaml(&v->arena, text, size, SN_RECORDER_DEPLOYMENT, report, &root) != SN_OK) {
    return sn__fail(err, SN_ESYNTAX, "its attachment %s is damaged", SN_RECORDER_DEPLOYMENT);
  }
  const sn_value *model = find_robot_model(root);
  if (model == NULL) {
    return SN_OK;
  }
  sn_component *component = NULL;
  status = sn_system_add(v->system, &sn_robot_model_component, model->name, &component, err);
  if (status == SN_OK) {
    status = set_all(v->system, component, sn_value_find(model, "properties"), report, err);
  }
  v->has_robot = status == SN_OK;
  return status;
}

/* ---- the cockpit ---- */

static sn_status set_text(view_system *v, const char *name, const char *text, sn_report *report,
                          sn_error *err) {
  const sn_value value = {.name = "", .kind = SN_VALUE_TEXT, .text = text, .place.file = name};
  return sn_system_set(v->system, v->cockpit, name, &value, report, err);
}

static sn_status add_cockpit(view_system *v, int port, const char *path, const char *folder,
                             sn_error *err) {
  char number[16];
  sn_report *report = NULL;
  const char *slash = strrchr(path, '/');
  v->playback = player_playback(&v->player, slash == NULL ? path : slash + 1);
  sn_status status = sn_bridges_add_player(v->system, &v->playback, &v->cockpit, err);
  snprintf(number, sizeof number, "%d", port);
  if (status == SN_OK) {
    status = sn_report_create(&v->arena, &report, err);
  }
  if (status == SN_OK) {
    status = set_text(v, "port", number, report, err);
  }
  return status == SN_OK ? set_text(v, "recordings", folder, report, err) : status;
}

/* ---- all of it ---- */

static sn_status build(view_system *v, const char *path, int port, view_files *files,
                       sn_error *err) {
  const sn_activity_config config = {.name = "playback", .period_ns = PERIOD_NS, .max_lost = 1.0};
  sn_activity *activity = NULL;
  sn_clock_init_monotonic(&v->clock);
  sn_status status = sn_log_create(&v->arena, LOG_RECORDS, &v->log, err);
  if (status == SN_OK) {
    v->system = sn_system_create(&(sn_system_config){.clock = &v->clock, .log = v->log});
    status = v->system == NULL ? sn__fail(err, SN_ENOMEM, "no memory") : SN_OK;
  }
  if (status == SN_OK) {
    status = sn_system_add_activity(v->system, &config, &activity, err);
  }
  if (status == SN_OK) {
    status = add_robot(v, err);
  }
  if (status == SN_OK) {
    status = view_topics_add(v->system, activity, &v->arena, &v->player, &v->hidden, err);
  }
  if (status == SN_OK) {
    status = view_files_add(files, v->system, err);
  }
  return status == SN_OK ? add_cockpit(v, port, path, files->folder, err) : status;
}

static bool survey(view_system *v, const char *path) {
  sn_mcap_parts parts = {0};
  uint64_t damaged = 0;
  sn_error err = {SN_OK, ""};
  const sn_status status = sn__mcap_reader_survey(v->file.reader, &parts, &damaged, &err);
  player_init(&v->player, v->file.reader, parts);
  if (status != SN_OK || parts.count == 0) {
    fprintf(stderr, "%s: error: %s\n", path,
            status != SN_OK ? err.message : "the recording has no messages that can be played");
    return false;
  }
  if (damaged > 0) {
    fprintf(stderr, "%s: warning: %" PRIu64 " damaged records are left out; the first: %s\n", path,
            damaged, err.message);
  }
  if (!sn__mcap_reader_info(v->file.reader).is_complete) {
    fprintf(stderr,
            "%s: warning: the file was not closed: what follows its last chunk is missing\n", path);
  }
  return true;
}

bool view_system_open(view_system *v, const char *path, int port, view_files *files) {
  sn_error err = {SN_OK, ""};
  *v = (view_system){0};
  sn_arena_init_growing(&v->arena, "view", 0);
  if (!recording_open(&v->file, path, NULL)) {
    return false;
  }
  if (!survey(v, path)) {
    return false;
  }
  if (build(v, path, port, files, &err) != SN_OK) {
    fprintf(stderr, "%s: error: %s\n", path, err.message);
    return false;
  }
  return true;
}

void view_system_free(view_system *v) {
  sn_system_destroy(v->system);
  if (v->file.reader != NULL) {
    player_free(&v->player);
    recording_close(&v->file);
  }
  sn_arena_release(&v->arena);
}
