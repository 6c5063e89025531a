/* Models of servos: their equations over arrays, and files of them. python/sinew/servo.py has the
   class that users see. */
#include "servo.h"

#include <string.h>

#include "servo/servo_store.h"

bool py_servo_params_take(PyObject *object, sn_servo_params *out) {
  py_numbers numbers;
  if (!py_numbers_take(object, "parameters", PY_SERVO_NUMBERS, &numbers)) {
    return false;
  }
  const double *x = numbers.data;
  *out = (sn_servo_params){.kp = x[0],
                           .kgear = x[1],
                           .alpha = {x[2], x[3], x[4], x[5]},
                           .qs = x[6],
                           .delta = x[7],
                           .inertia = x[8],
                           .ext = {.back_emf = x[9],
                                   .load = {x[10], x[11]},
                                   .back_load = {x[12], x[13]},
                                   .is_directional = x[14] != 0.0,
                                   .offset = x[15],
                                   .drive_max = x[16],
                                   .delay_s = x[17],
                                   .backlash = x[18]}};
  py_numbers_release(&numbers);
  sn_error err;
  if (sn_servo_params_check(out, &err) != SN_OK) {
    (void)py_fail(&err);
    return false;
  }
  return true;
}

PyObject *py_servo_params_make(const sn_servo_params *p) {
  const sn_servo_extension *e = &p->ext;
  return Py_BuildValue("(ddddddddddddddddddd)", p->kp, p->kgear, p->alpha[0], p->alpha[1],
                       p->alpha[2], p->alpha[3], p->qs, p->delta, p->inertia, e->back_emf,
                       e->load[0], e->load[1], e->back_load[0], e->back_load[1],
                       e->is_directional ? 1.0 : 0.0, e->offset, e->drive_max, e->delay_s,
                       e->backlash);
}

PyObject *py_servo_check(PyObject *module, PyObject *args) {
  PyObject *object = NULL;
  sn_servo_params params;
  (void)module;
  return PyArg_ParseTuple(args, "O:_servo_check", &object) && py_servo_params_take(object, &params)
             ? Py_NewRef(Py_None)
             : NULL;
}

/* Columns: voltage, goal, q, qd, qdd (or the inertia of the load), tau. */
enum { COLUMNS = 6 };

static double evaluate(const char *what, const sn_servo_params *params, const double *row,
                       double dead_zone) {
  const sn_servo_motion motion = {.q = row[2], .qd = row[3], .qdd = row[4], .tau = row[5]};
  if (strcmp(what, "goal") == 0) {
    return sn_servo_goal_of(params, row[0], &motion, dead_zone);
  }
  if (strcmp(what, "torque") == 0) {
    return sn_servo_torque_of(params, row[0], row[1], &motion, dead_zone);
  }
  if (strcmp(what, "position") == 0) {
    return sn_servo_position_of(params, row[0], row[1], &motion, dead_zone);
  }
  const sn_servo_load load = {.inertia_kgm2 = row[4], .tau = row[5]};
  return sn_servo_accel(params, row[0], row[1], row[2], row[3], &load, dead_zone);
}

PyObject *py_servo(PyObject *module, PyObject *args) {
  const char *what = NULL;
  PyObject *numbers = NULL;
  PyObject *table = NULL;
  double dead_zone = SN_SERVO_DEAD_ZONE;
  sn_servo_params params;
  py_numbers rows;
  py_array out;
  (void)module;
  if (!PyArg_ParseTuple(args, "sOOd:_servo", &what, &numbers, &table, &dead_zone) ||
      !py_servo_params_take(numbers, &params) ||
      !py_numbers_take(table, "motion", COLUMNS, &rows)) {
    return NULL;
  }
  bool is_good = py_array_make_shape(1, &rows.rows, &out);
  for (size_t i = 0; is_good && i < rows.rows; i++) {
    out.data[i] = evaluate(what, &params, rows.data + COLUMNS * i, dead_zone);
    is_good = py_rows_go_on(i);
  }
  py_numbers_release(&rows);
  return py_array_finish(&out);
}

static PyObject *list_models(const sn_servo_list *list) {
  PyObject *models = PyList_New(0);
  for (size_t i = 0; models != NULL && i < list->count; i++) {
    PyObject *item =
        Py_BuildValue("sN", list->entries[i].name, py_servo_params_make(&list->entries[i].params));
    if (item == NULL || PyList_Append(models, item) != 0) {
      Py_CLEAR(models);
    }
    Py_XDECREF(item);
  }
  return models;
}

PyObject *py_servo_models(PyObject *module, PyObject *argument) {
  PyObject *path = NULL;
  (void)module;
  if (!PyUnicode_FSConverter(argument, &path)) {
    return NULL;
  }
  sn_arena arena;
  sn_arena reports;
  sn_report *report = NULL;
  sn_servo_list list = {0};
  sn_arena_init_growing(&arena, "servos", 0);
  sn_arena_init_growing(&reports, "problems", 0);
  PyObject *result = NULL;
  if (sn_report_create(&reports, &report, NULL) != SN_OK) {
    result = py_no_memory();
  } else if (sn__servo_store_load(&arena, PyBytes_AsString(path), report, &list) != SN_OK) {
    result = py_fail_report(report, PyBytes_AsString(path));
  } else {
    result = list_models(&list);
  }
  sn_arena_release(&arena);
  sn_arena_release(&reports);
  Py_DECREF(path);
  return result;
}
