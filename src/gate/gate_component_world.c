/* Objects that the robot must not touch: operations, changes from outside, and the list of them. */
#include <string.h>

#include "base/fail.h"
#include "collision/objects.h"
#include "gate/gate_component.h"
#include "gate/world_message.h"
#include "msg/types/msg_collision.h"
#include "sinew/msg_calls.h"

#define MOVES_PERIOD_NS INT64_C(50000000)

static sn_status no_checker(sn_error *err) {
  return sn__fail(err, SN_ENOENT, "the robot has no shapes: objects cannot be kept apart from it");
}

sn_status sn__gate_component_add_object(sn_component *component, const void *request,
                                        void *response, sn_error *err) {
  sn__gate_component *a = (sn__gate_component *)component;
  (void)response;
  if (a->collision.checker == NULL) {
    return no_checker(err);
  }
  sn__object object;
  sn_status status = sn__world_message_read(request, &object, err);
  if (status == SN_OK) {
    status = sn__collision_add_object(a->collision.checker, &object, err);
  }
  if (status == SN_OK) {
    sn__gate_component_world_changed(a);
  }
  return status;
}

static sn_status remove_object(sn__collision *checker, const char *name, sn_error *err) {
  return sn__collision_remove_object(checker, name)
             ? SN_OK
             : sn__fail(err, SN_ENOENT, "unknown object '%.80s'", name);
}

sn_status sn__gate_component_remove_object(sn_component *component, const void *request,
                                           void *response, sn_error *err) {
  sn__gate_component *a = (sn__gate_component *)component;
  const char *name = ((const sn_call_name *)request)->name.data;
  (void)response;
  if (a->collision.checker == NULL) {
    return no_checker(err);
  }
  const sn_status status = remove_object(a->collision.checker, name, err);
  if (status == SN_OK) {
    sn__gate_component_world_changed(a);
  }
  return status;
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

static bool describe(const sn__object *object, sn_pose pose, sn_world_object *out) {
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
  out->pose = sn_msg_pose_from(pose);
  return true;
}

/* @param pose_frame_fixed  what the objects are fixed to, in the frame of the list */
static void list_objects(const sn__gate_component *a, sn_pose pose_frame_fixed,
                         sn_world_object_list *list) {
  const sn__collision *checker = a->collision.checker;
  const size_t count = checker == NULL ? 0 : sn__collision_object_count(checker);
  list->header.stamp_ns = a->now_ns;
  list->objects.count = 0;
  list->complete = true;
  for (size_t i = 0; list->complete && i < count; i++) {
    const sn__object *object = sn__collision_object(checker, i);
    list->complete = list->objects.count < list->objects.capacity &&
                     describe(object, sn_pose_mul(pose_frame_fixed, object->pose),
                              &list->objects.data[list->objects.count]);
    list->objects.count += list->complete;
  }
}

sn_status sn__gate_component_list_objects(sn_component *component, const void *request,
                                          void *response, sn_error *err) {
  (void)request;
  (void)err;
  list_objects((const sn__gate_component *)component, sn_pose_identity(), response);
  return SN_OK;
}

void sn__gate_component_publish_world(sn__gate_component *a, int64_t now_ns) {
  sn__gate_collision *c = &a->collision;
  const bool moves = c->checker != NULL && sn_input_is_connected(&c->base) &&
                     sn__collision_object_count(c->checker) > 0 &&
                     now_ns - c->world_ns >= MOVES_PERIOD_NS;
  if ((c->is_world_new || moves) && sn_output_is_connected(&c->world_out)) {
    sn_world_object_list *list = c->world_out.msg;
    list_objects(a, sn_pose_inverse(c->pose_world_root), list);
    (void)sn_msg_text_set(&list->header.frame_id, sn_model_link(a->model, 0)->name);
    (void)sn_output_write(&c->world_out);
    c->is_world_new = false;
    c->world_ns = now_ns;
  }
}

/* ---- changes from outside ---- */

/* To the frame that objects are fixed to. */
static sn_status place(const sn__gate_component *a, const char *frame, sn__object *object,
                       sn_error *err) {
  const sn__gate_collision *c = &a->collision;
  const char *root = sn_model_link(a->model, 0)->name;
  if (strcmp(frame, root) == 0) {
    object->pose = sn_pose_mul(c->pose_world_root, object->pose);
  } else if (*frame != '\0' && (*c->base_frame == '\0' || strcmp(frame, c->base_frame) != 0)) {
    return sn__fail(err, SN_EINVAL, "object '%s': frame '%.60s', expected '%.60s'%s%.60s%s",
                    object->name, frame, root, *c->base_frame == '\0' ? "" : " or '", c->base_frame,
                    *c->base_frame == '\0' ? "" : "'");
  }
  return SN_OK;
}

/* An object of the same name is replaced; it stays if the new one is refused. */
static sn_status put_object(sn__gate_component *a, const sn_world_change *msg, sn_error *err) {
  sn__collision *checker = a->collision.checker;
  sn__object object, before;
  sn_vec3 points[SN__OBJECT_POINTS_MAX];
  sn_status status = sn__world_message_read(&msg->object, &object, err);
  status = status == SN_OK ? place(a, msg->header.frame_id.data, &object, err) : status;
  if (status != SN_OK) {
    return status;
  }
  const bool had_one = sn__collision_take_object(checker, object.name, &before, points);
  status = sn__collision_add_object(checker, &object, err);
  if (status != SN_OK && had_one) {
    (void)sn__collision_add_object(checker, &before, NULL);
  }
  return status;
}

static sn_status apply(sn__gate_component *a, const sn_world_change *msg, sn_error *err) {
  const char *operation = msg->operation.data;
  sn__collision *checker = a->collision.checker;
  if (checker == NULL) {
    return no_checker(err);
  }
  if (*operation == '\0' || strcmp(operation, "add") == 0) {
    return put_object(a, msg, err);
  }
  if (strcmp(operation, "remove") == 0) {
    return remove_object(checker, msg->object.name.data, err);
  }
  if (strcmp(operation, "clear") != 0) {
    return sn__fail(err, SN_EINVAL, "operation '%.20s', expected add, remove or clear", operation);
  }
  sn__collision_clear_objects(checker);
  return SN_OK;
}

void sn__gate_component_read_changes(sn__gate_component *a) {
  size_t left = SN_INPUT_BURST_MAX;
  bool has_changed = false;
  for (const sn_world_change *msg; (msg = sn_input_next(&a->collision.changes, &left)) != NULL;) {
    sn_error err = {0};
    if (apply(a, msg, &err) == SN_OK) {
      has_changed = true;
    } else {
      const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = err.message};
      sn_component_log_limited(&a->component, &a->collision.refused, a->now_ns, SN_LOG_WARNING,
                               "in_world: {}", 1, &arg);
    }
  }
  if (has_changed) {
    sn__gate_component_world_changed(a);
  }
}
