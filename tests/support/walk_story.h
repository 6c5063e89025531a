/** @file
 *  A robot that walks on the ground in simulated time, with noisy sensors and an estimated base:
 *  the deployment `walking.yaml`, commanded through `walk.setVelocity`. */
#ifndef SN_TEST_WALK_STORY_H
#define SN_TEST_WALK_STORY_H

#include "deployed.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_types.h"
#include "sinew/pose.h"

typedef struct walk_story {
  sn_deployed d;
  sn_tap *truth, *fall, *sorted;
  sn_source *push;
  sn_caller set_velocity;
  sn_call_outcome *outcome;
  sn_spatial wanted; /**< sent every 50 ms */
  bool is_silent;    /**< nothing is sent */
  long cycles;       /**< so far */
  double tilt_max;   /**< of the base so far, rad */
  bool has_fallen;   /**< the estimator has reported a fall */
  uint64_t hash;     /**< of all commanded poses so far */
} walk_story;

/** The quadruped stands, and everything runs.
 *  @param plant  more properties of the plant, as YAML: `, slope_x: 0.1` */
void walk_story_open(walk_story *s, const char *plant);
/** The same with another control period, 1 ms to 10 ms. */
void walk_story_open_with_period(walk_story *s, const char *plant, int period_ms);
void walk_story_close(walk_story *s);

/** Run with the wanted velocity. */
void walk_story_run(walk_story *s, double duration_s);

/** Want another velocity: m/s and rad/s. */
void walk_story_want(walk_story *s, double x, double y, double turn);

/** One call of setVelocity; valid until the next one. */
const sn_call_outcome *walk_story_call(walk_story *s, double x, double y, double turn);

/** Push the base with a force in the axes of the world for 0.1 s, and run for that time. */
void walk_story_push(walk_story *s, double x_N, double y_N);

/** True pose of the base. */
sn_pose walk_story_base(walk_story *s);

#endif
