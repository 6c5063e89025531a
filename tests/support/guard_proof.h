/** @file
 *  Proof that the links of a robot do not touch: a plane between every two shapes of every pair.
 *
 *  Nothing of src/collision is trusted except for the list of pairs. Poses come from the joints of
 *  the model, and how far a shape reaches in a direction is a closed form of its sizes. Where a
 *  direction comes from does not matter: if it separates the two shapes, they are apart. */
#ifndef SN_TEST_GUARD_PROOF_H
#define SN_TEST_GUARD_PROOF_H

#include "collision/collision.h"

/** Opaque. Lives in the arena it was created from. */
typedef struct guard_proof guard_proof;

/** @param pairs  its pairs are those that are proven, without objects of the world; must outlive
 *                the proof */
guard_proof *guard_proof_create(sn_arena *arena, const sn_model *model, const sn__collision *pairs);

/** @param q     a sorted pose; mimic joints where they are commanded
 *  @param link  out: names of two links whose shapes no plane separates
 *  @return whether all shapes are apart */
bool guard_proof_is_free(guard_proof *proof, const double *q, const char *link[2]);

#endif
