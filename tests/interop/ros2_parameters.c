/* Reads and sets parameters of a running quadruped as `ros2 param` does, also wrong ones.
   usage: ros2_parameters              exit 0 on success, otherwise it prints the failed check
          ros2_parameters elsewhere    wait for aggregator.reference_timeout to become 0.125 */
#include "ros2_interfaces.h"
#include "ros2_rig.h"

#define DESC(service, part) &rcl_interfaces_srv_dds__##service##_##part##__desc
#define OPEN(name, service) \
  rig_open_client(participant, "/sinew/" name, DESC(service, Request), DESC(service, Response))

typedef rcl_interfaces_msg_dds__Parameter_ parameter;
typedef rcl_interfaces_srv_dds__SetParameters_Request_ set_request;
typedef rcl_interfaces_srv_dds__SetParameters_Response_ set_response;
typedef rcl_interfaces_srv_dds__SetParametersAtomically_Request_ atomic_request;
typedef rcl_interfaces_srv_dds__SetParametersAtomically_Response_ atomic_response;

enum { BOOL = 1, INTEGER, DOUBLE, STRING, DOUBLE_ARRAY = 8, STRING_ARRAY };

#define TIMEOUT "aggregator.reference_timeout"
#define LIMP "aggregator.stop_limp"

static dds_entity_t participant, events;
static rig_client getter, setter, atomic_setter;

static char *text_of(const char *text) {
  return dds_string_dup(text);
}

static parameter make(const char *name, uint8_t type) {
  return (parameter){.name = text_of(name), .value = {.type = type, .string_value = text_of("")}};
}

static parameter make_double(const char *name, double value) {
  parameter p = make(name, DOUBLE);
  p.value.double_value = value;
  return p;
}

/* ---- reading ---- */

static bool has(const dds_sequence_string *names, const char *name) {
  for (uint32_t i = 0; i < names->_length; i++) {
    if (strcmp(names->_buffer[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static uint32_t list(rig_client *c, char *prefix, uint64_t depth, const char *expected) {
  rcl_interfaces_srv_dds__ListParameters_Request_ request = {
      .prefixes = {._buffer = &prefix, ._length = prefix != NULL}, .depth = depth};
  rcl_interfaces_srv_dds__ListParameters_Response_ *answer =
      rig_answer(c, rig_send(c, &request), PATIENCE_MS);
  CHECK(answer != NULL, "no list");
  const uint32_t count = answer->result.names._length;
  CHECK(expected == NULL || has(&answer->result.names, expected), "%s is not listed", expected);
  rig_give_back(c->reader, answer);
  return count;
}

static void check_list(void) {
  rig_client c = OPEN("list_parameters", ListParameters);
  const uint32_t all = list(&c, NULL, 0, TIMEOUT);
  const uint32_t some = list(&c, "aggregator", 0, LIMP);
  CHECK(some > 1 && all > some, "%u of %u parameters begin with a prefix", some, all);
  CHECK(list(&c, LIMP, 0, LIMP) == 1, "a parameter is not its own prefix");
  CHECK(list(&c, NULL, 1, "use_sim_time") == 1, "more than one name without a dot");
  CHECK(list(&c, "nothing", 0, NULL) == 0, "names with an unknown prefix");
}

static rcl_interfaces_srv_dds__GetParameters_Response_ *get(char **names, uint32_t count) {
  rcl_interfaces_srv_dds__GetParameters_Request_ request = {
      .names = {._buffer = names, ._length = count}};
  rcl_interfaces_srv_dds__GetParameters_Response_ *answer =
      rig_answer(&getter, rig_send(&getter, &request), PATIENCE_MS);
  CHECK(answer != NULL && answer->values._length == count, "values are missing");
  return answer;
}

static double get_timeout(void) {
  char *name = TIMEOUT;
  rcl_interfaces_srv_dds__GetParameters_Response_ *answer = get(&name, 1);
  CHECK(answer->values._buffer[0].type == DOUBLE, "type %d", answer->values._buffer[0].type);
  const double value = answer->values._buffer[0].double_value;
  rig_give_back(getter.reader, answer);
  return value;
}

static void check_values(void) {
  char *names[] = {LIMP,           "ros2.depth", TIMEOUT, "ros2.interface", "dynamics_inv.gravity",
                   "ros2.outputs", "no.such",    ""};
  const uint8_t types[] = {BOOL, INTEGER, DOUBLE, STRING, DOUBLE_ARRAY, STRING_ARRAY, 0, 0};
  rcl_interfaces_srv_dds__GetParameters_Response_ *answer = get(names, 8);
  for (size_t i = 0; i < 8; i++) {
    CHECK(answer->values._buffer[i].type == types[i], "%s: type %d", names[i],
          answer->values._buffer[i].type);
  }
  const rcl_interfaces_msg_dds__ParameterValue_ *v = answer->values._buffer;
  CHECK(v[1].integer_value == 100, "ros2.depth is %lld", (long long)v[1].integer_value);
  CHECK(v[4].double_array_value._length == 3 && v[4].double_array_value._buffer[2] == -9.81,
        "gravity");
  CHECK(has(&v[5].string_array_value, "*"), "ros2.outputs");
  rig_give_back(getter.reader, answer);

  rig_client c = OPEN("get_parameter_types", GetParameterTypes);
  rcl_interfaces_srv_dds__GetParameterTypes_Request_ request = {
      .names = {._buffer = names, ._length = 8}};
  rcl_interfaces_srv_dds__GetParameterTypes_Response_ *found =
      rig_answer(&c, rig_send(&c, &request), PATIENCE_MS);
  CHECK(found != NULL && found->types._length == 8 && memcmp(found->types._buffer, types, 8) == 0,
        "types differ");
  rig_give_back(c.reader, found);
}

static void check_description(void) {
  rig_client c = OPEN("describe_parameters", DescribeParameters);
  char *names[] = {TIMEOUT, "ros2.depth"};
  rcl_interfaces_srv_dds__DescribeParameters_Request_ request = {
      .names = {._buffer = names, ._length = 2}};
  rcl_interfaces_srv_dds__DescribeParameters_Response_ *answer =
      rig_answer(&c, rig_send(&c, &request), PATIENCE_MS);
  CHECK(answer != NULL && answer->descriptors._length == 2, "no descriptions");
  const rcl_interfaces_msg_dds__ParameterDescriptor_ *d = answer->descriptors._buffer;
  CHECK(d[0].floating_point_range._length == 1 &&
            d[0].floating_point_range._buffer[0].to_value == 60.0 && !d[0].read_only,
        "the range of %s", d[0].name);
  CHECK(d[1].integer_range._length == 1 && d[1].integer_range._buffer[0].from_value == 1 &&
            d[1].read_only && d[1].description[0] != '\0',
        "the range of %s", d[1].name);
  rig_give_back(c.reader, answer);
}

/* ---- setting ---- */

/* @param why  part of the reason; NULL: it is set */
static void set(parameter p, const char *why) {
  set_request request = {.parameters = {._buffer = &p, ._length = 1}};
  set_response *answer = rig_answer(&setter, rig_send(&setter, &request), PATIENCE_MS);
  CHECK(answer != NULL && answer->results._length == 1, "%s: no result", p.name);
  const rcl_interfaces_msg_dds__SetParametersResult_ *result = answer->results._buffer;
  CHECK(result->successful == (why == NULL) && (why == NULL || strstr(result->reason, why)),
        "%s: %s", p.name, result->reason);
  rig_give_back(setter.reader, answer);
}

static void expect_event(const char *name, double value) {
  dds_sample_info_t info;
  rcl_interfaces_msg_dds__ParameterEvent_ *event = rig_next(events, PATIENCE_MS, &info);
  CHECK(event != NULL, "no event of %s", name);
  CHECK(strcmp(event->node, "/sinew") == 0 && event->stamp.sec > 1000000000, "%s", event->node);
  CHECK(event->changed_parameters._length == 1 && event->new_parameters._length == 0, "%u changes",
        event->changed_parameters._length);
  const parameter *p = event->changed_parameters._buffer;
  CHECK(strcmp(p->name, name) == 0 && p->value.double_value == value, "%s is %g", p->name,
        p->value.double_value);
  rig_give_back(events, event);
}

static void check_setting(void) {
  set(make_double(TIMEOUT, 0.75), NULL);
  expect_event(TIMEOUT, 0.75);
  CHECK(get_timeout() == 0.75, "it is %g", get_timeout());
  parameter integer = make(TIMEOUT, INTEGER);
  integer.value.integer_value = 1;
  set(integer, "decimal point");
  set(make(TIMEOUT, 0), "got nothing");
  set(make(TIMEOUT, 77), "unknown type");
  set(make_double(TIMEOUT, 1e9), "60");
  set(make_double(TIMEOUT, 0.0 / 0.0), "finite");
  set(make_double("no.such", 1.0), "unknown parameter");
  set(make("use_sim_time", BOOL), "read-only");
  parameter depth = make("ros2.depth", INTEGER);
  depth.value.integer_value = 5;
  set(depth, "run");
  CHECK(get_timeout() == 0.75, "a refused value was set: %g", get_timeout());
}

/* More changes than anything between setter and topic could queue: the last value is reported. */
static void check_burst(void) {
  enum { COUNT = 2000 };
  static parameter all[COUNT];
  for (uint32_t i = 0; i < COUNT; i++) {
    all[i] = make_double(TIMEOUT, i + 1 < COUNT ? 1.0 + 0.001 * i : 0.75);
  }
  set_request request = {.parameters = {._buffer = all, ._length = COUNT}};
  set_response *answer = rig_answer(&setter, rig_send(&setter, &request), PATIENCE_MS);
  CHECK(answer != NULL && answer->results._length == COUNT, "no results");
  rig_give_back(setter.reader, answer);
  for (double value = 0.0; value != 0.75;) {
    dds_sample_info_t info;
    rcl_interfaces_msg_dds__ParameterEvent_ *event = rig_next(events, PATIENCE_MS, &info);
    CHECK(event != NULL && event->changed_parameters._length == 1, "the last change is missing");
    value = event->changed_parameters._buffer[0].value.double_value;
    rig_give_back(events, event);
  }
}

/* All or none of two. */
static void check_atomic(const char *second, const char *why) {
  parameter both[] = {make_double(TIMEOUT, 0.25), make(second, BOOL)};
  atomic_request request = {.parameters = {._buffer = both, ._length = 2}};
  atomic_response *answer =
      rig_answer(&atomic_setter, rig_send(&atomic_setter, &request), PATIENCE_MS);
  CHECK(answer != NULL, "no answer");
  CHECK(answer->result.successful == (why == NULL), "%s: %s", second, answer->result.reason);
  CHECK(why == NULL || strstr(answer->result.reason, why), "%s", answer->result.reason);
  CHECK(get_timeout() == (why == NULL ? 0.25 : 0.75), "it is %g", get_timeout());
  rig_give_back(atomic_setter.reader, answer);
}

int main(int argc, char **argv) {
  participant = rig_participant();
  events = rig_reader(participant, &rcl_interfaces_msg_dds__ParameterEvent__desc,
                      "rt/parameter_events", false);
  rig_wait_for_writer(events, "/parameter_events");
  if (argc == 2 && strcmp(argv[1], "elsewhere") == 0) {
    expect_event(TIMEOUT, 0.125);
    dds_delete(participant);
    return 0;
  }
  getter = OPEN("get_parameters", GetParameters);
  setter = OPEN("set_parameters", SetParameters);
  atomic_setter = OPEN("set_parameters_atomically", SetParametersAtomically);
  check_list();
  check_values();
  check_description();
  check_setting();
  check_burst();
  check_atomic("no.such", "unknown parameter");
  check_atomic(LIMP, NULL);
  dds_delete(participant);
  puts("ros2_parameters: all checks passed");
  return 0;
}
