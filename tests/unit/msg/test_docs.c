/* docs/messages.md says of each type what its table says. */
#include <stdlib.h>

#include "msg/walk.h"
#include "msg/wire/schema.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

static void put_row(sn__sink *sink, const sn_msg_field *field) {
  const char *word =
      field->kind == SN_MSG_NESTED ? field->nested->name : sn__kind_word(field->kind, true);
  sn__sink_text(sink, "| `");
  sn__sink_text(sink, field->name);
  sn__sink_text(sink, "` | `");
  sn__sink_text(sink, word);
  sn__put_shape(sink, field);
  sn__sink_text(sink, "` | ");
  sn__sink_text(sink, *field->unit == '\0' ? "–" : field->unit);
  sn__sink_text(sink, " |\n");
}

SN_TEST(page_of_messages_is_up_to_date) {
  size_t size = 0;
  char *page = sn_test_read_file(SINEW_DOCS "/messages.md", &size);
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    const sn_msg_type *type = sn_msg_type_at(t);
    char section[4096];
    sn__sink sink = {.out = section, .size = sizeof section};
    sn__sink_text(&sink, "### `");
    sn__sink_text(&sink, type->name);
    sn__sink_text(&sink, "`\n\n");
    sn__sink_text(&sink, type->brief);
    sn__sink_text(&sink, " Wire: `");
    sn__sink_text(&sink, type->ros1_name);
    sn__sink_text(&sink, "`.\n\n| field | type | unit |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < type->field_count; i++) {
      if (sn__field_is_stored(&type->fields[i])) {
        put_row(&sink, &type->fields[i]);
      }
    }
    assert_true(sn__sink_end(&sink) < sizeof section);
    if (strstr(page, section) == NULL) {
      fail_msg("docs/messages.md lacks:\n%s", section);
    }
  }
  free(page);
}
