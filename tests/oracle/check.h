/** @file
 *  What the comparisons with a peer share. */
#ifndef SN_CHECK_H
#define SN_CHECK_H

#include "sinew/arena.h"
#include "sinew/model.h"

/** Load a robot, or end the program with a message. */
const sn_model *check_load(sn_arena *arena, const char *path);

/** The worst differences so far, each relative to 1 plus the largest number compared. */
void check_numbers(const char *what, size_t n, const double *ours, const double *theirs);
void check_pose(const char *what, sn_pose ours, const double theirs[12]);

/** Print the worst difference of each kind. @return 0 if all are below @p tol, 1 if not */
int check_summary(const char *title, double tol);

#endif
