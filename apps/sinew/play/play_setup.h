/** @file
 *  What all movements of a `sinew play` have in common: the robot, and the settings of its
 *  deployment that the options stand for. */
#ifndef SINEW_APP_PLAY_SETUP_H
#define SINEW_APP_PLAY_SETUP_H

#include "common/app_system.h"
#include "play/play.h"

enum { PLAY_SETTINGS_MAX = TEXT_LIST_MAX };

typedef struct play_setup {
  const play_arguments *arguments;
  sn_arena arena;   /**< of the settings */
  app_system plain; /**< the deployment as it is; started, but never run */
  const sn_model *model;
  text_list settings;     /**< `component.property=value` */
  const char *components; /**< YAML: components to change; NULL: none */
  /** Names of components by their type; NULL: the deployment has none. */
  const char *plant, *execute, *steps, *move_base, *hold, *gate, *inversion, *kinematics,
      *estimator;
} play_setup;

/** Prints what is wrong. play_setup_close() it in any case. @return an exit code */
int play_setup_open(play_setup *setup, const play_arguments *arguments);
void play_setup_close(play_setup *setup);

/** Add `component.property=value` to a list of settings, in @p arena.
 *  @param component  NULL: nothing is added
 *  @param format     of `property=value` */
void play_set(text_list *settings, sn_arena *arena, const char *component, const char *format, ...)
    SN_PRINTF(4, 5);

/** Options of a system with these settings on top of the common ones. */
app_system_options play_setup_options(const play_setup *setup, const text_list *settings);

/** Add the servos: models for the plant and their inversion, limits of the gate. Prints what is
 *  wrong. @return an exit code */
int play_add_servos(play_setup *setup);

#endif
