/* XML-RPC: calls and responses read back as written, invalid ones are rejected. */
#include <stdlib.h>

#include "ros/ros1/rpc.h"
#include "sn_test.h"

static sn_status parse(sn_arena *arena, const char *text, size_t size, sn__rpc_message *message) {
  sn_error err = {SN_OK, ""};
  sn_arena_init_growing(arena, "test", 0);
  const sn_status status = sn__rpc_parse(arena, text, size, message, &err);
  assert_true(status == SN_OK || err.message[0] != '\0');
  return status;
}

static sn_status parse_text(const char *text) {
  sn_arena arena;
  sn__rpc_message message;
  const sn_status status = parse(&arena, text, strlen(text), &message);
  sn_arena_release(&arena);
  return status;
}

static void write_call(sn__bytes *text) {
  sn__rpc_writer w;
  sn__rpc_begin_call(&w, text, "requestTopic");
  sn__rpc_put_text(&w, "/node <&> \"ü\"\n\t  ");
  sn__rpc_put_int(&w, -2147483648);
  sn__rpc_begin_array(&w);
  sn__rpc_begin_array(&w);
  sn__rpc_put_text(&w, "TCPROS");
  sn__rpc_put_bool(&w, true);
  sn__rpc_end_array(&w);
  sn__rpc_begin_array(&w);
  sn__rpc_end_array(&w);
  sn__rpc_end_array(&w);
  sn__rpc_end(&w);
  assert_false(text->failed);
}

SN_TEST(a_call_reads_back_as_it_was_written) {
  sn__bytes text = {0};
  write_call(&text);
  sn_arena arena;
  sn__rpc_message message;
  assert_int_equal(parse(&arena, text.data, text.used, &message), SN_OK);
  assert_string_equal(message.method, "requestTopic");
  assert_int_equal(message.count, 3);
  assert_string_equal(sn__rpc_text(message.values[0]), "/node <&> \"ü\"\n\t  ");
  int32_t number = 0;
  assert_true(sn__rpc_int(message.values[1], &number));
  assert_int_equal(number, INT32_MIN);
  assert_null(sn__rpc_text(message.values[1]));
  const sn__rpc_value *outer = NULL;
  const sn__rpc_value *inner = NULL;
  assert_true(sn__rpc_array(message.values[2], &outer));
  assert_true(sn__rpc_array(outer, &inner));
  assert_string_equal(sn__rpc_text(inner), "TCPROS");
  assert_true(sn__rpc_int(inner->next, &number));
  assert_int_equal(number, 1);
  assert_null(inner->next->next);
  assert_true(sn__rpc_array(outer->next, &inner));
  assert_null(inner);
  assert_false(sn__rpc_array(message.values[0], &inner));
  sn_arena_release(&arena);
  sn__bytes_free(&text);
}

SN_TEST(a_truncated_call_is_rejected) {
  sn__bytes text = {0};
  write_call(&text);
  for (size_t size = 0; size + 2 < text.used; size++) { /* the last line end is optional */
    sn_arena arena;
    sn__rpc_message message;
    assert_int_not_equal(parse(&arena, text.data, size, &message), SN_OK);
    sn_arena_release(&arena);
  }
  sn__bytes_free(&text);
}

#define CALL(params) \
  "<?xml version='1.0'?><methodCall><methodName>m</methodName>" params "</methodCall>"
#define ONE(value) CALL("<params><param><value>" value "</value></param></params>")

SN_TEST(valid_variants_are_accepted) {
  static const struct {
    const char *text, *string;
    bool is_int;
    int32_t number;
  } cases[] = {
      {ONE("no type at all"), "no type at all", false, 0},
      {ONE("<string></string>"), "", false, 0},
      {ONE(""), "", false, 0},
      {ONE("<string>a&#65;<![CDATA[<b>]]></string>"), "aA<b>", false, 0},
      {ONE("\n <i4>+42</i4> \n"), NULL, true, 42},
      {ONE("<int>-1</int>"), NULL, true, -1},
      {ONE("<boolean>0</boolean>"), NULL, true, 0},
      {ONE("<int>2147483647</int>"), NULL, true, INT32_MAX},
      {ONE("<int>2147483648</int>"), NULL, false, 0},
      {ONE("<int>99999999999999999999</int>"), NULL, false, 0},
      {ONE("<int>1x</int>"), NULL, false, 0},
      {ONE("<int></int>"), NULL, false, 0},
      {ONE("<double>1.5</double>"), NULL, false, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_arena arena;
    sn__rpc_message message;
    assert_int_equal(parse(&arena, cases[i].text, strlen(cases[i].text), &message), SN_OK);
    assert_int_equal(message.count, 1);
    const char *string = sn__rpc_text(message.values[0]);
    int32_t number = 0;
    if (cases[i].string == NULL) {
      assert_null(string);
    } else {
      assert_string_equal(string, cases[i].string);
    }
    assert_int_equal(sn__rpc_int(message.values[0], &number), cases[i].is_int);
    assert_int_equal(number, cases[i].number);
    sn_arena_release(&arena);
  }
  assert_int_equal(parse_text(CALL("")), SN_OK);
  assert_int_equal(parse_text(CALL("<params/>")), SN_OK);
}

SN_TEST(invalid_messages_are_rejected) {
  static const char *const cases[] = {
      "",
      "garbage",
      "<methodCall/>",
      "<methodCall><methodName/></methodCall>",
      "<html/>",
      "<value/>",
      CALL("<params><value/></params>"),
      CALL("<params><param/></params>"),
      CALL("<params><param><value kind='x'/></param></params>"),
      CALL("<params><param><value>&bomb;</value></param></params>"),
      "<!DOCTYPE methodCall [<!ENTITY a 'b'>]>" CALL(""),
      CALL("") CALL(""),
      "<methodResponse><params/></methodResponse>",
      "<methodResponse/>",
      "<methodCall><methodName>\xff\xfe</methodName></methodCall>",
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (parse_text(cases[i]) == SN_OK) {
      fail_msg("accepted: %s", cases[i]);
    }
  }
}

/* Depth, parameters and bytes are limited while parsing. */
SN_TEST(limits_hold) {
  sn__bytes text = {0};
  sn__bytes_text(&text, "<methodCall><methodName>m</methodName><params><param>");
  for (int i = 0; i < 100000; i++) {
    sn__bytes_text(&text, "<value><array><data>");
  }
  sn__bytes_put(&text, "", 1);
  assert_int_equal(parse_text(text.data), SN_ELIMIT);
  text.used = 0;
  sn__bytes_text(&text, "<methodCall><methodName>m</methodName><params>");
  for (int i = 0; i < 9; i++) {
    sn__bytes_text(&text, "<param><value/></param>");
  }
  sn__bytes_text(&text, "</params></methodCall>");
  sn__bytes_put(&text, "", 1);
  assert_int_equal(parse_text(text.data), SN_ELIMIT);
  sn__bytes_free(&text);
  char *large = malloc(SN__RPC_SIZE_MAX + 1);
  assert_non_null(large);
  memset(large, ' ', SN__RPC_SIZE_MAX + 1);
  sn_arena arena;
  sn__rpc_message message;
  assert_int_equal(parse(&arena, large, SN__RPC_SIZE_MAX + 1, &message), SN_ELIMIT);
  sn_arena_release(&arena);
  free(large);
}

#define ANSWER(data) \
  "<methodResponse><params><param><value>" data "</value></param></params></methodResponse>"
#define TRIPLE(code)                        \
  ANSWER("<array><data><value><int>" code   \
         "</int></value><value>why</value>" \
         "<value><string>it</string></value></data></array>")

SN_TEST(responses_have_a_code_a_text_and_a_value) {
  static const struct {
    const char *text;
    sn_status status;
    const char *message;
  } cases[] = {
      {TRIPLE("1"), SN_OK, ""},
      {TRIPLE("0"), SN_EINVAL, "why"},
      {TRIPLE("-1"), SN_EINVAL, "why"},
      {"<methodResponse><fault><value/></fault></methodResponse>", SN_EINVAL, "fault"},
      {ANSWER("<array><data><value><int>1</int></value></data></array>"), SN_ESYNTAX, "expected"},
      {ANSWER("it"), SN_ESYNTAX, "expected"},
      {CALL(""), SN_ESYNTAX, "expected"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_arena arena;
    sn__rpc_message message;
    sn_error err = {SN_OK, ""};
    const sn__rpc_value *value = NULL;
    assert_int_equal(parse(&arena, cases[i].text, strlen(cases[i].text), &message), SN_OK);
    assert_int_equal(sn__rpc_answer(&message, &value, &err), cases[i].status);
    sn_assert_contains(err.message, cases[i].message);
    if (cases[i].status == SN_OK) {
      assert_string_equal(sn__rpc_text(value), "it");
    }
    sn_arena_release(&arena);
  }
}

SN_TEST(a_fault_reads_back_as_one) {
  sn__bytes text = {0};
  sn__rpc_put_fault(&text, -32601, "no <such> method");
  sn_arena arena;
  sn__rpc_message message;
  assert_int_equal(parse(&arena, text.data, text.used, &message), SN_OK);
  assert_true(message.is_fault);
  sn_arena_release(&arena);
  sn__bytes_free(&text);
}
