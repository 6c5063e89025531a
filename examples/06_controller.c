/* A controller of your own: copy this file, rename `nod`, change `step`. It takes the limbs that
   its deployment names, holds their joints where they are and swings one of them. It is a plugin;
   docs/your-own-controller.md builds and runs it. */
#include <math.h>
#include <sinew/controller.h>

typedef struct nod {
  sn_controller controller; /* always first */
  const char *joint_name;
  double amplitude, period_s;
  size_t joint;
  double middle; /* where the joint was when it was taken */
  int64_t start_ns;
} nod;

static const sn_property properties[] = {
    SN_CONTROLLER_PROPERTIES,
    SN_PROPERTY(nod, "joint", joint_name, .initial = "head_joint2", .doc = "The joint it moves."),
    SN_PROPERTY(nod, "amplitude", amplitude, .initial = "0.15", .unit = "rad", .min = 0, .max = 1,
                .doc = "How far it moves to either side."),
    SN_PROPERTY(nod, "period", period_s, .initial = "2", .unit = "s", .min = 0.1, .max = 60,
                .doc = "Duration of one swing."),
    {0}};

/* Part of configure: the robot is known, nothing moves yet. */
static sn_status create(sn_component *component, sn_error *err) {
  nod *self = (nod *)component;
  return sn_controller_find_joint(&self->controller, self->joint_name, &self->joint, err);
}

/* It gained or lost joints; `had` is what it owned before. */
static void owned_changed(sn_component *component, const bool *had) {
  nod *self = (nod *)component;
  if (!had[self->joint]) {
    self->middle = self->controller.pose[self->joint];
    self->start_ns = self->controller.now_ns;
  }
}

static sn_status configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {.create = create, .owned_changed = owned_changed};
  return sn_controller_configure(component, &hooks, err);
}

/* Every cycle. Joints that it owns and does not set stay where they are. */
static sn_status step(sn_component *component, int64_t now_ns) {
  nod *self = (nod *)component;
  if (sn_controller_begin_step(&self->controller, now_ns)) {
    const double turns = 1e-9 * (double)(now_ns - self->start_ns) / self->period_s;
    self->controller.q[self->joint] = self->middle + self->amplitude * sin(6.283185307 * turns);
  }
  return sn_controller_publish(&self->controller);
}

static const sn_component_type nod_type =
    SN_CONTROLLER_TYPE("nod", nod, .doc = "Swings one joint.", .properties = properties,
                       .configure = configure, .step = step);

/* What a deployment that names this plugin can use. */
SN_API const sn_component_type *const sn_component_plugin[] = {&nod_type, NULL};
