/** @file
 *  An independent URDF reader, different from that of the library: a scanner of tags, strtod(), 4 x
 * 4 matrices, and one frame per link from the root outwards, as the URDF specification describes
 *  it. For well-formed files without entities only. */
#ifndef SN_URDF_ORACLE_H
#define SN_URDF_ORACLE_H

#include <stddef.h>

enum { SN_ORACLE_MAX = 512, SN_ORACLE_NAME = 96 };

/** Rotation and position; the last row is 0 0 0 1. */
typedef struct sn_oracle_frame {
  double m[4][4];
} sn_oracle_frame;

typedef struct sn_oracle_link {
  char name[SN_ORACLE_NAME];
  double mass;
  sn_oracle_frame inertial; /**< frame of the centre of mass, in the link */
  double inertia[3][3];     /**< about the centre of mass, in the axes of that frame */
  int parent_joint;         /**< -1 for the root */
} sn_oracle_link;

typedef struct sn_oracle_joint {
  char name[SN_ORACLE_NAME];
  char type[16];
  char parent[SN_ORACLE_NAME], child[SN_ORACLE_NAME], mimic[SN_ORACLE_NAME];
  sn_oracle_frame origin;
  double axis[3];
  double multiplier, offset;
} sn_oracle_joint;

typedef struct sn_oracle {
  int link_count, joint_count;
  sn_oracle_link links[SN_ORACLE_MAX]; /**< in the order of the file */
  sn_oracle_joint joints[SN_ORACLE_MAX];
} sn_oracle;

/** Sum over all links at one pose, about the origin of the root and in its axes. */
typedef struct sn_oracle_sum {
  double mass;
  double first[3];     /**< mass times position of the centre of mass */
  double second[3][3]; /**< inertia tensor about the root's origin */
} sn_oracle_sum;

/** Read a URDF text. Fails the test if the oracle does not support it. */
void sn_oracle_read(sn_oracle *oracle, const char *text);

int sn_oracle_find_link(const sn_oracle *oracle, const char *name);
int sn_oracle_find_joint(const sn_oracle *oracle, const char *name);

/** Frame of a link in the root. @param q  value of each joint of the file; those of mimic joints,
 *  fixed, floating and planar ones are ignored */
sn_oracle_frame sn_oracle_fk(const sn_oracle *oracle, int link, const double *q);

sn_oracle_sum sn_oracle_inertia(const sn_oracle *oracle, const double *q);

/** Largest difference of the twelve numbers. */
double sn_oracle_distance(sn_oracle_frame a, sn_oracle_frame b);

#endif
