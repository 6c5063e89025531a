#include <string.h>
#include <yaml.h>

#include "base/report_internal.h"
#include "files/value_tree.h"
#include "sinew/value.h"

/* One pass over the events of libyaml. Its composer is not used: events need no extra memory and do
 * not expand aliases. */
typedef struct reader {
  yaml_parser_t parser;
  sn__value_builder builder;
  sn_report *report;
  const char *file;
  char *key; /* waiting for its value; NULL if a key comes next */
  sn_place key_place;
  sn_arena *scratch;
  bool any_root; /* a single value, which need not be a mapping */
  bool is_done;
  sn_status status;
} reader;

static sn_place place_of(const reader *r, yaml_mark_t mark) {
  return (sn_place){
      .file = r->file, .line = (unsigned)mark.line + 1, .column = (unsigned)mark.column + 1};
}

static void reject(reader *r, yaml_mark_t mark, const char *hint, const char *message) {
  sn__report_add(r->report, SN_SEVERITY_ERROR, place_of(r, mark), hint, "%s", message);
  r->status = SN_ESYNTAX;
}

static bool is_in_bag(const reader *r) {
  return r->builder.depth > 0 &&
         r->builder.levels[r->builder.depth - 1].value->kind == SN_VALUE_BAG;
}

/* A value in a bag needs a key. @return the name to give it */
static const char *take_key(reader *r) {
  const char *key = r->key == NULL ? "" : r->key;
  r->key = NULL;
  return key;
}

static void open_level(reader *r, const yaml_event_t *event, sn_value_kind kind) {
  const sn_place place = r->key == NULL ? place_of(r, event->start_mark) : r->key_place;
  if (r->builder.depth == 0 && kind != SN_VALUE_BAG && !r->any_root) {
    reject(r, event->start_mark, NULL, "a property file is a mapping of names to values");
    return;
  }
  if (is_in_bag(r) && r->key == NULL) {
    reject(r, event->start_mark, NULL, "a key must be a plain text");
    return;
  }
  if (!sn__value_open(&r->builder, take_key(r), kind, place)) {
    r->status = r->builder.is_out_of_memory ? SN_ENOMEM : SN_ELIMIT;
  }
}

static void add_scalar(reader *r, const yaml_event_t *event) {
  const char *text = (const char *)event->data.scalar.value;
  if (strlen(text) != event->data.scalar.length) {
    reject(r, event->start_mark, NULL, "a text must not hold NUL, a control character");
    return;
  }
  if (r->builder.depth == 0 && !r->any_root) {
    /* An empty document is an empty file; anything else is not a mapping. */
    if (*text != '\0') {
      reject(r, event->start_mark, NULL, "a property file is a mapping of names to values");
    } else if (!sn__value_open(&r->builder, "", SN_VALUE_BAG, place_of(r, event->start_mark)) ||
               !sn__value_close(&r->builder)) {
      r->status = SN_ENOMEM;
    }
    return;
  }
  if (is_in_bag(r) && r->key == NULL) {
    if (*text == '\0') {
      reject(r, event->start_mark, NULL, "a key must not be empty");
      return;
    }
    r->key = sn_arena_text(r->scratch, text, strlen(text));
    r->key_place = place_of(r, event->start_mark);
    r->status = r->key == NULL ? SN_ENOMEM : SN_OK;
    return;
  }
  const bool has_name = r->key != NULL;
  sn_value *value = sn__value_text(&r->builder, take_key(r), text, place_of(r, event->start_mark));
  if (value == NULL || r->builder.is_out_of_memory) {
    r->status = SN_ENOMEM;
  } else if (has_name) {
    value->name_place = r->key_place;
  }
}

static bool has_anchor_or_tag(const yaml_event_t *event) {
  switch (event->type) {
    case YAML_SCALAR_EVENT:
      return event->data.scalar.anchor != NULL || event->data.scalar.tag != NULL;
    case YAML_SEQUENCE_START_EVENT:
      return event->data.sequence_start.anchor != NULL || event->data.sequence_start.tag != NULL;
    case YAML_MAPPING_START_EVENT:
      return event->data.mapping_start.anchor != NULL || event->data.mapping_start.tag != NULL;
    default:
      return false;
  }
}

static void on_event(reader *r, const yaml_event_t *event) {
  if (event->type == YAML_ALIAS_EVENT || has_anchor_or_tag(event)) {
    reject(r, event->start_mark, "write the value out",
           "anchors, aliases and tags are not allowed");
    return;
  }
  switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
      if (r->builder.root != NULL) {
        reject(r, event->start_mark, NULL,
               "a property file is one document, a second one begins here");
      }
      break;
    case YAML_SCALAR_EVENT:
      add_scalar(r, event);
      break;
    case YAML_SEQUENCE_START_EVENT:
      open_level(r, event, SN_VALUE_LIST);
      break;
    case YAML_MAPPING_START_EVENT:
      open_level(r, event, SN_VALUE_BAG);
      break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      r->status = sn__value_close(&r->builder) ? SN_OK : SN_ENOMEM;
      break;
    case YAML_STREAM_END_EVENT:
      r->is_done = true;
      break;
    default:
      break;
  }
}

static void report_parser(reader *r) {
  if (r->parser.error == YAML_MEMORY_ERROR) {
    r->status = SN_ENOMEM;
    return;
  }
  const char *problem = r->parser.problem == NULL ? "unreadable" : r->parser.problem;
  sn__report_add(r->report, SN_SEVERITY_ERROR, place_of(r, r->parser.problem_mark), NULL,
                 "not well-formed YAML: %s", problem);
  r->status = SN_ESYNTAX;
}

static sn_status run(reader *r, const char *text, size_t size) {
  yaml_parser_set_input_string(&r->parser, (const unsigned char *)text, size);
  while (!r->is_done && r->status == SN_OK) {
    yaml_event_t event;
    if (!yaml_parser_parse(&r->parser, &event)) {
      report_parser(r);
      break;
    }
    on_event(r, &event);
    yaml_event_delete(&event);
  }
  return r->status;
}

static sn_status parse(sn_arena *arena, const char *text, size_t size, const char *file,
                       bool any_root, sn_report *report, const sn_value **out) {
  const size_t errors_before = sn_report_error_count(report);
  const char *file_copy = sn_arena_text(arena, file, strlen(file));
  if (file_copy == NULL) {
    return SN_ENOMEM;
  }
  if (size > SN_VALUE_SIZE_MAX) {
    sn__report_add(report, SN_SEVERITY_ERROR, (sn_place){.file = file_copy}, NULL,
                   "the file has %zu bytes, at most %u are allowed", size, SN_VALUE_SIZE_MAX);
    return SN_ELIMIT;
  }
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "yaml scratch", 64 * 1024);
  reader r = {.report = report, .file = file_copy, .scratch = &scratch, .any_root = any_root};
  sn__value_builder_init(&r.builder, arena, &scratch, report);
  sn_status status = SN_ENOMEM;
  if (yaml_parser_initialize(&r.parser)) {
    status = run(&r, text, size);
    yaml_parser_delete(&r.parser);
  }
  if (status == SN_OK && sn_report_error_count(report) > errors_before) {
    status = SN_ESYNTAX; /* such as a name that appears twice */
  }
  if (status == SN_OK && r.builder.root == NULL) { /* nothing in the file but comments */
    const sn_place place = {.file = file_copy, .line = 1, .column = 1};
    const bool good = any_root ? sn__value_text(&r.builder, "", "", place) != NULL
                               : sn__value_open(&r.builder, "", SN_VALUE_BAG, place) &&
                                     sn__value_close(&r.builder);
    status = good && !r.builder.is_out_of_memory ? SN_OK : SN_ENOMEM;
  }
  if (status == SN_OK) {
    *out = r.builder.root;
  }
  sn_arena_release(&scratch);
  return status;
}

sn_status sn_value_parse_yaml(sn_arena *arena, const char *text, size_t size, const char *file,
                              sn_report *report, const sn_value **out) {
  return parse(arena, text, size, file, false, report, out);
}

sn_status sn_value_parse_text(sn_arena *arena, const char *text, size_t size, const char *file,
                              sn_report *report, const sn_value **out) {
  return parse(arena, text, size, file, true, report, out);
}
