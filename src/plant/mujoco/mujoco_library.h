/** @file
 *  Internal: MuJoCo's library, loaded by name on first use: without simulation it is not needed. */
#ifndef SN_PLANT_MUJOCO_MUJOCO_LIBRARY_H
#define SN_PLANT_MUJOCO_MUJOCO_LIBRARY_H

#include <mujoco/mujoco.h>
#include <stdbool.h>

#include "sinew/status.h"

/** The library and the functions in use. */
typedef struct sn__mujoco_library {
  void *handle;
  int (*version)(void);
  void (*default_vfs)(mjVFS *vfs);
  int (*make_file)(mjVFS *vfs, const char *name, int size);
  void (*delete_vfs)(mjVFS *vfs);
  mjModel *(*load_xml)(const char *name, const mjVFS *vfs, char *error, int error_size);
  mjData *(*make_data)(const mjModel *model);
  void (*reset_data)(const mjModel *model, mjData *data);
  void (*set_const)(mjModel *model, mjData *data);
  void (*step1)(const mjModel *model, mjData *data);
  void (*step2)(const mjModel *model, mjData *data);
  void (*contact_force)(const mjModel *model, const mjData *data, int contact, double force[6]);
  int (*name_to_id)(const mjModel *model, int type, const char *name);
  void (*delete_data)(mjData *data);
  void (*delete_model)(mjModel *model);
} sn__mujoco_library;

/** @return false with the reason: it is not installed, or has another version. Call
 *  sn__mujoco_close() in both cases. */
bool sn__mujoco_open(sn__mujoco_library *library, sn_error *err);
void sn__mujoco_close(sn__mujoco_library *library);

/** Load a model from text. @return NULL: @p why has the reason */
mjModel *sn__mujoco_load(const sn__mujoco_library *library, const char *text, size_t size,
                         char *why, size_t why_size);

#endif
