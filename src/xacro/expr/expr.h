/** @file
 *  Internal: the Python expressions of `${...}`: parsed into a tree, which is then evaluated. */
#ifndef SN_XACRO_EXPR_EXPR_H
#define SN_XACRO_EXPR_EXPR_H

#include "xacro/context.h"

/* ---- words ---- */

typedef enum sn__xtoken_kind {
  SN__XT_END,
  SN__XT_NUMBER,
  SN__XT_STRING,
  SN__XT_NAME,
  SN__XT_SIGN, /**< an operator or a bracket, in `text` */
  SN__XT_BAD   /**< reported */
} sn__xtoken_kind;

typedef struct sn__xtoken {
  sn__xtoken_kind kind;
  char sign[4];     /**< of SN__XT_SIGN */
  const char *name; /**< of SN__XT_NAME */
  sn__xvalue value; /**< of SN__XT_NUMBER and SN__XT_STRING */
} sn__xtoken;

/** The next word of @p at, which moves behind it. */
sn__xtoken sn__xtoken_next(sn__xacro *x, const char **at);

/* ---- trees ---- */

typedef enum sn__xexpr_kind {
  SN__XE_CONSTANT,
  SN__XE_NAME,
  SN__XE_ATTRIBUTE, /**< child.name */
  SN__XE_INDEX,     /**< child[child] */
  SN__XE_SLICE,     /**< child[child:child:child]; an absent one is the constant None */
  SN__XE_CALL,      /**< child(children); a child with `name` is a keyword argument */
  SN__XE_KEYWORD,   /**< name=child, in a call */
  SN__XE_UNARY,     /**< sign child */
  SN__XE_BINARY,    /**< child sign child */
  SN__XE_COMPARE,   /**< child (sign child)+: the sign is that of the right operand */
  SN__XE_AND,
  SN__XE_OR,
  SN__XE_NOT,
  SN__XE_CONDITIONAL, /**< child if child else child, in the order of evaluation */
  SN__XE_LIST,
  SN__XE_TUPLE,
  SN__XE_DICT,         /**< keys and values in turn */
  SN__XE_COMPREHENSION /**< [child for NAMES in child if child]: result, source, condition, names */
} sn__xexpr_kind;

typedef struct sn__xexpr {
  sn__xexpr_kind kind;
  char sign[8];
  const char *name;
  uint32_t hash; /**< of the name of SN__XE_NAME */
  sn__xvalue constant;
  unsigned depth; /**< levels below it */
  struct sn__xexpr *first, *last, *next;
} sn__xexpr;

/** Parse a whole text. @return NULL with an error reported */
const sn__xexpr *sn__xexpr_parse(sn__xacro *x, const char *text);

/** Evaluate. @return false with an error reported */
bool sn__xexpr_eval(sn__xacro *x, sn__xscope *scope, const sn__xexpr *expr, sn__xvalue *out);

/** Parse and evaluate. */
bool sn__xexpr_run(sn__xacro *x, sn__xscope *scope, const char *text, sn__xvalue *out);

/* ---- operators ---- */

bool sn__xoperator_unary(sn__xacro *x, const char *sign, sn__xvalue a, sn__xvalue *out);
bool sn__xoperator_binary(sn__xacro *x, const char *sign, sn__xvalue a, sn__xvalue b,
                          sn__xvalue *out);
bool sn__xoperator_compare(sn__xacro *x, const char *sign, sn__xvalue a, sn__xvalue b, bool *out);
/** container[index] */
bool sn__xoperator_index(sn__xacro *x, sn__xvalue container, sn__xvalue index, sn__xvalue *out);
/** container[begin:end:step] */
bool sn__xoperator_slice(sn__xacro *x, sn__xvalue container, const sn__xvalue parts[3],
                         sn__xvalue *out);

/** The items of a list, tuple, dict (its keys) or text (its characters), as a list.
 *  @return NULL with an error reported */
const sn__xlist *sn__xvalue_items(sn__xacro *x, sn__xvalue value);

/* ---- functions ---- */

typedef struct sn__xcall {
  const char *name; /**< for messages */
  sn__xscope *scope;
  const sn__xvalue *arguments;
  size_t count;
  const sn__xdict *keywords;
} sn__xcall;

typedef struct sn__xfunction {
  const char *module; /**< "math", "python" or "xacro" */
  const char *name;
  size_t count_min, count_max;
  bool takes_keywords;
  bool (*run)(sn__xacro *x, const sn__xcall *call, sn__xvalue *out);
  double (*map)(double); /**< instead of `run`, for one number */
} sn__xfunction;

/** A function or a constant. @param module  NULL: any
 *  @return false if there is none of that name */
bool sn__xfunction_find(const char *module, const char *name, sn__xvalue *out);

/** Functions of `math`, and of everything else; they end with an entry without a name. */
extern const sn__xfunction sn__xmath_functions[];
extern const sn__xfunction sn__xbuiltin_functions[];
extern const sn__xfunction sn__xtool_functions[];

bool sn__xfunction_call(sn__xacro *x, const sn__xfunction *function, sn__xcall *call,
                        sn__xvalue *out);

/** A method of a text, a list or a dict.
 *  @param is_found  false: the value has no such method, nothing is reported */
bool sn__xmethod_call(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out,
                      bool *is_found);

/** `text.format(...)` and `text % values`. */
bool sn__xformat_braces(sn__xacro *x, const char *format, const sn__xcall *call, sn__xvalue *out);
bool sn__xformat_percent(sn__xacro *x, const char *format, sn__xvalue values, sn__xvalue *out);

/** `round(number, digits)`. */
bool sn__xformat_round(sn__xacro *x, double number, int digits, sn__xvalue *out);

/** `xacro.load_yaml(path)`; a file is read once. */
bool sn__xyaml_load(sn__xacro *x, const char *path, sn__xvalue *out);

/** A YAML text as value. */
bool sn__xyaml_parse(sn__xacro *x, const char *file, const char *text, size_t size,
                     sn__xvalue *out);

#endif
