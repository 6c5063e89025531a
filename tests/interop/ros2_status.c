/* What a running quadruped reports about itself: its log, its state, its controllers, its types.
   usage: ros2_status             exit 0 on success, otherwise it prints the failed check
          ros2_status clock       it publishes /clock, and its stamps have that time
          ros2_status followed    it follows /clock: a time, then an earlier one */
#include "ros2_interfaces.h"
#include "ros2_rig.h"

typedef controller_manager_msgs_msg_dds__ControllerState_ controller_state;
typedef controller_manager_msgs_srv_dds__ListControllers_Response_ controller_list;

static dds_entity_t participant;

/* ---- log and state ---- */

/* A late subscriber gets the last lines. */
static void check_log(void) {
  const dds_entity_t topic =
      dds_create_topic(participant, &rcl_interfaces_msg_dds__Log__desc, "rt/rosout", NULL, NULL);
  dds_qos_t *qos = rig_qos(true, 1000, NULL);
  const dds_entity_t reader = dds_create_reader(participant, topic, qos, NULL);
  CHECK(reader > 0, "%s", dds_strretcode(reader));
  dds_delete_qos(qos);
  dds_sample_info_t info;
  bool is_found = false;
  for (rcl_interfaces_msg_dds__Log_ *line = NULL;
       !is_found && (line = rig_next(reader, PATIENCE_MS, &info)) != NULL;) {
    is_found = strcmp(line->name, "sinew.ros2") == 0 && line->level == 20 &&
               strstr(line->msg, "node /sinew is running") != NULL && line->stamp.sec > 0;
    rig_give_back(reader, line);
  }
  CHECK(is_found, "the start of the node is not in /rosout");
  dds_delete(reader);
}

static void check_diagnostics(void) {
  const dds_entity_t reader = rig_reader(
      participant, &diagnostic_msgs_msg_dds__DiagnosticArray__desc, "rt/diagnostics", false);
  dds_sample_info_t info;
  diagnostic_msgs_msg_dds__DiagnosticArray_ *array = rig_next(reader, PATIENCE_MS, &info);
  CHECK(array != NULL, "no diagnostics");
  bool has_plant = false, has_activity = false;
  for (uint32_t i = 0; i < array->status._length; i++) {
    const diagnostic_msgs_msg_dds__DiagnosticStatus_ *s = &array->status._buffer[i];
    has_plant = has_plant || (strcmp(s->name, "sinew: plant") == 0 && s->level == 0 &&
                              strcmp(s->message, "running") == 0 && s->values._length > 0 &&
                              strcmp(s->values._buffer[0].value, "plant") == 0);
    has_activity = has_activity || strcmp(s->name, "sinew: activity control") == 0;
  }
  CHECK(has_plant && has_activity, "diagnostics of the plant or of the activity are missing");
  rig_give_back(reader, array);
  dds_delete(reader);
}

/* ---- controllers ---- */

static controller_list *list_controllers(rig_client *c) {
  controller_manager_msgs_srv_dds__ListControllers_Request_ request = {0};
  controller_list *list = rig_answer(c, rig_send(c, &request), PATIENCE_MS);
  CHECK(list != NULL, "no list of controllers");
  return list;
}

static const controller_state *find(const controller_list *list, const char *name) {
  for (uint32_t i = 0; i < list->controller._length; i++) {
    if (strcmp(list->controller._buffer[i].name, name) == 0) {
      return &list->controller._buffer[i];
    }
  }
  CHECK(false, "controller %s is not listed", name);
  return NULL;
}

static bool is_active(rig_client *c, const char *name) {
  controller_list *list = list_controllers(c);
  const bool is_one = strcmp(find(list, name)->state, "active") == 0;
  rig_give_back(c->reader, list);
  return is_one;
}

static void check_switch(rig_client *c, char *on, char *off, int strictness, bool is_ok) {
  controller_manager_msgs_srv_dds__SwitchController_Request_ request = {
      .activate_controllers = {._buffer = &on, ._length = on != NULL},
      .deactivate_controllers = {._buffer = &off, ._length = off != NULL},
      .strictness = strictness};
  controller_manager_msgs_srv_dds__SwitchController_Response_ *answer =
      rig_answer(c, rig_send(c, &request), PATIENCE_MS);
  CHECK(answer != NULL && answer->ok == is_ok, "%s", answer == NULL ? "none" : answer->message);
  CHECK(is_ok || answer->message[0] != '\0', "refused without a reason");
  rig_give_back(c->reader, answer);
}

static uint32_t count_joints(void) {
  const dds_entity_t reader =
      rig_reader(participant, &sensor_msgs_msg_dds__JointState__desc, "rt/joint_states", false);
  dds_sample_info_t info;
  sensor_msgs_msg_dds__JointState_ *state = rig_next(reader, PATIENCE_MS, &info);
  CHECK(state != NULL, "no joint states");
  const uint32_t count = state->name._length;
  rig_give_back(reader, state);
  dds_delete(reader);
  return count;
}

static void check_controllers(void) {
  const uint32_t joint_count = count_joints();
  rig_client lister =
      rig_open_client(participant, "/controller_manager/list_controllers",
                      &controller_manager_msgs_srv_dds__ListControllers_Request__desc,
                      &controller_manager_msgs_srv_dds__ListControllers_Response__desc);
  rig_client switcher =
      rig_open_client(participant, "/controller_manager/switch_controller",
                      &controller_manager_msgs_srv_dds__SwitchController_Request__desc,
                      &controller_manager_msgs_srv_dds__SwitchController_Response__desc);
  controller_list *list = list_controllers(&lister);
  const controller_state *execute = find(list, "execute");
  CHECK(strcmp(execute->type, "joint_trajectory_controller/JointTrajectoryController") == 0 &&
            strcmp(execute->state, "active") == 0 && execute->update_rate == 1000,
        "execute: %s, %s", execute->type, execute->state);
  CHECK(execute->required_command_interfaces._length == joint_count &&
            strstr(execute->required_command_interfaces._buffer[0], "/position") != NULL,
        "%u joints", execute->required_command_interfaces._length);
  CHECK(find(list, "hold")->claimed_interfaces._length == joint_count, "hold does not hold");
  rig_give_back(lister.reader, list);
  CHECK(!is_active(&lister, "follow"), "follow is active");
  check_switch(&switcher, "nobody", NULL, 2, false);
  check_switch(&switcher, "nobody", NULL, 1, false);
  check_switch(&switcher, "follow", NULL, 2, true);
  CHECK(is_active(&lister, "follow"), "follow is not active");
  check_switch(&switcher, "nobody", "follow", 2, false); /* all or nothing */
  CHECK(is_active(&lister, "follow"), "follow is not active any more");
  check_switch(&switcher, "execute", "follow", 1, true);
  CHECK(!is_active(&lister, "follow"), "follow is still active");
}

/* ---- types ---- */

static void check_type(rig_client *c, char *name, char *hash, const char *why) {
  type_description_interfaces_srv_dds__GetTypeDescription_Request_ request = {
      .type_name = name, .type_hash = hash, .include_type_sources = true};
  type_description_interfaces_srv_dds__GetTypeDescription_Response_ *answer =
      rig_answer(c, rig_send(c, &request), PATIENCE_MS);
  CHECK(answer != NULL && answer->successful == (why == NULL), "%s", name);
  CHECK(why == NULL || strstr(answer->failure_reason, why) != NULL, "%s", answer->failure_reason);
  if (why == NULL) {
    const type_description_interfaces_msg_dds__TypeDescription_ *d = &answer->type_description;
    CHECK(d->type_description.fields._length == 5 &&
              strcmp(d->type_description.fields._buffer[1].name, "name") == 0 &&
              d->type_description.fields._buffer[1].type.type_id == 161,
          "the fields of %s", name);
    CHECK(d->referenced_type_descriptions._length == 2 &&
              strcmp(d->referenced_type_descriptions._buffer[0].type_name,
                     "builtin_interfaces/msg/Time") == 0,
          "the parts of %s", name);
    CHECK(answer->type_sources._length == 1 &&
              strstr(answer->type_sources._buffer[0].raw_file_contents, "float64[] position"),
          "the definition of %s", name);
  }
  rig_give_back(c->reader, answer);
}

/* A service, by its own name and by those of its parts. */
static void check_service_type(rig_client *c, char *name, char *hash, const char *field,
                               uint32_t parts) {
  type_description_interfaces_srv_dds__GetTypeDescription_Request_ request = {
      .type_name = name, .type_hash = hash, .include_type_sources = true};
  type_description_interfaces_srv_dds__GetTypeDescription_Response_ *answer =
      rig_answer(c, rig_send(c, &request), PATIENCE_MS);
  CHECK(answer != NULL && answer->successful, "%s: %s", name,
        answer == NULL ? "no answer" : answer->failure_reason);
  const type_description_interfaces_msg_dds__TypeDescription_ *d = &answer->type_description;
  CHECK(strcmp(d->type_description.type_name, name) == 0 &&
            strcmp(d->type_description.fields._buffer[0].name, field) == 0,
        "the fields of %s", name);
  CHECK(d->referenced_type_descriptions._length == parts, "%u parts of %s",
        d->referenced_type_descriptions._length, name);
  rig_give_back(c->reader, answer);
}

static void check_types(void) {
  rig_client c =
      rig_open_client(participant, "/sinew/get_type_description",
                      &type_description_interfaces_srv_dds__GetTypeDescription_Request__desc,
                      &type_description_interfaces_srv_dds__GetTypeDescription_Response__desc);
  char hash[] = "RIHS01_a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e";
  check_type(&c, "sensor_msgs/msg/JointState", hash, NULL);
  check_type(&c, "sensor_msgs/msg/JointState", "", NULL);
  check_type(&c, "sensor_msgs/msg/JointState", "RIHS01_0", "hash");
  check_type(&c, "no_msgs/msg/Such", "", "no topic");
  char service[] = "RIHS01_abe9e4bb6b41b40e6789712c00ec8871923e089af3f667a79992a428cff2da0a";
  check_service_type(&c, "std_srvs/srv/SetBool", service, "request_message", 5);
  check_service_type(&c, "std_srvs/srv/SetBool_Request", "", "data", 0);
  check_service_type(&c, "std_srvs/srv/SetBool_Event", "", "info", 4);
  check_service_type(&c, "std_srvs/srv/Trigger_Request", "", "structure_needs_at_least_one_member",
                     0);
}

/* ---- time ---- */

static double stamp_of(dds_entity_t reader) {
  dds_sample_info_t info;
  sensor_msgs_msg_dds__JointState_ *state = rig_next(reader, PATIENCE_MS, &info);
  CHECK(state != NULL, "no joint states");
  const double stamp_s = state->header.stamp.sec + 1e-9 * state->header.stamp.nanosec;
  rig_give_back(reader, state);
  return stamp_s;
}

/* The robot's time goes forward, and its stamps with it. */
static void check_clock(void) {
  const dds_entity_t reader =
      rig_reader(participant, &rosgraph_msgs_msg_dds__Clock__desc, "rt/clock", false);
  const dds_entity_t states =
      rig_reader(participant, &sensor_msgs_msg_dds__JointState__desc, "rt/joint_states", false);
  dds_sample_info_t info;
  double last_s = 0.0;
  for (int i = 0; i < 20; i++) {
    rosgraph_msgs_msg_dds__Clock_ *clock = rig_next(reader, PATIENCE_MS, &info);
    CHECK(clock != NULL, "no /clock");
    const double now_s = clock->clock.sec + 1e-9 * clock->clock.nanosec;
    CHECK(now_s > last_s && now_s < 1e6, "/clock says %g after %g", now_s, last_s);
    last_s = now_s;
    rig_give_back(reader, clock);
  }
  double stamp_s = stamp_of(states);
  for (int i = 0; i < 1000 && stamp_s == 0.0; i++) { /* simulated time begins at 0 */
    stamp_s = stamp_of(states);
  }
  CHECK(stamp_s > 0.0 && stamp_s < 1e6, "a stamp of %g", stamp_s);
}

static void write_clock(dds_entity_t writer, int32_t sec) {
  const rosgraph_msgs_msg_dds__Clock_ clock = {.clock = {.sec = sec}};
  CHECK(dds_write(writer, &clock) == DDS_RETCODE_OK, "cannot write /clock");
}

/* Wait until the stamps stand at this time. */
static void expect_stamp(dds_entity_t states, dds_entity_t clock, int32_t sec) {
  double stamp_s = -1.0;
  for (int i = 0; i < 10000 && stamp_s != sec; i++) {
    write_clock(clock, sec);
    stamp_s = stamp_of(states);
  }
  CHECK(stamp_s == sec, "a stamp of %g at %d", stamp_s, sec);
}

static void check_followed(void) {
  const dds_entity_t states =
      rig_reader(participant, &sensor_msgs_msg_dds__JointState__desc, "rt/joint_states", false);
  CHECK(stamp_of(states) < 1e-3, "a time before the first /clock");
  const dds_entity_t clock =
      rig_writer(participant, &rosgraph_msgs_msg_dds__Clock__desc, "rt/clock", NULL);
  expect_stamp(states, clock, 500);
  expect_stamp(states, clock, 501);
  write_clock(clock, -5); /* invalid */
  expect_stamp(states, clock, 20);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  participant = rig_participant();
  if (strcmp(what, "clock") == 0) {
    check_clock();
  } else if (strcmp(what, "followed") == 0) {
    check_followed();
  } else {
    check_log();
    check_diagnostics();
    check_controllers();
    check_types();
  }
  dds_delete(participant);
  printf("ros2_status %s: all checks passed\n", what);
  return 0;
}
