#include "layout.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct node {
  const sn_msg_field *field;
  py_layout *nested; /* of SN_MSG_NESTED */
  size_t item_count; /* elements in a record */
  size_t text_count; /* characters of the longest text */
  size_t item_size;  /* bytes of an element in a record */
} node;

struct py_layout {
  node *nodes;
  size_t count;
  size_t size;
};

/* What all sequences and texts begin with. */
typedef struct sequence {
  const void *data;
  size_t count;
} sequence;

static const struct {
  const char *format;
  size_t size;
} kinds[] = {
    [SN_MSG_BOOL] = {"?", 1},     [SN_MSG_INT8] = {"i1", 1},    [SN_MSG_UINT8] = {"u1", 1},
    [SN_MSG_INT16] = {"i2", 2},   [SN_MSG_UINT16] = {"u2", 2},  [SN_MSG_INT32] = {"i4", 4},
    [SN_MSG_UINT32] = {"u4", 4},  [SN_MSG_INT64] = {"i8", 8},   [SN_MSG_UINT64] = {"u8", 8},
    [SN_MSG_FLOAT32] = {"f4", 4}, [SN_MSG_FLOAT64] = {"f8", 8}, [SN_MSG_TIME] = {"i8", 8},
    [SN_MSG_DURATION] = {"i8", 8}};

/* ---- texts ---- */

/* Decode UTF-8 into at most @p room characters. @return how many there are */
static size_t decode(const char *text, size_t size, uint32_t *out, size_t room) {
  size_t count = 0;
  for (size_t i = 0; i < size; count++) {
    const unsigned char lead = (unsigned char)text[i];
    const size_t more = lead < 0x80             ? 0
                        : (lead & 0xe0) == 0xc0 ? 1
                        : (lead & 0xf0) == 0xe0 ? 2
                        : (lead & 0xf8) == 0xf0 ? 3
                                                : SIZE_MAX;
    uint32_t letter = more == SIZE_MAX ? 0xfffd : lead & (0x7fu >> (more == 0 ? 0 : more + 1));
    size_t taken = 1;
    while (more != SIZE_MAX && taken <= more && i + taken < size &&
           ((unsigned char)text[i + taken] & 0xc0) == 0x80) {
      letter = letter << 6 | ((unsigned char)text[i + taken] & 0x3f);
      taken++;
    }
    const bool is_good = more != SIZE_MAX && taken == more + 1 && letter <= 0x10ffff;
    if (count < room) {
      out[count] = is_good ? letter : 0xfffd;
    }
    i += is_good ? taken : 1;
  }
  return count;
}

static void measure_text(node *n, const char *text, size_t size) {
  const size_t count = decode(text, size, NULL, 0);
  n->text_count = count > n->text_count ? count : n->text_count;
}

static void write_text(const node *n, const char *text, size_t size, unsigned char *out) {
  memset(out, 0, n->item_size);
  uint32_t letters[64];
  if (n->text_count <= 64) { /* the record may not be aligned */
    const size_t count = decode(text, size, letters, 64);
    memcpy(out, letters, (count < 64 ? count : 64) * sizeof *letters);
    return;
  }
  uint32_t *room = malloc(n->item_size);
  if (room != NULL) {
    const size_t count = decode(text, size, room, n->text_count);
    memcpy(out, room, count * sizeof *room);
    free(room);
  }
}

/* ---- creation ---- */

py_layout *py_layout_create(sn_arena *arena, const sn_msg_type *type) {
  py_layout *layout = SN_NEW(arena, py_layout, 1);
  node *nodes = SN_NEW(arena, node, type->field_count + 1);
  if (layout == NULL || nodes == NULL) {
    return NULL;
  }
  layout->nodes = nodes;
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    if ((field->flags & SN_MSG_ROS1_ONLY) != 0) {
      continue;
    }
    node *n = &nodes[layout->count++];
    n->field = field;
    n->item_count = field->shape == SN_MSG_ARRAY ? field->count : field->shape == SN_MSG_SINGLE;
    n->text_count = 1; /* numpy has no texts without characters */
    if (field->kind == SN_MSG_NESTED) {
      n->nested = py_layout_create(arena, field->nested);
      if (n->nested == NULL) {
        return NULL;
      }
    }
  }
  return layout;
}

/* ---- measuring ---- */

static void measure_names(node *n, const sn_msg_names *names) {
  n->item_count = names->count > n->item_count ? names->count : n->item_count;
  for (size_t i = 0; i < names->count; i++) {
    const char *name = sn_msg_names_at(names, i);
    measure_text(n, name, strlen(name));
  }
}

/* The elements of a field, wherever they are. */
static sequence elements_of(const node *n, const void *msg) {
  const char *at = (const char *)msg + n->field->offset;
  sequence list = {at, n->item_count};
  if (n->field->shape == SN_MSG_SEQUENCE) {
    memcpy(&list, at, sizeof list);
  }
  return list;
}

void py_layout_measure(py_layout *layout, const void *msg) {
  for (size_t i = 0; i < layout->count; i++) {
    node *n = &layout->nodes[i];
    const bool is_sequence = n->field->shape == SN_MSG_SEQUENCE;
    const char *at = (const char *)msg + n->field->offset;
    if (n->field->kind == SN_MSG_TEXT && is_sequence) {
      measure_names(n, (const void *)at);
      continue;
    }
    if (n->field->kind == SN_MSG_TEXT) {
      const sn_msg_text *text = (const void *)at;
      measure_text(n, text->data, text->count);
      continue;
    }
    const sequence list = elements_of(n, msg);
    n->item_count = is_sequence && list.count > n->item_count ? list.count : n->item_count;
    for (size_t k = 0; n->nested != NULL && k < list.count; k++) {
      py_layout_measure(n->nested, (const char *)list.data + k * n->field->size);
    }
  }
}

size_t py_layout_place(py_layout *layout) {
  layout->size = 0;
  for (size_t i = 0; i < layout->count; i++) {
    node *n = &layout->nodes[i];
    n->item_size = n->nested != NULL               ? py_layout_place(n->nested)
                   : n->field->kind == SN_MSG_TEXT ? n->text_count * sizeof(uint32_t)
                                                   : kinds[n->field->kind].size;
    layout->size += n->item_count * n->item_size;
  }
  return layout->size;
}

/* ---- writing ---- */

static void write_missing(const node *n, unsigned char *out) {
  static const float nan_f32 = NAN;
  static const double nan_f64 = NAN;
  if (n->nested != NULL) {
    py_layout_write(n->nested, NULL, out);
  } else if (n->field->kind == SN_MSG_FLOAT32) {
    memcpy(out, &nan_f32, sizeof nan_f32);
  } else if (n->field->kind == SN_MSG_FLOAT64) {
    memcpy(out, &nan_f64, sizeof nan_f64);
  } else {
    memset(out, 0, n->item_size);
  }
}

/* @return how many elements were written */
static size_t write_texts(const node *n, const void *msg, unsigned char *out) {
  const char *at = (const char *)msg + n->field->offset;
  if (n->field->shape != SN_MSG_SEQUENCE) {
    const sn_msg_text *text = (const void *)at;
    write_text(n, text->data, text->count, out);
    return 1;
  }
  const sn_msg_names *names = (const void *)at;
  for (size_t i = 0; i < names->count; i++) {
    const char *name = sn_msg_names_at(names, i);
    write_text(n, name, strlen(name), out + i * n->item_size);
  }
  return names->count;
}

static size_t write_elements(const node *n, const void *msg, unsigned char *out) {
  const sequence list = elements_of(n, msg);
  for (size_t i = 0; i < list.count; i++) {
    const char *from = (const char *)list.data + i * n->field->size;
    if (n->nested != NULL) {
      py_layout_write(n->nested, from, out + i * n->item_size);
    } else {
      memcpy(out + i * n->item_size, from, n->item_size);
    }
  }
  return list.count;
}

void py_layout_write(const py_layout *layout, const void *msg, unsigned char *out) {
  for (size_t i = 0; i < layout->count; i++) {
    const node *n = &layout->nodes[i];
    size_t done = 0;
    if (msg != NULL) {
      done = n->field->kind == SN_MSG_TEXT ? write_texts(n, msg, out) : write_elements(n, msg, out);
    }
    for (size_t k = done; k < n->item_count; k++) {
      write_missing(n, out + k * n->item_size);
    }
    out += n->item_count * n->item_size;
  }
}

/* ---- description ---- */

static PyObject *describe_kind(const node *n) {
  return n->nested != NULL               ? py_layout_describe(n->nested)
         : n->field->kind == SN_MSG_TEXT ? PyUnicode_FromFormat("U%zu", n->text_count)
                                         : PyUnicode_FromString(kinds[n->field->kind].format);
}

PyObject *py_layout_describe(const py_layout *layout) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list != NULL && i < layout->count; i++) {
    const node *n = &layout->nodes[i];
    PyObject *item =
        n->field->shape == SN_MSG_SINGLE
            ? Py_BuildValue("sN", n->field->name, describe_kind(n))
            : Py_BuildValue("sN(n)", n->field->name, describe_kind(n), (Py_ssize_t)n->item_count);
    if (item == NULL || PyList_Append(list, item) != 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(item);
  }
  return list;
}
