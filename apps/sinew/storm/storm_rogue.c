#include "storm/storm_rogue.h"

#include <math.h>
#include <string.h>

#include "sinew/controller.h"
#include "sinew/random.h"

#define MOOD_NS INT64_C(1500000000)

typedef enum mood {
  POLITE, /* a slow swing */
  SILENT, /* no references */
  WILD,   /* anywhere within and beyond the limits, anew in each cycle */
  THIEF,  /* references for joints of others */
  LIAR,   /* wrong stamps, lengths, names */
  MAD,    /* a number that is not finite: the system holds it for that */
  DEAD,   /* its step fails */
  MOODS
} mood;

typedef struct rogue {
  sn_controller controller;
  int64_t seed;
  bool is_tame; /* only polite */
  sn_random random;
  mood mood;
  int64_t until_ns; /* its mood lasts */
} rogue;

static const sn_property properties[] = {
    SN_CONTROLLER_PROPERTIES,
    SN_PROPERTY(rogue, "seed", seed, .unit = "", .initial = "1", .doc = "Of what it does."),
    SN_PROPERTY(rogue, "tame", is_tame, .flags = SN_PROPERTY_LIVE, .doc = "It behaves."),
    {0}};

static sn_status configure(sn_component *component, sn_error *err) {
  rogue *self = (rogue *)component;
  sn_random_init(&self->random, (uint64_t)self->seed);
  self->until_ns = 0;
  self->mood = POLITE;
  return sn_controller_configure(component, NULL, err);
}

static sn_status recover(sn_component *component, int64_t now_ns, sn_error *err) {
  ((rogue *)component)->mood = POLITE;
  ((rogue *)component)->until_ns = now_ns + MOOD_NS;
  return sn_controller_start(component, now_ns, err);
}

/* Some limbs, by their names; sometimes all, or one that does not exist. */
static void grab(rogue *self) {
  const sn_names *chains = sn_model_chain_names(self->controller.model);
  const char *names[4];
  const size_t count = (size_t)sn_random_below(&self->random, 4);
  sn_error err;
  for (size_t i = 0; i < count; i++) {
    names[i] = sn_names_count(chains) == 0 || sn_random_below(&self->random, 20) == 0
                   ? "nothing"
                   : sn_names_at(chains, sn_random_below(&self->random, sn_names_count(chains)));
  }
  (void)sn_controller_take(&self->controller, names, count, &err);
}

static void change_mood(rogue *self, int64_t now_ns) {
  self->mood = self->is_tame ? POLITE : (mood)sn_random_below(&self->random, MOODS);
  self->until_ns = now_ns + (int64_t)sn_random_below(&self->random, (uint64_t)MOOD_NS);
  const uint64_t choice = sn_random_below(&self->random, 4);
  if (choice == 0) {
    sn_controller_release(&self->controller);
  } else if (choice == 1 && !self->is_tame) {
    grab(self);
  }
}

/* ---- what it writes ---- */

static void swing(rogue *self, int64_t now_ns) {
  sn_controller *c = &self->controller;
  for (size_t i = 0; i < c->joint_count; i++) {
    c->q[i] += c->owned[i] ? 2e-5 * sin(1e-9 * (double)now_ns + (double)i) : 0.0;
  }
}

static double wild(rogue *self, const sn_joint *joint) {
  const double lower = isfinite(joint->lower) ? joint->lower : -4.0;
  const double upper = isfinite(joint->upper) ? joint->upper : 4.0;
  return sn_random_between(&self->random, lower - 0.5, upper + 0.5);
}

static void write_wild(rogue *self) {
  sn_controller *c = &self->controller;
  for (size_t i = 0; i < c->joint_count; i++) {
    if (c->owned[i]) {
      c->q[i] = wild(self, sn_model_joint(c->model, i));
    }
  }
}

/* Any joints, of any owner. */
static void list_joints(rogue *self, sn_joint_state *ref) {
  const sn_controller *c = &self->controller;
  sn_msg_names_clear(&ref->name);
  ref->position.count = ref->velocity.count = ref->effort.count = 0;
  for (size_t i = 0; i < c->joint_count && ref->position.count < ref->position.capacity; i++) {
    const sn_joint *joint = sn_model_joint(c->model, i);
    if (sn_random_below(&self->random, 2) == 0 &&
        sn_msg_names_add(&ref->name, joint->name, strlen(joint->name)) == SN_OK) {
      ref->position.data[ref->position.count++] = wild(self, joint);
    }
  }
}

static void lie(rogue *self, sn_joint_state *ref) {
  switch (sn_random_below(&self->random, 5)) {
    case 0:
      ref->header.stamp_ns -= (int64_t)sn_random_below(&self->random, 2000000000);
      break;
    case 1:
      ref->header.stamp_ns += (int64_t)sn_random_below(&self->random, 2000000000);
      break;
    case 2:
      ref->position.count -= ref->position.count > 0;
      break;
    case 3:
      (void)sn_msg_names_add(&ref->name, "nobody", 6);
      ref->position.count = ref->name.count <= ref->position.capacity ? ref->name.count : 0;
      break;
    default: /* the earliest second that the wires carry: one that they do not could not be recorded
              */
      ref->header.stamp_ns = INT32_MIN * INT64_C(1000000000);
  }
}

/* The kit's message, filled by hand: it is filled anew whenever the owned joints change, so it is
   restored afterwards. */
static sn_status write_odd(rogue *self) {
  sn_controller *c = &self->controller;
  sn_joint_state *ref = c->out_joints_ref.msg;
  list_joints(self, ref);
  ref->header.stamp_ns = c->now_ns;
  if (self->mood == LIAR) {
    lie(self, ref);
  } else if (self->mood == MAD && ref->position.count > 0) {
    ref->position.data[0] = sn_random_below(&self->random, 2) == 0 ? NAN : INFINITY;
  }
  const sn_status status = sn_output_write(&c->out_joints_ref);
  sn_controller_name_joints(c, &ref->name);
  ref->position.count = ref->name.count;
  return status;
}

static sn_status step(sn_component *component, int64_t now_ns) {
  rogue *self = (rogue *)component;
  const bool owns = sn_controller_begin_step(&self->controller, now_ns);
  if (now_ns >= self->until_ns) {
    change_mood(self, now_ns);
  }
  switch (self->is_tame ? POLITE : self->mood) {
    case SILENT:
      return SN_OK;
    case WILD:
      write_wild(self);
      return sn_controller_publish(&self->controller);
    case THIEF:
    case LIAR:
    case MAD:
      return write_odd(self);
    case DEAD:
      return SN_EINVAL;
    case POLITE:
    default:
      if (owns) {
        swing(self, now_ns);
      }
      return sn_controller_publish(&self->controller);
  }
}

const sn_component_type storm_rogue_component = SN_CONTROLLER_TYPE(
    "storm_rogue", rogue, .doc = "A controller that goes wrong, for storms.",
    .properties = properties, .configure = configure, .step = step, .recover = recover);
