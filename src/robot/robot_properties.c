/* The property file of the robot, read and replaced as a whole by clients that set up a robot. */
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/report_internal.h"
#include "files/file.h"
#include "files/file_replace.h"
#include "movements/named_poses.h"
#include "msg/outcome.h"
#include "robot/robot_model_urdf.h"
#include "sinew/msg_calls.h"

/* What a text is checked with; problems name the file that it would replace. */
typedef struct check {
  sn_arena arena, report_arena;
  sn_report *report;
  const char *path, *urdf;
  const sn_model *model; /* the robot as it is */
} check;

static sn_status find_path(const sn_component *component, const char **out, sn_error *err) {
  *out = sn__robot_model_property_file(component);
  if (**out == '\0') {
    return sn__fail(err, SN_EUNSUPPORTED,
                    "the robot has no property file: name one that has 'robot: my_robot.urdf' as "
                    "robot of the deployment");
  }
  return SN_OK;
}

static sn_status not_configured(sn_error *err) {
  return sn__fail(err, SN_ENOTCONFIGURED, "the robot model is not configured");
}

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

/* What the file begins with if it does not exist yet. Quotes: a name may hold anything. */
static sn_status get_new(const sn_component *component, sn_msg_text *out, sn_error *err) {
  char text[512] = "robot: '";
  size_t length = strlen(text);
  const char *name = file_name(sn__robot_model_file(component));
  for (; *name != '\0' && length < sizeof text - 4; name++) {
    text[length++] = *name;
    if (*name == '\'') {
      text[length++] = '\'';
    }
  }
  memcpy(text + length, "'\n", 3);
  return *name == '\0' && sn_msg_text_set(out, text) == SN_OK
             ? SN_OK
             : sn__fail(err, SN_ENOSPC, "the name of the robot does not fit into the message");
}

sn_status sn__robot_get_properties(sn_component *component, const void *request, void *response,
                                   sn_error *err) {
  const char *path = NULL;
  sn__file file;
  (void)request;
  const sn_robot_model *service = sn__robot_model_of(component);
  if (service == NULL || !sn__robot_model_is_configured(service)) {
    return not_configured(err);
  }
  sn_status status = find_path(component, &path, err);
  if (status == SN_OK && access(path, F_OK) != 0) {
    return get_new(component, &((sn_call_text *)response)->text, err);
  }
  status = status == SN_OK ? sn__file_read(path, SN_VALUE_SIZE_MAX, NULL, &file, err) : status;
  if (status != SN_OK) {
    return status;
  }
  status = sn_msg_text_set(&((sn_call_text *)response)->text, file.text);
  if (status != SN_OK) {
    status = sn__fail(err, SN_ENOSPC, "'%.150s' does not fit into the message", path);
  }
  sn__file_free(&file);
  return status;
}

/* The running robot is the one that the new text is checked with. A file that does not exist yet,
   or names no robot, belongs to the URDF beside it. */
static sn_status check_robot(check *c, const sn_value *root, sn_error *err) {
  const sn_value *now = NULL;
  const sn_value *robot = sn_value_find(root, "robot");
  if (access(c->path, F_OK) == 0 && sn_value_load(&c->arena, c->path, c->report, &now) != SN_OK) {
    return sn__report_fail(c->report, SN_EINVAL, err);
  }
  const sn_value *before = now == NULL ? NULL : sn_value_find(now, "robot");
  const char *name =
      before == NULL || before->kind != SN_VALUE_TEXT ? file_name(c->urdf) : before->text;
  const bool is_same = robot == NULL
                           ? now != NULL && before == NULL
                           : robot->kind == SN_VALUE_TEXT && strcmp(robot->text, name) == 0;
  return is_same ? SN_OK
                 : sn__fail(err, SN_EINVAL, "%.150s: 'robot' must stay '%.100s'", c->path, name);
}

static sn_status check_text(check *c, const char *text, sn_error *err) {
  const sn_value *root = NULL;
  const sn_model *model = NULL;
  sn__named_poses poses = {0};
  size_t size = 0;
  if (sn_value_parse_yaml(&c->arena, text, strlen(text), c->path, c->report, &root) != SN_OK) {
    return sn__report_fail(c->report, SN_EINVAL, err);
  }
  sn_status status = check_robot(c, root, err);
  if (status == SN_OK) {
    const char *description = sn_model_description(c->model, &size);
    const sn_model_config config = {.properties = root};
    status = sn_model_parse(&c->arena, description, size, &config, c->report, &model, err);
  }
  return status != SN_OK ? status
                         : sn__named_poses_read(&c->arena, model, sn_value_find(root, "poses"),
                                                NULL, &poses, err);
}

static sn_status save(const sn_component *component, const sn_model *model, const char *text,
                      sn_error *err) {
  check c = {.urdf = sn__robot_model_file(component), .model = model};
  sn_status status = find_path(component, &c.path, err);
  if (status != SN_OK) {
    return status;
  }
  const char *path = c.path;
  if (!sn__file_has_ending(path, ".yaml") && !sn__file_has_ending(path, ".yml")) {
    return sn__fail(err, SN_EUNSUPPORTED, "%.150s: only .yaml files can be saved", path);
  }
  sn_arena_init_growing(&c.arena, "properties", 0);
  sn_arena_init_growing(&c.report_arena, "problems", 0);
  status = sn_report_create(&c.report_arena, &c.report, err);
  status = status == SN_OK ? check_text(&c, text, err) : status;
  status = status == SN_OK ? sn__file_replace(path, text, strlen(text), err) : status;
  sn_arena_release(&c.report_arena);
  sn_arena_release(&c.arena);
  return status;
}

sn_status sn__robot_save_properties(sn_component *component, const void *request, void *response,
                                    sn_error *err) {
  sn_robot_model *service = sn__robot_model_of(component);
  const sn_model *model = service == NULL ? NULL : sn__robot_model_hold(service);
  sn_error why = {.message = ""};
  if (model == NULL) {
    return not_configured(err);
  }
  const char *text = ((const sn_call_text *)request)->text.data;
  const sn_status status = save(component, model, text, &why);
  sn__robot_model_release(service);
  return sn__outcome_put(response, status, &why);
}
