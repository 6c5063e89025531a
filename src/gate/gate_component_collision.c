/* The collision guard as the component sees it: its properties, its log, its state. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "collision/objects.h"
#include "collision/path.h"
#include "gate/gate_component.h"
#include "msg/base_message.h"
#include "msg/types/msg_collision.h"
#include "rt/components/robot_model_client.h"

#define STATE_PERIOD_NS INT64_C(50000000)

/* Pairs that are left out, at the start. */
enum { LINES_MAX = 8 };

/* Pairs that are nearer than this many margins are published. */
static const double NEAR_MARGINS = 10.0;

const sn_property sn__gate_off_table[] = {
    SN_PROPERTY(sn__collision_off, "link_a", link_a, .flags = SN_PROPERTY_REQUIRED,
                .doc = "A link."),
    SN_PROPERTY(sn__collision_off, "link_b", link_b, .flags = SN_PROPERTY_REQUIRED,
                .doc = "Another link, or an object of the world."),
    {0}};

/* ---- configure ---- */

/* The list as the checker expects it: in a bag, with its name. */
static sn_status wrap_world(sn__gate_component *a, const sn_value **out, sn_error *err) {
  sn_arena *arena = sn_component_arena(&a->component);
  sn_value *values = SN_NEW(arena, sn_value, 2);
  const sn_value **items = SN_NEW(arena, const sn_value *, 1);
  if (values == NULL || items == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the world");
  }
  values[0] = *a->collision.world;
  values[0].name = "world";
  items[0] = &values[0];
  values[1] = (sn_value){
      .name = "", .kind = SN_VALUE_BAG, .items = items, .item_count = 1, .place = values[0].place};
  *out = &values[1];
  return SN_OK;
}

/* The checker lives as long as the gate; SN_ENOENT without geometry is not a failure. */
static sn_status create(sn__gate_component *a, sn__collision_config *config, sn_error *err) {
  sn__gate_collision *c = &a->collision;
  sn_arena *arena = sn_component_arena(&a->component);
  sn__model_files(&a->robot_model, &config->robot_file, &config->package_path);
  const sn_status status =
      sn__collision_create(arena, a->model, config, c->report, &c->checker, err);
  if (status == SN_ENOENT && config->off_count == 0) {
    return sn_report_create(arena, &c->report, err); /* its memory was given back with the rest */
  }
  return status;
}

sn_status sn__gate_component_make_checker(sn__gate_component *a, sn_error *err) {
  sn__gate_collision *c = &a->collision;
  sn__collision_config config = {.object_capacity = (size_t)c->objects_max,
                                 .off = c->off.data,
                                 .off_count = c->off.count,
                                 .root_floats = sn_input_is_connected(&c->base),
                                 .leaves_out_overlaps = true};
  if (c->srdf != NULL && *c->srdf != '\0') {
    config.srdf_file = c->srdf;
  }
  c->checker = NULL;
  c->missing = "the robot has no shapes";
  c->pose_world_root = sn_pose_identity();
  c->base_frame[0] = '\0';
  c->is_world_new = true;
  c->asked = SN_NEW(sn_component_arena(&a->component), double, 2 * sn_model_pose_size(a->model));
  c->asked_next = c->asked == NULL ? NULL : c->asked + sn_model_pose_size(a->model);
  sn_status status = c->asked == NULL
                         ? sn__fail(err, SN_ENOMEM, "no memory for a pose")
                         : sn_report_create(sn_component_arena(&a->component), &c->report, err);
  if (status == SN_OK && c->world != NULL) {
    status = wrap_world(a, &config.world, err);
  }
  return status == SN_OK ? create(a, &config, err) : status;
}

/* ---- the base ---- */

static void set_frame(sn__gate_collision *c, const char *frame) {
  const size_t length = strlen(frame);
  if (length < sizeof c->base_frame) {
    memcpy(c->base_frame, frame, length + 1);
  }
}

void sn__gate_component_read_base(sn__gate_component *a) {
  const char *root = sn_model_link(a->model, 0)->name;
  size_t left = SN_INPUT_BURST_MAX;
  bool is_new = false;
  sn_pose newest;
  for (const sn_rigid_body_state *msg; (msg = sn_input_next(&a->collision.base, &left)) != NULL;) {
    sn_spatial twist;
    if (sn__base_message_read(msg, root, &newest, &twist, NULL)) {
      is_new = true;
      set_frame(&a->collision, msg->header.frame_id.data);
    }
  }
  if (is_new) {
    a->collision.pose_world_root = newest;
    sn__gate_set_base(a->gate, newest);
  }
}

void sn__gate_component_world_changed(sn__gate_component *a) {
  sn__gate_world_changed(a->gate);
  a->collision.is_world_new = true;
}

/* ---- the log ---- */

static void log_count(const sn__gate_component *a, int64_t now_ns, const char *format,
                      size_t count) {
  if (count > 0) {
    const sn_log_arg arg = {.kind = SN_LOG_INT, .value.integer = (int64_t)count};
    sn_component_log(&a->component, now_ns, SN_LOG_WARNING, format, 1, &arg);
  }
}

/* Pairs that are left out. */
static void log_left_out(const sn__gate_component *a, int64_t now_ns) {
  size_t count = 0;
  for (size_t i = 0; i < sn_report_count(a->collision.report); i++) {
    const sn_problem *problem = sn_report_at(a->collision.report, i);
    if (strcmp(problem->place.file, SN__COLLISION_PLACE) == 0 && count++ < LINES_MAX) {
      const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = problem->message};
      sn_component_log(&a->component, now_ns, SN_LOG_WARNING, "{}", 1, &arg);
    }
  }
  log_count(a, now_ns, "{} more pairs are not checked, for such reasons: see 'sinew check'",
            count > LINES_MAX ? count - LINES_MAX : 0);
}

void sn__gate_component_log_collision(sn__gate_component *a, int64_t now_ns) {
  const sn__gate_collision *c = &a->collision;
  if (!c->is_wanted) {
    sn_component_log(&a->component, now_ns, SN_LOG_WARNING,
                     "the collision guard is off (collision_guard: false): links may collide", 0,
                     NULL);
  } else if (c->checker == NULL) {
    sn_component_log(&a->component, now_ns, SN_LOG_WARNING,
                     "the collision guard is off: the robot has no shapes", 0, NULL);
  }
  if (c->checker != NULL) {
    log_count(a, now_ns, "{} meshes cannot be read: these shapes may collide",
              sn__collision_facts_of(c->checker)->mesh_missing_count);
  }
  log_left_out(a, now_ns);
}

void sn__gate_component_log_guarded(sn__gate_component *a, int64_t now_ns) {
  if (a->collision.is_wanted && a->collision.checker != NULL) {
    sn_component_log(&a->component, now_ns, SN_LOG_INFO, "the collision guard is on", 0, NULL);
  }
  sn__gate_component_log_collision(a, now_ns);
}

/* ---- who is blocked ---- */

static void append(char *text, size_t size, const char *name) {
  const size_t used = strlen(text);
  const size_t comma = used == 0 ? 0 : 2, length = strlen(name);
  if (used + comma + length < size) {
    memcpy(text + used, ", ", comma);
    memcpy(text + used + comma, name, length + 1);
  }
}

/* The controllers that own joints between two links. */
static void name_owners(const sn__gate_component *a, size_t pair, char *text, size_t size) {
  const sn__path path = sn__collision_path(a->collision.checker, pair);
  bool is_named[SN__SOURCES_MAX] = {false};
  text[0] = '\0';
  for (size_t side = 0; side < 2; side++) {
    for (size_t i = 0; i < path.counts[side]; i++) {
      const int owner = a->joint_owners[path.joints[side][i].coord];
      if (owner >= 0 && !is_named[owner]) {
        is_named[owner] = true;
        append(text, size, a->sources[owner].name);
      }
    }
  }
}

static void log_blocked(sn__gate_component *a, const sn__guard_block *block, int64_t now_ns) {
  sn__gate_collision *c = &a->collision;
  uint64_t suppressed = 0;
  if (!sn_log_limit_pass(&c->log_limit, now_ns, &suppressed)) {
    return;
  }
  char owners[200];
  name_owners(a, block->pair, owners, sizeof owners);
  const sn_log_arg args[] = {
      {.kind = SN_LOG_TEXT, .value.text = owners[0] == '\0' ? "nothing" : owners},
      {.kind = SN_LOG_TEXT, .value.text = sn__collision_name(c->checker, block->link_a)},
      {.kind = SN_LOG_TEXT, .value.text = sn__collision_name(c->checker, block->link_b)},
      {.kind = SN_LOG_REAL, .value.real = 1e3 * block->distance},
  };
  sn_component_log(&a->component, now_ns, SN_LOG_WARNING,
                   "{}: slowed down, '{}' and '{}' would collide, {} mm apart", 4, args);
}

/* ---- state ---- */

void sn__gate_component_set_text(sn_msg_text *to, const char *text) {
  if (sn_msg_text_set(to, text) != SN_OK) {
    (void)sn_msg_text_set(to, "...");
  }
}

static void describe_near(const sn__gate_component *a, const sn__near *near,
                          sn_collision_state *out) {
  const sn__collision *checker = a->collision.checker;
  char owners[200];
  name_owners(a, near->pair, owners, sizeof owners);
  out->near = true;
  out->distance = near->distance;
  out->point_a = near->point_a;
  out->point_b = near->point_b;
  sn__gate_component_set_text(&out->link_a, sn__collision_name(checker, near->link_a));
  sn__gate_component_set_text(&out->link_b, sn__collision_name(checker, near->link_b));
  sn__gate_component_set_text(&out->owners, owners);
}

/* The pair that is blocked, else the nearest one. */
static void describe_pair(sn__gate_component *a, sn_collision_state *out) {
  sn__collision *checker = a->collision.checker;
  const double *q = sn__gate_pose(a->gate);
  sn__guard_block block;
  sn__near near;
  out->blocked = sn__gate_blocked_by(a->gate, &block);
  if ((out->blocked ? sn__collision_of_pair(checker, block.pair, q, &near)
                    : sn__collision_nearest(checker, q, &near)) &&
      (out->blocked || near.distance <= NEAR_MARGINS * out->margin)) {
    describe_near(a, &near, out);
  }
}

/* All but the pair. */
static void describe(sn__gate_component *a, int64_t now_ns, sn_collision_state *out) {
  const sn__gate_collision *c = &a->collision;
  sn_msg_reset(&sn_collision_state_type, out);
  out->header.stamp_ns = now_ns;
  sn__gate_component_set_text(&out->header.frame_id, sn_model_link(a->model, 0)->name);
  out->enabled = c->checker != NULL && c->is_wanted;
  sn__gate_component_set_text(&out->reason, c->checker == NULL ? c->missing
                                            : c->is_wanted
                                                ? ""
                                                : "the property collision_guard is false");
  if (c->checker == NULL) {
    return;
  }
  size_t off = 0;
  out->pair_count = (uint32_t)sn__collision_count_active(c->checker, &off);
  out->off_count = (uint32_t)off;
  out->object_count = (uint32_t)sn__collision_object_count(c->checker);
  out->margin = sn__gate_collision_margin(a->gate);
  out->blocked_count = sn__gate_blocked_count(a->gate);
}

static void describe_now(sn__gate_component *a, int64_t now_ns, sn_collision_state *out) {
  describe(a, now_ns, out);
  if (a->collision.checker != NULL) {
    describe_pair(a, out);
  }
}

void sn__gate_component_report_collision(sn__gate_component *a, int64_t now_ns) {
  sn__gate_collision *c = &a->collision;
  sn__guard_block block;
  const bool is_blocked = sn__gate_blocked_by(a->gate, &block);
  if (is_blocked) {
    log_blocked(a, &block, now_ns);
  }
  const bool is_due = is_blocked != c->was_blocked || now_ns - c->published_ns >= STATE_PERIOD_NS;
  c->was_blocked = is_blocked;
  if (is_due && sn_output_is_connected(&c->state)) {
    c->published_ns = now_ns;
    describe_now(a, now_ns, c->state.msg);
    (void)sn_output_write(&c->state);
  }
}

sn_status sn__gate_component_get_collision(sn_component *component, const void *request,
                                           void *response, sn_error *err) {
  (void)request;
  (void)err;
  sn__gate_component *a = (sn__gate_component *)component;
  describe_now(a, a->now_ns, response);
  return SN_OK;
}

sn_status sn__gate_component_check_pose(sn_component *component, const void *request,
                                        void *response, sn_error *err) {
  sn__gate_component *a = (sn__gate_component *)component;
  const sn_joint_state *msg = request;
  sn_collision_state *out = response;
  describe(a, a->now_ns, out);
  sn_status status = SN_OK;
  if (msg->position.count != msg->name.count) {
    status = sn__fail(err, SN_EINVAL, "%zu positions for %zu joints", msg->position.count,
                      msg->name.count);
  }
  status =
      status == SN_OK ? sn__gate_component_read_pose(a, msg, 0, a->collision.asked, err) : status;
  sn__near near;
  if (status == SN_OK && out->enabled &&
      sn__collision_nearest(a->collision.checker, a->collision.asked, &near)) {
    describe_near(a, &near, out);
    out->blocked = near.distance <= 0.0;
  }
  return status;
}

sn_status sn__gate_component_set_pair(sn_component *component, const void *request, void *response,
                                      sn_error *err) {
  sn__gate_component *a = (sn__gate_component *)component;
  const sn_collision_pair *pair = request;
  (void)response;
  if (a->collision.checker == NULL) {
    return sn__fail(err, SN_ENOENT, "%s: no pairs are checked", a->collision.missing);
  }
  const sn__collision_off names = {pair->link_a.data, pair->link_b.data};
  const sn_status status = sn__collision_switch(a->collision.checker, &names, pair->guarded, err);
  if (status == SN_OK) {
    const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = names.link_a},
                               {.kind = SN_LOG_TEXT, .value.text = names.link_b}};
    sn__gate_component_world_changed(a);
    sn_component_log(component, a->now_ns, pair->guarded ? SN_LOG_INFO : SN_LOG_WARNING,
                     pair->guarded ? "'{}' and '{}' are kept apart (setCollisionPair)"
                                   : "'{}' and '{}' may touch (setCollisionPair)",
                     2, args);
  }
  return status;
}
