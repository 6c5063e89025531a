/** @file
 *  The command line: one constant table for each subcommand. Parsing, help, completion and the
 *  manual page all read these tables; a command only sees its arguments, checked and stored. */
#ifndef SINEW_COMMAND_H
#define SINEW_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sinew/api.h"

/** Exit codes, the same for every subcommand. */
enum {
  EXIT_GOOD = 0,
  EXIT_NO = 1,    /**< the answer is no: invalid file, no solution, threshold not reached */
  EXIT_USAGE = 2, /**< wrong usage */
  EXIT_FAULT = 3  /**< something that should not happen: no memory, output failed */
};

/** What a word on the command line names, for completion. */
typedef enum word_kind {
  WORD_TEXT, /**< free text; may begin with a single '-' */
  WORD_NAME, /**< a name that the program cannot list */
  WORD_FILE,
  WORD_FOLDER,
  WORD_COMMAND,
  WORD_SYSTEM, /**< the rest are names in running systems */
  WORD_COMPONENT_OR_PORT,
  WORD_COMPONENT_OR_PROPERTY,
  WORD_PROPERTY,
  WORD_OPERATION,
  WORD_OUTPUT,
  WORD_INPUT
} word_kind;

/** How the value of an option is read, and the type of the member that stores it. */
typedef enum option_kind {
  OPTION_FLAG,    /**< no value; bool, becomes true */
  OPTION_UNFLAG,  /**< no value; bool, becomes false */
  OPTION_TEXT,    /**< const char * */
  OPTION_LIST,    /**< text_list; the option may be repeated */
  OPTION_WORDS,   /**< text_list of all words up to the next option; may be repeated */
  OPTION_NUMBER,  /**< double, min to max */
  OPTION_INTEGER, /**< int64_t, min to max */
  OPTION_PARSED   /**< stored by `parse` */
} option_kind;

enum { TEXT_LIST_MAX = 256 };

/** Values of a repeated option or argument. */
typedef struct text_list {
  const char *items[TEXT_LIST_MAX];
  size_t count;
} text_list;

/** Name @p index of those that a word can be; NULL after the last one. */
typedef const char *choice_function(size_t index);

typedef struct command_option {
  const char *name;  /**< with its dashes */
  const char *value; /**< what the help calls its value; NULL for flags */
  option_kind kind;
  size_t offset; /**< of the member, in the arguments of the command */
  const char *help;
  double min, max;
  word_kind word;           /**< what the value names */
  choice_function *choices; /**< NULL: not a fixed set */
  /** For OPTION_PARSED: @p member is the place at `offset`. @return false if the value is invalid
   */
  bool (*parse)(void *member, const char *value);
  const char *expected; /**< for messages; NULL: as min, max or choices say */
  const char *excludes; /**< another option that cannot be given at the same time */
  bool is_required;
} command_option;

typedef enum argument_kind {
  ARGUMENT_ONE,
  ARGUMENT_OPTIONAL,
  ARGUMENT_MANY, /**< one or more; a text_list */
  ARGUMENT_ANY   /**< zero or more; a text_list */
} argument_kind;

/** A word without dashes. */
typedef struct command_argument {
  const char *name;
  argument_kind kind;
  size_t offset; /**< of a const char * or, if there may be several, of a text_list */
  const char *help;
  word_kind word;
  choice_function *choices; /**< NULL: any word */
} command_argument;

enum { COMMAND_OPTION_TABLES = 3 };

/** A subcommand. Tables end with an entry without a name; all of their offsets refer to the same
 *  struct of `size` bytes. */
typedef struct command {
  const char *name; /**< one word, or two: `bus scan` */
  const char *purpose;
  const command_argument *arguments; /**< NULL: none */
  const command_option *options[COMMAND_OPTION_TABLES];
  size_t size;
  const void *initial; /**< the arguments before parsing; NULL: zero */
  int (*run)(void *arguments);
  bool is_hidden; /**< not in the help: for other programs */
  bool is_raw;    /**< every word is an argument, also what looks like an option */
} command;

/** All commands; ends with NULL. */
extern const command *const commands[];

/** The command that @p argc words begin with.
 *  @param used  how many words its name takes; set if there is one */
const command *command_find(int argc, const char *const *argv, int *used);

/** Options of all tables of a command. @return NULL after the last one */
const command_option *command_option_at(const command *c, size_t index);

/** The option with this name; NULL: none. */
const command_option *command_option_find(const command *c, const char *name);

/** The argument that the word after @p count others belongs to; NULL if there are too many. */
const command_argument *command_argument_at(const command *c, size_t count);

/** Read the words after the name. Prints what is wrong with them.
 *  @return EXIT_GOOD or EXIT_USAGE */
int command_parse(const command *c, int argc, const char *const *argv, void *arguments);

/** Print an error of usage, and the usage. @return EXIT_USAGE */
int command_misused(const command *c, const char *format, ...) SN_PRINTF(2, 3);

/** Print `usage: sinew NAME ARGUMENTS OPTIONS`, wrapped. */
void command_print_usage(const command *c, FILE *out);

/** Print everything the table says about a command. */
void command_print_help(const command *c, FILE *out);

/** Print one line for each command. */
void command_print_overview(FILE *out);

/** `[--name VALUE]`, `--name VALUE`, `[--name VALUE]...` or `[--name VALUE...]`, as usage shows it.
 */
void command_option_text(const command_option *o, char *out, size_t size);

/** `NAME`, `[NAME]`, `NAME...` or `[NAME...]`. */
void command_argument_text(const command_argument *a, char *out, size_t size);

#endif
