/* MuJoCo's physics with Sinew's servos. Damping, dry friction and rotor are MuJoCo's own (joint
   damping, which it integrates implicitly, friction loss, armature); the drive is a force on the
   joint. The change of a stiff drive within the step acts as damping, so it is passed
   to MuJoCo as such. Stops have MuJoCo's softness.

   The library is loaded by name on first use: without simulation MuJoCo is not needed. */
#include "plant/mujoco_physics.h"

#include <dlfcn.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "plant/mjcf.h"
#include "sinew/dyn.h"

/* The functions in use. */
typedef struct functions {
  int (*version)(void);
  void (*default_vfs)(mjVFS *vfs);
  int (*make_file)(mjVFS *vfs, const char *name, int size);
  void (*delete_vfs)(mjVFS *vfs);
  mjModel *(*load_xml)(const char *name, const mjVFS *vfs, char *error, int error_size);
  mjData *(*make_data)(const mjModel *model);
  void (*reset_data)(const mjModel *model, mjData *data);
  void (*set_const)(mjModel *model, mjData *data);
  void (*step)(const mjModel *model, mjData *data);
  int (*name_to_id)(const mjModel *model, int type, const char *name);
  void (*delete_data)(mjData *data);
  void (*delete_model)(mjModel *model);
} functions;

typedef struct mujoco_physics {
  sn__physics physics;
  void *library;
  functions f;
  mjModel *m;
  mjData *d;
  sn_tree tree;
  sn_dyn_data *dyn; /* for the loads */
  size_t count;     /* entries of the pose */
  int *joint;       /* [body_count] MuJoCo's number */
  int *position;    /* [count] where MuJoCo keeps the position of a joint with a servo */
  int *freedom;     /* [count] likewise its velocity */
} mujoco_physics;

/* MuJoCo's own handler writes a file into the working directory. */
static void keep_silent(const char *text) {
  (void)text;
}

static bool find_functions(mujoco_physics *p) {
  const struct {
    const char *name;
    void *to;
  } wanted[] = {{"mj_version", &p->f.version},
                {"mj_defaultVFS", &p->f.default_vfs},
                {"mj_makeEmptyFileVFS", &p->f.make_file},
                {"mj_deleteVFS", &p->f.delete_vfs},
                {"mj_loadXML", &p->f.load_xml},
                {"mj_makeData", &p->f.make_data},
                {"mj_resetData", &p->f.reset_data},
                {"mj_step", &p->f.step},
                {"mj_setConst", &p->f.set_const},
                {"mj_name2id", &p->f.name_to_id},
                {"mj_deleteData", &p->f.delete_data},
                {"mj_deleteModel", &p->f.delete_model}};
  bool is_good = true;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *symbol = dlsym(p->library, wanted[i].name);
    memcpy(wanted[i].to, &symbol, sizeof symbol); /* POSIX guarantees the size */
    is_good = is_good && symbol != NULL;
  }
  void (**warning)(const char *) = dlsym(p->library, "mju_user_warning");
  if (warning != NULL) {
    *warning = keep_silent;
  }
  return is_good;
}

static bool open_library(mujoco_physics *p, sn_error *err) {
  p->library = dlopen(SINEW_MUJOCO_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (p->library == NULL) {
    (void)sn__fail(err, SN_EIO, "MuJoCo: %.200s; install it, or use the type plant", dlerror());
    return false;
  }
  if (!find_functions(p) || p->f.version() != mjVERSION_HEADER) {
    (void)sn__fail(err, SN_EUNSUPPORTED,
                   "MuJoCo: %s is another version than %d, which Sinew was "
                   "built with",
                   SINEW_MUJOCO_LIBRARY, mjVERSION_HEADER);
    return false;
  }
  return true;
}

/* Pass the robot to MuJoCo as a virtual file. */
static bool load(mujoco_physics *p, const sn_model *model, sn_error *err) {
  sn_arena work;
  sn_arena_init_growing(&work, "MJCF", 0);
  const size_t size = sn__mjcf_write(model, NULL, 0);
  mjVFS *vfs = SN_NEW(&work, mjVFS, 1);
  char *text = SN_NEW(&work, char, size + 1);
  char why[200] = "no memory";
  if (vfs != NULL && text != NULL) {
    (void)sn__mjcf_write(model, text, size + 1);
    p->f.default_vfs(vfs);
    if (p->f.make_file(vfs, "robot.xml", (int)size) == 0) {
      memcpy(vfs->filedata[0], text, size);
      p->m = p->f.load_xml("robot.xml", vfs, why, sizeof why);
    }
    p->f.delete_vfs(vfs);
  }
  sn_arena_release(&work);
  p->d = p->m == NULL ? NULL : p->f.make_data(p->m);
  if (p->d == NULL) {
    (void)sn__fail(err, SN_EMODEL, "MuJoCo refuses the robot: %.180s", why);
  }
  return p->d != NULL;
}

static bool find_joints(mujoco_physics *p, sn_arena *arena, const sn_model *model) {
  p->joint = SN_NEW(arena, int, p->tree.body_count);
  p->position = SN_NEW(arena, int, p->count);
  p->freedom = SN_NEW(arena, int, p->count);
  if (p->joint == NULL || p->position == NULL || p->freedom == NULL) {
    return false;
  }
  for (size_t i = 0; i < p->tree.body_count; i++) {
    char name[24];
    snprintf(name, sizeof name, "j%zu", i);
    p->joint[i] = p->f.name_to_id(p->m, mjOBJ_JOINT, name);
  }
  for (size_t i = 0; i < p->count; i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    if (sn__has_servo(joint)) {
      p->position[i] = p->m->jnt_qposadr[p->joint[joint->body]];
      p->freedom[i] = p->m->jnt_dofadr[p->joint[joint->body]];
    }
  }
  return true;
}

/* MuJoCo derives constants from the inertia of a joint, above all the stiffness of its friction:
   they must include the rotor. */
static void set_rotors(mujoco_physics *p, const sn__axle *axles) {
  for (size_t i = 0; i < p->count; i++) {
    if (axles[i].moves) {
      p->m->dof_armature[p->freedom[i]] = axles[i].inertia;
    }
  }
  p->f.set_const(p->m, p->d);
}

static void release(sn__physics *physics) {
  mujoco_physics *p = (mujoco_physics *)physics;
  if (p->d != NULL) {
    p->f.delete_data(p->d);
  }
  if (p->m != NULL) {
    p->f.delete_model(p->m);
  }
  if (p->library != NULL) {
    dlclose(p->library);
  }
  p->d = NULL;
  p->m = NULL;
  p->library = NULL;
}

/* ---- a step ---- */

static void reset(sn__physics *physics, const sn__joint_motion *motion,
                  const sn__base_motion *base) {
  (void)base;
  mujoco_physics *p = (mujoco_physics *)physics;
  p->f.reset_data(p->m, p->d);
  for (size_t i = 0; i < p->tree.body_count; i++) { /* including mimic joints */
    const double q = motion->q[p->tree.coord[i]];
    p->d->qpos[p->m->jnt_qposadr[p->joint[i]]] = p->tree.q_scale[i] * q + p->tree.q_offset[i];
  }
}

static void set_joint(mujoco_physics *p, const sn__axle *axle, size_t i, double h) {
  const int dof = p->freedom[i];
  const double v = p->d->qvel[dof];
  double drive = axle->stiffness * (axle->target - p->d->qpos[p->position[i]]);
  double yielding = h * axle->stiffness;
  if (fabs(drive) > axle->torque_max) {
    drive = copysign(axle->torque_max, drive);
    yielding = 0.0;
  }
  if (fabs(v) >= axle->speed_max && drive * v > 0.0) {
    drive = yielding = 0.0;
  }
  p->m->dof_damping[dof] = axle->damping + yielding;
  p->m->dof_frictionloss[dof] = axle->dry;
  p->d->qfrc_applied[dof] = drive + axle->push;
}

static void step(sn__physics *physics, const sn__influences *acting, double h,
                 sn__joint_motion *motion, sn__base_motion *base) {
  (void)base;
  const sn__axle *axles = acting->axles;
  const sn_vec3 gravity = acting->gravity;
  mujoco_physics *p = (mujoco_physics *)physics;
  const sn_dyn_world world = {.gravity = gravity};
  p->m->opt.timestep = h;
  p->m->opt.gravity[0] = gravity.x;
  p->m->opt.gravity[1] = gravity.y;
  p->m->opt.gravity[2] = gravity.z;
  for (size_t i = 0; i < p->count; i++) {
    if (axles[i].moves) {
      set_joint(p, &axles[i], i, h);
    }
  }
  p->f.step(p->m, p->d);
  for (size_t i = 0; i < p->count; i++) {
    motion->qdd[i] = axles[i].moves ? (p->d->qvel[p->freedom[i]] - motion->qd[i]) / h : 0.0;
  }
  sn_dyn_inverse(p->dyn, &world, motion->q, motion->qd, motion->qdd, motion->load, NULL);
  for (size_t i = 0; i < p->count; i++) {
    if (axles[i].moves) {
      motion->load[i] -= axles[i].push;
      motion->q[i] = p->d->qpos[p->position[i]];
      motion->qd[i] = p->d->qvel[p->freedom[i]];
    }
  }
}

sn__physics *sn__mujoco_create(sn_arena *arena, const sn__physics_setup *setup, sn_error *err) {
  const sn_model *model = setup->model;
  mujoco_physics *p = SN_NEW(arena, mujoco_physics, 1);
  if (p == NULL) {
    (void)sn__fail(err, SN_ENOMEM, "no memory");
    return NULL;
  }
  p->physics = (sn__physics){.step = step, .reset = reset, .release = release};
  p->count = sn_model_pose_size(model);
  p->tree = *sn_model_tree(model);
  p->tree.massless_link = NULL;
  bool is_good = open_library(p, err) && load(p, model, err);
  if (is_good &&
      (!find_joints(p, arena, model) || sn_dyn_create(arena, &p->tree, &p->dyn, NULL) != SN_OK)) {
    (void)sn__fail(err, SN_ENOMEM, "no memory");
    is_good = false;
  }
  if (!is_good) {
    release(&p->physics);
    return NULL;
  }
  set_rotors(p, setup->axles);
  return &p->physics;
}
