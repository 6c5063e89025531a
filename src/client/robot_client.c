#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "sinew/client.h"

/* Capacities of messages: a robot has up to 4096 links. */
static const sn_msg_capacity LIST = {.item_count = 4096, .text_size = 128};
static const sn_msg_capacity TEXT = {.item_count = 1, .text_size = 1u << 20};

struct sn_robot_client {
  sn_client *client;
  char component[100];
  sn_arena arena; /* of the messages of one call */
  sn_error err;
};

sn_robot_client *sn_robot_client_create(sn_client *client, const char *component) {
  sn_robot_client *robot = calloc(1, sizeof *robot);
  if (robot != NULL) {
    robot->client = client;
    snprintf(robot->component, sizeof robot->component, "%s",
             component == NULL ? "robot_model" : component);
    sn_arena_init_growing(&robot->arena, "robot client", 0);
  }
  return robot;
}

void sn_robot_client_destroy(sn_robot_client *robot) {
  if (robot != NULL) {
    sn_arena_release(&robot->arena);
    free(robot);
  }
}

const char *sn_robot_client_error(const sn_robot_client *robot) {
  return robot->err.message;
}

/* ---- calls ---- */

static sn_status no_memory(sn_robot_client *robot) {
  return sn__fail(&robot->err, SN_ENOMEM, "no memory for a message");
}

static sn_status no_room(sn_robot_client *robot) {
  return sn__fail(&robot->err, SN_ENOSPC, "the answer does not fit into the caller's memory");
}

/* Create the request of a call, which frees that of the last one. @return NULL: out of memory */
static void *begin(sn_robot_client *robot, const sn_msg_type *type, const sn_msg_capacity *room) {
  sn_arena_release(&robot->arena);
  sn_arena_init_growing(&robot->arena, "robot client", 0);
  robot->err = (sn_error){.message = ""};
  return type == NULL ? robot : sn_msg_create(&robot->arena, type, room);
}

static sn_status call(sn_robot_client *robot, const char *operation, const sn_msg_type *type,
                      const void *request, const sn_msg_type *response_type,
                      const sn_msg_capacity *room, void **response) {
  char name[160];
  snprintf(name, sizeof name, "%s.%s", robot->component, operation);
  *response = sn_msg_create(&robot->arena, response_type, room);
  return *response == NULL ? no_memory(robot)
                           : sn_client_call(robot->client, name, type, request, response_type,
                                            *response, &robot->err);
}

/* A call with one name, or with none. */
static sn_status ask(sn_robot_client *robot, const char *operation, const char *name,
                     const sn_msg_type *response_type, const sn_msg_capacity *room,
                     void **response) {
  sn_call_name *request = begin(robot, name == NULL ? NULL : &sn_call_name_type, &TEXT);
  if (request == NULL) {
    return no_memory(robot);
  }
  if (name != NULL && sn_msg_text_set(&request->name, name) != SN_OK) {
    return no_room(robot);
  }
  return call(robot, operation, name == NULL ? NULL : &sn_call_name_type, request, response_type,
              room, response);
}

static sn_status copy_names(sn_robot_client *robot, const sn_msg_names *names, sn_name_list *list) {
  size_t size = 0;
  for (size_t i = 0; i < names->count; i++) {
    size += strlen(sn_msg_names_at(names, i)) + 1;
  }
  if (size > list->text_size) {
    return no_room(robot);
  }
  char *at = list->text;
  for (size_t i = 0; i < names->count; i++) {
    const size_t length = strlen(sn_msg_names_at(names, i)) + 1;
    memcpy(at, sn_msg_names_at(names, i), length);
    at += length;
  }
  list->count = names->count;
  return SN_OK;
}

static sn_status copy_text(sn_robot_client *robot, const sn_msg_text *from, char *text,
                           size_t size) {
  if (from->count >= size) {
    return no_room(robot);
  }
  memcpy(text, from->data, from->count + 1);
  return SN_OK;
}

static sn_status ask_names(sn_robot_client *robot, const char *operation, const char *name,
                           sn_name_list *list) {
  void *answer = NULL;
  const sn_status status = ask(robot, operation, name, &sn_call_names_type, &LIST, &answer);
  return status == SN_OK ? copy_names(robot, &((sn_call_names *)answer)->names, list) : status;
}

static sn_status ask_text(sn_robot_client *robot, const char *operation, const char *name,
                          char *text, size_t size) {
  void *answer = NULL;
  const sn_status status = ask(robot, operation, name, &sn_call_text_type, &TEXT, &answer);
  return status == SN_OK ? copy_text(robot, &((sn_call_text *)answer)->text, text, size) : status;
}

static sn_status ask_index(sn_robot_client *robot, const char *operation, const char *name,
                           int *index) {
  void *answer = NULL;
  const sn_status status = ask(robot, operation, name, &sn_call_index_type, NULL, &answer);
  if (status == SN_OK) {
    *index = ((sn_call_index *)answer)->index;
  }
  return status;
}

/* ---- the calls of robot_model.h ---- */

sn_status sn_robot_client_is_configured(sn_robot_client *robot, bool *out) {
  void *answer = NULL;
  const sn_status status = ask(robot, "isConfigured", NULL, &sn_call_flag_type, NULL, &answer);
  if (status == SN_OK) {
    *out = ((sn_call_flag *)answer)->value;
  }
  return status;
}

sn_status sn_robot_client_joint_index(sn_robot_client *robot, const char *joint, int *index) {
  return ask_index(robot, "getJointIndex", joint, index);
}

sn_status sn_robot_client_chain_index(sn_robot_client *robot, const char *chain, int *index) {
  return ask_index(robot, "getChainIndex", chain, index);
}

sn_status sn_robot_client_list_chains(sn_robot_client *robot, sn_name_list *list) {
  return ask_names(robot, "listChains", NULL, list);
}

sn_status sn_robot_client_list_joints(sn_robot_client *robot, sn_name_list *list) {
  return ask_names(robot, "listJoints", NULL, list);
}

sn_status sn_robot_client_list_contacts(sn_robot_client *robot, sn_name_list *list) {
  return ask_names(robot, "listContacts", NULL, list);
}

sn_status sn_robot_client_chain_joints(sn_robot_client *robot, const char *chain,
                                       sn_name_list *list) {
  return ask_names(robot, "getChainJoints", chain, list);
}

sn_status sn_robot_client_joints_chains(sn_robot_client *robot, const char *const *joints,
                                        size_t joint_count, sn_name_list *list) {
  sn_call_names *request = begin(robot, &sn_call_names_type, &LIST);
  if (request == NULL) {
    return no_memory(robot);
  }
  for (size_t i = 0; i < joint_count; i++) {
    if (sn_msg_names_add(&request->names, joints[i], strlen(joints[i])) != SN_OK) {
      return no_room(robot);
    }
  }
  void *answer = NULL;
  const sn_status status = call(robot, "getJointsChains", &sn_call_names_type, request,
                                &sn_call_names_type, &LIST, &answer);
  return status == SN_OK ? copy_names(robot, &((sn_call_names *)answer)->names, list) : status;
}

sn_status sn_robot_client_joint_chain(sn_robot_client *robot, const char *joint, char *text,
                                      size_t size) {
  return ask_text(robot, "getJointChain", joint, text, size);
}

sn_status sn_robot_client_chain_default_contact(sn_robot_client *robot, const char *chain,
                                                char *text, size_t size) {
  return ask_text(robot, "getChainDefaultContact", chain, text, size);
}

sn_status sn_robot_client_chain_property(sn_robot_client *robot, const char *chain, const char *key,
                                         char *text, size_t size) {
  sn_call_key *request = begin(robot, &sn_call_key_type, &TEXT);
  if (request == NULL) {
    return no_memory(robot);
  }
  if (sn_msg_text_set(&request->name, chain) != SN_OK ||
      sn_msg_text_set(&request->key, key) != SN_OK) {
    return no_room(robot);
  }
  void *answer = NULL;
  const sn_status status = call(robot, "getChainProperty", &sn_call_key_type, request,
                                &sn_call_text_type, &TEXT, &answer);
  return status == SN_OK ? copy_text(robot, &((sn_call_text *)answer)->text, text, size) : status;
}

sn_status sn_robot_client_description(sn_robot_client *robot, char *text, size_t size) {
  return ask_text(robot, "getRobotDescription", NULL, text, size);
}

/* The buffer stays here: only the points of the contact cross the socket. */
sn_status sn_robot_client_add_contact_points(sn_robot_client *robot, const char *contact,
                                             sn_point_buffer *buffer, int *appended) {
  sn_call_contact_buffer *request = begin(robot, &sn_call_contact_buffer_type, &LIST);
  if (request == NULL) {
    return no_memory(robot);
  }
  if (sn_msg_text_set(&request->name, contact) != SN_OK) {
    return no_room(robot);
  }
  void *answer = NULL;
  const sn_status status = call(robot, "addContactPointsToBuffer", &sn_call_contact_buffer_type,
                                request, &sn_call_contact_points_type, &LIST, &answer);
  if (status != SN_OK) {
    return status;
  }
  const sn_call_contact_points *points = answer;
  if (points->points.count > buffer->capacity - buffer->count) {
    return no_room(robot);
  }
  memcpy(buffer->points + buffer->count, points->points.data,
         points->points.count * sizeof *buffer->points);
  buffer->count += points->points.count;
  *appended = points->appended;
  return SN_OK;
}

sn_status sn_robot_client_tree(sn_robot_client *robot, const sn_call_tree **out) {
  void *answer = NULL;
  const sn_status status = ask(robot, "getTree", NULL, &sn_call_tree_type, &LIST, &answer);
  if (status == SN_OK) {
    *out = answer;
  }
  return status;
}

sn_status sn_robot_client_chain(sn_robot_client *robot, const char *chain, bool with_virtual_joints,
                                const sn_call_tree **out) {
  sn_call_chain *request = begin(robot, &sn_call_chain_type, &TEXT);
  if (request == NULL) {
    return no_memory(robot);
  }
  if (sn_msg_text_set(&request->name, chain) != SN_OK) {
    return no_room(robot);
  }
  request->with_virtual_joints = with_virtual_joints;
  void *answer = NULL;
  const sn_status status =
      call(robot, "getChain", &sn_call_chain_type, request, &sn_call_tree_type, &LIST, &answer);
  if (status == SN_OK) {
    *out = answer;
  }
  return status;
}
