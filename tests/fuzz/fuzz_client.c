/* Fuzzes what a client reads from the control socket. */
#include <stdint.h>

#include "client/client_socket.h"
#include "sinew/fault.h"
#include "sinew/msg_calls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const sn_msg_type *const types[] = {&sn_call_tree_type, &sn_call_names_type,
                                             &sn_call_text_type, &sn_call_contact_points_type};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    sn_arena arena;
    sn_arena_init_growing(&arena, "fuzz", 0);
    void *response = sn_msg_create(&arena, types[i], NULL);
    sn_error err = {.message = ""};
    bool is_answer = false;
    const sn_status status =
        sn__client_read_answer((const char *)data, size, 1, types[i], response, &is_answer, &err);
    SN_ASSERT(status == SN_OK || err.message[0] != '\0');
    sn_arena_release(&arena);
  }
  return 0;
}
