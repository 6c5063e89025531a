/* YAML files as values, with the types of YAML 1.1 as PyYAML reads them. */
#include <string.h>

#include "base/fail.h"
#include "xacro/expr/expr.h"
#include "xacro/scope.h"

#if SINEW_YAML
#include <yaml.h>

enum { DEPTH_MAX = 64, ANCHORS_MAX = 1000 };

typedef struct anchor {
  const char *name;
  sn__xvalue value;
  struct anchor *next;
} anchor;

typedef struct reader {
  sn__xacro *x;
  yaml_parser_t parser;
  const char *file;
  anchor *anchors;
  size_t anchor_count;
  int depth;
} reader;

static bool fail(reader *r, yaml_mark_t mark, const char *message) {
  return sn__xacro_fail(r->x, SN_EMODEL, NULL, "%.200s:%zu:%zu: %.200s", r->file, mark.line + 1,
                        mark.column + 1, message);
}

/* The next event; it must be deleted. */
static bool next_event(reader *r, yaml_event_t *event) {
  if (yaml_parser_parse(&r->parser, event)) {
    return true;
  }
  return fail(r, r->parser.problem_mark,
              r->parser.problem == NULL ? "not YAML" : r->parser.problem);
}

static bool is_one_of(const char *text, const char *words) {
  const size_t length = strlen(text);
  for (const char *at = words; length > 0 && (at = strstr(at, text)) != NULL; at += length) {
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
      return true;
    }
  }
  return false;
}

/* A float has a point, and a sign in its exponent: 1e3 and 1.0e3 are texts in YAML 1.1. */
static bool is_float(const char *text) {
  const char *point = strchr(text, '.'), *exponent = strpbrk(text, "eE");
  return point != NULL &&
         (exponent == NULL || (point < exponent && (exponent[1] == '+' || exponent[1] == '-')));
}

/* Digits, perhaps with underscores between them, which are dropped. */
static bool drop_underscores(const char *text, char *out, size_t size) {
  size_t used = 0;
  for (; *text != '\0' && used + 1 < size; text++) {
    if (*text != '_') {
      out[used++] = *text;
    }
  }
  out[used] = '\0';
  return *text == '\0' && used > 0;
}

static bool read_infinity(const char *text, sn__xvalue *out) {
  const bool is_negative = *text == '-';
  text += *text == '-' || *text == '+';
  double number = 0.0;
  if (is_one_of(text, ".inf .Inf .INF .nan .NaN .NAN") && sn__xliteral_float(text + 1, &number)) {
    *out = sn__xfloat(is_negative ? -number : number);
    return true;
  }
  return false;
}

/* A hexadecimal, octal or decimal integer. */
static bool read_integer(const char *digits, sn__xvalue *out) {
  const size_t sign = *digits == '-' || *digits == '+' ? 1 : 0;
  const char *begin = digits + sign;
  int64_t integer = 0;
  int base = 10;
  if (begin[0] == '0' && begin[1] != '\0') {
    base = begin[1] == 'x' ? 16 : begin[1] == 'b' ? 2 : 8;
    begin += base == 8 ? 1 : 2;
  }
  for (const char *at = begin; *at != '\0'; at++) {
    const char letter = (char)(*at | 0x20);
    const int digit = *at >= '0' && *at <= '9'         ? *at - '0'
                      : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                                                       : 99;
    if (digit >= base || __builtin_mul_overflow(integer, base, &integer) ||
        __builtin_add_overflow(integer, digit, &integer)) {
      return false;
    }
  }
  *out = sn__xint(*digits == '-' ? -integer : integer);
  return *begin != '\0';
}

static sn__xvalue plain_scalar(reader *r, const char *text) {
  char digits[400];
  double number = 0.0;
  sn__xvalue value = sn__xnone();
  if (*text == '\0' || is_one_of(text, "~ null Null NULL")) {
    return sn__xnone();
  }
  if (is_one_of(text, "yes Yes YES true True TRUE on On ON")) {
    return sn__xbool(true);
  }
  if (is_one_of(text, "no No NO false False FALSE off Off OFF")) {
    return sn__xbool(false);
  }
  const bool is_number = strspn(text, "+-.0123456789_eExXabcdefABCDEF") == strlen(text) &&
                         *text != '_' && drop_underscores(text, digits, sizeof digits);
  if (is_number && read_integer(digits, &value)) {
    return value;
  }
  if (is_number && is_float(digits) && sn__xliteral_float(digits, &number)) {
    return sn__xfloat(number);
  }
  if (read_infinity(text, &value)) {
    return value;
  }
  return sn__xstring(sn__xacro_copy(r->x, text, strlen(text)));
}

/* Tags of quantities; what follows is an expression. */
static const struct {
  const char *tag;
  double factor; /* to radians or metres */
} units[] = {{"!radians", 1.0}, {"!degrees", 3.14159265358979323846 / 180.0},
             {"!meters", 1.0},  {"!millimeters", 0.001},
             {"!foot", 0.3048}, {"!inches", 0.0254}};

/* @return NULL: it is not the tag of a quantity */
static const double *unit_factor(const char *tag) {
  for (size_t i = 0; tag != NULL && i < sizeof units / sizeof units[0]; i++) {
    if (strcmp(tag, units[i].tag) == 0) {
      return &units[i].factor;
    }
  }
  return NULL;
}

static bool quantity(reader *r, const char *text, double factor, sn__xvalue *out) {
  double number = 0.0;
  if (!sn__xexpr_run(r->x, NULL, text, out)) {
    return false;
  }
  if (!sn__xvalue_number(*out, &number)) {
    return sn__xacro_fail(r->x, SN_EMODEL, NULL, "%.200s: '%.80s' is not a number", r->file, text);
  }
  *out = sn__xfloat(number * factor);
  return true;
}

static bool scalar(reader *r, const yaml_event_t *event, sn__xvalue *out) {
  const char *text = (const char *)event->data.scalar.value;
  const char *tag = (const char *)event->data.scalar.tag;
  if (strlen(text) != event->data.scalar.length) {
    return fail(r, event->start_mark, "a text must not hold NUL");
  }
  const double *factor = unit_factor(tag);
  if (factor != NULL) {
    return quantity(r, text, *factor, out);
  }
  const bool is_text = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE ||
                       (tag != NULL && strcmp(tag, YAML_STR_TAG) == 0);
  if (tag != NULL && strncmp(tag, "tag:yaml.org", 12) != 0) {
    return fail(r, event->start_mark,
                "unknown tag; known are !radians, !degrees, !meters, !millimeters, !foot, !inches");
  }
  *out = is_text ? sn__xstring(sn__xacro_copy(r->x, text, strlen(text))) : plain_scalar(r, text);
  return r->x->status == SN_OK;
}

static bool keep_anchor(reader *r, const unsigned char *name, sn__xvalue value) {
  anchor *one = name == NULL ? NULL : sn__xacro_alloc(r->x, sizeof *one);
  if (name == NULL || r->anchor_count++ == ANCHORS_MAX || one == NULL) {
    return name == NULL ||
           sn__xacro_fail(r->x, SN_ELIMIT, NULL, "%.200s: too many anchors", r->file);
  }
  *one = (anchor){sn__xacro_copy(r->x, (const char *)name, strlen((const char *)name)), value,
                  r->anchors};
  r->anchors = one;
  return one->name != NULL;
}

static bool find_anchor(reader *r, const yaml_event_t *event, sn__xvalue *out) {
  const char *name = (const char *)event->data.alias.anchor;
  for (const anchor *a = r->anchors; a != NULL; a = a->next) {
    if (strcmp(a->name, name) == 0) {
      *out = a->value;
      return true;
    }
  }
  return fail(r, event->start_mark, "an alias without an anchor");
}

/* NOLINTBEGIN(misc-no-recursion): DEPTH_MAX bounds it */

static bool read_value(reader *r, const yaml_event_t *event, sn__xvalue *out);

static bool read_list(reader *r, sn__xvalue *out) {
  for (;;) {
    yaml_event_t event;
    sn__xvalue item = sn__xnone();
    if (!next_event(r, &event)) {
      return false;
    }
    const bool is_end = event.type == YAML_SEQUENCE_END_EVENT;
    const bool good =
        is_end || (read_value(r, &event, &item) && sn__xlist_add(r->x, out->as.list, item));
    yaml_event_delete(&event);
    if (is_end || !good) {
      return good;
    }
  }
}

/* `<<: *base` adds what the dict does not have. */
static bool merge(reader *r, sn__xdict *dict, sn__xvalue from) {
  bool good = true;
  for (size_t i = 0; from.kind == SN__X_DICT && good && i < from.as.dict->count; i++) {
    const sn__xpair *pair = &from.as.dict->pairs[i];
    good = sn__xdict_find(r->x, dict, pair->key) != NULL ||
           sn__xdict_set(r->x, dict, pair->key, pair->value);
  }
  return good;
}

static bool add_pair(reader *r, sn__xdict *dict, sn__xvalue key, sn__xvalue value) {
  return key.kind == SN__X_TEXT && strcmp(key.as.text, "<<") == 0 && value.kind == SN__X_DICT
             ? merge(r, dict, value)
             : sn__xdict_set(r->x, dict, key, value);
}

static bool read_dict(reader *r, sn__xvalue *out) {
  for (;;) {
    yaml_event_t key_event, event;
    sn__xvalue key = sn__xnone(), value = sn__xnone();
    if (!next_event(r, &key_event)) {
      return false;
    }
    const bool is_end = key_event.type == YAML_MAPPING_END_EVENT;
    bool good = is_end || read_value(r, &key_event, &key);
    yaml_event_delete(&key_event);
    if (is_end || !good) {
      return good;
    }
    if (!next_event(r, &event)) {
      return false;
    }
    good = read_value(r, &event, &value) && add_pair(r, out->as.dict, key, value);
    yaml_event_delete(&event);
    if (!good) {
      return false;
    }
  }
}

static bool read_nested(reader *r, const yaml_event_t *event, sn__xvalue *out) {
  if (++r->depth > DEPTH_MAX) {
    return fail(r, event->start_mark, "nested too deep");
  }
  const bool is_list = event->type == YAML_SEQUENCE_START_EVENT;
  const bool good = is_list ? sn__xlist_make(r->x, SN__X_LIST, out) && read_list(r, out)
                            : sn__xdict_make(r->x, out) && read_dict(r, out);
  r->depth--;
  return good &&
         keep_anchor(r,
                     is_list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor,
                     *out);
}

static bool read_value(reader *r, const yaml_event_t *event, sn__xvalue *out) {
  switch (event->type) {
    case YAML_SCALAR_EVENT:
      return scalar(r, event, out) && keep_anchor(r, event->data.scalar.anchor, *out);
    case YAML_ALIAS_EVENT:
      return find_anchor(r, event, out);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
      return read_nested(r, event, out);
    default:
      return fail(r, event->start_mark, "expected a value");
  }
}

/* NOLINTEND(misc-no-recursion) */

/* The first document. */
static bool read_document(reader *r, sn__xvalue *out) {
  for (;;) {
    yaml_event_t event;
    if (!next_event(r, &event)) {
      return false;
    }
    const yaml_event_type_t type = event.type;
    const bool is_head = type == YAML_STREAM_START_EVENT || type == YAML_DOCUMENT_START_EVENT;
    const bool good = is_head || type == YAML_STREAM_END_EVENT || read_value(r, &event, out);
    yaml_event_delete(&event);
    if (!is_head) {
      return good;
    }
  }
}

bool sn__xyaml_parse(sn__xacro *x, const char *file, const char *text, size_t size,
                     sn__xvalue *out) {
  reader r = {.x = x, .file = file};
  *out = sn__xnone();
  if (!yaml_parser_initialize(&r.parser)) {
    return sn__xacro_fail(x, SN_ENOMEM, NULL, "no memory");
  }
  yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
  const bool good = read_document(&r, out);
  yaml_parser_delete(&r.parser);
  return good;
}
#else
bool sn__xyaml_parse(sn__xacro *x, const char *file, const char *text, size_t size,
                     sn__xvalue *out) {
  (void)text, (void)size, (void)out;
  return sn__xacro_fail(x, SN_EMODEL, "build it with -DSINEW_YAML=ON",
                        "%.200s: this build does not read YAML", file);
}
#endif

bool sn__xyaml_load(sn__xacro *x, const char *path, sn__xvalue *out) {
  sn_error why = {0};
  sn_status status = SN_OK;
  sn__xacro_file *file = sn__xacro_read_file(x, path, &status, &why);
  if (file == NULL) {
    return sn__xacro_fail(x, status, NULL, "%s", why.message);
  }
  if (!file->is_yaml) {
    if (!sn__xyaml_parse(x, file->path, file->text, file->size, &file->yaml)) {
      return false;
    }
    file->is_yaml = true;
  }
  *out = file->yaml;
  return true;
}
