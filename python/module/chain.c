/* sinew.Chain: kinematics of one chain of a robot. */
#include <string.h>

#include "ik_pool.h"
#include "py.h"
#include "sinew/kin.h"

/* ---- life ---- */

static bool fill(py_chain *self, const char *base, const char *tip, const char *solver) {
  sn_error err;
  const sn_model *model = self->robot->model;
  if (sn_chain_create(&self->arena, model, base, tip, &self->chain, &err) != SN_OK) {
    (void)py_fail(&err);
    return false;
  }
  self->base = sn_model_link(model, (size_t)self->chain->first_link)->name;
  self->tip = sn_model_link(model, (size_t)self->chain->last_link)->name;
  self->pool = py_ik_pool_create(model, self->base, self->tip, solver);
  return self->pool != NULL;
}

PyObject *py_chain_make(py_robot *robot, const char *base, const char *tip, const char *solver) {
  py_chain *self = PyObject_New(py_chain, py_chain_type);
  if (self == NULL) {
    return NULL;
  }
  Py_INCREF((PyObject *)robot);
  self->robot = robot;
  self->dynamics = NULL;
  self->derivatives = NULL;
  self->pool = NULL;
  self->chain = NULL;
  sn_arena_init_growing(&self->arena, "chain", 16 * 1024);
  if (!fill(self, base, tip, solver)) {
    Py_DECREF((PyObject *)self);
    return NULL;
  }
  return (PyObject *)self;
}

static void chain_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  py_chain *self = (py_chain *)object;
  py_ik_pool_destroy(self->pool);
  sn_arena_release(&self->arena);
  Py_DECREF((PyObject *)self->robot);
  PyObject_Free(object);
  Py_DECREF((PyObject *)type);
}

/* ---- kinematics ---- */

static PyObject *chain_fk(PyObject *object, PyObject *argument) {
  const sn_chain *chain = ((py_chain *)object)->chain;
  static const size_t shape[] = {4, 4};
  py_numbers q;
  py_array array;
  if (!py_numbers_take(argument, "q", chain->joint_count, &q)) {
    return NULL;
  }
  bool is_good = py_array_make(&q, 2, shape, &array);
  for (size_t i = 0; is_good && i < q.rows; i++) {
    const sn_pose pose = sn_chain_fk(chain, q.data + i * chain->joint_count);
    py_pose_write(&pose, array.data + 16 * i);
    is_good = py_rows_go_on(i);
  }
  py_numbers_release(&q);
  return py_array_finish(&array);
}

/* The library has the angular rows first, other Python libraries the linear ones; ours follow the
   library, as everywhere in Sinew. */
static PyObject *chain_jacobian(PyObject *object, PyObject *argument) {
  const sn_chain *chain = ((py_chain *)object)->chain;
  const size_t n = chain->joint_count;
  const size_t shape[] = {6, n};
  py_numbers q;
  py_array array;
  if (!py_numbers_take(argument, "q", n, &q)) {
    return NULL;
  }
  bool is_good = py_array_make(&q, 2, shape, &array);
  for (size_t i = 0; is_good && i < q.rows; i++) {
    sn_pose pose;
    sn_chain_fk_jacobian(chain, q.data + i * n, &pose, array.data + 6 * n * i);
    is_good = py_rows_go_on(i);
  }
  py_numbers_release(&q);
  return py_array_finish(&array);
}

/* ---- facts ---- */

static PyObject *get_base(PyObject *self, void *closure) {
  (void)closure;
  return PyUnicode_FromString(((py_chain *)self)->base);
}

static PyObject *get_tip(PyObject *self, void *closure) {
  (void)closure;
  return PyUnicode_FromString(((py_chain *)self)->tip);
}

static PyObject *get_dof(PyObject *self, void *closure) {
  (void)closure;
  return PyLong_FromSize_t(((py_chain *)self)->chain->joint_count);
}

static PyObject *get_robot(PyObject *self, void *closure) {
  (void)closure;
  return Py_NewRef((PyObject *)((py_chain *)self)->robot);
}

static PyObject *get_solver(PyObject *self, void *closure) {
  (void)closure;
  return PyUnicode_FromString(py_ik_pool_solver(((py_chain *)self)->pool));
}

static PyObject *get_joints(PyObject *self, void *closure) {
  const py_chain *c = (py_chain *)self;
  PyObject *tuple = PyTuple_New((Py_ssize_t)c->chain->joint_count);
  (void)closure;
  for (size_t i = 0; tuple != NULL && i < c->chain->joint_count; i++) {
    const sn_joint *joint = sn_model_joint(c->robot->model, (size_t)c->chain->joints[i]);
    PyObject *name = PyUnicode_FromString(joint->name);
    if (name == NULL || PyTuple_SetItem(tuple, (Py_ssize_t)i, name) != 0) {
      Py_CLEAR(tuple);
    }
  }
  return tuple;
}

/* @param closure  not NULL: upper limits */
static PyObject *get_limits(PyObject *self, void *closure) {
  const sn_chain *chain = ((py_chain *)self)->chain;
  py_array array;
  if (!py_array_make_shape(1, &chain->joint_count, &array)) {
    return NULL;
  }
  memcpy(array.data, closure == NULL ? chain->lower : chain->upper,
         chain->joint_count * sizeof *array.data);
  return py_array_finish(&array);
}

static PyObject *chain_repr(PyObject *self) {
  const py_chain *c = (py_chain *)self;
  return PyUnicode_FromFormat("<sinew.Chain '%s' to '%s' of '%s': %zu joints, %s>", c->base, c->tip,
                              sn_model_name(c->robot->model), c->chain->joint_count,
                              py_ik_pool_solver(c->pool));
}

/* ---- the type ---- */

#define WITH_KEYWORDS(function) \
  ((PyCFunction)(void (*)(void))(function)), METH_VARARGS | METH_KEYWORDS

static char is_upper;

static PyGetSetDef attributes[] = {
    {"base", get_base, NULL, "Link at the base.", NULL},
    {"tip", get_tip, NULL, "Link at the tip.", NULL},
    {"joints", get_joints, NULL, "Names of the joints: the order of every vector.", NULL},
    {"dof", get_dof, NULL, "Number of joints: the length of every vector.", NULL},
    {"robot", get_robot, NULL, "The robot.", NULL},
    {"solver", get_solver, NULL, "What solves its inverse kinematics.", NULL},
    {"lower", get_limits, NULL, "Lower limits, rad or m; infinite if there are none.", NULL},
    {"upper", get_limits, NULL, "Upper limits, likewise.", &is_upper},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {
    {"fk", chain_fk, METH_O,
     "fk($self, q, /)\n--\n\n"
     "Pose of the tip in the frame of the base: a matrix of 4 x 4.\n\n"
     "q: joint positions, or an array of n vectors, which gives n x 4 x 4."},
    {"jacobian", chain_jacobian, METH_O,
     "jacobian($self, q, /)\n--\n\n"
     "Jacobian of the tip's origin in the axes of the base, 6 x dof: angular rows first.\n\n"
     "q: joint positions, or an array of n vectors, which gives n x 6 x dof."},
    {"ik", WITH_KEYWORDS(py_chain_ik),
     "ik($self, pose, seed=None, timeout=1.0, free='')\n--\n\n"
     "Joint positions with which the tip reaches a pose, found from the seed.\n\n"
     "pose: 4 x 4, or x y z qx qy qz qw. seed: the middle of the ranges if None.\n"
     "free: axes of the pose that need not match, such as 'rz' or 'rx,ry,rz'.\n"
     "Raises sinew.NoSolution."},
    {"ik_all", WITH_KEYWORDS(py_chain_ik_all),
     "ik_all($self, pose, seed=None, timeout=1.0, free='')\n--\n\n"
     "All solutions that the solver finds, the nearest to the seed first: k x dof, k may be 0."},
    {"ik_batch", WITH_KEYWORDS(py_chain_ik_batch),
     "ik_batch($self, poses, jobs=0, seed=None, timeout=1.0, free='')\n--\n\n"
     "A solution for each of n poses: n x dof, a row of nan where there is none.\n\n"
     "jobs: threads; 0 means as many as there are processors. They run without the GIL.\n"
     "seed: one for all, or n x dof."},
    {"rnea", WITH_KEYWORDS(py_chain_rnea),
     "rnea($self, q, qd=None, qdd=None, gravity=(0, 0, -9.81))\n--\n\n"
     "Inverse dynamics: the torques that cause an acceleration. Arrays of n vectors give n x dof."},
    {"mass_matrix", py_chain_mass_matrix, METH_O,
     "mass_matrix($self, q, /)\n--\n\nMass matrix, dof x dof."},
    {"forward_dynamics", WITH_KEYWORDS(py_chain_forward_dynamics),
     "forward_dynamics($self, q, qd=None, tau=None, gravity=(0, 0, -9.81))\n--\n\n"
     "The acceleration that torques cause."},
    {"rnea_derivatives", WITH_KEYWORDS(py_chain_rnea_derivatives),
     "rnea_derivatives($self, q, qd=None, qdd=None, gravity=(0, 0, -9.81))\n--\n\n"
     "Derivatives of the torques of rnea() by q, qd and qdd: three matrices of dof x dof."},
    {"forward_dynamics_derivatives", WITH_KEYWORDS(py_chain_forward_dynamics_derivatives),
     "forward_dynamics_derivatives($self, q, qd=None, tau=None, gravity=(0, 0, -9.81))\n--\n\n"
     "Derivatives of the acceleration by q, qd and tau: three matrices of dof x dof."},
    {"retime", WITH_KEYWORDS(py_chain_retime),
     "retime($self, waypoints, velocity=None, acceleration=None, jerk=None, torque=None, "
     "tool_speed=0.0)\n--\n\n"
     "The fastest motion through waypoints, n x dof, from rest to rest, as a sinew.Trajectory.\n\n"
     "Limits are numbers or one for each joint. velocity: those of the robot if None.\n"
     "acceleration: 4 times the velocity per second if None, jerk likewise.\n"
     "torque: limits of the torques; none if None. tool_speed: of the tip in m/s; 0: none."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_dealloc, PY_SLOT(chain_dealloc)},
                              {Py_tp_repr, PY_SLOT(chain_repr)},
                              {Py_tp_methods, PY_SLOT(methods)},
                              {Py_tp_getset, PY_SLOT(attributes)},
                              {Py_tp_doc, PY_SLOT("A chain of a robot; made by Robot.chain().")},
                              {0, NULL}};

PyType_Spec py_chain_spec = {"sinew.Chain", sizeof(py_chain), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
