/* What happens to the robot and to its time: servos, pushes, falls, stalls. */
#include <stdio.h>
#include <string.h>

#include "sinew/msg_types.h"
#include "storm/storm_faults.h"

static const char *const servo_faults[] = {"frozen", "silent", "hot", "stuck", "noisy", "delayed"};
enum { SERVO_FAULTS = sizeof servo_faults / sizeof *servo_faults };

void storm_break_servos(storm_run *run, sn_random *random) {
  char name[64];
  snprintf(name, sizeof name, "plant.%s", servo_faults[sn_random_below(random, SERVO_FAULTS)]);
  json_t *joints = json_array();
  const uint64_t count = sn_random_below(random, 3);
  for (uint64_t i = 0; i < count; i++) {
    json_array_append_new(joints, json_string(storm_any_joint(run, random)));
  }
  storm_set(run, name, joints);
}

/* The adapter of a limb is unplugged, and its servos no longer answer; or the one of the robot,
   which then gets no goals either; or they are plugged in again. */
void storm_unplug(storm_run *run, sn_random *random) {
  const size_t chains = sn_names_count(sn_model_chain_names(run->model));
  const bool is_out = sn_random_below(random, 2) == 0;
  const size_t chain = sn_random_below(random, chains + 1); /* chains: all of them */
  json_t *joints = json_array();
  for (size_t i = 0; is_out && i < run->joint_count; i++) {
    const sn_joint *joint = sn_model_joint(run->model, i);
    if (chain == chains || joint->chain == (int)chain) {
      json_array_append_new(joints, json_string(joint->name));
    }
  }
  storm_set(run, "plant.silent", joints);
  storm_set(run, "plant.goal_loss_rate", json_real(is_out && chain == chains ? 1.0 : 0.0));
}

/* Efforts on some joints until the next push. */
void storm_push(storm_run *run, sn_random *random) {
  sn_joint_state *m = run->push == NULL ? NULL : sn_source_msg(run->push);
  if (m == NULL) {
    return;
  }
  sn_msg_names_clear(&m->name);
  m->effort.count = 0;
  const double size = 30.0 * sn_random_unit(random);
  for (size_t i = 0; i < run->joint_count && m->effort.count < m->effort.capacity; i++) {
    const char *name = sn_model_joint(run->model, i)->name;
    if (sn_random_below(random, 3) == 0 &&
        sn_msg_names_add(&m->name, name, strlen(name)) == SN_OK) {
      m->effort.data[m->effort.count++] = size * sn_random_normal(random);
    }
  }
  (void)sn_source_write(run->push);
}

/* A wrench on one link, up to several times the weight of a small robot. */
void storm_push_link(storm_run *run, sn_random *random) {
  sn_rigid_body_state *m = run->push_links == NULL ? NULL : sn_source_msg(run->push_links);
  if (m == NULL || m->wrench.capacity == 0) {
    return;
  }
  const sn_link *link =
      sn_model_link(run->model, sn_random_below(random, sn_model_link_count(run->model)));
  const double size = 100.0 * sn_random_unit(random) * (double)sn_random_below(random, 2);
  sn_msg_names_clear(&m->name);
  (void)sn_msg_names_add(&m->name, link->name, strlen(link->name));
  m->wrench.count = 1;
  m->wrench.data[0] = (sn_spatial){.lin = sn_vec3_make(size * sn_random_normal(random),
                                                       size * sn_random_normal(random),
                                                       size * sn_random_normal(random))};
  (void)sn_source_write(run->push_links);
}

/* In the air or on the ground, upright, tilted or on its back. */
void storm_throw(storm_run *run, sn_random *random) {
  (void)storm_call(
      run, "plant.place",
      json_pack("{s:{s:{s:f,s:f,s:f},s:{s:f,s:f,s:f,s:f}},s:b}", "base", "position", "x",
                sn_random_normal(random), "y", sn_random_normal(random), "z",
                2.0 * sn_random_unit(random), "orientation", "x", sn_random_normal(random), "y",
                sn_random_normal(random), "z", sn_random_normal(random), "w",
                sn_random_normal(random), "on_ground", (int)sn_random_below(random, 2)));
}

void storm_stand(storm_run *run, sn_random *random) {
  (void)random;
  if (storm_call(run, "plant.putOnFeet", NULL)) {
    run->before.is_stopped = true; /* it says so */
  }
}

/* Up to three seconds in which nothing runs. */
void storm_stall(storm_run *run, sn_random *random) {
  const double share = sn_random_unit(random);
  sn_clock_advance(&run->app.clock, (int64_t)(3e9 * share * share * share));
}

/* ---- mending ---- */

/* The live properties of the plant: noise, losses, what its servos suffer from, the ground. */
static const sn_property *plant_properties(storm_run *run) {
  const sn_component *plant = sn_system_find(run->app.system, "plant");
  return plant == NULL ? NULL : plant->type->properties;
}

static void name_property(const sn_property *p, char name[200]) {
  snprintf(name, 200, "plant.%s", p->name);
}

bool storm_world_keep(storm_run *run) {
  run->plant_before = json_object();
  for (const sn_property *p = plant_properties(run); p != NULL && p->name != NULL; p++) {
    char name[200];
    name_property(p, name);
    if ((p->flags & SN_PROPERTY_LIVE) != 0) {
      json_object_set_new(run->plant_before, p->name, storm_property(run, name));
    }
  }
  return run->plant_before != NULL;
}

void storm_mend(storm_run *run) {
  for (const sn_property *p = plant_properties(run); p != NULL && p->name != NULL; p++) {
    char name[200];
    name_property(p, name);
    storm_set(run, name, json_incref(json_object_get(run->plant_before, p->name)));
  }
  storm_set(run, "plant.message_loss_rate", json_real(0.0));
  storm_set(run, "plant.dropout_rate", json_real(0.0));
  storm_set(run, "aggregator.publish_on_timer", json_true());
}
