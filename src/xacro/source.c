/* Files of the document, each read once. */
#include <string.h>

#include "base/fail.h"
#include "base/report_internal.h"
#include "xacro/expand.h"

const char *sn__xacro_path(sn__xacro *x, const char *name) {
  const char *path = sn__file_beside(x->arena, sn__xacro_current_file(x), name);
  if (path == NULL) {
    x->status = SN_ENOMEM;
  }
  return path;
}

static sn__xacro_file *keep(sn__xacro *x, const char *path, const char *text, size_t size) {
  sn__xacro_file *file = sn__xacro_alloc(x, sizeof *file);
  if (file != NULL) {
    *file = (sn__xacro_file){.path = path, .text = text, .size = size, .next = x->files};
    x->files = file;
  }
  return file;
}

sn__xacro_file *sn__xacro_read_path(sn__xacro *x, const char *path, sn_status *status,
                                    sn_error *why) {
  for (sn__xacro_file *f = x->files; f != NULL; f = f->next) {
    if (strcmp(f->path, path) == 0) {
      return f;
    }
  }
  const sn__xacro_files *files = &x->config->files;
  sn__file read = {0};
  *status = files->read == NULL ? sn__fail(why, SN_EIO, "%s: no files are read here", path)
                                : files->read(files->context, path, &read, why);
  if (*status != SN_OK) {
    return NULL;
  }
  const char *text = sn__xacro_copy(x, read.text, read.size);
  const char *kept = sn__report_text(x->report, path); /* problems refer to it */
  const size_t size = read.size;
  sn__file_free(&read);
  *status = SN_ENOMEM;
  return text == NULL || kept == NULL ? NULL : keep(x, kept, text, size);
}

sn__xacro_file *sn__xacro_read_file(sn__xacro *x, const char *name, sn_status *status,
                                    sn_error *why) {
  const char *path = sn__xacro_path(x, name);
  *status = path == NULL ? SN_ENOMEM : SN_OK;
  return path == NULL ? NULL : sn__xacro_read_path(x, path, status, why);
}

static sn__xml_verdict keep_all(void *context, sn_report *report, const sn__xml_node *parent,
                                const char *name, sn_place place) {
  (void)context, (void)report, (void)parent, (void)name, (void)place;
  return SN__XML_KEEP;
}

bool sn__xacro_parse(sn__xacro *x, sn__xacro_file *file) {
  const sn__xml_config config = {.file = file->path,
                                 .size_max = SN__XACRO_FILE_MAX,
                                 .depth_max = 200,
                                 .attribute_max = (size_t)64 << 10,
                                 .attributes_max = SN__XACRO_ATTRIBUTES_MAX,
                                 .keep_content = true,
                                 .judge = keep_all};
  sn__xml_node *root = NULL;
  if (file->root != NULL) {
    return true;
  }
  const sn_status status =
      sn__xml_parse(x->arena, file->text, file->size, &config, x->report, &root);
  if (status != SN_OK) {
    x->status = x->status == SN_OK ? status : x->status;
    return false;
  }
  file->root = root;
  return true;
}

sn__xacro_file *sn__xacro_add_document(sn__xacro *x, const char *text, size_t size) {
  return keep(x, x->config->file, text, size);
}
