#include "ident/offline/ident_log.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"

typedef enum field {
  FIELD_TIME,
  FIELD_GOAL,
  FIELD_POSITION,
  FIELD_VELOCITY,
  FIELD_EFFORT,
  FIELD_VOLTAGE,
  FIELD_JOINT,
  FIELD_COUNT,
  FIELD_OTHER = -1
} field;

static const char *const field_names[FIELD_COUNT] = {"time",   "goal",    "position", "velocity",
                                                     "effort", "voltage", "joint"};

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static bool is_cell_end(const char *at, const char *end) {
  return at == end || *at == ',' || *at == '\n';
}

/* A cell without the blanks around it. */
typedef struct cell {
  const char *text;
  size_t length;
  const char *next; /* where it ended: at a comma, a line end or the end of the text */
} cell;

static cell find_cell(const char *at, const char *end) {
  while (at < end && is_blank(*at)) {
    at++;
  }
  const char *stop = at;
  while (!is_cell_end(stop, end)) {
    stop++;
  }
  const char *last = stop;
  while (last > at && is_blank(last[-1])) {
    last--;
  }
  return (cell){at, (size_t)(last - at), stop};
}

static int find_field(const cell *c) {
  for (int f = 0; f < FIELD_COUNT; f++) {
    if (strlen(field_names[f]) == c->length && memcmp(field_names[f], c->text, c->length) == 0) {
      return f;
    }
  }
  return FIELD_OTHER;
}

/* For messages: the beginning of a cell. */
static int shown(size_t length) {
  return length < 40 ? (int)length : 40;
}

sn_status sn__ident_log_header(sn_ident_cursor *cursor, sn_ident_columns *columns, sn_error *err) {
  const char *at = cursor->at;
  const char *end = cursor->end;
  if (end - at >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) {
    at += 3; /* some programs begin a text with this mark */
  }
  bool is_there[FIELD_COUNT] = {false};
  sn_ident_columns found = {0};
  for (;;) {
    const cell c = find_cell(at, end);
    if (found.count == SN_IDENT_COLUMNS_MAX) {
      return sn__fail(err, SN_ESYNTAX, "more than %d columns", SN_IDENT_COLUMNS_MAX);
    }
    const int f = find_field(&c);
    if (f != FIELD_OTHER && is_there[f]) {
      return sn__fail(err, SN_ESYNTAX, "column '%s' appears twice", field_names[f]);
    }
    if (f != FIELD_OTHER) {
      is_there[f] = true;
    }
    found.field[found.count++] = (signed char)f;
    at = c.next;
    if (at == end || *at == '\n') {
      break;
    }
    at++;
  }
  static const field needed[] = {FIELD_TIME, FIELD_JOINT, FIELD_GOAL, FIELD_POSITION};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
    if (!is_there[needed[i]]) {
      return sn__fail(err, SN_ESYNTAX,
                      "the header has no column '%s', expected "
                      "time,joint,goal,position,velocity,effort,voltage",
                      field_names[needed[i]]);
    }
  }
  cursor->at = at == end ? at : at + 1;
  *columns = found;
  return SN_OK;
}

/* Eight digits at once, as one number with its first character lowest: pairs, then fours, then all
   are put together. @return false if one of them is not a digit */
static bool take_eight(const char *at, uint64_t *mantissa) {
  if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) {
    return false; /* then one by one */
  }
  uint64_t chunk;
  memcpy(&chunk, at, sizeof chunk);
  const uint64_t above = (chunk + UINT64_C(0x0606060606060606)) & UINT64_C(0xF0F0F0F0F0F0F0F0);
  if (((chunk & UINT64_C(0xF0F0F0F0F0F0F0F0)) | above >> 4) != UINT64_C(0x3333333333333333)) {
    return false;
  }
  chunk &= UINT64_C(0x0F0F0F0F0F0F0F0F);
  chunk = chunk * 10 + (chunk >> 8); /* each even byte holds two digits */
  chunk = ((chunk & UINT64_C(0x000000FF000000FF)) * (100 + (UINT64_C(1000000) << 32)) +
           ((chunk >> 16) & UINT64_C(0x000000FF000000FF)) * (1 + (UINT64_C(10000) << 32))) >>
          32;
  *mantissa = *mantissa * 100000000 + (uint32_t)chunk;
  return true;
}

/* @return where the digits end */
static const char *take_digits(const char *at, const char *end, uint64_t *mantissa) {
  while (end - at >= 8 && take_eight(at, mantissa)) {
    at += 8;
  }
  while (at < end && (unsigned)(*at - '0') <= 9) {
    *mantissa = 10 * *mantissa + (unsigned)(*at++ - '0');
  }
  return at;
}

/* A plain number of up to 2^53 with a few digits behind its point, which one division makes exact:
   nearly every number of a log. @return where it ends, or NULL: then look closer */
static const char *parse_plain(const char *at, const char *end, double *out) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                  1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
  const bool is_negative = at < end && *at == '-';
  at += is_negative;
  const char *first = at;
  uint64_t mantissa = 0;
  while (at < end && (unsigned)(*at - '0') <= 9) { /* few stand before the point */
    mantissa = 10 * mantissa + (unsigned)(*at++ - '0');
  }
  ptrdiff_t digits = at - first;
  ptrdiff_t behind = 0;
  if (at < end && *at == '.') {
    const char *point = ++at;
    at = take_digits(at, end, &mantissa);
    behind = at - point;
    digits += behind;
  }
  if (digits == 0 || digits > 18 || mantissa > (UINT64_C(1) << 53) || !is_cell_end(at, end)) {
    return NULL;
  }
  const double magnitude = (double)mantissa / powers[behind];
  *out = is_negative ? -magnitude : magnitude;
  return at;
}

/* @return where the cell ends, or NULL with the reason in err */
static const char *parse_number(const char *at, const char *end, field f, double *out,
                                sn_error *err) {
  const char *stop = parse_plain(at, end, out);
  if (stop == NULL) {
    const cell c = find_cell(at, end);
    *out = NAN;
    if (c.length > 0 && sn__number_parse(c.text, c.length, out) != SN__NUMBER_OK) {
      (void)sn__fail(err, SN_ESYNTAX, "%s is '%.*s', expected a finite number", field_names[f],
                     shown(c.length), c.text);
      return NULL;
    }
    stop = c.next;
  }
  if (f == FIELD_VOLTAGE && *out <= 0.0) {
    (void)sn__fail(err, SN_ESYNTAX, "voltage is %g, must be greater than 0", *out);
    return NULL;
  }
  return stop;
}

/* A cell of other columns. Quotes may hold commas. */
static const char *skip_cell(const char *at, const char *end) {
  if (at < end && *at == '"') {
    for (at++; at < end && *at != '"' && *at != '\n'; at++) {
    }
  }
  while (!is_cell_end(at, end)) {
    at++;
  }
  return at;
}

static const char *take_joint(const char *at, const char *end, sn_ident_line *line, sn_error *err) {
  cell c = find_cell(at, end);
  if (c.length >= 2 && c.text[0] == '"' && c.text[c.length - 1] == '"') {
    c.text++;
    c.length -= 2;
  }
  if (c.length == 0) {
    (void)sn__fail(err, SN_ESYNTAX, "joint is empty, expected a name");
    return NULL;
  }
  line->joint = c.text;
  line->joint_length = c.length;
  return c.next;
}

static const char *take_cell(field f, const char *at, const char *end, sn_ident_line *line,
                             sn_error *err) {
  switch (f) {
    case FIELD_TIME:
      return parse_number(at, end, f, &line->sample.time_s, err);
    case FIELD_GOAL:
      return parse_number(at, end, f, &line->sample.goal, err);
    case FIELD_POSITION:
      return parse_number(at, end, f, &line->sample.position, err);
    case FIELD_VELOCITY:
      return parse_number(at, end, f, &line->sample.velocity, err);
    case FIELD_EFFORT:
      return parse_number(at, end, f, &line->sample.effort, err);
    case FIELD_VOLTAGE:
      return parse_number(at, end, f, &line->sample.voltage, err);
    case FIELD_JOINT:
      return take_joint(at, end, line, err);
    case FIELD_COUNT:
    case FIELD_OTHER:
      break;
  }
  return skip_cell(at, end);
}

/* Cells up to the end of the line. @return where the next line begins, or NULL */
static const char *take_line(const sn_ident_columns *columns, const char *at, const char *end,
                             sn_ident_line *line, sn_error *err) {
  for (size_t c = 0;; c++) {
    at = take_cell((field)columns->field[c], at, end, line, err);
    if (at == NULL) {
      return NULL;
    }
    const bool is_last = at == end || *at == '\n';
    if (is_last && c + 1 == columns->count) {
      break;
    }
    if (is_last || c + 1 == columns->count) {
      (void)sn__fail(err, SN_ESYNTAX, "%s cells, expected %zu%s", is_last ? "fewer" : "more",
                     columns->count, at == end ? ": the file ends in the middle of a line" : "");
      return NULL;
    }
    at++;
  }
  if (isnan(line->sample.time_s)) {
    (void)sn__fail(err, SN_ESYNTAX, "time is empty, expected a number");
    return NULL;
  }
  return at == end ? at : at + 1;
}

sn_ident_log_result sn__ident_log_next(const sn_ident_columns *columns, sn_ident_cursor *cursor,
                                       sn_ident_line *line, sn_error *err) {
  const char *at = cursor->at;
  for (const char *look = at; look < cursor->end && (is_blank(*look) || *look == '\n'); look++) {
    at = *look == '\n' ? look + 1 : at; /* behind blank lines, not behind the blanks of a line */
    if (look + 1 == cursor->end) {
      at = cursor->end;
    }
  }
  cursor->at = at;
  if (at == cursor->end) {
    return SN_IDENT_LOG_END;
  }
  sn_ident_line found = {.sample = {NAN, NAN, NAN, NAN, NAN, NAN}};
  const char *next = take_line(columns, at, cursor->end, &found, err);
  if (next == NULL) {
    return SN_IDENT_LOG_BAD;
  }
  cursor->at = next;
  *line = found;
  return SN_IDENT_LOG_LINE;
}
