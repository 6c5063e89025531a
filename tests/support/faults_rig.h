/** @file
 *  What the tests of controller_faults share. */
#ifndef SN_FAULTS_RIG_H
#define SN_FAULTS_RIG_H

#include "arbiter/controller_internal.h"
#include "rig.h"
#include "robot.h"
#include "sn_test.h"

enum { MS = 1000000, JOINTS_MAX = 64 };

typedef enum sickness { HEALTHY, RETURNS_ERROR, WRITES_NAN, HANGS, FALLS_SILENT } sickness;

typedef struct patient {
  sn_controller controller;
  sickness sick;
} patient;

typedef struct bench {
  rig r;
  sn_test_robot robot;
  size_t n;
  sn_component *hold;
  patient *patient;
  sn_tap *pose;
  double q[JOINTS_MAX];
  bool has_pose;
} bench;

void faults_open(bench *b);

void faults_begin(bench *b);

void faults_close(bench *b);

/** So many cycles, with one pose in each that moves no faster than it may. */
void faults_cycles(bench *b, int count);

size_t faults_count_lines(bench *b, const char *part);

#endif
