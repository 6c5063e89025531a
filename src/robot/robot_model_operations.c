/* The operations of RobotModelURDF: what the model holds, for callers outside of the process. */
#include <string.h>

#include "base/fail.h"
#include "msg/msg_names_internal.h"
#include "robot/robot_messages.h"
#include "robot/robot_model_urdf.h"
#include "sinew/msg_calls.h"

static sn_status not_configured(sn_error *err) {
  return sn__fail(err, SN_ENOTCONFIGURED, "the robot model is not configured");
}

static sn_status no_room(sn_error *err) {
  return sn__fail(err, SN_ENOSPC, "the answer does not fit into the message");
}

static sn_status unknown(sn_error *err, const char *what, const sn_msg_text *name) {
  return sn__fail(err, SN_ENOENT, "unknown %s '%s'", what, name->data);
}

/* Hold the model for one answer. */
static const sn_model *begin(sn_component *component, sn_error *err) {
  sn_robot_model *service = sn__robot_model_of(component);
  const sn_model *model = service == NULL ? NULL : sn__robot_model_hold(service);
  if (model == NULL) {
    (void)not_configured(err);
  }
  return model;
}

static sn_status end(sn_component *component, sn_status status) {
  sn__robot_model_release(sn__robot_model_of(component));
  return status;
}

static sn_status is_configured(sn_component *component, const void *request, void *response,
                               sn_error *err) {
  (void)request;
  (void)err;
  const sn_robot_model *service = sn__robot_model_of(component);
  ((sn_call_flag *)response)->value = service != NULL && sn__robot_model_is_configured(service);
  return SN_OK;
}

static sn_status set_text(sn_msg_text *text, const char *value, sn_error *err) {
  return sn_msg_text_set(text, value) == SN_OK ? SN_OK : no_room(err);
}

static sn_status get_robot_description(sn_component *component, const void *request, void *response,
                                       sn_error *err) {
  (void)request;
  const sn_model *model = begin(component, err);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  sn_call_text *answer = response;
  return end(component, set_text(&answer->text, sn_model_description(model, NULL), err));
}

static sn_status add_name(sn_msg_names *names, const char *name, sn_error *err) {
  return sn_msg_names_add(names, name, strlen(name)) == SN_OK ? SN_OK : no_room(err);
}

/* Copied: a shared table would end with the model. */
static sn_status copy_names(sn_msg_names *names, const sn_names *table, sn_error *err) {
  sn_status status = SN_OK;
  sn_msg_names_clear(names);
  for (size_t i = 0; status == SN_OK && i < sn_names_count(table); i++) {
    status = add_name(names, sn_names_at(table, i), err);
  }
  return status;
}

static sn_status list(sn_component *component, void *response, sn_error *err,
                      const sn_names *(*table)(const sn_model *model)) {
  const sn_model *model = begin(component, err);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  return end(component, copy_names(&((sn_call_names *)response)->names, table(model), err));
}

static sn_status list_chains(sn_component *component, const void *request, void *response,
                             sn_error *err) {
  (void)request;
  return list(component, response, err, sn_model_chain_names);
}

static sn_status list_joints(sn_component *component, const void *request, void *response,
                             sn_error *err) {
  (void)request;
  return list(component, response, err, sn_model_joint_names);
}

static sn_status list_contacts(sn_component *component, const void *request, void *response,
                               sn_error *err) {
  (void)request;
  return list(component, response, err, sn_model_contact_names);
}

static sn_status get_index(sn_component *component, const void *request, void *response,
                           sn_error *err, int (*find)(const sn_model *model, const char *name)) {
  const sn_model *model = begin(component, err);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  ((sn_call_index *)response)->index = find(model, ((const sn_call_name *)request)->name.data);
  return end(component, SN_OK);
}

static sn_status get_chain_index(sn_component *component, const void *request, void *response,
                                 sn_error *err) {
  return get_index(component, request, response, err, sn_model_chain_index);
}

static sn_status get_joint_index(sn_component *component, const void *request, void *response,
                                 sn_error *err) {
  return get_index(component, request, response, err, sn_model_joint_index);
}

/* The chain that a request names; -1 with its reason if there is none. */
static int find_chain(const sn_model *model, const sn_msg_text *name, sn_error *err) {
  const int chain = sn_model_chain_index(model, name->data);
  if (chain < 0) {
    (void)unknown(err, "chain", name);
  }
  return chain;
}

static sn_status chain_joints(const sn_model *model, const sn_msg_text *name, sn_msg_names *names,
                              sn_error *err) {
  const int index = find_chain(model, name, err);
  if (index < 0) {
    return SN_ENOENT;
  }
  size_t count = 0;
  const int *joints = sn_model_chain_joints(model, (size_t)index, &count);
  sn_status status = SN_OK;
  sn_msg_names_clear(names);
  for (size_t i = 0; status == SN_OK && i < count; i++) {
    status = add_name(names, sn_model_joint(model, (size_t)joints[i])->name, err);
  }
  return status;
}

static sn_status get_chain_joints(sn_component *component, const void *request, void *response,
                                  sn_error *err) {
  const sn_model *model = begin(component, err);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  return end(component, chain_joints(model, &((const sn_call_name *)request)->name,
                                     &((sn_call_names *)response)->names, err));
}

static sn_status default_contact(const sn_model *model, const sn_msg_text *name, sn_msg_text *text,
                                 sn_error *err) {
  const int chain = find_chain(model, name, err);
  if (chain < 0) {
    return SN_ENOENT;
  }
  const int contact = sn_model_chain_default_contact(model, (size_t)chain);
  return set_text(text, contact < 0 ? "" : sn_model_contact(model, (size_t)contact)->name, err);
}

static sn_status get_chain_default_contact(sn_component *component, const void *request,
                                           void *response, sn_error *err) {
  const sn_model *model = begin(component, err);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  return end(component, default_contact(model, &((const sn_call_name *)request)->name,
                                        &((sn_call_text *)response)->text, err));
}

static sn_status list_limbs(sn_component *component, const void *request, void *response,
                            sn_error *err) {
  (void)request;
  const sn_model *model = begin(component, err);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  return end(component, sn__model_list_limbs(model, response) == SN_OK ? SN_OK : no_room(err));
}

static sn_status chain_property(const sn_model *model, const sn_call_key *key, sn_msg_text *text,
                                sn_error *err) {
  const int chain = find_chain(model, &key->name, err);
  if (chain < 0) {
    return SN_ENOENT;
  }
  const char *value = sn_model_chain_property(model, (size_t)chain, key->key.data);
  return value == NULL ? unknown(err, "property of the chain", &key->key)
                       : set_text(text, value, err);
}

static sn_status get_chain_property(sn_component *component, const void *request, void *response,
                                    sn_error *err) {
  const sn_model *model = begin(component, err);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  return end(component, chain_property(model, request, &((sn_call_text *)response)->text, err));
}

static const char *chain_name_of(const sn_model *model, int joint) {
  const int chain = sn_model_joint(model, (size_t)joint)->chain;
  return chain < 0 ? "" : sn_names_at(sn_model_chain_names(model), (size_t)chain);
}

static sn_status get_joint_chain(sn_component *component, const void *request, void *response,
                                 sn_error *err) {
  const sn_model *model = begin(component, err);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  const sn_msg_text *name = &((const sn_call_name *)request)->name;
  const int joint = sn_model_joint_index(model, name->data);
  return end(component, set_text(&((sn_call_text *)response)->text,
                                 joint < 0 ? "" : chain_name_of(model, joint), err));
}

static sn_status joints_chains(const sn_model *model, const sn_msg_names *joints,
                               sn_msg_names *chains, sn_error *err) {
  sn_status status = SN_OK;
  sn_msg_names_clear(chains);
  for (size_t i = 0; status == SN_OK && i < joints->count; i++) {
    const int joint = sn_model_joint_index(model, sn_msg_names_at(joints, i));
    const char *chain = joint < 0 ? "" : chain_name_of(model, joint);
    if (*chain != '\0' && sn__msg_names_index(chains, chain) < 0) {
      status = add_name(chains, chain, err);
    }
  }
  return status;
}

static sn_status get_joints_chains(sn_component *component, const void *request, void *response,
                                   sn_error *err) {
  const sn_model *model = begin(component, err);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  return end(component, joints_chains(model, &((const sn_call_names *)request)->names,
                                      &((sn_call_names *)response)->names, err));
}

static sn_status contact_points(const sn_model *model, const sn_msg_text *name, sn_seq_vec3 *points,
                                sn_error *err) {
  const int index = sn_model_contact_index(model, name->data);
  if (index < 0) {
    return unknown(err, "contact", name);
  }
  const sn_contact *contact = sn_model_contact(model, (size_t)index);
  if (contact->point_count > points->capacity) {
    return no_room(err);
  }
  memcpy(points->data, contact->points, contact->point_count * sizeof *points->data);
  points->count = contact->point_count;
  return SN_OK;
}

static sn_status get_contact_points(sn_component *component, const void *request, void *response,
                                    sn_error *err) {
  const sn_model *model = begin(component, err);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  return end(component, contact_points(model, &((const sn_call_name *)request)->name,
                                       &((sn_call_points *)response)->points, err));
}

static sn_status add_points(const sn_model *model, const sn_call_contact_buffer *request,
                            sn_call_contact_points *response, sn_error *err) {
  sn_seq_vec3 *points = &response->points;
  if (request->points.count > points->capacity) {
    return no_room(err);
  }
  memcpy(points->data, request->points.data, request->points.count * sizeof *points->data);
  points->count = request->points.count;
  sn_point_buffer buffer = {points->data, points->count, points->capacity};
  const sn_status status = sn_model_add_contact_points(model, request->name.data, &buffer);
  if (status == SN_ENOSPC) {
    return no_room(err);
  }
  response->appended = status == SN_OK ? (int)(buffer.count - points->count) : -1;
  points->count = buffer.count;
  return SN_OK;
}

static sn_status add_contact_points(sn_component *component, const void *request, void *response,
                                    sn_error *err) {
  const sn_model *model = begin(component, err);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  return end(component, add_points(model, request, response, err));
}

static sn_status get_chain(sn_component *component, const void *request, void *response,
                           sn_error *err) {
  const sn_model *model = begin(component, err);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  const sn_call_chain *wish = request;
  const int chain = find_chain(model, &wish->name, err);
  return end(component, chain < 0
                            ? SN_ENOENT
                            : sn__robot_tree_of_chain(model, (size_t)chain,
                                                      wish->with_virtual_joints, response, err));
}

static sn_status get_tree(sn_component *component, const void *request, void *response,
                          sn_error *err) {
  (void)request;
  const sn_model *model = begin(component, err);
  if (model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  return end(component, sn__robot_tree_of_all(model, response, err));
}

#define NONE NULL
#define NAME &sn_call_name_type
#define NAMES &sn_call_names_type
#define TEXT &sn_call_text_type
const sn_operation sn__robot_model_operations[] = {
    {"isConfigured", SN_CLIENT_THREAD | SN_READ_ONLY, NONE, &sn_call_flag_type, is_configured,
     "Is the robot loaded?"},
    {"getRobotDescription", SN_CLIENT_THREAD | SN_READ_ONLY, NONE, TEXT, get_robot_description,
     "The URDF."},
    {"getTree", SN_CLIENT_THREAD | SN_READ_ONLY, NONE, &sn_call_tree_type, get_tree,
     "All links, the root first, with the joints above them."},
    {"getChain", SN_CLIENT_THREAD | SN_READ_ONLY, &sn_call_chain_type, &sn_call_tree_type,
     get_chain, "The links of a chain from its first to its last, with the joints above them."},
    {"listChains", SN_CLIENT_THREAD | SN_READ_ONLY, NONE, NAMES, list_chains,
     "All chains, as declared."},
    {"listLimbs", SN_CLIENT_THREAD | SN_READ_ONLY, NONE, &sn__call_limbs_type, list_limbs,
     "All chains with their default contacts and joints, in one answer."},
    {"getChainIndex", SN_CLIENT_THREAD | SN_READ_ONLY, NAME, &sn_call_index_type, get_chain_index,
     "The index of a chain in the list; -1: unknown."},
    {"getChainJoints", SN_CLIENT_THREAD | SN_READ_ONLY, NAME, NAMES, get_chain_joints,
     "The movable joints of a chain, from base to tip; of a derived gripper all its joints."},
    {"getChainDefaultContact", SN_CLIENT_THREAD | SN_READ_ONLY, NAME, TEXT,
     get_chain_default_contact, "The default contact; empty: none."},
    {"getChainProperty", SN_CLIENT_THREAD | SN_READ_ONLY, &sn_call_key_type, TEXT,
     get_chain_property,
     "A value of a chain's entry as text: first_link, last_link, or any other key."},
    {"listJoints", SN_CLIENT_THREAD | SN_READ_ONLY, NONE, NAMES, list_joints,
     "All joints of the sorted pose."},
    {"getJointIndex", SN_CLIENT_THREAD | SN_READ_ONLY, NAME, &sn_call_index_type, get_joint_index,
     "The index of a joint in the sorted pose; -1: none."},
    {"getJointChain", SN_CLIENT_THREAD | SN_READ_ONLY, NAME, TEXT, get_joint_chain,
     "The chain that owns a joint; empty: none, or an unknown joint."},
    {"getJointsChains", SN_CLIENT_THREAD | SN_READ_ONLY, NAMES, NAMES, get_joints_chains,
     "The chains that own these joints, each once."},
    {"listContacts", SN_CLIENT_THREAD | SN_READ_ONLY, NONE, NAMES, list_contacts,
     "All contacts, as declared."},
    {"getContactPoints", SN_CLIENT_THREAD | SN_READ_ONLY, NAME, &sn_call_points_type,
     get_contact_points, "The points of a contact, in the frame of a chain's last link."},
    {"addContactPointsToBuffer", SN_CLIENT_THREAD | SN_READ_ONLY, &sn_call_contact_buffer_type,
     &sn_call_contact_points_type, add_contact_points,
     "Append the points of a contact; -1: unknown contact."},
    {"getProperties", SN_CLIENT_THREAD | SN_READ_ONLY, NONE, TEXT, sn__robot_get_properties,
     "The text of the robot's property file as it is now."},
    {"saveProperties", SN_CLIENT_THREAD, TEXT, &sn_call_outcome_type, sn__robot_save_properties,
     "Replace the robot's property file by this text, if it fits the robot; it counts from the "
     "next start."},
    {0}};
#undef NONE
#undef NAME
#undef NAMES
#undef TEXT
