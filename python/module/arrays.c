#include "py.h"

/* py.h first, as Python.h asks for. */
#include <math.h>

#include "sinew/ik.h"

/* Functions of numpy, kept for the life of the process. */
static PyObject *numpy_empty, *numpy_ascontiguousarray;
static PyObject *float64_keywords; /* {"dtype": "float64"} */

bool py_arrays_init(void) {
  PyObject *numpy = PyImport_ImportModule("numpy");
  if (numpy == NULL) {
    return false;
  }
  numpy_empty = PyObject_GetAttrString(numpy, "empty");
  numpy_ascontiguousarray = PyObject_GetAttrString(numpy, "ascontiguousarray");
  float64_keywords = Py_BuildValue("{s:s}", "dtype", "float64");
  Py_DECREF(numpy);
  return numpy_empty != NULL && numpy_ascontiguousarray != NULL && float64_keywords != NULL;
}

/* ---- in ---- */

static bool is_double(const Py_buffer *view) {
  return view->itemsize == (Py_ssize_t)sizeof(double) && view->format != NULL &&
         view->format[0] == 'd' && view->format[1] == '\0';
}

/* Any object as a contiguous array of doubles. The array of a caller is used where it is. */
static bool take_buffer(PyObject *object, Py_buffer *view) {
  const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT;
  if (PyObject_CheckBuffer(object)) {
    if (PyObject_GetBuffer(object, view, flags) == 0) {
      if (is_double(view) && view->ndim > 0) {
        return true;
      }
      PyBuffer_Release(view);
    }
    PyErr_Clear(); /* other layouts are converted */
  }
  PyObject *arguments = PyTuple_Pack(1, object);
  PyObject *array = arguments == NULL
                        ? NULL
                        : PyObject_Call(numpy_ascontiguousarray, arguments, float64_keywords);
  Py_XDECREF(arguments);
  if (array == NULL) {
    return false;
  }
  const bool is_good = PyObject_GetBuffer(array, view, flags) == 0; /* it keeps the array */
  Py_DECREF(array);
  return is_good;
}

static bool fail_shape(const Py_buffer *view, const char *what, const char *expected) {
  char shape[128] = "";
  size_t used = 0;
  for (int i = 0; i < view->ndim && used < sizeof shape; i++) {
    const int length = snprintf(shape + used, sizeof shape - used, "%s%lld", i == 0 ? "" : ", ",
                                (long long)view->shape[i]);
    used += length > 0 ? (size_t)length : 0;
  }
  PyErr_Format(PyExc_ValueError, "%s has the shape (%s%s), expected %s", what, shape,
               view->ndim == 1 ? "," : "", expected);
  return false;
}

static bool check_finite(const double *data, size_t count, size_t columns, const char *what) {
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(data[i])) {
      PyErr_Format(PyExc_ValueError, "%s: number %zu of row %zu is %s, expected a finite one", what,
                   i % columns, i / columns, isnan(data[i]) ? "nan" : "infinite");
      return false;
    }
  }
  return true;
}

bool py_numbers_take_any(PyObject *object, const char *what, size_t columns, py_numbers *out) {
  if (!take_buffer(object, &out->view)) {
    return false;
  }
  const Py_buffer *view = &out->view;
  out->is_single = view->ndim == 1;
  if (view->ndim > 2 || view->shape[view->ndim - 1] != (Py_ssize_t)columns) {
    char expected[64];
    snprintf(expected, sizeof expected, "(%zu,) or (n, %zu)", columns, columns);
    (void)fail_shape(view, what, expected);
    py_numbers_release(out);
    return false;
  }
  out->rows = out->is_single ? 1 : (size_t)view->shape[0];
  out->data = view->buf;
  return true;
}

bool py_numbers_take(PyObject *object, const char *what, size_t columns, py_numbers *out) {
  if (!py_numbers_take_any(object, what, columns, out)) {
    return false;
  }
  if (!check_finite(out->data, out->rows * columns, columns, what)) {
    py_numbers_release(out);
    return false;
  }
  return true;
}

bool py_numbers_take_like(PyObject *object, const char *what, size_t columns,
                          const py_numbers *like, py_numbers *out) {
  if (!py_numbers_take(object, what, columns, out)) {
    return false;
  }
  if (out->rows == like->rows && out->is_single == like->is_single) {
    return true;
  }
  char expected[64];
  snprintf(expected, sizeof expected, "%zu rows, as the first argument has", like->rows);
  (void)fail_shape(&out->view, what, expected);
  py_numbers_release(out);
  return false;
}

void py_numbers_release(py_numbers *numbers) {
  PyBuffer_Release(&numbers->view);
}

/* ---- poses ---- */

static bool take_matrix(const double *m, const char *what, size_t index, sn_pose *out) {
  if (fabs(m[12]) > 1e-9 || fabs(m[13]) > 1e-9 || fabs(m[14]) > 1e-9 || fabs(m[15] - 1) > 1e-9) {
    PyErr_Format(PyExc_ValueError, "%s %zu: the last row of the matrix is not 0 0 0 1: not a pose",
                 what, index);
    return false;
  }
  *out =
      (sn_pose){{{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}}, {m[3], m[7], m[11]}};
  return true;
}

static bool take_quaternion(const double *x, const char *what, size_t index, sn_pose *out) {
  const sn_quat rot = {x[3], x[4], x[5], x[6]};
  if (sn_ik_pose_from_quat(sn_vec3_make(x[0], x[1], x[2]), rot, out) != SN_IK_OK) {
    PyErr_Format(PyExc_ValueError, "%s %zu: the quaternion qx qy qz qw does not have length 1",
                 what, index);
    return false;
  }
  return true;
}

bool py_poses_take(PyObject *object, const char *what, sn_pose **poses, size_t *count,
                   bool *is_single) {
  Py_buffer view;
  if (!take_buffer(object, &view)) {
    return false;
  }
  const int ndim = view.ndim;
  const bool is_matrix =
      ndim >= 2 && ndim <= 3 && view.shape[ndim - 1] == 4 && view.shape[ndim - 2] == 4;
  const bool is_row = ndim <= 2 && view.shape[ndim - 1] == 7;
  bool is_good =
      is_matrix || is_row ? true : fail_shape(&view, what, "(4, 4), (n, 4, 4), (7,) or (n, 7)");
  const size_t size = is_matrix ? 16 : 7;
  *is_single = ndim == (is_matrix ? 2 : 1);
  *count = *is_single ? 1 : (size_t)view.shape[0];
  is_good = is_good && check_finite(view.buf, *count * size, size, what);
  *poses = is_good ? PyMem_Malloc((*count + 1) * sizeof **poses) : NULL;
  if (is_good && *poses == NULL) {
    PyErr_NoMemory();
  }
  is_good = is_good && *poses != NULL;
  for (size_t i = 0; is_good && i < *count; i++) {
    const double *numbers = (const double *)view.buf + i * size;
    is_good = is_matrix ? take_matrix(numbers, what, i, &(*poses)[i])
                        : take_quaternion(numbers, what, i, &(*poses)[i]);
  }
  if (!is_good) {
    PyMem_Free(*poses);
  }
  PyBuffer_Release(&view);
  return is_good;
}

void py_pose_write(const sn_pose *pose, double *m) {
  const sn_mat3 *r = &pose->rot;
  const double rows[16] = {r->x.x, r->y.x, r->z.x, pose->pos.x, r->x.y, r->y.y, r->z.y, pose->pos.y,
                           r->x.z, r->y.z, r->z.z, pose->pos.z, 0,      0,      0,      1};
  memcpy(m, rows, sizeof rows);
}

/* ---- out ---- */

bool py_array_make_shape(int ndim, const size_t *shape, py_array *out) {
  PyObject *tuple = PyTuple_New(ndim);
  for (int i = 0; tuple != NULL && i < ndim; i++) {
    PyTuple_SetItem(tuple, i, PyLong_FromSize_t(shape[i]));
  }
  PyObject *arguments = tuple == NULL ? NULL : PyTuple_Pack(1, tuple);
  out->object = arguments == NULL ? NULL : PyObject_Call(numpy_empty, arguments, NULL);
  Py_XDECREF(arguments);
  Py_XDECREF(tuple);
  if (out->object == NULL) {
    return false;
  }
  if (PyObject_GetBuffer(out->object, &out->view, PyBUF_WRITABLE) != 0) {
    Py_CLEAR(out->object);
    return false;
  }
  out->data = out->view.buf;
  return true;
}

bool py_array_make(const py_numbers *like, int ndim, const size_t *shape, py_array *out) {
  size_t full[4] = {like->rows};
  memcpy(full + 1, shape, (size_t)ndim * sizeof *shape);
  return like->is_single ? py_array_make_shape(ndim, shape, out)
                         : py_array_make_shape(ndim + 1, full, out);
}

PyObject *py_array_finish(py_array *array) {
  if (array->object == NULL) {
    return NULL;
  }
  PyBuffer_Release(&array->view);
  if (PyErr_Occurred() != NULL) {
    Py_CLEAR(array->object);
  }
  return array->object;
}

bool py_arrays_make(const py_numbers *like, int ndim, const size_t *shape, py_array out[3]) {
  bool is_good = true;
  for (size_t k = 0; k < 3; k++) {
    out[k] = (py_array){0};
    is_good = is_good && py_array_make(like, ndim, shape, &out[k]);
  }
  return is_good;
}

PyObject *py_arrays_finish(py_array arrays[3]) {
  PyObject *objects[3];
  bool is_good = true;
  for (size_t k = 0; k < 3; k++) {
    objects[k] = py_array_finish(&arrays[k]);
    is_good = is_good && objects[k] != NULL;
  }
  PyObject *result = is_good ? PyTuple_Pack(3, objects[0], objects[1], objects[2]) : NULL;
  for (size_t k = 0; k < 3; k++) {
    Py_XDECREF(objects[k]);
  }
  return result;
}

bool py_rows_go_on(size_t row) {
  enum {
    ROWS = 1024
  }; /* less than a tenth of a second of any function, and no cost to the others */
  return row % ROWS != ROWS - 1 || PyErr_CheckSignals() == 0;
}
