/* Poses of all links against KDL: fk_oracle DIRECTORY|FILE.urdf...
   For each robot: urdfdom counts as many movable joints, and in POSES random poses within the
   limits every link is where KDL has it, within TOLERANCE. KDL takes mimic joints for independent
   ones, so it is given the values that they follow to; floating and planar joints it takes for
   fixed ones, as we do. The peer is a child process. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "sinew/kin.h"
#include "sinew/model.h"
#include "sinew/random.h"

#define POSES 1000
#define TOLERANCE 1e-10
#define SEED 1
#define POSE_NUMBERS 12

/* KDL in its process, and its names as our indices. */
typedef struct peer {
  child process;
  size_t movable_count;
  size_t joint_count;
  int joints[SN_URDF_LINKS_MAX];
  size_t link_count;
  int links[SN_URDF_LINKS_MAX];
} peer;

/* What the peer announces; false if it refuses the robot or knows a name that we do not. */
static bool read_names(peer *p, const sn_model *model) {
  p->movable_count = p->joint_count = p->link_count = 0;
  for (char *line = child_read(&p->process); line != NULL; line = child_read(&p->process)) {
    char *name = strchr(line, ' ');
    if (name == NULL) {
      return strcmp(line, "end") == 0;
    }
    *name++ = '\0';
    int index = 0;
    if (strcmp(line, "movable") == 0) {
      p->movable_count = strtoul(name, NULL, 10);
    } else if (strcmp(line, "joint") == 0) {
      index = p->joints[p->joint_count++] = sn_model_joint_index(model, name);
    } else {
      index = p->links[p->link_count++] = sn_model_link_index(model, name);
    }
    if (index < 0) {
      fprintf(stderr, "KDL knows a %s '%s', which we do not\n", line, name);
      return false;
    }
  }
  return false;
}

static double random_position(sn_random *random, const sn_joint *joint) {
  const double lower = isfinite(joint->lower) ? joint->lower : -3.2;
  const double upper = isfinite(joint->upper) ? joint->upper : 3.2;
  return sn_random_between(random, lower, upper);
}

/* The position of a joint, or what it follows to. */
static double followed(const sn_model *model, const double *q, int index) {
  double scale = 1.0, offset = 0.0;
  const sn_joint *joint = sn_model_joint(model, (size_t)index);
  while (joint->mimic >= 0) {
    offset += scale * joint->mimic_offset;
    scale *= joint->mimic_multiplier;
    index = joint->mimic;
    joint = sn_model_joint(model, (size_t)index);
  }
  return scale * q[index] + offset;
}

/* Largest difference of one pose of all links; infinite if one is NaN. */
static double compare_pose(peer *p, const sn_model *model, sn_kin_data *kin, const double *q) {
  static double positions[SN_URDF_LINKS_MAX];
  static double expected[SN_URDF_LINKS_MAX][POSE_NUMBERS];
  for (size_t i = 0; i < p->joint_count; i++) {
    positions[i] = followed(model, q, p->joints[i]);
  }
  child_write(&p->process, p->joint_count, positions);
  child_read_numbers(&p->process, p->link_count * POSE_NUMBERS, expected[0]);
  sn_kin_update(kin, q);
  double worst = 0.0;
  for (size_t i = 0; i < p->link_count; i++) {
    const sn_pose pose = sn_kin_link_pose(kin, sn_model_link(model, (size_t)p->links[i]));
    double actual[POSE_NUMBERS];
    _Static_assert(sizeof actual == sizeof pose, "a pose is three columns and a position");
    memcpy(actual, &pose, sizeof actual);
    for (size_t k = 0; k < POSE_NUMBERS; k++) {
      const double difference = fabs(actual[k] - expected[i][k]);
      worst = isnan(difference) ? INFINITY : fmax(worst, difference);
    }
  }
  return worst;
}

static double compare_poses(peer *p, const sn_model *model, sn_kin_data *kin, double *q) {
  sn_random random;
  sn_random_init(&random, SEED);
  double worst = 0.0;
  for (size_t k = 0; k < POSES && worst <= TOLERANCE; k++) {
    for (size_t i = 0; i < sn_model_pose_size(model); i++) {
      q[i] = random_position(&random, sn_model_joint(model, i));
    }
    worst = fmax(worst, compare_pose(p, model, kin, q));
  }
  return worst;
}

static bool check_model(sn_arena *arena, const sn_model *model, const char *path) {
  static peer p;
  sn_kin_data *kin = NULL;
  double *q = SN_NEW(arena, double, sn_model_pose_size(model) + 1);
  if (q == NULL || sn_kin_create(arena, sn_model_tree(model), &kin, NULL) != SN_OK) {
    fprintf(stderr, "%s: out of memory\n", path);
    return false;
  }
  static char program[] = ORACLE_PEER;
  char file[4096];
  snprintf(file, sizeof file, "%s", path);
  child_start(&p.process, (char *[]){program, file, NULL});
  bool good = read_names(&p, model);
  if (!good) {
    fprintf(stderr, "%s: KDL refuses it, or has other names\n", path);
  } else {
    const double worst = compare_poses(&p, model, kin, q);
    good = worst <= TOLERANCE && p.link_count == sn_model_link_count(model) &&
           p.movable_count == sn_model_pose_size(model);
    printf("%s %s: %zu links (KDL %zu), %zu movable joints (urdfdom %zu), difference %.1e\n",
           good ? "good" : "BAD ", path, sn_model_link_count(model), p.link_count,
           sn_model_pose_size(model), p.movable_count, worst);
  }
  return child_end(&p.process) == 0 && good;
}

static bool check_file(const char *path) {
  sn_arena arena, notes;
  sn_arena_init_growing(&arena, "robot", 0);
  sn_arena_init_growing(&notes, "report", 0);
  sn_report *report = NULL;
  sn_report_create(&notes, &report, NULL);
  const sn_model *model = NULL;
  sn_error err = {.message = "out of memory"};
  const bool loaded =
      report != NULL && sn_model_load(&arena, path, NULL, report, &model, &err) == SN_OK;
  if (!loaded) {
    fprintf(stderr, "%s\n", err.message);
  }
  const bool good = loaded && check_model(&arena, model, path);
  sn_arena_release(&arena);
  sn_arena_release(&notes);
  return good;
}

static bool ends_in_urdf(const char *name) {
  const size_t length = strlen(name);
  return length > 5 && strcmp(name + length - 5, ".urdf") == 0;
}

/* All robots of a directory, or one file. */
static bool check_path(const char *path) {
  DIR *directory = opendir(path);
  if (directory == NULL) {
    return check_file(path);
  }
  bool good = true;
  size_t count = 0;
  for (const struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
    char file[4096];
    if (ends_in_urdf(entry->d_name)) {
      snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
      good = check_file(file) && good;
      count++;
    }
  }
  closedir(directory);
  if (count == 0) {
    fprintf(stderr, "%s: no .urdf found\n", path);
  }
  return good && count > 0;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: fk_oracle DIRECTORY|FILE.urdf...\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN); /* a peer that ends early is found by its missing answer */
  bool good = true;
  for (int i = 1; i < argc; i++) {
    good = check_path(argv[i]) && good;
  }
  return good ? 0 : 1;
}
