/** @file
 *  The layout of messages of one type as records of equal size, for numpy. Texts and sequences get
 *  the room of the longest one; what is left of them is empty, zero, or NaN in floating point. */
#ifndef SINEW_PYTHON_LAYOUT_H
#define SINEW_PYTHON_LAYOUT_H

#include "py.h"
#include "sinew/msg.h"

typedef struct py_layout py_layout;

/** @return NULL: out of memory */
py_layout *py_layout_create(sn_arena *arena, const sn_msg_type *type);

/** Make room for the texts and sequences of a message. Needs no GIL. */
void py_layout_measure(py_layout *layout, const void *msg);

/** Once all messages are measured: the bytes of a record. */
size_t py_layout_place(py_layout *layout);

/** Write a message as a record; NULL writes what stands for a missing one. Needs no GIL. */
void py_layout_write(const py_layout *layout, const void *msg, unsigned char *out);

/** The fields as numpy.dtype() takes them, packed: a list of (name, format, shape). */
PyObject *py_layout_describe(const py_layout *layout);

#endif
