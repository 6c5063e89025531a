#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "common/print.h"
#include "common/robot.h"
#include "model/urdf/xacro_load.h"

typedef struct xacro_arguments {
  robot_options options; /**< only --package-path of them */
  const char *path;
  text_list arguments;
} xacro_arguments;

/* Words after the file must be arguments. */
static int check_arguments(const xacro_arguments *a) {
  for (size_t i = 0; i < a->arguments.count; i++) {
    const char *sign = strstr(a->arguments.items[i], ":=");
    if (sign == NULL || sign == a->arguments.items[i]) {
      return command_misused(&command_xacro, "'%s' is not an argument, expected NAME:=VALUE",
                             a->arguments.items[i]);
    }
  }
  return a->arguments.count < TEXT_LIST_MAX
             ? EXIT_GOOD
             : command_misused(&command_xacro, "more than %d arguments", TEXT_LIST_MAX - 1);
}

static int print_result(const sn_xacro_result *result) {
  const bool is_printed = fwrite(result->text, 1, result->size, stdout) == result->size;
  return is_printed && fflush(stdout) == 0 ? EXIT_GOOD : EXIT_FAULT;
}

static int expand(const xacro_arguments *a, sn_arena *arena, sn_report *report) {
  const sn_packages_config config = {.robot_file = a->path,
                                     .path = robot_package_path(&a->options)};
  sn_packages *packages = NULL;
  sn_xacro_result result = {0};
  if (sn__packages_create(arena, &config, &packages, NULL) != SN_OK) {
    return out_of_memory();
  }
  const sn_status status =
      sn__xacro_load(arena, a->path, packages, a->arguments.items, report, &result);
  if (status == SN_ENOMEM) {
    return out_of_memory();
  }
  problems_print(report);
  return status == SN_OK ? print_result(&result) : EXIT_NO;
}

static int run_xacro(void *arguments) {
  const xacro_arguments *a = arguments;
  int code = check_arguments(a);
  if (code != EXIT_GOOD) {
    return code;
  }
  sn_arena arena, report_arena;
  sn_report *report = NULL;
  sn_arena_init_growing(&arena, "xacro", 256 * 1024);
  sn_arena_init_growing(&report_arena, "problems", 16 * 1024);
  code = sn_report_create(&report_arena, &report, NULL) == SN_OK ? expand(a, &arena, report)
                                                                 : out_of_memory();
  sn_arena_release(&arena);
  sn_arena_release(&report_arena);
  return code;
}

#define AT(member) offsetof(xacro_arguments, member)
static const command_argument xacro_argument_table[] = {
    {"FILE", ARGUMENT_ONE, AT(path), "A robot in xacro", WORD_FILE, NULL},
    {"NAME:=VALUE", ARGUMENT_ANY, AT(arguments), "Arguments of the file", WORD_TEXT, NULL},
    {0}};

const command command_xacro = {.name = "xacro",
                               .purpose = "Expand a robot in xacro: the URDF on standard output.",
                               .arguments = xacro_argument_table,
                               .options = {package_path_option_table},
                               .size = sizeof(xacro_arguments),
                               .run = run_xacro};
