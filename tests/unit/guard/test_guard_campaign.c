/* Random references through the gate: no link touches another one, no limit is broken, and what is
   free passes unchanged. SINEW_TEST_SCALE makes the campaign longer, SINEW_TEST_ROBOTS names other
   robots. */
#include <math.h>
#include <string.h>

#include "guard_rig.h"
#include "sn_test.h"

/* What a controller does with its joints for a while. */
typedef struct wanderer {
  bool is_circle;
  size_t until; /* cycle */
  double target[GUARD_JOINTS_MAX], size[GUARD_JOINTS_MAX], rate[GUARD_JOINTS_MAX];
} wanderer;

static void decide(const guard_rig *rig, sn_random *random, size_t cycle, wanderer *w) {
  w->is_circle = sn_random_between(random, 0.0, 1.0) < 0.5;
  w->until = cycle + 50 + (size_t)sn_random_between(random, 0.0, 800.0);
  guard_rig_draw(rig, random, w->target);
  const double far = sn_random_between(random, 0.0, 1.0); /* from the start: it is free there */
  for (size_t i = 0; i < rig->joint_count; i++) {
    w->target[i] = rig->start[i] + far * (w->target[i] - rig->start[i]);
    w->size[i] = sn_random_between(random, 0.0, 0.8);
    w->rate[i] = sn_random_between(random, 0.5, 8.0);
  }
}

static void refer(const guard_rig *rig, const wanderer *w, size_t cycle, double *q) {
  for (size_t i = 0; i < rig->joint_count; i++) {
    const sn_joint *joint = sn_model_joint(rig->model, i);
    const double swing = w->is_circle ? w->size[i] * sin(1e-3 * (double)cycle * w->rate[i]) : 0.0;
    q[i] = fmax(joint->lower, fmin(joint->upper, w->target[i] + swing));
  }
}

/* The pose between two commands, too: nothing is jumped over. */
static void assert_free(guard_rig *rig, const double *before, const double *q, size_t cycle) {
  double middle[GUARD_JOINTS_MAX];
  for (size_t i = 0; i < rig->joint_count; i++) {
    middle[i] = 0.5 * (before[i] + q[i]);
  }
  const char *link[2];
  if (!guard_proof_is_free(rig->proof, q, link) || !guard_proof_is_free(rig->proof, middle, link)) {
    fail_msg("%s, cycle %zu: '%s' and '%s' touch", rig->name, cycle, link[0], link[1]);
  }
}

/* Two controllers: the even and the odd limbs, or halves of the joints. */
static void share_joints(guard_rig *rig) {
  for (size_t i = 0; i < rig->joint_count; i++) {
    const int chain = sn_model_joint(rig->model, i)->chain;
    rig->owners[i] = chain >= 0 ? chain % 2 : i >= rig->joint_count / 2;
  }
  sn__gate_own(rig->guarded, rig->owners, rig->now_ns);
}

static uint64_t wander(guard_rig *rig, sn_random *random, size_t cycles) {
  wanderer who[2] = {0};
  double q[GUARD_JOINTS_MAX], before[GUARD_JOINTS_MAX];
  double nearest = INFINITY;
  share_joints(rig);
  memcpy(before, rig->start, sizeof before);
  assert_true(guard_rig_place(rig, rig->start));
  for (size_t cycle = 0; cycle < cycles; cycle++) {
    for (size_t i = 0; i < 2; i++) {
      if (cycle >= who[i].until) {
        decide(rig, random, cycle, &who[i]);
      }
      refer(rig, &who[i], cycle, q);
      guard_rig_take(rig, rig->guarded, i, q);
    }
    const double *command = guard_rig_step(rig);
    assert_free(rig, before, command, cycle);
    if (cycle % 16 == 0) {
      nearest = fmin(nearest, guard_rig_distance(rig, command));
    }
    memcpy(before, command, rig->joint_count * sizeof *before);
  }
  const uint64_t blocked = sn__gate_blocked_count(rig->guarded);
  printf("%s: %zu cycles, %llu slowed down, nearest %.2f mm, margin %.2f mm\n", rig->name, cycles,
         (unsigned long long)blocked, 1e3 * nearest, 1e3 * sn__gate_collision_margin(rig->guarded));
  return blocked;
}

/* @return whether the pose is in contact */
static bool compare_proof(guard_rig *rig, sn_random *random) {
  /* The plane between two shapes that nearly touch is not always found. */
  static const double TOLERANCE_M = 1e-5;
  double q[GUARD_JOINTS_MAX];
  const char *link[2];
  guard_rig_draw(rig, random, q);
  const double distance = guard_rig_distance(rig, q);
  if (fabs(distance) > TOLERANCE_M && guard_proof_is_free(rig->proof, q, link) != (distance > 0)) {
    fail_msg("%s: a distance of %g mm, but the proof says otherwise", rig->name, 1e3 * distance);
  }
  return distance <= 0.0;
}

SN_TEST(a_pose_without_contact_is_proven_and_one_in_contact_is_not) {
  size_t contacts = 0, poses = 0;
  for (size_t r = 0; r < guard_rig_robot_count(); r++) {
    guard_rig rig;
    sn_random random;
    sn_random_init(&random, 400 + r);
    const size_t count = guard_rig_open(&rig, r) ? sn_test_cases(1000) : 0;
    for (size_t i = 0; i < count; i++) {
      contacts += compare_proof(&rig, &random);
    }
    poses += count;
    guard_rig_close(&rig);
  }
  assert_true(contacts > 0 && contacts < poses);
}

SN_TEST(no_reference_makes_links_touch) {
  uint64_t blocked = 0;
  for (size_t r = 0; r < guard_rig_robot_count(); r++) {
    guard_rig rig;
    sn_random random;
    sn_random_init(&random, 100 + r);
    if (guard_rig_open(&rig, r) && guard_rig_distance(&rig, rig.start) > 0.0) {
      blocked += wander(&rig, &random, sn_test_cases(10000));
    }
    guard_rig_close(&rig);
  }
  assert_true(blocked > 0); /* else the references prove nothing */
}

/* Slow circles within that room: braking takes a hundredth of it. */
static bool circle(guard_rig *rig, sn_random *random, size_t cycles) {
  double q[GUARD_JOINTS_MAX], center[GUARD_JOINTS_MAX];
  if (!guard_rig_draw_free(rig, random, center) || !guard_rig_place(rig, center)) {
    return false;
  }
  const double size = 0.4 * guard_rig_room(rig, center);
  for (size_t cycle = 0; cycle < cycles; cycle++) {
    for (size_t i = 0; i < rig->joint_count; i++) {
      const sn_joint *joint = sn_model_joint(rig->model, i);
      const double swing = size * sin(0.002 * (double)cycle + (double)i);
      q[i] = fmax(joint->lower, fmin(joint->upper, center[i] + swing));
    }
    guard_rig_take(rig, rig->guarded, 0, q);
    guard_rig_take(rig, rig->plain, 0, q);
    const double *command = guard_rig_step(rig);
    const sn_gate_command *plain = sn__gate_step(rig->plain, rig->now_ns);
    assert_memory_equal(command, plain->q, rig->joint_count * sizeof *command);
  }
  return true;
}

SN_TEST(a_free_reference_passes_bit_for_bit) {
  for (size_t r = 0; r < guard_rig_robot_count(); r++) {
    guard_rig rig;
    sn_random random;
    sn_random_init(&random, 200 + r);
    if (guard_rig_open(&rig, r)) {
      size_t count = 0;
      for (size_t i = 0; i < sn_test_cases(5); i++) {
        count += circle(&rig, &random, 500);
      }
      printf("%s: %zu circles\n", rig.name, count);
      assert_int_equal(sn__gate_blocked_count(rig.guarded), 0);
    }
    guard_rig_close(&rig);
  }
}

/* At a pose that is free by more than twice the margin the robot may stay, and leave slowly into
   any direction. */
static bool visit(guard_rig *rig, sn_random *random) {
  double q[GUARD_JOINTS_MAX];
  if (!guard_rig_draw_free(rig, random, q) || !guard_rig_place(rig, q)) {
    return false;
  }
  const double room = 0.5 * guard_rig_room(rig, q);
  for (size_t i = 0; i < rig->joint_count; i++) {
    const sn_joint *joint = sn_model_joint(rig->model, i);
    const double target = q[i] + sn_random_between(random, -room, room);
    q[i] = fmax(joint->lower, fmin(joint->upper, target));
  }
  for (size_t cycle = 0; cycle < 5; cycle++) {
    guard_rig_take(rig, rig->guarded, 0, q);
    (void)guard_rig_step(rig);
  }
  return true;
}

SN_TEST(no_free_pose_is_refused) {
  for (size_t r = 0; r < guard_rig_robot_count(); r++) {
    guard_rig rig;
    sn_random random;
    sn_random_init(&random, 300 + r);
    if (guard_rig_open(&rig, r)) {
      size_t count = 0;
      for (size_t i = 0; i < sn_test_cases(500); i++) {
        count += visit(&rig, &random);
      }
      printf("%s: %zu poses\n", rig.name, count);
      if (sn__gate_blocked_count(rig.guarded) != 0) {
        fail_msg("%s: %llu cycles blocked", rig.name,
                 (unsigned long long)sn__gate_blocked_count(rig.guarded));
      }
    }
    guard_rig_close(&rig);
  }
}
