/* Where a ROS 2 node looks for others. */
#include <expat.h>
#include <string.h>

#include "ros/ros2/discovery_range.h"
#include "sn_test.h"

static sn_status read(const char *local, const char *range, const char *peers,
                      sn__ros2_discovery *out) {
  sn_error err = {SN_OK, ""};
  const sn_status status = sn__ros2_discovery_read(local, range, peers, out, &err);
  assert_int_equal(status == SN_OK, err.message[0] == '\0');
  return status;
}

SN_TEST(the_range_is_that_of_the_variables) {
  static const struct {
    const char *local, *range;
    sn__ros2_range expected;
  } cases[] = {{"0", "", SN__ROS2_SUBNET},
               {"0", "SUBNET", SN__ROS2_SUBNET},
               {"0", "LOCALHOST", SN__ROS2_LOCALHOST},
               {"0", "OFF", SN__ROS2_OFF},
               {"0", "SYSTEM_DEFAULT", SN__ROS2_SYSTEM_DEFAULT},
               {"1", "", SN__ROS2_LOCALHOST},
               {"1", "SUBNET", SN__ROS2_LOCALHOST},
               {"1", "nonsense", SN__ROS2_LOCALHOST}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn__ros2_discovery d;
    assert_int_equal(read(cases[i].local, cases[i].range, "", &d), SN_OK);
    assert_int_equal(d.range, cases[i].expected);
    assert_int_equal(d.peer_count, 0);
  }
}

SN_TEST(an_unknown_range_is_named) {
  sn__ros2_discovery d;
  sn_error err = {SN_OK, ""};
  assert_int_equal(sn__ros2_discovery_read("0", "localhost", "", &d, &err), SN_EINVAL);
  assert_string_equal(err.message,
                      "ROS_AUTOMATIC_DISCOVERY_RANGE: 'localhost', expected SUBNET, LOCALHOST, OFF "
                      "or SYSTEM_DEFAULT");
}

SN_TEST(peers_are_separated_by_semicolons) {
  sn__ros2_discovery d;
  assert_int_equal(read("0", "", ";10.0.0.1;;localhost;10.0.0.3;", &d), SN_OK);
  assert_int_equal(d.peer_count, 3);
  assert_string_equal(d.peers[0], "10.0.0.1");
  assert_string_equal(d.peers[1], "127.0.0.1");
  assert_string_equal(d.peers[2], "10.0.0.3");
}

SN_TEST(peers_count_only_where_ros_2_uses_them) {
  sn__ros2_discovery d;
  assert_int_equal(read("1", "", "10.0.0.1", &d), SN_OK);
  assert_int_equal(d.peer_count, 0);
  assert_int_equal(read("0", "OFF", "10.0.0.1", &d), SN_OK);
  assert_int_equal(d.peer_count, 0);
  assert_int_equal(read("0", "SYSTEM_DEFAULT", "10.0.0.1", &d), SN_OK);
  assert_int_equal(d.peer_count, 0);
  assert_int_equal(read("0", "LOCALHOST", "10.0.0.1", &d), SN_OK);
  assert_int_equal(d.peer_count, 1);
}

SN_TEST(bad_peers_are_errors) {
  sn__ros2_discovery d;
  char many[SN__ROS2_STATIC_PEERS_MAX * 9 + 16] = "";
  for (int i = 0; i <= SN__ROS2_STATIC_PEERS_MAX; i++) {
    strcat(many, "10.0.0.1;");
  }
  char long_name[400];
  memset(long_name, 'a', sizeof long_name - 1);
  long_name[sizeof long_name - 1] = '\0';
  assert_int_equal(read("0", "", "<Peer/>", &d), SN_EINVAL);
  assert_int_equal(read("0", "", "10.0.0.1;256.1.1.1", &d), SN_EINVAL);
  assert_int_equal(read("0", "", many, &d), SN_EINVAL);
  assert_int_equal(read("0", "", long_name, &d), SN_EINVAL);
}

/* Collects what the tests look at: `element=text;` and `element@attribute=value;`. */
typedef struct facts {
  char element[64], text[2048];
} facts;

static void add(facts *f, const char *separator, const char *name, const char *value) {
  const size_t used = strlen(f->text);
  snprintf(f->text + used, sizeof f->text - used, "%s%s%s=%s;", f->element, separator, name, value);
}

static void on_start(void *context, const char *name, const char **attributes) {
  facts *f = context;
  snprintf(f->element, sizeof f->element, "%s", name);
  for (size_t i = 0; attributes[i] != NULL; i += 2) {
    add(f, "@", attributes[i], attributes[i + 1]);
  }
}

static void on_text(void *context, const char *text, int length) {
  char copy[128];
  snprintf(copy, sizeof copy, "%.*s", length, text);
  add(context, "", "", copy);
}

static facts parse(const sn__ros2_discovery *d, const char *interface) {
  facts f = {0};
  char xml[4096];
  assert_true(sn__ros2_discovery_config(d, interface, true, xml, sizeof xml));
  XML_Parser parser = XML_ParserCreate(NULL);
  XML_SetUserData(parser, &f);
  XML_SetStartElementHandler(parser, on_start);
  XML_SetCharacterDataHandler(parser, on_text);
  assert_int_equal(XML_Parse(parser, xml, (int)strlen(xml), 1), XML_STATUS_OK);
  XML_ParserFree(parser);
  return f;
}

/* As seen with rmw_cyclonedds_cpp of Jazzy. */
SN_TEST(localhost_is_without_multicast_and_at_the_standard_ports) {
  sn__ros2_discovery d;
  assert_int_equal(read("1", "", "", &d), SN_OK);
  const facts f = parse(&d, "");
  assert_non_null(strstr(f.text, "AllowMulticast=false;"));
  assert_non_null(strstr(f.text, "ParticipantIndex=auto;"));
  assert_non_null(strstr(f.text, "Peer@address=127.0.0.1;"));
}

SN_TEST(the_subnet_has_multicast_and_the_peers) {
  sn__ros2_discovery d;
  assert_int_equal(read("0", "", "10.0.0.1;10.0.0.2", &d), SN_OK);
  const facts f = parse(&d, "eth0");
  assert_null(strstr(f.text, "AllowMulticast"));
  assert_non_null(strstr(f.text, "NetworkInterface@name=eth0;"));
  assert_non_null(strstr(f.text, "ParticipantIndex=auto;"));
  assert_non_null(strstr(f.text, "Peer@address=10.0.0.1;Peer@address=10.0.0.2;"));
  assert_null(strstr(f.text, "127.0.0.1"));
}

SN_TEST(without_discovery_nobody_knows_the_port) {
  sn__ros2_discovery d;
  assert_int_equal(read("0", "OFF", "", &d), SN_OK);
  const facts f = parse(&d, "");
  assert_non_null(strstr(f.text, "AllowMulticast=false;"));
  assert_non_null(strstr(f.text, "ParticipantIndex=none;"));
  assert_null(strstr(f.text, "Peer@"));
}

SN_TEST(a_configuration_that_does_not_fit_is_refused) {
  const sn__ros2_discovery d = {.range = SN__ROS2_LOCALHOST};
  char xml[4096];
  assert_true(sn__ros2_discovery_config(&d, "lo", true, xml, sizeof xml));
  for (size_t size = 1; size <= strlen(xml); size++) {
    char *exact = malloc(size);
    assert_false(sn__ros2_discovery_config(&d, "lo", true, exact, size));
    free(exact);
  }
}
