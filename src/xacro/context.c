#include "xacro/context.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

/* ---- memory ---- */

static void *alloc(sn__xacro *x, size_t size, size_t align) {
  if (sn_arena_used(x->arena) - x->bytes_before > SN__XACRO_BYTES_MAX ||
      size > SN__XACRO_BYTES_MAX) {
    sn__xacro_fail(x, SN_ELIMIT, "a macro may call itself without end",
                   "the expansion needs more than %zu MiB of memory", SN__XACRO_BYTES_MAX >> 20);
    return NULL;
  }
  void *memory = sn_arena_alloc(x->arena, size, align);
  if (memory == NULL) {
    x->status = x->status == SN_OK ? SN_ENOMEM : x->status;
  }
  return memory;
}

void *sn__xacro_alloc(sn__xacro *x, size_t size) {
  return alloc(x, size, _Alignof(max_align_t));
}

char *sn__xacro_copy(sn__xacro *x, const char *text, size_t length) {
  char *copy = alloc(x, length + 1, 1);
  if (copy != NULL && length > 0) {
    memcpy(copy, text, length);
  }
  return copy;
}

/* ---- messages ---- */

const char *sn__xacro_current_file(const sn__xacro *x) {
  return x->node == NULL ? x->config->file : x->node->place.file;
}

/* The place of the attribute, where there is one. */
static sn_place present_place(const sn__xacro *x) {
  sn_place place = {.file = x->config->file};
  if (x->node != NULL) {
    place = x->node->place;
  }
  for (const sn__xacro_file *f = x->files; f != NULL && x->attribute != NULL; f = f->next) {
    if (x->node != NULL && f->path == place.file) {
      place = sn__xml_attribute_place(f->text, f->size, x->node, x->attribute);
      break;
    }
  }
  place.origin = x->origin;
  return place;
}

sn_origin sn__xacro_origin(const sn__xacro *x, const char *what, const char *verb,
                           const char *name) {
  sn_place place = x->node == NULL ? (sn_place){.file = x->config->file} : x->node->place;
  place.origin = x->origin;
  return (sn_origin){.what = what, .verb = verb, .name = name, .place = place};
}

const sn_origin *sn__xacro_new_origin(sn__xacro *x, const char *what, const char *verb,
                                      const char *name) {
  sn_origin *origin = sn__xacro_alloc(x, sizeof *origin);
  if (origin != NULL) {
    *origin = sn__xacro_origin(x, what, verb, name);
  }
  return origin;
}

bool sn__xacro_fail(sn__xacro *x, sn_status status, const char *hint, const char *format, ...) {
  if (x->status != SN_OK) {
    return false; /* the first error counts */
  }
  x->status = status;
  char message[SN__TEXT_MAX];
  va_list args;
  va_start(args, format);
  sn__text_format(message, sizeof message, format, args);
  va_end(args);
  sn__report_add(x->report, SN_SEVERITY_ERROR, present_place(x), hint, "%s", message);
  return false;
}

void sn__xacro_warn(sn__xacro *x, const char *format, ...) {
  char message[SN__TEXT_MAX];
  va_list args;
  va_start(args, format);
  sn__text_format(message, sizeof message, format, args);
  va_end(args);
  sn__report_add(x->report, SN_SEVERITY_WARNING, present_place(x), NULL, "%s", message);
}

/* ---- bounds ---- */

bool sn__xacro_enter(sn__xacro *x) {
  if (x->depth >= SN__XACRO_DEPTH_MAX) {
    return sn__xacro_fail(x, SN_ELIMIT, "a macro or a property may refer to itself without end",
                          "elements, macros and expressions are nested more than %u deep",
                          SN__XACRO_DEPTH_MAX);
  }
  x->depth++;
  return true;
}

void sn__xacro_leave(sn__xacro *x) {
  x->depth--;
}

bool sn__xacro_step(sn__xacro *x, size_t count) {
  x->step_count += count;
  return x->step_count <= SN__XACRO_STEPS_MAX ||
         sn__xacro_fail(x, SN_ELIMIT, NULL, "the expressions take more than %u steps",
                        SN__XACRO_STEPS_MAX);
}

/* ---- texts that grow ---- */

bool sn__xtext_put(sn__xacro *x, sn__xtext *out, const char *text, size_t length) {
  if (out->length + length > SN__XTEXT_MAX) {
    return sn__xacro_fail(x, SN_ELIMIT, NULL, "a text has more than %zu bytes", SN__XTEXT_MAX);
  }
  if (out->length + length + 1 > out->capacity) {
    const size_t capacity = 2 * (out->length + length) + 32;
    char *grown = sn__xacro_alloc(x, capacity);
    if (grown == NULL) {
      return false;
    }
    if (out->length > 0) {
      memcpy(grown, out->text, out->length);
    }
    out->text = grown;
    out->capacity = capacity;
  }
  if (length > 0) {
    memcpy(out->text + out->length, text, length);
  }
  out->length += length;
  return true;
}

bool sn__xtext_add(sn__xacro *x, sn__xtext *out, const char *text) {
  return sn__xtext_put(x, out, text, strlen(text));
}

const char *sn__xtext_end(sn__xacro *x, sn__xtext *out) {
  if (!sn__xtext_put(x, out, "", 0)) {
    return NULL;
  }
  out->text[out->length] = '\0';
  return out->text;
}

const char *sn__xacro_take_scratch(sn__xacro *x, size_t begin) {
  const char *text = x->scratch.text == NULL ? "" : x->scratch.text + begin;
  const char *copy = sn__xacro_copy(x, text, x->scratch.length - begin);
  x->scratch.length = begin;
  return copy;
}
