/* Operations of the gate: objects that the robot must not touch. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "collision/objects.h"
#include "gate/gate_component.h"
#include "msg/types/msg_collision.h"
#include "sinew/msg_calls.h"

static sn_status no_checker(sn_error *err) {
  return sn__fail(err, SN_ENOENT, "the robot has no shapes: objects cannot be kept apart from it");
}

static sn_status read_object(const sn_world_object *msg, sn__object *out, sn_error *err) {
  *out = (sn__object){.pose = sn_pose_from_msg(msg->pose)};
  const sn_quat r = msg->pose.orientation;
  if (r.w == 0.0 && r.x == 0.0 && r.y == 0.0 && r.z == 0.0) {
    out->pose.rot = sn_pose_identity().rot;
  }
  if (msg->name.count >= sizeof out->name || sn__text_has_control(msg->name.data)) {
    return sn__fail(err, SN_EINVAL,
                    "the name of an object must have 1 to %zu characters, none of them a control "
                    "character",
                    sizeof out->name - 1);
  }
  (void)snprintf(out->name, sizeof out->name, "%s", msg->name.data);
  return sn__object_shape(msg->shape.data, msg->size.data, msg->size.count, msg->points.data,
                          msg->points.count, out, err);
}

sn_status sn__gate_component_add_object(sn_component *component, const void *request,
                                        void *response, sn_error *err) {
  sn__gate_component *a = (sn__gate_component *)component;
  (void)response;
  if (a->collision.checker == NULL) {
    return no_checker(err);
  }
  sn__object object;
  sn_status status = read_object(request, &object, err);
  if (status == SN_OK) {
    status = sn__collision_add_object(a->collision.checker, &object, err);
  }
  if (status == SN_OK) {
    sn__gate_world_changed(a->gate);
  }
  return status;
}

sn_status sn__gate_component_remove_object(sn_component *component, const void *request,
                                           void *response, sn_error *err) {
  sn__gate_component *a = (sn__gate_component *)component;
  const char *name = ((const sn_call_name *)request)->name.data;
  (void)response;
  if (a->collision.checker == NULL) {
    return no_checker(err);
  }
  if (!sn__collision_remove_object(a->collision.checker, name)) {
    return sn__fail(err, SN_ENOENT, "unknown object '%.80s'", name);
  }
  sn__gate_world_changed(a->gate);
  return SN_OK;
}

/* ---- list ---- */

/* The kind, and its sizes as addObject expects them. */
static const char *shape_of(const sn__convex *convex, double *size, size_t *count) {
  const sn_vec3 half = convex->half;
  *count = 0;
  switch (convex->kind) {
    case SN__CONVEX_BOX:
      size[(*count)++] = 2.0 * half.x;
      size[(*count)++] = 2.0 * half.y;
      size[(*count)++] = 2.0 * half.z;
      return "box";
    case SN__CONVEX_CYLINDER:
      size[(*count)++] = half.x;
      size[(*count)++] = 2.0 * half.z;
      return "cylinder";
    case SN__CONVEX_PLANE:
      return "plane";
    case SN__CONVEX_HULL:
      return "hull";
    case SN__CONVEX_POINT:
    case SN__CONVEX_SEGMENT:
    default:
      size[(*count)++] = convex->radius;
      return "sphere";
  }
}

static bool describe(const sn__object *object, sn_world_object *out) {
  double size[3];
  size_t count = 0;
  const char *shape = shape_of(&object->convex, size, &count);
  const size_t points = object->convex.kind == SN__CONVEX_HULL ? object->convex.vertex_count : 0;
  if (count > out->size.capacity || points > out->points.capacity ||
      sn_msg_text_set(&out->name, object->name) != SN_OK ||
      sn_msg_text_set(&out->shape, shape) != SN_OK) {
    return false;
  }
  memcpy(out->size.data, size, count * sizeof *size);
  out->size.count = count;
  if (points > 0) {
    memcpy(out->points.data, object->convex.vertices, points * sizeof *out->points.data);
  }
  out->points.count = points;
  out->pose = sn_msg_pose_from(object->pose);
  return true;
}

sn_status sn__gate_component_list_objects(sn_component *component, const void *request,
                                          void *response, sn_error *err) {
  const sn__gate_component *a = (const sn__gate_component *)component;
  const sn__collision *checker = a->collision.checker;
  sn_world_object_list *list = response;
  (void)request;
  (void)err;
  list->header.stamp_ns = a->now_ns;
  list->objects.count = 0;
  list->complete = true;
  const size_t count = checker == NULL ? 0 : sn__collision_object_count(checker);
  for (size_t i = 0; list->complete && i < count; i++) {
    list->complete =
        list->objects.count < list->objects.capacity &&
        describe(sn__collision_object(checker, i), &list->objects.data[list->objects.count]);
    list->objects.count += list->complete;
  }
  return SN_OK;
}
