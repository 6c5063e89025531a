/** @file
 *  A controller that goes wrong: it hangs, dies, grabs limbs, lets go of them, and writes nonsense
 *  about its own joints and those of others. */
#ifndef SINEW_STORM_ROGUE_H
#define SINEW_STORM_ROGUE_H

#include "sinew/component.h"

/** `storm_rogue`, for deployments of storms and their replays. */
extern const sn_component_type storm_rogue_component;

#endif
