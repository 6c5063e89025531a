/* The C part of the module `sinew`. python/sinew/__init__.py imports all of it. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "py.h"

PyObject *py_error, *py_no_solution;
PyTypeObject *py_robot_type, *py_chain_type, *py_trajectory_type;

PyObject *py_fail(const sn_error *err) {
  PyErr_SetString(py_error, err->message);
  return NULL;
}

PyObject *py_no_memory(void) {
  return PyErr_NoMemory();
}

bool py_need(const void *memory) {
  if (memory == NULL) {
    (void)PyErr_NoMemory();
  }
  return memory != NULL;
}

PyObject *py_fail_report(const sn_report *report, const char *path) {
  char text[4096] = "";
  size_t used = 0;
  for (size_t i = 0; i < sn_report_count(report) && used < sizeof text; i++) {
    const sn_problem *p = sn_report_at(report, i);
    if (p->severity != SN_SEVERITY_ERROR) {
      continue;
    }
    char place[32] = "";
    if (p->place.line > 0) {
      snprintf(place, sizeof place, ":%u:%u", p->place.line, p->place.column);
    }
    const int length =
        snprintf(text + used, sizeof text - used, "%s%s%s: %s%s%s", used == 0 ? "" : "\n",
                 p->place.file == NULL ? path : p->place.file, place, p->message,
                 p->hint == NULL ? "" : "; ", p->hint == NULL ? "" : p->hint);
    used += length > 0 ? (size_t)length : 0;
  }
  PyErr_SetString(py_error, text);
  return NULL;
}

struct timespec py_soon(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 50000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  return until;
}

PyObject *py_names(const sn_names *names) {
  const size_t count = sn_names_count(names);
  PyObject *tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple != NULL && i < count; i++) {
    PyObject *name = PyUnicode_FromString(sn_names_at(names, i));
    if (name == NULL || PyTuple_SetItem(tuple, (Py_ssize_t)i, name) != 0) {
      Py_CLEAR(tuple);
    }
  }
  return tuple;
}

#define WITH_KEYWORDS(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef functions[] = {
    {"load", WITH_KEYWORDS(py_load), METH_VARARGS | METH_KEYWORDS,
     "load(path, package_path=None)\n--\n\n"
     "Load a robot from a URDF, or from a file (.yaml, .cpf) that names one.\n\n"
     "package_path: folders with packages that hold meshes, with colons between them.\n"
     "Raises sinew.Error with every problem of the file and its place."},
    {"_servo", py_servo, METH_VARARGS, "One of the equations of a servo, over arrays."},
    {"_servo_check", py_servo_check, METH_VARARGS, "Raise sinew.Error for invalid parameters."},
    {"_servo_models", py_servo_models, METH_O, "Names and parameters of the servos of a file."},
    {"_identify", py_identify, METH_VARARGS, "Identify a servo from samples."},
    {"_read", py_read, METH_VARARGS, "Topics of a recording with their layout and bytes."},
    {NULL, NULL, 0, NULL}};

static bool add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **out) {
  *out = (PyTypeObject *)PyType_FromSpec(spec);
  return *out != NULL && PyModule_AddType(module, *out) == 0;
}

static bool add_exceptions(PyObject *module) {
  py_error = PyErr_NewExceptionWithDoc(
      "sinew.Error", "A request that cannot be fulfilled; the message says why and what to do.",
      NULL, NULL);
  py_no_solution = py_error == NULL
                       ? NULL
                       : PyErr_NewExceptionWithDoc(
                             "sinew.NoSolution",
                             "Inverse kinematics found no solution in its time.", py_error, NULL);
  return py_no_solution != NULL && PyModule_AddObjectRef(module, "Error", py_error) == 0 &&
         PyModule_AddObjectRef(module, "NoSolution", py_no_solution) == 0;
}

static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                        .m_name = "sinew._sinew",
                                        .m_doc = "The C part of sinew.",
                                        .m_size = -1,
                                        .m_methods = functions};

PyMODINIT_FUNC PyInit__sinew(void);

PyMODINIT_FUNC PyInit__sinew(void) {
  PyObject *module = PyModule_Create(&definition);
  if (module != NULL && !(py_arrays_init() && add_exceptions(module) &&
                          add_type(module, &py_robot_spec, &py_robot_type) &&
                          add_type(module, &py_chain_spec, &py_chain_type) &&
                          add_type(module, &py_trajectory_spec, &py_trajectory_type))) {
    Py_CLEAR(module);
  }
  return module;
}
