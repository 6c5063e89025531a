/* Reads the document and what it includes as one tree. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/report_internal.h"
#include "mjcf/mjcf_context.h"

typedef struct reading {
  sn__mjcf *m;
  const char *files[SN__MJCF_FILES_MAX];
  size_t file_count;
  size_t byte_count;
} reading;

static sn__xml_verdict keep(void *context, sn_report *report, const sn__xml_node *parent,
                            const char *name, sn_place place) {
  (void)context, (void)report, (void)parent, (void)name, (void)place;
  return SN__XML_KEEP;
}

static sn_status parse(reading *r, const char *file, const char *text, size_t size,
                       sn__xml_node **root) {
  const sn__xml_config config = {.file = file,
                                 .size_max = SN__MJCF_FILE_MAX,
                                 .depth_max = SN__MJCF_DEPTH_MAX,
                                 .attribute_max = 64u << 10,
                                 .attributes_max = 256,
                                 .judge = keep};
  return sn__xml_parse(r->m->arena, text, size, &config, r->m->report, root);
}

/* Why a file cannot be included, or NULL. */
static const char *include_problem(const reading *r, const char *path, size_t depth) {
  if (r->m->config->read == NULL) {
    return "no file can be read here";
  }
  if (depth >= SN__MJCF_INCLUDES_MAX || r->file_count == SN__MJCF_FILES_MAX ||
      r->byte_count > SN__MJCF_BYTES_MAX) {
    return "too many files are included";
  }
  for (size_t i = 0; i < r->file_count; i++) {
    if (strcmp(r->files[i], path) == 0) {
      return "a file can be included once only";
    }
  }
  return NULL;
}

static sn_status read_included(reading *r, const sn__xml_node *node, const char *path,
                               sn__xml_node **root) {
  sn__file file;
  sn_error why = {0};
  sn_status status = r->m->config->read(r->m->config->context, path, &file, &why);
  if (status != SN_OK) {
    sn__mjcf_problem(r->m, SN_SEVERITY_ERROR, node,
                     "an included file must be in the folder of the robot or below it",
                     "<include>: %.200s", why.message);
    return status;
  }
  const char *name = sn__report_text(r->m->report, path);
  r->byte_count += file.size;
  r->files[r->file_count++] = name;
  status = name == NULL ? SN_ENOMEM : parse(r, name, file.text, file.size, root);
  sn__file_free(&file);
  if (status == SN_OK && strcmp((*root)->name, "mujoco") != 0 &&
      strcmp((*root)->name, "mujocoinclude") != 0) {
    sn__mjcf_problem(r->m, SN_SEVERITY_ERROR, *root, NULL,
                     "the root element is <%.60s>, expected <mujoco> or <mujocoinclude>",
                     (*root)->name);
    status = SN_EMODEL;
  }
  return status;
}

static sn_status splice(reading *r, sn__xml_node *element, size_t depth);

/* Names are relative to the folder of the document, whichever file has them. */
static sn_status include(reading *r, const sn__xml_node *node, size_t depth, sn__xml_node **first) {
  const char *name = sn__xml_attribute_value(node, "file");
  const char *path = name == NULL ? NULL : sn__file_beside(r->m->arena, r->m->config->file, name);
  if (name == NULL || path == NULL) {
    sn__mjcf_problem(r->m, SN_SEVERITY_ERROR, node, NULL, "<include> names no file");
    return name == NULL ? SN_EMODEL : SN_ENOMEM;
  }
  const char *problem = include_problem(r, path, depth);
  if (problem != NULL) {
    sn__mjcf_problem(r->m, SN_SEVERITY_ERROR, node, NULL, "<include> of '%.100s': %s", name,
                     problem);
    return SN_EMODEL;
  }
  sn__xml_node *root = NULL;
  sn_status status = read_included(r, node, path, &root);
  status = status == SN_OK ? splice(r, root, depth + 1) : status;
  *first = status == SN_OK ? root->first_child : NULL;
  return status;
}

/* Replace every <include> below an element by what it includes. */
/* NOLINTNEXTLINE(misc-no-recursion): files and their elements nest to a bound */
static sn_status splice(reading *r, sn__xml_node *element, size_t depth) {
  sn__xml_node **link = &element->first_child;
  while (*link != NULL) {
    sn_status status = SN_OK;
    if (sn__xml_same((*link)->name, "include")) {
      sn__xml_node *after = (*link)->next, *first = NULL;
      status = include(r, *link, depth, &first);
      *link = first;
      while (*link != NULL) {
        link = &(*link)->next;
      }
      *link = after;
    } else {
      status = splice(r, *link, depth);
      link = &(*link)->next;
    }
    if (status != SN_OK) {
      return status;
    }
  }
  return SN_OK;
}

sn_status sn__mjcf_read(sn__mjcf *m, const char *text, size_t size, const sn__xml_node **root) {
  reading r = {.m = m};
  sn__xml_node *tree = NULL;
  r.files[r.file_count++] = m->config->file;
  sn_status status = parse(&r, m->config->file, text, size, &tree);
  status = status == SN_OK ? splice(&r, tree, 0) : status;
  *root = tree;
  return status;
}
