/** @file
 *  Internal: what a deployment is made of, and the steps of reading one. */
#ifndef SN_DEPLOY_DEPLOYMENT_H
#define SN_DEPLOY_DEPLOYMENT_H

#include "sinew/deployment.h"

/** The deployment of a robot on its feet: `walking.yaml`, which includes `standard.yaml`; static.
 *  RT: yes. */
SN_API const char *sn__walking_deployment(size_t *size);

/** The interface of the robot model, and the component type that is added to provide it. */
#define SN__ROBOT_MODEL "RobotModelURDF"

typedef struct sn__task {
  sn_activity_config config;
  sn_place place;
} sn__task;

/** A component, or a service inside one. */
typedef struct sn__part {
  const char *name;              /**< `follow`, or `follow.smoothing` */
  const sn_component_type *type; /**< NULL if unknown */
  struct sn__part *host;         /**< of a service; NULL for a component */
  const sn__task *task;          /**< NULL: none */
  int64_t deadline_ns;
  const sn_value *properties; /**< all that is set, as one bag; NULL: none */
  const sn_value *needs;      /**< as in the file; NULL: none */
  sn_place place;
} sn__part;

typedef struct sn__link {
  const sn__part *writer; /**< NULL: invalid, already reported */
  const sn__part *reader;
  const sn_port *output, *input;
  const char *from, *to; /**< `component.port` */
  sn_connection connection;
  sn_place place;
} sn__link;

typedef struct sn__binding {
  const char *need; /**< `component.requester` */
  const char *peer; /**< `component`, or `component.operation` */
  sn_place place;
} sn__binding;

struct sn_deployment {
  sn_msg_capacity capacity;
  const char *robot;                /**< the file that it names, as a path; NULL: none */
  const sn_value *robot_properties; /**< what its model's component gets; NULL: none */
  const char *const *plugins;       /**< paths */
  size_t plugin_count;
  const sn_model *model;
  sn__task *tasks;
  size_t task_count;
  sn__part *parts; /**< hosts before the services inside them */
  size_t part_count;
  sn__link *links;
  size_t link_count;
  sn__binding *bindings;
  size_t binding_count;
};

/** The keys of a deployment file: of the root, and of one activity, component, service inside a
 *  component and connection. */
extern const sn_property sn__root_table[], sn__activity_table[], sn__component_table[],
    sn__service_table[], sn__connection_table[];

/** Shortest period of an activity that is not 0, s. */
extern const double sn__period_min_s;

/** A property file of the configuration. */
typedef struct sn__property_file {
  const sn_value *bag; /**< without what belongs to the robot; NULL: invalid, already reported */
  bool *is_used;       /**< [item_count] by a component */
} sn__property_file;

/** State while a deployment is read. */
typedef struct sn__reading {
  sn_arena *arena;
  sn_arena *scratch; /**< released when all is read */
  sn_report *report;
  const sn_deployment_config *config;
  sn_component_registry *registry;
  bool is_file;     /**< not a text in memory */
  bool may_read;    /**< other files */
  sn_status status; /**< SN_OK or SN_ENOMEM */
  const sn_value *root;
  sn__property_file *property_files; /**< [config->property_file_count] */
  sn__property_file poses;           /**< stated with the robot */
  sn_deployment *deployment;
} sn__reading;

/** Record that memory is exhausted. @return NULL */
void *sn__reading_out_of_memory(sn__reading *reading);

/** Report an error. */
void sn__report_error(sn__reading *reading, sn_place place, const char *hint, const char *format,
                      ...) SN_PRINTF(4, 5);

/** Set each item of a bag separately, so that one invalid value does not hide the others. */
void sn__read_bag(sn__reading *reading, const sn_property *table, void *object, const sn_value *bag,
                  const char *path);

/** A path relative to the file that contains the property.
 *  @return NULL if no file may be read (reported) or memory is exhausted */
const char *sn__named_file(sn__reading *reading, const sn_value *prop);

/** The properties of a component with models of the servos that they name (servo_library.h), in the
 *  library or in files beside the one that names them. @return NULL: no memory */
const sn_value *sn__name_servos(sn__reading *reading, const sn_value *bag);

/** The file in memory with the name that is the value of @p name; NULL: none. */
const sn_deployment_file *sn__embedded_file(const sn__reading *reading, const sn_value *name);

/** The root of a file, merged with all that it includes; NULL on failure. */
const sn_value *sn__read_files(sn__reading *reading, const char *path);

/** Merge what the text or file @p root includes. */
const sn_value *sn__merge_includes(sn__reading *reading, const sn_value *root);

/** Merge the settings of the command line into the root. */
void sn__apply_settings(sn__reading *reading, const char *const *settings, size_t count);

/** Add the default activity, and the component of the robot model, to the root. */
void sn__add_activity(sn__reading *reading);
void sn__add_robot_model(sn__reading *reading);

/** The robot of the configuration overrides the file's. */
void sn__set_robot(sn__reading *reading);

/** Leave out the components of the type that the configuration names, with their connections. */
void sn__leave_out(sn__reading *reading);

/** Read the property files of the configuration; what belongs to the robot goes to the root. */
void sn__read_property_files(sn__reading *reading);
/** Keep the poses of a bag for components that have such a property. */
void sn__take_poses(sn__reading *reading, const sn_value *from);
/** What these files state for components of this type; NULL: nothing. */
const sn_value *sn__properties_from_files(sn__reading *reading, const sn_component_type *type);
/** Warn of properties in them that no component has used. */
void sn__report_unused_properties(sn__reading *reading);

/** Load the robot that the file names. */
void sn__read_robot(sn__reading *reading, const sn_value *robot);

void sn__read_activities(sn__reading *reading, const sn_value *activities);
void sn__read_components(sn__reading *reading, const sn_value *components);
void sn__read_connections(sn__reading *reading, const sn_value *connections);
void sn__resolve_needs(sn__reading *reading);
/** A plant that starts on its feet gets a stance within the limits of inverse kinematics. */
void sn__fit_stance(sn__reading *reading);
void sn__check_flow(sn__reading *reading);

/** @return NULL if there is none */
sn__part *sn__find_part(const sn_deployment *deployment, const char *name);

/** A hint for an unknown name of a component; NULL if no name is similar. */
const char *sn__part_hint(const sn_deployment *deployment, const char *name, char *text,
                          size_t size);

/** Does a component type provide this interface? */
bool sn__type_provides(const sn_component_type *type, const char *interface);

#endif
