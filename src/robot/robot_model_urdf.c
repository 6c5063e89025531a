/* The robot model as a service: a C interface for components, operations for all others. */
#include "robot/robot_model_urdf.h"

#include <string.h>

#include "base/fail.h"
#include "sinew/components.h"

typedef struct robot_model_urdf {
  sn_component component;
  const char *robot_description, *semantic_description, *robot_file, *property_file, *package_path;
  const sn_value *kinematics_chains, *contacts, *groups, *joint_limits;
  /** Created by the first configure, destroyed with the component: queries may come at any time. */
  sn_robot_model *service;
} robot_model_urdf;

static const sn_property properties[] = {
    SN_PROPERTY(robot_model_urdf, "robot_description", robot_description,
                .flags = SN_PROPERTY_REQUIRED, .doc = "The robot as URDF text."),
    SN_PROPERTY(robot_model_urdf, "robot_description_semantic", semantic_description,
                .doc = "What an SRDF says about it, as text: groups, states, end effectors, pairs "
                       "that may touch; empty: nothing."),
    SN_PROPERTY(robot_model_urdf, "robot_file", robot_file, .flags = SN_PROPERTY_PATH,
                .doc = "The file it was read from, to find meshes relative to it."),
    SN_PROPERTY(
        robot_model_urdf, "robot_property_file", property_file, .flags = SN_PROPERTY_PATH,
        .doc = "The property file that states its chains, contacts, groups, limits and poses, or "
               "the one that is saved first; empty: none."),
    SN_PROPERTY(robot_model_urdf, "package_path", package_path, .flags = SN_PROPERTY_PATH,
                .doc = "Folders with packages that hold its meshes, separated by colons."),
    SN_PROPERTY(robot_model_urdf, "kinematics_chains", kinematics_chains, .alias = "chains",
                .doc = "Chains by name: first_link, last_link, last_link_virtual, "
                       "default_contact; without it they are derived, one for each limb."),
    SN_PROPERTY(robot_model_urdf, "contacts", contacts,
                .doc = "Contacts by name: points, fixed in the last link of a chain."),
    SN_PROPERTY(robot_model_urdf, "groups", groups, .doc = "Joint groups by name."),
    SN_PROPERTY(robot_model_urdf, "joint_limits", joint_limits,
                .doc = "Limits by joint that are smaller than those of the URDF: lower, upper, "
                       "velocity, acceleration, in rad or m and s."),
    {0}};

sn_robot_model *sn__robot_model_of(const sn_component *component) {
  return __atomic_load_n(&((const robot_model_urdf *)component)->service, __ATOMIC_ACQUIRE);
}

const char *sn__robot_model_property_file(const sn_component *component) {
  const char *path = ((const robot_model_urdf *)component)->property_file;
  return path == NULL ? "" : path;
}

const char *sn__robot_model_file(const sn_component *component) {
  const char *path = ((const robot_model_urdf *)component)->robot_file;
  return path == NULL ? "" : path;
}

/* ---- configuration ---- */

/* What the model reads: a bag of those trees that were given. */
static const sn_value *make_bag(const robot_model_urdf *self, sn_arena *arena) {
  const struct {
    const char *name;
    const sn_value *tree;
  } parts[] = {{"kinematics_chains", self->kinematics_chains},
               {"contacts", self->contacts},
               {"groups", self->groups},
               {"joint_limits", self->joint_limits}};
  enum { COUNT = sizeof parts / sizeof *parts };
  sn_value *bag = SN_NEW(arena, sn_value, 1);
  sn_value *named = SN_NEW(arena, sn_value, COUNT);
  const sn_value **items = SN_NEW(arena, const sn_value *, COUNT);
  if (bag == NULL || named == NULL || items == NULL) {
    return NULL;
  }
  *bag = (sn_value){.name = "", .kind = SN_VALUE_BAG, .items = items, .place = {.file = ""}};
  for (size_t i = 0; i < COUNT; i++) {
    if (parts[i].tree != NULL) {
      named[i] = *parts[i].tree;
      named[i].name = parts[i].name;
      items[bag->item_count++] = &named[i];
    }
  }
  return bag;
}

static sn_status configure(sn_component *component, sn_error *err) {
  robot_model_urdf *self = (robot_model_urdf *)component;
  const sn_value *bag = make_bag(self, sn_component_arena(component));
  if (bag == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the robot model");
  }
  sn_robot_model *service = self->service;
  if (service == NULL) {
    const sn_status status = sn__robot_model_create(&service, err);
    if (status != SN_OK) {
      return status;
    }
    __atomic_store_n(&self->service, service, __ATOMIC_RELEASE);
  }
  sn__robot_model_set_files(service, self->robot_file, self->package_path);
  const char *srdf = self->semantic_description;
  const bool has_srdf = srdf != NULL && *srdf != '\0';
  const sn_model_config config = {.properties = bag->item_count == 0 ? NULL : bag,
                                  .srdf = has_srdf ? srdf : NULL,
                                  .srdf_size = has_srdf ? strlen(srdf) : 0,
                                  .srdf_file = "robot_description_semantic"};
  return sn__robot_model_configure(service, self->robot_description,
                                   strlen(self->robot_description), &config, NULL, err);
}

static void cleanup(sn_component *component) {
  /* Refused while the model is held from outside; it stays until the next configure then. */
  (void)sn__robot_model_cleanup(sn__robot_model_of(component));
}

static void dispose(sn_component *component) {
  sn__robot_model_destroy(sn__robot_model_of(component));
}

static const void *iface(sn_component *component) {
  return sn__robot_model_of(component);
}

static const sn_service services[] = {
    {SN_ROBOT_MODEL, iface, "An sn_robot_model: hold the model from configure to cleanup."}, {0}};

const sn_component_type sn_robot_model_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "RobotModelURDF",
    .doc = "The robot: links, joints, chains, contacts. Loaded once, read by everyone.",
    .size = sizeof(robot_model_urdf),
    .properties = properties,
    .operations = sn__robot_model_operations,
    .services = services,
    .example = "robot: quadruped.yaml # adds the component robot_model of this type\n",
    .configure = configure,
    .cleanup = cleanup,
    .dispose = dispose,
};
