/** @file
 *  Many poses of one chain solved by one or several threads, answers in the order of the poses. */
#ifndef SINEW_APP_IK_BATCH_H
#define SINEW_APP_IK_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/ik.h"
#include "sinew/ik_avoid.h"

/** The most threads, and the most branches that are printed for one pose. */
enum { IK_JOBS_MAX = 64, IK_BRANCHES_MAX = 256 };

/** The request for every pose. */
typedef struct ik_task {
  const sn_model *model;
  sn_ik_config config;
  sn_ik_options options;
  const double *seed; /**< NULL: the middle of every range, 0 for unlimited joints */
  size_t seed_count;
  double timeout_s;
  bool all; /**< every branch instead of one solution */
  size_t jobs;
  const sn_ik_avoid_config *avoid; /**< only solutions without a collision; NULL: all */
  sn_report *report;               /**< receives warnings about it, which are printed */
} ik_task;

/** Opaque. */
typedef struct ik_batch ik_batch;

/** One solver per thread, and room for poses and answers. @p task must outlive the batch.
 *  @return EXIT_GOOD; EXIT_USAGE or EXIT_NO with the reason on standard error; EXIT_FAULT */
int ik_batch_create(sn_arena *arena, const ik_task *task, ik_batch **out);

/** How many poses are solved together. */
size_t ik_batch_capacity(const ik_batch *batch);

/** Solve @p count poses and print the answers.
 *  @return EXIT_GOOD if all have a solution, else EXIT_NO; EXIT_FAULT */
int ik_batch_run(ik_batch *batch, const sn_pose *poses, size_t count);

#endif
