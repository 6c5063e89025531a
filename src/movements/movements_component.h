/** @file
 *  Internal: the component `movements`: a folder of movements that are listed, played and recorded
 *  by name. */
#ifndef SN_MOVEMENTS_MOVEMENTS_COMPONENT_H
#define SN_MOVEMENTS_MOVEMENTS_COMPONENT_H

#include <pthread.h>
#include <stdatomic.h>

#include "movements/hand_recording.h"
#include "movements/library.h"
#include "movements/named_poses.h"
#include "movements/player.h"
#include "movements/script.h"
#include "msg/name_map.h"
#include "sinew/component.h"
#include "sinew/components.h"

typedef enum sn__movements_mode {
  SN__MOVEMENTS_IDLE,
  SN__MOVEMENTS_PLAYING, /**< one movement */
  SN__MOVEMENTS_SCRIPT,
  SN__MOVEMENTS_RECORDING
} sn__movements_mode;

/** Who may touch the samples of a recording. */
typedef enum sn__sampling { SN__SAMPLING_OFF, SN__SAMPLING_ON, SN__SAMPLING_ENDS } sn__sampling;

typedef struct sn__movements {
  sn_component component;
  /* properties */
  const char *folder;
  sn_texts trajectories, steps;
  const char *limp, *pose, *srdf;
  const sn_value *pose_tree;
  double record_interval, record_max, record_tolerance, record_smoothing;
  /* ports and needs */
  sn_input joints_measured;
  sn_requester robot_model;

  const sn_model *model;
  sn__named_poses poses;
  sn__name_map measured_names;
  double *measured; /**< [pose_size] of the cycle */
  bool has_measured;
  sn__hand_recording take; /**< of the cycle while sampling is on */
  _Atomic int sampling;    /**< sn__sampling */
  _Atomic bool is_full;    /**< the recording ended because it is too long */
  bool is_simulated;

  pthread_mutex_t lock; /**< of all below; not taken by the cycle, unless time is simulated */
  bool is_open;         /**< the system has started */
  sn__player player;
  sn_caller yield; /**< of a recording: makes limbs yield; not ready: nothing does */
  sn__movements_mode mode;
  char name[SN__LIBRARY_NAME_MAX + 1];
  const char *kind;
  size_t controller; /**< of a movement in execution */
  bool success;
  int32_t error_code;
  char message[256];
  double elapsed_s, duration_s;
  sn_arena script_arena;
  sn__script script;
  int64_t start_ns;
  int *take_joints; /**< [pose_size] what is recorded */
  size_t take_count;
  pthread_t thread; /**< runs scripts in real time */
  bool has_thread;
  _Atomic bool must_end;
  _Atomic uint32_t wake; /**< counts the reasons to look; the thread sleeps on it */
} sn__movements;

struct sn_movement_list;
struct sn_movement_play;
struct sn_movement_take;

/* ---- movements_play.c; the caller holds the lock ---- */

/** Play a file of the folder: a movement or a script. */
sn_status sn__movements_play(sn__movements *self, const struct sn_movement_play *request,
                             sn_error *err);

/** Play a movement that was read. */
sn_status sn__movements_begin(sn__movements *self, const sn__movement *movement, sn_error *err);

/** Cancel what is played. @return whether there was anything */
bool sn__movements_stop(sn__movements *self);

/** Look how it is, and continue a script. */
void sn__movements_update(sn__movements *self, int64_t now_ns);

/* ---- movements_thread.c ---- */

/** @return false: no thread */
bool sn__movements_start_thread(sn__movements *self);
/** A script has begun; until then the thread sleeps. */
void sn__movements_wake_thread(sn__movements *self);
/** The caller does not hold the lock. */
void sn__movements_end_thread(sn__movements *self);

/* ---- movements_list.c ---- */

sn_status sn__movements_list(const sn__movements *self, struct sn_movement_list *out,
                             sn_error *err);

/* ---- movements_record.c; the caller holds the lock ---- */

/** Make limbs yield, if that is asked for, and take samples. */
sn_status sn__movements_record(sn__movements *self, const struct sn_movement_take *request,
                               sn_error *err);

/** End it. @param saves  into the folder; else it is dropped */
sn_status sn__movements_end_record(sn__movements *self, bool saves, sn_error *err);

/** Save the commanded pose. */
sn_status sn__movements_save_pose(sn__movements *self, const char *name, sn_error *err);

/** Load the file of this name, or the pose of this name that no file hides. */
sn_status sn__movements_load(const sn__movements *self, const char *name, sn_arena *arena,
                             sn__movement *out, sn_error *err);

/** The joints of a pose. @return SN_OK; SN_EINVAL: it is not a pose; SN_ENOSPC; as
 * sn__movement_load()
 */
sn_status sn__movements_get_pose(const sn__movements *self, const char *name, sn_joint_state *out,
                                 sn_error *err);

/** Remove the file of a pose. @return SN_OK; SN_EINVAL: it is not a pose, or has no file; SN_EIO */
sn_status sn__movements_remove_pose(const sn__movements *self, const char *name, sn_error *err);

#endif
