#include "xacro_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "sn_test.h"
#include "xacro/xacro.h"

static char result[1 << 16];

static bool find_package(void *context, const char *name, char *folder, size_t size,
                         sn_error *why) {
  (void)context;
  const bool is_known = strcmp(name, "pkg") == 0;
  if (!is_known) {
    (void)sn__fail(why, SN_EIO, "only 'pkg' exists");
  }
  snprintf(folder, size, "/pkg");
  return is_known;
}

static sn_status read_file(void *context, const char *path, sn__file *file, sn_error *why) {
  const xacro_file *one = context;
  while (one != NULL && one->path != NULL && strcmp(one->path, path) != 0) {
    one++;
  }
  if (one == NULL || one->path == NULL) {
    return sn__fail(why, SN_EIO, "%s: No such file or directory", path);
  }
  file->size = strlen(one->text);
  file->text = malloc(file->size + 1);
  assert_non_null(file->text);
  memcpy(file->text, one->text, file->size + 1);
  return SN_OK;
}

static void print_problems(const sn_report *report) {
  size_t used = 0;
  for (size_t i = 0; i < sn_report_count(report); i++) {
    const sn_problem *p = sn_report_at(report, i);
    used +=
        (size_t)snprintf(result + used, sizeof result - used, "%s%s:%u:%u: %s%s%s%s\n",
                         p->severity == SN_SEVERITY_ERROR ? "error: " : "warning: ", p->place.file,
                         p->place.line, p->place.column, p->message, p->hint == NULL ? "" : " (",
                         p->hint == NULL ? "" : p->hint, p->hint == NULL ? "" : ")");
  }
}

const char *xacro_expand(const char *text, const xacro_file *files, const char *const *arguments) {
  const sn__xacro_config config = {
      .file = "r.xacro",
      .arguments = arguments,
      .files = {.context = (void *)files, .find_package = find_package, .read = read_file}};
  sn_arena arena, problems;
  sn_report *report = NULL;
  const sn__xml_node *root = NULL;
  sn_arena_init_growing(&arena, "xacro", 0);
  sn_arena_init_growing(&problems, "problems", 0);
  assert_int_equal(sn_report_create(&problems, &report, NULL), SN_OK);
  const sn_status status = sn__xacro_expand(&arena, text, strlen(text), &config, report, &root);
  if (status != SN_OK) {
    assert_true(sn_report_error_count(report) > 0);
    print_problems(report);
  } else {
    size_t size = 0;
    const char *whole = sn__xml_write(&arena, root, SN__XACRO_BYTES_MAX, &size);
    assert_true(size < sizeof result);
    snprintf(result, sizeof result, "%s", strchr(whole, '\n') + 1);
  }
  sn_arena_release(&arena);
  sn_arena_release(&problems);
  return result;
}

const char *xacro_inside(const char *inside) {
  static char flat[1 << 16];
  char whole[1 << 14];
  snprintf(whole, sizeof whole, "<r xmlns:xacro=\"x\">%s</r>", inside);
  const char *text = xacro_expand(whole, NULL, NULL);
  if (strncmp(text, "<r", 2) != 0) {
    return text;
  }
  size_t used = 0;
  for (const char *line = text; *line != '\0';) {
    line += strspn(line, " ");
    const size_t length = strcspn(line, "\n");
    memcpy(flat + used, line, length);
    used += length;
    line += length + (line[length] == '\n');
  }
  flat[used] = '\0';
  if (strcmp(flat, "<r/>") == 0) {
    return "";
  }
  assert_int_equal(strncmp(flat, "<r>", 3), 0);
  flat[used - strlen("</r>")] = '\0';
  return flat + strlen("<r>");
}
