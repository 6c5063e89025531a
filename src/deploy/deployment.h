/** @file
 *  Internal: what a deployment is made of, and the steps of reading one. */
#ifndef SN_DEPLOY_DEPLOYMENT_H
#define SN_DEPLOY_DEPLOYMENT_H

#include "sinew/deployment.h"

/** The interface that every robot model provides, and the type of component that is added for it.
 */
#define SN__ROBOT_MODEL "RobotModelURDF"

typedef struct sn__task {
  sn_activity_config config;
  sn_place place;
} sn__task;

/** A component, or a service inside one. */
typedef struct sn__part {
  const char *name;              /**< `follow`, or `follow.smoothing` */
  const sn_component_type *type; /**< NULL if the file names none that is known */
  struct sn__part *host;         /**< of a service; NULL for a component */
  const sn__task *task;          /**< NULL: none */
  int64_t deadline_ns;
  const sn_value *properties; /**< all that is set, as one bag; NULL: none */
  const sn_value *needs;      /**< as in the file; NULL: none */
  sn_place place;
} sn__part;

typedef struct sn__link {
  const sn__part *writer; /**< NULL: it is bad, and that was told */
  const sn__part *reader;
  const sn_port *output, *input;
  const char *from, *to; /**< `component.port` */
  sn_connection connection;
  sn_place place;
} sn__link;

typedef struct sn__wish {
  const char *need; /**< `component.requester` */
  const char *peer; /**< `component`, or `component.operation` */
  sn_place place;
} sn__wish;

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
  sn__wish *wishes;
  size_t wish_count;
};

/** While one is read. */
typedef struct sn__reading {
  sn_arena *arena;
  sn_arena *scratch; /**< gone when all is read */
  sn_report *report;
  const sn_deployment_config *config;
  sn_component_registry *registry;
  bool is_file;     /**< not a text in memory */
  bool may_read;    /**< other files */
  sn_status status; /**< SN_OK, or SN_ENOMEM: then all else is in vain */
  const sn_value *root;
  sn_deployment *deployment;
} sn__reading;

/** Note that memory ended. @return NULL */
void *sn__reading_starve(sn__reading *reading);

/** Report an error. */
void sn__complain(sn__reading *reading, sn_place place, const char *hint, const char *format, ...)
    SN_PRINTF(4, 5);

/** Set each item of a bag by itself, so that one bad value does not hide the others. */
void sn__read_bag(sn__reading *reading, const sn_property *table, void *object, const sn_value *bag,
                  const char *path);

/** A path relative to the file that the property stands in.
 *  @return NULL if no file may be read (reported) or there is no memory */
const char *sn__named_file(sn__reading *reading, const sn_value *prop);

/** What the configuration has in memory under the name that stands there; NULL: nothing. */
const sn_deployment_file *sn__embedded_file(const sn__reading *reading, const sn_value *name);

/** The root of a file with all that it includes merged into it; NULL if there is none. */
const sn_value *sn__read_files(sn__reading *reading, const char *path);

/** Merge what the text or file @p root includes. */
const sn_value *sn__merge_includes(sn__reading *reading, const sn_value *root);

/** Merge the settings of the command line into the root. */
void sn__apply_settings(sn__reading *reading, const char *const *settings, size_t count);

/** Add the default activity, and the component of the robot model, to the root. */
void sn__add_activity(sn__reading *reading);
void sn__add_robot_model(sn__reading *reading);

/** The robot of the configuration wins over the file's. */
void sn__set_robot(sn__reading *reading);

/** Leave out the components of the type that the configuration names, with their connections. */
void sn__leave_out(sn__reading *reading);

/** Load the robot that the file names. */
void sn__read_robot(sn__reading *reading, const sn_value *robot);

void sn__read_activities(sn__reading *reading, const sn_value *activities);
void sn__read_components(sn__reading *reading, const sn_value *components);
void sn__read_connections(sn__reading *reading, const sn_value *connections);
void sn__resolve_needs(sn__reading *reading);
void sn__check_flow(sn__reading *reading);

/** @return NULL if there is none */
sn__part *sn__find_part(const sn_deployment *deployment, const char *name);

/** `'x'`-like hint for a name that no component has; NULL if none is near. */
const char *sn__part_hint(const sn_deployment *deployment, const char *name, char *text,
                          size_t size);

/** Does a type of components provide this interface? */
bool sn__type_provides(const sn_component_type *type, const char *interface);

#endif
