/* Recordings to arrays: one pass over the file measures the messages, another one writes them. */
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "py.h"
#include "record/mcap.h"

/* Messages grow until those of the file fit, up to this size. */
enum { ITEMS_MAX = 8192, TEXT_MAX = 1 << 16 };
/* Messages after which Ctrl-C is looked for. */
enum { SLICE = 4096 };
/* Every record begins with the times of the message: when it was recorded and when it was sent. */
enum { TIMES_SIZE = 16 };

typedef struct topic {
  const char *name;
  const sn_msg_type *type; /* NULL: the times only */
  py_layout *layout;
  void *msg;
  size_t count, written, record_size;
  PyObject *bytes; /* bytearray */
  unsigned char *out;
} topic;

typedef struct file {
  sn_arena arena;
  sn_mcap_reader *reader;
  PyObject *wanted;              /* names of topics; None: all */
  topic *topics[UINT16_MAX + 1]; /* by the id of their channel; NULL: not wanted, or not seen */
  bool is_known[UINT16_MAX + 1];
  sn_msg_capacity capacity;
  sn_arena messages;
  sn_error damage; /* the first one */
  size_t undecoded;
} file;

/* ---- topics; with the GIL ---- */

static bool add_topic(file *f, const sn_mcap_channel *channel) {
  f->is_known[channel->id] = true;
  PyObject *name =
      PyUnicode_DecodeUTF8(channel->topic, (Py_ssize_t)strlen(channel->topic), "replace");
  const int is_wanted = name == NULL           ? -1
                        : f->wanted == Py_None ? 1
                                               : PySequence_Contains(f->wanted, name);
  Py_XDECREF(name);
  if (is_wanted <= 0) {
    return is_wanted == 0;
  }
  topic *t = SN_NEW(&f->arena, topic, 1);
  if (!py_need(t)) {
    return false;
  }
  t->name = sn_arena_text(&f->arena, channel->topic, strlen(channel->topic));
  t->type = channel->type;
  t->layout = t->type == NULL ? NULL : py_layout_create(&f->arena, t->type);
  f->topics[channel->id] = t;
  return py_need(t->name) && (t->type == NULL || py_need(t->layout));
}

/* ---- messages; without the GIL ---- */

/* Decode into the message of the type, which grows. @return NULL: it cannot be decoded */
static const void *decode(file *f, const topic *t, const sn_mcap_message *message) {
  void *msg = sn_msg_create(&f->messages, t->type, &f->capacity);
  sn_status status = msg == NULL ? SN_ENOMEM : sn__mcap_decode(message, msg, NULL);
  while (status == SN_ENOSPC && f->capacity.item_count < ITEMS_MAX) {
    f->capacity.item_count *= 2;
    f->capacity.text_size *= f->capacity.text_size < TEXT_MAX ? 2 : 1;
    sn_arena_release(&f->messages);
    msg = sn_msg_create(&f->messages, t->type, &f->capacity);
    status = msg == NULL ? SN_ENOMEM : sn__mcap_decode(message, msg, NULL);
  }
  return status == SN_OK ? msg : NULL;
}

static void take_message(file *f, topic *t, const sn_mcap_message *message, bool is_measuring) {
  const void *msg = t->type == NULL ? NULL : decode(f, t, message);
  if (is_measuring) {
    t->count++;
    f->undecoded += t->type != NULL && msg == NULL;
    if (msg != NULL) {
      py_layout_measure(t->layout, msg);
    }
  } else if (t->written < t->count) { /* the file may have grown */
    unsigned char *out = t->out + t->written++ * t->record_size;
    const int64_t times[2] = {message->log_ns, message->publish_ns};
    memcpy(out, times, TIMES_SIZE);
    if (t->layout != NULL) {
      py_layout_write(t->layout, msg, out + TIMES_SIZE);
    }
  }
  sn_arena_release(&f->messages);
}

/* @return the channel that needs a topic, or NULL */
static const sn_mcap_channel *read_slice(file *f, bool is_measuring, bool *is_at_end,
                                         sn_mcap_message *message, bool has_message) {
  for (size_t i = 0; i < SLICE; i++) {
    sn_error err = {SN_OK, ""};
    sn_status status = has_message ? SN_OK : sn__mcap_reader_next(f->reader, message, &err);
    has_message = false;
    if (status == SN_ENOENT) {
      *is_at_end = true;
      return NULL;
    }
    if (status != SN_OK) {
      f->damage = f->damage.code == SN_OK ? err : f->damage;
      continue;
    }
    if (!f->is_known[message->channel->id]) {
      return message->channel;
    }
    topic *t = f->topics[message->channel->id];
    if (t != NULL) {
      take_message(f, t, message, is_measuring);
    }
  }
  return NULL;
}

static bool read_all(file *f, bool is_measuring) {
  bool is_at_end = false;
  bool has_message = false;
  sn_mcap_message message;
  sn__mcap_reader_rewind(f->reader);
  while (!is_at_end) {
    const sn_mcap_channel *channel = NULL;
    Py_BEGIN_ALLOW_THREADS;
    channel = read_slice(f, is_measuring, &is_at_end, &message, has_message);
    Py_END_ALLOW_THREADS;
    has_message = channel != NULL;
    if ((channel != NULL && !add_topic(f, channel)) || PyErr_CheckSignals() != 0) {
      return false;
    }
  }
  return true;
}

/* ---- results ---- */

static bool make_room(file *f) {
  for (size_t i = 0; i <= UINT16_MAX; i++) {
    topic *t = f->topics[i];
    if (t == NULL) {
      continue;
    }
    t->record_size = TIMES_SIZE + (t->layout == NULL ? 0 : py_layout_place(t->layout));
    t->bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(t->count * t->record_size));
    if (t->bytes == NULL) {
      return false;
    }
    t->out = (unsigned char *)PyByteArray_AsString(t->bytes);
  }
  return true;
}

static PyObject *make_list(const file *f) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list != NULL && i <= UINT16_MAX; i++) {
    const topic *t = f->topics[i];
    if (t == NULL) {
      continue;
    }
    PyObject *fields = t->layout == NULL ? PyList_New(0) : py_layout_describe(t->layout);
    PyObject *name = PyUnicode_DecodeUTF8(t->name, (Py_ssize_t)strlen(t->name), "replace");
    PyObject *item =
        fields == NULL || name == NULL ? NULL : Py_BuildValue("OOO", name, fields, t->bytes);
    if (item == NULL || PyList_Append(list, item) != 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(item);
    Py_XDECREF(name);
    Py_XDECREF(fields);
  }
  return list;
}

/* What is missing is said once; everything else is returned. */
static bool warn(const file *f, const char *path) {
  if (f->damage.code != SN_OK) {
    return PyErr_WarnFormat(PyExc_RuntimeWarning, 2, "%s: %s", path, f->damage.message) == 0;
  }
  if (f->undecoded > 0) {
    return PyErr_WarnFormat(PyExc_RuntimeWarning, 2, "%s: %zu messages cannot be decoded", path,
                            f->undecoded) == 0;
  }
  return sn__mcap_reader_info(f->reader).is_complete ||
         PyErr_WarnFormat(PyExc_RuntimeWarning, 2,
                          "%s: the file was not closed: what follows its last chunk is missing",
                          path) == 0;
}

static PyObject *read_file(file *f, const char *path) {
  sn_error err;
  const sn_mcap_reader_config config = {.record_size = (size_t)1 << 24};
  if (sn__mcap_reader_load(&f->arena, path, &config, &f->reader, &err) != SN_OK) {
    PyErr_Format(py_error, "%s: %s", path, err.message);
    return NULL;
  }
  PyObject *result = NULL;
  if (read_all(f, true) && make_room(f) && read_all(f, false) && warn(f, path)) {
    result = make_list(f);
  }
  for (size_t i = 0; i <= UINT16_MAX; i++) {
    if (f->topics[i] != NULL) {
      Py_XDECREF(f->topics[i]->bytes);
    }
  }
  return result;
}

PyObject *py_read(PyObject *module, PyObject *args) {
  PyObject *path = NULL;
  PyObject *wanted = NULL;
  (void)module;
  if (!PyArg_ParseTuple(args, "O&O:_read", PyUnicode_FSConverter, &path, &wanted)) {
    return NULL;
  }
  PyObject *result = NULL;
  file *f = calloc(1, sizeof *f);
  if (f == NULL) {
    result = py_no_memory();
  } else {
    sn_arena_init_growing(&f->arena, "recording", 0);
    sn_arena_init_growing(&f->messages, "messages", 0);
    f->wanted = wanted;
    f->capacity = (sn_msg_capacity){.item_count = 64, .text_size = 64};
    result = read_file(f, PyBytes_AsString(path));
    sn__mcap_reader_close(f->reader);
    sn_arena_release(&f->messages);
    sn_arena_release(&f->arena);
    free(f);
  }
  Py_DECREF(path);
  return result;
}
